/* config.h - sunshine.conf: `key = value` lines. Read at start; the web API replaces the file, which counts at the next start. */
#ifndef CONFIG_H
#define CONFIG_H

#include "host.h"

json_t *config_file(const struct host *host);           /* key: value, all strings; {} when there is no file */
bool config_write(const struct host *host, const json_t *values);          /* false: it cannot be written */
json_t *config_global_preps(const struct host *host);   /* of `global_prep_cmd`, a JSON list in one line; [] when there is none */

#endif
