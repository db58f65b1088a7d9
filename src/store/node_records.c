/* node_records.c - the registry of nodes.yaml: nodes, venues, orgs, experiences. */
#include <string.h>

#include "record_text.h"
#include "rows.h"
#include "xr_rows.h"

/* ---- nodes ---- */
static const char *const role_texts[] = { "", "body", "head", "both" };
static const struct hc_words role_words = { role_texts, sizeof role_texts / sizeof role_texts[0] };
_Static_assert((ROLE_BODY | ROLE_HEAD) == 3 && ROLE_BODY == 1 && sizeof(int) == sizeof(uint32_t), "the mask of roles is its word's index");

struct node_in_file {
    struct node_rec node;
    struct stream_block stream; struct xr_session xr_session; const char *wireguard_config;
    bool has_stream, has_xr;
};
static const struct codec_field stream_block_rows[] = {
    ROW_STR(struct node_in_file, "stream_url", stream.stream_url, OMIT),
    ROW_STR(struct node_in_file, "stream_url_lan", stream.stream_url_lan, OMIT),
    ROW_NAME(struct node_in_file, "stream_app_id", stream.stream_app_id, OMIT),
    ROW_STR(struct node_in_file, "stream_mode", stream.stream_mode, OMIT),
};
static const struct codec_table stream_block_table = CODEC_TABLE("stream", stream_block_rows, struct node_in_file, CODEC_NO_PRESENT);

static const struct codec_field xr_rows[] = { XR_ROWS(struct node_in_file, xr_session) };
static const struct codec_table xr_table = CODEC_TABLE("xr_session", xr_rows, struct node_in_file, CODEC_NO_PRESENT);

/* A node without an approval is refused in our own file; an older binary's knows no approval, all its nodes serve. */
#define NODE_ROWS(approval_flags) \
    ROW_NAME(struct node_in_file, "name", node.name, OMIT), \
    ROW_WORD(struct node_in_file, "role", node.roles, role_words, OMIT), \
    ROW_NAME(struct node_in_file, "district", node.district, OMIT), \
    ROW_NAME(struct node_in_file, "venue", node.venue, OMIT), \
    ROW_NAME(struct node_in_file, "owner", node.owner, OMIT), \
    ROW_NAME(struct node_in_file, "machine_id", node.machine_id, OMIT), \
    ROW_STR(struct node_in_file, "ip", node.ip, OMIT), \
    ROW_STR(struct node_in_file, "wireguard_ip", node.wireguard_ip, OMIT), \
    ROW_STR(struct node_in_file, "kind", node.kind, OMIT), \
    ROW_WORD(struct node_in_file, "approval", node.approval, approval_words, approval_flags), \
    ROW_STR(struct node_in_file, "token_hash", node.token_hash, OMIT), \
    ROW_STR(struct node_in_file, "version", node.version, OMIT), \
    ROW_STR(struct node_in_file, "arch", node.arch, OMIT), \
    ROW_TIME(struct node_in_file, "enrolled_at", node.enrolled_at, OMIT), \
    ROW_TIME(struct node_in_file, "last_seen", node.last_seen, OMIT), \
    ROW_NAME(struct node_in_file, "xr_client_hostname", node.xr_client_hostname, OMIT), \
    ROW_STR(struct node_in_file, "head_body_id", node.head_body_id, OMIT), \
    ROW_PART(struct node_in_file, "stream", stream_block_table, has_stream), \
    ROW(struct node_in_file, "wireguard_config", CODEC_TEXT, wireguard_config, WIREGUARD_MAX, OMIT), \
    ROW_U32(struct node_in_file, "protocol_version", node.protocol_version, UINT32_MAX), \
    ROW_U32(struct node_in_file, "pairing_protocol", node.pairing_protocol, UINT32_MAX)
/* What an older binary keeps as `xr_session` is its own: allocation.yaml and the body's reports tell us. */
static const struct codec_field node_rows[] = { NODE_ROWS(CODEC_REQUIRED), ROW_PART(struct node_in_file, "xr_session", xr_table, has_xr) };
static const struct codec_field older_node_rows[] = { NODE_ROWS(0) };
static const struct codec_table node_table = CODEC_TABLE("node", node_rows, struct node_in_file, CODEC_NO_PRESENT);
static const struct codec_table older_node_table = CODEC_TABLE("node", older_node_rows, struct node_in_file, CODEC_NO_PRESENT);

void write_node(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    const struct node_rec *node = (const struct node_rec *)rec;
    const struct stream_block *stream = node_stream(node);
    const struct node_in_file file = {
        .node = *node, .stream = *stream, .xr_session = *node_xr(node),
        .wireguard_config = node->wireguard_config == NULL ? NULL : node->wireguard_config->bytes,
        .has_xr = node_xr(node)->session_id[0] != '\0',
        .has_stream = stream->stream_url[0] != '\0' || stream->stream_url_lan[0] != '\0' || stream->stream_app_id[0] != '\0' ||
                      stream->stream_mode[0] != '\0',
    };
    write_keyed(rec->key, &node_table, &file, out);
}

