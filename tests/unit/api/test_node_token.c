#include "fixture.h"

#include <string.h>

#include "../../../src/api/node_token.h"
#include "hydra/os/random.h"
#include "hydra/crypto/digest.h"

static void test_node_token__made_twice__differs_and_is_stored_as_its_hash(void **state)
{
    (void)state;
    struct node_token first, second;
    char hash[HC_HASH_SIZE];
    node_token_make(os_random, &first);
    node_token_make(os_random, &second);
    assert_int_equal(strlen(first.token), NODE_TOKEN_SIZE - 1);
    assert_int_equal(strspn(first.token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), NODE_TOKEN_SIZE - 1);
    assert_string_not_equal(first.token, second.token);
    crypto_sha256_hex(first.token, strlen(first.token), hash);
    assert_string_equal(first.hash, hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_node_token__made_twice__differs_and_is_stored_as_its_hash) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
