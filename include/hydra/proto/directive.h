/* directive.h - what a body is told, as an agent reads it: the answer to POST /body/status and GET /bodies/{id}/desired (wire §4).
 *
 * The complete desired table, every time: whoever applied the last one has missed nothing. */
#ifndef HYDRA_PROTO_DIRECTIVE_H
#define HYDRA_PROTO_DIRECTIVE_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define DIRECTIVE_SLOTS_MAX   16
#define DIRECTIVE_ENTRIES_MAX 257       /* every experience of a body, and Desktop */
#define DIRECTIVE_ENTRY_MAX   161       /* an experience, '#' and 32 hex digits */
#define DIRECTIVE_EVICT_MAX   4
#define DIRECTIVE_CLIENTS_MAX 1024
#define DIRECTIVE_DIGEST_MAX  64
#define DIRECTIVE_SECONDS_MAX 86400

enum directive_action { DIRECTIVE_SERVE, DIRECTIVE_FREE, DIRECTIVE_TERMINATE };     /* in the order of directive_action_words */
enum directive_enforce { DIRECTIVE_OBSERVE, DIRECTIVE_ENFORCE };
enum directive_gate { DIRECTIVE_GATE_NONE, DIRECTIVE_GATE_OBSERVE, DIRECTIVE_GATE_ENFORCE, DIRECTIVE_GATE_UNAVAILABLE };
extern const struct hc_words directive_action_words, directive_enforce_words, directive_gate_words;

struct desired_gate { int mode; struct codec_list enabled; /* const char *: uuids */ };
struct desired_slot {
    uint32_t index;
    int action;
    char lease_id[HC_ID_SIZE], head_id[HC_ID_SIZE], device_uid[HC_ID_SIZE], sunshine_client_uuid[HC_ID_SIZE];
    uint64_t epoch;
    struct codec_list app_entries;      /* const char * */
    uint32_t protocol;
    struct codec_list evict;            /* const char *: launch ids */
    struct desired_gate gate;
};
struct desired {
    char digest[DIRECTIVE_DIGEST_MAX + 1];
    uint64_t epoch_floor;
    int enforce;
    bool maintenance;
    struct codec_list slots;            /* struct desired_slot */
    int64_t issued_ago_ms;
};
struct trusted_client { char uuid[HC_ID_SIZE], name[HC_NAME_SIZE]; };
struct trust { struct codec_list desired_clients /* struct trusted_client */, remove /* const char * */; uint32_t max_clients; };
struct directive_answer {
    uint64_t present;
    bool terminate_stream;
    struct desired desired;
    struct trust trust;
    int64_t next_report_ms;
};
extern const struct codec_table directive_answer_table;
/* The slot's row, or NULL: the directive does not speak of it. */
const struct desired_slot *desired_slot_of(const struct desired *desired, uint32_t index);

#endif
