/* wire_in.h - answers as the machines want them, read by field tables. An answer that does not read counts as none and is told. */
#ifndef WIRE_IN_H
#define WIRE_IN_H

#include "body.h"
#include "head.h"

/* `scale`: simulated milliseconds in a real one; durations come out simulated. False: the text is not what the wire says. */
bool wire_head_answer(enum head_call call, long status, const char *text, size_t len, int64_t scale, struct head_answer *ret);
bool wire_directive(long status, const char *text, size_t len, int64_t scale, struct body_directive *ret);
/* 200: an operation for this agent. */
bool wire_operation(const char *text, size_t len, struct body_op *ret);
/* 201: the lease's id; else "". */
void wire_admitted(long status, const char *text, size_t len, char ret_lease_id[HC_ID_SIZE]);

#define WIRE_QUEUE_MAX 1000
struct wire_place { char head_id[HC_ID_SIZE]; uint32_t position; int64_t eta_ms; };      /* real milliseconds; eta_ms 0: unknown */
bool wire_queue(const char *text, size_t len, struct wire_place *ret, size_t *ret_count);

struct wire_slot_row { char body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE]; uint32_t slot; uint64_t epoch; bool has_lease, left_behind;
                       size_t divergences; };
typedef void wire_slot_fn(void *ctx, const struct wire_slot_row *row);
bool wire_slots(const char *text, size_t len, wire_slot_fn *row, void *ctx);
bool wire_count(const char *text, size_t len, size_t *ret_count);        /* rows of a bare array */

struct wire_node { char node_id[HC_ID_SIZE], token[HEAD_TOKEN_SIZE * 2]; };
bool wire_node(const char *text, size_t len, struct wire_node *ret);
void wire_error(const char *text, size_t len, char ret_words[200]);      /* "error: detail", or the start of the text */

#endif
