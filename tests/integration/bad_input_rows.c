#include "bad_input_rows.h"

#define CLAIM    "/api/v1/heads/%H/slot-claims"
#define CLAIM_O  "/api/v1/heads/%O/slot-claims"
#define HEAD     "/api/v1/heads/%H"
#define STATUS   "/api/v1/body/status"
#define NODES    "/api/v1/nodes"
#define BODY     "/api/v1/nodes/%B"
#define TEXT_16  "xxxxxxxxxxxxxxxx"
#define TEXT_64  TEXT_16 TEXT_16 TEXT_16 TEXT_16
#define TEXT_256 TEXT_64 TEXT_64 TEXT_64 TEXT_64
#define DEEP_8   "[[[[[[[["
#define END_8    "]]]]]]]]"
#define DEVICE   "\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2"
#define BAD      400, "bad_request"

const struct bad_row bad_rows[] = {
    /* no JSON at all */
    { AS_OTHER, "POST", CLAIM_O, "{", BAD, "body", NULL },
    { AS_OTHER, "POST", CLAIM_O, "[]", BAD, "body", NULL },
    { AS_OTHER, "POST", CLAIM_O, "\"x\"", BAD, "body", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{} {}", BAD, "body", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",}", BAD, "body", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"\xff\"}", BAD, "body", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"x\":" DEEP_8 DEEP_8 DEEP_8 DEEP_8 END_8 END_8 END_8 END_8 "}", BAD, "body", NULL },
    { AS_OTHER, "POST", CLAIM_O, "attempt_id=a", 415, "unsupported_media_type", NULL, "application/x-www-form-urlencoded" },
    { AS_OTHER, "POST", CLAIM_O, "{}", 415, "unsupported_media_type", NULL, "text/plain" },
    /* claims */
    { AS_OTHER, "POST", CLAIM_O, "", BAD, "attempt_id", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{}", BAD, "attempt_id", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":null,\"experience\":\"rupelmonde\"," DEVICE "}", BAD, "attempt_id", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":5,\"experience\":\"rupelmonde\"," DEVICE "}", BAD, "attempt_id", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a b\",\"experience\":\"rupelmonde\"," DEVICE "}", BAD, "attempt_id", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"x" TEXT_64 "\",\"experience\":\"rupelmonde\"," DEVICE "}", BAD, "attempt_id", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"\",\"experience\":\"rupelmonde\"," DEVICE "}", BAD, "attempt_id", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"attempt_id\":\"b\",\"experience\":\"x\"," DEVICE "}", BAD, "body", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\"," DEVICE "}", BAD, "experience", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"\"," DEVICE "}", BAD, "experience", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"x\\u0001y\"," DEVICE "}", BAD, "experience", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"x\\ny\"," DEVICE "}", BAD, "experience", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"" TEXT_256 "\"," DEVICE "}", BAD, "experience", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":[\"x\"]," DEVICE "}", BAD, "experience", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\",\"protocol_version\":2}", BAD, "device_uid", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\",\"device_uid\":\"" TEXT_256
      "\",\"protocol_version\":2}", BAD, "device_uid", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\",\"device_uid\":\"0123456789abcdef\"}", BAD,
      "protocol_version", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\",\"device_uid\":\"0123456789abcdef\","
      "\"protocol_version\":\"2\"}", BAD, "protocol_version", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\",\"device_uid\":\"0123456789abcdef\","
      "\"protocol_version\":-1}", BAD, "protocol_version", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\",\"device_uid\":\"0123456789abcdef\","
      "\"protocol_version\":2.5}", BAD, "protocol_version", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\",\"device_uid\":\"0123456789abcdef\","
      "\"protocol_version\":99999999999999999999}", BAD, "protocol_version", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\"," DEVICE ",\"prefer_body_id\":\"../b\"}", BAD,
      "prefer_body_id", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\"," DEVICE ",\"claim_token\":1}", BAD, "claim_token",
      NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\"," DEVICE ",\"stream_mode\":\"xr\"}", BAD,
      "stream_mode", NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"no such thing\"," DEVICE "}", 422, "experience_unavailable", NULL,
      NULL },
    { AS_OTHER, "POST", CLAIM_O, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\"," DEVICE ",\"stream_id\":\"%S\"}", 403,
      "not_your_stream", NULL, NULL },
    /* foreign and late */
    { AS_OTHER, "POST", CLAIM, "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\"," DEVICE "}", 403, "forbidden", NULL, NULL },
    { AS_OTHER, "POST", CLAIM "/%L/renew", "{\"claim_token\":\"%T\"}", 403, "forbidden", NULL, NULL },
    { AS_OTHER, "DELETE", CLAIM "/%L", "{\"claim_token\":\"%T\"}", 403, "forbidden", NULL, NULL },
    { AS_OTHER, "PUT", HEAD, "{\"status\":\"error\"}", 403, "forbidden", NULL, NULL },
    { AS_OTHER, "DELETE", HEAD "/stream", "{\"body_id\":\"%B\"}", 403, "forbidden", NULL, NULL },
    { AS_OTHER, "GET", HEAD "/admission", NULL, 403, "forbidden", NULL, NULL },
    { AS_BODY, "POST", CLAIM, "{}", 403, "forbidden", NULL, NULL },
    { AS_HEAD, "POST", STATUS, "{\"stream_status\":\"idle\"}", 403, "forbidden", NULL, NULL },
    { AS_HEAD, "POST", CLAIM "/%L/renew", "{\"claim_token\":\"wrong\"}", 403, "wrong_claim_token", NULL, NULL },
    { AS_HEAD, "POST", CLAIM "/%L/renew", "{}", BAD, "claim_token", NULL },
    { AS_HEAD, "POST", CLAIM "/%L/renew", "{\"claim_token\":[]}", BAD, "claim_token", NULL },
    { AS_HEAD, "DELETE", CLAIM "/%L", "{\"claim_token\":\"wrong\",\"reason\":\"user_exit\"}", 403, "wrong_claim_token", NULL, NULL },
    { AS_HEAD, "DELETE", CLAIM "/%L", "{\"claim_token\":\"%T\",\"reason\":\"bored\"}", BAD, "reason", NULL },
    { AS_HEAD, "POST", CLAIM, "{\"attempt_id\":\"a-1\",\"experience\":\"other\"," DEVICE "}", 409, "attempt_reused", NULL, NULL },
    { AS_HEAD, "POST", CLAIM, "{\"attempt_id\":\"a-2\",\"experience\":\"rupelmonde\"," DEVICE "}", 409, "head_busy", NULL, NULL },
    { AS_ADMIN, "POST", "/api/v1/heads/node-00000000/slot-claims", "{}", 404, "node_not_found", NULL, NULL },
    { AS_ADMIN, "POST", "/api/v1/heads/%B/slot-claims", "{}", 404, "node_not_found", NULL, NULL },
    { AS_ADMIN, "PUT", "/api/v1/nodes/%H/slots", "{}", 404, "node_not_found", NULL, NULL },
    /* reports of bodies */
    { AS_BODY, "POST", STATUS, "{\"stream_status\":\"flying\"}", BAD, "stream_status", NULL },
    { AS_BODY, "POST", STATUS, "{\"boot_id\":\"b 1\"}", BAD, "boot_id", NULL },
    { AS_BODY, "POST", STATUS, "{\"report_seq\":\"7\"}", BAD, "report_seq", NULL },
    { AS_BODY, "POST", STATUS, "{\"report_seq\":-7}", BAD, "report_seq", NULL },
    { AS_BODY, "POST", STATUS, "{\"slots\":{}}", BAD, "slots", NULL },
    { AS_BODY, "POST", STATUS, "{\"slots\":[5]}", BAD, "slots[0]", NULL },
    { AS_BODY, "POST", STATUS, "{\"slots\":[{\"index\":0,\"state\":\"asleep\"}]}", BAD, "slots[0].state", NULL },
    { AS_BODY, "POST", STATUS, "{\"slots\":[{\"index\":0,\"state\":\"idle\"},{\"index\":1,\"state\":\"idle\",\"applied_epoch\":\"x\"}]}",
      BAD, "slots[1].applied_epoch", NULL },
    { AS_BODY, "POST", STATUS, "{\"slots\":[{\"index\":0,\"state\":\"idle\",\"applied_epoch\":9007199254740992}]}", BAD,
      "slots[0].applied_epoch", NULL },
    { AS_BODY, "POST", STATUS, "{\"slots\":[{\"index\":4000000000,\"state\":\"idle\"}]}", BAD, "slots[0].index", NULL },
    { AS_BODY, "POST", STATUS, "{\"slots\":[{\"state\":\"idle\"}]}", BAD, "slots[0].index", NULL },
    { AS_BODY, "POST", STATUS, "{\"max_epoch_seen\":[-1]}", BAD, "max_epoch_seen[0]", NULL },
    { AS_BODY, "POST", STATUS, "{\"installed_experiences\":\"rupelmonde\"}", BAD, "installed_experiences", NULL },
    { AS_BODY, "POST", STATUS, "{\"installed_experiences\":[\"a\\tb\"]}", BAD, "installed_experiences[0]", NULL },
    { AS_BODY, "POST", STATUS, "{\"paired_clients\":[{\"uuid\":1}]}", BAD, "paired_clients[0].uuid", NULL },
    { AS_BODY, "POST", "/api/v1/bodies/%B/admit-observed", "{\"slot\":\"zero\"}", BAD, "slot", NULL },
    /* heartbeats */
    { AS_HEAD, "PUT", HEAD, "{\"status\":7}", BAD, "status", NULL },
    { AS_HEAD, "PUT", HEAD, "{\"status\":\"streaming\",\"body_id\":\"a/b\"}", BAD, "body_id", NULL },
    { AS_HEAD, "PUT", HEAD, "{\"status\":\"streaming\",\"lease_state\":\"flying\"}", BAD, "lease_state", NULL },
    { AS_HEAD, "PUT", HEAD, "{\"protocol_version\":true}", BAD, "protocol_version", NULL },
    { AS_ADMIN, "PUT", HEAD, "{\"head_body_id\":\"a b\"}", BAD, "head_body_id", NULL },
    { AS_ADMIN, "PUT", HEAD, "{\"stream\":{\"stream_url\":5}}", BAD, "stream.stream_url", NULL },
    /* registry and settings */
    { AS_FLEET, "POST", "/api/v1/heads", "{\"name\":5}", BAD, "name", NULL },
    { AS_FLEET, "POST", "/api/v1/heads", "{\"venue\":\"a\\u007fb\"}", BAD, "venue", NULL },
    { AS_ADMIN, "POST", NODES, "{\"roles\":[\"body\"]}", BAD, "name", NULL },
    { AS_ADMIN, "POST", NODES, "{\"name\":\"x\",\"roles\":[]}", BAD, "roles", NULL },
    { AS_ADMIN, "POST", NODES, "{\"name\":\"x\",\"roles\":[\"gpu\"]}", BAD, "roles", NULL },
    { AS_ADMIN, "POST", NODES, "{\"name\":\"x\",\"roles\":\"body\"}", BAD, "roles", NULL },
    { AS_ADMIN, "PUT", BODY, "{\"approval\":\"maybe\"}", BAD, "approval", NULL },
    { AS_ADMIN, "PUT", BODY "/slots", "{\"slots_total\":\"x\"}", BAD, "slots_total", NULL },
    { AS_ADMIN, "PUT", BODY "/slots", "{\"slots_total\":0}", BAD, "slots_total", NULL },
    { AS_ADMIN, "PUT", BODY "/slots", "{\"slots_total\":100000}", BAD, "slots_total", NULL },
    { AS_ADMIN, "PUT", BODY "/slots", "{\"enforce\":\"hard\"}", BAD, "enforce", NULL },
    { AS_ADMIN, "PUT", BODY "/slots", "{\"enforce\":\"enforce\"}", 409, "enforce_not_ready", NULL, NULL },
    { AS_ADMIN, "PUT", BODY "/slots", "{\"maintenance\":\"yes\"}", BAD, "maintenance", NULL },
    { AS_ADMIN, "PUT", BODY "/slots", "{\"home_venue_reserve\":\"some\"}", BAD, "home_venue_reserve", NULL },
    { AS_ADMIN, "PUT", BODY "/slots", "{\"home_venue_reserve\":-1}", BAD, "home_venue_reserve", NULL },
    { AS_ADMIN, "POST", BODY "/drain", "{\"deadline_seconds\":-5}", BAD, "deadline_seconds", NULL },
    { AS_ADMIN, "POST", BODY "/drain", "{\"deadline_seconds\":\"soon\"}", BAD, "deadline_seconds", NULL },
    { AS_ADMIN, "DELETE", BODY, NULL, 409, "node_has_lease", NULL, NULL },
    { AS_ADMIN, "PUT", "/api/v1/venues/x", "{\"max_concurrent_grants\":-1}", BAD, "max_concurrent_grants", NULL },
    { AS_ADMIN, "PUT", "/api/v1/venues/x", "{\"queue_accept_mode\":\"later\"}", BAD, "queue_accept_mode", NULL },
    { AS_ADMIN, "PUT", "/api/v1/venues/x%%01y", "{}", BAD, "venue", NULL },
    { AS_ADMIN, "PUT", "/api/v1/experiences/x", "{\"label\":5}", BAD, "label", NULL },
    { AS_ADMIN, "PUT", "/api/v1/experiences/x", "{\"venues\":[1]}", BAD, "venues[0]", NULL },
    { AS_ADMIN, "POST", "/api/v1/leases/lse-0000000000000000/release", "{}", 404, "not_found", NULL, NULL },
    { AS_ADMIN, "POST", "/api/v1/leases/%L/revoke", "{\"reason\":5}", BAD, "reason", NULL },
    { AS_ADMIN, "POST", "/api/v1/leases/a%%20b/revoke", "{}", BAD, "lease_id", NULL },
    { AS_ADMIN, "GET", "/api/v1/nodes/a%%20b", NULL, BAD, "id", NULL },
    { AS_ADMIN, "GET", "/api/v1/nodes/" TEXT_64 "x", NULL, BAD, "id", NULL },
    { AS_ADMIN, "GET", "/api/v1/venues/none", NULL, 404, "not_found", NULL, NULL },
    { AS_ADMIN, "POST", "/api/v1/safe-mode/end", "{\"district\":5}", BAD, "district", NULL },
    /* queries */
    { AS_ADMIN, "GET", "/api/v1/events?limit=ten", NULL, BAD, "limit", NULL },
    { AS_ADMIN, "GET", "/api/v1/events?limit=1001", NULL, BAD, "limit", NULL },
    { AS_ADMIN, "GET", "/api/v1/events?limit=-1", NULL, BAD, "limit", NULL },
    { AS_ADMIN, "GET", "/api/v1/events?since=yesterday", NULL, BAD, "since", NULL },
    { AS_ADMIN, "GET", "/api/v1/sessions/history?cursor=!", NULL, BAD, "cursor", NULL },
    { AS_ADMIN, "GET", "/api/v1/sessions/history?since=yesterday", NULL, BAD, "since", NULL },
    { AS_ADMIN, "GET", "/api/v1/slots?body=a%%2e%%2e%%20b", NULL, BAD, "body", NULL },
    { AS_ADMIN, "GET", "/api/v1/slots?district=a%%0ab", NULL, BAD, "district", NULL },
    { AS_ADMIN, "GET", "/api/v1/explain?head_id=a%%20b", NULL, BAD, "head_id", NULL },
    { AS_OTHER, "GET", "/api/v1/bodies/eligible?head_id=%H&experience=rupelmonde", NULL, 403, "forbidden", NULL, NULL },
    { AS_OTHER, "GET", "/api/v1/bodies/eligible?head_id=a%%20b&experience=rupelmonde", NULL, 403, "forbidden", NULL, NULL },
    { AS_HEAD, "GET", HEAD "/admission?wait=26", NULL, BAD, "wait", NULL },
    { AS_HEAD, "GET", HEAD "/admission?wait=soon", NULL, BAD, "wait", NULL },
    { AS_BODY, "GET", "/api/v1/bodies/%B/desired?wait=-1", NULL, BAD, "wait", NULL },
};
const size_t bad_row_count = sizeof bad_rows / sizeof bad_rows[0];
