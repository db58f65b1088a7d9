#include "enforcement_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/base/id.h"

#define PAGE      "docs/AGENTS.md"
#define PAGE_SIZE ((size_t)256 * 1024)
#define BEGIN     "<!-- enforcement: begin -->\n"
#define END       "<!-- enforcement: end -->\n"

const char *const enforcement_versions[ENFORCEMENT_VERSIONS] = {
    "v0.23.1", "v2025.118", "v2025.628", "v2025.924", "v2026.516", "v2026.816",
};

static const char *const act_texts[ENFORCEMENT_ACTS] = {
    "`/launch` on a free slot", "`/launch` beside a stream", "`/resume`", "`/cancel`",
};

/* Why it is so: every outcome that the table has must have its row here. `outcome` is how a cell begins. */
static const struct { enum enforcement_act act; const char *outcome, *why; } reasons[] = {
    { ACT_LAUNCH_FREE, "reported",
      "The slot is nobody's, and whoever is paired may use what stands idle: the hook asks the cluster (`admit-observed`), which takes the "
      "session over as an adopted lease, so that the slot counts as taken and nobody is granted it." },
    { ACT_LAUNCH_FREE, "refused: hook", "The hook asks the cluster, and the cluster says that the slot is held." },
    { ACT_LAUNCH_SECOND, "refused: Sunshine",
      "Sunshine starts no second application, whoever asks: its own answer, before any hook runs." },
    { ACT_LAUNCH_SECOND, "refused: gate",
      "While the lease streams only its clients are enabled: the stranger is turned away after its TLS handshake, before it can ask." },
    { ACT_RESUME, "refused: gate", "As above: a disabled client can ask for nothing." },
    { ACT_RESUME, "refused: Sunshine", "Up to v0.23.1 a host had one stream at a time (`channels`); later ones have no such limit." },
    { ACT_RESUME, "reported",
      "Sunshine runs no hook for a join and lets every paired client in; before v2026.816 switching a client off would end the leased "
      "stream as well, and with `observe` nobody is switched off. The second viewer in Sunshine's log makes it two rows of `/slots`." },
    { ACT_CANCEL, "refused: gate", "As above." },
    { ACT_CANCEL, "refused: Sunshine",
      "Up to v0.23.1 Sunshine ended no application that is viewed; later ones do for every paired client." },
    { ACT_CANCEL, "neither",
      "Sunshine asks nothing but a paired certificate and tells nobody who asked: the stream ends, and for the cluster that is the end of "
      "the visit. Only the gate prevents it." },
};

const char *enforcement_act_text(enum enforcement_act act)
{
    return act_texts[act];
}

static size_t place(const char *version)
{
    for (size_t i = 0; i < ENFORCEMENT_VERSIONS; i++)
        if (strcmp(enforcement_versions[i], version) == 0)
            return i;
    fail_msg("no release %s", version);
    return 0;
}

char *enforcement_cell(struct enforcement_table *table, const char *version, bool enforce, enum enforcement_act act)
{
    return table->cells[enforce][act][place(version)];
}

/* ---- the page as text ---- */

static void write_rows(const struct enforcement_table *table, bool enforce, struct hc_buf *out)
{
    hc_buf_printf(out, "With `%s`:\n\n| a stranger's |", enforce ? "enforce" : "observe");
    for (size_t v = 0; v < ENFORCEMENT_VERSIONS; v++)
        hc_buf_printf(out, " %s |", enforcement_versions[v]);
    hc_buf_str(out, "\n|---|");
    for (size_t v = 0; v < ENFORCEMENT_VERSIONS; v++)
        hc_buf_str(out, "---|");
    for (size_t act = 0; act < ENFORCEMENT_ACTS; act++) {
        hc_buf_printf(out, "\n| %s |", act_texts[act]);
        for (size_t v = 0; v < ENFORCEMENT_VERSIONS; v++)
            hc_buf_printf(out, " %s |", table->cells[enforce][act][v]);
    }
    hc_buf_str(out, "\n\n");
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool happens(const struct enforcement_table *table, enum enforcement_act act, const char *outcome)
{
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t v = 0; v < ENFORCEMENT_VERSIONS; v++)
            if (begins(table->cells[mode][act][v], outcome))
                return true;
    return false;
}

