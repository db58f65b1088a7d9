/* control.h - how a test steers the host: lines on the Unix socket DIR/control, one answer line each, `ok …` or `error …`.
 *
 *     connect                     the pending launch or resume becomes a session       ok SESSION
 *     open CLIENT                 a session of that client (name or uuid) on the running app, as by /resume       ok SESSION
 *     close SESSION | all         the client says goodbye; the app stays
 *     timeout SESSION             the client is not heard any more
 *     app-exit                    the app's process ends by itself
 *     pair NAME FILE              the certificate in FILE is stored as NAME, as though it had paired       ok UUID
 *     fault WORD VALUE            host.h has the words; 0 is off
 *     rotate                      a new host key pair       ok FINGERPRINT
 *     fingerprint                 SHA-256 of the host certificate's DER       ok FINGERPRINT
 *     lose-credentials            the web API answers 307 from now on
 *     break-state                 the state file is cut in half; noticed at the next start
 *     requests PORT METHOD PATH   how often it was asked; PORT is http, https or web; `https refused /`: unknown certificates       ok N
 *     status                      ok {"app":ID,"app_name":…,"pid":N,"clients":N,"pending":N,"handover":…,"sessions":[{"number":N,
 *                                 "client":NAME}]}
 *     kill                        dies at once, without undo and without an answer */
#ifndef CONTROL_H
#define CONTROL_H

#include "host.h"

int control_listen(const struct host *host);            /* -1: a line on stderr says why */
/* Serves one connection if there is one within the time. Called again and again by the main thread. */
void control_serve(struct host *host, int listen_fd, int at_most_ms);

#endif
