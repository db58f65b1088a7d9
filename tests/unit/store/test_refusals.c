/* test_refusals.c - what a data file must not say, and how that is told (rules §3.6): FILE:LINE:COL: KEY: what. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "hydra/base/arena.h"
#include "hydra/store/store.h"

#define HEAD  "generation: 5\nschema_version: 2\n"
#define END   "end: 5\n"
#define BODY  HEAD "bodies:\n  b1:\n    slots_total: 1\n"
#define SLOTS HEAD "bodies:\n  b1:\n    slots:\n"
#define LEASE(id, state) "          - {id: " id ", state: " state ", grant_epoch: 3}\n"
#define SLOT  SLOTS "      - index: 0\n        epoch: 3\n"

struct refusal { const char *text, *message; enum hc_err err; };

static const struct refusal allocation[] = {
    /* the frame */
    { "", "a.yaml:1:1: generation: is required: the file is empty", HC_ERR_SCHEMA },
    { "# nothing\n", "a.yaml:1:1: generation: is required", HC_ERR_SCHEMA },
    { "[]\n", "a.yaml:1:1: the document must be a map", HC_ERR_SYNTAX },
    { "schema_version: 2\nend: 5\n", "a.yaml:1:1: generation: is required", HC_ERR_SCHEMA },
    { "generation: 5\nend: 5\n", "a.yaml:1:1: schema_version: is required", HC_ERR_SCHEMA },
    { "generation: 5\nschema_version: 3\n" END, "a.yaml:2:17: schema_version: is 3, but", HC_ERR_SCHEMA },
    { "generation: 5\nschema_version: 1\n" END, "a.yaml:2:17: schema_version: is 1, but", HC_ERR_SCHEMA },
    { "generation: 5\nschema_version: two\n" END, "a.yaml:2:17: schema_version: must be a whole number", HC_ERR_SCHEMA },
    { "generation: -5\nschema_version: 2\n" END, "a.yaml:1:13: generation: must not be negative", HC_ERR_SCHEMA },
    { "generation: 9007199254740990\nschema_version: 2\nend: 9007199254740990\n",
      "a.yaml:1:13: generation: is the last one that there is", HC_ERR_SCHEMA },
    { "generation: 9007199254740991\nschema_version: 2\n" END, "a.yaml:1:13: generation: is above 9007199254740990", HC_ERR_SCHEMA },
    { HEAD "saved_at: yesterday\n" END, "a.yaml:3:11: saved_at: must be an instant", HC_ERR_SCHEMA },
    { HEAD "bodies: {}\n", "a.yaml:4:1: end: must be the last key", HC_ERR_SCHEMA },
    { HEAD END "bodies: {}\n", "a.yaml:5:1: end: must be the last key", HC_ERR_SCHEMA },
    { HEAD "end: 6\n", "a.yaml:3:6: end: must be the generation, 5", HC_ERR_SCHEMA },
    { HEAD "end:\n", "a.yaml:3:1: end: is required", HC_ERR_SCHEMA },
    { HEAD "generation: 5\n" END, "a.yaml:3:1: generation: the key is repeated", HC_ERR_SYNTAX },
    { HEAD "bodies: {}\n# lines: 4\n" END, "a.yaml:4:1: lines: 3 lines stand above", HC_ERR_SCHEMA },
    { HEAD "bodies: {}\n# lines: 3x\n" END, "a.yaml:4:1: lines: 3 lines stand above", HC_ERR_SCHEMA },
    { HEAD "bodies: {}\n# lines: 3\n" END, NULL, HC_OK },
    { HEAD "bodies: {}\n# lines: 3\n" END "# a note behind it\n", NULL, HC_OK },
    { HEAD END "---\na: 1\n", "a.yaml:4:1: a second document is not allowed", HC_ERR_SYNTAX },
    { HEAD "bodies: &x {}\n" END, "a.yaml:3:9: anchors are not allowed", HC_ERR_SYNTAX },
    /* sections */
    { HEAD "nodes: {}\n" END, "a.yaml:3:1: nodes: unknown key", HC_ERR_SCHEMA },
    { HEAD "secrets: {}\n" END, "a.yaml:3:1: secrets: unknown key", HC_ERR_SCHEMA },
    { HEAD "bodies: []\n" END, "a.yaml:3:9: bodies: must be a map", HC_ERR_SCHEMA },
    { HEAD "demotions: {}\n" END, "a.yaml:3:12: demotions: must be a list", HC_ERR_SCHEMA },
    { HEAD "caps: 1\n" END, "a.yaml:3:7: caps: must be a map", HC_ERR_SCHEMA },
    { HEAD "caps: {heads: {}}\n" END, "a.yaml:3:8: heads: unknown key", HC_ERR_SCHEMA },
    { HEAD "caps: {venues: {V: many}}\n" END, "a.yaml:3:20: V: must be a whole number", HC_ERR_SCHEMA },
    { HEAD "caps: {orgs: {O: }}\n" END, "a.yaml:3:18: O: must be a whole number", HC_ERR_SCHEMA },
    { HEAD "bodies:\n" END, NULL, HC_OK },
    /* bodies and slots */
    { HEAD "bodies: {b 1: {slots_total: 1}}\n" END, "a.yaml:3:10: b 1: must be an id", HC_ERR_SCHEMA },
    { HEAD "bodies: {b1: 7}\n" END, "a.yaml:3:14: body: must be a map", HC_ERR_SCHEMA },
    { BODY "    colour: red\n" END, "a.yaml:6:5: colour: unknown key", HC_ERR_SCHEMA },
    { BODY "    paired: {}\n" END, NULL, HC_OK },
    { BODY "    paired: []\n" END, "a.yaml:6:13: paired: must be a map", HC_ERR_SCHEMA },
    { BODY "    paired: {a b: {name: x}}\n" END, "a.yaml:6:14: a b: must be an id", HC_ERR_SCHEMA },
    { BODY "    paired: {u1: {name: x, colour: red}}\n" END, "a.yaml:6:28: colour: unknown key", HC_ERR_SCHEMA },
    { BODY "    evictions: [{name: x}]\n" END, "a.yaml:6:17: evictions[0].uuid: is required", HC_ERR_SCHEMA },
    { BODY "    maintenance: maybe\n" END, "a.yaml:6:18: maintenance: must be true or false", HC_ERR_SCHEMA },
    { BODY "    enforce: always\n" END, "a.yaml:6:14: enforce: must be one of: observe, enforce", HC_ERR_SCHEMA },
    { HEAD "bodies: {b1: {slots_total: 0}}\n" END, "a.yaml:3:28: slots_total: must be at least 1", HC_ERR_SCHEMA },
    { HEAD "bodies: {b1: {slots_total: 17}}\n" END, "a.yaml:3:28: slots_total: is above 16", HC_ERR_SCHEMA },
    { BODY "    home_venue_reserve: most\n" END, "a.yaml:6:25: home_venue_reserve: must be auto or a whole number", HC_ERR_SCHEMA },
    { BODY "    home_venue_reserve: \"1\"\n" END, "a.yaml:6:25: home_venue_reserve: must be auto or a whole number", HC_ERR_SCHEMA },
    { BODY "    home_venue_reserve: 99999999999\n" END, "a.yaml:6:25: home_venue_reserve: is above 2147483647", HC_ERR_SCHEMA },
    { SLOTS "      - {index: 0, epoch: 9007199254740991}\n" END, "a.yaml:6:27: slots[0].epoch: is above 9007199254740990", HC_ERR_SCHEMA },
    { SLOTS "      - {index: 0}\n" END, "a.yaml:6:9: slots[0].epoch: is required", HC_ERR_SCHEMA },
    { SLOTS "      - {epoch: 1}\n" END, "a.yaml:6:9: slots[0].index: is required", HC_ERR_SCHEMA },
    { SLOTS "      - {index: 1, epoch: 1}\n" END, "a.yaml:6:17: index: 1 is beyond the 1 slots", HC_ERR_SCHEMA },
    { SLOTS "      - {index: 16, epoch: 1}\n" END, "a.yaml:6:17: slots[0].index: is above 15", HC_ERR_SCHEMA },
    { SLOTS "      - {index: 0, epoch: 1}\n      - {index: 0, epoch: 1}\n" END,
      "a.yaml:7:17: index: slot 0 is there twice", HC_ERR_SCHEMA },
    { SLOTS "      - {index: 1, epoch: 1}\n      - {index: 0, epoch: 1}\n" END, NULL, HC_OK },
    { SLOT "        promise: {until: 2026-09-04T11:43:18Z}\n" END, "a.yaml:8:18: slots[0].promise.ticket_id: is required", HC_ERR_SCHEMA },
    { SLOT "        silent_until: 2026-02-30T11:43:18Z\n" END, "a.yaml:8:23: slots[0].silent_until: must be an instant", HC_ERR_SCHEMA },
    { SLOT "        pair_lease: {id: p1}\n" END, "a.yaml:8:21: slots[0].pair_lease.head_id: is required", HC_ERR_SCHEMA },
    /* leases */
    { SLOT "        leases:\n" LEASE("l1", "asleep") END, "a.yaml:9:29: slots[0].leases[0].state: must be one of: held", HC_ERR_SCHEMA },
    { SLOT "        leases:\n" LEASE("l1", "held") LEASE("l2", "unknown") END,
      "a.yaml:10:13: leases: l2 is the second lease of slot 0", HC_ERR_SCHEMA },
    { SLOT "        leases:\n" LEASE("l1", "ended") LEASE("l2", "unknown") END, NULL, HC_OK },
    { SLOT "        leases:\n" LEASE("l1", "ended") LEASE("l1", "held") END,
      "a.yaml:10:13: id: lease l1 is in line 9 already", HC_ERR_SCHEMA },
    { SLOT "        leases:\n" LEASE("l1", "held")
      "  b2: {slots: [{index: 0, epoch: 1, leases: [{id: l1, state: held, grant_epoch: 1}]}]}\n" END,
      "a.yaml:10:46: id: lease l1 is in line 9 already", HC_ERR_SCHEMA },
    { SLOT "        leases:\n          - {id: l1, state: held}\n" END,
      "a.yaml:9:13: slots[0].leases[0].grant_epoch: is required", HC_ERR_SCHEMA },
    { SLOT "        leases:\n          - {id: l1, state: unknown, came_from: ended, grant_epoch: 1}\n" END,
      "a.yaml:9:13: came_from: ended is", HC_ERR_SCHEMA },
    { SLOT "        leases:\n          - {id: l1, state: held, history_written: true, grant_epoch: 1}\n" END,
      "a.yaml:9:13: history_written: only", HC_ERR_SCHEMA },
    { SLOT "        leases:\n          - {id: l1, state: held, stream_id: not-there, grant_epoch: 1}\n" END, NULL, HC_OK },
    { SLOT "        leases:\n          - {id: l1, state: held, app_token: 0123456789abcdef0123456789abcdef0, grant_epoch: 1}\n" END,
      "a.yaml:9:46: slots[0].leases[0].app_token: is longer than 32 bytes", HC_ERR_SCHEMA },
    { SLOT "        ghosts: [{state: ended}, {state: ended}, {state: ended}, {state: ended}, {state: ended}]\n" END,
      "a.yaml:8:17: slots[0].ghosts: has more than 4 items", HC_ERR_SCHEMA },
    /* the rest */
    { HEAD "streams: {s1: {head_id: h1}}\n" END, "a.yaml:3:15: state: is required", HC_ERR_SCHEMA },
    { HEAD "tickets: {h1: {id: t1, state: sleeping}}\n" END, "a.yaml:3:31: state: must be one of: waiting", HC_ERR_SCHEMA },
    { HEAD "tickets: {h1: {id: t1, state: waiting, first_eta: soon}}\n" END, "a.yaml:3:51: first_eta: must be a duration", HC_ERR_SCHEMA },
    { HEAD "safe_modes: {D: {since: 2026-09-04T11:43:18Z}}\n" END, "a.yaml:3:17: kind: is required", HC_ERR_SCHEMA },
    { HEAD "latches: {D: {on: true}}\n" END, "a.yaml:3:15: on: unknown key", HC_ERR_SCHEMA },
    { HEAD "identities: {h1: {}}\n" END, "a.yaml:3:18: device_uid: is required", HC_ERR_SCHEMA },
    { HEAD "identities: {h 1: {}}\n" END, "a.yaml:3:14: h 1: must be an id", HC_ERR_SCHEMA },
    { HEAD "identities: {h1: {device_uid: a, fingerprint: b, predecessor: {fingerprint: c}}}\n" END,
      "a.yaml:3:63: predecessor.overlap_until: is required", HC_ERR_SCHEMA },
    { HEAD "demotions: [{body_id: b, head_id: h}, {body_id: b, head_id: h}]\n" END,
      "a.yaml:3:39: demotions: b for h is there twice", HC_ERR_SCHEMA },
    { HEAD "operations: {o1: {op: sunshine.restart, state: pending}}\n" END, "a.yaml:3:18: node_id: is required", HC_ERR_SCHEMA },
    { HEAD "operations: {o1: {node_id: n, op: shell, state: pending}}\n" END,
      "a.yaml:3:35: op: must be one of: sunshine.list_clients", HC_ERR_SCHEMA },
    { HEAD "operations: {o1: {node_id: n, op: sunshine.submit_pin, state: pending, pin: \"12345\"}}\n" END,
      "a.yaml:3:77: pin: is longer than 4 bytes", HC_ERR_SCHEMA },
    { HEAD "attempts: [{attempt_id: a}]\n" END, "a.yaml:3:12: head_id: is required", HC_ERR_SCHEMA },
};

