#include "session_file.h"

#include <string.h>

#include "hydra/codec/json.h"
#include "hydra/os/file.h"

#define NUMBER_MAX ((UINT64_C(1) << 53) - 1)

#define SAVED(member) offsetof(struct session_saved, member)
static const struct codec_field slot_rows[] = {
    { .key = "slot",        .type = CODEC_U32,  .offset = SAVED(slot), .limit = BODY_STATUS_INDEX_MAX, .flags = CODEC_REQUIRED },
    { .key = "open",        .type = CODEC_BOOL, .offset = SAVED(has_launch) },
    { .key = "launch_id",   .type = CODEC_ID,   .offset = SAVED(launch.launch_id), .flags = CODEC_EMPTY_OK },
    { .key = "lease_id",    .type = CODEC_ID,   .offset = SAVED(launch.lease_id), .flags = CODEC_EMPTY_OK },
    { .key = "client_uuid", .type = CODEC_ID,   .offset = SAVED(launch.client_uuid), .flags = CODEC_EMPTY_OK },
    { .key = "client_name", .type = CODEC_NAME, .offset = SAVED(launch.client_name), .flags = CODEC_EMPTY_OK },
    { .key = "app",         .type = CODEC_STR,  .offset = SAVED(launch.app), .limit = BODY_STATUS_APP_MAX },
    { .key = "since_ms",    .type = CODEC_I64,  .offset = SAVED(launch.since_ms), .limit = NUMBER_MAX },
    { .key = "game",        .type = CODEC_I64,  .offset = SAVED(launch.game), .limit = NUMBER_MAX },
    { .key = "shut",        .type = CODEC_STRS, .offset = SAVED(shut), .limit = BODY_STATUS_CLIENTS_MAX, .item_limit = HC_ID_MAX,
      .flags = CODEC_ID_ITEMS },
};
static const struct codec_table slot_table = CODEC_TABLE("slot", slot_rows, struct session_saved, CODEC_NO_PRESENT);

struct whole_file { char boot_id[HC_ID_SIZE]; struct codec_list slots; };
static const struct codec_field rows[] = {
    { .key = "boot_id", .type = CODEC_ID,   .offset = offsetof(struct whole_file, boot_id), .flags = CODEC_REQUIRED },
    { .key = "slots",   .type = CODEC_LIST, .offset = offsetof(struct whole_file, slots), .limit = DIRECTIVE_SLOTS_MAX,
      .sub = &slot_table, .flags = CODEC_REQUIRED },
};
static const struct codec_table table = CODEC_TABLE("sessions", rows, struct whole_file, CODEC_NO_PRESENT);

/* A stranger's uuid may be anything: the file must read back. */
static enum hc_err keep_ids(const struct codec_list *from, struct hc_arena *arena, struct codec_list *ret)
{
    const char *const *uuids = from->items;
    const char **kept = hc_arena_array(arena, from->count + 1, sizeof *kept);
    size_t count = 0;
    if (kept == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < from->count && count < BODY_STATUS_CLIENTS_MAX; i++)
        if (hc_id_ok(uuids[i]))
            kept[count++] = uuids[i];
    *ret = (struct codec_list){ count == 0 ? NULL : kept, count };
    return HC_OK;
}

static enum hc_err format(const char *boot_id, const struct session_saved *slots, size_t count, struct hc_buf *out)
{
    struct hc_arena arena = { 0 };
    struct session_saved *written = hc_arena_array(&arena, count + 1, sizeof *written);
    enum hc_err err = written == NULL ? HC_ERR_NOMEM : HC_OK;
    for (size_t i = 0; i < count && err == HC_OK; i++) {
        written[i] = slots[i];
        if (!slots[i].has_launch)
            written[i].launch = (struct session_launch){ .since_ms = 0 };
        err = keep_ids(&slots[i].shut, &arena, &written[i].shut);
    }
    if (err == HC_OK) {
        struct whole_file file = { .slots = { written, count } };
        HC_SET(file.boot_id, boot_id);
        json_write(&table, &file, out);
        hc_buf_char(out, '\n');
        err = out->failed ? HC_ERR_NOMEM : HC_OK;
    }
    hc_arena_free(&arena);
    return err;
}

enum hc_err session_file_save(int dir_fd, const char *boot_id, const struct session_saved *slots, size_t count, struct hc_buf *last,
                              struct hc_diag *diag)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    enum hc_err err = format(boot_id, slots, count, &text);
    if (err != HC_OK || (last->len == text.len && memcmp(last->data, text.data, text.len) == 0))
        return err;
    if (os_file_replace(dir_fd, SESSION_FILE, text.data, text.len, NULL, diag) == OS_REPLACE_NOT_WRITTEN)
        return HC_ERR_IO;
    hc_buf_free(last);
    *last = text;
    text = (struct hc_buf){ 0 };
    return HC_OK;
}

static enum hc_err read_file(const char *text, size_t len, const char *boot_id, struct hc_arena *arena, struct session_saved **ret_slots,
                             size_t *ret_count, struct hc_diag *diag)
{
    struct whole_file file;
    struct json_refusal refusal;
    enum hc_err err = json_read(&table, text, len, false, arena, &file, &refusal);
    if (err == HC_ERR_NOMEM)
        return err;
    if (err != HC_OK) {
        (void)hc_fail(diag, err, "%s is not what an agent writes (%s: %s): it is left out", SESSION_FILE, refusal.field, refusal.detail);
        return HC_OK;
    }
    struct session_saved *slots = file.slots.items;
    bool booted = strcmp(file.boot_id, boot_id) != 0;
    for (size_t i = 0; i < file.slots.count; i++)
        if (booted)
            slots[i].has_launch = false;
    *ret_slots = slots;
    *ret_count = file.slots.count;
    return HC_OK;
}

enum hc_err session_file_load(int dir_fd, const char *boot_id, struct hc_arena *arena, struct session_saved **ret_slots, size_t *ret_count,
                              struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    *ret_slots = NULL;
    *ret_count = 0;
    enum hc_err err = os_file_read(dir_fd, SESSION_FILE, SESSION_FILE_MAX, &text, &len, NULL, diag);
    if (err == HC_ERR_NOTFOUND)
        return HC_OK;
    if (err == HC_ERR_LIMIT) {
        (void)hc_fail(diag, err, "%s is longer than an agent writes it: it is left out", SESSION_FILE);
        return HC_OK;
    }
    if (err == HC_OK)
        err = read_file(text, len, boot_id, arena, ret_slots, ret_count, diag);
    hc_free(text);
    return err;
}
