/* admit.h - admission at the hook: may this launch go on? Pure (rules §13.1, §13.2; seed E4, I11).
 *
 * Refuses only what is proven to be wrong, and only with `enforce`; whatever is not clear is admitted and told. Nothing is killed here: a
 * refusal is the hook's exit code, on which the host gives up the launch. */
#ifndef BODY_ADMIT_H
#define BODY_ADMIT_H

#include "hydra/proto/directive.h"

enum host_state { HOST_STATE_UNKNOWN, HOST_STATE_FREE, HOST_STATE_BUSY };        /* /serverinfo right before the decision */

struct launch { uint32_t slot; const char *launch_id, *app /* as published */, *client_uuid, *client_name /* ""
    : upstream says neither */; };
struct admit_facts {
    const struct desired *desired;      /* the directive that was applied, NULL: none since the agent began */
    int64_t directive_age_ms;           /* since it was issued, by our clock */
    int64_t directive_fresh_ms;         /* directiveFreshness */
    bool below_floor;                   /* the newest directive of this slot is below its epoch floor: nothing of it was applied */
    bool session_open;                  /* the hooks count a session on the slot that has not ended */
    enum host_state host;
};
enum admit_verdict { ADMIT, REFUSE, ASK_CLUSTER /* POST admit-observed, then admit_after_answer() */ };
enum admit_why {
    ADMIT_TOKEN, ADMIT_OBSERVE, ADMIT_MAINTENANCE, ADMIT_UNCLEAR, ADMIT_BY_CLUSTER, ADMIT_CLUSTER_SILENT,
    REFUSE_SECOND_LAUNCH, REFUSE_STALE_EPOCH, REFUSE_NO_LEASE, REFUSE_WRONG_CLIENT, ADMIT_WHYS
};
struct admission {
    enum admit_verdict verdict;
    enum admit_why why;
    enum admit_why would;               /* with observe: what enforce had done; else the same as why */
    bool forget_session;                /* the count was left over from an end that nobody told: the host is free */
};
const char *admit_why_word(enum admit_why why);         /* of the wire for refusals: second_launch, stale_epoch, no_lease, wrong_client */
bool admit_is_refusal(enum admit_why why);
const char *app_token_in(const char *app);              /* the 32 hex digits after '#', "" without */

struct admission admit_launch(const struct launch *launch, const struct admit_facts *facts);
/* The cluster's answer to an ASK_CLUSTER: 201, 409, anything else or nothing (0). */
struct admission admit_after_answer(const struct admission *asked, long status, bool enforce);

#endif
