/* docs/STATES.md has the tables of XR sessions as they are. HYDRA_GOLDEN_UPDATE=1 writes them anew. */
#include "headset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../src/core/xr.h"

#define PAGE     "docs/STATES.md"
#define BEGIN    "<!-- xr: begin -->\n"
#define END      "<!-- xr: end -->"
#define PAGE_MAX 65536

static size_t add(char *out, size_t len, const char *text)
{
    size_t more = strlen(text);
    assert_true(len + more < PAGE_MAX);
    memcpy(out + len, text, more + 1);
    return len + more;
}

static void tables(char *out)
{
    char row[256];
    size_t len = add(out, 0, "| from | on | to |\n|---|---|---|\n");
    for (size_t i = 0; i < xr_edge_count; i++) {
        const struct xr_edge *edge = &xr_edges[i];
        const char *to = edge->to == XR_NONE ? "over" : word_of(&xr_state_words, (int)edge->to);
        (void)snprintf(row, sizeof row, "| `%s` | `%s` | `%s` |\n", word_of(&xr_state_words, (int)edge->from), xr_event_name(edge->on), to);
        len = add(out, len, row);
    }
    len = add(out, len, "\n| the session is | the lease is | it gets |\n|---|---|---|\n");
    for (size_t i = 0; i < xr_follow_count; i++) {
        const struct xr_follow *follow = &xr_follows[i];
        const char *is = follow->is == XR_NONE ? "over" : word_of(&xr_state_words, (int)follow->is);
        (void)snprintf(row, sizeof row, "| `%s` | `%s` | `%s` |\n", is,
                       word_of(&lease_state_words, (int)follow->from), lease_event_name(follow->on));
        len = add(out, len, row);
    }
}

static void test_xr_doc__tables__are_those_of_the_code(void **state)
{
    (void)state;
    static char page[PAGE_MAX], want[PAGE_MAX], fresh[PAGE_MAX];
    FILE *in = fopen(PAGE, "r");
    assert_non_null(in);
    page[fread(page, 1, sizeof page - 1, in)] = '\0';
    (void)fclose(in);
    char *begin = strstr(page, BEGIN), *end = strstr(page, END);
    assert_true(begin != NULL && end != NULL && begin < end);
    begin += strlen(BEGIN);
    tables(want);
    bool same = (size_t)(end - begin) == strlen(want) && memcmp(begin, want, strlen(want)) == 0;
    if (!same && getenv("HYDRA_GOLDEN_UPDATE") != NULL) {
        memcpy(fresh, page, (size_t)(begin - page));
        size_t len = add(fresh, (size_t)(begin - page), want);
        (void)add(fresh, len, end);
        FILE *out = fopen(PAGE, "w");
        assert_non_null(out);
        assert_true(fputs(fresh, out) >= 0);
        assert_int_equal(fclose(out), 0);
        same = true;
    }
    if (!same)
        fail_msg("%s has other tables of XR sessions than the code; HYDRA_GOLDEN_UPDATE=1 writes them", PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_xr_doc__tables__are_those_of_the_code) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
