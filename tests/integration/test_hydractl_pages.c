/* test_hydractl_pages.c - what stands in the pages as hydractl's output is what it prints on the fleet of the incident.
 *
 * In a page a block stands behind `<!-- hydractl NAME -->`. Ids, ages and ports are others each time, so both sides are compared with each
 * number and id replaced and blanks squeezed. HYDRA_GOLDEN_UPDATE=1 writes the blocks anew. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "ctl.h"
#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/os/file.h"

#define PAGE_MAX    ((size_t)1024 * 1024)
#define ALARM_S     60                  /* a read of the screen has no end of its own */
#define MARK_SIZE   64
#define SCREEN_ROWS 18
#define SCREEN_COLS 110

static const char *const pages[] = { "docs/HYDRACTL.md", "README.md" };
static struct node heads[3], bodies[2];

static int set_up(void **state)
{
    static const char *const venues[] = { "sint-niklaas", "cloud-seven", "rupelmonde" };
    (void)scene_open_started(state);
    ctl_set_up();
    for (size_t i = 0; i < sizeof venues / sizeof venues[0]; i++)
        fleet_venue(&scene.daemon, venues[i], "hydra");
    bodies[0] = fleet_body(&scene.daemon, "cosmic-pretzel-98", "cloud-seven");
    bodies[1] = fleet_body(&scene.daemon, "boom-pickle-38", "rupelmonde");
    heads[0] = fleet_head(&scene.daemon, "ipad-head-map-35", "sint-niklaas");
    heads[1] = fleet_head(&scene.daemon, "ipad-head-map-37", "sint-niklaas");
    heads[2] = fleet_head(&scene.daemon, "ipad-head-map-39", "sint-niklaas");
    /* One body after the other, so that it is the same each time who is served where. */
    for (size_t i = 0; i < 3; i++) {
        struct call call = { 0 };
        for (size_t b = 0; b <= i && b < 2; b++) {
            call = fleet_reports_modern(&scene.daemon, &bodies[b], "idle", NULL);
            call_free(&call);
        }
        call = fleet_reads(&scene.daemon, &heads[i]);
        assert_int_equal(call.status, i < 2 ? 200 : 409);
        call_free(&call);
    }
    return 0;
}

/* ---- what it prints ---- */

static char *printed(const char *command)
{
    char script[256];
    (void)snprintf(script, sizeof script, "echo '$ hydractl %s'; $HYDRACTL %s", command, command);
    struct ran ran = ctl_shell(script);
    if (ran.code != 0)
        fail_msg("%s: %s", command, ran.err);
    char *out = strdup(ran.out);
    ran_free(&ran);
    return out;
}

/* The text of one drawing of the screen: without the codes that place it. */
static char *without_codes(const char *drawing)
{
    struct hc_buf out = { 0 };
    hc_buf_str(&out, "$ hydractl watch\n");
    for (const char *at = drawing; *at != '\0'; at++) {
        if (*at == '\033')
            at += 1 + strspn(at + 1, "[?0123456789;");
        else if (*at != '\r')
            hc_buf_char(&out, *at);
    }
    hc_buf_char(&out, '\n');
    assert_false(out.failed);
    return out.data;
}

static char *watched(void)
{
    static const char begin[] = "\033[H", end[] = "\033[J";
    const struct winsize size = { .ws_row = SCREEN_ROWS, .ws_col = SCREEN_COLS };
    char script[256], bytes[4096];
    struct process child;
    struct hc_buf seen = { 0 };
    (void)alarm(ALARM_S);
    HC_CLEANUP(os_close) int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0 && ioctl(fd, TIOCSWINSZ, &size) == 0);
    (void)snprintf(script, sizeof script, "NO_COLOR=1 exec $HYDRACTL watch > %s", ptsname(fd));
    ctl_start_shell(&child, "watch.err", script);
    const char *from = NULL, *to = NULL;
    while (to == NULL) {
        ssize_t got = read(fd, bytes, sizeof bytes);
        assert_true(got > 0);
        hc_buf_add(&seen, bytes, (size_t)got);
        from = strstr(seen.data, begin);
        to = from == NULL ? NULL : strstr(from, end);
    }
    process_end(&child);
    (void)alarm(0);
    char *drawing = strndup(from, (size_t)(to - from));
    char *text = without_codes(drawing);
    free(drawing);
    hc_buf_free(&seen);
    return text;
}