static const struct refusal nodes[] = {
    { "", "n.yaml:1:1: generation: is required: the file is empty", HC_ERR_SCHEMA },
    { "generation: 5\n", "n.yaml:1:1: schema_version: is required", HC_ERR_SCHEMA },
    { "gener", "n.yaml:1:1: the document must be a map", HC_ERR_SYNTAX },
    { HEAD "saved_at: 2026-09-04T11:43:18Z\n" END, "n.yaml:3:1: saved_at: unknown key", HC_ERR_SCHEMA },
    { HEAD "bodies: {}\n" END, "n.yaml:3:1: bodies: unknown key", HC_ERR_SCHEMA },
    { HEAD "nodes: {n1: {name: x}}\n" END, "n.yaml:3:13: approval: is required", HC_ERR_SCHEMA },
    { HEAD "nodes: {n1: {approval: approved, role: king}}\n" END, "n.yaml:3:40: role: must be one of: body, head, both", HC_ERR_SCHEMA },
    { HEAD "nodes: {n1: {approval: approved, xr: 1}}\n" END, "n.yaml:3:34: xr: unknown key", HC_ERR_SCHEMA },
    { HEAD "nodes: {n1: {approval: approved, name: \"a\\tb\"}}\n" END, "n.yaml:3:40: name: has a control character", HC_ERR_SCHEMA },
    { HEAD "venues: {\"\": {}}\n" END, "n.yaml:3:10: : must be a name", HC_ERR_SCHEMA },
    { HEAD "nodes: {n1: {approval: approved}, n1: {approval: denied}}\n" END, "n.yaml:3:35: n1: the key is repeated", HC_ERR_SYNTAX },
    { "nodes: {n1: {name: [1]}}\n", "n.yaml:1:20: name: must be text", HC_ERR_SCHEMA },      /* also an older file's known keys */
    { "nodes: {n1: {name: x, anything: [1]}}\n", NULL, HC_OK },
};

