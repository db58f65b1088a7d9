/* explain.c - GET /explain?head_id: what a claim would be answered now, and why each body was or was not chosen; changes nothing
 * (wire §5). */
#include "answer_rows.h"
#include "operator_routes.h"

struct explain { bool legacy; const char *head_id, *experience; };

static const struct codec_field rows[] = {
    OUT_U32(struct candidate_row, "rank", rank),
    OUT_TEXT(struct candidate_row, "body_id", body_id),
    OUT_U32(struct candidate_row, "slot", slot),
    OUT_BOOL(struct candidate_row, "eligible", eligible),
    OUT_BOOL(struct candidate_row, "grantable", grantable),
};
static const struct codec_table table = OUT_TABLE("candidate", rows, struct candidate_row);

static struct seeker seeker_of(const struct core_view *v, const struct explain *asked)
{
    struct seeker who = { .head_id = asked->head_id, .experience = asked->experience, .ticket_id = "", .mode = MODE_FLAT,
        .protocol = asked->legacy ? 1 : 2, .created_at = v->now };
    const struct ticket_rec *ticket = alloc_ticket(v->saved, asked->head_id);
    if (ticket != NULL) {                     /* a new claim keeps the place of the head's ticket (rules §7.1) */
        who.ticket_id = ticket->id;
        who.created_at = ticket->created_at;
    }
    return who;
}

static void write_candidates(const struct candidate_row *found, size_t count, struct hc_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        hc_buf_str(out, i > 0 ? ",{" : "{");
        (void)json_write_members(&table, &found[i], true, out);
        member_mask("why_not", found[i].why_not, &why_not_words, out);
        member_bool("demoted", found[i].demoted, out);
        hc_buf_char(out, '}');
    }
}

static void explain_is(struct call *call, struct core_result *result)
{
    const struct explain *asked = call->user;
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    const struct seeker who = seeker_of(&view.view, asked);
    struct candidate_row *found = NULL;
    size_t count = 0;
    enum hc_err err = query_candidates(&view.view, &who, call->arena, &found, &count);
    call_view_done(call, &view);
    if (err != HC_OK) {
        call_fault(call, err);
        return;
    }
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"head_id\":");
    hc_buf_json_str(&json, asked->head_id);
    member_text("experience", asked->experience, &json);
    hc_buf_str(&json, ",\"would\":");
    json_would(result, &json);
    hc_buf_str(&json, ",\"candidates\":[");
    write_candidates(found, count, &json);
    hc_buf_str(&json, "]}");
    call_json(call, 200, &json);
}

/* False: no head has that id; answered. Does it claim by reading? Its last report says so, or that it has done it; `protocol` decides. */
static bool look_at_head(struct call *call, struct explain *asked, uint32_t protocol)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return false;
    const struct node_rec *head = alloc_node(view.saved, asked->head_id);
    const struct node_obs *seen = observed_node(view.obs, asked->head_id);
    bool found = head != NULL && (head->roles & ROLE_HEAD) != 0;
    asked->legacy = protocol == 1 || (protocol == 0 && found && head->protocol_version < 2 && seen != NULL && hc_time_set(seen->read_at));
    call_view_done(call, &view);
    if (!found)
        call_error(call, 404, "node_not_found", "No such head has that id.", NULL, 0);
    return found;
}

void explain_get(struct call *call)
{
    if (call_query(call, "lease")[0] != '\0') {
        explain_lease(call);
        return;
    }
    if (http_query(call->req, "lease") != NULL && call_query(call, "head_id")[0] == '\0') {
        call_bad(call, "lease", "lease names the lease that is to be explained.");
        return;
    }
    uint32_t protocol = call_query_u32(call, "protocol", 0);
    struct explain *asked = hc_arena_alloc(call->arena, sizeof *asked);
    if (asked == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    asked->head_id = call_query(call, "head_id");
    asked->experience = call_query(call, "experience");
    if (asked->head_id[0] == '\0') {
        call_bad(call, "head_id", "head_id says whose claim is to be explained.");
        return;
    }
    if (asked->experience[0] == '\0') {
        call_bad(call, "experience", "experience says what the claim would be for.");
        return;
    }
    if (!look_at_head(call, asked, protocol))
        return;
    call->user = asked;
    call->own_refusals = true;
    call_event(call, CORE_CLAIM)->u.claim = (struct claim_req){
        .head_id = asked->head_id, .attempt_id = "", .experience = asked->experience, .stream_mode = "", .device_uid = "",
        .prefer_body_id = "", .claim_token = "", .stream_id = "", .content_digest = "", .protocol_version = asked->legacy ? 1 : 2,
        .no_attempt = true, .legacy = asked->legacy,
    };
    call_try(call, explain_is);
}
