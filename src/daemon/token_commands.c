#include "token_commands.h"

#include <stdio.h>

#include "hydra/base/id.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "hydra/os/random.h"
#include "hydra/store/store.h"
#include "hydra/store/tokens.h"

#define TOKEN_BYTES     32
#define TOKEN_TEXT_SIZE 44     /* base64url of TOKEN_BYTES, and the NUL */

static int complain(const struct hc_diag *diag, enum exit_code code)
{
    (void)fprintf(stderr, "hydraclusterd: %s\n", diag->text);
    return (int)code;
}

/* Makes a token, stores its digest; `text` is what the person gets. */
static enum hc_err add_token(const char *data_dir, enum token_kind kind, char id[HC_ID_SIZE], char text[TOKEN_TEXT_SIZE],
                             struct hc_diag *diag)
{
    uint8_t secret[TOKEN_BYTES], name[4];
    char hash[HC_HASH_SIZE], hex[2 * sizeof name + 1];
    os_random(secret, sizeof secret);
    os_random(name, sizeof name);
    size_t len = crypto_base64url(secret, sizeof secret, text, TOKEN_TEXT_SIZE);
    crypto_wipe(secret, sizeof secret);
    crypto_sha256_hex(text, len, hash);
    hc_hex(name, sizeof name, hex);
    (void)snprintf(id, HC_ID_SIZE, "tok-%s", hex);
    return tokens_add(data_dir, kind, id, hash, os_wall(), diag);
}

int command_init(const char *data_dir)
{
    struct hc_diag diag = { "" };
    char id[HC_ID_SIZE], admin[TOKEN_TEXT_SIZE], fleet[TOKEN_TEXT_SIZE];
    enum hc_err err = store_init(data_dir, &diag);
    if (err != HC_OK)
        return complain(&diag, err == HC_ERR_EXISTS ? EXIT_USAGE : EXIT_FAILED);
    err = add_token(data_dir, TOKEN_ADMIN, id, admin, &diag);
    if (err == HC_OK)
        err = add_token(data_dir, TOKEN_FLEET, id, fleet, &diag);
    if (err != HC_OK)
        return complain(&diag, EXIT_FAILED);
    (void)printf("admin_token: %s\nfleet_token: %s\n", admin, fleet);
    crypto_wipe(admin, sizeof admin);
    crypto_wipe(fleet, sizeof fleet);
    return fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED;
}

int command_token_new(const char *data_dir, const char *kind)
{
    struct hc_diag diag = { "" };
    char id[HC_ID_SIZE], text[TOKEN_TEXT_SIZE];
    int found = token_kind_find(kind);
    if (found < 0) {
        (void)hc_fail(&diag, HC_ERR_CONFIG, "token new %s: the kind is one of admin, read, fleet", kind);
        return complain(&diag, EXIT_USAGE);
    }
    enum hc_err err = add_token(data_dir, (enum token_kind)found, id, text, &diag);
    if (err != HC_OK)
        return complain(&diag, EXIT_FAILED);
    (void)printf("token_id: %s\ntoken: %s\n", id, text);
    crypto_wipe(text, sizeof text);
    return fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED;
}

int command_token_list(const char *data_dir)
{
    struct hc_diag diag = { "" };
    struct token_list list;
    if (tokens_read(data_dir, &list, &diag) != HC_OK)
        return complain(&diag, EXIT_FAILED);
    (void)printf("%-16s %-6s %-24s %s\n", "ID", "KIND", "CREATED", "LAST USED");
    for (size_t i = 0; i < list.count; i++) {
        char created[HC_TIME_TEXT_SIZE], used[HC_TIME_TEXT_SIZE] = "never";
        hc_time_format(list.rows[i].created_at, created);
        if (hc_time_set(list.rows[i].last_used_at))
            hc_time_format(list.rows[i].last_used_at, used);
        (void)printf("%-16s %-6s %-24s %s\n", list.rows[i].id, token_kind_word(list.rows[i].kind), created, used);
    }
    token_list_free(&list);
    return fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED;
}

int command_token_revoke(const char *data_dir, const char *token_id)
{
    struct hc_diag diag = { "" };
    if (!hc_id_ok(token_id)) {
        (void)hc_fail(&diag, HC_ERR_CONFIG, "token revoke %s: that is no token id; `token list` shows them", token_id);
        return complain(&diag, EXIT_USAGE);
    }
    enum hc_err err = tokens_revoke(data_dir, token_id, &diag);
    if (err != HC_OK)
        return complain(&diag, err == HC_ERR_NOTFOUND ? EXIT_USAGE : EXIT_FAILED);
    (void)printf("revoked: %s\n", token_id);
    return EXIT_OK;
}
