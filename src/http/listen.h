/* listen.h - the listening socket. */
#ifndef HYDRA_SRC_HTTP_LISTEN_H
#define HYDRA_SRC_HTTP_LISTEN_H

#include <stdint.h>

#include "hydra/base/err.h"

HC_MUST enum hc_err http_listen(const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port, struct hc_diag *diag);

#endif
