/* test_hydrahead_host.c - hydrahead before hosts that are not as they should be: busy, wrong, changed, or no host at all. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "head_scene.h"
#include "made_keys.h"

static struct agent_head *start_head(const char *name)
{
    struct agent_head *head = head_scene_head(name, NULL);
    agent_head_start(head);
    return head;
}

static void pair_and_leave(struct agent_head *head, struct stand_in_body *body)
{
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    agent_head_leaves(head);
    head_scene_waits(head, "ready");
    head_scene_lease(body, "", NULL);
}

/* Makes the head's next claim go to this body: the other one is in maintenance meanwhile. */
static void maintain(const struct stand_in_body *body, bool on)
{
    char path[128];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/slots", body->node.id);
    assert_int_equal(scene_admin("PUT", path, on ? "{\"maintenance\":true}" : "{\"maintenance\":false}"), 200);
}

/* Somebody with a certificate of their own, who was paired by hand and knows no cluster, streams there. */
static struct process stranger_streams(struct stand_in_body *body)
{
    char program[512], cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE], log[HOME_PATH_SIZE], line[PROCESS_LINE_MAX], port[16];
    char pair[HOME_PATH_SIZE + 64];
    struct made_key made;
    struct process stranger;
    made_key_next(MADE_FOR_CLIENT, &made);
    home_write(&scene.home, "stranger.pem", made.cert_pem);
    home_write(&scene.home, "stranger.key", made.key_pem);
    made_key_free(&made);
    home_path(&scene.home, "stranger.pem", cert);
    home_path(&scene.home, "stranger.key", key);
    home_path(&scene.home, "stranger.log", log);
    (void)snprintf(pair, sizeof pair, "pair stranger %s", cert);
    sunshine_say(&body->host, pair);
    program_path("STREAM_CLIENT", "stream_client", program, sizeof program);
    (void)snprintf(port, sizeof port, "%u", body->host.http);
    const char *const argv[] = { program, "--host", "127.0.0.1", "--port", port, "--app", FLEET_EXPERIENCE, "--cert", cert, "--key", key,
                                 NULL };
    process_start(&stranger, argv, NULL, log);
    assert_true(process_line(&stranger, line, SCENE_WAIT_MS));
    assert_non_null(strstr(line, "streaming session"));
    return stranger;
}

static void test_host__plays_a_strangers_picture__released_unreachable_and_the_next_body(void **state)
{
    (void)state;
    struct stand_in_body *busy = head_scene_body("b1"), *other = head_scene_body("b2");
    struct agent_head *head = start_head("h1");
    maintain(other, true);
    pair_and_leave(head, busy);
    atomic_store(&busy->blind, true);                   /* its agent has not noticed yet */
    struct process stranger = stranger_streams(busy);
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_ended(2, "unreachable");
    assert_true(agent_head_log_has(head, "step=probe verdict=no"));
    maintain(other, false);
    head_scene_streams(head, other);
    assert_int_equal(head_scene_asked(busy, "https GET /launch"), 2);      /* its own, before, and the stranger's */
    assert_int_equal(head_scene_asked(busy, "https GET /resume"), 0);
    assert_int_equal(head_scene_asked(busy, "https GET /cancel"), 0);
    assert_int_equal(stand_in_body_sessions(busy), 1);
    assert_true(process_running(&stranger));            /* it saw nothing of this */
    process_end(&stranger);
}

static void test_host__wrong_pin__tried_again_with_another(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    atomic_store(&body->wrong_pins, 1);
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    assert_int_equal(atomic_load(&body->pins), 2);
    assert_true(agent_head_log_has(head, "step=pair verdict=retry"));
    assert_int_equal(head_scene_asked(body, "http GET /unpair"), 0);
}

static void test_host__rotated_as_the_cluster_says__pinned_without_pairing(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    pair_and_leave(head, body);
    sunshine_say(&body->host, "rotate");
    stand_in_body_names(body);
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    assert_true(agent_head_log_has(head, "event=host_pinned_anew"));
    assert_int_equal(atomic_load(&body->pins), 1);      /* the first time only */
}

static void test_host__rotated_and_nobody_says_so__unreachable_and_nothing_sent(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    pair_and_leave(head, body);
    sunshine_say(&body->host, "rotate");                /* the body still reports the old one */
    long launches = head_scene_asked(body, "https GET /launch");
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_ended(2, "unreachable");
    assert_true(agent_head_log_has(head, "step=verify verdict=other_certificate"));
    assert_false(agent_head_log_has(head, "event=host_pinned_anew"));
    assert_int_equal(head_scene_asked(body, "https GET /launch"), launches);
    assert_int_equal(atomic_load(&body->pins), 1);
}

