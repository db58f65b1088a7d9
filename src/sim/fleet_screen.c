/* fleet_screen.c - the live summary: one screen, redrawn in place. */
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fleet.h"

#define ROWS_DEFAULT   24
#define COLUMNS_DEFAULT 80
#define ROWS_FIXED     8             /* title, counts, headings, a spare */
#define LINE_MAX_SIZE  512
#define HOME           "\033[H"
#define CLEAR_LINE     "\033[K"
#define CLEAR_BELOW    "\033[J"
#define BOLD           "\033[1m"
#define RED            "\033[1;31m"
#define PLAIN          "\033[0m"

struct page { struct hc_buf out; int rows_left, columns; };

static void put(struct page *page, const char *before, const char *line)
{
    if (page->rows_left <= 0)
        return;
    page->rows_left--;
    hc_buf_str(&page->out, before);
    hc_buf_printf(&page->out, "%.*s", page->columns, line);
    hc_buf_str(&page->out, before[0] == '\0' ? CLEAR_LINE "\r\n" : PLAIN CLEAR_LINE "\r\n");
}

static void size_of_terminal(struct page *page)
{
    struct winsize size = { 0 };
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
    page->rows_left = (known ? size.ws_row : ROWS_DEFAULT) - 1;
    page->columns = known ? size.ws_col : COLUMNS_DEFAULT;
}

/* Lines to be copied by hand: whole, however many rows of the screen they take. */
static int footer_rows(const struct fleet *fleet, const struct page *page)
{
    int rows = 0;
    for (const char *at = fleet->options->footer; at != NULL && *at != '\0';) {
        size_t len = strcspn(at, "\n");
        rows += 1 + (int)len / page->columns;
        at += len + (at[len] == '\n' ? 1 : 0);
    }
    return rows;
}

static void put_footer(struct fleet *fleet, struct page *page)
{
    for (const char *at = fleet->options->footer; at != NULL && *at != '\0';) {
        size_t len = strcspn(at, "\n");
        hc_buf_add(&page->out, at, len);
        hc_buf_str(&page->out, CLEAR_LINE "\r\n");
        at += len + (at[len] == '\n' ? 1 : 0);
    }
}

static void put_slot(struct fleet *fleet, struct page *page, size_t number, uint32_t slot)
{
    const struct fleet_body *body = &fleet->bodies[number];
    char line[LINE_MAX_SIZE], name[HC_NAME_SIZE + 8];
    size_t viewer = truth_viewer(fleet->truth, number, slot, 0), second = truth_viewer(fleet->truth, number, slot, 1);
    (void)snprintf(name, sizeof name, body->plan->slots > 1 ? "%s/%u" : "%s", body->plan->name, slot);
    if (viewer == TRUTH_NOBODY) {
        const char *state = body->machine.up_at != 0 ? "rebooting" : fleet->now_ms < body->peer.partitioned_until ? "cut off" : "free";
        (void)snprintf(line, sizeof line, "  %-24.24s %-18.18s %s", name, body->plan->venue, state);
    } else {
        const struct fleet_head *head = &fleet->heads[viewer];
        (void)snprintf(line, sizeof line, "  %-24.24s %-18.18s %.60s (%s, %" PRId64 " s)%s%.60s", name, body->plan->venue, head->plan->name,
                       head_kinds[head->plan->kind].word, (fleet->now_ms - head->since_ms) / 1000,
                       second == TRUTH_NOBODY ? "" : " AND ", second == TRUTH_NOBODY ? "" : fleet->heads[second].plan->name);
    }
    put(page, second == TRUTH_NOBODY ? "" : RED, line);
}

static void put_bodies(struct fleet *fleet, struct page *page, int rows)
{
    char line[LINE_MAX_SIZE];
    size_t left = 0;
    put(page, BOLD, "  body                     venue              who sees its picture");
    for (size_t i = 0; i < fleet->scenario->body_count; i++)
        for (uint32_t slot = 0; slot < fleet->bodies[i].plan->slots; slot++) {
            if (rows-- > 0)
                put_slot(fleet, page, i, slot);
            else
                left++;
        }
    if (left > 0) {
        (void)snprintf(line, sizeof line, "  and %zu more slots", left);
        put(page, "", line);
    }
}

