/* fuzz_allocation_yaml.c - allocation.yaml as the daemon reads it at start and from a foreign hand: refused with a place, or understood so
 * well that writing it and reading it again changes nothing. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "hydra/store/store.h"

static void format(const struct alloc *alloc, hc_time saved_at, struct hc_buf *out)
{
    if (store_format_allocation(alloc, alloc->generation, saved_at, out) != HC_OK)
        abort();
}

static void round_trip(const struct alloc *alloc, hc_time saved_at)
{
    struct alloc *again;
    struct hc_buf first = { 0 }, second = { 0 };
    struct hc_diag diag = { "" };
    hc_time saved_again;
    format(alloc, saved_at, &first);
    if (alloc_new(NULL, &again) != HC_OK ||
        store_parse_allocation("again.yaml", first.data, first.len, again, &saved_again, &diag) != HC_OK)
        abort();
    format(again, saved_again, &second);
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
    hc_time saved_at = HC_TIME_NEVER;
    if (alloc_new(NULL, &alloc) != HC_OK)
        abort();
    enum hc_err err = store_parse_allocation("allocation.yaml", (const char *)data, size, alloc, &saved_at, &diag);
    if (err == HC_OK)
        round_trip(alloc, saved_at);
    else if (strstr(diag.text, "allocation.yaml") == NULL)
        abort();                                        /* a refusal that names no file */
    alloc_free(alloc);
    return 0;
}
