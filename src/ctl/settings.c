#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "hydra/codec/yaml.h"
#include "hydra/os/file.h"

#define FILE_BYTES_MAX ((size_t)64 * 1024)
#define VALUE_MAX      1024

static const char *const output_texts[OUTPUT_FORMATS] = { "table", "wide", "json", "yaml" };
const struct hc_words output_words = { output_texts, OUTPUT_FORMATS };

struct file { uint64_t present; const char *server, *token_file, *ca_file; int output; bool insecure_http; };
static const struct codec_field file_rows[] = {
    { .key = "server", .type = CODEC_TEXT, .offset = offsetof(struct file, server), .limit = VALUE_MAX },
    { .key = "token_file", .type = CODEC_TEXT, .offset = offsetof(struct file, token_file), .limit = VALUE_MAX },
    { .key = "ca_file", .type = CODEC_TEXT, .offset = offsetof(struct file, ca_file), .limit = VALUE_MAX },
    { .key = "output", .type = CODEC_WORD, .offset = offsetof(struct file, output), .words = &output_words },
    { .key = "insecure_http", .type = CODEC_BOOL, .offset = offsetof(struct file, insecure_http) },
};
static const struct codec_table file_table = CODEC_TABLE("hydractl.yaml", file_rows, struct file, offsetof(struct file, present));

static enum hc_err read_file(settings_env_fn *env, struct hc_arena *arena, struct file *ret, struct hc_diag *diag)
{
    const char *home = env("HOME");
    *ret = (struct file){ 0 };
    if (home == NULL || home[0] == '\0')
        return HC_OK;
    const char *path = hc_arena_printf(arena, "%s/.config/hydractl.yaml", home);
    if (path == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the configuration");
    char *text = NULL;
    size_t len = 0;
    struct yaml_node *root = NULL;
    enum hc_err err = os_file_read(AT_FDCWD, path, FILE_BYTES_MAX, &text, &len, NULL, diag);
    if (err == HC_ERR_NOTFOUND)
        return HC_OK;
    if (err == HC_OK)
        err = yaml_parse(path, text, len, arena, &root, diag);
    if (err == HC_OK)
        err = yaml_read(&file_table, path, root, arena, ret, diag);
    hc_free(text);
    return err;
}

/* A token file of ~/.config/hydractl.yaml that begins with ~/ is in the home folder, as people write it. */
static const char *at_home(settings_env_fn *env, const char *path, struct hc_arena *arena)
{
    const char *home = env("HOME");
    if (path == NULL || strncmp(path, "~/", 2) != 0 || home == NULL)
        return path;
    return hc_arena_printf(arena, "%s/%s", home, path + 2);
}

/* The first that is there: flag, environment, file. */
static const char *first_of(const char *flag, settings_env_fn *env, const char *name, const char *in_file)
{
    const char *from_env = env(name);
    return flag != NULL ? flag : from_env != NULL && from_env[0] != '\0' ? from_env : in_file;
}

enum hc_err settings_read(const struct invocation *invocation, settings_env_fn *env, struct hc_arena *arena, struct settings *ret,
                          struct hc_diag *diag)
{
    const char *const *flags = invocation->globals;
    struct file file;
    enum hc_err err = read_file(env, arena, &file, diag);
    if (err != HC_OK)
        return err;
    *ret = (struct settings){ .output = (enum output_format)file.output };
    if (flags[GLOBAL_OUTPUT] != NULL) {
        int index = codec_word_index(&output_words, flags[GLOBAL_OUTPUT]);
        if (index < 0)
            return hc_fail(diag, HC_ERR_CONFIG, "--output: %s is none of table, wide, json, yaml", flags[GLOBAL_OUTPUT]);
        ret->output = (enum output_format)index;
    }
    ret->server = first_of(flags[GLOBAL_SERVER], env, "HYDRACTL_SERVER", file.server != NULL ? file.server : SETTINGS_SERVER_DEFAULT);
    ret->token_file = first_of(flags[GLOBAL_TOKEN_FILE], env, "HYDRACTL_TOKEN_FILE", at_home(env, file.token_file, arena));
    ret->ca_file = first_of(flags[GLOBAL_CA_FILE], env, "HYDRACTL_CA_FILE", at_home(env, file.ca_file, arena));
    ret->insecure_http = flags[GLOBAL_INSECURE_HTTP] != NULL || file.insecure_http;
    return HC_OK;
}

static bool is_loopback(const char *host)
{
    static const char *const names[] = { "127.", "localhost", "[::1]" };
    size_t len = strcspn(host, "/:");
    if (host[0] == '[')
        len = strcspn(host, "]") + 1;
    bool address = strncmp(host, names[0], strlen(names[0])) == 0 && strspn(host, "0123456789.") == len;
    for (size_t i = 1; i < sizeof names / sizeof names[0] && !address; i++)
        address = strlen(names[i]) == len && strncasecmp(host, names[i], len) == 0;
    return address;
}

static enum hc_err take_token(struct settings *settings, const char *text, struct hc_diag *diag)
{
    size_t first = strspn(text, " \t\r\n"), count = strcspn(text + first, " \t\r\n");
    const char *rest = text + first + count;
    if (count == 0 || count >= SETTINGS_TOKEN_SIZE || rest[strspn(rest, " \t\r\n")] != '\0')
        return hc_fail(diag, HC_ERR_CONFIG, "%s does not hold one token and nothing else", settings->token_file);
    memcpy(settings->token, text + first, count);
    settings->token[count] = '\0';
    return HC_OK;
}

enum hc_err settings_token(struct settings *settings, struct hc_diag *diag)
{
    const char *file = settings->token_file;
    if (file == NULL)
        return hc_fail(diag, HC_ERR_CONFIG,
                       "a token is needed: name a file that holds one with --token-file, HYDRACTL_TOKEN_FILE or token_file in "
                       "~/.config/hydractl.yaml; `hydraclusterd token new read` makes one");
    if (strncasecmp(settings->server, "http://", 7) == 0 && !settings->insecure_http && !is_loopback(settings->server + 7))
        return hc_fail(diag, HC_ERR_CONFIG, "%s: the token would go there unencrypted: write https://, or allow it with --insecure-http",
                       settings->server);
    HC_CLEANUP(os_close) int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return hc_fail(diag, HC_ERR_CONFIG, "token file %s: %s", file, strerror(errno));
    struct hc_diag why = { "" };
    if (os_secret_check(fd, file, &why) != HC_OK)
        return hc_fail(diag, HC_ERR_CONFIG, "token file %s", why.text);
    char text[SETTINGS_TOKEN_SIZE + 64];
    ssize_t len = read(fd, text, sizeof text - 1);
    if (len < 0)
        return hc_fail(diag, HC_ERR_CONFIG, "token file %s: %s", file, strerror(errno));
    text[len] = '\0';
    enum hc_err err = (size_t)len == sizeof text - 1 || strlen(text) != (size_t)len
                          ? hc_fail(diag, HC_ERR_CONFIG, "%s does not hold one token and nothing else", file)
                          : take_token(settings, text, diag);
    explicit_bzero(text, sizeof text);
    return err;
}

void settings_forget(struct settings *settings)
{
    explicit_bzero(settings->token, sizeof settings->token);
}