/* ---- what stands in a page ---- */

static char *read_page(const char *path)
{
    char *text = calloc(1, PAGE_MAX);
    FILE *in = fopen(path, "r");
    assert_non_null(text);
    assert_non_null(in);
    assert_true(fread(text, 1, PAGE_MAX - 1, in) > 0 && feof(in));
    assert_int_equal(fclose(in), 0);
    return text;
}

/* Numbers, with the hex digits of ids, become N; blanks one blank, none at the end of a line. For free(). */
static char *shape_of(const char *text, size_t len)
{
    struct hc_buf out = { 0 };
    hc_buf_str(&out, "");
    for (size_t i = 0; i < len;) {
        static const char *const ids[] = { "node-", "lse-" };
        size_t id = 0;
        for (size_t k = 0; k < sizeof ids / sizeof ids[0]; k++)
            if (len - i > strlen(ids[k]) && strncmp(text + i, ids[k], strlen(ids[k])) == 0)
                id = strlen(ids[k]) + strspn(text + i + strlen(ids[k]), "0123456789abcdef\xe2\x80\xa6");
        size_t digits = id > 0 ? id : strspn(text + i, "0123456789"), blanks = strspn(text + i, " ");
        if (digits > 0)
            hc_buf_char(&out, 'N');
        else if (blanks > 0 && text[i + blanks] != '\n')
            hc_buf_char(&out, ' ');
        else if (blanks == 0)
            hc_buf_char(&out, text[i]);
        i += digits > 0 ? digits : blanks > 0 ? blanks : 1;
    }
    assert_false(out.failed);
    return out.data;
}

/* From behind the opening line of the block to its closing one. NULL: the page has no such block. */
static char *find_block(char *page, const char *name, size_t *ret_len)
{
    char mark[MARK_SIZE];
    (void)snprintf(mark, sizeof mark, "<!-- hydractl %s -->\n```\n", name);
    char *at = strstr(page, mark);
    if (at == NULL)
        return NULL;
    at += strlen(mark);
    char *end = strncmp(at, "```\n", 4) == 0 ? at : strstr(at, "\n```\n");
    assert_non_null(end);
    *ret_len = (size_t)(end - at) + (end != at);
    return at;
}

static void replace(const char *path, const char *page, const char *block, size_t len, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    (void)fprintf(out, "%.*s%s%s", (int)(block - page), page, text, block + len);
    assert_int_equal(fclose(out), 0);
}

static size_t check_page(const char *path, const char *name, const char *text)
{
    char *page = read_page(path);
    size_t len = 0;
    char *block = find_block(page, name, &len);
    if (block != NULL && getenv("HYDRA_GOLDEN_UPDATE") != NULL) {
        replace(path, page, block, len, text);
    } else if (block != NULL) {
        char *stands = shape_of(block, len), *prints = shape_of(text, strlen(text));
        if (strcmp(stands, prints) != 0)
            fail_msg("%s, `hydractl %s`: it stands there\n%.*s\nand it prints\n%s", path, name, (int)len, block, text);
        hc_free(stands);
        hc_free(prints);
    }
    free(page);
    return block != NULL;
}

static void expect_in_pages(const char *name, const char *text)
{
    size_t found = 0;
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        found += check_page(pages[i], name, text);
    assert_true(found > 0);
}

static void test_pages__slots_queue_explain_watch__as_they_really_print(void **state)
{
    (void)state;
    static const struct { const char *name, *command; } rows[] = {
        { "slots", "slots" }, { "queue", "queue" }, { "explain", "explain ipad-head-map-39 " FLEET_EXPERIENCE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = printed(rows[i].command);
        expect_in_pages(rows[i].name, text);
        free(text);
    }
    char *text = watched();
    expect_in_pages("watch", text);
    hc_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pages__slots_queue_explain_watch__as_they_really_print, set_up, scene_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
