/* fuzz_page_login.c - what a stranger can say to the operator page's door: a Cookie header, an Origin and its Host, a posted form, a way to
 * go on. The input's lines are these four. Nobody gets in by it, and what is told back in the page is text. */
#include <stdlib.h>
#include <string.h>

#include "../../src/web/form.h"
#include "fuzz_target.h"
#include "hydra/auth/session.h"
#include "hydra/crypto/digest.h"

#define TOKEN_SIZE 64

static const uint8_t secret[32] = { 5, 6, 7 };
static const hc_time now = { INT64_C(1800000000000) };

static bool hash_of(void *ctx, const char *token_id, char ret_hash[HC_HASH_SIZE])
{
    (void)ctx;
    crypto_sha256_hex(token_id, strlen(token_id), ret_hash);
    return hc_id_ok(token_id);
}

static void cookie(const char *header)
{
    char value[AUTH_COOKIE_SIZE], hash[HC_HASH_SIZE];
    if (auth_session_cookie(header, value) && auth_session_read(secret, value, now, hash_of, NULL, hash))
        abort();                                         /* nobody knows the secret */
}

static void origin(char *line)
{
    char *host = strchr(line, ' ');
    if (host == NULL)
        return;
    *host++ = '\0';
    if (auth_same_origin(line, host) && strcasestr(line, "://") == NULL)
        abort();
}

static void form(const char *text)
{
    char token[TOKEN_SIZE];
    if (form_field(text, strlen(text), "token", token, sizeof token) && strlen(token) >= sizeof token)
        abort();
}

static void next(const char *text)
{
    static const char page[] = "<input value=\"{{next}}\"><p>{{said}}</p>";
    const char *path = form_next(text);
    const struct form_value values[] = { { "next", path }, { "said", text } };
    struct hc_buf out = { 0 };
    if (path[0] != '/' || path[1] == '/' || strpbrk(path, "\\\r\n ") != NULL)
        abort();
    form_fill(page, sizeof page - 1, values, 2, &out);
    for (size_t i = 0, open = 0; i < out.len; i++) {
        open += out.data[i] == '<';
        if (open > 3)
            abort();                                     /* markup that is not the page's */
    }
    hc_buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = calloc(1, size + 1), *rest = copy;
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    for (int i = 0; i < 4 && rest != NULL; i++) {
        char *line = strsep(&rest, "\n");
        if (i == 0)
            cookie(line);
        else if (i == 1)
            origin(line);
        else if (i == 2)
            form(line);
        else
            next(line);
    }
    free(copy);
    return 0;
}
