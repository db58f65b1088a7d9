/* moonlight_settings.h - the settings file of moonlight-qt: our certificate, key, unique id and the host's pin, where it reads them, so
 * that what was paired is what streams (rules §13.9). Everything else in the file stays as it is.
 *
 * The file is an INI file as Qt writes it: [General] has certificate, key and uniqueid; [hosts] is an array, N\uuid and N\srvcert among its
 * keys, N from 1 to `size`. A [hostsbackup], from an update that moonlight-qt did not finish, would be read instead: it gets the same. */
#ifndef HEAD_MOONLIGHT_SETTINGS_H
#define HEAD_MOONLIGHT_SETTINGS_H

#include "hydra/base/buf.h"
#include "hydra/base/err.h"

#include "identity.h"

#define MOONLIGHT_SETTINGS_MAX ((size_t)4 * 1024 * 1024)
#define MOONLIGHT_HOSTS_MAX    1024

struct moonlight_host { const char *unique_id, *name, *address; unsigned port; const char *cert_pem; };

/* Pure. Appends the new text of a file whose text was `old` ("" : there was none). HC_ERR_LIMIT, HC_ERR_NOMEM. */
HC_MUST enum hc_err moonlight_settings_edit(const char *old, const struct identity *identity, const struct moonlight_host *host,
                                            struct hc_buf *out, struct hc_diag *diag);
/* The same on the file: written whole or not at all, 0600, its folder made if it is missing (not the folder's parent). HC_ERR_IO. */
HC_MUST enum hc_err moonlight_settings_write(const char *path, const struct identity *identity, const struct moonlight_host *host,
                                             struct hc_diag *diag);

#endif
