#include "hydra/gamestream/pins.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "hydra/crypto/pairing.h"
#include "hydra/os/file.h"

#define SUFFIX ".pem"

static void file_name(const char *host_unique_id, char out[HC_ID_SIZE + sizeof SUFFIX])
{
    assert(hc_id_ok(host_unique_id));           /* read_info() has checked it: it came from the network and becomes a file's name */
    (void)snprintf(out, HC_ID_SIZE + sizeof SUFFIX, "%s%s", host_unique_id, SUFFIX);
}

/* Ids made of dots alone would name a folder. */
static bool names_a_file(const char *host_unique_id)
{
    return strspn(host_unique_id, ".") != strlen(host_unique_id);
}

enum hc_err gs_pin_load(int dir_fd, const char *host_unique_id, struct hc_buf *ret_cert_pem, struct hc_diag *diag)
{
    char name[HC_ID_SIZE + sizeof SUFFIX], *text = NULL;
    size_t len = 0;
    file_name(host_unique_id, name);
    if (!names_a_file(host_unique_id))
        return hc_fail(diag, HC_ERR_NOTFOUND, "no certificate can be stored for a host that calls itself '%s'", host_unique_id);
    enum hc_err err = os_file_read(dir_fd, name, GS_CERT_MAX, &text, &len, NULL, diag);
    if (err == HC_OK && (strlen(text) != len || crypto_certificate_pins(text, NULL, NULL, NULL) != HC_OK))
        err = hc_fail(diag, HC_ERR_SYNTAX, "%s is no certificate", name);
    if (err == HC_OK)
        hc_buf_add(ret_cert_pem, text, len);
    hc_free(text);
    return err == HC_OK && ret_cert_pem->failed ? HC_ERR_NOMEM : err;
}

enum hc_err gs_pin_store(int dir_fd, const char *host_unique_id, const char *cert_pem, struct hc_diag *diag)
{
    char name[HC_ID_SIZE + sizeof SUFFIX];
    file_name(host_unique_id, name);
    if (!names_a_file(host_unique_id) || strlen(cert_pem) > GS_CERT_MAX || crypto_certificate_pins(cert_pem, NULL, NULL, diag) != HC_OK)
        return hc_fail(diag, HC_ERR_SYNTAX, "what the host '%s' showed is no certificate that can be stored", host_unique_id);
    return os_file_replace(dir_fd, name, cert_pem, strlen(cert_pem), NULL, diag) == OS_REPLACE_NOT_WRITTEN ? HC_ERR_IO : HC_OK;
}
