/* enforcement_page.h - the table of docs/AGENTS.md that says what a paired client without a lease can do to a body. */
#ifndef ENFORCEMENT_PAGE_H
#define ENFORCEMENT_PAGE_H

#include <stdbool.h>

#define ENFORCEMENT_VERSIONS  6
#define ENFORCEMENT_CELL_SIZE 256

enum enforcement_act { ACT_LAUNCH_FREE, ACT_LAUNCH_SECOND, ACT_RESUME, ACT_CANCEL, ENFORCEMENT_ACTS };
extern const char *const enforcement_versions[ENFORCEMENT_VERSIONS];       /* oldest first */
const char *enforcement_act_text(enum enforcement_act act);

/* "" : not tried. Else "refused: WHO", "reported: WORDS" or "neither". */
struct enforcement_table { char cells[2][ENFORCEMENT_ACTS][ENFORCEMENT_VERSIONS][ENFORCEMENT_CELL_SIZE]; };
char *enforcement_cell(struct enforcement_table *table, const char *version, bool enforce, enum enforcement_act act);

/* Fails the test when a cell that was tried stands otherwise in the page, or is one whose reason nobody has written down. `whole`: every
 * cell was tried, and the page must be what comes out; HYDRA_GOLDEN_UPDATE=1 writes it then. */
void enforcement_page_check(const struct enforcement_table *table, bool whole);

#endif
