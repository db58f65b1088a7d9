/* config_values.h - what single values of the configuration must look like, beyond their type: addresses, URLs, paths. */
#ifndef DAEMON_CONFIG_VALUES_H
#define DAEMON_CONFIG_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/codec/yaml.h"

/* "127.0.0.1:8080", "[::1]:0", "localhost:80": the part that is the address (brackets off), and the port. False: it is none. */
bool listen_split(const char *listen, const char **ret_address, size_t *ret_len, uint16_t *ret_port);
/* Judges every key of the file's top level that has such a rule. HC_ERR_SCHEMA with "FILE:LINE:COLUMN: KEY: ..."; `root` has passed
 * its table. */
HC_MUST enum hc_err config_values_check(const char *file, const struct yaml_node *root, struct hc_diag *diag);

#endif
