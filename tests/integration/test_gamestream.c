/* test_gamestream.c - our GameStream client and our client of the web API against a host that behaves like Sunshine, in every version:
 * the two were written apart from each other, from the same facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hydra/crypto/pairing.h"
#include "hydra/gamestream/launch.h"
#include "hydra/gamestream/pair.h"
#include "hydra/os/random.h"
#include "hydra/sunshine/sunshine.h"

#include "sunshine.h"
#include "made_keys.h"

#define CALL_MS 5000
#define PIN_MS  10000
#define APP     "Rupelmonde#7c1e00112233445566778899aabbccdd"
#define UID     "b46dd30b225109ce"
#define NAME    "hydra-head-ipad-3"

struct scene {
    struct home home;
    struct sunshine sun;
    struct sunshine_api *api;
    struct gs_host host;
    struct gs_client client;
    struct made_key key;
    struct hc_buf pinned;
    const char *given;                  /* what the operator types instead of the shown PIN; NULL: the shown one */
    unsigned asked;                     /* how often a PIN was to be given */
};

static const char apps[] =
    "{\"env\":{},\"apps\":[{\"name\":\"Desktop\",\"prep-cmd\":[],\"detached\":[]},"
    "{\"name\":\"" APP "\",\"cmd\":\"sleep 600\",\"prep-cmd\":[],\"detached\":[]}]}";
static const char *const versions[] = { "v0.23.1", "v2025.118", "v2025.628", "v2025.924", "v2026.516", "v2026.816" };
#define VERSIONS (sizeof versions / sizeof versions[0])

static bool is_idle(void *ctx)
{
    const struct scene *scene = ctx;
    struct gs_serverinfo info;
    return gs_serverinfo(&scene->host, &scene->client, CALL_MS, &info, NULL) == HC_OK && !info.busy;
}

static void open_scene(struct scene *scene, const char *version)
{
    *scene = (struct scene){ 0 };
    home_make(&scene->home);
    const struct sunshine_options options = { .version = version, .username = "venue", .password = "secret-1", .apps = apps };
    sunshine_start(&scene->sun, &scene->home, "sun-0", &options);
    scene->host = (struct gs_host){ "127.0.0.1", (uint16_t)scene->sun.http, (uint16_t)scene->sun.https };
    made_key_next(MADE_FOR_CLIENT, &scene->key);
    scene->client = (struct gs_client){ UID, scene->key.cert_pem, scene->key.key_pem };
    const struct sunshine_access access = { .address = "127.0.0.1", .port = (uint16_t)scene->sun.web, .username = "venue",
                                            .password = "secret-1", .timeout_ms = CALL_MS, .idle = is_idle, .idle_ctx = scene };
    assert_int_equal(sunshine_open(&access, &scene->api, NULL), HC_OK);
}

static void close_scene(struct scene *scene)
{
    scene->api = sunshine_close(scene->api);
    sunshine_end(&scene->sun);
    made_key_free(&scene->key);
    hc_buf_free(&scene->pinned);
    home_remove(&scene->home);
}

static struct scene scene;
static int tear_down(void **state)
{
    (void)state;
    close_scene(&scene);
    return 0;
}

static enum gs_pin_answer give_pin(void *ctx, const char pin[GS_PIN_SIZE])
{
    struct scene *s = ctx;
    s->asked++;
    switch (sunshine_pin(s->api, s->given == NULL ? pin : s->given, NAME, NULL)) {
    case SUNSHINE_OK:      return GS_PIN_TAKEN;
    case SUNSHINE_REFUSED: return GS_PIN_NOT_PENDING;
    default:               return GS_PIN_LOST;
    }
}

static enum gs_pair_verdict pair(struct scene *s, const char *expected_fingerprint)
{
    const struct gs_pairing how = { .pin = "4711", .expected_fingerprint = expected_fingerprint, .submit_pin = give_pin, .pin_ctx = s,
                                    .step_timeout_ms = CALL_MS, .pin_timeout_ms = PIN_MS, .random = os_random };
    struct hc_diag diag = { "" };
    hc_buf_clear(&s->pinned);
    enum gs_pair_verdict verdict = gs_pair(&s->host, &s->client, &how, &s->pinned, &diag);
    if (verdict != GS_PAIR_DONE)
        print_message("%s: %s: %s\n", s->sun.version, gs_pair_verdict_word(verdict), diag.text);
    return verdict;
}

static enum gs_verdict verify(struct scene *s)
{
    struct gs_verified verified;
    gs_verify(&s->host, &s->client, s->pinned.len == 0 ? NULL : s->pinned.data, CALL_MS, &verified);
    enum gs_verdict verdict = verified.verdict;
    gs_verified_free(&verified);
    return verdict;
}

