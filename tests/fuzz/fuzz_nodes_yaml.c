/* fuzz_nodes_yaml.c - nodes.yaml, an older binary's (read leniently) too: refused with a place, or written and read again unchanged. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "hydra/store/store.h"

#define GENERATION 7

static void round_trip(const struct alloc *alloc)
{
    struct alloc *again;
    struct hc_buf first = { 0 }, second = { 0 };
    struct hc_diag diag = { "" };
    bool downgrade = true;
    if (store_format_nodes(alloc, GENERATION, &first) != HC_OK || alloc_new(NULL, &again) != HC_OK ||
        store_parse_nodes("again.yaml", first.data, first.len, again, &downgrade, &diag) != HC_OK || downgrade ||
        store_format_nodes(again, GENERATION, &second) != HC_OK)
        abort();
    if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
        abort();
    hc_buf_free(&first);
    hc_buf_free(&second);
    alloc_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct alloc *alloc;
    struct hc_diag diag = { "" };
    bool downgrade = false;
    if (alloc_new(NULL, &alloc) != HC_OK)
        abort();
    enum hc_err err = store_parse_nodes("nodes.yaml", (const char *)data, size, alloc, &downgrade, &diag);
    if (err == HC_OK)
        round_trip(alloc);
    else if (strstr(diag.text, "nodes.yaml") == NULL)
        abort();                                        /* a refusal that names no file */
    alloc_free(alloc);
    return 0;
}
