#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/os/file.h"

#include "../../../src/body/pattern_file.h"

#define TOKEN "#00112233445566778899aabbccddeeff"

static const struct sunshine_app first[] = {
    { "Desktop", 0, "{\"name\":\"Desktop\"}" }, { "rupelmonde", 1, "{\"cmd\":\"r\",\"name\":\"rupelmonde\"}" },
    { "steam", 2, "{\"cmd\":\"s\",\"name\":\"steam\"}" }, { "steam" TOKEN, 3, "{\"name\":\"steam" TOKEN "\"}" },
};
static const char *const listed_first[] = { "Desktop", "rupelmonde", "steam", ("steam" TOKEN) };

static void learn(struct patterns *patterns, const struct pattern_news *news, bool changes)
{
    bool changed = !changes;
    const char *left_out = NULL;
    assert_int_equal(patterns_learn(patterns, news, &changed, &left_out), HC_OK);
    assert_int_equal(changed, changes);
    assert_null(left_out);
}

static void learn_first(struct patterns *patterns)
{
    const struct pattern_news news = { .apps = first, .count = 4 };
    learn(patterns, &news, true);
}

static void test_patterns__first_list__plain_entries_are_kept(void **state)
{
    (void)state;
    struct patterns patterns = { .count = 0 };
    learn_first(&patterns);
    assert_int_equal(patterns.count, 3);
    assert_string_equal(pattern_of(&patterns, "rupelmonde"), first[1].json);
    assert_null(pattern_of(&patterns, "steam" TOKEN));
    const struct pattern_news again = { .apps = first, .count = 4, .before = listed_first, .before_count = 4 };
    learn(&patterns, &again, false);
    patterns_free(&patterns);
}

static void test_patterns__taken_away_by_us__stays_known(void **state)
{
    (void)state;
    struct patterns patterns = { .count = 0 };
    learn_first(&patterns);
    const struct pattern_news news = { .apps = &first[3], .count = 1, .before = listed_first, .before_count = 4, .own = true };
    learn(&patterns, &news, false);
    assert_non_null(pattern_of(&patterns, "steam"));
    patterns_free(&patterns);
}

static void test_patterns__removed_by_its_operator__is_forgotten(void **state)
{
    (void)state;
    struct patterns patterns = { .count = 0 };
    learn_first(&patterns);
    const struct pattern_news news = { .apps = first, .count = 2, .before = listed_first, .before_count = 4 };
    learn(&patterns, &news, true);
    assert_null(pattern_of(&patterns, "steam"));
    assert_non_null(pattern_of(&patterns, "rupelmonde"));
    patterns_free(&patterns);
}

static void test_patterns__not_listed_since_the_agent_began__stays_known(void **state)
{
    (void)state;
    struct patterns patterns = { .count = 0 };
    learn_first(&patterns);
    const struct pattern_news news = { .apps = &first[3], .count = 1 };         /* a lease is served while the agent starts */
    learn(&patterns, &news, false);
    assert_int_equal(patterns.count, 3);
    patterns_free(&patterns);
}

static void test_patterns__edited_in_sunshines_page__learned(void **state)
{
    (void)state;
    struct patterns patterns = { .count = 0 };
    learn_first(&patterns);
    static const struct sunshine_app edited[] = { { "rupelmonde", 0, "{\"cmd\":\"new\",\"name\":\"rupelmonde\"}" } };
    const struct pattern_news news = { .apps = edited, .count = 1 };
    learn(&patterns, &news, true);
    assert_string_equal(pattern_of(&patterns, "rupelmonde"), edited[0].json);
    patterns_free(&patterns);
}

static void test_patterns__too_large__left_out_and_said(void **state)
{
    (void)state;
    struct patterns patterns = { .count = 0 };
    char *large = malloc(PATTERN_ENTRY_MAX + 2);
    assert_non_null(large);
    memset(large, 'x', PATTERN_ENTRY_MAX + 1);
    large[PATTERN_ENTRY_MAX + 1] = '\0';
    const struct sunshine_app apps[] = { { "big", 0, large }, first[1] };
    const struct pattern_news news = { .apps = apps, .count = 2 };
    bool changed = false;
    const char *left_out = NULL;
    assert_int_equal(patterns_learn(&patterns, &news, &changed, &left_out), HC_OK);
    assert_true(changed);
    assert_string_equal(left_out, "big");
    assert_int_equal(patterns.count, 1);
    patterns_free(&patterns);
    free(large);
}

static void test_patterns__saved__read_back(void **state)
{
    (void)state;
    char folder[] = "/tmp/hydra-patterns-XXXXXX";
    struct hc_diag diag = { "" };
    assert_non_null(mkdtemp(folder));
    HC_CLEANUP(os_close) int fd = -1;
    assert_int_equal(os_dir_open(folder, &fd, NULL), HC_OK);
    struct patterns *saved = calloc(1, sizeof *saved), *loaded = calloc(1, sizeof *loaded);
    assert_true(saved != NULL && loaded != NULL);
    assert_int_equal(patterns_load(fd, loaded, &diag), HC_OK);
    assert_int_equal(loaded->count, 0);
    learn_first(saved);
    assert_int_equal(patterns_save(fd, saved, &diag), HC_OK);
    assert_int_equal(patterns_load(fd, loaded, &diag), HC_OK);
    assert_int_equal(loaded->count, 3);
    assert_string_equal(pattern_of(loaded, "steam"), first[2].json);
    patterns_free(loaded);
    int out = openat(fd, PATTERN_FILE, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(out >= 0);
    assert_int_equal(os_write_all(out, "{\"patterns\":[", 13), HC_OK);
    assert_int_equal(close(out), 0);
    assert_int_not_equal(patterns_load(fd, loaded, &diag), HC_OK);
    assert_non_null(strstr(diag.text, PATTERN_FILE));
    assert_int_equal(loaded->count, 0);
    patterns_free(saved);
    free(saved);
    free(loaded);
    assert_int_equal(unlinkat(fd, PATTERN_FILE, 0), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns__first_list__plain_entries_are_kept),
        cmocka_unit_test(test_patterns__taken_away_by_us__stays_known),
        cmocka_unit_test(test_patterns__removed_by_its_operator__is_forgotten),
        cmocka_unit_test(test_patterns__not_listed_since_the_agent_began__stays_known),
        cmocka_unit_test(test_patterns__edited_in_sunshines_page__learned),
        cmocka_unit_test(test_patterns__too_large__left_out_and_said),
        cmocka_unit_test(test_patterns__saved__read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
