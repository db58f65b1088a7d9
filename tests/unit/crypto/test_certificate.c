#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificate__kind_of_key__told),
        cmocka_unit_test(test_certificate__no_pem__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
