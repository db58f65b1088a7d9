#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/buf.h"

#include "../../../src/body/config.h"

#define TEXT_SIZE 8192

/* A folder with a configuration and its secrets, removed by its own test. */
struct fixture { char folder[64], file[96], example[TEXT_SIZE]; };
static const char *const names[] = { "c.yaml", "hydrabody.token", "sunshine.password" };

static void path_of(const struct fixture *f, const char *name, char path[128])
{
    (void)snprintf(path, 128, "%s/%s", f->folder, name);
}

static void put(const struct fixture *f, const char *name, const char *text)
{
    char path[128];
    path_of(f, name, path);
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    hc_copy(f->folder, sizeof f->folder, "/tmp/hydra-body-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    (void)snprintf(f->file, sizeof f->file, "%s/c.yaml", f->folder);
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    (void)umask(0077);                      /* a secret that others may read is refused */
    FILE *in = fopen("docs/hydrabody.example.yaml", "re");
    assert_non_null(in);
    size_t len = fread(f->example, 1, sizeof f->example - 1, in);
    assert_true(len > 0 && len < sizeof f->example - 1);
    assert_int_equal(fclose(in), 0);
    put(f, "hydrabody.token", "node-token\n");
    put(f, "sunshine.password", "web-password\r\n");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        path_of(f, names[i], path);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(f->folder), 0);
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    free(f);
    return 0;
}

static enum hc_err load(struct fixture *f, const char *text, struct body_config *config, struct hc_diag *diag)
{
    diag->text[0] = '\0';
    put(f, "c.yaml", text);
    return body_config_load(f->file, config, diag);
}

/* The shipped example with one thing replaced; the first line of `from` in it must be there. */
static enum hc_err load_edited(struct fixture *f, const char *from, const char *to, struct body_config *config, struct hc_diag *diag)
{
    struct hc_buf text = { 0 };
    const char *at = strstr(f->example, from);
    assert_non_null(at);
    hc_buf_add(&text, f->example, (size_t)(at - f->example));
    hc_buf_str(&text, to);
    hc_buf_str(&text, at + strlen(from));
    enum hc_err err = load(f, text.data, config, diag);
    hc_buf_free(&text);
    return err;
}

