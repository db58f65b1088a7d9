#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "certificates.h"
#include "hydra/crypto/certificate.h"

/* Self-signed certificates made for this test alone, one per kind of key. */
static const char ec_pem[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBdDCCARugAwIBAgIUKG1JcttXBhkTmHzkRsXerjoaQCEwCgYIKoZIzj0EAwIw\n"
    "DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMzAwNzM1MjNaGA8yMTI2MTEwNjA3MzUy\n"
    "M1owDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABL9S\n"
    "zhzymWf1JgR3TBjjwXfEb3Y9cTduF26eRgOWCjlw2nWamyHiK3Lwi3nZv+i9Vcub\n"
    "ad+Q8xHVe1SGgMRMq7GjUzBRMB0GA1UdDgQWBBSfLCbxB/cieavytRG9vzXnLG7K\n"
    "IzAfBgNVHSMEGDAWgBSfLCbxB/cieavytRG9vzXnLG7KIzAPBgNVHRMBAf8EBTAD\n"
    "AQH/MAoGCCqGSM49BAMCA0cAMEQCIDi85cUu4bQKDyR6Oe0qOam8/e19jQxjxK24\n"
    "e3c6zkIuAiAqiWBoNF8ENRxj1v7mX/Y73gPy6ZGTrbHWJDvOD5k0PA==\n"
    "-----END CERTIFICATE-----\n";
static const char rsa_pem[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIDATCCAemgAwIBAgIUOK9anGzNyzoglyIb6JWcszhTau4wDQYJKoZIhvcNAQEL\n"
    "BQAwDzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMzAwNzM1MjNaGA8yMTI2MTEwNjA3\n"
    "MzUyM1owDzENMAsGA1UEAwwEdGVzdDCCASIwDQYJKoZIhvcNAQEBBQADggEPADCC\n"
    "AQoCggEBAJqDzxbsqePgTyMhKfaBR0dMDmD9Za2UWOeqkio+JuE0xU0/csveNCpB\n"
    "nCoCGdG25wwYcsGkBChPZVgFMKZE0pgUuxIWX4EoJ4OWNOCjw5ZYxisSaIvTRl7n\n"
    "i69k6AonWqXntnzLWw58KEAjXUwUXeNUSb1Ax96Cyw7rOA7cVvtM1iXIJmvTxHDm\n"
    "qp8lGkTZ3fLmX5bbPeudqzK4v8oAisOdE3RuqO6xd7H65UCWB1C4PJrOjvjMiVgW\n"
    "YwGGSeR1Sa3xc6EbObr78I00/Wp1H8+hpjqxEJ/aATUVwdaxUhFsAS6aGua3hHcQ\n"
    "IuA4Izha+/hfw+Dl6M4abFq9ltRJ9LkCAwEAAaNTMFEwHQYDVR0OBBYEFOF0JSHs\n"
    "6pzQ64xkUv/UOVl/7QGVMB8GA1UdIwQYMBaAFOF0JSHs6pzQ64xkUv/UOVl/7QGV\n"
    "MA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEBAB2T8y/g6EO1/8Wj\n"
    "X4MTUVUdjJyz8ms1elQL6upfeGhLKD1rpjBzLmvYoGwR0NqAsqGOd3cByiGk7pad\n"
    "PMCZJhYZ53GRJRWdJSIyOQf+vvwGR/GMlrM0ljPmfrPOHhvmPnDyVqj0uFF8G10w\n"
    "reAPE909gh3AOX1elCUajxBz130i2KwN4z5ALcFW/+F6aOHJV5xvpHbxnTY0IMIA\n"
    "ewqrBoP2eGUF/J++yXTi2C79ZhVfzqrqgkERbOTexFpymghS317GPYvAHvI1ip3e\n"
    "z8OOovGV55Bm3IoPEmn+gKZAQflKemJNglsc5D9QAb82dbFmcRgBDTIdhp98qPdw\n"
    "/KfHUTs=\n"
    "-----END CERTIFICATE-----\n";

static void test_certificate__kind_of_key__told(void **state)
{
    (void)state;
    bool ecdsa = false;
    assert_int_equal(crypto_certificate_is_ecdsa(ec_pem, &ecdsa, NULL), HC_OK);
    assert_true(ecdsa);
    assert_int_equal(crypto_certificate_is_ecdsa(rsa_pem, &ecdsa, NULL), HC_OK);
    assert_false(ecdsa);
}

static void test_certificate__no_pem__refused(void **state)
{
    (void)state;
    bool ecdsa;
    struct hc_diag diag = { "" };
    assert_int_equal(crypto_certificate_is_ecdsa("", &ecdsa, &diag), HC_ERR_SYNTAX);
    assert_int_equal(crypto_certificate_is_ecdsa("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", &ecdsa, &diag),
                     HC_ERR_SYNTAX);
    assert_string_not_equal(diag.text, "");
}

static const struct { const struct test_certificate *from; const char *key; bool strong; } read_rows[] = {
    { &certificate_one, "EC-256", true },           { &certificate_weak_rsa, "RSA-1024", false }, { &certificate_weak_ec, "EC-224", false },
    { &certificate_ed25519, "ED25519", true },
};

static void test_read__each_kind_of_key__is_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof read_rows / sizeof read_rows[0]; i++) {
        struct certificate_facts facts;
        assert_int_equal(crypto_certificate_read(read_rows[i].from->pem, &facts, NULL), HC_OK);
        assert_string_equal(facts.fingerprint, read_rows[i].from->fingerprint);
        assert_string_equal(facts.key, read_rows[i].key);
        assert_int_equal(facts.key_is_strong, read_rows[i].strong);
    }
    struct certificate_facts rsa;
    assert_int_equal(crypto_certificate_read(rsa_pem, &rsa, NULL), HC_OK);
    assert_string_equal(rsa.key, "RSA-2048");
    assert_true(rsa.key_is_strong);
}

