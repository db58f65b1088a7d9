#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../../src/daemon/config.h"

/* A file in a temporary folder, removed by its own test. */
struct fixture { char folder[64], file[96], other[96]; };

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    hc_copy(f->folder, sizeof f->folder, "/tmp/hydra-config-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    (void)snprintf(f->file, sizeof f->file, "%s/c.yaml", f->folder);
    (void)snprintf(f->other, sizeof f->other, "%s/other", f->folder);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    (void)unlink(f->file);
    (void)unlink(f->other);
    assert_int_equal(rmdir(f->folder), 0);
    free(f);
    return 0;
}

static enum hc_err load(const struct fixture *f, const char *text, struct config_flags flags, struct daemon_config *config,
                        struct hc_diag *diag)
{
    if (text != NULL)
        put(f->file, text);
    flags.config_file = f->file;
    return config_load(&flags, config, diag);
}

static void test_config__example_file__loads_and_equals_the_defaults(void **state)
{
    (void)state;
    struct config_flags flags = { .config_file = "docs/hydraclusterd.example.yaml" };
    struct daemon_config example, plain;
    struct fixture *f = *state;
    struct hc_diag diag = { "" };
    assert_int_equal(config_load(&flags, &example, &diag), HC_OK);
    assert_int_equal(load(f, "", (struct config_flags){ 0 }, &plain, &diag), HC_OK);
    assert_string_equal(example.data_dir, plain.data_dir);
    assert_string_equal(example.listen, plain.listen);
    assert_string_equal(example.district, plain.district);
    assert_int_equal(example.keep_events, plain.keep_events);
    assert_int_equal(example.queue_max_tickets, plain.queue_max_tickets);
    assert_memory_equal(&example.session_files, &plain.session_files, sizeof plain.session_files);
    assert_memory_equal(&example.journal_files, &plain.journal_files, sizeof plain.journal_files);
    assert_int_equal(example.approve, plain.approve);
    assert_int_equal(example.metrics_open_on_loopback, plain.metrics_open_on_loopback);
    assert_memory_equal(&example.limits, &plain.limits, sizeof plain.limits);
    config_free(&example);
    config_free(&plain);
}

