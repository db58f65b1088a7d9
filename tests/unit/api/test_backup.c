/* GET /backup: an archive of both files of one state, which the store itself can read; only for an admin. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "hydra/store/store.h"

#define BLOCK 512

/* The bytes of the archive's file of this name, NUL-terminated; for free(). The layout is written down here a second time. */
static char *file_of(const struct reply *reply, const char *name, size_t *ret_len)
{
    size_t at = 0;
    while (at + BLOCK <= reply->body_len && reply->body[at] != '\0') {
        const char *head = reply->body + at;
        char digits[13] = "";
        memcpy(digits, head + 124, 12);
        assert_memory_equal(head + 257, "ustar\0" "00", 8);
        size_t len = strtoul(digits, NULL, 8);
        assert_true(at + BLOCK + len <= reply->body_len);
        if (strcmp(head, name) == 0) {
            char *text = calloc(1, len + 1);
            assert_non_null(text);
            memcpy(text, head + BLOCK, len);
            *ret_len = len;
            return text;
        }
        at += BLOCK + (len + BLOCK - 1) / BLOCK * BLOCK;
    }
    fail_msg("the archive has no %s", name);
    return NULL;
}

static void test_backup__an_enrolled_body__both_files_are_whole_and_hold_them(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    size_t len = 0;
    rig_body(r, "b1", "north", id, token);
    rig_report(r, id);
    rig_ask(r, "GET", "/api/v1/backup", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_true(reply_has(&reply, "Content-Type: application/x-tar"));
    assert_true(reply_has(&reply, "Cache-Control: no-store"));
    assert_int_equal(reply.body_len % BLOCK, 0);

    struct hc_diag diag = { "" };
    struct alloc *read = NULL;
    hc_time saved_at;
    bool downgrade = true;
    assert_int_equal(alloc_new(&r->core, &read), HC_OK);
    char *nodes = file_of(&reply, "nodes.yaml", &len);
    if (store_parse_nodes("nodes.yaml", nodes, len, read, &downgrade, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    char *allocation = file_of(&reply, "allocation.yaml", &len);
    if (store_parse_allocation("allocation.yaml", allocation, len, read, &saved_at, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    assert_false(downgrade);
    assert_non_null(alloc_node(read, id));
    assert_non_null(alloc_get(read, REC_BODY, id));
    assert_null(strstr(nodes, token));              /* hashes only */
    free(nodes);
    free(allocation);
    alloc_free(read);
    reply_free(&reply);
}

static void test_backup__store_is_down__still_what_was_committed(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    size_t len = 0;
    rig_body(r, "b1", "north", id, token);
    rig_store_fails(r, true);
    rig_ask(r, "GET", "/api/v1/backup", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    char *nodes = file_of(&reply, "nodes.yaml", &len);
    assert_non_null(strstr(nodes, id));
    free(nodes);
    reply_free(&reply);
}

static void test_backup__not_an_admin__refused(void **state)
{
    struct rig *r = *state;
    char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_body(r, "b1", "north", id, token);
    rig_expect(r, "GET", "/api/v1/backup", NULL, NULL, 401, "unauthorized", "");
    rig_expect(r, "GET", "/api/v1/backup", RIG_READ, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", "/api/v1/backup", RIG_FLEET, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", "/api/v1/backup", token, NULL, 403, "forbidden", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_backup__an_enrolled_body__both_files_are_whole_and_hold_them),
        RIG_TEST(test_backup__store_is_down__still_what_was_committed),
        RIG_TEST(test_backup__not_an_admin__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
