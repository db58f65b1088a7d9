/* watch.h - a thread that asks every host of a test all the time what runs on it and who views it, whatever the test does meanwhile.
 *
 *     watch_start(&watch, hosts, 2);
 *     ...
 *     watch_check(&watch);                 (fails the test when two clients were on one host at any time since the start)
 *     watch_stop(&watch);                  (in the teardown too)
 *
 * The host itself says it (tests/support/sunshine_host, `status`), so nothing of what is tested is believed. */
#ifndef WATCH_H
#define WATCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "sunshine.h"

#define WATCH_HOSTS_MAX 12
#define WATCH_NAME_SIZE 192

/* One host as it was seen last. */
struct watched {
    char control[HOME_PATH_SIZE];
    bool answers;
    size_t sessions, clients;               /* clients: entries of its list */
    unsigned session;                       /* the number of its session; 0: none */
    char client[WATCH_NAME_SIZE];           /* who views it; "" nobody */
    char app[WATCH_NAME_SIZE];              /* what runs; "" nothing */
    int64_t app_since_ms;                   /* os_monotonic_ms(): when it was first seen to run */
    size_t clients_most;                    /* the longest its list has been */
    size_t apps_seen;                       /* how many launches */
};
struct watch {
    pthread_t thread;
    pthread_mutex_t mutex;                  /* guards hosts and broken */
    atomic_bool runs, stop;
    struct watched hosts[WATCH_HOSTS_MAX]; size_t count;
    char broken[512];                       /* what must never be, "" while it was not */
    atomic_ulong looks;
};

void watch_start(struct watch *watch, const struct sunshine *const *hosts, size_t count);
void watch_stop(struct watch *watch);       /* also of one that was never started */
struct watched watch_look(struct watch *watch, size_t host);
void watch_check(struct watch *watch);

#endif