static void test_config__mistakes__named_with_file_line_and_key(void **state)
{
    static const struct { const char *text, *says; } rows[] = {
        { "lisen: 127.0.0.1:1\n", "c.yaml:1:" },
        { "district: default\nlimits:\n  conections: 3\n", "c.yaml:3:" },
        { "limits:\n  idle_seconds: 5\n", "idle_seconds" },
        { "limits:\n  header_bytes: 99999\n", "header_bytes" },
        { "listen: nowhere\n", "c.yaml:1:9: listen: must be ADDRESS:PORT" },
        { "district: d\nlisten: \":8080\"\n", "c.yaml:2:9: listen: " },
        { "listen: \"zz:8080\"\n", "c.yaml:1:9: listen: " },
        { "listen: \"127.0.0.1:65536\"\n", "c.yaml:1:9: listen: " },
        { "listen: \"127.0.0.1:80x\"\n", "c.yaml:1:9: listen: " },
        { "listen: \"[::1:80\"\n", "c.yaml:1:9: listen: " },
        { "trusted_proxies: [zz]\n", "c.yaml:1:19: trusted_proxies: must be an IP address" },
        { "trusted_proxies:\n  - 10.0.0.1\n  - 10.0.0.0/8\n", "c.yaml:3:5: trusted_proxies: must be an IP address" },
        { "trusted_proxies: [\"\"]\n", "trusted_proxies" },
        { "server_url: nonsense\n", "c.yaml:1:13: server_url: must be http://HOST" },
        { "server_url: \"https://\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"ftp://a.example\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"https://a b.example\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"https://u:p@a.example\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"https://a.example:0\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"https://a.example:99999\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"https://[zz]\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"https://[10.0.0.1]\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"https://[::1]x\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"https://a.example/x?y\"\n", "c.yaml:1:13: server_url: " },
        { "server_url: \"\"\n", "c.yaml:1:13: server_url: " },
        { "district: \"\"\n", "c.yaml:1:11: district: " },
        { "data_dir: \"\"\n", "c.yaml:1:11: data_dir: " },
        { "timers_file: \"\"\n", "c.yaml:1:14: timers_file: " },
        { "listen: \"0.0.0.0:8080\"\n", "loopback" },
        { "tls_cert: a.pem\n", "tls_key" },
        { "enrollment:\n  approve: sometimes\n", "approve" },
        { "events:\n  keep: 0\n", "keep" },
        { "queue:\n  max_tickets: 0\n", "max_tickets" },
        { "sessions:\n  segment_bytes: 1000\n", "c.yaml:2:18: segment_bytes: must be at least 1048576" },
        { "sessions:\n  keep_bytes: 67108865\n", "c.yaml:2:15: keep_bytes: two segments must fit" },
        { "sessions:\n  segment_bytes: 1073741824\n", "c.yaml:2:18: segment_bytes: two segments must fit" },
        { "sessions:\n  keep: 1\n", "c.yaml:2:" },
        { "journal:\n  segment_bytes: 1000\n", "c.yaml:2:18: segment_bytes: must be at least 1048576" },
        { "sunshine: [1]\n", "sunshine" },
        { "sunshine:\n  bxl1:\n    username: u\n", "password_file" },
        { "sunshine:\n  bxl1:\n    username: u\n    password_file: /nowhere/at/all\n", "/nowhere/at/all" },
        { "- a\n", "map" },
        { "data_dir: &a x\n", "c.yaml:1:" },
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct daemon_config config;
        struct hc_diag diag = { "" };
        assert_int_not_equal(load(f, rows[i].text, (struct config_flags){ 0 }, &config, &diag), HC_OK);
        if (strstr(diag.text, rows[i].says) == NULL)
            fail_msg("row %zu says '%s', wanted '%s'", i, diag.text, rows[i].says);
        config_free(&config);
    }
}

static void test_config__addresses_and_urls_that_are_some__are_taken(void **state)
{
    static const char *const texts[] = {
        "server_url: https://hydra.example\n", "server_url: \"http://hydra.example:8080/\"\n", "server_url: \"https://10.0.0.1/base\"\n",
        "server_url: \"https://[fd00::1]:8443\"\n", "server_url: \"https://[fd00::1]\"\n", "server_url:\n",
        "trusted_proxies: [10.0.0.1, \"fd00::1\"]\n", "trusted_proxies: []\n", "trusted_proxies:\n", "listen: \"[::1]:0\"\n",
        "listen: localhost:80\n", "listen: 127.0.0.1:65535\n", "tls_cert:\n",
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct daemon_config config;
        struct hc_diag diag = { "" };
        if (load(f, texts[i], (struct config_flags){ 0 }, &config, &diag) != HC_OK)
            fail_msg("%s: %s", texts[i], diag.text);
        config_free(&config);
    }
}

static void test_config__flags__win_over_the_file(void **state)
{
    struct fixture *f = *state;
    struct daemon_config config;
    struct config_flags flags = { .listen = "0.0.0.0:0", .insecure_http = true };
    assert_int_equal(load(f, "listen: \"127.0.0.1:99\"\ndata_dir: /srv/x\n", flags, &config, NULL), HC_OK);
    assert_string_equal(config.address, "0.0.0.0");
    assert_int_equal(config.port, 0);
    assert_string_equal(config.data_dir, "/srv/x");
    config_free(&config);
    flags = (struct config_flags){ .listen = "[::1]:8443" };
    assert_int_equal(load(f, "", flags, &config, NULL), HC_OK);
    assert_string_equal(config.address, "::1");
    assert_int_equal(config.port, 8443);
    config_free(&config);
}

static void test_config__timers__orders_kept_unless_unsafe(void **state)
{
    struct fixture *f = *state;
    struct daemon_config config;
    struct hc_diag diag = { "" };
    struct config_flags flags = { .timers_file = f->other };
    put(f->other, "leaseTTL: 95s\nclaimThrottleWindow: 0s\n");
    assert_int_equal(load(f, "", flags, &config, &diag), HC_OK);
    assert_int_equal(config.timers.lease_ttl_ms, 95000);
    assert_int_equal(config.timers.claim_throttle_window_ms, 0);
    config_free(&config);
    put(f->other, "leaseTTL: 10s\n");
    assert_int_not_equal(load(f, "", flags, &config, &diag), HC_OK);
    assert_non_null(strstr(diag.text, "leaseTTL"));
    config_free(&config);
    flags.unsafe_timers = true;
    assert_int_equal(load(f, "", flags, &config, &diag), HC_OK);
    config_free(&config);
    put(f->other, "leaseTLL: 90s\n");
    assert_int_not_equal(load(f, "", flags, &config, &diag), HC_OK);
    assert_non_null(strstr(diag.text, ":1:"));
    assert_non_null(strstr(diag.text, "leaseTLL"));
    config_free(&config);
    put(f->other, "leaseTTL: soon\n");
    assert_int_not_equal(load(f, "", flags, &config, &diag), HC_OK);
    config_free(&config);
}

static void test_config__sunshine__password_read_from_its_file(void **state)
{
    struct fixture *f = *state;
    struct daemon_config config;
    char text[256];
    put(f->other, "s3cret\n");
    (void)snprintf(text, sizeof text, "sunshine:\n  bxl1:\n    username: sun\n    password_file: %s\n", f->other);
    assert_int_equal(load(f, text, (struct config_flags){ 0 }, &config, NULL), HC_OK);
    assert_int_equal(config.sunshine_count, 1);
    assert_string_equal(config.sunshine[0].district, "bxl1");
    assert_string_equal(config.sunshine[0].username, "sun");
    assert_string_equal(config.sunshine[0].password, "s3cret");
    config_free(&config);
}

/* What the unit's LoadCredential=secrets:FOLDER makes of FOLDER/bxl1; without a service manager the name is meant beside the file. */
static void test_config__secret_named_relatively__credential_or_beside_the_file(void **state)
{
    static const char text[] = "tls_cert: /etc/cert.pem\ntls_key: secrets/key.pem\nsunshine:\n  bxl1:\n    username: sun\n"
                               "    password_file: other\n";
    struct fixture *f = *state;
    struct daemon_config config;
    char key[128];
    put(f->other, "s3cret\n");
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    assert_int_equal(load(f, text, (struct config_flags){ 0 }, &config, NULL), HC_OK);
    (void)snprintf(key, sizeof key, "%s/secrets/key.pem", f->folder);
    assert_string_equal(config.tls_key, key);
    assert_string_equal(config.tls_cert, "/etc/cert.pem");
    assert_string_equal(config.sunshine[0].password, "s3cret");
    config_free(&config);
    assert_int_equal(setenv("CREDENTIALS_DIRECTORY", f->folder, 1), 0);
    enum hc_err err = load(f, text, (struct config_flags){ 0 }, &config, NULL);
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    assert_int_equal(err, HC_OK);
    (void)snprintf(key, sizeof key, "%s/secrets_key.pem", f->folder);
    assert_string_equal(config.tls_key, key);
    config_free(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_config__example_file__loads_and_equals_the_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_config__mistakes__named_with_file_line_and_key, setup, teardown),
        cmocka_unit_test_setup_teardown(test_config__addresses_and_urls_that_are_some__are_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(test_config__flags__win_over_the_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_config__timers__orders_kept_unless_unsafe, setup, teardown),
        cmocka_unit_test_setup_teardown(test_config__sunshine__password_read_from_its_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_config__secret_named_relatively__credential_or_beside_the_file, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
