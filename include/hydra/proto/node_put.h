/* node_put.h - PUT /nodes/{id} and POST /nodes/{id}/heartbeat (wire §1). */
#ifndef HYDRA_PROTO_NODE_PUT_H
#define HYDRA_PROTO_NODE_PUT_H

#include "hydra/proto/node_enrol.h"

#define NODE_VERSION_MAX 32

struct node_put {
    uint64_t present;                         /* only named fields change */
    char name[HC_NAME_SIZE], venue[HC_NAME_SIZE], district[HC_NAME_SIZE], owner[HC_NAME_SIZE], machine_id[HC_NAME_SIZE];
    struct codec_list roles;
    char ip[NODE_ADDRESS_MAX + 1], wireguard_ip[NODE_ADDRESS_MAX + 1], xr_client_hostname[HC_NAME_SIZE];
    int approval;                             /* node_approval_words */
};
struct node_beat { char version[NODE_VERSION_MAX + 1], arch[NODE_VERSION_MAX + 1], ip[NODE_ADDRESS_MAX + 1]; };
extern const struct codec_table node_put_table, node_beat_table;
extern const struct hc_words node_approval_words;      /* what an admin may say: approved, denied */

#endif
