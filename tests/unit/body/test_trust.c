#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/body/trust.h"

static const struct host_client clients[] = {
    { "U1", "hydra-h1", true }, { "U2", "roth", true }, { "U3", "hydra-h1", true }, { "U4", "hydra-h2", true }, { "U5", "roth", true },
    { "U6", "hydra-h1", true },
};
#define CLIENTS (sizeof clients / sizeof clients[0])

static void expect(const struct trust_facts *facts, const char *joined)
{
    struct hc_arena arena = { 0 };
    const char *const *uuids = NULL;
    size_t count = 0;
    char got[200] = "";
    assert_int_equal(trust_removals(facts, &arena, &uuids, &count), HC_OK);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(got);
        (void)snprintf(got + len, sizeof got - len, "%s ", uuids[i]);
    }
    assert_string_equal(got, joined);
    hc_arena_free(&arena);
}

static void test_trust__named_to_go__goes_and_nobody_else(void **state)
{
    (void)state;
    static const char *const remove[] = { "U4", "GONE" };
    const struct trust trust = { .remove = { (void *)(uintptr_t)remove, 2 } };
    const struct host_client two[] = { clients[1], clients[3] };
    const struct trust_facts facts = { .clients = two, .client_count = 2, .known = true, .trust = &trust };
    expect(&facts, "U4 ");
}

static void test_trust__doubles_of_one_head__newest_and_wanted_stay(void **state)
{
    (void)state;
    const struct trusted_client predecessor = { "U3", "hydra-h1" };
    const struct trust none = { 0 }, overlap = { .desired_clients = { (void *)(uintptr_t)&predecessor, 1 } };
    struct trust_facts facts = { .clients = clients, .client_count = CLIENTS, .known = true, .trust = &none };
    expect(&facts, "U1 U3 ");               /* two named roth are two devices */
    facts.trust = &overlap;
    expect(&facts, "U1 ");
}

static void test_trust__in_use__stays_whatever_is_said(void **state)
{
    (void)state;
    static const char *const remove[] = { "U1", "U4" }, *const in_use[] = { "U1" };
    const struct trust trust = { .remove = { (void *)(uintptr_t)remove, 2 } };
    const struct trust_facts facts = { .clients = clients, .client_count = CLIENTS, .known = true, .trust = &trust, .in_use = in_use,
                                       .in_use_count = 1 };
    expect(&facts, "U3 U4 ");
}

static void test_trust__list_unknown_or_nothing_told__nothing_goes(void **state)
{
    (void)state;
    static const char *const remove[] = { "U4" };
    const struct trust trust = { .remove = { (void *)(uintptr_t)remove, 1 } };
    struct trust_facts facts = { .clients = clients, .client_count = CLIENTS, .known = false, .trust = &trust };
    expect(&facts, "");
    facts = (struct trust_facts){ .clients = clients, .client_count = CLIENTS, .known = true };
    expect(&facts, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trust__named_to_go__goes_and_nobody_else),
        cmocka_unit_test(test_trust__doubles_of_one_head__newest_and_wanted_stay),
        cmocka_unit_test(test_trust__in_use__stays_whatever_is_said),
        cmocka_unit_test(test_trust__list_unknown_or_nothing_told__nothing_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