enum hc_err read_node(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    struct node_in_file found;
    enum hc_err err = check_key_id(r, pair);
    if (err == HC_OK)
        err = read_table(r, r->lenient ? &older_node_table : &node_table, value, &found);
    if (err != HC_OK)
        return err;
    struct node_rec *node = (struct node_rec *)rec_new(REC_NODE, pair->key);
    if (node == NULL)
        return no_memory(r);
    found.node.rec = node->rec;
    *node = found.node;
    if (node_set_stream(node, &found.stream) != HC_OK || node_set_xr(node, &found.xr_session) != HC_OK) {
        rec_unref(&node->rec);
        return no_memory(r);
    }
    if (found.wireguard_config != NULL) {
        node->wireguard_config = text_new(found.wireguard_config, strlen(found.wireguard_config));
        if (node->wireguard_config == NULL) {
            rec_unref(&node->rec);
            return no_memory(r);
        }
    }
    return put_record(r, &node->rec);
}

/* ---- venues, orgs ---- */
static const struct codec_field venue_rows[] = {
    ROW_NAME(struct venue_rec, "district", district, OMIT),
    ROW_NAME(struct venue_rec, "owner", owner, OMIT),
    ROW_WORD(struct venue_rec, "queue_accept_mode", accept_mode, accept_mode_words, 0),
};
static const struct codec_table venue_table = CODEC_TABLE("venue", venue_rows, struct venue_rec, CODEC_NO_PRESENT);
static const struct codec_table org_table = { .name = "org", .size = sizeof(struct org_rec), .present = CODEC_NO_PRESENT };

void write_venue(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    write_keyed(rec->key, &venue_table, rec, out);
}

enum hc_err read_venue(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    struct venue_rec found;
    enum hc_err err = check_key_name(r, pair);
    if (err == HC_OK)
        err = read_table(r, &venue_table, value, &found);
    if (err != HC_OK)
        return err;
    struct venue_rec *venue = (struct venue_rec *)rec_new(REC_VENUE, pair->key);
    if (venue == NULL)
        return no_memory(r);
    found.rec = venue->rec;
    *venue = found;
    return put_record(r, &venue->rec);
}

void write_org(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    write_keyed(rec->key, &org_table, rec, out);
}

enum hc_err read_org(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    struct org_rec found;
    enum hc_err err = check_key_name(r, pair);
    if (err == HC_OK)
        err = read_table(r, &org_table, value, &found);
    if (err != HC_OK)
        return err;
    struct rec *org = rec_new(REC_ORG, pair->key);
    return org == NULL ? no_memory(r) : put_record(r, org);
}

/* ---- experiences ---- */
#define EXPERIENCE_VENUES_MAX 4096
struct experience_in_file { struct experience_rec experience; uint64_t present; struct codec_list venues; };
static const struct codec_field experience_rows[] = {
    ROW_NAME(struct experience_in_file, "label", experience.label, OMIT),
    ROW_STR(struct experience_in_file, "orientation", experience.orientation, OMIT),
    ROW_BOOL(struct experience_in_file, "enable_microphone", experience.enable_microphone, OMIT),
    ROW_STR(struct experience_in_file, "stream_mode", experience.stream_mode, OMIT),
    ROW_STRS(struct experience_in_file, "venues", venues, EXPERIENCE_VENUES_MAX, 0),
};
static const struct codec_table experience_table =
    CODEC_TABLE("experience", experience_rows, struct experience_in_file, offsetof(struct experience_in_file, present));
/* No key `venues`: shown in all. An empty list: in none. So the row is left out of the table, not omitted when empty. */
static const struct codec_table everywhere_table = {
    .name = "experience", .fields = experience_rows, .count = sizeof experience_rows / sizeof experience_rows[0] - 1,
    .size = sizeof(struct experience_in_file), .present = CODEC_NO_PRESENT,
};

void write_experience(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    struct experience_in_file file = { .experience = *(const struct experience_rec *)rec };
    struct strings *venues = file.experience.venues;
    if (venues != NULL && venues->count > 0)
        file.venues = (struct codec_list){ venues->at, venues->count };
    write_keyed(rec->key, venues == NULL ? &everywhere_table : &experience_table, &file, out);
}

enum hc_err read_experience(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    struct experience_in_file found;
    enum hc_err err = check_key_name(r, pair);
    if (err == HC_OK)
        err = read_table(r, &experience_table, value, &found);
    if (err != HC_OK)
        return err;
    struct experience_rec *experience = (struct experience_rec *)rec_new(REC_EXPERIENCE, pair->key);
    if (experience == NULL)
        return no_memory(r);
    found.experience.rec = experience->rec;
    *experience = found.experience;
    if (codec_has(&experience_table, &found, "venues"))
        err = take_strings(r, &found.venues, true, &experience->venues);
    if (err == HC_OK)
        return put_record(r, &experience->rec);
    rec_unref(&experience->rec);
    return err;
}
