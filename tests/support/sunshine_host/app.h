/* app.h - the one app that runs: prep commands, process, end. Not locked, but where it says so. */
#ifndef APP_H
#define APP_H

#include "host.h"

enum launched { LAUNCHED_OK = 200, LAUNCHED_NO_SUCH = 404, LAUNCHED_FAILED = -1 };

/* The `do` commands one after another, then the app; the values of `request` are what the environment says. Blocks as long as they take. */
enum launched app_launch(struct host *host, const struct request *request);
/* Ends all sessions and the app, then runs the `undo` commands in reverse. False: nothing ran. */
bool app_terminate(struct host *host);
/* What every look at the state does: an app that has exited is noticed, and one look later cleaned up. */
void app_poll(struct host *host);
bool app_is_running(struct host *host);                 /* whatever was noticed so far; locks by itself */
/* locked: after a change of the list nobody knows the app any more: no undo, its process stays, every stream ends */
void app_forget(struct host *host);
void app_tick(struct host *host);                       /* the control thread of a session polls; orphans are reaped */

#endif
