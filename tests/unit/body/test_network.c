#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../../src/body/network.h"

static void test_network_parse__table__taken_or_refused(void **state)
{
    (void)state;
    static const struct { const char *text; bool ok; } rows[] = {
        { "10.10.0.0/16", true }, { "10.10.3.4", true }, { "0.0.0.0/0", true }, { "fd00::/8", true }, { "::1", true },
        { "::ffff:10.10.0.0", true }, { "10.10.0.1/16", false }, { "10.10.0.0/33", false }, { "10.10.0.0/", false },
        { "10.10.0.0/1x", false }, { "10.10.0.0/-1", false }, { "10.10/16", false }, { "", false }, { "/8", false }, { "venue", false },
        { "fd00::/129", false }, { "fd00::1/8", false },
        { "1111111111111111111111111111111111111111111111111111111111111111111", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct network network;
        if (network_parse(rows[i].text, &network) != rows[i].ok)
            fail_msg("'%s' should be %s", rows[i].text, rows[i].ok ? "taken" : "refused");
    }
}

static void test_network_has__table__inside_or_outside(void **state)
{
    (void)state;
    static const struct { const char *network, *address; bool has; } rows[] = {
        { "10.10.0.0/16", "10.10.255.1", true }, { "10.10.0.0/16", "10.11.0.1", false }, { "10.10.0.0/16", "::ffff:10.10.1.1", true },
        { "10.10.0.0/16", "fd00::1", false }, { "0.0.0.0/0", "192.0.2.1", true }, { "fd00::/8", "fdab::1", true },
        { "fd00::/8", "fe80::1", false }, { "10.10.3.4", "10.10.3.4", true }, { "10.10.3.4", "10.10.3.5", false },
        { "10.10.0.0/16", "10.10.1", false }, { "10.10.0.0/16", "", false }, { "128.0.0.0/1", "127.0.0.1", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct network network;
        assert_true(network_parse(rows[i].network, &network));
        if (network_has(&network, rows[i].address) != rows[i].has)
            fail_msg("%s in %s should be %d", rows[i].address, rows[i].network, rows[i].has);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network_parse__table__taken_or_refused),
        cmocka_unit_test(test_network_has__table__inside_or_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
