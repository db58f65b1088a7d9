/* host.h - the state of the test host: one struct, one mutex.
 *
 * Functions that say "locked" are called with host->mutex held. It is never held while a child runs or a socket waits; launching and
 * ending an app are one at a time by app_mutex, which is taken before it. */
#ifndef HOST_H
#define HOST_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "certificate.h"
#include "handshake.h"
#include "server.h"
#include "version.h"

#define HOST_PATH_SIZE    512u
#define HOST_NAME_SIZE    128u
#define HOST_UUID_SIZE    37u
#define HOST_CLIENTS_MAX  1024u
#define HOST_PENDING_MAX  64u
#define HOST_SESSIONS_MAX 64u
#define HOST_APPS_MAX     256u
#define HOST_PREPS_MAX    32u
#define HOST_ENV_MAX      512u
#define HOST_ORPHANS_MAX  64u
#define HOST_COUNTS_MAX   128u

/* What a test breaks, by `fault WORD VALUE` on the control socket. 0 is off. */
#define FAULT_LIST(X)                                                                                                          \
    X(TRUNCATE,            "truncate")              /* GameStream XML ends in the middle */                                    \
    X(EMPTY,               "empty")                 /* the XML declaration and no root */                                      \
    X(PORTAL,              "portal")                /* an HTML page on every port, TLS with a foreign certificate */           \
    X(FOREIGN_CERTIFICATE, "foreign-certificate")   /* somebody's TLS in front of both TLS ports, answers passed on */         \
    X(SLOW,                "slow")                  /* milliseconds before each answer of the two GameStream ports */          \
    X(SLOW_WEB,            "slow-web")              /* the same for the web API */                                             \
    X(LIST_HTML,           "list-html")             /* /api/clients/list is an HTML page */                                    \
    X(BLOCK,               "block")                 /* 47984 as when another client does not close */                          \
    X(RESET,               "reset")                 /* the refusal of an unknown certificate is lost to a reset */             \
    X(HOOK_HANGS,          "hook-hangs")            /* no `do` command comes back */                                           \
    X(NOBODY_LOGGED_ON,    "nobody-logged-on")      /* `do` commands lack permission (a Windows service) */                    \
    X(NO_DISPLAY,          "no-display")            /* launch and resume: no encoder (503) */                                  \
    X(NEEDS_ENCRYPTION,    "needs-encryption")      /* launch and resume without corever are refused (403) */                  \
    X(PIN_OLDEST,          "pin-oldest")            /* the PIN goes to the oldest pending handshake, not the newest */         \
    X(STATE_UNWRITABLE,    "state-unwritable")      /* the state file cannot be written: what is paired is forgotten */

#define X(id, word) FAULT_##id,
enum fault { FAULT_LIST(X) FAULT_COUNT };
#undef X

enum pair_phase { PAIR_NONE, PAIR_SERVER_CERT, PAIR_CLIENT_CHALLENGE, PAIR_SERVER_CHALLENGE_RESPONSE };

struct client { char name[HOST_NAME_SIZE], uuid[HOST_UUID_SIZE]; char *pem; X509 *cert; bool enabled; };

struct pending {
    bool used;
    uint64_t order;                                     /* the newest has the highest */
    char uniqueid[HOST_NAME_SIZE], name[HOST_NAME_SIZE];
    char *pem, *salt;
    uint64_t held;                                      /* the connection that waits for its PIN; 0: none */
    struct server *held_by;
    enum pair_phase phase;
    uint8_t key[HS_KEY_LEN], server_secret[HS_BLOCK_LEN], server_challenge[HS_BLOCK_LEN], client_hash[HS_HASH_LEN];
};

struct prep { char *start, *undo; };

struct running {
    long id;                                            /* 0: no app */
    char *name, *command, *folder;
    struct prep preps[HOST_PREPS_MAX];
    size_t prep_count, preps_done;
    char *env[HOST_ENV_MAX];
    size_t env_count;
    pid_t pid;                                          /* 0: an app without process */
    bool auto_detach, exit_seen;
    int exit_code;
    int64_t exit_timeout_ms, started_ms;
};

struct session {
    unsigned number;                                    /* 0: a free row */
    char *pem;
    char address[REQUEST_ADDRESS_SIZE];
    int64_t since_ms;
    int fd;                                             /* its connection to the stream port; -1: opened by the control socket */
};

struct handover { bool armed; char *pem; char address[REQUEST_ADDRESS_SIZE]; int64_t until_ms; };
struct count { char what[REQUEST_PATH_SIZE]; unsigned times; };

struct host {
    const struct version *version;
    char dir[HOST_PATH_SIZE], credentials_path[HOST_PATH_SIZE], name[HOST_NAME_SIZE];
    uint16_t http_port, https_port, web_port, rtsp_port;
    bool debug;
    struct server *http, *https, *web;
    atomic_long faults[FAULT_COUNT];
    atomic_bool stop, restart;

    pthread_mutex_t app_mutex;                          /* launch and terminate */
    pthread_mutex_t mutex;                              /* all below */
    struct certificate own, foreign;
    SSL_CTX *https_ctx, *web_ctx, *foreign_ctx;         /* the foreign one is made when it is first needed */
    char uniqueid[HOST_UUID_SIZE];
    char username[HOST_NAME_SIZE], salt[HOST_NAME_SIZE], password[HOST_NAME_SIZE];      /* username "": no credentials */
    char csrf_token[65];
    int64_t csrf_until_ms;
    struct client clients[HOST_CLIENTS_MAX];
    size_t client_count;
    struct pending pending[HOST_PENDING_MAX];
    uint64_t pending_order;
    char *last_verified;                                /* PEM of the certificate that 47984 verified last */
    json_t *apps;                                       /* what was parsed last: {"apps": [], "env": {}}, expanded */
    json_t *global_preps;                               /* of sunshine.conf, as it was at the start */
    struct running running;
    int64_t minus_one_until_ms;                         /* currentgame is -1 until then */
    pid_t orphans[HOST_ORPHANS_MAX];                    /* children that nobody manages any more */
    struct session sessions[HOST_SESSIONS_MAX];
    unsigned session_numbers;
    struct handover handover;
    int64_t hang_until_ms;                              /* a session without an app hangs; then the process aborts */
    struct count counts[HOST_COUNTS_MAX];
    size_t count_count;
};

void host_lock(struct host *host);
void host_unlock(struct host *host);
long host_fault(struct host *host, enum fault fault);
void host_path(const struct host *host, const char *name, char out[HOST_PATH_SIZE]);        /* DIR/NAME */
void host_count(struct host *host, const char *port, const char *method, const char *path); /* not locked; one more of that request */
void host_uuid(char out[HOST_UUID_SIZE]);                                                   /* random, upper case */
char *host_copy(const char *text);                      /* hc_free() it; aborts without memory: this is a test's program */
/* Reads DIR (state, apps, certificates), makes what is missing. False: a line on stderr says why. */
bool host_open(struct host *host, const char *username, const char *password);
void host_close(struct host *host);
/* What the next TLS connection shows, with a reference of its own. `asks`: 47984, which wants a client certificate. Not locked. */
SSL_CTX *host_context(struct host *host, bool asks);
bool host_rotate(struct host *host);                    /* locked: a new key pair, saved, shown from now on */

#endif
