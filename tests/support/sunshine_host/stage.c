#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"

struct stage stage;

#define X(word) word,
static const char *const versions[] = { STAGE_VERSIONS(X) };
#undef X

static size_t place(const char *version)
{
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (strcmp(versions[i], version) == 0)
            return i;
    fail_msg("no release %s", version);
    return 0;
}

bool stage_since(const char *version)
{
    return place(stage.host.version) >= place(version);
}

int stage_open(void **state)
{
    (void)state;
    peer_make(&stage.one, NULL);
    peer_make(&stage.two, NULL);
    peer_make(&stage.stranger, NULL);
    return !certificate_make("Sunshine Gamestream Host", NULL, &stage.own);
}

int stage_close(void **state)
{
    (void)state;
    peer_free(&stage.one);
    peer_free(&stage.two);
    peer_free(&stage.stranger);
    certificate_free(&stage.own);
    return 0;
}

char *stage_apps(const char *folder)
{
    struct hc_buf text = { 0 };
    hc_buf_printf(&text, "{\"env\": {\"HOOKS\": \"%s/hooks\"}, \"apps\": [", folder);
    hc_buf_printf(&text, "{\"name\": \"Map\", \"cmd\": \"/bin/sleep 600\", \"exit-timeout\": 1, \"detached\": [], \"prep-cmd\": ["
                  "{\"do\": \"/bin/sh %s/hook.sh first-do\", \"undo\": \"/bin/sh %s/hook.sh first-undo\"},"
                  "{\"do\": \"/bin/sh %s/hook.sh second-do\", \"undo\": \"/bin/sh %s/hook.sh second-undo\"}]},",
                  folder, folder, folder, folder);
    hc_buf_printf(&text, "{\"name\": \"Broken\", \"cmd\": \"/bin/sleep 600\", \"detached\": [], \"prep-cmd\": ["
                  "{\"do\": \"/bin/sh %s/hook.sh first-do\", \"undo\": \"/bin/sh %s/hook.sh first-undo\"},"
                  "{\"do\": \"/bin/false\", \"undo\": \"/bin/sh %s/hook.sh second-undo\"},"
                  "{\"do\": \"/bin/sh %s/hook.sh third-do\", \"undo\": \"\"}]},", folder, folder, folder, folder);
    hc_buf_printf(&text, "{\"name\": \"Desktop\", \"detached\": [], \"prep-cmd\": []},"
                  "{\"name\": \"Short\", \"cmd\": \"/bin/true\", \"auto-detach\": false, \"detached\": [], \"prep-cmd\": ["
                  "{\"do\": \"\", \"undo\": \"/bin/sh %s/hook.sh first-undo\"}]}]}", folder);
    assert_false(text.failed);
    return text.data;
}

int stage_set_up(void **state)
{
    struct sunshine_options options = { .version = *state, .username = STAGE_USER, .password = STAGE_PASSWORD };
    home_make(&stage.home);
    char folder[HOME_PATH_SIZE], cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE];
    home_path(&stage.home, "sun/credentials/cacert.pem", cert);
    home_path(&stage.home, "sun/credentials/cakey.pem", key);
    home_path(&stage.home, "sun", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    home_path(&stage.home, "sun/credentials", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_true(certificate_save(&stage.own, cert, key));
    home_path(&stage.home, "sun", folder);
    home_write(&stage.home, "sun/hook.sh",
               "echo \"$1 $SUNSHINE_APP_NAME $SUNSHINE_APP_ID ${SUNSHINE_CLIENT_WIDTH}x${SUNSHINE_CLIENT_HEIGHT}x$SUNSHINE_CLIENT_FPS "
               "hdr=$SUNSHINE_CLIENT_HDR host=$SUNSHINE_CLIENT_HOST_AUDIO audio=$SUNSHINE_CLIENT_AUDIO_CONFIGURATION "
               "sops=$SUNSHINE_CLIENT_ENABLE_SOPS gcmap=$SUNSHINE_CLIENT_GCMAP params=$SUNSHINE_CLIENT_AUDIO_SURROUND_PARAMS "
               "uuid=$SUNSHINE_CLIENT_UUID\" >> \"$HOOKS\"\n");
    home_write(&stage.home, "sun/hooks", "");
    char *apps = stage_apps(folder);
    options.apps = apps;
    sunshine_start(&stage.host, &stage.home, "sun", &options);
    hc_free(apps);
    return 0;
}

void stage_store(const struct peer *peer, const char *name)
{
    char line[HOME_PATH_SIZE + 64];
    home_write(&stage.home, "peer.pem", peer->pem);
    (void)snprintf(line, sizeof line, "pair %s %s/peer.pem", name, stage.home.root);
    sunshine_say(&stage.host, line);
}

int stage_set_up_paired(void **state)
{
    (void)stage_set_up(state);
    stage_store(&stage.one, "one");
    stage_store(&stage.two, "two");
    return 0;
}

int stage_tear_down(void **state)
{
    (void)state;
    sunshine_end(&stage.host);
    home_remove(&stage.home);
    return 0;
}

long stage_app(const char *name)
{
    struct reply reply;
    char title[128], *end;
    peer_https(&stage.host, &stage.one, "/applist?uniqueid=x", &reply);
    (void)snprintf(title, sizeof title, "<AppTitle>%s</AppTitle><ID>", name);
    const char *at = strstr(reply.body, title);
    assert_non_null(at);
    return strtol(at + strlen(title), &end, 10);
}

void stage_launch(const struct peer *peer, const char *app, struct reply *reply)
{
    char target[512];
    (void)snprintf(target, sizeof target, "/launch?uniqueid=x&appid=%ld&mode=1920x1080x60&sops=1&surroundAudioInfo=4128774"
                   "&surroundParams=abc&gcmap=3%s", stage_app(app), STAGE_LAUNCH);
    peer_https(&stage.host, peer, target, reply);
}

long stage_game(void)
{
    struct reply reply;
    char state[64];
    peer_http(&stage.host, "/serverinfo?uniqueid=x", &reply);
    long game = reply_number(&reply, "currentgame");
    reply_element(&reply, "state", state, sizeof state);
    assert_string_equal(state, game > 0 ? "SUNSHINE_SERVER_BUSY" : "SUNSHINE_SERVER_FREE");
    return game;
}

static unsigned count_lines(const char *name, const char *text)
{
    char *whole = home_read(&stage.home, name), *rest = whole;
    unsigned count = 0;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"))
        count += strstr(line, text) != NULL;
    hc_free(whole);
    return count;
}

unsigned stage_log_count(const char *text)
{
    return count_lines("sun/sunshine.log", text);
}

unsigned stage_hook_count(const char *text)
{
    return count_lines("sun/hooks", text);
}
