#include "tables.h"

static const struct journal_field id_rows[] = { { .key = "", .type = J_CHARS, .size = HC_ID_SIZE } };
static const struct journal_field time_rows[] = { { .key = "", .type = J_TIME } };
static const struct journal_field u64_rows[] = { { .key = "", .type = J_U64 } };
static const struct journal_field i64_rows[] = { { .key = "", .type = J_I64 } };
const struct journal_table id_element = J_BARE("id", id_rows, HC_ID_SIZE);
const struct journal_table time_element = J_BARE("time", time_rows, sizeof(hc_time));
const struct journal_table u64_element = J_BARE("u64", u64_rows, sizeof(uint64_t));
const struct journal_table i64_element = J_BARE("i64", i64_rows, sizeof(int64_t));

static const struct journal_field opt_u32_rows[] = { J_ROW(struct opt_u32, set, J_BOOL), J_ROW(struct opt_u32, value, J_U32) };
static const struct journal_field opt_i32_rows[] = { J_ROW(struct opt_i32, set, J_BOOL), J_ROW(struct opt_i32, value, J_I32) };
static const struct journal_field opt_bool_rows[] = { J_ROW(struct opt_bool, set, J_BOOL), J_ROW(struct opt_bool, value, J_BOOL) };
const struct journal_table opt_u32_table = J_TABLE("opt_u32", opt_u32_rows, struct opt_u32);
const struct journal_table opt_i32_table = J_TABLE("opt_i32", opt_i32_rows, struct opt_i32);
const struct journal_table opt_bool_table = J_TABLE("opt_bool", opt_bool_rows, struct opt_bool);
