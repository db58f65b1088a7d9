#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hydra/codec/json.h"

#include "../../../src/body/report.h"

#define FINGERPRINT "1c996b7156deeac932d007a3b9182a3da4cc6e26d515fc13826c4459ba2f4189"
#define TOKEN_APP   "Rupelmonde#7c1e00112233445566778899aabbccdd"

static const struct host_client clients[] = { { "U1", "hydra-h1", true }, { "U2", "", true } };
static const char *const experiences[] = { "Rupelmonde", "bad\nname", "Steam Big Picture" }, *const drivers[] = { "steamvr" };

struct scene { struct body_view_slot slots[2]; struct body_view view; struct hc_buf text; struct hc_arena arena; struct body_status got; };

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL)
        return -1;
    for (size_t i = 0; i < 2; i++) {
        struct body_view_slot *slot = &scene->slots[i];
        *slot = (struct body_view_slot){ .applied_epoch = 7 + i, .max_epoch_seen = 8 + i, .ports = { 47989, 47984, 47990 },
                                         .sunshine_cert_fp = FINGERPRINT, .clients = clients, .client_count = 2, .clients_known = true,
                                         .gate_mode = DIRECTIVE_GATE_UNAVAILABLE, .gate_reason = "no switch" };
        slot->sessions = (struct sessions_view){ .known = true, .row_count = 1, .rows = { { .launch = { .since_ms = -1 } } } };
    }
    scene->view = (struct body_view){
        .gpu = "NVIDIA RTX A4000", .provider_status = "running", .provider_version = "v2026.816.192458", .hydrabody_version = "0.1.0",
        .experiences = experiences, .experience_count = 3, .xr_state = "idle", .xr_drivers = drivers, .xr_driver_count = 1,
        .boot_id = "boot-1", .report_seq = 42, .provider_uptime_ms = 61000, .gpu_memory_total_mb = 16384, .slots = scene->slots,
        .slot_count = 1, .now_ms = 100000,
    };
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    hc_buf_free(&scene->text);
    hc_arena_free(&scene->arena);
    free(scene);
    return 0;
}

/* As the daemon reads it. */
static const struct body_status *told(struct scene *scene)
{
    struct json_refusal refusal = { "", "" };
    hc_buf_clear(&scene->text);
    hc_arena_free(&scene->arena);
    assert_int_equal(report_write(&scene->view, &scene->text), HC_OK);
    if (json_read(&body_status_table, scene->text.data, scene->text.len, false, &scene->arena, &scene->got, &refusal) != HC_OK)
        fail_msg("%s: %s", refusal.field, refusal.detail);
    return &scene->got;
}

static const struct body_status_slot *row(const struct body_status *status, size_t at)
{
    assert_true(at < status->slots.count);
    return &((const struct body_status_slot *)status->slots.items)[at];
}

static void streams(struct sessions_view *view)
{
    view->rows[0].state = SLOT_STREAMING;
    view->rows[0].launch.since_ms = 40000;
    HC_SET(view->rows[0].launch.launch_id, "l-1");
    HC_SET(view->rows[0].launch.lease_id, "lse-1");
    HC_SET(view->rows[0].launch.client_uuid, "U1");
    HC_SET(view->rows[0].launch.client_name, "hydra-h1");
    HC_SET(view->rows[0].launch.app, TOKEN_APP);
}

