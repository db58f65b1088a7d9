/* head_put.h - PUT /heads/{id}: the head's heartbeat, and what an admin sets; DELETE /heads/{id}/stream (wire §2). */
#ifndef HYDRA_PROTO_HEAD_PUT_H
#define HYDRA_PROTO_HEAD_PUT_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define HEAD_STATUS_MAX      32
#define HEAD_DIAGNOSTICS_MAX 8192
#define HEAD_PROTOCOL_MAX    255
#define HEAD_URL_MAX         512

struct heartbeat {
    uint64_t present;
    char status[HEAD_STATUS_MAX + 1], body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], version[HEAD_STATUS_MAX + 1];
    int lease_state;                          /* heartbeat_lease_words */
    uint32_t protocol_version, pairing_protocol;
    const char *diagnostics;                  /* JSON as it came */
};
struct head_stream { uint64_t present; char stream_url[HEAD_URL_MAX + 1], stream_url_lan[HEAD_URL_MAX + 1], stream_app_id[HC_NAME_SIZE],
                     stream_mode[HEAD_STATUS_MAX + 1]; };
struct head_assign { uint64_t present; char head_body_id[HC_ID_SIZE]; bool has_stream; struct head_stream stream; };
struct stream_stop { char body_id[HC_ID_SIZE]; };
extern const struct codec_table heartbeat_table, head_assign_table, head_stream_table, stream_stop_table;
extern const struct hc_words heartbeat_lease_words;    /* "", pairing, starting, streaming, lost */

#endif
