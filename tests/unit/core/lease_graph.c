#include "lease_graph.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../src/core/core.h"

#define BOX_WIDTH   226
#define BOX_LINE    13
#define BOX_HEAD    30
#define COLUMN_STEP 300
#define LEFT        24
#define ROW_TOP     { 70, 388 }
#define WIDTH       1174
#define HEIGHT      640
#define CLOCK       "#b45309"
#define PLAIN       "#334155"

/* Where a live state stands in the picture, and how a lease comes to begin in it ("": it does not). */
static const struct place { enum lease_state state; int column, row; const char *born; } places[] = {
    { LEASE_HELD, 0, 0, "claiming read" },
    { LEASE_GRANTED, 0, 1, "claim, promotion" },
    { LEASE_PAIRING, 1, 0, "" },
    { LEASE_STARTING, 1, 1, "" },
    { LEASE_STREAMING, 2, 0, "" },
    { LEASE_ADOPTED, 2, 1, "a body shows it" },
    { LEASE_DRAINING, 3, 0, "" },
    { LEASE_UNKNOWN, 3, 1, "" },
};
#define PLACES (sizeof places / sizeof places[0])

static const char *name_of(enum lease_state state)
{
    return word_of(&lease_state_words, (int)state);
}

/* Both go back to what the lease was before. */
static bool goes_back(enum lease_event on)
{
    return on == LEV_BODY_BACK || on == LEV_TAKEN_BACK;
}

static const struct place *place_of(enum lease_state state)
{
    const struct place *found = NULL;
    for (size_t i = 0; i < PLACES; i++)
        if (places[i].state == state)
            found = &places[i];
    assert(found != NULL || lease_is_terminal(state));      /* a new state wants a place here */
    return found;
}

/* ---- markdown ---- */

/* The events that lead from one state to another, behind each other; false: none do. */
static bool list_events(struct hc_buf *out, enum lease_state from, enum lease_state to, const char *before, const char *mark)
{
    size_t count = 0;
    for (size_t i = 0; i < lease_edge_count; i++) {
        const struct lease_edge *edge = &lease_edges[i];
        if (edge->from != from || edge->to != to)
            continue;
        hc_buf_printf(out, "%s%s%s%s%s", count++ == 0 ? before : ", ", mark, lease_event_name(edge->on), mark,
                      lease_event_is_clock(edge->on) ? " (clock)" : "");
    }
    return count > 0;
}

void lease_graph_markdown(struct hc_buf *out)
{
    hc_buf_str(out, "```mermaid\nstateDiagram-v2\n    direction LR\n");
    for (size_t i = 0; i < PLACES; i++)
        if (places[i].born[0] != '\0')
            hc_buf_printf(out, "    [*] --> %s : %s\n", name_of(places[i].state), places[i].born);
    for (size_t i = 0; i < PLACES; i++)
        for (int to = 0; to < LEASE_STATES; to++) {
            char before[2 * HC_NAME_SIZE];
            (void)snprintf(before, sizeof before, "    %s --> %s : ", name_of(places[i].state), name_of((enum lease_state)to));
            if (list_events(out, places[i].state, (enum lease_state)to, before, ""))
                hc_buf_str(out, "\n");
        }
    for (int state = 0; state < LEASE_STATES; state++)
        if (lease_is_terminal((enum lease_state)state))
            hc_buf_printf(out, "    %s --> [*]\n", name_of((enum lease_state)state));
    hc_buf_str(out, "```\n\n| from | to | on |\n|---|---|---|\n");
    for (size_t i = 0; i < PLACES; i++)
        for (int to = 0; to < LEASE_STATES; to++) {
            char before[2 * HC_NAME_SIZE];
            bool back = goes_back(LEV_BODY_BACK) && (places[i].state == LEASE_UNKNOWN || places[i].state == LEASE_DRAINING) &&
                !lease_is_terminal((enum lease_state)to);
            (void)snprintf(before, sizeof before, "| `%s` | `%s`%s | ", name_of(places[i].state), name_of((enum lease_state)to),
                           back ? ", or what it came from" : "");
            if (list_events(out, places[i].state, (enum lease_state)to, before, "`"))
                hc_buf_str(out, " |\n");
        }
}

/* ---- picture ---- */

static int rows_of(enum lease_state state)
{
    int count = 0;
    for (size_t i = 0; i < lease_edge_count; i++)
        count += lease_edges[i].from == state;
    return count;
}

static int left_of(const struct place *place)
{
    return LEFT + place->column * COLUMN_STEP;
}

