/* district_records.c - safe modes and latches of districts, caps of venues and orgs, demotions. */
#include <stdio.h>
#include <string.h>

#include "record_text.h"
#include "rows.h"

/* ---- districts: one record, a part in safe_modes and one in latches ---- */
struct district_in_file { struct district_rec district; struct codec_list awaited; };
static const struct codec_field safe_mode_rows[] = {
    ROW_WORD(struct district_in_file, "kind", district.safe_mode, safe_mode_words, CODEC_REQUIRED),
    ROW_TIME(struct district_in_file, "since", district.safe_since, OMIT),
    { .key = "awaited", .type = CODEC_STRS, .offset = offsetof(struct district_in_file, awaited), .limit = AWAITED_MAX,
      .flags = OMIT | CODEC_ID_ITEMS, .item_limit = HC_ID_MAX },
};
static const struct codec_table safe_mode_table = CODEC_TABLE("safe_mode", safe_mode_rows, struct district_in_file, CODEC_NO_PRESENT);
static const struct codec_field latch_rows[] = {
    ROW_TIME(struct district_in_file, "per_device_identity_at", district.per_device_identity_at, OMIT),
    ROW_TIME(struct district_in_file, "per_device_identity_off_at", district.per_device_identity_off_at, OMIT),
    ROW_TIME(struct district_in_file, "retirement_since", district.retirement_since, OMIT),
};
static const struct codec_table latch_table = CODEC_TABLE("latch", latch_rows, struct district_in_file, CODEC_NO_PRESENT);

static void write_safe_mode(const struct district_rec *district, struct hc_buf *out)
{
    if (district->safe_mode == SAFE_NONE && !hc_time_set(district->safe_since) && district->awaited_count == 0)
        return;                           /* a district without any mode says nothing */
    struct hc_arena arena = { 0 };
    struct district_in_file file = { .district = *district };
    const char **ids = hc_arena_array(&arena, district->awaited_count, sizeof ids[0]);
    if (ids == NULL) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < district->awaited_count; i++)
        ids[i] = district->awaited[i];
    if (district->awaited_count > 0)
        file.awaited = (struct codec_list){ ids, district->awaited_count };
    write_keyed(district->rec.key, &safe_mode_table, &file, out);
    hc_arena_free(&arena);
}

static bool has_latch(const struct district_rec *district)
{
    return hc_time_set(district->per_device_identity_at) || hc_time_set(district->per_device_identity_off_at) ||
           hc_time_set(district->retirement_since);
}

void write_district(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    const struct district_rec *district = (const struct district_rec *)rec;
    if (part == 0) {
        write_safe_mode(district, out);
    } else if (has_latch(district)) {
        const struct district_in_file file = { .district = *district };
        write_keyed(rec->key, &latch_table, &file, out);
    }
}

static enum hc_err take_awaited(struct reading *r, const struct codec_list *list, struct district_rec *district)
{
    if (list->count == 0)
        return HC_OK;
    district->awaited = hc_alloc(list->count * sizeof district->awaited[0]);
    if (district->awaited == NULL)
        return no_memory(r);
    district->awaited_count = list->count;
    for (size_t i = 0; i < list->count; i++)
        HC_SET(district->awaited[i], ((const char *const *)list->items)[i]);
    return HC_OK;
}

enum hc_err read_district(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    struct district_in_file found;
    enum hc_err err = check_key_name(r, pair);
    if (err == HC_OK)
        err = read_table(r, part == 0 ? &safe_mode_table : &latch_table, value, &found);
    if (err != HC_OK)
        return err;
    /* The other part may have made the record; it is still ours alone. */
    struct district_rec *district = (struct district_rec *)rec_table_get(&r->into->tables[REC_DISTRICT], pair->key);
    if (district == NULL) {
        district = (struct district_rec *)rec_new(REC_DISTRICT, pair->key);
        err = district == NULL ? no_memory(r) : put_record(r, &district->rec);
        if (err != HC_OK)
            return err;
    }
    if (part == 1) {
        district->per_device_identity_at = found.district.per_device_identity_at;
        district->per_device_identity_off_at = found.district.per_device_identity_off_at;
        district->retirement_since = found.district.retirement_since;
        return HC_OK;
    }
    district->safe_mode = found.district.safe_mode;
    district->safe_since = found.district.safe_since;
    return take_awaited(r, &found.awaited, district);
}

/* ---- caps: "venue/NAME" and "org/NAME" stand in two maps of numbers ---- */
static const char *const cap_prefix[RECORD_PARTS] = { "venue/", "org/" };

void write_cap(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    size_t len = strlen(cap_prefix[part]);
    if (strncmp(rec->key, cap_prefix[part], len) != 0)
        return;
    yaml_write_indent(4, out);
    yaml_write_scalar(rec->key + len, out);
    hc_buf_add(out, ": ", 2);
    hc_buf_u64(out, ((const struct cap_rec *)rec)->max_concurrent_grants);
    hc_buf_char(out, '\n');
}

enum hc_err read_cap(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    enum hc_err err = check_key_name(r, pair);
    if (err != HC_OK)
        return err;
    if (yaml_is_null(value))
        return yaml_fail(r->diag, r->file, value, pair->key, "must be a whole number");
    /* The key is a name, the value the number: a row made for this one key. */
    const struct codec_field row = ROW_U32(struct cap_rec, pair->key, max_concurrent_grants, UINT32_MAX);
    const struct codec_table table = { "caps", &row, 1, sizeof(struct cap_rec), CODEC_NO_PRESENT };
    struct yaml_pair number = *pair;
    struct yaml_node map = { .kind = YAML_MAP, .line = pair->key_line, .column = pair->key_column, .pairs = &number, .count = 1 };
    struct cap_rec found;
    err = read_table(r, &table, &map, &found);
    if (err != HC_OK)
        return err;
    char key[REC_KEY_SIZE];
    (void)snprintf(key, sizeof key, "%s%s", cap_prefix[part], pair->key);
    struct cap_rec *cap = (struct cap_rec *)rec_new(REC_CAP, key);
    if (cap == NULL)
        return no_memory(r);
    cap->max_concurrent_grants = found.max_concurrent_grants;
    return put_record(r, &cap->rec);
}

/* ---- demotions ---- */
static const struct codec_field demotion_rows[] = {
    ROW_ID(struct demotion_rec, "body_id", body_id, CODEC_REQUIRED),
    ROW_ID(struct demotion_rec, "head_id", head_id, CODEC_REQUIRED),
    ROW_TIME(struct demotion_rec, "until", until, OMIT),
};
static const struct codec_table demotion_table = CODEC_TABLE("demotion", demotion_rows, struct demotion_rec, CODEC_NO_PRESENT);

void write_demotion(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    yaml_write_item(&demotion_table, rec, 2, out);
}

enum hc_err read_demotion(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    (void)pair;
    struct demotion_rec found;
    enum hc_err err = read_table(r, &demotion_table, value, &found);
    if (err != HC_OK)
        return err;
    char key[REC_KEY_SIZE];
    (void)snprintf(key, sizeof key, "%s/%s", found.body_id, found.head_id);
    if (alloc_get(r->into, REC_DEMOTION, key) != NULL)
        return yaml_fail(r->diag, r->file, value, "demotions", "%s for %s is there twice", found.body_id, found.head_id);
    struct demotion_rec *demotion = (struct demotion_rec *)rec_new(REC_DEMOTION, key);
    if (demotion == NULL)
        return no_memory(r);
    found.rec = demotion->rec;
    *demotion = found;
    return put_record(r, &demotion->rec);
}
