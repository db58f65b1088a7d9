/* identity.h - who this device is: its key and certificate (0600 in the state folder, made once), its unique id, and what the cluster is
 * told of them (rules §12.1; wire §3, device-identity). */
#ifndef HEAD_IDENTITY_H
#define HEAD_IDENTITY_H

#include "hydra/base/buf.h"
#include "hydra/base/id.h"
#include "hydra/gamestream/host.h"

#define IDENTITY_KEY_FILE  "client.key"
#define IDENTITY_CERT_FILE "client.pem"

struct identity { char device_uid[GS_UNIQUE_ID_SIZE], fingerprint[HC_HASH_SIZE]; char *cert_pem, *key_pem; };
void identity_free(struct identity *identity);          /* wipes the key */

/* Reads both files, or makes them when neither is there. One without the other, or two that do not belong together, is HC_ERR_CONFIG: a
 * new pair beside an old half would be another device to every host, and nobody would know why. */
HC_MUST enum hc_err identity_load(int dir_fd, const char *head_id, struct identity *ret_identity, struct hc_diag *diag);
/* A new pair in place of the old one (identity_in_use: the device was cloned; rules §12.1). */
HC_MUST enum hc_err identity_renew(int dir_fd, const char *head_id, struct identity *identity, struct hc_diag *diag);
/* Body of POST /heads/{id}/device-identity, appended. */
HC_MUST enum hc_err identity_registration(const struct identity *identity, struct hc_buf *out, struct hc_diag *diag);

#endif
