/* fixture.h - a whole daemon without its process: a real engine over a store in memory, a real server on a loopback port, one raw socket
 * per request, all turned by the test's own thread.
 *
 *   struct rig *r = *state;
 *   struct reply reply;
 *   rig_body(r, "b1", "north", id, token);                 an enrolled node; its id and token
 *   rig_report(r, id);                                     a modern body speaks: idle, epochs confirmed, experience "rupelmonde"
 *   rig_ask(r, "GET", "/api/v1/slots", RIG_ADMIN, NULL, &reply);
 *   assert_int_equal(reply.status, 200);
 *   reply_int(&reply, "[0].slot")  reply_text(&reply, "lease.state")  reply_has(&reply, "Retry-After: 5")
 *   reply_free(&reply); */
#ifndef API_FIXTURE_H
#define API_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>

#include "hydra/api/api.h"

#define RIG_WAIT_MS     8000          /* nothing in these tests may take longer */
#define RIG_DISTRICT    "d1"
#define RIG_EXPERIENCE  "rupelmonde"
#define RIG_OWNER       "acme"        /* of every node, so that venues may serve each other */
#define RIG_TOKEN_SIZE  64
extern const char *const RIG_ADMIN, *const RIG_READ, *const RIG_FLEET;       /* operator tokens */

struct rig {
    char data_dir[256];
    struct core_config core;
    struct metrics *metrics;
    struct feed *feed;
    struct engine *engine;
    struct api *api;
    struct api_config config;
    struct http_server *http;
    int wake_fd;
    uint64_t report_seq;
    unsigned enrolment_asked;
    bool enrolment_fails, enrolment_hangs;
    enum principal_kind revoked;      /* the operator token of that kind is not known any more */
    unsigned port;
};

int rig_setup(void **state);          /* cmocka: *state is the rig */
int rig_teardown(void **state);
#define RIG_TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

/* The rig's clock runs with the real one; this moves it on. Ticks run with the next turns. */
void rig_pass(struct rig *r, int64_t ms);
hc_time rig_now(void);
void rig_store_fails(struct rig *r, bool fails);      /* every save from now on */
void rig_store_hangs(struct rig *r, bool hangs);      /* the next save waits until this is false again */
unsigned rig_saves(void);

void rig_turn(struct rig *r, int most_ms);            /* one turn of the loop */
/* Turns until `is_so(arg)`; fails the test after RIG_WAIT_MS. */
void rig_until(struct rig *r, bool (*is_so)(void *arg), void *arg);

struct reply { int status; char *head, *body; size_t body_len; json_t *json; };
/* method, path with query, token (NULL: none), body (NULL: none; JSON). Turns until the whole answer is there, which
 * must be as docs/openapi.yaml describes it. */
void rig_ask(struct rig *r, const char *method, const char *path, const char *token, const char *body, struct reply *ret);
/* The same with headers of the caller's own ("Name: value\r\n" each; "Content-Type" then is the caller's too). */
void rig_ask_raw(struct rig *r, const char *method, const char *path, const char *token, const char *headers, const char *body, size_t len,
                 struct reply *ret);
/* Sends, and answers later: *ret_fd is given to rig_answer(). */
int rig_start(struct rig *r, const char *method, const char *path, const char *token, const char *body);
/* Headers that promise a body of `len` bytes, and not one of them; and the end of such a connection. */
int rig_promise(struct rig *r, const char *method, const char *path, const char *token, size_t len);
void rig_hang_up(struct rig *r, int fd);
bool rig_answered(struct rig *r, int fd);             /* something of the answer has come */
void rig_answer(struct rig *r, int fd, struct reply *ret);     /* turns until it is whole; closes fd */
void rig_parked(struct rig *r, const char *why, unsigned count);       /* turns until so many requests wait: "commit", "news", "slot" */

/* Asks and checks status, "error" ("" none) and "field" ("" none). */
void rig_expect(struct rig *r, const char *method, const char *path, const char *token, const char *body, int status, const char *error,
                const char *field);

void reply_free(struct reply *reply);
bool reply_has(const struct reply *reply, const char *text);        /* in the head, ignoring case */
/* Values by path: "lease.id", "[0].lease.state", "rows[2].x". They fail the test when there is none, or another type. */
json_t *reply_at(const struct reply *reply, const char *path);
const char *reply_text(const struct reply *reply, const char *path);
int64_t reply_int(const struct reply *reply, const char *path);
bool reply_bool(const struct reply *reply, const char *path);
bool reply_null(const struct reply *reply, const char *path);       /* the key is there and null */
size_t reply_count(const struct reply *reply, const char *path);    /* of an array; "" the whole */

/* Nodes through POST /nodes with the admin token. */
void rig_body(struct rig *r, const char *name, const char *venue, char ret_id[HC_ID_SIZE], char ret_token[RIG_TOKEN_SIZE]);
void rig_head(struct rig *r, const char *name, const char *venue, char ret_id[HC_ID_SIZE], char ret_token[RIG_TOKEN_SIZE]);
/* A modern body's report straight to the core, epochs of its slots confirmed as committed now. */
void rig_report(struct rig *r, const char *body_id);
/* The same with slot 0 in that state, naming the lease ("" none). */
void rig_report_session(struct rig *r, const char *body_id, enum session_state state, const char *lease_id);
/* Any event as CALLER_ADMIN or the node; waits until it is durable; fails the test on a fault or a refusal. */
void rig_event(struct rig *r, struct core_event *ev);
/* A legacy head holds a slot: claiming read, answer 200. */
void rig_read(struct rig *r, const char *head_token, struct reply *ret);
/* POST slot-claims with attempt_id; expects `status`. */
void rig_claim(struct rig *r, const char *head_id, const char *head_token, const char *attempt_id, int status, struct reply *ret);

#endif
