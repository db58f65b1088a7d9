/* section.h - the maps and lists of both files, in file order: which records stand in each (wire §9).
 *
 * A record may have a part in two sections (a district: safe_modes and latches) or stand in one of two (a cap: venues or orgs). */
#ifndef STORE_SECTION_H
#define STORE_SECTION_H

#include "hydra/core/record.h"

#define RECORD_PARTS 2

struct section {
    const char *group;          /* the map around it, NULL: it stands at the top */
    const char *key;
    enum rec_kind kind;
    unsigned part;
    bool list;                  /* of maps; otherwise a map by the records' keys */
    bool when_used;             /* written only when it has a record: a file without any is one that an older binary reads */
};
struct file_sections { const struct section *at; size_t count; };
extern const struct file_sections allocation_sections, nodes_sections;

#endif
