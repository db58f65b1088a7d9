#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "hydra/os/clock.h"

#define GET(target) "GET " target " HTTP/1.1\r\nHost: x\r\n\r\n"

static void test_park__answered_before_its_deadline__answer_sent_and_late_never_called(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_say(&f, fd, GET("/park?ms=60000"));
    fixture_until_parked(&f, 1);
    assert_true(http_parked(f.parked[0]));
    assert_true(fixture_metric(&f, "hydracluster_http_parked{why=\"news\"} ") == 1);
    http_answer(f.parked[0], 200, NULL, "{\"news\":1}", 10);
    assert_int_equal(http_wait_ms(f.server), 0);  /* nothing else would wake the loop for it */
    assert_true(fixture_metric(&f, "hydracluster_http_parked{why=\"news\"} ") == 0);
    struct reply reply;
    client_read(&f, fd, true, &reply);
    assert_string_equal(reply.body.data, "{\"news\":1}");
    assert_false(reply.closed);
    reply_free(&reply);
    assert_int_equal(f.late, 0);
    client_expect(&f, fd, GET("/show"), 200);
    client_close(&fd);
    fixture_close(&f);
}

static void test_park__deadline__late_at_it_and_not_before(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    int64_t start = os_monotonic_ms();
    client_expect(&f, fd, GET("/park?ms=120"), 503);
    int64_t took = os_monotonic_ms() - start;
    assert_in_range(took, 119, 3000);
    assert_int_equal(f.late, 1);
    client_close(&fd);
    fixture_close(&f);
}

static void test_park__late_parks_again__second_deadline_answers(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_expect(&f, fd, GET("/park?ms=60&again=1"), 503);
    assert_int_equal(f.late, 2);
    client_close(&fd);
    fixture_close(&f);
}

static void test_park__many_in_random_order__late_in_order_of_deadlines(void **state)
{
    (void)state;
    enum { CLIENTS = 100 };
    struct fixture f;
    fixture_open(&f);
    int fds[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        char text[100];
        fds[i] = client_open(&f);
        (void)snprintf(text, sizeof text, "GET /park?ms=%d HTTP/1.1\r\nHost: x\r\n\r\n", 1500 + (i * 37) % CLIENTS * 5);
        client_say(&f, fds[i], text);
    }
    fixture_until_parked(&f, CLIENTS);
    for (int i = 0; i < CLIENTS; i += 2) {         /* every second one is answered: the queue closes its gaps */
        struct http_request *req = f.parked[i];
        http_answer(req, 200, NULL, "{}", 2);
    }
    int answered = 0, late = 0;
    for (int i = 0; i < CLIENTS; i++) {
        struct reply reply;
        client_read(&f, fds[i], true, &reply);
        answered += reply.status == 200;
        late += reply.status == 503;
        reply_free(&reply);
        client_close(&fds[i]);
    }
    assert_int_equal(answered, CLIENTS / 2);
    assert_int_equal(late, CLIENTS / 2);
    assert_int_equal(f.late, CLIENTS / 2);
    fixture_close(&f);
}

static void test_park__client_leaves_meanwhile__request_stays_valid_until_answered(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_say(&f, fd, GET("/park?ms=60000"));
    fixture_until_parked(&f, 1);
    client_close(&fd);
    fixture_for(&f, 1200);                         /* over a sweep */
    assert_int_equal(f.done, 0);
    assert_string_equal(http_path(f.parked[0]), "/park");
    http_answer(f.parked[0], 200, NULL, "{}", 2);
    fixture_until_done(&f, 1);
    fixture_close(&f);
}

static void test_quiesce__parks_and_new_requests__503_and_closed(void **state)
{
    (void)state;
    enum { CLIENTS = 20 };
    struct fixture f;
    fixture_open(&f);
    int fds[CLIENTS], idle = client_open(&f), half = client_open(&f);
    client_expect(&f, idle, GET("/show"), 200);
    client_say(&f, half, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = client_open(&f);
        client_say(&f, fds[i], GET("/park?ms=60000"));
    }
    fixture_until_parked(&f, CLIENTS);
    http_quiesce(f.server);
    assert_int_equal(f.late, CLIENTS);
    assert_true(http_open_requests(f.server) > 0);
    for (int i = 0; i < CLIENTS; i++) {
        struct reply reply;
        client_read(&f, fds[i], true, &reply);
        assert_int_equal(reply.status, 503);
        assert_true(reply.closed);
        reply_free(&reply);
        client_close(&fds[i]);
    }
    struct reply reply;
    client_ask(&f, idle, GET("/show"), 503, &reply);
    assert_non_null(strstr(reply.body.data, "\"error\":\"stopping\",\"code\":503"));
    assert_true(reply.closed && reply_has(&reply, "\r\nRetry-After: "));
    reply_free(&reply);
    client_ask(&f, half, "cd", 503, &reply);      /* begun before, complete after: refused, not half-told */
    assert_true(reply.closed);
    reply_free(&reply);
    fixture_until_done(&f, f.begun);
    assert_int_equal(http_open_requests(f.server), 0);
    client_close(&idle);
    client_close(&half);
    fixture_close(&f);
}

static void test_free__with_parks_that_late_did_not_answer__503_and_no_abort(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f), other = client_open(&f);
    client_say(&f, fd, GET("/park?ms=60000&again=1"));
    fixture_until_parked(&f, 1);
    client_say(&f, other, GET("/park?ms=60000"));
    http_quiesce(f.server);                        /* parks again */
    assert_int_equal(f.late, 1);
    assert_true(http_parked(f.parked[0]));
    struct http_server *server = f.server;
    unsigned begun = f.begun;
    http_free(server);
    f.server = NULL;
    assert_int_equal(f.done, begun);
    struct reply reply;
    client_read(&f, fd, true, &reply);
    assert_int_equal(reply.status, 503);
    assert_non_null(strstr(reply.body.data, "\"stopping\""));
    reply_free(&reply);
    client_close(&fd);
    client_close(&other);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_park__answered_before_its_deadline__answer_sent_and_late_never_called),
        cmocka_unit_test(test_park__deadline__late_at_it_and_not_before),
        cmocka_unit_test(test_park__late_parks_again__second_deadline_answers),
        cmocka_unit_test(test_park__many_in_random_order__late_in_order_of_deadlines),
        cmocka_unit_test(test_park__client_leaves_meanwhile__request_stays_valid_until_answered),
        cmocka_unit_test(test_quiesce__parks_and_new_requests__503_and_closed),
        cmocka_unit_test(test_free__with_parks_that_late_did_not_answer__503_and_no_abort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
