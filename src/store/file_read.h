/* file_read.h - the sections of a whole file, into a state. */
#ifndef STORE_FILE_READ_H
#define STORE_FILE_READ_H

#include "document.h"
#include "hydra/core/record.h"
#include "section.h"

/* Reads `doc` (file, text, len and the two flags filled) into `into`, which has none of these records. */
HC_MUST enum hc_err file_read(struct document *doc, const struct file_sections *sections, struct alloc *into, struct hc_diag *diag);

#endif