static void check(const struct refusal *row, size_t i, enum hc_err err, const struct hc_diag *diag)
{
    if (err != row->err)
        fail_msg("row %zu: error %d, \"%s\"", i, (int)err, diag->text);
    if (row->message != NULL && strncmp(diag->text, row->message, strlen(row->message)) != 0)
        fail_msg("row %zu: \"%s\", not \"%s\"", i, diag->text, row->message);
}

static void test_allocation__each_thing_it_must_not_say__is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof allocation / sizeof allocation[0]; i++) {
        struct alloc *into;
        struct hc_diag diag = { "" };
        const char *text = allocation[i].text;
        hc_time saved_at;
        assert_int_equal(alloc_new(NULL, &into), HC_OK);
        check(&allocation[i], i, store_parse_allocation("a.yaml", text, strlen(text), into, &saved_at, &diag), &diag);
        alloc_free(into);
    }
}

static void test_nodes__each_thing_they_must_not_say__is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        struct alloc *into;
        struct hc_diag diag = { "" };
        const char *text = nodes[i].text;
        bool downgrade;
        assert_int_equal(alloc_new(NULL, &into), HC_OK);
        check(&nodes[i], i, store_parse_nodes("n.yaml", text, strlen(text), into, &downgrade, &diag), &diag);
        alloc_free(into);
    }
}

