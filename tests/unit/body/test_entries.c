#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/body/entries.h"

#define TOKEN "Rupelmonde#7c1e00112233445566778899aabbccdd"
#define OLD   "Rupelmonde#00000000000000000000000000000000"

static const char *const experiences[] = { "Desktop", "Poke", "Rupelmonde" };

struct row { const char *what; const char *wanted[4], *published[6], *changes, *missing; };
static const struct row rows[] = {
    { "free", { "Poke", "Rupelmonde" }, { "Poke", "Rupelmonde", "Steam Big Picture" }, "", NULL },
    { "leased, enforce", { TOKEN }, { "Poke", "Rupelmonde", "Steam Big Picture" }, "-Poke -Rupelmonde +" TOKEN "(Rupelmonde) ", NULL },
    { "leased, observe", { "Rupelmonde", TOKEN }, { "Rupelmonde" }, "+" TOKEN "(Rupelmonde) ", NULL },
    { "the next lease", { TOKEN }, { OLD }, "-" OLD " +" TOKEN "(Rupelmonde) ", NULL },
    { "free again", { "Rupelmonde" }, { TOKEN }, "-" TOKEN " +Rupelmonde(Rupelmonde) ", NULL },
    { "maintenance", { "Rupelmonde", "Desktop" }, { "Rupelmonde" }, "+Desktop(Desktop) ", NULL },
    { "doubles", { "Poke" }, { "Poke", "Poke", "Poke" }, "-Poke -Poke ", NULL },
    { "an experience that is not here", { "Ghost" }, { "Poke" }, "-Poke ", "Ghost" },
    { "a name that only looks like ours", { "Poke" }, { "Poke", "Pokemon", "Poke#1", "C#" }, "", NULL },
};

static size_t count_of(const char *const *items, size_t most)
{
    size_t n = 0;
    while (n < most && items[n] != NULL)
        n++;
    return n;
}

static void test_entries__every_row__changes_and_no_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        const struct entries_facts facts = { row->wanted, count_of(row->wanted, 4), row->published, count_of(row->published, 6),
            experiences, 3 };
        struct hc_arena arena = { 0 };
        struct entry_change *changes = NULL;
        size_t count = 0;
        const char *missing = NULL;
        char got[500] = "";
        assert_int_equal(entries_plan(&facts, &arena, &changes, &count, &missing), HC_OK);
        for (size_t k = 0; k < count; k++) {
            size_t len = strlen(got);
            if (changes[k].add)
                (void)snprintf(got + len, sizeof got - len, "+%s(%s) ", changes[k].name, changes[k].pattern);
            else
                (void)snprintf(got + len, sizeof got - len, "-%s ", changes[k].name);
        }
        if (strcmp(got, row->changes) != 0 || !hc_same(missing, row->missing))
            fail_msg("%s: %s, missing %s", row->what, got, missing == NULL ? "nothing" : missing);
        hc_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_entries__every_row__changes_and_no_others) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