static void test_host__portal_with_its_own_certificate__never_taken_for_a_rotation(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    pair_and_leave(head, body);
    sunshine_say(&body->host, "fault foreign-certificate 1");
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_ended(2, "unreachable");
    assert_false(agent_head_log_has(head, "event=host_pinned_anew"));
    assert_int_equal(atomic_load(&body->pins), 1);
    sunshine_say(&body->host, "fault foreign-certificate 0");
    head_scene_streams(head, body);                     /* it is itself again: the old pin is still there */
    assert_int_equal(atomic_load(&body->pins), 1);
}

static void test_host__captive_portals_page__unknown_and_pairs_with_nobody(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    atomic_store(&body->blind, true);                   /* it reaches its host otherwise; the head does not */
    sunshine_say(&body->host, "fault portal 1");
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_ended(1, "unreachable");
    assert_int_equal(atomic_load(&body->pins), 0);
    assert_false(agent_head_log_has(head, "to=pairing"));
    sunshine_say(&body->host, "fault portal 0");
    atomic_store(&body->blind, false);
    head_scene_streams(head, body);
}

/* A host that answers 401 although the cluster lists this head there has a gate that is not open yet: it is looked at again, and nobody
 * pairs (rules §13.5). */
static void test_host__401_of_a_host_that_lists_us__looked_at_again_and_no_second_pairing(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    pair_and_leave(head, body);
    stand_in_body_lists(body, heads.nodes[0].id);
    stand_in_body_gates(body, false);
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_waits_log(head, "step=verify verdict=unknown");
    stand_in_body_gates(body, true);
    head_scene_streams(head, body);
    assert_int_equal(atomic_load(&body->pins), 1);
}

/* An attempt that cannot be stored is not used (rules §13.9). */
static void test_state__that_cannot_be_written__no_claim_until_it_can(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    char folder[HOME_PATH_SIZE], inner[HOME_PATH_SIZE];
    home_path(&scene.home, "h1/state/attempt.json.tmp", folder);
    home_path(&scene.home, "h1/state/attempt.json.tmp/in-the-way", inner);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(mkdir(inner, 0700), 0);
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_waits_log(head, "event=attempt_not_saved");
    head_scene_waits_log(head, "to=retrying");
    head_scene_lease(body, "", NULL);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(rmdir(folder), 0);
    head_scene_streams(head, body);
}

/* ---- a portal before the cluster ---- */

struct portal { int fd; unsigned port; pthread_t thread; atomic_bool stop; };

static void *answer_all(void *arg)
{
    static const char page[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 38\r\nConnection: close\r\n\r\n"
                               "<html><body>Please sign in</body></html>";
    struct portal *portal = arg;
    while (!atomic_load(&portal->stop)) {
        struct pollfd fd = { .fd = portal->fd, .events = POLLIN };
        if (poll(&fd, 1, 50) <= 0)
            continue;
        int peer = accept4(portal->fd, NULL, NULL, SOCK_CLOEXEC);
        char text[4096];
        struct pollfd peer_fd = { .fd = peer, .events = POLLIN };
        if (peer >= 0 && poll(&peer_fd, 1, 2000) > 0 && recv(peer, text, sizeof text, 0) > 0)
            (void)send(peer, page, sizeof page - 1, MSG_NOSIGNAL);
        if (peer >= 0)
            (void)close(peer);
    }
    return NULL;
}

static void test_cluster__captive_portal_answers__no_lease_no_crash_and_then_the_visit(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = head_scene_head("h1", NULL);
    struct portal portal = { .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int one = 1;
    at.sin_port = htons((uint16_t)strtoul(strrchr(heads.listen, ':') + 1, NULL, 10));
    daemon_kill(&scene.daemon);                         /* the portal takes its place, and its port */
    assert_int_equal(setsockopt(portal.fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one), 0);
    assert_int_equal(bind(portal.fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(portal.fd, 16), 0);
    assert_int_equal(pthread_create(&portal.thread, NULL, answer_all, &portal), 0);
    agent_head_start(head);
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_waits_log(head, "to=retrying");
    assert_true(agent_head_is(head, "finding_body"));
    atomic_store(&portal.stop, true);
    assert_int_equal(pthread_join(portal.thread, NULL), 0);
    (void)close(portal.fd);
    head_scene_daemon_again();
    head_scene_streams(head, body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAD_TEST(test_host__plays_a_strangers_picture__released_unreachable_and_the_next_body),
        HEAD_TEST(test_host__wrong_pin__tried_again_with_another),
        HEAD_TEST(test_host__rotated_as_the_cluster_says__pinned_without_pairing),
        HEAD_TEST(test_host__rotated_and_nobody_says_so__unreachable_and_nothing_sent),
        HEAD_TEST(test_host__portal_with_its_own_certificate__never_taken_for_a_rotation),
        HEAD_TEST(test_host__captive_portals_page__unknown_and_pairs_with_nobody),
        HEAD_TEST(test_host__401_of_a_host_that_lists_us__looked_at_again_and_no_second_pairing),
        HEAD_TEST(test_state__that_cannot_be_written__no_claim_until_it_can),
        HEAD_TEST(test_cluster__captive_portal_answers__no_lease_no_crash_and_then_the_visit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
