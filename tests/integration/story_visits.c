/* story_visits.c - a visit of a tablet as they have always been; one by protocol 2, with somebody in the queue behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "story.h"

#define HEAD "/api/v1/heads/{id}"

static void legacy_visit(void)
{
    char query[256];
    (void)snprintf(query, sizeof query, "?head_id=%s&experience=" FLEET_EXPERIENCE, story.two.id);
    tell(&(struct asked){ .route = "GET /api/v1/bodies/eligible", .query = query, AS_NODE(story.two),
        .says = "A tablet of the old protocol asks for a machine: for it the list is the claim, and the one machine in it is held." });
    tell(&(struct asked){ .route = "DELETE " HEAD "/stream", .ids = { story.two.id }, AS_SELF(story.two),
        .says = "A tablet of the old protocol is done, and its machine is free again. For the tablet itself it is always 2xx.",
        .json = json_pack("{s:s}", "body_id", story.body.id) });
    story_reports("idle", NULL, NULL);
}

/* The first tablet streams; what the machine is told meanwhile. */
static struct held_lease first_visit(void)
{
    struct held_lease lease;
    char query[128];
    (void)snprintf(query, sizeof query, "?head_id=%s&experience=" FLEET_EXPERIENCE, story.one.id);
    tell(&(struct asked){ .route = "GET /api/v1/explain", .query = query, AS_ADMIN,
                          .says = "An operator asks what a tablet would get just now, and why." });
    struct call call = exchange(&(struct asked){ .route = "POST " HEAD "/slot-claims", .ids = { story.one.id }, AS_SELF(story.one),
        .says = "A tablet claims a slot and is granted one. Without a free one it would be 202 and a ticket.",
        .json = story_claim(&story.one, "a-1") });
    assert_true(fleet_lease_of(&call, &lease));
    call_free(&call);
    tell(&(struct asked){ .route = "GET /api/v1/bodies/{id}/desired", .ids = { story.body.id }, .query = "?since=5a0c7f3e91d2b846&wait=25",
        AS_SELF(story.body), .says = "A machine's agent waits for news: at once it learns for whom it serves its slot." });
    story_reports("idle", NULL, NULL);
    tell(&(struct asked){ .route = "POST " HEAD "/slot-claims/{lease_id}/renew", .ids = { story.one.id, lease.id }, AS_SELF(story.one),
        .says = "A tablet renews its lease, every `renew_after_seconds`.",
        .json = json_pack("{s:s}", "claim_token", lease.claim_token) });
    story_reports("starting", lease.id, &story.one);
    story_reports("streaming", lease.id, &story.one);
    return lease;
}

/* What an operator sees while one streams and the other waits. */
static void full_house(void)
{
    static const struct { const char *route, *says; } rows[] = {
        { "GET /api/v1/slots", "An operator looks at the fleet: one row for each slot, and who has it." },
        { "GET /api/v1/queue", "An operator asks who waits, and why." },
        { "GET /api/v1/allocation", "An operator asks how full it is, by pool and by venue." },
        { "GET /api/v1/sessions", "An operator lists the leases that live." },
        { "GET /api/v1/streams", "An operator lists the streams, newest first." },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        tell(&(struct asked){ .route = rows[i].route, AS_ADMIN, .says = rows[i].says });
    tell(&(struct asked){ .route = "GET /metrics", AS_LOOPBACK, .says = "Prometheus scrapes; from loopback without a token.",
                          .show = SHOW_LINES, .about = "hydracluster_slots_" });
    tell(&(struct asked){ .route = "GET /api/v1/metrics", AS_ADMIN, .show = SHOW_LINES, .about = "hydracluster_queue_depth",
                          .says = "As `GET /metrics`, under the base path; with a token from anywhere." });
    tell(&(struct asked){ .route = "POST /api/v1/nodes/{id}/drain", .ids = { story.body.id }, AS_ADMIN,
        .says = "An operator takes a machine out of service in ten minutes, and is told whom that touches.",
        .json = json_pack("{s:i}", "deadline_seconds", 600) });
    tell(&(struct asked){ .route = "DELETE /api/v1/nodes/{id}/drain", .ids = { story.body.id }, AS_ADMIN,
                          .says = "An operator undoes a drain." });
}

/* The second tablet waits, is promoted, says yes, and leaves. */
static void second_visit(const struct held_lease *first)
{
    struct call call = exchange(&(struct asked){ .route = "POST " HEAD "/streams", .ids = { story.two.id }, AS_SELF(story.two),
        .says = "Another tablet asks for a stream: a claim whose answer is never a refusal for want of a slot. It waits.",
        .json = story_claim(&story.two, "b-1") });
    const char *stream_id = call_str(&call, "stream.id");
    tell(&(struct asked){ .route = "GET " HEAD "/streams/{stream_id}", .ids = { story.two.id, stream_id }, AS_SELF(story.two),
                          .says = "A tablet looks at its stream (`wait=25` would wait for a change)." });
    full_house();
    tell(&(struct asked){ .route = "DELETE " HEAD "/slot-claims/{lease_id}", .ids = { story.one.id, first->id }, AS_SELF(story.one),
        .says = "A visitor has had enough, and the tablet gives its slot back. It is 204 too when the lease is over already.",
        .json = json_pack("{s:s,s:s}", "claim_token", first->claim_token, "reason", "user_exit") });
    story_reports("idle", NULL, NULL);
    tell(&(struct asked){ .route = "GET " HEAD "/admission", .ids = { story.two.id }, .query = "?attempt_id=b-1&wait=25",
        AS_SELF(story.two), .says = "A tablet that waits asks how it stands: promoted, and its venue wants the visitor to say yes." });
    tell(&(struct asked){ .route = "POST " HEAD "/admission/accept", .ids = { story.two.id }, AS_SELF(story.two),
                          .says = "A visitor says yes to a promotion, and the tablet gets its lease." });
    story_reports("idle", NULL, NULL);
    tell(&(struct asked){ .route = "DELETE " HEAD "/streams/{stream_id}", .ids = { story.two.id, stream_id }, AS_SELF(story.two),
                          .says = "A visitor leaves; whatever the stream has, a lease or a place in the queue, ends." });
    call_free(&call);
    story_reports("idle", NULL, NULL);
    tell(&(struct asked){ .route = "GET /api/v1/sessions/history", .query = "?limit=2", AS_ADMIN,
                          .says = "An operator reads what has been, newest first; the cursor is for the next page." });
}

void story_visits(void)
{
    legacy_visit();
    struct held_lease first = first_visit();
    second_visit(&first);
}
