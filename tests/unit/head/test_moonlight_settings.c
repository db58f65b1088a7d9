#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hydra/os/file.h"

#include "../../../src/head/moonlight_settings.h"

#define CERT "-----BEGIN CERTIFICATE-----\nMIIC+/A=\n-----END CERTIFICATE-----\n"
#define KEY  "-----BEGIN PRIVATE KEY-----\nMIIE==\n-----END PRIVATE KEY-----\n"
#define CERT_VALUE "\"@ByteArray(-----BEGIN CERTIFICATE-----\\nMIIC+/A=\\n-----END CERTIFICATE-----\\n)\""
#define KEY_VALUE  "\"@ByteArray(-----BEGIN PRIVATE KEY-----\\nMIIE==\\n-----END PRIVATE KEY-----\\n)\""

static char cert[] = CERT, key[] = KEY;
static struct identity identity = { .device_uid = "b46dd30b225109ce", .cert_pem = cert, .key_pem = key };
static const struct moonlight_host host = { .unique_id = "UUID-1", .name = "boom", .address = "10.0.0.7", .port = 47989, .cert_pem = CERT };

static char *edit(const char *old)
{
    struct hc_buf out = { 0 };
    struct hc_diag diag = { "" };
    if (moonlight_settings_edit(old, &identity, &host, &out, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    return out.data;
}

static const char fresh[] =
    "[General]\ncertificate=" CERT_VALUE "\nkey=" KEY_VALUE "\nuniqueid=\"b46dd30b225109ce\"\n\n"
    "[hosts]\n1\\hostname=\"boom\"\n1\\uuid=\"UUID-1\"\n1\\manualaddress=\"10.0.0.7\"\n1\\localaddress=\"10.0.0.7\"\n1\\manualport=47989\n"
    "1\\localport=47989\n1\\srvcert=" CERT_VALUE "\nsize=1\n";

static void test_settings__no_file_yet__as_moonlight_reads_it(void **state)
{
    (void)state;
    char *text = edit("");
    assert_string_equal(text, fresh);
    hc_free(text);
}

static void test_settings__written_twice__the_same(void **state)
{
    (void)state;
    char *text = edit(fresh);
    assert_string_equal(text, fresh);
    hc_free(text);
}

static void test_settings__foreign_keys__stay_as_they_are(void **state)
{
    (void)state;
    static const char old[] =
        "; a comment\n[General]\nwidth=3840\ncertificate=@ByteArray(old)\nkey=\"@ByteArray(old=)\"\nlanguage=0\n\n"
        "[gcmapping]\nsize=0\n\n[hosts]\n1\\hostname=other\n1\\uuid=UUID-0\n1\\srvcert=@ByteArray(x)\n1\\apps\\size=1\n2\\uuid=UUID-1\n"
        "2\\hostname=was\n2\\customname=true\nsize=2\n";
    char *text = edit(old);
    static const char want[] =
        "; a comment\n[General]\nwidth=3840\ncertificate=" CERT_VALUE "\nkey=" KEY_VALUE "\nlanguage=0\nuniqueid=\"b46dd30b225109ce\"\n\n"
        "[gcmapping]\nsize=0\n\n[hosts]\n1\\hostname=other\n1\\uuid=UUID-0\n1\\srvcert=@ByteArray(x)\n1\\apps\\size=1\n2\\uuid=\"UUID-1\"\n"
        "2\\hostname=\"boom\"\n2\\customname=true\nsize=2\n2\\manualaddress=\"10.0.0.7\"\n2\\localaddress=\"10.0.0.7\"\n"
        "2\\manualport=47989\n"
        "2\\localport=47989\n2\\srvcert=" CERT_VALUE "\n";
    assert_string_equal(text, want);
    hc_free(text);
}

static void test_settings__another_host__gets_the_next_place(void **state)
{
    (void)state;
    char *text = edit("[hosts]\r\n1\\uuid=UUID-0\r\nsize=1\r\n");
    assert_non_null(strstr(text, "2\\uuid=\"UUID-1\"\n"));
    assert_non_null(strstr(text, "\nsize=2\n"));
    assert_null(strstr(text, "size=1"));
    hc_free(text);
}

/* moonlight-qt reads its backup of the list first when there is one. */
static void test_settings__unfinished_backup__is_told_too(void **state)
{
    (void)state;
    char *text = edit("[hostsbackup]\n1\\uuid=UUID-1\n1\\srvcert=@ByteArray(old)\nsize=1\n");
    assert_non_null(strstr(text, "[hostsbackup]\n1\\uuid=\"UUID-1\"\n1\\srvcert=" CERT_VALUE));
    hc_free(text);
    text = edit("[hostsbackup]\nsize=0\n");
    assert_null(strstr(strstr(text, "[hostsbackup]"), "srvcert=\"@ByteArray(old"));
    assert_non_null(strstr(text, "[hostsbackup]\nsize=0\n"));
    hc_free(text);
}

static void test_settings__odd_characters__written_as_qt_does(void **state)
{
    (void)state;
    struct moonlight_host odd = host;
    struct hc_buf out = { 0 };
    odd.name = "a\"b\\c\x01" "1;d=e";
    assert_int_equal(moonlight_settings_edit("", &identity, &odd, &out, NULL), HC_OK);
    assert_non_null(strstr(out.data, "1\\hostname=\"a\\\"b\\\\c\\x1\\x31;d=e\"\n"));
    hc_buf_free(&out);
}

static void test_settings__file__private_and_whole(void **state)
{
    (void)state;
    char folder[64] = "/tmp/hydra-head-XXXXXX", path[128], inner[96];
    struct stat facts;
    struct hc_diag diag = { "" };
    assert_non_null(mkdtemp(folder));
    (void)snprintf(inner, sizeof inner, "%s/Moonlight Game", folder);
    (void)snprintf(path, sizeof path, "%s/Moonlight.conf", inner);
    for (unsigned i = 0; i < 2; i++) {
        if (moonlight_settings_write(path, &identity, &host, &diag) != HC_OK)
            fail_msg("%s", diag.text);
        assert_int_equal(stat(path, &facts), 0);
        assert_int_equal(facts.st_mode & 0777, 0600);
        char *text = NULL;
        size_t len;
        assert_int_equal(os_file_read(AT_FDCWD, path, 65536, &text, &len, NULL, NULL), HC_OK);
        assert_string_equal(text, fresh);
        hc_free(text);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings__no_file_yet__as_moonlight_reads_it),
        cmocka_unit_test(test_settings__written_twice__the_same),
        cmocka_unit_test(test_settings__foreign_keys__stay_as_they_are),
        cmocka_unit_test(test_settings__another_host__gets_the_next_place),
        cmocka_unit_test(test_settings__unfinished_backup__is_told_too),
        cmocka_unit_test(test_settings__odd_characters__written_as_qt_does),
        cmocka_unit_test(test_settings__file__private_and_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