static void write_reasons(const struct enforcement_table *table, struct hc_buf *out)
{
    hc_buf_str(out, "Why:\n\n");
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (happens(table, reasons[i].act, reasons[i].outcome))
            hc_buf_printf(out, "- %s, %s: %s\n", act_texts[reasons[i].act], reasons[i].outcome, reasons[i].why);
}

/* ---- compared ---- */

static char *read_page(void)
{
    char *text = calloc(1, PAGE_SIZE);
    FILE *in = fopen(PAGE, "re");
    if (in == NULL || text == NULL)
        fail_msg("%s is missing: run this at the top of the tree", PAGE);
    assert_true(fread(text, 1, PAGE_SIZE - 1, in) < PAGE_SIZE - 1);
    assert_int_equal(fclose(in), 0);
    return text;
}

static void check_reasons(const struct enforcement_table *table)
{
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t act = 0; act < ENFORCEMENT_ACTS; act++)
            for (size_t v = 0; v < ENFORCEMENT_VERSIONS; v++) {
                const char *cell = table->cells[mode][act][v];
                bool explained = cell[0] == '\0';
                for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
                    explained |= reasons[i].act == act && begins(cell, reasons[i].outcome);
                if (!explained)
                    fail_msg("%s, %s: %s: nobody has said why", enforcement_versions[v], act_texts[act], cell);
            }
}

/* The cells of one table row of the page, trimmed; false: there are fewer. */
static bool cells_of(const char *line, char cells[ENFORCEMENT_VERSIONS][ENFORCEMENT_CELL_SIZE])
{
    for (size_t v = 0; v < ENFORCEMENT_VERSIONS; v++) {
        const char *end = strstr(line, " |");
        size_t len = end == NULL ? ENFORCEMENT_CELL_SIZE : (size_t)(end - line);
        if (len >= ENFORCEMENT_CELL_SIZE)
            return false;
        memcpy(cells[v], line, len);
        cells[v][len] = '\0';
        line = end + strlen(" |") + (end[2] == ' ');
    }
    return true;
}

static void check_cells(const struct enforcement_table *table, const char *section)
{
    for (size_t mode = 0; mode < 2; mode++) {
        const char *at = strstr(section, mode == 1 ? "With `enforce`" : "With `observe`");
        for (size_t act = 0; act < ENFORCEMENT_ACTS; act++) {
            char head[64], cells[ENFORCEMENT_VERSIONS][ENFORCEMENT_CELL_SIZE];
            (void)snprintf(head, sizeof head, "\n| %s | ", act_texts[act]);
            const char *row = at == NULL ? NULL : strstr(at, head);
            if (row == NULL || !cells_of(row + strlen(head), cells))
                fail_msg("%s has no row for %s; make agents-doc writes it", PAGE, act_texts[act]);
            for (size_t v = 0; v < ENFORCEMENT_VERSIONS; v++)
                if (table->cells[mode][act][v][0] != '\0' && strcmp(table->cells[mode][act][v], cells[v]) != 0)
                    fail_msg("%s says for %s and %s: %s; here it is: %s", PAGE, enforcement_versions[v], act_texts[act], cells[v],
                             table->cells[mode][act][v]);
        }
    }
}

void enforcement_page_check(const struct enforcement_table *table, bool whole)
{
    const char *update = getenv("HYDRA_GOLDEN_UPDATE");
    struct hc_buf page = { 0 };
    char *text = read_page(), *begin = strstr(text, BEGIN), *end = strstr(text, END);
    if (begin == NULL || end == NULL || begin > end)
        fail_msg("%s has no marks of the table", PAGE);
    check_reasons(table);
    hc_buf_add(&page, text, (size_t)(begin - text) + strlen(BEGIN));
    write_rows(table, true, &page);
    write_rows(table, false, &page);
    write_reasons(table, &page);
    hc_buf_str(&page, end);
    assert_false(page.failed);
    if (whole && update != NULL && strcmp(update, "1") == 0) {
        FILE *out = fopen(PAGE, "we");
        assert_non_null(out);
        assert_true(fputs(page.data, out) >= 0);
        assert_int_equal(fclose(out), 0);
    } else {
        check_cells(table, begin);
        assert_true(!whole || strcmp(text, page.data) == 0);
    }
    hc_buf_free(&page);
    free(text);
}