static void test_report__idle_body__every_field_reads_back(void **state)
{
    struct scene *scene = *state;
    const struct body_status *got = told(scene);
    assert_string_equal(got->gpu, "NVIDIA RTX A4000");
    assert_string_equal(got->provider_status, "running");
    assert_string_equal(got->provider_version, "v2026.816.192458");
    assert_string_equal(got->hydrabody_version, "0.1.0");
    assert_string_equal(body_stream_words.words[got->stream_status], "idle");
    assert_int_equal(got->installed_experiences.count, 2);
    assert_string_equal(((const char *const *)got->installed_experiences.items)[1], "Steam Big Picture");
    assert_string_equal(got->xr_state, "idle");
    assert_int_equal(got->xr_drivers.count, 1);
    assert_string_equal(got->boot_id, "boot-1");
    assert_int_equal(got->report_seq, 42);
    assert_int_equal(got->provider_uptime_ms, 61000);
    assert_int_equal(got->slots_total, 1);
    assert_int_equal(got->stream_count, 0);
    assert_int_equal(got->gpu_memory_total_mb, 16384);
    assert_string_equal(got->sunshine_cert_fp, FINGERPRINT);
    assert_int_equal(got->ports.gamestream_tls, 47984);
    assert_int_equal(got->max_epoch_seen.count, 1);
    assert_int_equal(((const uint64_t *)got->max_epoch_seen.items)[0], 8);
    assert_int_equal(got->slots.count, 1);
    assert_int_equal(row(got, 0)->state, SLOT_IDLE);
    assert_int_equal(row(got, 0)->applied_epoch, 7);
    assert_false(codec_has(&body_status_slot_table, row(got, 0), "since_seconds"));
    assert_string_equal(body_gate_words.words[row(got, 0)->gate_mode], "unavailable");
    assert_string_equal(row(got, 0)->gate_reason, "no switch");
}

static void test_report__two_sessions__two_rows_of_one_index(void **state)
{
    struct scene *scene = *state;
    streams(&scene->slots[0].sessions);
    scene->slots[0].sessions.row_count = 2;
    scene->slots[0].sessions.rows[1] = (struct session_row){ SLOT_STREAMING, { .since_ms = 90000 } };
    const struct body_status *got = told(scene);
    assert_int_equal(got->slots.count, 2);
    assert_int_equal(row(got, 0)->since_ms, 60000);
    assert_string_equal(row(got, 0)->launch_id, "l-1");
    assert_string_equal(row(got, 0)->lease_id, "lse-1");
    assert_string_equal(row(got, 0)->client_uuid, "U1");
    assert_string_equal(row(got, 0)->client_name, "hydra-h1");
    assert_string_equal(row(got, 0)->app, TOKEN_APP);
    assert_int_equal(row(got, 1)->index, 0);
    assert_int_equal(row(got, 1)->state, SLOT_STREAMING);
    assert_int_equal(row(got, 1)->since_ms, 10000);
    assert_string_equal(row(got, 1)->launch_id, "");
    assert_int_equal(got->stream_count, 2);
    assert_string_equal(body_stream_words.words[got->stream_status], "streaming");
}

static void test_report__slot_not_known__not_named_and_still_modern(void **state)
{
    struct scene *scene = *state;
    scene->slots[0].sessions.known = false;
    const struct body_status *got = told(scene);
    assert_true(codec_has(&body_status_table, got, "slots"));
    assert_int_equal(got->slots.count, 0);
    assert_string_equal(body_stream_words.words[got->stream_status], "");
    assert_int_equal(((const uint64_t *)got->max_epoch_seen.items)[0], 8);
}

static void test_report__clients__digest_follows_the_list(void **state)
{
    struct scene *scene = *state;
    char digest[HC_HASH_SIZE], empty[HC_HASH_SIZE];
    const struct body_status *got = told(scene);
    report_digest(clients, 2, digest);
    report_digest(clients, 0, empty);
    assert_string_not_equal(digest, empty);
    assert_string_not_equal(empty, "");
    assert_string_equal(got->paired_digest, digest);
    assert_int_equal(got->paired_clients.count, 2);
    assert_string_equal(((const struct body_status_client *)got->paired_clients.items)[0].name, "hydra-h1");
    scene->slots[0].client_count = 0;
    got = told(scene);
    assert_true(codec_has(&body_status_table, got, "paired_clients"));
    assert_string_equal(got->paired_digest, empty);
}

static void test_report__list_did_not_parse__unknown_and_no_list(void **state)
{
    struct scene *scene = *state;
    scene->slots[0].clients_known = false;
    const struct body_status *got = told(scene);
    assert_string_equal(got->paired_digest, "unknown");
    assert_false(codec_has(&body_status_table, got, "paired_clients"));
}