static void test_read__validity__is_told_to_the_second(void **state)
{
    (void)state;
    struct certificate_facts facts;
    hc_time from, until;
    assert_int_equal(hc_time_parse("2000-01-01T00:00:00Z", &from), HC_OK);
    assert_int_equal(hc_time_parse("2001-01-01T00:00:00Z", &until), HC_OK);
    assert_int_equal(crypto_certificate_read(certificate_expired.pem, &facts, NULL), HC_OK);
    assert_int_equal(facts.not_before.ms, from.ms);
    assert_int_equal(facts.not_after.ms, until.ms);
    assert_int_equal(hc_time_parse("2099-01-01T00:00:00Z", &from), HC_OK);
    assert_int_equal(hc_time_parse(CERTIFICATE_NOT_AFTER, &until), HC_OK);
    assert_int_equal(crypto_certificate_read(certificate_early.pem, &facts, NULL), HC_OK);
    assert_int_equal(facts.not_before.ms, from.ms);
    assert_int_equal(facts.not_after.ms, until.ms);
}

static void refuses(const char *pem, enum hc_err want)
{
    struct certificate_facts facts = { .key = "untouched" };
    struct hc_diag diag = { "" };
    if (crypto_certificate_read(pem, &facts, &diag) != want)
        fail_msg("%.60s: not refused as it should", pem);
    assert_string_equal(facts.key, "untouched");
    assert_true(strncmp(diag.text, "certificate: ", 13) == 0);
}

static void test_read__anything_but_one_certificate__is_refused(void **state)
{
    (void)state;
    char text[2 * CERTIFICATE_PEM_MAX];
    refuses("", HC_ERR_SYNTAX);
    refuses("not a certificate", HC_ERR_SYNTAX);
    refuses("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", HC_ERR_SYNTAX);
    refuses("-----BEGIN CERTIFICATE-----\n", HC_ERR_SYNTAX);
    refuses("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n", HC_ERR_SYNTAX);
    (void)snprintf(text, sizeof text, "%s%s", certificate_one.pem, certificate_two.pem);
    refuses(text, HC_ERR_SYNTAX);
    (void)snprintf(text, sizeof text, "%s-----BEGIN PRIVATE KEY-----\n", certificate_one.pem);
    refuses(text, HC_ERR_SYNTAX);
    (void)snprintf(text, sizeof text, "comment\n%s", certificate_one.pem);
    refuses(text, HC_ERR_SYNTAX);
    (void)snprintf(text, sizeof text, "%scomment", certificate_one.pem);
    refuses(text, HC_ERR_SYNTAX);
    struct certificate_facts facts;
    (void)snprintf(text, sizeof text, " \r\n%s \n", certificate_one.pem);
    assert_int_equal(crypto_certificate_read(text, &facts, NULL), HC_OK);
    (void)snprintf(text, sizeof text, "%s%*s", certificate_one.pem, CERTIFICATE_PEM_MAX, "");
    refuses(text, HC_ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificate__kind_of_key__told),
        cmocka_unit_test(test_certificate__no_pem__refused),
        cmocka_unit_test(test_read__each_kind_of_key__is_judged),
        cmocka_unit_test(test_read__validity__is_told_to_the_second),
        cmocka_unit_test(test_read__anything_but_one_certificate__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