static enum gs_launch_verdict launch(struct scene *s)
{
    const struct gs_launch how = { .app_id = gs_app_id(APP), .width = 1280, .height = 720, .fps = 60, .key_id = 7, .timeout_ms = CALL_MS };
    struct hc_buf url = { 0 };
    enum gs_launch_verdict verdict = gs_launch_app(&s->host, &s->client, s->pinned.data, &how, &url, NULL);
    assert_true(verdict != GS_LAUNCHED || (url.len > 0 && strncmp(url.data, "rtsp", 4) == 0));
    hc_buf_free(&url);
    return verdict;
}

static void test_host__each_version__pairs_verifies_launches_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < VERSIONS; i++) {
        open_scene(&scene, versions[i]);
        struct gs_serverinfo info;
        assert_int_equal(gs_serverinfo(&scene.host, &scene.client, CALL_MS, &info, NULL), HC_OK);
        assert_int_equal(info.generation, 7);
        assert_false(info.busy);
        assert_int_equal(verify(&scene), GS_NOT_PAIRED);            /* no pin of it */
        assert_int_equal(pair(&scene, ""), GS_PAIR_DONE);
        assert_int_equal(verify(&scene), GS_PAIRED);
        struct hc_arena arena = { 0 };
        struct gs_app *list = NULL;
        size_t count = 0;
        assert_int_equal(gs_applist(&scene.host, &scene.client, scene.pinned.data, CALL_MS, &arena, &list, &count, NULL), HC_OK);
        assert_int_equal(count, 2);
        hc_arena_free(&arena);
        assert_int_equal(launch(&scene), GS_LAUNCHED);
        assert_int_equal(launch(&scene), GS_LAUNCH_BUSY);           /* nobody joins, not even oneself */
        assert_int_equal(gs_cancel_own(&scene.host, &scene.client, scene.pinned.data, gs_app_id("Desktop"), CALL_MS, NULL), HC_ERR_STATE);
        assert_int_equal(gs_cancel_own(&scene.host, &scene.client, scene.pinned.data, gs_app_id(APP), CALL_MS, NULL), HC_OK);
        assert_true(is_idle(&scene));
        assert_int_equal(sunshine_number(&scene.sun, "requests https GET /resume"), 0);
        close_scene(&scene);
    }
}

static void test_host__wrong_pin__said_and_the_next_attempt_works(void **state)
{
    (void)state;
    open_scene(&scene, NULL);
    scene.given = "4712";
    assert_int_equal(pair(&scene, ""), GS_PAIR_WRONG_PIN);
    assert_int_equal(scene.pinned.len, 0);
    scene.given = NULL;
    assert_int_equal(pair(&scene, ""), GS_PAIR_DONE);               /* the entry of the first attempt does not poison it */
    assert_int_equal(verify(&scene), GS_PAIRED);
}

static void test_host__another_certificate_than_the_clusters__no_pin_stored(void **state)
{
    (void)state;
    static const char other[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    char fingerprint[SUNSHINE_ANSWER_SIZE];
    open_scene(&scene, NULL);
    assert_int_equal(pair(&scene, other), GS_PAIR_OTHER_HOST);
    sunshine_ask(&scene.sun, "fingerprint", fingerprint);
    assert_int_equal(pair(&scene, fingerprint), GS_PAIR_DONE);
}

static void test_host__rotated__seen_with_its_new_certificate_and_nothing_sent(void **state)
{
    (void)state;
    char fingerprint[SUNSHINE_ANSWER_SIZE];
    open_scene(&scene, NULL);
    assert_int_equal(pair(&scene, ""), GS_PAIR_DONE);
    sunshine_ask(&scene.sun, "rotate", fingerprint);
    long before = sunshine_number(&scene.sun, "requests https GET /serverinfo");
    struct gs_verified verified;
    gs_verify(&scene.host, &scene.client, scene.pinned.data, CALL_MS, &verified);
    assert_int_equal(verified.verdict, GS_ROTATED);
    assert_string_equal(verified.peer_fingerprint, fingerprint);
    assert_int_equal(sunshine_number(&scene.sun, "requests https GET /serverinfo"), before);
    hc_buf_clear(&scene.pinned);
    hc_buf_add(&scene.pinned, verified.peer_cert.data, verified.peer_cert.len);        /* as the cluster's word allows (§13.8) */
    gs_verified_free(&verified);
    assert_int_equal(verify(&scene), GS_PAIRED);                    /* an old client is still let in: no handshake, no PIN */
}

static const struct sunshine_client *only_client(struct hc_arena *arena)
{
    const struct sunshine_client *clients = NULL;
    size_t count = 0;
    assert_int_equal(sunshine_clients(scene.api, arena, &clients, &count, NULL, NULL), SUNSHINE_OK);
    return count == 1 ? clients : NULL;
}

static void test_web__each_version__what_it_can_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < VERSIONS; i++) {
        open_scene(&scene, versions[i]);
        struct hc_arena arena = { 0 };
        char version[SUNSHINE_VERSION_SIZE];
        unsigned features = 0;
        assert_int_equal(sunshine_version(scene.api, version, &features, NULL), SUNSHINE_OK);
        bool names = i >= 1, switches = i >= 4;
        assert_int_equal((features & SUNSHINE_NAMES) != 0, names);
        assert_int_equal((features & SUNSHINE_ENABLE) != 0, switches);
        assert_int_equal((features & SUNSHINE_ENABLE_ONE) != 0, i >= 5);
        assert_int_equal(pair(&scene, ""), GS_PAIR_DONE);
        if (names) {
            const struct sunshine_client *client = only_client(&arena);
            assert_non_null(client);
            assert_string_equal(client->name, NAME);
            assert_int_equal(sunshine_enable(scene.api, client->uuid, false, NULL), switches ? SUNSHINE_OK : SUNSHINE_CANNOT);
            assert_int_equal(verify(&scene), switches ? GS_NOT_PAIRED : GS_PAIRED);
            assert_int_equal(sunshine_enable(scene.api, client->uuid, true, NULL), switches ? SUNSHINE_OK : SUNSHINE_CANNOT);
            assert_int_equal(sunshine_unpair(scene.api, "NOBODY", NULL), SUNSHINE_REFUSED);
            assert_int_equal(sunshine_unpair(scene.api, client->uuid, NULL), SUNSHINE_OK);
            assert_int_equal(verify(&scene), GS_NOT_PAIRED);
        } else {
            assert_int_equal(sunshine_unpair(scene.api, "ANY", NULL), SUNSHINE_CANNOT);      /* there it would unpair all */
            assert_int_equal(verify(&scene), GS_PAIRED);
        }
        hc_arena_free(&arena);
        close_scene(&scene);
    }
}

