/* queue.h - tickets, for the files that answer heads. */
#ifndef CORE_QUEUE_H
#define CORE_QUEUE_H

#include "core.h"

#define TICKET_POLL_MS 5000        /* how often a waiting head should ask */

/* As ticket_put(), for a caller who has just seen that nothing is free: the district is not walked again. *ret_new: it had none for
 * this stream. */
HC_MUST enum hc_err ticket_enter(struct step *s, const char *head_id, const char *stream_id, const struct ticket_rec *facts,
                                 enum wait_why why, bool *ret_new);
/* May one more ticket be made in this district (§7.10)? A head that has one needs no new one. */
bool queue_has_room(const struct core_view *v, const char *district, const char *head_id);
/* A present visitor has said so: the ten minutes start again (§7.4). */
HC_MUST enum hc_err ticket_confirm(struct step *s, const char *head_id);
void ticket_id_of(const char *stream_id, char out[HC_ID_SIZE]);      /* a stream has one ticket id all its life */

#endif
