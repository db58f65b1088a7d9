/* config.h - the daemon's configuration: one strict YAML file, overridden by flags (wire §8).
 *
 * Every key, its default and its limit is a row of a table in config.c; docs/hydraclusterd.example.yaml shows them all. */
#ifndef DAEMON_CONFIG_H
#define DAEMON_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/api/api.h"
#include "hydra/codec/field.h"
#include "hydra/core/config.h"
#include "hydra/http/http.h"

#define CONFIG_DEFAULT_FILE "/etc/hydracluster/hydraclusterd.yaml"
#define CONFIG_BYTES_MAX    ((size_t)1024 * 1024)

enum approve_mode { APPROVE_AUTO, APPROVE_MANUAL };

struct file_bounds { uint64_t segment_bytes, keep_bytes; };     /* a new file begins at the one; all together stay below the other */

struct daemon_config {
    struct hc_arena arena;                  /* owns all text below */
    const char *file;                       /* NULL: none was read */
    const char *data_dir, *listen, *tls_cert, *tls_key, *timers_file, *district, *server_url;
    bool insecure_http, unsafe_timers;
    enum approve_mode approve;
    bool metrics_open_on_loopback;
    uint32_t keep_events, queue_max_tickets;
    bool journal; struct file_bounds journal_files, session_files;
    struct codec_list trusted_proxies;      /* of const char * */
    struct http_limits limits;
    struct api_sunshine *sunshine; size_t sunshine_count;
    /* what `listen` says */
    const char *address; uint16_t port;
    struct timers timers;
};

/* What the command line gave; NULL or false: not given. */
struct config_flags {
    const char *config_file, *data_dir, *listen, *tls_cert, *tls_key, *timers_file;
    bool insecure_http, unsafe_timers;
};

/* Reads file and flags, the timers file and the password files, and checks what belongs together. HC_ERR_CONFIG, HC_ERR_SCHEMA,
 * HC_ERR_SYNTAX with a
 * message that names file, line, column and key (exit 2). Free with config_free() also after a failure. */
HC_MUST enum hc_err config_load(const struct config_flags *flags, struct daemon_config *ret, struct hc_diag *diag);
void config_free(struct daemon_config *config);

#endif
