#include "hydra/proto/operation.h"

#include <string.h>

#include "hydra/codec/json.h"

static const char *const operation_texts[OPERATIONS] = {
    [OPERATION_LIST_CLIENTS] = "sunshine.list_clients", [OPERATION_UNPAIR] = "sunshine.unpair",
    [OPERATION_SUBMIT_PIN] = "sunshine.submit_pin",
    [OPERATION_CLOSE_APP] = "sunshine.close_app", [OPERATION_RESTART] = "sunshine.restart",
};
static const struct hc_words operation_words = { operation_texts, OPERATIONS };

#define ARGS(member) offsetof(struct operation_args, member)
static const struct codec_field args_rows[] = {
    { .key = "uuid",  .type = CODEC_ID,   .offset = ARGS(uuid), .flags = CODEC_EMPTY_OK },
    { .key = "pin",   .type = CODEC_STR,  .offset = ARGS(pin), .limit = OPERATION_PIN_DIGITS },
    { .key = "name",  .type = CODEC_NAME, .offset = ARGS(name), .flags = CODEC_EMPTY_OK },
    { .key = "force", .type = CODEC_BOOL, .offset = ARGS(force) },
};
static const struct codec_table args_table = CODEC_TABLE("args", args_rows, struct operation_args, CODEC_NO_PRESENT);

#define ASK(member) offsetof(struct operation_ask, member)
static const struct codec_field ask_rows[] = {
    { .key = "op",   .type = CODEC_WORD, .offset = ASK(op), .flags = CODEC_REQUIRED, .words = &operation_words },
    { .key = "args", .type = CODEC_OBJECT, .offset = ASK(args), .flags = CODEC_NULLABLE_OBJECT, .sub = &args_table,
      .null_flag = ASK(has_args) },
};
const struct codec_table operation_ask_table = CODEC_TABLE("operation", ask_rows, struct operation_ask, CODEC_NO_PRESENT);

bool operation_pin_ok(const char *pin)
{
    return strlen(pin) == OPERATION_PIN_DIGITS && strspn(pin, "0123456789") == OPERATION_PIN_DIGITS;
}

static const char *const end_texts[] = { [OPERATION_DONE] = "done", [OPERATION_FAILED] = "failed" };
static const struct hc_words end_words = { end_texts, sizeof end_texts / sizeof end_texts[0] };

#define RESULT(member) offsetof(struct operation_result, member)
static const struct codec_field result_rows[] = {
    { .key = "state",  .type = CODEC_WORD, .offset = RESULT(state), .flags = CODEC_REQUIRED, .words = &end_words },
    { .key = "output", .type = CODEC_RAW,  .offset = RESULT(output), .limit = OPERATION_OUTPUT_MAX },
    { .key = "error",  .type = CODEC_STR,  .offset = RESULT(error), .limit = HC_NAME_MAX },
};
const struct codec_table operation_result_table = CODEC_TABLE("result", result_rows, struct operation_result, CODEC_NO_PRESENT);

static const struct codec_field pin_rows[] = {
    { .key = "pin", .type = CODEC_STR, .offset = offsetof(struct pin_body, pin), .limit = OPERATION_PIN_DIGITS, .flags = CODEC_REQUIRED },
};
const struct codec_table pin_table = CODEC_TABLE("pin", pin_rows, struct pin_body, CODEC_NO_PRESENT);

#define PAIR_SLOT_MAX 15
static const struct codec_field pair_rows[] = {
    { .key = "body_id", .type = CODEC_ID,  .offset = offsetof(struct pair_body, body_id), .flags = CODEC_REQUIRED },
    { .key = "slot",    .type = CODEC_U32, .offset = offsetof(struct pair_body, slot), .limit = PAIR_SLOT_MAX },
};
const struct codec_table pair_table = CODEC_TABLE("pair_lease", pair_rows, struct pair_body, CODEC_NO_PRESENT);

/* ---- what Sunshine answered ---- */

struct answer { const char *status, *named_certs, *raw; };
static const struct codec_field answer_rows[] = {
    { .key = "status",      .type = CODEC_RAW, .offset = offsetof(struct answer, status), .limit = OPERATION_OUTPUT_MAX },
    { .key = "named_certs", .type = CODEC_RAW, .offset = offsetof(struct answer, named_certs), .limit = OPERATION_OUTPUT_MAX },
    { .key = "raw",         .type = CODEC_RAW, .offset = offsetof(struct answer, raw), .limit = OPERATION_OUTPUT_MAX },
};
static const struct codec_table answer_table = CODEC_TABLE("output", answer_rows, struct answer, CODEC_NO_PRESENT);