static const char *app_text(struct hc_arena *arena, const char *name)
{
    const struct sunshine_app *list = NULL;
    size_t count = 0;
    assert_int_equal(sunshine_apps(scene.api, arena, &list, &count, NULL), SUNSHINE_OK);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].json;
    return NULL;
}

static void test_web__entries__changed_while_idle_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < VERSIONS; i++) {
        open_scene(&scene, versions[i]);
        struct hc_arena arena = { 0 };
        assert_int_equal(sunshine_app_add(scene.api, app_text(&arena, "Desktop"), "Added", NULL), SUNSHINE_OK);
        assert_non_null(app_text(&arena, "Added"));
        assert_int_equal(sunshine_app_remove(scene.api, "Added", NULL), SUNSHINE_OK);
        assert_null(app_text(&arena, "Added"));
        assert_int_equal(sunshine_app_remove(scene.api, "Added", NULL), SUNSHINE_OK);
        assert_int_equal(sunshine_app_add(scene.api, "{}", "", NULL), SUNSHINE_REFUSED);
        assert_int_equal(pair(&scene, ""), GS_PAIR_DONE);
        assert_int_equal(launch(&scene), GS_LAUNCHED);
        assert_int_equal(sunshine_app_add(scene.api, app_text(&arena, "Desktop"), "Added", NULL), SUNSHINE_BUSY);
        assert_int_equal(sunshine_app_remove(scene.api, "Desktop", NULL), SUNSHINE_BUSY);
        assert_false(is_idle(&scene));                              /* and what runs runs on */
        assert_int_equal(sunshine_close_app(scene.api, NULL), SUNSHINE_OK);
        hc_arena_free(&arena);
        close_scene(&scene);
    }
}

static void test_web__credentials_lost__said_and_never_an_empty_list(void **state)
{
    (void)state;
    open_scene(&scene, NULL);
    struct hc_arena arena = { 0 };
    const struct sunshine_client *clients = NULL;
    size_t count = 7;
    struct hc_diag diag = { "" };
    sunshine_say(&scene.sun, "lose-credentials");
    assert_int_equal(sunshine_clients(scene.api, &arena, &clients, &count, NULL, &diag), SUNSHINE_CREDENTIALS_LOST);
    assert_int_equal(count, 7);
    assert_null(strstr(diag.text, "secret-1"));
    hc_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_host__each_version__pairs_verifies_launches_ends, tear_down),
        cmocka_unit_test_teardown(test_host__wrong_pin__said_and_the_next_attempt_works, tear_down),
        cmocka_unit_test_teardown(test_host__another_certificate_than_the_clusters__no_pin_stored, tear_down),
        cmocka_unit_test_teardown(test_host__rotated__seen_with_its_new_certificate_and_nothing_sent, tear_down),
        cmocka_unit_test_teardown(test_web__each_version__what_it_can_and_nothing_else, tear_down),
        cmocka_unit_test_teardown(test_web__entries__changed_while_idle_only, tear_down),
        cmocka_unit_test_teardown(test_web__credentials_lost__said_and_never_an_empty_list, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
