/* config.h - hydrabody's configuration: one strict YAML file.
 *
 * Every key, its default and its limit is a row of a table in config.c; docs/hydrabody.example.yaml shows them all. Files with secrets
 * (token_file, local_token_file, password_file) that are named without a leading '/' are looked for in the folder that the service manager
 * names in CREDENTIALS_DIRECTORY, else beside the configuration file. */
#ifndef BODY_CONFIG_H
#define BODY_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/arena.h"
#include "hydra/base/id.h"
#include "hydra/codec/field.h"
#include "hydra/proto/directive.h"

#include "network.h"

#define BODY_CONFIG_FILE      "/etc/hydracluster/hydrabody.yaml"
#define BODY_CONFIG_BYTES_MAX ((size_t)256 * 1024)
#define BODY_PORT             47991         /* wire §6 */

/* One Sunshine. The slot's index is its place in the list. */
struct slot_config {
    const char *address;
    uint16_t gamestream, gamestream_tls, web;
    const char *log_file;
    const char *username, *password_file, *password;    /* password_file: as it was found */
};

struct body_config {
    struct hc_arena arena;                  /* owns all text below */
    const char *file;
    const char *server_url, *ca_file;       /* ca_file NULL: the system's */
    bool insecure_http;
    const char *token_file, *token;         /* of the node */
    const char *node_id, *state_dir;
    const char *address; uint16_t port;     /* what `listen` says; port 0 takes a free one */
    const char *local_token_file, *local_token;         /* "" none: trusted networks alone */
    struct network *networks; size_t network_count;
    int64_t report_ms;                      /* between reports when the cluster names no cadence */
    const char *gpu; uint32_t gpu_memory_total_mb;      /* "" and 0: looked up */
    struct codec_list experiences, xr_drivers, maintenance_clients;    /* const char *; experiences empty: what Sunshine lists */
    struct slot_config *slots; size_t slot_count;
};

/* Reads the file and those that it names. HC_ERR_CONFIG, HC_ERR_SCHEMA, HC_ERR_SYNTAX, HC_ERR_NOTFOUND with a message that names file,
 * line, column and key (exit 2). Free with body_config_free() also after a failure; that wipes the secrets. */
HC_MUST enum hc_err body_config_load(const char *path, struct body_config *ret, struct hc_diag *diag);
void body_config_free(struct body_config *config);

#endif
