/* test_golden.c - the shipped example is loaded, and what we write of it is what tests/golden says. HYDRA_GOLDEN_UPDATE=1 writes the golden
 * files anew; review sees the difference. Run at the top of the tree. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "hydra/base/arena.h"
#include "hydra/store/store.h"
#include "states.h"

static char *read_whole(const char *path)
{
    struct folder here = { .fd = AT_FDCWD };
    char *text = folder_get(&here, path);
    if (text == NULL)
        fail_msg("%s is missing: run this at the top of the tree", path);
    return text;
}

static void compare_golden(const char *path, const struct hc_buf *text)
{
    struct folder here = { .fd = AT_FDCWD };
    const char *update = getenv("HYDRA_GOLDEN_UPDATE");
    if (update != NULL && strcmp(update, "1") == 0)
        folder_put(&here, path, text->data);
    char *golden = read_whole(path);
    assert_string_equal(text->data, golden);
    free(golden);
}

static void test_example__allocation__loads_and_is_written_as_the_golden_file(void **state)
{
    (void)state;
    struct alloc *alloc, *back;
    struct hc_diag diag = { "" };
    hc_time saved_at = HC_TIME_NEVER;
    char *example = read_whole("allocation.example.yaml");
    assert_int_equal(alloc_new(NULL, &alloc), HC_OK);
    assert_int_equal(alloc_new(NULL, &back), HC_OK);
    if (store_parse_allocation("allocation.example.yaml", example, strlen(example), alloc, &saved_at, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(alloc->generation, 42);
    assert_int_equal(alloc_count(alloc, REC_BODY), 2);
    const struct lease *lease = slot_live_lease(&alloc_body(alloc, "body-1")->slots[0]);
    assert_int_equal(lease->state, LEASE_STREAMING);
    assert_int_equal(lease->grant_epoch, 57);
    assert_int_equal(alloc_body(alloc, "body-2")->home_venue_reserve, 1);
    assert_int_equal(alloc_ticket(alloc, "node-0badcafe")->eta_ms, 12 * HC_MINUTE_MS);
    struct hc_buf text = { 0 };
    assert_int_equal(store_format_allocation(alloc, 42, saved_at, &text), HC_OK);
    compare_golden("tests/golden/allocation.yaml", &text);
    if (store_parse_allocation("tests/golden/allocation.yaml", text.data, text.len, back, &saved_at, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    assert_null(states_differ(alloc, back, true, true));
    hc_buf_free(&text);
    free(example);
    alloc_free(alloc);
    alloc_free(back);
}

static void test_golden__nodes__loads_and_is_written_the_same(void **state)
{
    (void)state;
    struct alloc *alloc;
    struct hc_diag diag = { "" };
    bool downgrade = true;
    char *golden = read_whole("tests/golden/nodes.yaml");
    assert_int_equal(alloc_new(NULL, &alloc), HC_OK);
    if (store_parse_nodes("tests/golden/nodes.yaml", golden, strlen(golden), alloc, &downgrade, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    assert_false(downgrade);
    const struct node_rec *node = alloc_node(alloc, "node-1a2b3c4d");
    assert_int_equal(node->roles, ROLE_HEAD);
    assert_string_equal(node->wireguard_config->bytes, "[Interface]\nAddress = 10.8.0.7/24\n");
    assert_int_equal(alloc_venue(alloc, "North Quay")->accept_mode, ACCEPT_CONFIRM);
    assert_null(alloc_experience(alloc, "rupelmonde")->venues);
    assert_int_equal(alloc_experience(alloc, "Nowhere yet")->venues->count, 0);
    struct hc_buf text = { 0 };
    assert_int_equal(store_format_nodes(alloc, 7, &text), HC_OK);
    compare_golden("tests/golden/nodes.yaml", &text);
    hc_buf_free(&text);
    free(golden);
    alloc_free(alloc);
}

/* The example is the reference of the file's keys: each that we write is in it. Keys of records (ids, names) stand at two spaces. */
static void check_key(const char *line, const char *example)
{
    char key[64];
    size_t indent = strspn(line, " "), dash = line[indent] == '-' ? 2 : 0, len = strcspn(line + indent + dash, ":");
    if ((indent == 2 && dash == 0) || line[0] == '#' || line[indent + dash] == '{' || len >= sizeof key - 2)
        return;
    (void)snprintf(key, sizeof key, "%.*s:", (int)len, line + indent + dash);
    if (strstr(example, key) == NULL)
        fail_msg("the example lacks the key %s", key);
}

static void test_example__keys__has_every_key_that_we_write(void **state)
{
    (void)state;
    char *example = read_whole("allocation.example.yaml");
    struct alloc *alloc = random_state(3, 12);
    while (alloc_count(alloc, REC_CAP) > 0)             /* their keys are names alone */
        assert_int_equal(alloc_put(alloc, REC_CAP, alloc_at(alloc, REC_CAP, 0)->key, NULL), HC_OK);
    for (size_t i = 0; i < alloc_count(alloc, REC_BODY); i++) {         /* so are those of trust stores: uuids */
        struct body_rec *body = (struct body_rec *)alloc_at(alloc, REC_BODY, i);
        paired_unref(body->paired);
        body->paired = NULL;
    }
    for (size_t i = 0; i < alloc_count(alloc, REC_IDENTITY); i++) {
        struct identity_rec *identity = (struct identity_rec *)alloc_at(alloc, REC_IDENTITY, i);
        paired_unref(identity->lost);
        identity->lost = NULL;
    }
    struct hc_buf text = { 0 };
    assert_int_equal(store_format_allocation(alloc, 1, (hc_time){ 1757000000000 }, &text), HC_OK);
    unsigned lines = 0;
    char *rest = text.data;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"), lines++)
        check_key(line, example);
    assert_true(lines > 1000);
    hc_buf_free(&text);
    alloc_free(alloc);
    free(example);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example__allocation__loads_and_is_written_as_the_golden_file),
        cmocka_unit_test(test_golden__nodes__loads_and_is_written_the_same),
        cmocka_unit_test(test_example__keys__has_every_key_that_we_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
