/* watch_command.c - the live board: events say that something happened, the lists are read again, the screen is drawn anew.
 *
 * Events only wake it; what stands on the screen always comes whole from /slots and /queue, so that nothing missed can stay wrong. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "board.h"
#include "follower.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#define TURN_MS       200
#define LEAST_MS      300           /* between two readings, however many events come */
#define MOST_MS       5000          /* ages grow without events */
#define READ_LIMIT_MS 5000          /* a daemon that hangs is told after this */
#define SCREEN_BEGIN  "\033[?1049h\033[?25l"
#define SCREEN_END    "\033[?25h\033[?1049l"

struct watch {
    struct context *context;
    struct follower follower;
    const char *slots_path;
    json_t *slots, *queue, *before;
    bool screen, news, stale, told_stale, drawn;
    int64_t read_at_ms, drawn_at_ms;
    struct hc_diag why;
};

static void on_event(void *ctx, const char *data)
{
    struct watch *watch = ctx;
    (void)data;
    watch->news = true;
}

static void say(const struct watch *watch, const char *text)
{
    if (!watch->screen)
        (void)fprintf(stderr, "hydractl: %s\n", text);
}

/* Both or neither: a queue of another moment beside the slots would show somebody twice. */
static int read_lists(struct watch *watch)
{
    json_t *slots = NULL, *queue = NULL;
    watch->read_at_ms = os_monotonic_ms();
    int code = ask_quietly(watch->context, watch->slots_path, &slots, &watch->why);
    if (code == EXIT_GOOD)
        code = ask_quietly(watch->context, "/api/v1/queue", &queue, &watch->why);
    if (code == EXIT_GOOD && (!json_is_array(slots) || !json_is_array(queue))) {
        (void)hc_fail(&watch->why, HC_ERR_SYNTAX, "the answer is no list: is that a hydraclusterd?");
        code = EXIT_REFUSED;
    }
    if (code != EXIT_GOOD) {
        json_decref(slots);
        json_decref(queue);
        return code;
    }
    json_decref(watch->slots);
    json_decref(watch->queue);
    watch->slots = slots;
    watch->queue = queue;
    return EXIT_GOOD;
}

/* Each line is cleared behind its end, so that nothing flickers; what stood below is cleared at last. */
static int put_screen(const struct hc_buf *board)
{
    struct hc_buf out = { 0 };
    hc_buf_str(&out, "\033[H");
    for (const char *line = board->len > 0 ? board->data : ""; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        hc_buf_add(&out, line, len);
        hc_buf_str(&out, "\033[K");
        line += len + (line[len] == '\n');
        if (*line != '\0')
            hc_buf_str(&out, "\r\n");
    }
    hc_buf_str(&out, "\033[J");
    bool ok = !board->failed && !out.failed && os_write_all(STDOUT_FILENO, out.data, out.len) == HC_OK;
    hc_buf_free(&out);
    return ok ? EXIT_GOOD : EXIT_REFUSED;
}

static int draw(struct watch *watch)
{
    struct context *context = watch->context;
    struct winsize size = { .ws_row = 0 };
    struct hc_buf text = { 0 };
    int64_t lost_ms = follower_lost_ms(&watch->follower);
    if (watch->stale && lost_ms == 0)
        lost_ms = 1;
    const struct board board = { .server = context->settings.server, .slots = watch->slots, .queue = watch->queue, .lost_ms = lost_ms,
                                 .why = watch->stale ? watch->why.text : watch->follower.diag.text };
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        context->look.width = size.ws_col;
    board_write(&board, &context->look, size.ws_row, &text);
    watch->drawn_at_ms = os_monotonic_ms();
    int code = put_screen(&text);
    hc_buf_free(&text);
    return code;
}

static int print_changes(struct watch *watch)
{
    struct hc_buf text = { 0 };
    if (!board_changes(watch->slots, watch->before, &text))
        text.failed = true;
    return context_print(&text);
}

