#include "hydra/crypto/certificate.h"

#include <stdio.h>
#include <time.h>

#include <openssl/asn1.h>

#include "openssl_handle.h"

enum hc_err crypto_certificate_is_ecdsa(const char *pem, bool *ret_ecdsa, struct hc_diag *diag)
{
    HC_CLEANUP(x509_freep) X509 *cert = x509_of(pem);
    EVP_PKEY *key = cert == NULL ? NULL : X509_get0_pubkey(cert);
    if (key == NULL)
        return hc_fail(diag, HC_ERR_SYNTAX, "certificate: no PEM certificate in it");
    *ret_ecdsa = EVP_PKEY_get_base_id(key) == EVP_PKEY_EC;
    return HC_OK;
}

#define BLOCK_BEGIN  "-----BEGIN "
#define RSA_BITS_MIN 2048
#define EC_BITS_MIN  256
#define DAY_SECONDS  86400

/* One block, with nothing but white space around it: a key pasted beside it must not end up in our files. */
static bool one_block(const char *pem)
{
    const char *begin = pem + strspn(pem, " \t\r\n");
    if (strncmp(begin, BLOCK_BEGIN, sizeof BLOCK_BEGIN - 1) != 0 || strstr(begin + 1, BLOCK_BEGIN) != NULL)
        return false;
    const char *end = strstr(begin, "-----END "), *tail = end == NULL ? NULL : strstr(end + 5, "-----");
    return tail != NULL && tail[5 + strspn(tail + 5, " \t\r\n")] == '\0';
}

/* Between the epoch and the instant in whole seconds; ASN1_TIME knows how to subtract. */
static bool instant_of(const ASN1_TIME *from, hc_time *ret)
{
    static const time_t start = 0;
    int days = 0, seconds = 0;
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, start);
    bool ok = epoch != NULL && ASN1_TIME_diff(&days, &seconds, epoch, from) == 1;
    ASN1_TIME_free(epoch);
    *ret = (hc_time){ ((int64_t)days * DAY_SECONDS + seconds) * HC_SECOND_MS };
    return ok;
}

static void judge_key(EVP_PKEY *key, struct certificate_facts *facts)
{
    int kind = EVP_PKEY_get_base_id(key), bits = EVP_PKEY_get_bits(key);
    bool rsa = kind == EVP_PKEY_RSA || kind == EVP_PKEY_RSA_PSS, ec = kind == EVP_PKEY_EC;
    facts->key_is_strong = (rsa && bits >= RSA_BITS_MIN) || (ec && bits >= EC_BITS_MIN) || kind == EVP_PKEY_ED25519;
    if (kind == EVP_PKEY_ED25519)
        HC_SET(facts->key, "ED25519");
    else
        (void)snprintf(facts->key, sizeof facts->key, "%s-%d", rsa ? "RSA" : ec ? "EC" : "other", bits);
}

enum hc_err crypto_certificate_read(const char *pem, struct certificate_facts *ret, struct hc_diag *diag)
{
    size_t len = strnlen(pem, CERTIFICATE_PEM_MAX + 1);
    if (len > CERTIFICATE_PEM_MAX)
        return hc_fail(diag, HC_ERR_LIMIT, "certificate: longer than %d bytes", CERTIFICATE_PEM_MAX);
    if (!one_block(pem))
        return hc_fail(diag, HC_ERR_SYNTAX, "certificate: must be one PEM certificate and nothing else");
    HC_CLEANUP(x509_freep) X509 *cert = x509_of(pem);
    EVP_PKEY *key = cert == NULL ? NULL : X509_get0_pubkey(cert);
    if (key == NULL)
        return hc_fail(diag, HC_ERR_SYNTAX, "certificate: not a PEM certificate");
    struct certificate_facts facts = { .key_is_strong = false };
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_len = 0;
    if (X509_digest(cert, EVP_sha256(), digest, &digest_len) != 1 || digest_len * 2 != HC_HASH_HEX)
        return hc_fail(diag, HC_ERR_NOMEM, "certificate: no digest of it");
    if (!instant_of(X509_get0_notBefore(cert), &facts.not_before) || !instant_of(X509_get0_notAfter(cert), &facts.not_after))
        return hc_fail(diag, HC_ERR_SYNTAX, "certificate: its validity is not readable");
    hc_hex(digest, digest_len, facts.fingerprint);
    judge_key(key, &facts);
    *ret = facts;
    return HC_OK;
}
