/* grant_facts.c - what spoke for this slot when it was given, in words that stay with the lease and its history line: the facts of the
 * ranking (§6.3.7) that held, and how long its head had waited. */
#include <inttypes.h>
#include <stdio.h>

#include "core.h"

#define FACT_WORD_SIZE 32

static void add(char out[HC_NAME_SIZE], const char *word)
{
    char before[HC_NAME_SIZE];
    HC_SET(before, out);
    int len = snprintf(out, HC_NAME_SIZE, "%s%s%s", before, before[0] == '\0' ? "" : " ", word);
    if (len >= HC_NAME_SIZE)
        hc_copy(out, HC_NAME_SIZE, before);          /* a word too many is left out whole */
}

void grant_facts_of(const struct step *s, const struct grant *grant, const struct slot *slot, char out[HC_NAME_SIZE])
{
    const struct node_rec *body = alloc_node(s->live, grant->body_id), *head = alloc_node(s->live, grant->head_id);
    const struct ticket_rec *ticket = alloc_ticket(s->live, grant->head_id);
    out[0] = '\0';
    if (grant->promoted)
        add(out, "first_in_line");
    if (slot->promise_ticket_id[0] != '\0')
        add(out, "promised");
    if (grant->preferred)
        add(out, "preferred");
    if (head != NULL && hc_same(head->head_body_id, grant->body_id))
        add(out, "assigned");
    if (head != NULL && body != NULL && head->machine_id[0] != '\0' && hc_same(head->machine_id, body->machine_id))
        add(out, "same_machine");
    add(out, head != NULL && body != NULL && hc_same(head->venue, body->venue) ? "same_venue" : "other_venue");
    if (ticket == NULL)
        return;
    char waited[FACT_WORD_SIZE];
    (void)snprintf(waited, sizeof waited, "waited_ms=%" PRId64, hc_time_since(s->now, ticket->created_at));
    add(out, waited);
}
