#include "head_decide.h"

#include <assert.h>

#define NEVER              INT64_MAX
#define RETRY_MS           2000
#define RETRY_MAX_MS       60000
#define VERIFY_AGAIN_MS    1500
#define PREPARED_LEAST_MS  20          /* a body that hears of its directive applies it well within a second, and a visitor waits */
#define PREPARED_MOST_MS   1000
#define QUESTION_AGAIN_MS  1000
#define JITTER_STEPS       1024

const char *head_phase_word(enum head_phase phase)
{
    static const char *const words[HEAD_PHASES] = {
        [HEAD_IDLE] = "idle", [HEAD_CLAIMING] = "claiming", [HEAD_QUEUED] = "queued", [HEAD_PREPARING] = "preparing",
        [HEAD_VERIFYING] = "verifying", [HEAD_PAIRING] = "pairing", [HEAD_PROBING] = "probing", [HEAD_CONFIRMING] = "confirming",
        [HEAD_STREAMING] = "streaming", [HEAD_STOPPING] = "stopping", [HEAD_RELEASING] = "releasing", [HEAD_RETRYING] = "retrying",
        [HEAD_FAILED] = "failed",
    };
    assert((size_t)phase < HEAD_PHASES);
    return words[phase];
}

void head_init(struct head_state *head, bool accept_by_itself)
{
    *head = (struct head_state){ .phase = HEAD_IDLE, .accept_by_itself = accept_by_itself, .due_ms = NEVER, .lease_until_ms = NEVER,
                                 .start_until_ms = NEVER, .renew_at_ms = NEVER };
}

void head_restore(struct head_state *head, const char *experience, const char *attempt_id, const char *stream_id,
                  const struct head_lease *lease)
{
    HC_SET(head->experience, experience);
    HC_SET(head->attempt_id, attempt_id);
    HC_SET(head->stream_id, stream_id);
    head->lease = *lease;
}

static void act(struct head_actions *out, enum head_action_type type)
{
    assert(out->count < HEAD_ACTIONS_MAX);
    out->at[out->count++] = type;
}

static void say(struct head_state *head, const char *sentence)
{
    HC_SET(head->message, sentence);
}

static int64_t spread(int64_t ms, const struct head_event *ev)
{
    return ms + ms * (int64_t)(ev->jitter % JITTER_STEPS) / JITTER_STEPS / 2;
}

static void no_lease(struct head_state *head)
{
    head->has_lease = head->renewing = false;
    head->lease = (struct head_lease){ 0 };
    head->lease_until_ms = head->start_until_ms = head->renew_at_ms = NEVER;
    head->verify_tries = head->pair_tries = 0;
}

/* ---- asking for a slot ---- */

static void ask(struct head_state *head, const struct head_event *ev, bool new_attempt, struct head_actions *out)
{
    if (new_attempt || head->attempt_id[0] == '\0') {
        HC_SET(head->attempt_id, ev->fresh_id);
        HC_SET(head->claim_stream_id, head->stream_id);
    }
    head->phase = HEAD_CLAIMING;
    head->due_ms = NEVER;
    act(out, ACT_SAVE);
    act(out, ACT_CLAIM);
}

static void rest(struct head_state *head, const struct head_event *ev, int64_t wait_ms, const char *why)
{
    int64_t wait = wait_ms <= 0 ? RETRY_MS : wait_ms > RETRY_MAX_MS ? RETRY_MAX_MS : wait_ms;
    head->phase = HEAD_RETRYING;
    head->due_ms = ev->now_ms + spread(wait, ev);
    say(head, why);
}

static void fail(struct head_state *head, const char *why)
{
    head->phase = HEAD_FAILED;
    head->due_ms = NEVER;
    head->wanted = head->has_ticket = false;
    say(head, why);
}

static void idle(struct head_state *head)
{
    head->phase = HEAD_IDLE;
    head->due_ms = NEVER;
    head->has_ticket = head->wanted = false;
    head->starts = 0;
    head->stream_id[0] = head->attempt_id[0] = head->claim_stream_id[0] = head->message[0] = '\0';
}

