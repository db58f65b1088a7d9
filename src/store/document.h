/* document.h - what every file of ours has around its records: generation and schema_version first, a count of its lines and `end` last.
 *
 * A file cut at a line is otherwise valid YAML, so its last key says that it is whole (rules §3.6). A file that lost a line in the middle
 * may be valid too; the comment `# lines: N` above `end` counts the lines above it. A file without that comment (written by hand, or by a
 * tool that drops comments) is taken as it is. */
#ifndef STORE_DOCUMENT_H
#define STORE_DOCUMENT_H

#include "hydra/base/buf.h"
#include "hydra/base/time.h"
#include "hydra/codec/yaml.h"

#define STORE_SCHEMA_VERSION 2

struct document {
    const char *file;               /* for messages */
    const char *text;
    size_t len;
    bool has_saved_at;              /* the file has this key */
    bool may_be_older;              /* without schema_version it is an older binary's (rules §3.7) */
    /* what document_open() finds */
    struct yaml_node *root;
    uint64_t generation;
    hc_time saved_at;
    bool older;
};

/* Parses, checks head and end. The caller has filled the upper part. */
HC_MUST enum hc_err document_open(struct document *doc, struct hc_arena *arena, struct hc_diag *diag);
bool document_is_head(const struct document *doc, const char *key);        /* a key that document_open() has read */
/* The count of lines; last, because every other finding says more. */
HC_MUST enum hc_err document_check_lines(const struct document *doc, struct hc_diag *diag);

size_t document_lines(const char *text, size_t len);                       /* line ends in it */
void document_write_head(uint64_t generation, hc_time saved_at, struct hc_buf *out);    /* saved_at NEVER: left out */
void document_write_end(uint64_t generation, size_t lines, struct hc_buf *out);         /* lines: those above */

#endif
