/* op_records.c - operations of nodes' agents, with their PIN while they are pending. */
#include <string.h>

#include "record_text.h"
#include "rows.h"

struct op_in_file { struct op_rec op; const char *output; };
static const struct codec_field op_rows[] = {
    ROW_ID(struct op_in_file, "node_id", op.node_id, CODEC_REQUIRED),
    ROW_WORD(struct op_in_file, "op", op.op, op_words, CODEC_REQUIRED),
    ROW_WORD(struct op_in_file, "state", op.state, op_state_words, CODEC_REQUIRED),
    ROW_STR(struct op_in_file, "uuid", op.uuid, OMIT),
    ROW_STR(struct op_in_file, "pin", op.pin, OMIT),
    ROW_STR(struct op_in_file, "name", op.name, OMIT),
    ROW_BOOL(struct op_in_file, "force", op.force, OMIT),
    ROW_STR(struct op_in_file, "asked_by", op.asked_by, OMIT),
    ROW_TIME(struct op_in_file, "asked_at", op.asked_at, OMIT),
    ROW_TIME(struct op_in_file, "expires_at", op.expires_at, OMIT),
    ROW_TIME(struct op_in_file, "finished_at", op.finished_at, OMIT),
    ROW(struct op_in_file, "output", CODEC_TEXT, output, OP_OUTPUT_MAX, OMIT),
    ROW_STR(struct op_in_file, "error", op.error, OMIT),
};
static const struct codec_table op_table = CODEC_TABLE("op", op_rows, struct op_in_file, CODEC_NO_PRESENT);

void write_op(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    const struct op_rec *op = (const struct op_rec *)rec;
    const struct op_in_file file = { .op = *op, .output = op->output == NULL ? NULL : op->output->bytes };
    write_keyed(rec->key, &op_table, &file, out);
}

enum hc_err read_op(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    struct op_in_file found;
    enum hc_err err = check_key_id(r, pair);
    if (err == HC_OK)
        err = read_table(r, &op_table, value, &found);
    if (err != HC_OK)
        return err;
    struct op_rec *op = (struct op_rec *)rec_new(REC_OP, pair->key);
    if (op == NULL)
        return no_memory(r);
    found.op.rec = op->rec;
    *op = found.op;
    op->output = found.output == NULL ? NULL : text_new(found.output, strlen(found.output));
    if (found.output == NULL || op->output != NULL)
        return put_record(r, &op->rec);
    rec_unref(&op->rec);
    return no_memory(r);
}