static void release(struct head_state *head, enum head_release why, struct head_actions *out)
{
    head->release = why;
    head->phase = HEAD_RELEASING;
    head->due_ms = NEVER;
    act(out, ACT_DROP_CALLS);
    act(out, ACT_RELEASE);
}

/* This lease will not become a picture: the next one, under the same stream. */
static void give_back(struct head_state *head, enum head_release why, const char *sentence, struct head_actions *out)
{
    say(head, sentence);
    release(head, why, out);
}

static void granted(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    head->has_lease = true;
    head->has_ticket = false;
    head->lease = ev->lease;
    head->body = ev->body;
    HC_SET(head->stream_id, ev->lease.stream_id);
    head->lease_until_ms = ev->sent_ms + ev->lease.ttl_ms;
    head->start_until_ms = ev->sent_ms + ev->lease.start_deadline_ms;
    head->renew_at_ms = ev->sent_ms + ev->lease.renew_after_ms;
    head->granted_ms = ev->now_ms;
    head->renewing = false;
    act(out, ACT_SAVE);
    if (!head->wanted) {                    /* the visitor left while we asked */
        release(head, RELEASE_USER_EXIT, out);
        return;
    }
    head->due_ms = NEVER;
    if (ev->body.directive_applied) {
        head->phase = HEAD_VERIFYING;
        say(head, "checking the pairing");
        act(out, ACT_VERIFY);
    } else {
        head->phase = HEAD_PREPARING;       /* §13.5: a body opens its gate with the directive */
        say(head, "the body is being made ready");
        act(out, ACT_ADMISSION);
    }
}

static void waiting(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    head->ticket = ev->ticket;
    head->has_ticket = true;
    if (ev->ticket.stream_id[0] != '\0')
        HC_SET(head->stream_id, ev->ticket.stream_id);
    if (!head->wanted) {
        act(out, ACT_LEAVE_QUEUE);
        idle(head);
        return;
    }
    bool question = ev->ticket.confirm_required;
    head->phase = HEAD_QUEUED;
    head->due_ms = NEVER;
    say(head, question ? "are you still there?" : "waiting for a free body");
    if (question && !head->accept_by_itself)
        head->due_ms = ev->now_ms + QUESTION_AGAIN_MS;      /* a poll is answered at once as long as the question stands */
    else
        act(out, question ? ACT_ACCEPT : ACT_ADMISSION);
}

static void refused(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    if (!head->wanted) {
        idle(head);
        return;
    }
    switch (ev->refusal) {
    case REFUSE_LATER:
        rest(head, ev, ev->retry_after_ms, ev->sentence);
        break;
    case REFUSE_BUSY:
        no_lease(head);
        rest(head, ev, ev->retry_after_ms, ev->sentence);
        break;
    case REFUSE_STREAM:
        head->stream_id[0] = '\0';
        /* fall through */
    case REFUSE_ATTEMPT:
        no_lease(head);
        head->attempt_id[0] = '\0';
        rest(head, ev, ev->retry_after_ms, ev->sentence);
        break;
    case REFUSE_IDENTITY:
        say(head, "registering this device");
        act(out, ACT_REGISTER);
        break;
    case REFUSE_FOREVER:
        fail(head, ev->sentence);
        break;
    }
}

/* Oftener at first, then by a quarter of the time that it has taken already. */
static int64_t prepared_again_ms(const struct head_state *head, const struct head_event *ev)
{
    int64_t wait = (ev->now_ms - head->granted_ms) / 4;
    return wait < PREPARED_LEAST_MS ? PREPARED_LEAST_MS : wait > PREPARED_MOST_MS ? PREPARED_MOST_MS : wait;
}

