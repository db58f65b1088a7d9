/* stage.h - what each test of the test host stands on: one host of one release, and three clients that were made once. */
#ifndef STAGE_H
#define STAGE_H

#include "peer.h"
#include "sanitizer.h"

struct stage {
    struct home home;
    struct sunshine host;
    struct peer one, two, stranger;         /* stranger is paired by no one */
    struct certificate own;                 /* of all hosts here: keys take long to make */
};
extern struct stage stage;

#define STAGE_VERSIONS(X) X("v0.23.1") X("v2025.118") X("v2025.628") X("v2025.924") X("v2026.516") X("v2026.816")
/* STAGE_ENDS: for what no release changed, the oldest and the newest. Under a sanitizer, which sees nothing more in between, each test
 * runs in one of them. */
#if UNDER_SANITIZER
#define STAGE_TESTED(X) X("v0.23.1")
#define STAGE_ENDS(X) X("v2026.816")
#else
#define STAGE_TESTED(X) STAGE_VERSIONS(X)
#define STAGE_ENDS(X) X("v0.23.1") X("v2026.816")
#endif
#define STAGE_USER "admin"
#define STAGE_PASSWORD "sesame"
#define STAGE_LAUNCH "&rikey=000102030405060708090a0b0c0d0e0f&rikeyid=1&localAudioPlayMode=0"

bool stage_since(const char *version);      /* is this test's release that one, or a later one? */
/* The third test argument of a row is the release. set_up starts a host with the two apps of stage_apps(). */
int stage_open(void **state);               /* for the group: the clients */
int stage_close(void **state);
int stage_set_up(void **state);
int stage_set_up_paired(void **state);      /* the same, and clients one and two are stored as "one" and "two" */
int stage_tear_down(void **state);
void stage_store(const struct peer *peer, const char *name);                /* as though it had paired */
/* apps.json: "Map" (do and undo leave a line each in DIR/hooks, then /bin/sleep), "Broken" (its second `do` fails), "Desktop", "Short"
 * (exits at once, no auto-detach). hc_free() it. */
char *stage_apps(const char *folder);
long stage_app(const char *name);           /* its id, by /applist of client one, who must be paired */
void stage_launch(const struct peer *peer, const char *app, struct reply *reply);
long stage_game(void);                      /* currentgame over HTTP */
unsigned stage_log_count(const char *text); /* lines of sunshine.log that hold it */
unsigned stage_hook_count(const char *text);

#define STAGE_ROW(function, word) { #function " " word, function, stage_set_up, stage_tear_down, (void *)(uintptr_t)word }

#endif
