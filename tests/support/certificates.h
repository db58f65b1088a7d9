/* certificates.h - certificates made for the tests alone, self-signed, valid from 2000 to 2100 unless the name says otherwise. */
#ifndef SUPPORT_CERTIFICATES_H
#define SUPPORT_CERTIFICATES_H

struct test_certificate { const char *pem, *fingerprint; };      /* SHA-256 of the DER */
#define CERTIFICATE_NOT_AFTER "2100-01-01T00:00:00Z"

/* P-256 */
static const struct test_certificate certificate_one __attribute__((unused)) = {
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBGDCBvwIULBkb4L7ZOnrVGQhg6KO6bL22ru0wCgYIKoZIzj0EAwIwDjEMMAoG\n"
    "A1UEAwwDb25lMCAXDTAwMDEwMTAwMDAwMFoYDzIxMDAwMTAxMDAwMDAwWjAOMQww\n"
    "CgYDVQQDDANvbmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQEFxVG0GdQSDET\n"
    "svwFvovuIUiE4Kcv5Gu2VzpNm5NJI+g2PASHHUr40PnMuMzQJYYMl3VC8EYQrJwf\n"
    "+gaJBX2vMAoGCCqGSM49BAMCA0gAMEUCIQDXM1JcGv3eB+93/eR55K9ZmQDoEeCw\n"
    "RFQMVOO8Wu2sqAIgBQQ/lo3sfQCQvnftXelMKv13EpnM0lCMro7mRmZmKo0=\n"
    "-----END CERTIFICATE-----\n",
    "4592969417fbded76cd6b245f8a95d548253ee4c9329c2b1d4caa82e04ae3095",
};

/* P-256 */
static const struct test_certificate certificate_two __attribute__((unused)) = {
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBGTCBvwIUTuo/1n8bbxKx/1hjkLRatoN0Oe8wCgYIKoZIzj0EAwIwDjEMMAoG\n"
    "A1UEAwwDdHdvMCAXDTAwMDEwMTAwMDAwMFoYDzIxMDAwMTAxMDAwMDAwWjAOMQww\n"
    "CgYDVQQDDAN0d28wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATfV38UTf+kUbRi\n"
    "lnfAdlud48MdttKxpJ8MhJ1hv5K60SxU7osNuyZgkLzXGGvUbZ1U99HK1yy6Lded\n"
    "KszXFoyrMAoGCCqGSM49BAMCA0kAMEYCIQDqsuRB5uMjoL00N4GectORBpv1H7ya\n"
    "CBpHjul8Zr7jbgIhAK9Cnivw9b8VeJ0rzWNGwLS6zXsvNl9J2MUTTTRvwcxp\n"
    "-----END CERTIFICATE-----\n",
    "f98b29b5532ac3c270fddea3bfc671965555e3da05e8ccb2c5b60c78f6b9a55b",
};

/* P-256 */
static const struct test_certificate certificate_three __attribute__((unused)) = {
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBHDCBwwIUaUXcGPBZAwIa84Wzdo1W7/SKveYwCgYIKoZIzj0EAwIwEDEOMAwG\n"
    "A1UEAwwFdGhyZWUwIBcNMDAwMTAxMDAwMDAwWhgPMjEwMDAxMDEwMDAwMDBaMBAx\n"
    "DjAMBgNVBAMMBXRocmVlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEGT97vSSY\n"
    "/RjzWD6Xt0ZFHFqim6t3Badv1LOjErAZdHDMTlDKOEAUptQWl0T7twKzc/8Yhgen\n"
    "kj5/JJfSrl7OpDAKBggqhkjOPQQDAgNIADBFAiAciKd9tyvtRvo7W/c2Z+evqYzd\n"
    "0/qUCm61jBAHhPsSlQIhALakSsQPyDcZBD5kajih5mvtiUHDP+OuSIOEGq0Gs6J/\n"
    "-----END CERTIFICATE-----\n",
    "77d819aa4ed055bb7c0de666436c1bf3079a5a2d57f3503d013db0823ec3c7fe",
};

/* P-256, over since 2001 */
static const struct test_certificate certificate_expired __attribute__((unused)) = {
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBFjCBvQIUSDR/FlKk01xVTETYIWOCXjVdOtAwCgYIKoZIzj0EAwIwDjEMMAoG\n"
    "A1UEAwwDb2xkMB4XDTAwMDEwMTAwMDAwMFoXDTAxMDEwMTAwMDAwMFowDjEMMAoG\n"
    "A1UEAwwDb2xkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEM7B3LeDBPFDFfGRn\n"
    "0xE+9EDNJxbonXuixLdGObuYnSTqJWJH8/uz+JoyFUKxQlh/pw9NvGRhmIFddrCn\n"
    "o1C6WDAKBggqhkjOPQQDAgNIADBFAiArba59hT8RBA9ZSDw5tSH6n/toCoCH482D\n"
    "Q+wcDN8KtQIhAKg9xxtiGvtJ+zf1hedgF+vY5zRsWZYOhBGmwLfJF+cX\n"
    "-----END CERTIFICATE-----\n",
    "3b6940fe6a94c87fd6787fa3409b84892851250e120b529a53b4400e7e77fa42",
};

