/* session.h - who asks, and whether the route lets them in; call.c answers by it. */
#ifndef API_SESSION_H
#define API_SESSION_H

#include "call.h"

enum auth_verdict session_judge(const struct call *call, bool from_loopback, struct principal *ret_who);

#endif
