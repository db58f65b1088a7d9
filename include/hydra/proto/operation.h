/* operation.h - operations of a node's agent: what is asked, what it answers (wire §4); the PIN and pair lease of a head (wire §2,
 * §3). */
#ifndef HYDRA_PROTO_OPERATION_H
#define HYDRA_PROTO_OPERATION_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define OPERATION_PIN_DIGITS  4
#define OPERATION_RAW_MAX     4096                       /* bytes of text in `raw` */
#define OPERATION_OUTPUT_MAX  ((size_t)256 * 1024)       /* the limit of a body */
#define OPERATION_CLIENTS_MAX 4096                       /* read of one list; more is no list */

enum operation { OPERATION_LIST_CLIENTS, OPERATION_UNPAIR, OPERATION_SUBMIT_PIN, OPERATION_CLOSE_APP, OPERATION_RESTART, OPERATIONS };
struct operation_args { char uuid[HC_ID_SIZE], pin[OPERATION_PIN_DIGITS + 1], name[HC_NAME_SIZE]; bool force; };
struct operation_ask { enum operation op; bool has_args; struct operation_args args; };
extern const struct codec_table operation_ask_table;
/* Exactly four ASCII digits, as Sunshine wants them. */
bool operation_pin_ok(const char *pin);

enum operation_end { OPERATION_DONE, OPERATION_FAILED };
struct operation_result { enum operation_end state; const char *output; char error[HC_NAME_SIZE]; };
extern const struct codec_table operation_result_table;

/* What Sunshine's web API says, over all its versions: `status` is a boolean or a string, `named_certs` a list or, when empty, "". */
enum operation_status { OPERATION_STATUS_NONE, OPERATION_STATUS_TRUE, OPERATION_STATUS_FALSE };
struct operation_client { char uuid[HC_ID_SIZE], name[HC_NAME_SIZE]; };
struct operation_output {
    bool raw_too_long;
    enum operation_status status;
    bool has_clients;                                    /* false: no list, whatever else it is; never taken for an empty one */
    struct operation_client *clients; size_t client_count;      /* in the arena */
};
/* `json` is one JSON value. Garbage is no error: it says nothing. HC_ERR_NOMEM. */
HC_MUST enum hc_err operation_output_read(const char *json, struct hc_arena *arena, struct operation_output *ret);

struct pin_body { char pin[OPERATION_PIN_DIGITS + 1]; };
extern const struct codec_table pin_table;
struct pair_body { char body_id[HC_ID_SIZE]; uint32_t slot; };
extern const struct codec_table pair_table;

#endif
