#include "stable_text.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/base/id.h"
#include "hydra/base/time.h"
#include "hydra/os/clock.h"

#define TEXT_SIZE    512
#define REPLACED_MAX 64
#define IDS_MAX      256
#define ROUND_S      15
#define NEWEST_EVENT ((size_t)41)
#define NOON         "2026-09-04T12:00:00.000Z"         /* what "now" is shown as */
#define VERSION_SHOWN "1.4.0"                           /* so that a release changes no example */
#define NEAR_MS      ((int64_t)366 * 24 * 3600 * 1000)  /* an instant farther away comes from the test, not from a clock */

static struct { char text[TEXT_SIZE], shown[TEXT_SIZE]; } replaced[REPLACED_MAX];
static size_t replaced_count;
static char ids[IDS_MAX][HC_ID_SIZE];       /* the digits; the place is the name */
static size_t id_count;
struct counter { json_int_t seen[IDS_MAX]; size_t count; };         /* likewise of a number: its place is what is shown */
static struct counter epochs, reports;
static char events[IDS_MAX][HC_ID_SIZE];
static size_t event_count;
static char kept[REPLACED_MAX][HC_ID_SIZE];
static size_t kept_count;
static int64_t start_ms;

void stable_start(void)
{
    replaced_count = id_count = event_count = kept_count = epochs.count = reports.count = 0;
    start_ms = os_wall().ms;
}

void stable_keep(const char *id)
{
    assert_true(kept_count < REPLACED_MAX);
    HC_SET(kept[kept_count], id);
    kept_count++;
}

void stable_shows(const char *text, const char *shown)
{
    assert_true(replaced_count < REPLACED_MAX && text[0] != '\0' && strlen(text) < TEXT_SIZE && strlen(shown) < TEXT_SIZE);
    (void)snprintf(replaced[replaced_count].text, TEXT_SIZE, "%s", text);
    (void)snprintf(replaced[replaced_count].shown, TEXT_SIZE, "%s", shown);
    replaced_count++;
}

/* ---- pieces of a text: each takes what it knows at `at` and returns how long it was; 0: it is something else ---- */

static size_t take_replaced(const char *at, struct hc_buf *out)
{
    for (size_t i = 0; i < replaced_count; i++)
        if (strncmp(at, replaced[i].text, strlen(replaced[i].text)) == 0) {
            hc_buf_str(out, replaced[i].shown);
            return strlen(replaced[i].text);
        }
    return 0;
}

static size_t place_of(const char *digits)
{
    for (size_t i = 0; i < id_count; i++)
        if (strcmp(ids[i], digits) == 0)
            return i;
    assert_true(id_count < IDS_MAX);
    HC_SET(ids[id_count], digits);
    return id_count++;
}

static bool is_kept(const char *at, size_t len)
{
    for (size_t i = 0; i < kept_count; i++)
        if (strlen(kept[i]) == len && strncmp(kept[i], at, len) == 0)
            return true;
    return false;
}

/* "#" and the token of an app stands behind the name of an experience. */
static size_t take_id(const char *at, bool inside, struct hc_buf *out)
{
    static const struct { const char *prefix; size_t digits; } shapes[] = {
        { "#", 32 }, { "node-", 8 }, { "lse-", 16 }, { "str-", 16 }, { "tkt-", 16 }, { "op-", 16 }, { "pair-", 16 }, { "tok-", 8 },
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        size_t start = strlen(shapes[i].prefix), wanted = shapes[i].digits;
        if ((inside && i > 0) || strncmp(at, shapes[i].prefix, start) != 0 || strspn(at + start, "0123456789abcdef") != wanted)
            continue;
        char digits[HC_ID_SIZE];
        (void)snprintf(digits, sizeof digits, "%.*s", (int)wanted, at + start);
        if (is_kept(at, start + wanted))
            hc_buf_add(out, at, start + wanted);
        else
            hc_buf_printf(out, "%s%0*zx", shapes[i].prefix, (int)wanted, place_of(digits) + 1);
        return start + wanted;
    }
    return 0;
}

/* "2026-09-04T11:43:18.042Z": its clock is no matter; how many hours from now is. */
static size_t take_instant(const char *at, struct hc_buf *out)
{
    char text[HC_TIME_TEXT_SIZE], shown[HC_TIME_TEXT_SIZE];
    hc_time time, noon;
    size_t len = strspn(at, "0123456789-:.T");
    if (len < strlen("2026-09-04T11:43:18") || at[len] != 'Z' || ++len >= sizeof text)
        return 0;
    (void)snprintf(text, sizeof text, "%.*s", (int)len, at);
    if (hc_time_parse(text, &time) != HC_OK)
        return 0;
    int64_t away_ms = time.ms - start_ms;
    if (away_ms > NEAR_MS || away_ms < -NEAR_MS) {
        hc_buf_str(out, text);
        return len;
    }
    int64_t hours = (away_ms + (away_ms < 0 ? -HC_HOUR_MS : HC_HOUR_MS) / 2) / HC_HOUR_MS;
    assert_int_equal(hc_time_parse(NOON, &noon), HC_OK);
    hc_time_format(hc_time_add(noon, hours * HC_HOUR_MS), shown);
    hc_buf_str(out, shown);
    return len;
}

