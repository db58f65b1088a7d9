/* query.c - the pieces of a request's query. */
#include "call.h"

#include "hydra/os/random.h"

void gs_query_hex(struct hc_buf *query, const char *key, const void *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    hc_buf_char(query, '&');
    hc_buf_str(query, key);
    hc_buf_char(query, '=');
    for (size_t i = 0; i < len; i++) {
        hc_buf_char(query, digits[from[i] >> 4]);
        hc_buf_char(query, digits[from[i] & 15]);
    }
}

void gs_query_begin(const struct gs_client *client, struct hc_buf *query)
{
    unsigned char once[16];
    os_random(once, sizeof once);
    hc_buf_str(query, "uniqueid=");
    hc_buf_str(query, client->unique_id);
    gs_query_hex(query, "uuid", once, sizeof once);
}
