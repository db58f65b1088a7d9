/* sample.h - a struct with a row of every type, and its tables. */
#ifndef TESTS_UNIT_CODEC_SAMPLE_H
#define TESTS_UNIT_CODEC_SAMPLE_H

#include "hydra/base/id.h"
#include "hydra/base/time.h"
#include "hydra/codec/field.h"

#define SAMPLE_LABEL_MAX 10
#define SAMPLE_NOTE_MAX  60
#define SAMPLE_SMALL_MAX 1000
#define SAMPLE_BIG_MAX   (UINT64_C(1) << 60)
#define SAMPLE_DELTA_MAX 500
#define SAMPLE_AGE_MAX_S 3600
#define SAMPLE_WAIT_MAX_MS 86400000
#define SAMPLE_LIST_MAX  3
#define SAMPLE_ITEM_MAX  8
#define SAMPLE_RAW_MAX   32

enum sample_state { SAMPLE_NONE, SAMPLE_IDLE, SAMPLE_BUSY };
struct sample_part { uint64_t present; char id[HC_ID_SIZE]; enum sample_state state; struct codec_list numbers; };
struct sample {
    uint64_t present;
    char label[SAMPLE_LABEL_MAX + 1], id[HC_ID_SIZE], other_id[HC_ID_SIZE], name[HC_NAME_SIZE];
    const char *note;
    bool on;
    uint32_t small;
    uint64_t big;
    int64_t delta;
    enum sample_state state;
    hc_time at;
    int64_t age_ms, wait_ms;
    struct sample_part part, maybe;
    bool has_maybe;
    struct codec_list parts, names, ids, numbers;
    const char *raw;
};

extern const struct codec_table sample_part_table;
extern const struct codec_table sample_json, sample_yaml;    /* the same rows; YAML has no RAW */

/* Every field set, to values that need care (quotes, backslashes, other scripts). What it points to is static. */
void sample_fill(struct sample *sample);
void assert_same_sample(const struct sample *a, const struct sample *b);

#endif
