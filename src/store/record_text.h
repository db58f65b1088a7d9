/* record_text.h - one record as text, and back. Pure: no file is touched here. */
#ifndef STORE_RECORD_TEXT_H
#define STORE_RECORD_TEXT_H

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/codec/yaml.h"
#include "hydra/core/records.h"
#include "section.h"

/* Appends the record's lines in its section's part, as they stand in the file; nothing when it has none there. */
void record_write(const struct rec *rec, unsigned part, struct hc_buf *out);

/* Where a lease was seen, to find an id that is there twice. The id lies in its record. */
struct lease_place { const char *id; unsigned line, column; };

struct reading {
    const char *file;
    struct hc_diag *diag;
    struct alloc *into;             /* records go in here; nobody else has it yet */
    bool lenient;                   /* an older binary's file: unknown keys are passed over (rules §3.7) */
    struct hc_arena scratch;        /* of the record under way */
    struct lease_place *leases; size_t lease_count, lease_size;
};
/* One pair of a section that is a map (`pair`), or one item of a list (`pair` NULL), with its value. Puts the record into `into`. */
HC_MUST enum hc_err record_read(struct reading *r, const struct section *section, const struct yaml_pair *pair, struct yaml_node *value);
HC_MUST enum hc_err reading_check_leases(struct reading *r);      /* after the last body: HC_ERR_SCHEMA when an id is there twice */
void reading_free(struct reading *r);                             /* not `into` */

/* ---- for the files that know one kind of record ---- */
typedef void record_write_fn(const struct rec *rec, unsigned part, struct hc_buf *out);
typedef enum hc_err record_read_fn(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value);
record_write_fn write_body, write_stream, write_ticket, write_district, write_cap, write_demotion, write_attempts, write_node, write_venue,
    write_org, write_experience, write_op, write_identity;
record_read_fn read_body, read_stream, read_ticket, read_district, read_cap, read_demotion, read_attempts, read_node, read_venue, read_org,
    read_experience, read_op, read_identity;

/* "  KEY:" and the members, or "  KEY: {}". */
void write_keyed(const char *key, const struct codec_table *table, const void *object, struct hc_buf *out);
/* The key is an id, or a name. HC_ERR_SCHEMA at the key. */
HC_MUST enum hc_err check_key_id(struct reading *r, const struct yaml_pair *pair);
HC_MUST enum hc_err check_key_name(struct reading *r, const struct yaml_pair *pair);
/* yaml_read() with the scratch arena; lenient: unknown keys are dropped from the tree first. */
HC_MUST enum hc_err read_table(struct reading *r, const struct codec_table *table, struct yaml_node *map, void *object);
HC_MUST enum hc_err no_memory(struct reading *r);                 /* HC_ERR_NOMEM with a message */
/* A new record for `key`, not yet in `into`; NULL: no memory. put_record() gives it away whatever it returns. */
HC_MUST enum hc_err put_record(struct reading *r, struct rec *rec);
/* The strings of a CODEC_STRS list; an empty list gives NULL unless `keep_empty`. */
HC_MUST enum hc_err take_strings(struct reading *r, const struct codec_list *list, bool keep_empty, struct strings **ret);
/* ---- paired_rows.c: the trust store of a body, a map by uuid within its map ---- */
void write_paired(const char *key, const struct paired *paired, unsigned indent, struct hc_buf *out);
/* Takes the key `paired` out of the body's map. *ret NULL: none. */
HC_MUST enum hc_err read_paired(struct reading *r, const char *key, size_t max, struct yaml_node *map, struct paired **ret);
HC_MUST enum hc_err note_lease(struct reading *r, const char *id, const struct yaml_node *at);

#endif
