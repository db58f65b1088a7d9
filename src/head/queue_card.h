/* queue_card.h - `GET /`: the page that a visitor sees while waiting: place, estimate, message, Cancel. It needs nothing from elsewhere. */
#ifndef HEAD_QUEUE_CARD_H
#define HEAD_QUEUE_CARD_H

#include "hydra/base/buf.h"

#define QUEUE_CARD_NONCE_SIZE 33        /* 32 hex digits and the NUL: new for each page */

/* Only the script and the style that carry the nonce run. */
void queue_card_html(const char *nonce, struct hc_buf *out);
void queue_card_policy(const char *nonce, struct hc_buf *out);      /* of the header Content-Security-Policy */

#endif
