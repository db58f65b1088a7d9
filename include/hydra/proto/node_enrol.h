/* node_enrol.h - POST /heads (legacy) and POST /nodes (wire §1). */
#ifndef HYDRA_PROTO_NODE_ENROL_H
#define HYDRA_PROTO_NODE_ENROL_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define NODE_KIND_MAX    32
#define NODE_ADDRESS_MAX HC_ID_MAX
#define NODE_ROLES_MAX   8

struct head_enrol { char name[HC_NAME_SIZE], type[NODE_KIND_MAX + 1], district[HC_NAME_SIZE], venue[HC_NAME_SIZE]; };
struct node_enrol {
    char name[HC_NAME_SIZE], district[HC_NAME_SIZE], venue[HC_NAME_SIZE], owner[HC_NAME_SIZE], machine_id[HC_NAME_SIZE];
    struct codec_list roles;                  /* of const char *: body, head */
    char ip[NODE_ADDRESS_MAX + 1], wireguard_ip[NODE_ADDRESS_MAX + 1], kind[NODE_KIND_MAX + 1];
};
extern const struct codec_table head_enrol_table, node_enrol_table;

#endif