/* P-256, from 2099 */
static const struct test_certificate certificate_early __attribute__((unused)) = {
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBHTCBxQIUALDQecnxGx3w6rIeKk0FaGad08AwCgYIKoZIzj0EAwIwEDEOMAwG\n"
    "A1UEAwwFZWFybHkwIhgPMjA5OTAxMDEwMDAwMDBaGA8yMTAwMDEwMTAwMDAwMFow\n"
    "EDEOMAwGA1UEAwwFZWFybHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASQoCzM\n"
    "LPyjM/iUenQzRdVPTnFUprROrqsh5xLUmowOlk14qL9Sq2M2W1lcmjHlpsh5Q6LJ\n"
    "zdJ2j4mtDhnKnLnHMAoGCCqGSM49BAMCA0cAMEQCID0EmaJemMvyowNOYvk8Dti5\n"
    "ucSFNmL2X+oLAHQ110XtAiAg8tWCVnT7bhtMGDsMzN6xzXYKwrv4A0Tuh/lYVrmc\n"
    "DA==\n"
    "-----END CERTIFICATE-----\n",
    "e967c523515e45ef72d095abd7f573c7a0860db8f8cfbc29f3dde195cb39e71e",
};

/* RSA-1024 */
static const struct test_certificate certificate_weak_rsa __attribute__((unused)) = {
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBqDCCARECFA1hGymKAitW3qPqzGYX6nHmeqrpMA0GCSqGSIb3DQEBCwUAMBIx\n"
    "EDAOBgNVBAMMB3dlYWtyc2EwIBcNMDAwMTAxMDAwMDAwWhgPMjEwMDAxMDEwMDAw\n"
    "MDBaMBIxEDAOBgNVBAMMB3dlYWtyc2EwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJ\n"
    "AoGBAMn6uGWKOfBrepLqYoE7cW6E99aT5e+RnKY1AriHE8oc7MtW6mGrlQREMQh3\n"
    "sfIWIZcZuOqpr72bfjnDd5GHuKSSQ4yVsXk3xaPzTsAQbngfhaT4rfAY0Z3r1TXg\n"
    "MXu0Q5PM1qJrwXfu+mNpfKaeatRY7aE92JRdDY/IIcQEc5C3AgMBAAEwDQYJKoZI\n"
    "hvcNAQELBQADgYEALi1UcNQdBDyYnM0B1RhWzjLv/R2Fjwcq82RSrdanCNoxvpE5\n"
    "BdpJ0z2XIG1XxP8CXFrU43p13F3k8DqKYZ5GRQ3vTl3BvXJlGzWNV0HZbT+k2xv5\n"
    "vGcnITTvkft8MIr2sWnWi1XFyOkgObsalD1OpyPd20XfHd85gSrIQjG+gR0=\n"
    "-----END CERTIFICATE-----\n",
    "81d243127b24e92611f4aa1e95927c70080b80c146f64f5d7f09e60b474c13dd",
};

/* P-224 */
static const struct test_certificate certificate_weak_ec __attribute__((unused)) = {
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBCzCBugIUVaL0gxt5N1Q6WfHhYqd76BFG7CowCgYIKoZIzj0EAwIwETEPMA0G\n"
    "A1UEAwwGd2Vha2VjMCAXDTAwMDEwMTAwMDAwMFoYDzIxMDAwMTAxMDAwMDAwWjAR\n"
    "MQ8wDQYDVQQDDAZ3ZWFrZWMwTjAQBgcqhkjOPQIBBgUrgQQAIQM6AAT2L+W6+Bzz\n"
    "ycpGUfpyb5yO+arAyutyOwxdrk929uTdOCqlPk51IUfQOZt9yugGJywVB4n4x607\n"
    "+DAKBggqhkjOPQQDAgNAADA9Ah0A6dxWKS1mRe2ZXOf1mSpUkdppIHZqi6/tJzm2\n"
    "CgIcLo1d24/7oKwkL1YNdwf08ikxczCO8wZdyC9ODw==\n"
    "-----END CERTIFICATE-----\n",
    "aed455504fd497a189c007c126c160c8659bbba1b9b150dc3faf52a50f861879",
};

/* Ed25519 */
static const struct test_certificate certificate_ed25519 __attribute__((unused)) = {
    "-----BEGIN CERTIFICATE-----\n"
    "MIHYMIGLAhRX0OpkTDTtLsnehRLnA5zJtrHUwTAFBgMrZXAwDjEMMAoGA1UEAwwD\n"
    "ZWR3MCAXDTAwMDEwMTAwMDAwMFoYDzIxMDAwMTAxMDAwMDAwWjAOMQwwCgYDVQQD\n"
    "DANlZHcwKjAFBgMrZXADIQDpEsD1QF0NOS2PjGAPGvA9L1LmA9TbrXHwNaWlebia\n"
    "2jAFBgMrZXADQQBwdycDVZ6W4Np1zfatIpJ5JOdEvA0t2ZHarqXFeXagEtWVl68I\n"
    "A4jtgxz7YtnLvnLWoBgwk+Zw0lm2a6aQuQ0K\n"
    "-----END CERTIFICATE-----\n",
    "da591b06700a8d57d64fee4d9fb5f30e3bec9651e0a6a54383bca15c570ac874",
};

#endif