/* The id of an event is all of its text: the newest is seen first, those before it have the numbers before. */
static bool take_event(const char *text, struct hc_buf *out)
{
    size_t first = strspn(text, "0123456789"), second = text[first] == '-' ? strspn(text + first + 1, "0123456789") : 0, i = 0;
    if (first == 0 || second == 0 || text[first + 1 + second] != '\0' || first + second + 1 > HC_ID_MAX)
        return false;
    while (i < event_count && strcmp(events[i], text) != 0)
        i++;
    assert_true(i < NEWEST_EVENT);
    if (i == event_count)
        HC_SET(events[event_count++], text);
    hc_buf_printf(out, "4-%zu", NEWEST_EVENT - i);
    return true;
}

char *stable_text(const char *text)
{
    struct hc_buf out = { 0 };
    hc_buf_str(&out, "");
    if (take_event(text, &out))
        return out.data;
    bool inside = false;                        /* of a word: an id or an instant does not begin there */
    for (const char *at = text; *at != '\0';) {
        size_t taken = take_replaced(at, &out);
        if (taken == 0)
            taken = take_id(at, inside, &out);
        if (taken == 0 && !inside)
            taken = take_instant(at, &out);
        if (taken == 0)
            hc_buf_char(&out, *at);
        at += taken == 0 ? 1 : taken;
        inside = isalnum((unsigned char)at[-1]) != 0;
    }
    assert_false(out.failed);
    return out.data;
}

/* ---- values by their key ---- */

static const struct { const char *key; json_int_t shown; } times[] = {
    { "age_seconds", 2 },
    { "expires_in_s", 38 },
    { "expires_in_seconds", 43 },
    { "report_age_seconds", 2 },
    { "seconds_since_head_renewal", 2 },
    { "since_seconds", 2 },
    { "start_deadline_in_seconds", 88 },
    { "unattended_seconds", 2 },
    { "uptime_seconds", 86400 },
    { "waited_seconds", 4 },
};
static const struct { const char *key, *shown; } texts[] = {
    { "token", "TOKEN" },
    { "claim_token", "TOKEN" },
    { "digest", "5a0c7f3e91d2b846" },
};

/* Of a time that was just given: what is left of it, on a slow machine a little less than on a quick one. */
static const char *const rounded[] = { "ttl_seconds", "start_deadline_seconds" };
/* They only grow, and not always in the same steps. */
static const char *const epoch_keys[] = { "epoch", "epoch_floor", "grant_epoch", "applied_epoch", "max_epoch_seen" };

static json_t *counted(struct counter *counter, json_int_t number)
{
    size_t i = 0;
    while (i < counter->count && counter->seen[i] != number)
        i++;
    assert_true(i < IDS_MAX);
    if (number == 0)
        return json_integer(0);
    if (i == counter->count)
        counter->seen[counter->count++] = number;
    return json_integer((json_int_t)i + 1);
}

static json_t *stable_number(const char *key, const json_t *value)
{
    if (hc_among(rounded, sizeof rounded / sizeof rounded[0], key))
        return json_integer((json_integer_value(value) + ROUND_S - 1) / ROUND_S * ROUND_S);
    if (hc_among(epoch_keys, sizeof epoch_keys / sizeof epoch_keys[0], key))
        return counted(&epochs, json_integer_value(value));
    if (strcmp(key, "report_seq") == 0)
        return counted(&reports, json_integer_value(value));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (strcmp(key, times[i].key) == 0)
            return json_integer(times[i].shown);
    return json_deep_copy(value);
}

static json_t *stable_string(const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(key, texts[i].key) == 0)
            return json_string(texts[i].shown);
    if (strcmp(key, "version") == 0 && strcmp(value, HYDRA_VERSION) == 0)
        return json_string(VERSION_SHOWN);
    char *text = stable_text(value);
    json_t *string = json_string(text);
    hc_free(text);
    return string;
}

static json_t *stable_value(const char *key, const json_t *value)
{
    if (json_is_integer(value))
        return stable_number(key, value);
    if (json_is_string(value))
        return stable_string(key, json_string_value(value));
    if (json_is_array(value)) {
        json_t *array = json_array();
        for (size_t i = 0; i < json_array_size(value); i++)
            assert_int_equal(json_array_append_new(array, stable_value(key, json_array_get(value, i))), 0);
        return array;
    }
    if (json_is_object(value)) {
        json_t *object = json_object(), *member;
        const char *name;
        json_object_foreach((json_t *)(uintptr_t)value, name, member) {
            char *shown = stable_text(name);
            assert_int_equal(json_object_set_new(object, shown, stable_value(name, member)), 0);
            hc_free(shown);
        }
        return object;
    }
    return json_deep_copy(value);
}

json_t *stable_json(const json_t *json)
{
    json_t *shown = stable_value("", json);
    assert_non_null(shown);
    return shown;
}
