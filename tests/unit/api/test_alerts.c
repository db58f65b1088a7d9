/* docs/alerts and docs/RUNBOOK.md: every query names metrics and labels that are there, every alert has its owner, its test and its
 * entry. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "hydra/metrics/metrics.h"

#define RULES      "docs/alerts/hydracluster.rules.yml"
#define RULE_TESTS "docs/alerts/hydracluster.test.yml"
#define DASHBOARD  "docs/alerts/hydracluster.dashboard.json"
#define RUNBOOK    "docs/RUNBOOK.md"
#define TEXT_MAX   ((size_t)1024 * 1024)
#define WORD_MAX   128
#define PREFIX     "hydracluster_"
#define LETTERS    "abcdefghijklmnopqrstuvwxyz_"

#define X(id_, type_, name_, labels_, help_) { METRIC_##type_, PREFIX name_, "," labels_ "," },
static const struct { enum metric_type type; const char *name, *labels; } rows[METRIC_COUNT] = { METRIC_LIST(X) };
#undef X

static char *read_file(const char *path)
{
    char *text = calloc(1, TEXT_MAX);
    FILE *in = fopen(path, "r");
    assert_non_null(text);
    if (in == NULL)
        fail_msg("no %s", path);
    assert_true(fread(text, 1, TEXT_MAX - 1, in) > 0);
    assert_int_equal(fclose(in), 0);
    return text;
}

/* The metric of a name in a query, a histogram's with one of its suffixes; -1: there is none. */
static int metric_of(const char *name)
{
    static const char *const suffixes[] = { "_bucket", "_sum", "_count" };
    for (int id = 0; id < METRIC_COUNT; id++) {
        size_t len = strlen(rows[id].name);
        if (strncmp(name, rows[id].name, len) != 0)
            continue;
        if (rows[id].type != METRIC_HISTOGRAM && name[len] == '\0')
            return id;
        for (size_t i = 0; rows[id].type == METRIC_HISTOGRAM && i < 3; i++)
            if (strcmp(name + len, suffixes[i]) == 0)
                return id;
    }
    return -1;
}

static bool has_label(int id, const char *label, size_t len)
{
    char wanted[WORD_MAX];
    if ((len == 8 && memcmp(label, "instance", len) == 0) || (len == 2 && memcmp(label, "le", len) == 0))
        return true;                  /* Prometheus' own, and a bucket's bound */
    (void)snprintf(wanted, sizeof wanted, ",%.*s,", (int)len, label);
    return strstr(rows[id].labels, wanted) != NULL;
}

/* "{" follows the metric's name: its matchers, up to "}". */
static void check_matchers(int id, const char *at, const char *query)
{
    while (*++at != '}') {
        size_t len = strspn(at, LETTERS);
        if (len == 0 || !has_label(id, at, len))
            fail_msg("%s has no label %.20s in: %s", rows[id].name, at, query);
        const char *value = strchr(at, '"');
        assert_non_null(value);
        at = strchr(value + 1, '"');
        assert_non_null(at);
        while (at[1] == ',' || at[1] == ' ')
            at++;
    }
}

/* "by (a, b)" and "on (a, b)": labels of every metric in the query. */
static void check_groups(unsigned char *named, const char *query)
{
    for (const char *at = query; (at = strchr(at, '(')) != NULL; at++) {
        bool grouping = (at - query >= 3 && memcmp(at - 3, "by ", 3) == 0) || (at - query >= 3 && memcmp(at - 3, "on ", 3) == 0);
        for (const char *label = at + 1; grouping && *label != ')' && *label != '\0';) {
            size_t len = strspn(label, LETTERS);
            assert_true(len > 0);
            for (int id = 0; id < METRIC_COUNT; id++)
                if (named[id] && !has_label(id, label, len))
                    fail_msg("%s has no label %.*s in: %s", rows[id].name, (int)len, label, query);
            label += len + strspn(label + len, ", ");
        }
    }
}

static void check_query(const char *query)
{
    unsigned char named[METRIC_COUNT] = { 0 };
    size_t count = 0;
    for (const char *at = query; (at = strstr(at, PREFIX)) != NULL; count++) {
        char name[WORD_MAX];
        size_t len = strspn(at, LETTERS);
        assert_true(len < sizeof name);
        (void)snprintf(name, sizeof name, "%.*s", (int)len, at);
        int id = metric_of(name);
        if (id < 0)
            fail_msg("there is no metric %s: %s", name, query);
        named[id] = 1;
        at += len;
        if (*at == '{')
            check_matchers(id, at, query);
    }
    if (count == 0)
        fail_msg("it names no metric: %s", query);
    check_groups(named, query);
}

static void test_dashboard__every_query__names_what_is_there(void **state)
{
    (void)state;
    json_error_t error;
    json_t *board = json_load_file(DASHBOARD, 0, &error);
    if (board == NULL)
        fail_msg("%s:%d: %s", DASHBOARD, error.line, error.text);
    const json_t *panels = json_object_get(board, "panels");
    size_t queries = 0;
    for (size_t i = 0; i < json_array_size(panels); i++) {
        const json_t *panel = json_array_get(panels, i), *targets = json_object_get(panel, "targets");
        bool is_row = strcmp(json_string_value(json_object_get(panel, "type")), "row") == 0;
        assert_true(json_is_string(json_object_get(panel, "title")));
        assert_true(is_row || json_array_size(targets) > 0);
        for (size_t k = 0; k < json_array_size(targets); k++, queries++)
            check_query(json_string_value(json_object_get(json_array_get(targets, k), "expr")));
    }
    assert_true(queries >= 30);
    json_decref(board);
}

