#include "exchange_page.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "exchange.h"
#include "hydra/base/arena.h"

#define PAGE       "docs/API-EXAMPLES.md"
#define PAGE_MAX   ((size_t)4 * 1024 * 1024)
#define BEGIN      "<!-- exchanges: begin -->\n"
#define END        "<!-- exchanges: end -->\n"
#define BASE       "/api/v1/"
#define TOKEN_LEN  43                   /* letters of a token */
#define GROUP_SIZE 64

static bool is_known(const struct page_route *routes, size_t count, const char *route)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(routes[i].route, route) == 0)
            return true;
    return false;
}

static void check_routes(const struct page_route *routes, size_t count)
{
    struct hc_buf wrong = { 0 };
    for (size_t i = 0; i < count; i++)
        if (exchange_text(routes[i].route) == NULL)
            hc_buf_printf(&wrong, "\n%s is a route of the program and has no exchange", routes[i].route);
    for (size_t i = 0; i < exchange_count(); i++)
        if (!is_known(routes, count, exchange_route(i)))
            hc_buf_printf(&wrong, "\n%s has an exchange and is no route of the program", exchange_route(i));
    if (wrong.len > 0)
        fail_msg("tests/integration/story_*.c:%s", wrong.data);
}

/* What the routes of one heading have in common: the piece behind the base path. */
static void group_of(const struct page_route *route, char out[GROUP_SIZE])
{
    const char *path = strchr(route->route, ' ') + 1;
    if (route->of_page)
        (void)snprintf(out, GROUP_SIZE, "The operator page");
    else if (strncmp(path, BASE, strlen(BASE)) == 0)
        (void)snprintf(out, GROUP_SIZE, "`" BASE "%.*s`", (int)strcspn(path + strlen(BASE), "/"), path + strlen(BASE));
    else
        (void)snprintf(out, GROUP_SIZE, "At the root");
}

static void write_exchanges(const struct page_route *routes, size_t count, struct hc_buf *out)
{
    char group[GROUP_SIZE] = "", next[GROUP_SIZE];
    for (size_t i = 0; i < count; i++) {
        group_of(&routes[i], next);
        if (strcmp(group, next) != 0)
            hc_buf_printf(out, "\n## %s\n", next);
        memcpy(group, next, sizeof group);
        hc_buf_printf(out, "\n%s", exchange_text(routes[i].route));
    }
    hc_buf_char(out, '\n');
    assert_false(out->failed);
}

/* A word as long as a token, of its letters, is one that was not replaced. */
static void check_secrets(const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t len = 0;
        while (isalnum((unsigned char)at[len]) || at[len] == '_' || at[len] == '-')
            len++;
        if (len == TOKEN_LEN)
            fail_msg("a token would be shown: %.*s", (int)len, at);
        at += len == 0 ? 1 : len;
    }
}

static char *read_page(void)
{
    char *text = calloc(1, PAGE_MAX);
    FILE *in = fopen(PAGE, "re");
    if (in == NULL || text == NULL)
        fail_msg("%s is missing: run this at the top of the tree", PAGE);
    assert_true(fread(text, 1, PAGE_MAX - 1, in) < PAGE_MAX - 1);
    assert_int_equal(fclose(in), 0);
    return text;
}

static void write_page(const char *text)
{
    FILE *out = fopen(PAGE, "we");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void compare(const char *stands, const char *comes)
{
    for (unsigned line = 1; *stands != '\0' || *comes != '\0'; line++) {
        size_t stands_len = strcspn(stands, "\n"), comes_len = strcspn(comes, "\n");
        if (stands_len != comes_len || memcmp(stands, comes, comes_len) != 0)
            fail_msg(PAGE ":%u: there stands\n%.*s\nand what comes is\n%.*s\n`make api-doc` writes the page anew", line, (int)stands_len,
                     stands, (int)comes_len, comes);
        stands += stands_len + (stands[stands_len] == '\n' ? 1 : 0);
        comes += comes_len + (comes[comes_len] == '\n' ? 1 : 0);
    }
}

void exchange_page_check(const struct page_route *routes, size_t count)
{
    const char *update = getenv("HYDRA_GOLDEN_UPDATE");
    struct hc_buf page = { 0 };
    char *text = read_page(), *begin = strstr(text, BEGIN), *end = strstr(text, END);
    if (begin == NULL || end == NULL || begin > end)
        fail_msg("%s has no marks of the exchanges", PAGE);
    check_routes(routes, count);
    hc_buf_add(&page, text, (size_t)(begin - text) + strlen(BEGIN));
    write_exchanges(routes, count, &page);
    hc_buf_str(&page, end);
    assert_false(page.failed);
    check_secrets(page.data);
    if (update != NULL && strcmp(update, "1") == 0)
        write_page(page.data);
    else
        compare(text, page.data);
    hc_buf_free(&page);
    free(text);
}
