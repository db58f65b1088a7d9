/* certificate.h - the certificate that new connections greet with, once the one of the start has been replaced. */
#ifndef HYDRA_SRC_HTTP_CERTIFICATE_H
#define HYDRA_SRC_HTTP_CERTIFICATE_H

#include <microhttpd.h>

#include "hydra/base/err.h"

struct http_server;
struct http_certificate;

/* For a connection that has just been accepted. What it returns is to be let go when the connection is closed; NULL: nothing to let go. */
struct http_certificate *http_certificate_present(struct http_server *server, struct MHD_Connection *mhd);
void http_certificate_let_go(struct http_certificate *certificate);     /* accepts NULL */

#endif
