/* device_identity.c - a head's certificate: registered by itself, looked at, revoked by an admin (wire §3, rules §12). */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "answer_rows.h"
#include "hydra/crypto/certificate.h"
#include "hydra/crypto/digest.h"
#include "hydra/proto/device_identity.h"
#include "operator_routes.h"

_Static_assert(DEVICE_IDENTITY_PEM_MAX <= CERTIFICATE_PEM_MAX && DEVICE_IDENTITY_PEM_MAX <= CERT_PEM_MAX, "what is read can be kept");

/* hex(sha256(head_id))[0:16]: a name that everybody can compute (I6). */
static void uid_of(const char *head_id, char out[DEVICE_UID_SIZE])
{
    char digest[HC_HASH_SIZE];
    crypto_sha256_hex(head_id, strlen(head_id), digest);
    digest[DEVICE_UID_SIZE - 1] = '\0';
    hc_copy(out, DEVICE_UID_SIZE, digest);
}

static bool refuse(struct call *call, const char *field, const char *detail)
{
    call_bad(call, field, detail);
    return false;
}

static bool certificate_good(struct call *call, const struct device_identity *body, struct certificate_facts *ret)
{
    hc_time now = call->api->config.now();
    struct hc_diag diag = { "" };
    enum hc_err err = crypto_certificate_read(body->cert_pem, ret, &diag);
    if (err != HC_OK && hc_err_kind(err) != HC_KIND_CALLER) {
        call_fault(call, err);
        return false;
    }
    if (err != HC_OK)
        return refuse(call, "cert_pem", "It must be one certificate in PEM and nothing else.");
    if (strcasecmp(body->cert_fingerprint, ret->fingerprint) != 0)
        return refuse(call, "cert_fingerprint", "It must be the SHA-256 of the certificate's DER in hex.");
    if (!ret->key_is_strong) {
        char detail[128];
        (void)snprintf(detail, sizeof detail, "Its key is %s; wanted is RSA from 2048 bits, EC from P-256, or Ed25519.", ret->key);
        return refuse(call, "cert_pem", detail);
    }
    if (body->not_after.ms / HC_SECOND_MS != ret->not_after.ms / HC_SECOND_MS)
        return refuse(call, "not_after", "It must be the certificate's own.");
    if (!hc_time_before(now, ret->not_after))
        return refuse(call, "not_after", "The certificate has expired.");
    if (hc_time_before(now, ret->not_before))
        return refuse(call, "cert_pem", "The certificate is not valid yet.");
    return true;
}

static void render_registered(struct call *call, struct core_result *result)
{
    const struct identity_facts *facts = &result->identity;
    char text[HC_TIME_TEXT_SIZE];
    struct hc_buf json = { 0 };
    hc_time_format(facts->registered_at, text);
    hc_buf_str(&json, "{\"registered_at\":");
    hc_buf_json_str(&json, text);
    if (facts->supersedes[0] != '\0')
        member_text("supersedes_fingerprint", facts->supersedes, &json);
    if (hc_time_set(facts->overlap_until))
        member_instant("overlap_until", facts->overlap_until, &json);
    hc_buf_char(&json, '}');
    call_json(call, 201, &json);
}

static void identity_post(struct call *call)
{
    struct { struct device_identity body; struct certificate_facts facts; char uid[DEVICE_UID_SIZE]; } *kept =
        hc_arena_alloc(call->arena, sizeof *kept);
    if (kept == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &device_identity_table, &kept->body))
        return;
    uid_of(call->ids[0], kept->uid);
    if (strcmp(kept->body.device_uid, kept->uid) != 0) {
        call_bad(call, "device_uid", "It must be the first 16 hex digits of the SHA-256 of the head's id.");
        return;
    }
    if (!certificate_good(call, &kept->body, &kept->facts))
        return;
    call_event(call, CORE_IDENTITY_PUT)->u.identity = (struct identity_req){
        .head_id = call->ids[0], .device_uid = kept->uid, .fingerprint = kept->facts.fingerprint, .cert_pem = kept->body.cert_pem,
        .not_after = kept->facts.not_after,
    };
    call_submit(call, render_registered);
}

/* ---- what is known of it, and which bodies still show it ---- */

static const struct codec_field identity_rows[] = {
    OUT_TEXT(struct identity_rec, "device_uid", device_uid),
    OUT_TEXT(struct identity_rec, "fingerprint", fingerprint),
    OUT_TIME(struct identity_rec, "registered_at", registered_at),
    OUT_TIME(struct identity_rec, "not_after", not_after),
    OUT_TIME(struct identity_rec, "revoked_at", revoked_at),
};
static const struct codec_table identity_table = OUT_TABLE("identity", identity_rows, struct identity_rec);
static const struct codec_field predecessor_rows[] = {
    OUT_TEXT(struct predecessor, "fingerprint", fingerprint),
    OUT_TIME(struct predecessor, "overlap_until", overlap_until),
};
static const struct codec_table predecessor_table = OUT_TABLE("predecessor", predecessor_rows, struct predecessor);

static enum hc_err write_identity(const struct core_view *v, const struct identity_rec *identity, struct hc_buf *out)
{
    struct hc_arena arena = { 0 };
    const char *const *bodies;
    size_t count = 0;
    enum hc_err err = query_identity_shown(v, identity->rec.key, &arena, &bodies, &count);
    hc_buf_str(out, "{\"head_id\":");
    hc_buf_json_str(out, identity->rec.key);
    (void)json_write_members(&identity_table, identity, false, out);
    hc_buf_str(out, ",\"predecessor\":");
    if (identity->predecessor.fingerprint[0] != '\0')
        json_write(&predecessor_table, &identity->predecessor, out);
    else
        hc_buf_str(out, "null");
    hc_buf_str(out, ",\"shown_by\":[");
    for (size_t i = 0; err == HC_OK && i < count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, bodies[i]);
    }
    hc_buf_str(out, "]}");
    hc_arena_free(&arena);
    return err;
}

static void identity_get(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    const struct identity_rec *identity = alloc_identity(view.saved, call->ids[0]);
    struct hc_buf json = { 0 };
    enum hc_err err = identity == NULL ? HC_OK : write_identity(&view.view, identity, &json);
    call_view_done(call, &view);
    if (err != HC_OK)
        hc_buf_free(&json);
    if (err != HC_OK)
        call_fault(call, err);
    else if (identity == NULL)
        call_error(call, 404, "not_found", "This head has no device identity.", NULL, 0);
    else
        call_json(call, 200, &json);
}

static void render_revoked(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void identity_delete(struct call *call)
{
    call_event(call, CORE_IDENTITY_REVOKE)->u.identity_revoke = (struct identity_revoke_req){ .head_id = call->ids[0] };
    call_submit(call, render_revoked);
}

/* DELETE finds the identity of a head that was deleted, too. */
#define IDENTITY "/api/v1/heads/{id}/device-identity"
const struct api_route device_identity_routes[] = {
    { HTTP_POST,   IDENTITY, SCOPE_SELF | SCOPE_ADMIN,              ROUTE_BODY | ROUTE_HEAD_EXISTS, identity_post },
    { HTTP_GET,    IDENTITY, SCOPE_SELF | SCOPE_ADMIN | SCOPE_READ, 0,                              identity_get },
    { HTTP_DELETE, IDENTITY, SCOPE_ADMIN,                           0,                              identity_delete },
    { 0 },
};
