#include "hydra/metrics/metrics.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "buckets.h"
#include "hydra/base/arena.h"
#include "hydra/base/id.h"

#define PREFIX          "hydracluster_"
#define LABELS_MAX      4
#define LABEL_BYTES_MAX HC_NAME_MAX                               /* of a value; longer ones are cut */
#define LABEL_TEXT_SIZE (LABELS_MAX * (2 * LABEL_BYTES_MAX + 40)) /* all of a series, escaped: name="value",... */
#define SLOTS_FIRST     16                                        /* of a family's hash table; a power of two */

#define X(id_, type_, name_, labels_, help_) { METRIC_##type_, PREFIX name_, labels_, help_ },
static const struct { enum metric_type type; const char *name, *labels, *help; } rows[METRIC_COUNT] = { METRIC_LIST(X) };
#undef X

struct series {
    uint64_t hash;
    double value;               /* counter, gauge; of a histogram the sum */
    uint64_t *counts;           /* histogram: per bucket and one above them, not cumulative */
    char labels[];
};

struct family {
    struct series **series;     /* in order of appearance */
    struct series **slots;      /* the same by hash, open addressing, at most half full */
    size_t count, slot_count;
};

struct metrics { pthread_mutex_t mutex; struct family families[METRIC_COUNT]; };

static void add_label(char *text, size_t *len, const char *name, size_t name_len, const char *value)
{
    size_t value_len = strnlen(value, LABEL_BYTES_MAX);
    while (value_len > 0 && !hc_utf8_ok(value, value_len))    /* at most three steps for a cut; all of it when it never was UTF-8 */
        value_len--;
    if (*len > 0)
        text[(*len)++] = ',';
    memcpy(text + *len, name, name_len);
    *len += name_len;
    text[(*len)++] = '=';
    text[(*len)++] = '"';
    for (size_t i = 0; i < value_len; i++) {
        char c = value[i];
        if (c == '\\' || c == '"' || c == '\n')
            text[(*len)++] = '\\';
        text[(*len)++] = c == '\n' ? 'n' : c;
    }
    text[(*len)++] = '"';
}

/* The labels of a series as they stand in the text: also its key. `values` NULL: every label is "other". */
static void label_text(enum metric_id id, va_list *values, char text[LABEL_TEXT_SIZE])
{
    size_t len = 0;
    for (const char *name = rows[id].labels; *name != '\0';) {
        size_t name_len = strcspn(name, ",");
        const char *value = values == NULL ? "other" : va_arg(*values, const char *);
        assert(len + name_len + 2 * LABEL_BYTES_MAX + 4 < LABEL_TEXT_SIZE);
        add_label(text, &len, name, name_len, value == NULL ? "" : value);
        name += name_len + (name[name_len] == ',');
    }
    text[len] = '\0';
}

