/* site_picture.h - a picture that must go on while something else dies: the host's own number of its session, and its lease. */
#ifndef SITE_PICTURE_H
#define SITE_PICTURE_H

#include "site.h"

struct site_picture { size_t body, head; unsigned session; char lease_id[HC_ID_SIZE]; };

/* Of a head that views that body now; the site is watched. The daemon answers. */
struct site_picture site_picture_of(struct site *site, size_t body, size_t head);
/* Fails the test unless it is the same session of the same head. */
void site_picture_check(struct site *site, const struct site_picture *picture);
/* Until the body's agent that runs now has told the cluster of it, under the same lease; fails the test when it does not. */
void site_picture_told(struct site *site, const struct site_picture *picture);

#endif