static int top_of(const struct place *place)
{
    static const int tops[] = ROW_TOP;
    return tops[place->row];
}

static int height_of(const struct place *place)
{
    return BOX_HEAD + BOX_LINE * rows_of(place->state) + 8;
}

static void draw_box(struct hc_buf *out, const struct place *place)
{
    int x = left_of(place), y = top_of(place), line = 0;
    hc_buf_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#f8fafc\" stroke=\"" PLAIN "\"/>\n", x, y,
                  BOX_WIDTH, height_of(place));
    hc_buf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"name\">%s</text>\n", x + 10, y + 20, name_of(place->state));
    if (place->born[0] != '\0')
        hc_buf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"born\">begins: %s</text>\n", x + BOX_WIDTH - 8, y + 20, place->born);
    for (size_t i = 0; i < lease_edge_count; i++) {
        const struct lease_edge *edge = &lease_edges[i];
        if (edge->from != place->state)
            continue;
        hc_buf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s &#8594; %s%s</text>\n", x + 10, y + BOX_HEAD + 9 + BOX_LINE * line++,
                      lease_event_is_clock(edge->on) ? "clock" : "row", lease_event_name(edge->on), name_of(edge->to),
                      goes_back(edge->on) ? " *" : "");
    }
}

/* From box to box: within a column from edge to edge, in a row to the next one straight and further over the boxes between. */
static void draw_arrow(struct hc_buf *out, const struct place *from, const struct place *to, bool clock)
{
    int x1 = left_of(from) + BOX_WIDTH, y1 = top_of(from) + 16, x2 = left_of(to), y2 = top_of(to) + 16, bend_x, bend_y;
    if (from->column == to->column) {
        x1 = x2 = left_of(from) + BOX_WIDTH / 2;
        y1 = from->row < to->row ? top_of(from) + height_of(from) : top_of(from);
        y2 = from->row < to->row ? top_of(to) : top_of(to) + height_of(to);
    } else if (from->column > to->column) {
        x1 = left_of(from);
        x2 = left_of(to) + BOX_WIDTH;
        y1 += 12;
        y2 += 12;
    }
    bend_x = (x1 + x2) / 2;
    bend_y = (y1 + y2) / 2;
    if (from->row == to->row && abs(from->column - to->column) > 1) {
        x1 = left_of(from) + BOX_WIDTH - 30;
        x2 = left_of(to) + 30;
        y1 = top_of(from);
        y2 = top_of(to);
        bend_y = y1 - 34 * (to->column - from->column);
    }
    hc_buf_printf(out, "<path d=\"M%d %d Q%d %d %d %d\" fill=\"none\" stroke=\"%s\"%s marker-end=\"url(#tip)\"/>\n", x1, y1, bend_x, bend_y,
                  x2, y2, clock ? CLOCK : PLAIN, clock ? " stroke-dasharray=\"5 3\"" : "");
}

static void draw_arrows(struct hc_buf *out, const struct place *from)
{
    for (size_t k = 0; k < PLACES; k++) {
        size_t count = 0, clocks = 0;
        for (size_t i = 0; i < lease_edge_count; i++)
            if (lease_edges[i].from == from->state && lease_edges[i].to == places[k].state) {
                count++;
                clocks += lease_event_is_clock(lease_edges[i].on);
            }
        if (count > 0)
            draw_arrow(out, from, &places[k], clocks == count);
    }
}

void lease_graph_svg(struct hc_buf *out)
{
    hc_buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"monospace\">\n", WIDTH, HEIGHT);
    hc_buf_str(out, "<style>.name{font-size:15px;font-weight:bold;fill:" PLAIN "}.born{font-size:9px;fill:#64748b;text-anchor:end}"
                    ".row,.note{font-size:10.5px;fill:" PLAIN "}.clock{font-size:10.5px;fill:" CLOCK ";font-style:italic}</style>\n"
                    "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
                    "orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"" PLAIN "\"/></marker></defs>\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    for (size_t i = 0; i < PLACES; i++)
        draw_arrows(out, &places[i]);
    for (size_t i = 0; i < PLACES; i++)
        draw_box(out, place_of(places[i].state));
    hc_buf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"note\">Ends:", LEFT, HEIGHT - 30);
    for (int state = 0; state < LEASE_STATES; state++)
        if (place_of((enum lease_state)state) == NULL)
            hc_buf_printf(out, " %s", name_of((enum lease_state)state));
    hc_buf_printf(out, ". Slanted: a clock. * or what it was before.</text>\n</svg>\n");
}
