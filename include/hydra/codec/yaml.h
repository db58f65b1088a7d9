/* yaml.h - strict YAML (rules §3.6): a tree with positions, read into structs by field table; and the writer of the same tables.
 *
 * Refused with file:line:column: anchors, aliases, tags, merge keys, a second document, repeated keys, directives, non-UTF-8, nesting over
 * YAML_NESTING_MAX, a document over YAML_BYTES_MAX. Where it must be a map and the file has something else: refused with the key's path. */
#ifndef HYDRA_CODEC_YAML_H
#define HYDRA_CODEC_YAML_H

#include "hydra/codec/field.h"

#define YAML_NESTING_MAX 16
#define YAML_BYTES_MAX   ((size_t)256 * 1024 * 1024)

enum yaml_kind { YAML_SCALAR, YAML_MAP, YAML_SEQ };

struct yaml_node;
struct yaml_pair { const char *key; unsigned key_line, key_column; struct yaml_node *value; };
struct yaml_node {
    enum yaml_kind kind;
    unsigned line, column;              /* from 1 */
    const char *scalar; bool quoted;    /* SCALAR; an unquoted empty scalar, ~ or null is null */
    struct yaml_pair *pairs;            /* MAP, in file order */
    struct yaml_node **items;           /* SEQ */
    size_t count;
};
bool yaml_is_null(const struct yaml_node *node);
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);    /* NULL: absent (linear) */

/* Parses the text into `arena`. `file` is for messages only. An empty document gives an empty map. HC_ERR_SYNTAX with
 * diag "FILE:LINE:COL: ..."; HC_ERR_NOMEM. */
HC_MUST enum hc_err yaml_parse(const char *file, const char *text, size_t len, struct hc_arena *arena, struct yaml_node **ret_root,
                               struct hc_diag *diag);

/* Fills `object` (zeroed first) from a map. Unknown keys, wrong types, values over their limits: HC_ERR_SCHEMA with
 * "FILE:LINE:COL: KEY: what is wrong". Strings that look like other types are taken as the row's type says. */
HC_MUST enum hc_err yaml_read(const struct codec_table *table, const char *file, const struct yaml_node *map, struct hc_arena *arena,
                              void *object, struct hc_diag *diag);
/* A message for a caller's own finding at a node: "FILE:LINE:COL: KEY: text". Returns HC_ERR_SCHEMA. */
enum hc_err yaml_fail(struct hc_diag *diag, const char *file, const struct yaml_node *at, const char *key, const char *format, ...)
    HC_PRINTF(5, 6);

/* Writing. `yaml_write_members` appends "KEY: VALUE\n" lines indented by `indent` spaces (lists of objects as block sequences,
 * lists of scalars in flow style); rows with CODEC_OMIT_EMPTY and no value are left out. `yaml_write_item` is the same as a
 * sequence item ("- KEY: VALUE"). Scalars that could be read as null, bool, number or time, or that have special characters, are
 * double-quoted. */
void yaml_write_members(const struct codec_table *table, const void *object, unsigned indent, struct hc_buf *out);
void yaml_write_item(const struct codec_table *table, const void *object, unsigned indent, struct hc_buf *out);
void yaml_write_scalar(const char *text, struct hc_buf *out);
void yaml_write_indent(unsigned indent, struct hc_buf *out);

#endif
