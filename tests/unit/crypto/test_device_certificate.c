#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hydra/crypto/certificate.h"

#include "hydra/crypto/device_certificate.h"

static void test_device_certificate__made_twice__each_is_its_own_and_what_the_daemon_takes(void **state)
{
    (void)state;
    struct device_certificate made[2];
    for (size_t i = 0; i < 2; i++) {
        struct certificate_facts facts;
        assert_int_equal(device_certificate_new("node-1", &made[i]), HC_OK);
        assert_int_equal(crypto_certificate_read(made[i].pem.data, &facts, NULL), HC_OK);
        assert_string_equal(facts.fingerprint, made[i].fingerprint);
        assert_string_equal(facts.key, "EC-256");
        assert_true(facts.key_is_strong && facts.not_after.ms == made[i].not_after.ms && hc_time_before(facts.not_before, facts.not_after));
    }
    assert_string_not_equal(made[0].fingerprint, made[1].fingerprint);
    device_certificate_free(&made[0]);
    device_certificate_free(&made[1]);
}

static void test_device_certificate__name_that_no_certificate_can_have__is_an_error(void **state)
{
    (void)state;
    char name[100] = { 0 };
    struct device_certificate made;
    for (size_t i = 0; i < sizeof name - 1; i++)
        name[i] = 'x';
    assert_int_equal(device_certificate_new(name, &made), HC_ERR_CRYPTO);      /* X.509: at most 64 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_certificate__made_twice__each_is_its_own_and_what_the_daemon_takes),
        cmocka_unit_test(test_device_certificate__name_that_no_certificate_can_have__is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
