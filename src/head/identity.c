#include "identity.h"

#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/codec/json.h"
#include "hydra/crypto/certificate.h"
#include "hydra/crypto/client_key.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/file.h"

#define PEM_FILE_MAX 16384

static void free_key(char *key_pem)
{
    if (key_pem != NULL)
        crypto_wipe(key_pem, strlen(key_pem));
    hc_free(key_pem);
}

void identity_free(struct identity *identity)
{
    free_key(identity->key_pem);
    hc_free(identity->cert_pem);
    *identity = (struct identity){ 0 };
}

static void name_device(const char *head_id, struct identity *identity)
{
    char hash[HC_HASH_SIZE];
    crypto_sha256_hex(head_id, strlen(head_id), hash);
    hash[GS_UNIQUE_ID_SIZE - 1] = '\0';
    HC_SET(identity->device_uid, hash);
}

static enum hc_err take_fingerprint(struct identity *identity, struct hc_diag *diag)
{
    struct certificate_facts facts;
    enum hc_err err = crypto_certificate_read(identity->cert_pem, &facts, diag);
    if (err == HC_OK)
        HC_SET(identity->fingerprint, facts.fingerprint);
    return err;
}

/* The key first: a certificate without its key is what identity_load() refuses, a key without its certificate too, and a crash between the
 * two is then found by the check of the pair. */
static enum hc_err store(int dir_fd, const struct hc_buf *key, const struct hc_buf *cert, struct hc_diag *diag)
{
    if (os_file_replace(dir_fd, IDENTITY_KEY_FILE, key->data, key->len, NULL, diag) != OS_REPLACE_DURABLE ||
        os_file_replace(dir_fd, IDENTITY_CERT_FILE, cert->data, cert->len, NULL, diag) != OS_REPLACE_DURABLE)
        return HC_ERR_IO;
    return HC_OK;
}

static enum hc_err make(int dir_fd, struct identity *identity, struct hc_diag *diag)
{
    struct hc_buf key = { 0 }, cert = { 0 };
    enum hc_err err = crypto_client_key_new(&key, &cert, diag);
    if (err == HC_OK)
        err = store(dir_fd, &key, &cert, diag);
    if (err != HC_OK) {
        free_key(key.data);
        hc_free(cert.data);
        return err;
    }
    free_key(identity->key_pem);
    hc_free(identity->cert_pem);
    identity->key_pem = key.data;           /* hc_buf's memory is hc_alloc's */
    identity->cert_pem = cert.data;
    return take_fingerprint(identity, diag);
}

enum hc_err identity_load(int dir_fd, const char *head_id, struct identity *ret_identity, struct hc_diag *diag)
{
    struct identity identity = { 0 };
    size_t len = 0;
    name_device(head_id, &identity);
    enum hc_err key_err = os_file_read(dir_fd, IDENTITY_KEY_FILE, PEM_FILE_MAX, &identity.key_pem, &len, NULL, diag);
    enum hc_err cert_err = os_file_read(dir_fd, IDENTITY_CERT_FILE, PEM_FILE_MAX, &identity.cert_pem, &len, NULL, diag);
    enum hc_err err = key_err != HC_OK ? key_err : cert_err;
    if (key_err == HC_ERR_NOTFOUND && cert_err == HC_ERR_NOTFOUND)
        err = make(dir_fd, &identity, diag);
    else if (err == HC_ERR_NOTFOUND)
        err = hc_fail(diag, HC_ERR_CONFIG, "%s is there and %s is not: put the other half back, or remove it to become a new device",
                      key_err == HC_OK ? IDENTITY_KEY_FILE : IDENTITY_CERT_FILE, key_err == HC_OK ? IDENTITY_CERT_FILE : IDENTITY_KEY_FILE);
    else if (err == HC_OK)
        err = crypto_client_key_check(identity.key_pem, identity.cert_pem, diag) == HC_OK ? take_fingerprint(&identity, diag)
            : HC_ERR_CONFIG;
    if (err != HC_OK) {
        identity_free(&identity);
        return err;
    }
    *ret_identity = identity;
    return HC_OK;
}

enum hc_err identity_renew(int dir_fd, const char *head_id, struct identity *identity, struct hc_diag *diag)
{
    name_device(head_id, identity);
    return make(dir_fd, identity, diag);
}

struct registration { const char *device_uid, *cert_fingerprint, *cert_pem; hc_time not_after; };
#define ROW(key_, type_, member_, limit_) { .key = key_, .type = type_, .offset = offsetof(struct registration, member_), .limit = limit_ }
static const struct codec_field registration_rows[] = {
    ROW("device_uid", CODEC_TEXT, device_uid, GS_UNIQUE_ID_SIZE), ROW("cert_fingerprint", CODEC_TEXT, cert_fingerprint, HC_HASH_HEX),
    ROW("cert_pem", CODEC_TEXT, cert_pem, PEM_FILE_MAX), ROW("not_after", CODEC_TIME, not_after, 0),
};
static const struct codec_table registration_table = CODEC_TABLE("device identity", registration_rows, struct registration,
                                                                 CODEC_NO_PRESENT);

enum hc_err identity_registration(const struct identity *identity, struct hc_buf *out, struct hc_diag *diag)
{
    struct certificate_facts facts;
    enum hc_err err = crypto_certificate_read(identity->cert_pem, &facts, diag);
    if (err != HC_OK)
        return err;
    const struct registration row = { identity->device_uid, identity->fingerprint, identity->cert_pem, facts.not_after };
    json_write(&registration_table, &row, out);
    return out->failed ? HC_ERR_NOMEM : HC_OK;
}
