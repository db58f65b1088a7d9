/* config.h - hydrahead's configuration: one strict YAML file (wire §8). docs/hydrahead.example.yaml shows every key. */
#ifndef HEAD_CONFIG_H
#define HEAD_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/arena.h"

#include "command_words.h"

#define HEAD_CONFIG_FILE   "/etc/hydracluster/hydrahead.yaml"
#define HEAD_TOKEN_FILE    "/etc/hydracluster/hydrahead.token"
#define HEAD_CONFIG_BYTES  ((size_t)256 * 1024)
#define HEAD_NODE_TOKEN    512         /* bytes of a node token, at most */

enum head_network { NETWORK_LAN, NETWORK_WIREGUARD };
enum head_accept { ACCEPT_ASK /* the visitor says that somebody is there */, ACCEPT_AUTO };

struct head_config {
    struct hc_arena arena;                  /* owns all text below */
    const char *file;
    const char *server_url, *ca_file /* NULL: the system's */, *token_file, *node_id, *state_dir, *listen, *command;
    const char *moonlight_settings;         /* NULL: none is written */
    const char *experience, *district, *venue;      /* "": not said */
    bool insecure_http;
    enum head_network network;
    enum head_accept accept;
    int64_t plays_after_ms;                 /* a streaming program that has lived so long shows a picture */
    int64_t stop_grace_ms;                  /* from SIGTERM to SIGKILL */
    struct command_words words;             /* of `command` */
    const char *address; uint16_t port;     /* of `listen`; loopback always */
};

/* HC_ERR_CONFIG, HC_ERR_SCHEMA, HC_ERR_SYNTAX, HC_ERR_LIMIT with "FILE:LINE:COLUMN: KEY: ..." (exit 2). Free also after a failure. */
HC_MUST enum hc_err head_config_load(const char *path, struct head_config *ret, struct hc_diag *diag);
void head_config_free(struct head_config *config);
/* The node token: the first line of `token_file`. The message names the file, never what is in it. */
HC_MUST enum hc_err head_token_load(const struct head_config *config, char ret_token[HEAD_NODE_TOKEN + 1], struct hc_diag *diag);

#endif