static void test_report__uuid_the_wire_forbids__not_the_whole_list(void **state)
{
    struct scene *scene = *state;
    static const struct host_client odd[] = { { "U1", "hydra-h1", true }, { "a b", "x", true }, { "U3", "tab\there", true } };
    scene->slots[0].clients = odd;
    scene->slots[0].client_count = 3;
    const struct body_status *got = told(scene);
    assert_string_equal(got->paired_digest, "unknown");
    assert_int_equal(got->paired_clients.count, 2);
    assert_string_equal(((const struct body_status_client *)got->paired_clients.items)[1].name, "");
}

static void test_report__several_slots__each_tells_its_own(void **state)
{
    struct scene *scene = *state;
    scene->view.slot_count = 2;
    scene->slots[1].clients_known = false;
    scene->slots[1].ports.gamestream = 48989;
    const struct body_status *got = told(scene);
    assert_int_equal(got->slots_total, 2);
    assert_false(codec_has(&body_status_table, got, "paired_clients"));
    assert_false(got->has_ports);
    assert_string_equal(got->paired_digest, "");
    assert_int_equal(row(got, 0)->paired_clients.count, 2);
    assert_string_equal(row(got, 1)->paired_digest, "unknown");
    assert_int_equal(row(got, 1)->ports.gamestream, 48989);
    assert_int_equal(row(got, 1)->applied_epoch, 8);
    assert_int_equal(got->max_epoch_seen.count, 2);
}

static void test_report__crowded_trust_store__the_body_is_still_heard(void **state)
{
    struct scene *scene = *state;
    enum { CROWD = 4096 };
    static struct host_client crowd[CROWD];
    static char names[CROWD][HC_NAME_SIZE], uuids[CROWD][40];
    for (size_t i = 0; i < CROWD; i++) {
        memset(names[i], 'n', HC_NAME_MAX);
        (void)snprintf(uuids[i], sizeof uuids[i], "%08zu-0000-0000-0000-000000000000", i);
        crowd[i] = (struct host_client){ uuids[i], names[i], true };
    }
    scene->slots[0].clients = crowd;
    scene->slots[0].client_count = CROWD;
    const struct body_status *got = told(scene);
    assert_true(scene->text.len <= REPORT_BYTES_MAX);
    assert_string_equal(got->paired_digest, "unknown");
    assert_false(codec_has(&body_status_table, got, "paired_clients"));
    assert_int_equal(got->slots.count, 1);
}

static void test_report__texts_that_do_not_fit__left_out_never_refused(void **state)
{
    struct scene *scene = *state;
    static char longer[400];
    memset(longer, 'x', sizeof longer - 1);
    scene->view.gpu = longer;
    scene->view.provider_version = longer;
    scene->view.provider_status = "line\nend";
    scene->slots[0].gate_reason = longer;
    scene->slots[0].sunshine_cert_fp = longer;
    streams(&scene->slots[0].sessions);
    HC_SET(scene->slots[0].sessions.rows[0].launch.client_uuid, "not an id");
    HC_SET(scene->slots[0].sessions.rows[0].launch.app, "bad \xff text");
    const struct body_status *got = told(scene);
    assert_string_equal(got->gpu, "");
    assert_string_equal(got->provider_status, "");
    assert_string_equal(row(got, 0)->client_uuid, "");
    assert_string_equal(row(got, 0)->app, "");
    assert_string_equal(row(got, 0)->launch_id, "l-1");
}

static void test_report__memory_not_known__not_told(void **state)
{
    struct scene *scene = *state;
    scene->view.gpu_memory_total_mb = 0;
    assert_false(codec_has(&body_status_table, told(scene), "gpu_memory_total_mb"));
}

static void test_report__no_memory__told_and_nothing_half(void **state)
{
    struct scene *scene = *state;
    for (unsigned n = 1; n < 8; n++) {
        struct hc_buf text = { 0 };
        hc_alloc_fail_after(n);
        enum hc_err err = report_write(&scene->view, &text);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || (err == HC_ERR_NOMEM && text.len == 0));
        hc_buf_free(&text);
    }
}