/* Texts of strangers: any string may stand there. */
struct named { const char *uuid, *name; };
static const struct codec_field named_rows[] = {
    { .key = "uuid", .type = CODEC_RAW, .offset = offsetof(struct named, uuid), .limit = OPERATION_OUTPUT_MAX, .flags = CODEC_REQUIRED },
    { .key = "name", .type = CODEC_RAW, .offset = offsetof(struct named, name), .limit = OPERATION_OUTPUT_MAX },
};
static const struct codec_table named_table = CODEC_TABLE("named_cert", named_rows, struct named, CODEC_NO_PRESENT);
static const struct codec_field list_rows[] = {
    { .key = "named_certs", .type = CODEC_LIST, .offset = 0, .limit = OPERATION_CLIENTS_MAX, .sub = &named_table },
};
static const struct codec_table list_table = CODEC_TABLE("output", list_rows, struct codec_list, CODEC_NO_PRESENT);

static enum operation_status status_of(const char *json)
{
    if (json != NULL && (strcmp(json, "true") == 0 || strcmp(json, "\"true\"") == 0))
        return OPERATION_STATUS_TRUE;
    return json != NULL && (strcmp(json, "false") == 0 || strcmp(json, "\"false\"") == 0) ? OPERATION_STATUS_FALSE : OPERATION_STATUS_NONE;
}

/* Bytes of the text that a JSON string stands for: what is compact has escapes for one byte alone. */
static size_t text_length(const char *json)
{
    size_t len = 0;
    for (const char *at = json + 1; *at != '\0' && *at != '"'; at++, len++)
        if (*at == '\\')
            at += at[1] == 'u' ? 5 : 1;
    return len;
}

/* The text of a JSON string without escapes, at most size - 1 bytes; false: something else. */
static bool plain_text(const char *json, char *to, size_t size)
{
    size_t len = json == NULL ? 0 : strlen(json);
    if (len < 2 || json[0] != '"' || len - 2 >= size || memchr(json, '\\', len) != NULL)
        return false;
    memcpy(to, json + 1, len - 2);
    to[len - 2] = '\0';
    return true;
}

/* An entry without a name of ours is an entry; one without an id that can be named is none, and then the list is not understood. */
static bool take_clients(const struct codec_list *list, struct operation_client *to)
{
    const struct named *items = list->items;
    for (size_t i = 0; i < list->count; i++) {
        if (!plain_text(items[i].uuid, to[i].uuid, sizeof to[i].uuid) || !hc_id_ok(to[i].uuid))
            return false;
        if (!plain_text(items[i].name, to[i].name, sizeof to[i].name) || (to[i].name[0] != '\0' && !hc_name_ok(to[i].name)))
            to[i].name[0] = '\0';
    }
    return true;
}

static enum hc_err read_clients(const char *json, struct hc_arena *arena, struct operation_output *ret)
{
    struct codec_list list;
    struct json_refusal refusal;
    enum hc_err err = json_read(&list_table, json, strlen(json), false, arena, &list, &refusal);
    if (err != HC_OK)
        return err == HC_ERR_NOMEM ? err : HC_OK;
    ret->clients = hc_arena_array(arena, list.count + 1, sizeof ret->clients[0]);
    if (ret->clients == NULL)
        return HC_ERR_NOMEM;
    ret->has_clients = take_clients(&list, ret->clients);
    ret->client_count = ret->has_clients ? list.count : 0;
    return HC_OK;
}

enum hc_err operation_output_read(const char *json, struct hc_arena *arena, struct operation_output *ret)
{
    struct answer answer;
    struct json_refusal refusal;
    *ret = (struct operation_output){ .status = OPERATION_STATUS_NONE };
    enum hc_err err = json_read(&answer_table, json, strlen(json), false, arena, &answer, &refusal);
    if (err != HC_OK)
        return err == HC_ERR_NOMEM ? err : HC_OK;
    ret->status = status_of(answer.status);
    ret->raw_too_long = answer.raw != NULL && (answer.raw[0] != '"' || text_length(answer.raw) > OPERATION_RAW_MAX);
    if (answer.named_certs == NULL || ret->status == OPERATION_STATUS_FALSE)
        return HC_OK;
    if (strcmp(answer.named_certs, "\"\"") == 0) {          /* old versions' empty list */
        ret->has_clients = true;
        return HC_OK;
    }
    return answer.named_certs[0] == '[' ? read_clients(json, arena, ret) : HC_OK;
}
