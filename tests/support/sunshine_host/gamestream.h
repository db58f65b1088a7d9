/* gamestream.h - the two GameStream ports. */
#ifndef GAMESTREAM_H
#define GAMESTREAM_H

#include "host.h"

extern const struct server_ops gamestream_http_ops, gamestream_https_ops, gamestream_https_old_ops;
extern const char portal_page[];        /* what a captive portal says to anything */

#endif
