#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "hydra/gamestream/launch.h"

#include "pairing_vectors.h"

static void test_app_id__published_names__their_ids(void **state)
{
    (void)state;
    static const struct { const char *name; int64_t id; } rows[] = { VECTOR_APP_IDS };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(gs_app_id(rows[i].name), rows[i].id);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_app_id__published_names__their_ids) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