/* Answers of claim, admission and accept. */
static void answered(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    bool asked = head->phase == HEAD_CLAIMING || head->phase == HEAD_QUEUED;
    if (head->phase == HEAD_PREPARING) {
        if (ev->type == HEV_GRANTED) {
            head->body = ev->body;
            if (ev->body.directive_applied) {
                head->phase = HEAD_VERIFYING;
                head->due_ms = NEVER;
                act(out, ACT_VERIFY);
                return;
            }
        }
        head->due_ms = ev->now_ms + prepared_again_ms(head, ev);
        return;
    }
    if (!asked)
        return;                             /* late: what it answers was dropped */
    switch (ev->type) {
    case HEV_GRANTED:
        granted(head, ev, out);
        break;
    case HEV_WAITING:
        waiting(head, ev, out);
        break;
    case HEV_REFUSED:
        refused(head, ev, out);
        break;
    default:                                /* no answer: the outcome is unknown, so the same attempt again */
        if (head->phase == HEAD_QUEUED)
            head->due_ms = ev->now_ms + spread(RETRY_MS, ev);
        else
            rest(head, ev, RETRY_MS, ev->sentence);
        break;
    }
}

/* ---- from the lease to the picture ---- */

static void verified(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    enum head_host_verdict verdict = ev->verdict;
    if (verdict == HOST_ROTATED && head->body.cert_fp[0] != '\0' && hc_same(ev->fingerprint, head->body.cert_fp)) {
        act(out, ACT_REPIN);                /* §13.8: the cluster names this certificate: no handshake, no PIN */
        act(out, ACT_VERIFY);
        verdict = HOST_YES;
        if (++head->verify_tries <= HEAD_VERIFY_TRIES)
            return;
        out->count = 0;
        verdict = HOST_UNKNOWN;
    }
    if (verdict == HOST_NO && head->pair_tries > 0 && !head->body.pair_required)
        verdict = HOST_UNKNOWN;             /* paired a moment ago, and refused: a gate that is not open yet */
    if (verdict == HOST_YES) {
        head->phase = HEAD_PROBING;
        act(out, ACT_PROBE);
    } else if (verdict == HOST_NO) {
        head->phase = HEAD_PAIRING;
        head->pair_tries++;
        say(head, "pairing");
        act(out, ACT_PAIR);
    } else if (++head->verify_tries < HEAD_VERIFY_TRIES) {
        head->due_ms = ev->now_ms + spread(VERIFY_AGAIN_MS, ev);        /* unknown mutates nothing: look again */
    } else {
        give_back(head, RELEASE_UNREACHABLE, ev->sentence, out);
    }
}

static void paired(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    if (ev->verdict == HOST_YES) {
        head->phase = HEAD_VERIFYING;
        act(out, ACT_VERIFY);
    } else if (ev->verdict == HOST_RETRY && head->pair_tries < HEAD_PAIR_TRIES) {
        head->pair_tries++;
        act(out, ACT_PAIR);
    } else {
        give_back(head, RELEASE_UNREACHABLE, ev->sentence, out);
    }
}

static void probed(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    if (ev->verdict == HOST_YES) {
        head->phase = HEAD_CONFIRMING;      /* a lease that was taken meanwhile is told by the renewal */
        head->renewing = true;
        act(out, ACT_RENEW);
    } else if (ev->verdict == HOST_NO) {
        give_back(head, RELEASE_UNREACHABLE, "the body plays somebody else's picture", out);
    } else if (++head->verify_tries < HEAD_VERIFY_TRIES) {
        head->due_ms = ev->now_ms + spread(VERIFY_AGAIN_MS, ev);
    } else {
        give_back(head, RELEASE_UNREACHABLE, ev->sentence, out);
    }
}

/* ---- the lease's own life ---- */

static void renewed(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    if (!head->has_lease)
        return;
    head->renewing = false;
    if (ev->lease.id[0] != '\0' && !hc_same(ev->lease.id, head->lease.id)) {
        HC_SET(head->lease.id, ev->lease.id);       /* §6.2.4: the session lives on under another lease */
        act(out, ACT_SAVE);
    }
    int64_t ttl = ev->lease.ttl_ms > 0 ? ev->lease.ttl_ms : head->lease.ttl_ms;
    head->lease_until_ms = ev->sent_ms + ttl;
    head->renew_at_ms = ev->sent_ms + head->lease.renew_after_ms;
    if (head->phase == HEAD_CONFIRMING) {
        head->phase = HEAD_STREAMING;
        head->child = true;
        head->plays = false;
        say(head, "starting the picture");
        act(out, ACT_SPAWN);
    }
}

