/* fuzz_body_json.c - what hydrabody is told: the first letter chooses who speaks. `a`: the hook, on the local API; `b`: the cluster's
 * directive, and launches under it are judged at once; `c`: a stop on the local API. Refused with a field, or written as JSON again; nobody
 * is refused with `observe`, nor by a directive that does not speak of the slot, but for a second launch. */
#include <stdlib.h>
#include <string.h>

#include "../../src/body/admit.h"
#include "../../src/body/stream_edge.h"
#include "../../src/body/slot_stop.h"
#include "fuzz_target.h"
#include "write_back.h"
#include "hydra/codec/json.h"

#define FRESH_MS 90000

static void judge(const struct launch *launch, const struct admit_facts *facts)
{
    struct admission made = admit_launch(launch, facts);
    const struct desired_slot *slot = desired_slot_of(facts->desired, launch->slot);
    bool observe = facts->desired->enforce == DIRECTIVE_OBSERVE, unspoken = slot == NULL && made.why != REFUSE_SECOND_LAUNCH;
    if (made.verdict == REFUSE && (observe || unspoken || !admit_is_refusal(made.why)))
        abort();
    (void)admit_why_word(made.why);
    if (made.verdict != ASK_CLUSTER)
        return;
    static const long answers[] = { 0, 201, 409, 500 };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct admission after = admit_after_answer(&made, answers[i], facts->desired->enforce == DIRECTIVE_ENFORCE);
        if (after.verdict == ASK_CLUSTER || (after.verdict == REFUSE && (observe || answers[i] != 409)))
            abort();                                    /* refused without the cluster's word for it */
    }
}

/* Each entry of each slot, and a name of nobody's, launched under the directive. */
static void launch_all(const struct desired *desired)
{
    for (uint32_t slot = 0; slot < DIRECTIVE_SLOTS_MAX; slot++) {
        const struct desired_slot *told = desired_slot_of(desired, slot);
        size_t count = told == NULL ? 0 : told->app_entries.count;
        for (size_t i = 0; i <= count; i++) {
            const char *app = i < count ? ((const char *const *)told->app_entries.items)[i] : "nobodys";
            const struct launch launch = { .slot = slot, .launch_id = "l", .app = app, .client_uuid = "", .client_name = "" };
            struct admit_facts facts = { .desired = desired, .directive_age_ms = desired->issued_ago_ms, .directive_fresh_ms = FRESH_MS,
                                         .host = HOST_STATE_FREE };
            judge(&launch, &facts);
            facts.host = HOST_STATE_BUSY;
            facts.session_open = true;
            judge(&launch, &facts);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The corpus names tables by their place here ('a' is the first): new ones go to the end. */
    static const struct codec_table *const tables[] = { &stream_edge_table, &directive_answer_table, &slot_stop_table };
    if (size == 0)
        return 0;
    const struct codec_table *table = tables[(size_t)(data[0] >= 'a' ? data[0] - 'a' : data[0]) % (sizeof tables / sizeof tables[0])];
    struct hc_arena arena = { 0 };
    struct json_refusal refusal = { .field = "", .detail = "" };
    void *object = hc_arena_alloc(&arena, table->size);
    if (object == NULL)
        abort();
    enum hc_err err = json_read(table, (const char *)data + 1, size - 1, false, &arena, object, &refusal);
    if (err == HC_OK)
        write_back(table, object, &arena);
    else if ((err == HC_ERR_SYNTAX || err == HC_ERR_SCHEMA) && refusal.detail[0] == '\0')
        abort();                                        /* a refusal that says nothing */
    if (err == HC_OK && table == &directive_answer_table)
        launch_all(&((const struct directive_answer *)object)->desired);
    hc_arena_free(&arena);
    return 0;
}