/* The lists can fail while the events go on, for instance when the daemon hangs: that is told once, too. */
static int refresh(struct watch *watch)
{
    watch->news = false;
    int code = read_lists(watch);
    if (code != EXIT_GOOD) {
        watch->stale = true;
        watch->news = true;                         /* again with the next turn that may */
        if (!watch->told_stale && watch->follower.connected)
            say(watch, watch->why.text);
        watch->told_stale = true;
        return EXIT_GOOD;
    }
    if (watch->told_stale)
        say(watch, "the daemon answers again");
    watch->stale = watch->told_stale = false;
    return watch->screen ? draw(watch) : print_changes(watch);
}

static int heed(struct watch *watch, enum follower_news news)
{
    switch (news) {
    case FOLLOWER_CONNECTED:
        if (watch->drawn)
            say(watch, "connected again");
        watch->drawn = true;
        watch->news = true;
        watch->read_at_ms = 0;
        return EXIT_GOOD;
    case FOLLOWER_LOST:
        if (!watch->screen)
            return context_complain(EXIT_GOOD, "the connection is lost (%s); trying again", watch->follower.diag.text);
        return draw(watch);
    case FOLLOWER_UNREACHABLE:
        return EXIT_UNREACHABLE;
    case FOLLOWER_REFUSED:
        return EXIT_REFUSED;
    case FOLLOWER_EVENTS:
    case FOLLOWER_NOTHING:
        break;
    }
    return EXIT_GOOD;
}

static int loop(struct watch *watch)
{
    int code = EXIT_GOOD;
    while (code == EXIT_GOOD && !follower_told_to_stop()) {
        code = heed(watch, follower_turn(&watch->follower, TURN_MS));
        int64_t now_ms = os_monotonic_ms(), age_ms = now_ms - watch->read_at_ms;
        bool due = watch->follower.connected && ((watch->news && age_ms >= LEAST_MS) || age_ms >= MOST_MS);
        if (code == EXIT_GOOD && due)
            code = refresh(watch);
        if (code == EXIT_GOOD && watch->screen && watch->slots != NULL && os_monotonic_ms() - watch->drawn_at_ms >= 1000)
            code = draw(watch);                     /* how long it has been lost; the window's new size */
    }
    return code;
}

int run_watch(struct context *context)
{
    struct watch watch = { .context = context, .screen = isatty(STDOUT_FILENO) == 1, .before = json_object() };
    struct hc_diag diag = { "" };
    char *path = NULL;
    int code = wire_path(context, NULL, &path);
    if (code != EXIT_GOOD || watch.before == NULL) {
        json_decref(watch.before);
        return code != EXIT_GOOD ? code : context_complain(EXIT_REFUSED, "out of memory");
    }
    watch.slots_path = path;
    watch.follower = (struct follower){ .context = context, .path = "/api/v1/events?follow=1", .on_event = on_event, .ctx = &watch };
    struct client_options quick = context->options;
    quick.timeout_ms = READ_LIMIT_MS;
    context->client = client_close(context->client);
    if (client_open(&quick, &context->client, &diag) != HC_OK) {
        json_decref(watch.before);
        return context_fail(EXIT_USAGE, &diag);
    }
    follower_heed_signals();
    bool shown = watch.screen && os_write_all(STDOUT_FILENO, SCREEN_BEGIN, strlen(SCREEN_BEGIN)) == HC_OK;
    code = loop(&watch);
    if (shown && os_write_all(STDOUT_FILENO, SCREEN_END, strlen(SCREEN_END)) != HC_OK)
        code = EXIT_REFUSED;                        /* the terminal is gone */
    if (code == EXIT_UNREACHABLE || (code == EXIT_REFUSED && watch.follower.diag.text[0] != '\0'))
        (void)context_fail((enum exit_code)code, &watch.follower.diag);
    follower_close(&watch.follower);
    json_decref(watch.slots);
    json_decref(watch.queue);
    json_decref(watch.before);
    return code;
}