static bool has_picture(const struct head_state *head) { return head->phase == HEAD_STREAMING && head->child; }

static void end_child(struct head_state *head, enum head_release why, struct head_actions *out)
{
    head->phase = HEAD_STOPPING;
    head->release = why;
    head->due_ms = NEVER;
    act(out, ACT_END_CHILD);
}

static void lost(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    if (!head->has_lease || head->phase == HEAD_RELEASING || head->phase == HEAD_STOPPING)
        return;
    head->renewing = false;
    if (has_picture(head)) {
        if (!ev->ordered) {                 /* a living picture plays on; the next renewal may find it adopted */
            head->renew_at_ms = ev->now_ms + head->lease.renew_after_ms;
            return;
        }
        say(head, ev->sentence);
        head->wanted = false;
        end_child(head, RELEASE_NONE, out);
        return;
    }
    no_lease(head);
    head->attempt_id[0] = '\0';
    act(out, ACT_DROP_CALLS);
    rest(head, ev, RETRY_MS, ev->sentence);
}

static void child_ended(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    if (!head->child)
        return;
    bool played = head->plays, ours = head->phase == HEAD_STOPPING;
    enum head_release why = ours ? head->release : ev->clean ? RELEASE_USER_EXIT : RELEASE_ERROR;
    head->child = head->plays = false;
    if (!ours)
        say(head, ev->sentence);
    if (played && (ours || ev->clean))
        head->wanted = false;               /* the visit is over */
    if (ours && why == RELEASE_NONE) {      /* the cluster took the lease: there is nothing to release */
        no_lease(head);
        idle(head);
        return;
    }
    release(head, why, out);
}

static void released(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    if (head->phase != HEAD_RELEASING)
        return;
    no_lease(head);
    head->attempt_id[0] = '\0';
    act(out, ACT_SAVE);
    if (!head->wanted) {
        idle(head);
        return;
    }
    if (++head->starts >= HEAD_STARTS_MAX) {
        fail(head, head->message[0] == '\0' ? "no body could show the picture" : head->message);
        return;
    }
    rest(head, ev, RETRY_MS, head->message);
}

/* ---- the visitor and the clock ---- */

static void start(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    if (head->phase != HEAD_IDLE && head->phase != HEAD_FAILED)
        return;                             /* one visit at a time: the local API has said so */
    bool same = hc_same(head->experience, ev->experience);
    HC_SET(head->experience, ev->experience);
    head->wanted = true;
    head->starts = 0;
    say(head, "looking for a free body");
    ask(head, ev, !same, out);
}

static void stop(struct head_state *head, struct head_actions *out)
{
    head->wanted = false;
    switch (head->phase) {
    case HEAD_STREAMING:
        end_child(head, RELEASE_USER_EXIT, out);
        break;
    case HEAD_PREPARING:
    case HEAD_VERIFYING:
    case HEAD_PAIRING:
    case HEAD_PROBING:
    case HEAD_CONFIRMING:
        release(head, RELEASE_USER_EXIT, out);
        break;
    case HEAD_QUEUED:
        act(out, ACT_DROP_CALLS);
        act(out, ACT_LEAVE_QUEUE);
        idle(head);
        break;
    case HEAD_RETRYING:                     /* a claim without an answer may have made a ticket or a lease */
        act(out, ACT_LEAVE_QUEUE);
        idle(head);
        break;
    case HEAD_FAILED:
        idle(head);
        break;
    default:                                /* claiming: its answer is released; the others are on their way out */
        break;
    }
}

/* The phase whose step is due again. */
static void again(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    head->due_ms = NEVER;
    switch (head->phase) {
    case HEAD_RETRYING:
        ask(head, ev, false, out);
        break;
    case HEAD_QUEUED:
    case HEAD_PREPARING:
        act(out, ACT_ADMISSION);
        break;
    case HEAD_VERIFYING:
        act(out, ACT_VERIFY);
        break;
    case HEAD_PROBING:
        act(out, ACT_PROBE);
        break;
    default:
        break;
    }
}