static void test_body_config__example_file__loads(void **state)
{
    struct fixture *f = *state;
    struct body_config config;
    struct hc_diag diag;
    if (load(f, f->example, &config, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    assert_string_equal(config.server_url, "https://hydracluster.example");
    assert_string_equal(config.node_id, "node-00c0ffee");
    assert_string_equal(config.token, "node-token");
    assert_string_equal(config.state_dir, "/var/lib/hydrabody");
    assert_string_equal(config.address, "127.0.0.1");
    assert_int_equal(config.port, 47991);
    assert_string_equal(config.local_token, "");
    assert_int_equal(config.network_count, 1);
    assert_true(network_has(&config.networks[0], "10.10.200.1"));
    assert_int_equal(config.report_ms, 30000);
    assert_int_equal(config.slot_count, 1);
    assert_int_equal(config.slots[0].gamestream, 47989);
    assert_int_equal(config.slots[0].gamestream_tls, 47984);
    assert_int_equal(config.slots[0].web, 47990);
    assert_string_equal(config.slots[0].password, "web-password");
    body_config_free(&config);
}

static void test_body_config__least_file__has_the_examples_defaults(void **state)
{
    struct fixture *f = *state;
    struct body_config example, least;
    struct hc_diag diag;
    assert_int_equal(load(f, f->example, &example, &diag), HC_OK);
    assert_int_equal(load(f, "server_url: https://hydracluster.example\nnode_id: n\ntoken_file: hydrabody.token\n"
                             "slots: [{log_file: /l, username: u, password_file: sunshine.password}]\n", &least, &diag), HC_OK);
    assert_string_equal(least.state_dir, example.state_dir);
    assert_string_equal(least.address, example.address);
    assert_int_equal(least.port, example.port);
    assert_int_equal(least.report_ms, example.report_ms);
    assert_memory_equal(least.networks, example.networks, sizeof least.networks[0]);
    assert_string_equal(least.slots[0].address, example.slots[0].address);
    assert_int_equal(least.slots[0].gamestream, example.slots[0].gamestream);
    assert_int_equal(least.slots[0].gamestream_tls, example.slots[0].gamestream_tls);
    assert_int_equal(least.slots[0].web, example.slots[0].web);
    body_config_free(&example);
    body_config_free(&least);
}

static void test_body_config__refusals__name_line_column_and_key(void **state)
{
    struct fixture *f = *state;
    static const struct { const char *from, *to, *says; } rows[] = {
        { "insecure_http: false", "insecure_htp: false", "insecure_htp: unknown key" },
        { "server_url: https://hydracluster.example", "server_url: http://hydracluster.example", "server_url: is plain HTTP" },
        { "server_url: https://hydracluster.example", "server_url: ftp://x", "server_url: must be" },
        { "server_url: https://hydracluster.example", "server_url: https://u@x", "server_url: must be" },
        { "server_url: https://hydracluster.example", "#", "server_url: is required" },
        { "node_id: node-00c0ffee", "node_id: 'a b'", "node_id: must be 1 to 64" },
        { "token_file: hydrabody.token", "token_file: nothing", "token_file: there is no such file" },
        { "state_dir: /var", "state_dir: var", "state_dir: must begin with /" },
        { "listen: \"127.0.0.1:47991\"", "listen: here", "listen: must be ADDRESS:PORT" },
        { "listen: \"127.0.0.1:47991\"", "listen: \"127.0.0.1:70000\"", "listen: must be ADDRESS:PORT" },
        { "[10.10.0.0/16]", "[10.10.0.0/16, 10.10.0.1/16]", "trusted_networks: must be a network" },
        { "report_seconds: 30", "report_seconds: 0", "report_seconds: must be at least 1" },
        { "report_seconds: 30", "report_seconds: 61", "report_seconds: " },
        { "gamestream: 47989", "gamestream: 0", "slots: a port of Sunshine is 1 to 65535" },
        { "web: 47990", "web: 65536", "slots[0].web: " },
        { "log_file: /var", "log_file: var", "log_file: must begin with /" },
        { "password_file: sunshine.password", "password_file: lost", "password_file: there is no such file" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct body_config config;
        struct hc_diag diag;
        char place[160];
        unsigned line = 0, column = 0;
        enum hc_err err = load_edited(f, rows[i].from, rows[i].to, &config, &diag);
        (void)snprintf(place, sizeof place, "%s:%%u:%%u: ", f->file);
        if (err == HC_OK || strstr(diag.text, rows[i].says) == NULL || sscanf(diag.text, place, &line, &column) != 2)
            fail_msg("%s: expected `%s`, got `%s`", rows[i].to, rows[i].says, diag.text);
        assert_true(line > 0 && column > 0);
        body_config_free(&config);
    }
}

static void test_body_config__two_slots_on_one_port__refused(void **state)
{
    struct fixture *f = *state;
    struct body_config config;
    struct hc_diag diag;
    static const char more[] = "slots:\n  - {log_file: /l, username: u, password_file: sunshine.password, gamestream: 1, "
                               "gamestream_tls: 2, web: 47990}\n";
    assert_int_equal(load_edited(f, "slots:\n", more, &config, &diag), HC_ERR_SCHEMA);
    assert_non_null(strstr(diag.text, "slot 1 has a port of slot 0"));
    body_config_free(&config);
}

static void test_body_config__no_slots__refused(void **state)
{
    struct fixture *f = *state;
    struct body_config config;
    struct hc_diag diag;
    assert_int_equal(load(f, "server_url: https://x\nnode_id: n\ntoken_file: hydrabody.token\nslots: []\n", &config, &diag), HC_ERR_SCHEMA);
    assert_non_null(strstr(diag.text, "at least one Sunshine"));
    body_config_free(&config);
}

static void test_body_config__secret_of_two_lines__refused_and_not_shown(void **state)
{
    struct fixture *f = *state;
    struct body_config config;
    struct hc_diag diag;
    put(f, "hydrabody.token", "first-secret\nsecond\n");
    assert_int_not_equal(load(f, f->example, &config, &diag), HC_OK);
    assert_non_null(strstr(diag.text, "must hold one line"));
    assert_null(strstr(diag.text, "first-secret"));
    body_config_free(&config);
}

static void test_body_config__secret_others_may_read__refused_with_what_to_do(void **state)
{
    struct fixture *f = *state;
    static const struct { const char *file, *key; mode_t mode; } rows[] = {
        { "hydrabody.token", "token_file", 0640 }, { "hydrabody.token", "token_file", 0604 }, { "hydrabody.token", "token_file", 0620 },
        { "sunshine.password", "password_file", 0644 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct body_config config;
        struct hc_diag diag;
        char path[128], says[400];
        path_of(f, rows[i].file, path);
        assert_int_equal(chmod(path, rows[i].mode), 0);
        assert_int_not_equal(load(f, f->example, &config, &diag), HC_OK);
        (void)snprintf(says, sizeof says, "%s: %s: others may read or change it (mode %04o); chmod 600 %s", rows[i].key, path,
                       (unsigned)rows[i].mode, path);
        if (strstr(diag.text, says) == NULL)
            fail_msg("expected `%s`, got `%s`", says, diag.text);
        body_config_free(&config);
        assert_int_equal(chmod(path, 0400), 0);
        assert_int_equal(load(f, f->example, &config, &diag), HC_OK);
        body_config_free(&config);
    }
}

static void test_body_config__credentials_folder__wins_over_the_files_own(void **state)
{
    struct fixture *f = *state;
    struct body_config config;
    struct hc_diag diag;
    char credentials[80], path[128];
    (void)snprintf(credentials, sizeof credentials, "%s/credentials", f->folder);
    assert_int_equal(mkdir(credentials, 0700), 0);
    put(f, "credentials/hydrabody.token", "from-the-manager\n");
    put(f, "credentials/sunshine.password", "too\n");
    path_of(f, "credentials/hydrabody.token", path);
    assert_int_equal(chmod(path, 0440), 0);         /* as systemd hands it on: the group's bit is the access list's mask */
    assert_int_equal(setenv("CREDENTIALS_DIRECTORY", credentials, 1), 0);
    enum hc_err err = load(f, f->example, &config, &diag);
    (void)unlink(path);
    path_of(f, "credentials/sunshine.password", path);
    (void)unlink(path);
    (void)rmdir(credentials);
    assert_int_equal(err, HC_OK);
    assert_string_equal(config.token, "from-the-manager");
    body_config_free(&config);
}

static void test_body_config__no_file__says_so(void **state)
{
    (void)state;
    struct body_config config;
    struct hc_diag diag = { "" };
    assert_int_equal(body_config_load("/nowhere/hydrabody.yaml", &config, &diag), HC_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "--config"));
    body_config_free(&config);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(test_body_config__example_file__loads),
        WITH_FOLDER(test_body_config__least_file__has_the_examples_defaults),
        WITH_FOLDER(test_body_config__refusals__name_line_column_and_key),
        WITH_FOLDER(test_body_config__two_slots_on_one_port__refused),
        WITH_FOLDER(test_body_config__no_slots__refused),
        WITH_FOLDER(test_body_config__secret_of_two_lines__refused_and_not_shown),
        WITH_FOLDER(test_body_config__secret_others_may_read__refused_with_what_to_do),
        WITH_FOLDER(test_body_config__credentials_folder__wins_over_the_files_own),
        cmocka_unit_test(test_body_config__no_file__says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
