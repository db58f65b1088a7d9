/* body_status.h - POST /body/status: what a body says about itself and its slots (wire §4).
 *
 * Words are indexes into the tables below, whose order is the core's. Absent numbers are told by the present words. */
#ifndef HYDRA_PROTO_BODY_STATUS_H
#define HYDRA_PROTO_BODY_STATUS_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define BODY_STATUS_SLOTS_MAX       32      /* two sessions on each of 16 slots */
#define BODY_STATUS_INDEX_MAX       15
#define BODY_STATUS_CLIENTS_MAX     4096    /* more than is kept: a crowded trust store must not hide the body */
#define BODY_STATUS_EVENTS_MAX      64
#define BODY_STATUS_EPOCHS_MAX      16
#define BODY_STATUS_EXPERIENCES_MAX 256
#define BODY_STATUS_DRIVERS_MAX     16
#define BODY_STATUS_WORD_MAX        32
#define BODY_STATUS_APP_MAX         161     /* an experience, '#' and 32 hex digits */
#define BODY_STATUS_SECONDS_MAX     ((uint64_t)10 * 366 * 24 * 3600)
#define BODY_STATUS_SEQ_MAX         ((((uint64_t)1) << 53) - 1)
#define BODY_STATUS_MEMORY_MB_MAX   ((uint64_t)16 * 1024 * 1024)

struct body_status_ports { uint32_t gamestream, gamestream_tls, web; };      /* 0: not told */
/* Strangers name their clients: what breaks our rules is read as "" and is odd; it never refuses the report. */
struct body_status_client { char uuid[HC_ID_SIZE], name[HC_NAME_SIZE]; bool odd; };
struct body_status_slot {
    uint64_t present;
    uint32_t index;
    int state;                                /* body_session_words */
    char lease_id[HC_ID_SIZE], launch_id[HC_ID_SIZE], client_uuid[HC_ID_SIZE], client_name[HC_NAME_SIZE];
    char app[BODY_STATUS_APP_MAX + 1];
    uint64_t applied_epoch;
    int64_t since_ms;
    struct body_status_ports ports; bool has_ports;
    char sunshine_cert_fp[HC_HASH_SIZE];
    struct codec_list paired_clients;         /* struct body_status_client */
    char paired_digest[HC_HASH_SIZE];
    int gate_mode; char gate_reason[HC_NAME_SIZE]; bool has_gate;      /* body_gate_words */
};
struct body_status_event {
    char type[BODY_STATUS_WORD_MAX + 1];
    uint32_t slot;
    char launch_id[HC_ID_SIZE], client_uuid[HC_ID_SIZE], detail[HC_NAME_SIZE];
};
struct body_status {
    uint64_t present;
    char gpu[HC_NAME_SIZE], provider_status[HC_NAME_SIZE], provider_version[BODY_STATUS_WORD_MAX + 1];
    int stream_status;                        /* body_stream_words */
    struct codec_list installed_experiences;  /* const char * */
    char xr_state[BODY_STATUS_WORD_MAX + 1], xr_session_id[HC_ID_SIZE], xr_reason[BODY_STATUS_WORD_MAX + 1];
    struct codec_list xr_drivers;             /* const char * */
    char boot_id[HC_ID_SIZE];
    uint64_t report_seq;
    int64_t provider_uptime_ms;
    uint32_t slots_total;
    struct codec_list slots;                  /* struct body_status_slot */
    struct codec_list max_epoch_seen;         /* uint64_t */
    uint32_t stream_count, gpu_memory_total_mb;
    struct codec_list paired_clients;
    char paired_digest[HC_HASH_SIZE], sunshine_cert_fp[HC_HASH_SIZE], hydrabody_version[BODY_STATUS_WORD_MAX + 1];
    struct codec_list events;                 /* struct body_status_event */
    struct body_status_ports ports; bool has_ports;
};

extern const struct codec_table body_status_table, body_status_slot_table;
extern const struct hc_words body_session_words, body_stream_words, body_gate_words;

#endif