static void put_queue(struct fleet *fleet, struct page *page)
{
    char line[LINE_MAX_SIZE];
    int len = snprintf(line, sizeof line, "  in line: %zu", fleet->waiting);
    for (uint32_t place = 1; place <= fleet->waiting && place < 6; place++)
        for (size_t i = 0; i < fleet->scenario->head_count; i++) {
            char ordinal[16];
            if (fleet->heads[i].place == place && len > 0 && (size_t)len < sizeof line)
                len += snprintf(line + len, sizeof line - (size_t)len, "  %s %s", fleet_ordinal(place, ordinal),
                                fleet->heads[i].plan->name);
        }
    put(page, "", line);
}

static void put_heads(struct fleet *fleet, struct page *page)
{
    size_t counts[HEAD_PHASES] = { 0 };
    for (size_t i = 0; i < fleet->scenario->head_count; i++)
        counts[fleet->heads[i].machine.phase]++;
    char line[LINE_MAX_SIZE];
    int len = snprintf(line, sizeof line, "  heads:");
    for (size_t i = 0; i < HEAD_PHASES; i++)
        if (counts[i] > 0 && len > 0 && (size_t)len < sizeof line)
            len += snprintf(line + len, sizeof line - (size_t)len, "  %zu %s", counts[i], head_phase_words[i]);
    put(page, "", line);
}

static void put_counts(struct fleet *fleet, struct page *page)
{
    char line[LINE_MAX_SIZE];
    const uint64_t *c = fleet->counts;
    (void)snprintf(line, sizeof line,
                   "  %" PRIu64 " slots given, %" PRIu64 " pictures, %" PRIu64 " sent to the queue, %" PRIu64 " interrupted, %"
                   PRIu64 " faults, %" PRIu64 " requests, %" PRIu64 " answers 5xx", c[COUNT_GRANTS], c[COUNT_PICTURES], c[COUNT_QUEUED],
                   c[COUNT_INTERRUPTED], c[COUNT_FAULTS], c[COUNT_REQUESTS], c[COUNT_SERVER_ERRORS]);
    put(page, "", line);
    (void)snprintf(line, sizeof line, "  conflicts: %" PRIu64 " real, %zu told by the cluster; %zu divergences in /slots",
                   truth_conflicts(fleet->truth), fleet->conflict_rows, fleet->divergences);
    put(page, fleet->violations > 0 ? RED : "", line);
}

void fleet_screen(struct fleet *fleet)
{
    struct page page = { .out = { 0 } };
    char line[LINE_MAX_SIZE];
    size_of_terminal(&page);
    int footer = footer_rows(fleet, &page);
    bool fits = footer < page.rows_left - ROWS_FIXED;
    page.rows_left -= fits ? footer : 0;
    hc_buf_str(&page.out, HOME);
    (void)snprintf(line, sizeof line, "hydrasim  %s  %" PRId64 " s%s  %s", fleet->options->server_url, fleet->now_ms / 1000,
                   fleet->stopping ? " (ending)" : "", fleet->scenario->title);
    put(&page, BOLD, line);
    put_bodies(fleet, &page, page.rows_left - ROWS_FIXED - FLEET_NEWS_MAX);
    put_queue(fleet, &page);
    put_heads(fleet, &page);
    put_counts(fleet, &page);
    for (size_t i = 0; i < fleet->news_count; i++) {
        (void)snprintf(line, sizeof line, "  > %s", fleet->news[i]);
        put(&page, "", line);
    }
    if (fits)
        put_footer(fleet, &page);
    hc_buf_str(&page.out, CLEAR_BELOW);
    if (!page.out.failed)
        (void)fwrite(page.out.data, 1, page.out.len, stdout);
    (void)fflush(stdout);
    hc_buf_free(&page.out);
}
