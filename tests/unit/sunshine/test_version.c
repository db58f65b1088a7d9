#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "hydra/sunshine/sunshine.h"

static void test_sunshine_version__each_release__what_it_can(void **state)
{
    (void)state;
    static const struct { const char *version; unsigned features; } rows[] = {
        { "0.23.1", 0 }, { "v0.23.1", 0 }, { "", 0 }, { "nightly", 0 }, { "2026", 0 }, { "2026.816", 0 }, { "2025.117.999999", 0 },
        { "2025.118.151840", SUNSHINE_NAMES }, { "v2025.924.154138", SUNSHINE_NAMES }, { "2026.516.143832", SUNSHINE_NAMES },
        { "2026.516.143833", SUNSHINE_NAMES | SUNSHINE_ENABLE }, { "2026.600.0", SUNSHINE_NAMES | SUNSHINE_ENABLE },
        { "2026.816.192458", SUNSHINE_NAMES | SUNSHINE_ENABLE | SUNSHINE_ENABLE_ONE },
        { "v2027.1.1-dirty", SUNSHINE_NAMES | SUNSHINE_ENABLE | SUNSHINE_ENABLE_ONE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (sunshine_features_of(rows[i].version) != rows[i].features)
            fail_msg("%s: %x", rows[i].version, sunshine_features_of(rows[i].version));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sunshine_version__each_release__what_it_can) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
