/* host.h - a GameStream host, who we are to it, and the one way to call it.
 *
 * Every call is a connection of its own that is closed at once (a client that lingers blocks the host's only TLS thread for everybody),
 * is bounded in time, follows no redirect and uses no proxy. A call that fails says nothing about pairing: its verdict is unknown. */
#ifndef HYDRA_GAMESTREAM_HOST_H
#define HYDRA_GAMESTREAM_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/base/err.h"
#include "hydra/base/id.h"
#include "hydra/gamestream/xml.h"

#define GS_PORT_HTTP      47989
#define GS_PORT_HTTPS     47984
#define GS_UNIQUE_ID_SIZE 17            /* 16 hex digits: the device_uid of rules §12.1 */
#define GS_CERT_MAX       16384         /* bytes of a certificate in PEM */

struct gs_host { const char *address; uint16_t http_port, https_port; };         /* address: a name or a number; no scheme */
struct gs_client { const char *unique_id, *cert_pem, *key_pem; };

enum gs_channel { GS_HTTP, GS_HTTPS };
struct gs_request {
    enum gs_channel channel;
    const char *path;                   /* "/serverinfo" */
    const char *query;                  /* encoded, without '?', "" none */
    const char *pinned_cert;            /* HTTPS: the only certificate to which anything is sent; NULL: any, for a look at it */
    int64_t timeout_ms;
};
struct gs_answer {
    struct hc_arena arena;              /* of root and its texts */
    const struct gs_xml *root;          /* NULL unless the call gave HC_OK */
    long status;                        /* root's status_code: the HTTP status says nothing */
    const char *message;                /* root's status_message, "" absent */
    /* HTTPS, whenever the handshake came that far, also when the call failed: */
    char peer_fingerprint[HC_HASH_SIZE];
    struct hc_buf peer_cert;            /* PEM; data NULL: not seen */
    bool other_certificate;             /* the peer's key is not the pinned one: nothing was sent to it */
};
void gs_answer_free(struct gs_answer *answer);      /* leaves it zeroed */

/* HC_OK: a document with a root came, whatever its status. HC_ERR_NET (also: another certificate), HC_ERR_TIMEOUT, HC_ERR_SYNTAX (no such
 * document), HC_ERR_LIMIT, HC_ERR_NOMEM, HC_ERR_CONFIG (address or identity that cannot be used). Free *ret_answer in every case. */
HC_MUST enum hc_err gs_call(const struct gs_host *host, const struct gs_client *client, const struct gs_request *request,
                            struct gs_answer *ret_answer, struct hc_diag *diag);

#endif
