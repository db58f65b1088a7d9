/* service_manager.h - the test as the service manager of a program: hears what it tells the socket of NOTIFY_SOCKET.
 *
 *     HC_CLEANUP(service_manager_close) struct service_manager manager;
 *     service_manager_open(&manager, &home);
 *     daemon_start(&daemon, &home, NULL);
 *     service_manager_hears_life(&manager);
 *
 * Like all of tests/support it fails the running test by itself. */
#ifndef SERVICE_MANAGER_H
#define SERVICE_MANAGER_H

#include "home.h"

struct service_manager { int fd; };
/* Programs that are started from now on are its own: it stands in the environment, with a watchdog of 300 ms. */
void service_manager_open(struct service_manager *manager, const struct home *home);
void service_manager_hears(struct service_manager *manager, const char *word);
/* READY=1 and then three times WATCHDOG=1; programs that are started after that are not its own any more. */
void service_manager_hears_life(struct service_manager *manager);
void service_manager_close(struct service_manager *manager);

#endif
