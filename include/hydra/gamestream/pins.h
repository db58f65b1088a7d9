/* pins.h - the host certificates that a head trusts: one file per host, named after the host's own id (never its address), 0600.
 *
 * Written whole and atomically, and only after a handshake's last step or when the cluster names the new certificate (rules §13.8): a
 * pairing that is cut short leaves the old pin. */
#ifndef HYDRA_GAMESTREAM_PINS_H
#define HYDRA_GAMESTREAM_PINS_H

#include "hydra/gamestream/host.h"

/* Appends the stored PEM. HC_ERR_NOTFOUND: none. HC_ERR_SYNTAX: the file is no certificate (diag names it): treat as none, and say so. */
HC_MUST enum hc_err gs_pin_load(int dir_fd, const char *host_unique_id, struct hc_buf *ret_cert_pem, struct hc_diag *diag);
/* HC_ERR_SYNTAX: not a certificate, nothing written. HC_ERR_IO: the old one stays. */
HC_MUST enum hc_err gs_pin_store(int dir_fd, const char *host_unique_id, const char *cert_pem, struct hc_diag *diag);

#endif