/* Where the series is, or the free slot where it would be. There is one: the table is at most half full. */
static struct series **find_slot(struct series **slots, size_t slot_count, uint64_t hash, const char *labels)
{
    size_t at = (size_t)hash & (slot_count - 1);
    while (slots[at] != NULL && !(slots[at]->hash == hash && strcmp(slots[at]->labels, labels) == 0))
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

static bool make_room(struct family *family)
{
    if (family->count * 2 < family->slot_count)
        return true;
    size_t slot_count = family->slot_count == 0 ? SLOTS_FIRST : family->slot_count * 2;
    struct series **slots = hc_alloc(slot_count * sizeof(struct series *));
    struct series **series = hc_alloc(slot_count / 2 * sizeof(struct series *));
    if (slots == NULL || series == NULL) {
        hc_free(slots);
        hc_free(series);
        return false;
    }
    for (size_t i = 0; i < family->count; i++) {
        series[i] = family->series[i];
        *find_slot(slots, slot_count, series[i]->hash, series[i]->labels) = series[i];
    }
    hc_free(family->slots);
    hc_free(family->series);
    family->slots = slots;
    family->series = series;
    family->slot_count = slot_count;
    return true;
}

static struct series *new_series(enum metric_id id, uint64_t hash, const char *labels)
{
    const struct bucket_set *buckets = buckets_of(id);
    size_t len = strlen(labels);
    struct series *series = hc_alloc(sizeof *series + len + 1);
    if (series == NULL)
        return NULL;
    series->hash = hash;
    memcpy(series->labels, labels, len);
    if (buckets == NULL)
        return series;
    series->counts = hc_alloc((buckets->count + 1) * sizeof *series->counts);
    if (series->counts != NULL)
        return series;
    hc_free(series);
    return NULL;
}

/* The last place is kept for the series whose labels are all "other". */
static struct series *find_or_make(struct metrics *m, enum metric_id id, const char *labels, bool other)
{
    struct family *family = &m->families[id];
    uint64_t hash = hc_fnv1a64(HC_FNV1A64_START, labels);
    struct series **slot = family->slot_count == 0 ? NULL : find_slot(family->slots, family->slot_count, hash, labels);
    if (slot != NULL && *slot != NULL)
        return *slot;
    if (!other && family->count >= METRIC_SERIES_MAX - 1) {
        char text[LABEL_TEXT_SIZE];
        label_text(id, NULL, text);
        return find_or_make(m, id, text, true);
    }
    struct series *series = make_room(family) ? new_series(id, hash, labels) : NULL;
    if (series == NULL)
        return NULL;
    *find_slot(family->slots, family->slot_count, hash, labels) = series;
    family->series[family->count++] = series;
    return series;
}

static void family_clear(struct family *family)
{
    for (size_t i = 0; i < family->count; i++) {
        hc_free(family->series[i]->counts);
        hc_free(family->series[i]);
    }
    hc_free(family->series);
    hc_free(family->slots);
    *family = (struct family){ 0 };
}

void metrics_free(struct metrics *m)
{
    if (m == NULL)
        return;
    for (size_t id = 0; id < METRIC_COUNT; id++)
        family_clear(&m->families[id]);
    (void)pthread_mutex_destroy(&m->mutex);
    hc_free(m);
}

struct metrics *metrics_new(void)
{
    struct metrics *m = hc_alloc(sizeof *m);
    if (m == NULL)
        return NULL;
    (void)pthread_mutex_init(&m->mutex, NULL);
    for (unsigned id = 0; id < METRIC_COUNT; id++) {
        assert((rows[id].type == METRIC_HISTOGRAM) == (buckets_of((enum metric_id)id) != NULL));
        /* What has no labels counts from 0 before its first event, so that a rate over it has a start. */
        if (rows[id].type == METRIC_GAUGE || rows[id].labels[0] != '\0' || find_or_make(m, (enum metric_id)id, "", false) != NULL)
            continue;
        metrics_free(m);
        return NULL;
    }
    return m;
}

void metrics_add(struct metrics *m, enum metric_id id, double by, ...)
{
    assert(rows[id].type != METRIC_HISTOGRAM && !isnan(by) && (by >= 0 || rows[id].type == METRIC_GAUGE));
    char labels[LABEL_TEXT_SIZE];
    va_list values;
    va_start(values, by);
    label_text(id, &values, labels);
    va_end(values);
    (void)pthread_mutex_lock(&m->mutex);
    struct series *series = find_or_make(m, id, labels, false);
    if (series != NULL)
        series->value += by;
    (void)pthread_mutex_unlock(&m->mutex);
}

void metrics_set(struct metrics *m, enum metric_id id, double value, ...)
{
    assert(rows[id].type == METRIC_GAUGE && !isnan(value));
    char labels[LABEL_TEXT_SIZE];
    va_list values;
    va_start(values, value);
    label_text(id, &values, labels);
    va_end(values);
    (void)pthread_mutex_lock(&m->mutex);
    struct series *series = find_or_make(m, id, labels, false);
    if (series != NULL)
        series->value = value;
    (void)pthread_mutex_unlock(&m->mutex);
}

void metrics_observe(struct metrics *m, enum metric_id id, double value, ...)
{
    const struct bucket_set *buckets = buckets_of(id);
    assert(buckets != NULL && !isnan(value));
    char labels[LABEL_TEXT_SIZE];
    va_list values;
    va_start(values, value);
    label_text(id, &values, labels);
    va_end(values);
    size_t bucket = 0;
    while (bucket < buckets->count && value > buckets->bounds[bucket])
        bucket++;
    (void)pthread_mutex_lock(&m->mutex);
    struct series *series = find_or_make(m, id, labels, false);
    if (series != NULL) {
        series->counts[bucket]++;
        series->value += value;
    }
    (void)pthread_mutex_unlock(&m->mutex);
}

void metrics_clear(struct metrics *m, enum metric_id id)
{
    assert(rows[id].type == METRIC_GAUGE);
    (void)pthread_mutex_lock(&m->mutex);
    family_clear(&m->families[id]);
    (void)pthread_mutex_unlock(&m->mutex);
}

static void write_number(double value, struct hc_buf *out)
{
    if (isinf(value))
        hc_buf_str(out, value > 0 ? "+Inf" : "-Inf");
    else if (value > -1e15 && value < 1e15 && value == (double)(int64_t)value)
        hc_buf_i64(out, (int64_t)value);
    else
        hc_buf_printf(out, "%.15g", value);
}

/* NAME SUFFIX {LABELS,le="LE"} and the space before the value. */
static void write_name(enum metric_id id, const char *suffix, const char *labels, const double *le, struct hc_buf *out)
{
    hc_buf_str(out, rows[id].name);
    hc_buf_str(out, suffix);
    if (labels[0] != '\0' || le != NULL) {
        hc_buf_char(out, '{');
        hc_buf_str(out, labels);
        if (le != NULL) {
            hc_buf_str(out, labels[0] == '\0' ? "le=\"" : ",le=\"");
            write_number(*le, out);
            hc_buf_char(out, '"');
        }
        hc_buf_char(out, '}');
    }
    hc_buf_char(out, ' ');
}

static void write_histogram(enum metric_id id, const struct series *series, struct hc_buf *out)
{
    const struct bucket_set *buckets = buckets_of(id);
    static const double above = INFINITY;
    uint64_t count = 0;
    for (size_t i = 0; i <= buckets->count; i++) {
        count += series->counts[i];
        write_name(id, "_bucket", series->labels, i == buckets->count ? &above : &buckets->bounds[i], out);
        hc_buf_u64(out, count);
        hc_buf_char(out, '\n');
    }
    write_name(id, "_sum", series->labels, NULL, out);
    write_number(series->value, out);
    hc_buf_char(out, '\n');
    write_name(id, "_count", series->labels, NULL, out);
    hc_buf_u64(out, count);
    hc_buf_char(out, '\n');
}

static void write_family(const struct metrics *m, enum metric_id id, struct hc_buf *out)
{
    static const char *const words[] = { [METRIC_COUNTER] = "counter", [METRIC_GAUGE] = "gauge", [METRIC_HISTOGRAM] = "histogram" };
    const struct family *family = &m->families[id];
    if (family->count == 0)
        return;
    hc_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", rows[id].name, rows[id].help, rows[id].name, words[rows[id].type]);
    for (size_t i = 0; i < family->count; i++) {
        const struct series *series = family->series[i];
        if (rows[id].type == METRIC_HISTOGRAM) {
            write_histogram(id, series, out);
            continue;
        }
        write_name(id, "", series->labels, NULL, out);
        write_number(series->value, out);
        hc_buf_char(out, '\n');
    }
}

void metrics_write(struct metrics *m, struct hc_buf *out)
{
    (void)pthread_mutex_lock(&m->mutex);
    for (unsigned id = 0; id < METRIC_COUNT; id++)
        write_family(m, (enum metric_id)id, out);
    (void)pthread_mutex_unlock(&m->mutex);
}
