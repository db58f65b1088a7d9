#include "floor.h"

#include <assert.h>

#include "hydra/base/arena.h"
#include "hydra/codec/json.h"
#include "hydra/os/file.h"

struct floor_file { struct codec_list epochs; uint64_t check; };
static const struct codec_field rows[] = {
    { .key = "slot_epoch", .type = CODEC_U64S, .offset = offsetof(struct floor_file, epochs), .limit = DIRECTIVE_SLOTS_MAX,
      .flags = CODEC_REQUIRED },
    /* the sum: a file that was edited or cut in a place that still reads as JSON */
    { .key = "check",      .type = CODEC_U64,  .offset = offsetof(struct floor_file, check), .limit = UINT64_MAX, .flags = CODEC_REQUIRED },
};
static const struct codec_table table = CODEC_TABLE("slot_epoch", rows, struct floor_file, CODEC_NO_PRESENT);

static uint64_t check_of(const struct floor *floor)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < DIRECTIVE_SLOTS_MAX; i++)
        sum = (sum * 31 + floor->epoch[i]) % HC_EPOCH_MAX;
    return sum;
}

static enum hc_err read_floor(const char *text, size_t len, struct floor *floor, struct hc_diag *diag)
{
    struct hc_arena arena = { 0 };
    struct floor_file file;
    struct json_refusal refusal;
    enum hc_err err = json_read(&table, text, len, false, &arena, &file, &refusal);
    if (err != HC_OK)
        err = hc_fail(diag, err, "%s: %s: %s", FLOOR_FILE, refusal.field, refusal.detail);
    const uint64_t *epochs = file.epochs.items;
    *floor = (struct floor){ 0 };
    for (size_t i = 0; err == HC_OK && i < file.epochs.count; i++)
        floor->epoch[i] = epochs[i];
    if (err == HC_OK && file.check != check_of(floor))
        err = hc_fail(diag, HC_ERR_SYNTAX, "%s: its check does not fit its epochs: it was edited or cut", FLOOR_FILE);
    hc_arena_free(&arena);
    return err;
}

enum hc_err floor_load(int dir_fd, struct floor *ret_floor, struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    struct floor floor = { 0 };
    enum hc_err err = os_file_read(dir_fd, FLOOR_FILE, FLOOR_FILE_MAX, &text, &len, NULL, diag);
    if (err == HC_ERR_NOTFOUND)
        err = HC_OK;
    else if (err == HC_OK)
        err = read_floor(text, len, &floor, diag);
    hc_free(text);
    if (err == HC_OK)
        *ret_floor = floor;
    return err;
}

enum floor_verdict floor_raise(int dir_fd, struct floor *floor, uint32_t slot, uint64_t epoch, struct hc_diag *diag)
{
    assert(slot < DIRECTIVE_SLOTS_MAX && epoch <= HC_EPOCH_MAX);
    if (epoch < floor->epoch[slot])
        return FLOOR_BELOW;
    if (epoch == floor->epoch[slot])
        return FLOOR_APPLY;
    struct floor raised = *floor;
    raised.epoch[slot] = epoch;
    struct floor_file file = { .epochs = { raised.epoch, DIRECTIVE_SLOTS_MAX }, .check = check_of(&raised) };
    struct hc_buf text = { 0 };
    json_write(&table, &file, &text);
    hc_buf_char(&text, '\n');
    enum floor_verdict verdict = FLOOR_NOT_WRITTEN;
    /* VISIBLE too: what a restart will read is the new floor or an older one, and the older one only lets the same directive in again */
    if (!text.failed && os_file_replace(dir_fd, FLOOR_FILE, text.data, text.len, NULL, diag) != OS_REPLACE_NOT_WRITTEN) {
        *floor = raised;
        verdict = FLOOR_APPLY;
    }
    hc_buf_free(&text);
    return verdict;
}
