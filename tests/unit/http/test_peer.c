#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../src/http/peer.h"

static struct http_address parsed(const char *text)
{
    struct http_address address;
    assert_true(http_address_parse(text, &address));
    return address;
}

static void test_address__text__round_trips_in_one_form(void **state)
{
    (void)state;
    static const struct { const char *in, *out; bool loopback; } rows[] = {
        { "10.1.2.3", "10.1.2.3", false }, { "::ffff:10.1.2.3", "10.1.2.3", false }, { "127.9.9.9", "127.9.9.9", true },
        { "::1", "::1", true },
        { "2001:DB8::0:1", "2001:db8::1", false }, { "::ffff:127.0.0.1", "127.0.0.1", true }, { "::2", "::2", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct http_address address = parsed(rows[i].in);
        char text[HTTP_ADDRESS_TEXT_SIZE];
        http_address_format(&address, text);
        assert_string_equal(text, rows[i].out);
        assert_int_equal(http_address_is_loopback(&address), rows[i].loopback);
    }
    struct http_address none;
    assert_false(http_address_parse("10.1.2", &none));
    assert_false(http_address_parse("", &none));
    assert_false(http_address_parse("localhost", &none));
}

static void test_forwarded__list__newest_stranger_counts(void **state)
{
    (void)state;
    struct http_address proxies[] = { parsed("10.0.0.1"), parsed("10.0.0.2") };
    static const struct { const char *text, *peer; } rows[] = {
        { "192.0.2.7", "192.0.2.7" }, { "1.1.1.1, 192.0.2.7", "192.0.2.7" }, { "192.0.2.7,10.0.0.2 , 10.0.0.1", "192.0.2.7" },
        { "garbage, 192.0.2.7", "192.0.2.7" }, { "2001:db8::5", "2001:db8::5" }, { "10.0.0.1", NULL }, { "", NULL },
        { "192.0.2.7, x", NULL }, { "192.0.2.7,", NULL }, { "0123456789012345678901234567890123456789012345678901234567890", NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct http_address address;
        bool found = http_forwarded_for(rows[i].text, proxies, 2, &address);
        assert_int_equal(found, rows[i].peer != NULL);
        if (found) {
            struct http_address want = parsed(rows[i].peer);
            assert_true(http_address_same(&address, &want));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_address__text__round_trips_in_one_form),
        cmocka_unit_test(test_forwarded__list__newest_stranger_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
