/* From a body's report as it came to the core's event. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "../../../src/api/report_of.h"
#include "hydra/codec/json.h"

struct parsed { struct hc_arena arena; struct body_status body; struct report_req report; char field[REPORT_FIELD_SIZE];
    enum hc_err err; };

static void parse(const char *text, struct parsed *ret)
{
    struct json_refusal refusal;
    *ret = (struct parsed){ .err = HC_OK };
    enum hc_err err = json_read(&body_status_table, text, strlen(text), true, &ret->arena, &ret->body, &refusal);
    if (err != HC_OK)
        fail_msg("%s: %s", refusal.field, refusal.detail);
    ret->err = report_of(&ret->body, &ret->arena, &ret->report, ret->field);
}

static void test_report__all_three_facts_of_a_modern_body__is_modern(void **state)
{
    static const struct { const char *text; bool modern; } cases[] = {
        { "{\"boot_id\":\"b\",\"report_seq\":1,\"slots\":[]}", true },
        { "{\"boot_id\":\"b\",\"report_seq\":0,\"slots\":[{\"index\":0,\"state\":\"idle\"}]}", true },
        { "{\"report_seq\":1,\"slots\":[]}", false },
        { "{\"boot_id\":\"b\",\"slots\":[]}", false },
        { "{\"boot_id\":\"b\",\"report_seq\":1}", false },
        { "{\"boot_id\":null,\"report_seq\":1,\"slots\":[]}", false },
        { "{\"hydrabody_version\":\"9.9.9\",\"stream_status\":\"idle\"}", false },
        { "{}", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parsed p;
        parse(cases[i].text, &p);
        assert_int_equal(p.err, HC_OK);
        if (p.report.modern != cases[i].modern)
            fail_msg("%s", cases[i].text);
        hc_arena_free(&p.arena);
    }
}

static void test_report__numbers_that_were_not_sent__are_not_zero(void **state)
{
    struct parsed p;
    (void)state;
    parse("{\"slots\":[{\"index\":0,\"state\":\"streaming\"},"
          "{\"index\":1,\"state\":\"idle\",\"applied_epoch\":0,\"since_seconds\":7}]}", &p);
    assert_int_equal(p.report.uptime_ms, -1);
    assert_false(p.report.has_experiences);
    assert_false(p.report.sessions[0].has_applied_epoch);
    assert_int_equal(p.report.sessions[0].since_ms, -1);
    assert_int_equal(p.report.sessions[0].state, SESSION_STREAMING);
    assert_true(p.report.sessions[1].has_applied_epoch);
    assert_int_equal(p.report.sessions[1].since_ms, 7000);
    hc_arena_free(&p.arena);
}

static const char body_wide[] = "\"ports\":{\"gamestream\":1,\"gamestream_tls\":2,\"web\":3},\"sunshine_cert_fp\":\"aa\"";

static void test_report__one_slot__has_the_bodys_ports_and_certificate(void **state)
{
    char text[512];
    struct parsed p;
    (void)state;
    (void)snprintf(text, sizeof text, "{\"slots\":[{\"index\":0,\"state\":\"idle\"}],%s}", body_wide);
    parse(text, &p);
    assert_int_equal(p.report.sessions[0].ports.web, 3);
    assert_string_equal(p.report.sessions[0].sunshine_cert_fp, "aa");
    hc_arena_free(&p.arena);
    (void)snprintf(text, sizeof text, "{\"slots\":[{\"index\":0,\"state\":\"idle\",\"ports\":{\"web\":9},\"sunshine_cert_fp\":\"bb\"}],%s}",
                   body_wide);
    parse(text, &p);
    assert_int_equal(p.report.sessions[0].ports.web, 9);
    assert_int_equal(p.report.sessions[0].ports.gamestream, 0);
    assert_string_equal(p.report.sessions[0].sunshine_cert_fp, "bb");
    hc_arena_free(&p.arena);
}

static void test_report__several_slots__have_only_their_own_ports(void **state)
{
    char text[512];
    struct parsed p;
    (void)state;
    (void)snprintf(text, sizeof text,
                   "{\"slots\":[{\"index\":0,\"state\":\"idle\"},{\"index\":1,\"state\":\"idle\",\"ports\":{\"web\":9}}],%s}", body_wide);
    parse(text, &p);
    assert_int_equal(p.report.sessions[0].ports.web, 0);
    assert_string_equal(p.report.sessions[0].sunshine_cert_fp, "");
    assert_int_equal(p.report.sessions[1].ports.web, 9);
    assert_int_equal(p.report.ports.web, 3);
    hc_arena_free(&p.arena);
}

static void test_report__clients_only_in_slots__are_taken_together(void **state)
{
    struct parsed p;
    (void)state;
    parse("{\"slots\":[{\"index\":0,\"state\":\"idle\",\"paired_clients\":[{\"uuid\":\"u1\",\"name\":\"n\"}],\"paired_digest\":\"d\"},"
          "{\"index\":1,\"state\":\"idle\",\"paired_clients\":[{\"uuid\":\"u2\"}]}]}", &p);
    assert_int_equal(p.report.client_count, 2);
    assert_string_equal(p.report.clients[1].uuid, "u2");
    assert_string_equal(p.report.paired_digest, "d");
    hc_arena_free(&p.arena);
    parse("{\"paired_clients\":[],\"slots\":[{\"index\":0,\"state\":\"idle\",\"paired_clients\":[{\"uuid\":\"u1\"}]}]}", &p);
    assert_int_equal(p.report.client_count, 0);
    hc_arena_free(&p.arena);
}

static void test_report__odd_or_too_many_clients__are_dropped_and_the_digest_is_unknown(void **state)
{
    static char crowd[64 * 1024];
    char longest[256];
    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    (void)snprintf(crowd, sizeof crowd, "{\"paired_digest\":\"d\",\"paired_clients\":[{\"uuid\":\"\"},{\"uuid\":\"a b\"},"
                      "{\"uuid\":\"u1\",\"name\":\"%s\"},{\"uuid\":\"u2\",\"name\":\"\\t\"},{\"uuid\":\"u3\",\"name\":\"n\"}]}", longest);
    struct parsed p;
    parse(crowd, &p);
    assert_int_equal(p.report.client_count, 3);
    assert_string_equal(p.report.clients[0].uuid, "u1");
    assert_string_equal(p.report.clients[0].name, "");
    assert_string_equal(p.report.clients[2].name, "n");
    assert_string_equal(p.report.paired_digest, "unknown");
    hc_arena_free(&p.arena);
    int at = snprintf(crowd, sizeof crowd, "{\"paired_digest\":\"d\",\"paired_clients\":[");
    for (int i = 0; i < 1025; i++)
        at += snprintf(crowd + at, sizeof crowd - (size_t)at, "%s{\"uuid\":\"u%d\"}", i == 0 ? "" : ",", i);
    (void)snprintf(crowd + at, sizeof crowd - (size_t)at, "]}");
    parse(crowd, &p);
    assert_int_equal(p.report.client_count, 1024);
    assert_string_equal(p.report.paired_digest, "unknown");
    hc_arena_free(&p.arena);
}

static void test_report__words_of_other_versions_in_events__are_kept_as_text(void **state)
{
    struct parsed p;
    (void)state;
    parse("{\"events\":[{\"type\":\"second_launch_refused\",\"slot\":1},{\"type\":\"brand_new\"}]}", &p);
    assert_int_equal(p.report.event_count, 2);
    assert_int_equal(p.report.events[0].type, BODY_EVENT_SECOND_LAUNCH);
    assert_int_equal(p.report.events[0].slot, 1);
    assert_int_equal(p.report.events[1].type, BODY_EVENT_OTHER);
    assert_string_equal(p.report.events[1].type_text, "brand_new");
    hc_arena_free(&p.arena);
}

static void test_report__epoch_above_the_wires_limit__is_refused_by_name(void **state)
{
    struct parsed p;
    (void)state;
    parse("{\"max_epoch_seen\":[1,9007199254740990]}", &p);
    assert_int_equal(p.err, HC_OK);
    hc_arena_free(&p.arena);
    parse("{\"max_epoch_seen\":[1,9007199254740991]}", &p);
    assert_int_equal(p.err, HC_ERR_RANGE);
    assert_string_equal(p.field, "max_epoch_seen[1]");
    hc_arena_free(&p.arena);
}

static void test_report__no_memory__is_an_error_at_every_allocation(void **state)
{
    static const char text[] =
        "{\"slots\":[{\"index\":0,\"state\":\"idle\"}],\"paired_clients\":[{\"uuid\":\"u\"}],\"events\":[{\"type\":\"x\"}]}";
    struct parsed p;
    (void)state;
    parse(text, &p);
    unsigned failed = 0;
    for (unsigned n = 1; n < 20; n++) {
        struct hc_arena arena = { 0 };
        struct report_req report;
        hc_alloc_fail_after(n);
        enum hc_err err = report_of(&p.body, &arena, &report, p.field);
        hc_alloc_fail_after(0);
        hc_arena_free(&arena);
        failed += err == HC_ERR_NOMEM ? 1 : 0;
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
        if (err == HC_OK)
            break;
    }
    assert_true(failed > 0);
    hc_arena_free(&p.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report__all_three_facts_of_a_modern_body__is_modern),
        cmocka_unit_test(test_report__numbers_that_were_not_sent__are_not_zero),
        cmocka_unit_test(test_report__one_slot__has_the_bodys_ports_and_certificate),
        cmocka_unit_test(test_report__several_slots__have_only_their_own_ports),
        cmocka_unit_test(test_report__clients_only_in_slots__are_taken_together),
        cmocka_unit_test(test_report__odd_or_too_many_clients__are_dropped_and_the_digest_is_unknown),
        cmocka_unit_test(test_report__words_of_other_versions_in_events__are_kept_as_text),
        cmocka_unit_test(test_report__epoch_above_the_wires_limit__is_refused_by_name),
        cmocka_unit_test(test_report__no_memory__is_an_error_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
