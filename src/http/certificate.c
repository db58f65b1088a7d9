/* certificate.c - a certificate that replaces the one with which the server began. libmicrohttpd takes one at its start only; but a new
 * connection's handshake has not begun when it is told to us, and may be given another certificate then. */
#include "certificate.h"

#include <assert.h>
#include <gnutls/gnutls.h>
#include <string.h>

#include "server.h"

struct http_certificate {
    gnutls_certificate_credentials_t credentials;
    size_t users;                      /* connections that greet with it, and the server while it is the newest */
};

static gnutls_datum_t datum(const char *pem)
{
    return (gnutls_datum_t){ .data = (unsigned char *)(uintptr_t)pem, .size = (unsigned)strlen(pem) };
}

void http_certificate_let_go(struct http_certificate *certificate)
{
    if (certificate == NULL || --certificate->users > 0)
        return;
    gnutls_certificate_free_credentials(certificate->credentials);
    hc_free(certificate);
}

enum hc_err http_renew_certificate(struct http_server *server, const char *cert_pem, const char *key_pem, struct hc_diag *diag)
{
    assert(server->tls);
    struct http_certificate *fresh = hc_alloc(sizeof *fresh);
    if (fresh == NULL || gnutls_certificate_allocate_credentials(&fresh->credentials) != GNUTLS_E_SUCCESS) {
        hc_free(fresh);
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for a certificate");
    }
    fresh->users = 1;
    const gnutls_datum_t cert = datum(cert_pem), key = datum(key_pem);
    int said = gnutls_certificate_set_x509_key_mem(fresh->credentials, &cert, &key, GNUTLS_X509_FMT_PEM);
    if (said < 0) {                    /* it also says whether the key is this certificate's */
        http_certificate_let_go(fresh);
        return hc_fail(diag, HC_ERR_CONFIG, "the certificate and its key are not usable: %s", gnutls_strerror(said));
    }
    http_certificate_let_go(server->certificate);
    server->certificate = fresh;
    return HC_OK;
}

struct http_certificate *http_certificate_present(struct http_server *server, struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    if (server->certificate == NULL || info == NULL ||
        gnutls_credentials_set(info->tls_session, GNUTLS_CRD_CERTIFICATE, server->certificate->credentials) != GNUTLS_E_SUCCESS)
        return NULL;                   /* it greets with the certificate of the start */
    server->certificate->users++;
    return server->certificate;
}
