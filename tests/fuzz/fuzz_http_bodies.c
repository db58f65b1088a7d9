/* fuzz_http_bodies.c - every JSON body of the wire: the first byte chooses the table, the rest is what a peer sent. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "write_back.h"
#include "hydra/codec/json.h"
#include "hydra/proto/admit_observed.h"
#include "hydra/proto/body_settings.h"
#include "hydra/proto/body_status.h"
#include "hydra/proto/claim.h"
#include "hydra/proto/experience_put.h"
#include "hydra/proto/head_put.h"
#include "hydra/proto/node_enrol.h"
#include "hydra/proto/node_put.h"
#include "hydra/proto/operator_hand.h"
#include "hydra/proto/venue_put.h"

/* The corpus names tables by their place here ('a' is the first): new ones go to the end. */
static const struct codec_table *const tables[] = {
    &body_status_table, &claim_table, &renew_table, &release_table, &heartbeat_table, &head_assign_table, &stream_stop_table,
    &admit_observed_table, &slots_put_table, &drain_put_table, &experience_put_table, &head_enrol_table, &node_enrol_table, &node_put_table,
    &node_beat_table, &lease_hand_table, &safe_mode_end_table, &venue_put_table, &org_put_table,
};
#define TABLES (sizeof tables / sizeof tables[0])

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const struct codec_table *table = tables[(size_t)(data[0] >= 'a' ? data[0] - 'a' : data[0]) % TABLES];
    struct hc_arena arena = { 0 };
    struct json_refusal refusal = { .field = "", .detail = "" };
    void *object = hc_arena_alloc(&arena, table->size);
    if (object == NULL)
        abort();
    enum hc_err err = json_read(table, (const char *)data + 1, size - 1, true, &arena, object, &refusal);
    if (err == HC_OK)
        write_back(table, object, &arena);
    else if ((err == HC_ERR_SYNTAX || err == HC_ERR_SCHEMA) && refusal.detail[0] == '\0')
        abort();                                        /* a refusal that says nothing */
    hc_arena_free(&arena);
    return 0;
}