static void test_attempts__more_than_are_kept__is_refused(void **state)
{
    (void)state;
    struct hc_buf text = { 0 };
    struct alloc *into;
    struct hc_diag diag = { "" };
    hc_time saved_at;
    hc_buf_str(&text, HEAD "attempts:\n");
    for (int i = 0; i <= ATTEMPTS_PER_HEAD; i++)
        hc_buf_printf(&text, "  - {head_id: h1, attempt_id: a%d}\n", i);
    hc_buf_str(&text, END);
    assert_int_equal(alloc_new(NULL, &into), HC_OK);
    assert_int_equal(store_parse_allocation("a.yaml", text.data, text.len, into, &saved_at, &diag), HC_ERR_SCHEMA);
    assert_string_equal(diag.text, "a.yaml:20:5: attempts: h1 has more than 16");
    alloc_free(into);
    hc_buf_free(&text);
}

static void test_lease__history_written__is_not_taken_in(void **state)
{
    (void)state;
    static const char text[] = SLOT "        leases:\n          - {id: l1, state: ended, history_written: true, grant_epoch: 1}\n"
                                    "          - {id: l2, state: ended, history_written: false, grant_epoch: 2}\n" END;
    struct alloc *into;
    hc_time saved_at;
    assert_int_equal(alloc_new(NULL, &into), HC_OK);
    assert_int_equal(store_parse_allocation("a.yaml", text, sizeof text - 1, into, &saved_at, NULL), HC_OK);
    const struct slot *slot = &alloc_body(into, "b1")->slots[0];
    assert_int_equal(slot->lease_count, 1);
    assert_string_equal(slot->leases[0].id, "l2");
    alloc_free(into);
}

static void test_body__keys_left_out__have_their_defaults(void **state)
{
    (void)state;
    static const char text[] = HEAD "bodies: {b1: {}}\n" END;
    struct alloc *into;
    hc_time saved_at = { 1 };
    assert_int_equal(alloc_new(NULL, &into), HC_OK);
    assert_int_equal(store_parse_allocation("a.yaml", text, sizeof text - 1, into, &saved_at, NULL), HC_OK);
    assert_int_equal(alloc_body(into, "b1")->slots_total, SLOTS_TOTAL_DEFAULT);
    assert_int_equal(alloc_body(into, "b1")->home_venue_reserve, RESERVE_AUTO);
    assert_int_equal(alloc_body(into, "b1")->slot_count, 0);
    assert_false(hc_time_set(saved_at));
    alloc_free(into);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocation__each_thing_it_must_not_say__is_refused_with_its_place),
        cmocka_unit_test(test_nodes__each_thing_they_must_not_say__is_refused_with_its_place),
        cmocka_unit_test(test_attempts__more_than_are_kept__is_refused),
        cmocka_unit_test(test_lease__history_written__is_not_taken_in),
        cmocka_unit_test(test_body__keys_left_out__have_their_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