static void time_passed(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    bool over = ev->now_ms >= head->lease_until_ms || ev->now_ms >= head->start_until_ms;
    bool before_picture = head->phase >= HEAD_PREPARING && head->phase <= HEAD_CONFIRMING;
    if (head->has_lease && before_picture && over) {        /* §13.9: by our own clock, whatever the cluster says later */
        give_back(head, RELEASE_ABANDON, "the start took too long", out);
        return;
    }
    if (ev->now_ms >= head->due_ms)
        again(head, ev, out);
    bool holds = head->has_lease && (before_picture || head->phase == HEAD_STREAMING);
    if (holds && !head->renewing && ev->now_ms >= head->renew_at_ms) {
        head->renewing = true;
        act(out, ACT_RENEW);
    }
}

void head_decide(struct head_state *head, const struct head_event *ev, struct head_actions *out)
{
    out->count = 0;
    switch (ev->type) {
    case HEV_START: start(head, ev, out); break;
    case HEV_STOP: stop(head, out); break;
    case HEV_ACCEPT:
        if (head->phase == HEAD_QUEUED && head->ticket.confirm_required)
            act(out, ACT_ACCEPT);
        break;
    case HEV_TIME: time_passed(head, ev, out); break;
    case HEV_GRANTED:
    case HEV_WAITING:
    case HEV_REFUSED:
    case HEV_NO_ANSWER: answered(head, ev, out); break;
    case HEV_IDENTITY_OK:
        if (head->phase == HEAD_CLAIMING)
            ask(head, ev, false, out);
        break;
    case HEV_IDENTITY_FAILED:
        if (head->phase == HEAD_CLAIMING)
            rest(head, ev, RETRY_MAX_MS, ev->sentence);
        break;
    case HEV_VERIFIED:
        if (head->phase == HEAD_VERIFYING)
            verified(head, ev, out);
        break;
    case HEV_PAIRED:
        if (head->phase == HEAD_PAIRING)
            paired(head, ev, out);
        break;
    case HEV_PROBED:
        if (head->phase == HEAD_PROBING)
            probed(head, ev, out);
        break;
    case HEV_RENEWED: renewed(head, ev, out); break;
    case HEV_LOST: lost(head, ev, out); break;
    case HEV_RENEW_FAILED:
        head->renewing = false;
        head->renew_at_ms = ev->now_ms + RETRY_MS;
        if (head->phase == HEAD_CONFIRMING) {       /* no 200, no launch: look again, then ask again */
            head->phase = HEAD_PROBING;
            head->due_ms = ev->now_ms + RETRY_MS;
        }
        break;
    case HEV_CHILD_PLAYS:
        if (has_picture(head)) {
            head->plays = true;
            head->starts = 0;
            head->start_until_ms = NEVER;
            say(head, "");
        }
        break;
    case HEV_CHILD_ENDED: child_ended(head, ev, out); break;
    case HEV_RELEASED: released(head, ev, out); break;
    }
}

static int64_t sooner(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t head_due(const struct head_state *head)
{
    int64_t due = head->due_ms;
    bool before_picture = head->phase >= HEAD_PREPARING && head->phase <= HEAD_CONFIRMING;
    if (head->has_lease && before_picture)
        due = sooner(due, sooner(head->lease_until_ms, head->start_until_ms));
    if (head->has_lease && !head->renewing && (before_picture || head->phase == HEAD_STREAMING))
        due = sooner(due, head->renew_at_ms);
    return due;
}

const char *head_status_word(const struct head_state *head)
{
    if (head->phase == HEAD_IDLE)
        return "self-service";
    if (head->phase == HEAD_FAILED)
        return "error";
    return head->plays ? "streaming" : "starting";
}

const char *head_lease_word(const struct head_state *head)
{
    if (!head->has_lease || head->phase == HEAD_RELEASING)
        return "";
    return head->plays ? "streaming" : head->phase == HEAD_PAIRING ? "pairing" : "starting";
}