static void test_dashboard__every_metric__is_shown(void **state)
{
    (void)state;
    char *board = read_file(DASHBOARD);
    for (int id = 0; id < METRIC_COUNT; id++)
        if (strstr(board, rows[id].name) == NULL)
            fail_msg("no panel shows %s", rows[id].name);
    free(board);
}

struct rule { char name[WORD_MAX], query[1024], owner[WORD_MAX], severity[WORD_MAX], runbook[WORD_MAX]; bool summary; };
#define RULES_MAX 32

static bool value_of(const char *line, const char *key, char *out, size_t size)
{
    line += strspn(line, " ");
    if (strncmp(line, key, strlen(key)) != 0)
        return false;
    (void)snprintf(out, size, "%s", line + strlen(key));
    return true;
}

/* One alert for each "- alert:"; a query may go on over lines that are indented deeper than its key. */
static size_t read_rules(struct rule *ret_rules)
{
    char *text = read_file(RULES), *rest = text;
    size_t count = 0;
    bool in_query = false;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        struct rule *rule = count == 0 ? NULL : &ret_rules[count - 1];
        size_t indent = strspn(line, " ");
        char ignored[WORD_MAX];
        if (strncmp(line + indent, "- alert: ", 9) == 0) {
            assert_true(count < RULES_MAX);
            (void)snprintf(ret_rules[count++].name, WORD_MAX, "%s", line + indent + 9);
        } else if (rule != NULL && in_query && indent > 8) {
            size_t len = strlen(rule->query);
            (void)snprintf(rule->query + len, sizeof rule->query - len, " %s", line + indent);
            continue;
        } else if (rule != NULL && !value_of(line, "owner: ", rule->owner, WORD_MAX) &&
                   !value_of(line, "severity: ", rule->severity, WORD_MAX) && !value_of(line, "runbook_url: ", rule->runbook, WORD_MAX)) {
            in_query = value_of(line, "expr: ", rule->query, sizeof rule->query);
            rule->summary = rule->summary || value_of(line, "summary: ", ignored, sizeof ignored);
            continue;
        }
        in_query = false;
    }
    free(text);
    return count;
}

/* The seed's table: ten rows, the last of two names; who is called, and how loudly. */
static void test_rules__are_the_ten__with_their_owners(void **state)
{
    (void)state;
    static const struct { const char *name, *owner, *severity; } wanted[] = {
        { "SlotConflict", "on-call", "page" },           { "SlotLeak", "on-call", "page" },
        { "BodyUnconfirmed", "on-call", "ticket" },      { "VenueDenials", "venue-owner", "ticket" },
        { "HomeVenueDenied", "venue-owner", "ticket" },  { "EpochBelowFloor", "on-call", "page" },
        { "CustodianStalled", "on-call", "ticket" },     { "CertStoreGrowth", "on-call", "ticket" },
        { "ClaimLatency", "on-call", "page" },           { "GenerationConflict", "on-call", "page" },
        { "DowngradeDetected", "on-call", "page" },
    };
    static struct rule rules[RULES_MAX];
    assert_int_equal(read_rules(rules), sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_string_equal(rules[i].name, wanted[i].name);
        assert_string_equal(rules[i].owner, wanted[i].owner);
        assert_string_equal(rules[i].severity, wanted[i].severity);
        assert_true(rules[i].summary);
        check_query(rules[i].query);
    }
}

static void test_rules__each__is_tested_and_has_its_entry_in_the_runbook(void **state)
{
    (void)state;
    static struct rule rules[RULES_MAX];
    size_t count = read_rules(rules), entries = 0;
    char *tests = read_file(RULE_TESTS), *runbook = read_file(RUNBOOK);
    for (size_t i = 0; i < count; i++) {
        char text[2 * WORD_MAX], anchor[WORD_MAX] = "";
        (void)snprintf(text, sizeof text, "alertname: %.100s\n", rules[i].name);
        if (strstr(tests, text) == NULL)
            fail_msg("%s has no test", rules[i].name);
        (void)snprintf(text, sizeof text, "docs/RUNBOOK.md#");
        for (size_t k = 0; rules[i].name[k] != '\0'; k++)
            anchor[k] = (char)tolower((unsigned char)rules[i].name[k]);
        (void)strncat(text, anchor, WORD_MAX);
        assert_string_equal(rules[i].runbook, text);
        (void)snprintf(text, sizeof text, "\n## %.100s\n", rules[i].name);
        char *entry = strstr(runbook, text);
        if (entry == NULL)
            fail_msg("the runbook has no entry %s", rules[i].name);
        char *end = strstr(entry + 2, "\n## "), *line = strstr(entry, "\ncurl ");
        if (line == NULL || (end != NULL && line > end))
            fail_msg("the runbook's entry %s has no call to make", rules[i].name);
    }
    for (const char *at = runbook; (at = strstr(at, "\n## ")) != NULL; at++)
        entries++;
    assert_int_equal(entries, count);
    free(tests);
    free(runbook);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dashboard__every_query__names_what_is_there),
        cmocka_unit_test(test_dashboard__every_metric__is_shown),
        cmocka_unit_test(test_rules__are_the_ten__with_their_owners),
        cmocka_unit_test(test_rules__each__is_tested_and_has_its_entry_in_the_runbook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