static void test_events__wait_until_answered__then_gone(void **state)
{
    struct scene *scene = *state;
    static struct report_events events;
    events = (struct report_events){ .count = 0 };
    assert_true(report_event_add(&events, "second_launch_refused", 0, "l-2", "U2", "Rupelmonde"));
    assert_true(report_event_add(&events, "epoch_below_floor", 0, "", "", "7 is below 9"));
    assert_true(report_event_add(&events, "second_launch_refused", 0, "l-2", "U2", "again"));
    assert_int_equal(events.count, 2);
    scene->view.events = &events;
    const struct body_status *got = told(scene);
    assert_int_equal(got->events.count, 2);
    const struct body_status_event *first = got->events.items;
    assert_string_equal(first->type, "second_launch_refused");
    assert_string_equal(first->launch_id, "l-2");
    assert_string_equal(first->detail, "again");
    assert_true(report_event_add(&events, "unauthorized_launch", 0, "l-3", "", ""));       /* while the report is on its way */
    report_events_answered(&events, 2);
    assert_int_equal(events.count, 1);
    assert_string_equal(events.events[0].launch_id, "l-3");
    report_events_answered(&events, 5);
    assert_int_equal(events.count, 0);
}

static void test_events__too_many_or_not_fitting__refused(void **state)
{
    (void)state;
    static struct report_events events;
    char launch_id[HC_ID_SIZE], longer[HC_NAME_SIZE + 1];
    events = (struct report_events){ .count = 0 };
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_false(report_event_add(&events, "unauthorized_launch", 0, "", "", longer));
    assert_false(report_event_add(&events, "unauthorized_launch", 0, "a b", "", ""));
    assert_false(report_event_add(&events, "unauthorized_launch", 0, "", "a b", ""));
    assert_false(report_event_add(&events, "unauthorized_launch", BODY_STATUS_INDEX_MAX + 1, "", "", ""));
    for (unsigned i = 0; i < BODY_STATUS_EVENTS_MAX; i++) {
        (void)snprintf(launch_id, sizeof launch_id, "l-%u", i);
        assert_true(report_event_add(&events, "unauthorized_launch", 0, launch_id, "", ""));
    }
    assert_false(report_event_add(&events, "unauthorized_launch", 0, "one-more", "", ""));
    assert_int_equal(events.count, BODY_STATUS_EVENTS_MAX);
}

/* Whoever is next in line waits for the report that a slot is free again: the gap is part of what every visitor waits. */
static void test_due__edge_or_cadence__in_time(void **state)
{
    (void)state;
    static const struct { bool edge, failing; int64_t tried_ms, next_ms, due_ms; } rows[] = {
        { false, false, 1000, 31000, 31000 }, { true, false, 1000, 31000, 1010 }, { true, false, 1000, 1005, 1005 },
        { true, false, 0, 31000, 10 },        { false, true, 1000, 4000, 4000 },  { true, true, 1000, 4000, 2000 },
        { true, true, 1000, 1500, 1500 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(report_due_ms(rows[i].edge, rows[i].failing, rows[i].tried_ms, rows[i].next_ms), rows[i].due_ms);
}

#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SCENE(test_report__idle_body__every_field_reads_back),
        WITH_SCENE(test_report__two_sessions__two_rows_of_one_index),
        WITH_SCENE(test_report__slot_not_known__not_named_and_still_modern),
        WITH_SCENE(test_report__clients__digest_follows_the_list),
        WITH_SCENE(test_report__list_did_not_parse__unknown_and_no_list),
        WITH_SCENE(test_report__uuid_the_wire_forbids__not_the_whole_list),
        WITH_SCENE(test_report__several_slots__each_tells_its_own),
        WITH_SCENE(test_report__crowded_trust_store__the_body_is_still_heard),
        WITH_SCENE(test_report__texts_that_do_not_fit__left_out_never_refused),
        WITH_SCENE(test_report__memory_not_known__not_told),
        WITH_SCENE(test_report__no_memory__told_and_nothing_half),
        WITH_SCENE(test_events__wait_until_answered__then_gone),
        WITH_SCENE(test_events__too_many_or_not_fitting__refused),
        cmocka_unit_test(test_due__edge_or_cadence__in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
