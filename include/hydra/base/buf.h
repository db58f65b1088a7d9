/* buf.h - a growing text. A failed append sets `failed`, later appends do nothing: check once, at the end. */
#ifndef HYDRA_BASE_BUF_H
#define HYDRA_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/err.h"

struct hc_buf { char *data; size_t len, size; bool failed; };   /* data is NUL-terminated once anything was appended */

void hc_buf_add(struct hc_buf *buf, const char *bytes, size_t len);
void hc_buf_str(struct hc_buf *buf, const char *text);
void hc_buf_char(struct hc_buf *buf, char c);
void hc_buf_i64(struct hc_buf *buf, int64_t value);             /* decimal; no printf on the hot path */
void hc_buf_u64(struct hc_buf *buf, uint64_t value);
void hc_buf_printf(struct hc_buf *buf, const char *format, ...) HC_PRINTF(2, 3);
/* A JSON string with its quotes; NULL writes null. The text is valid UTF-8 (inputs were checked at the edge). */
void hc_buf_json_str(struct hc_buf *buf, const char *text);
void hc_buf_clear(struct hc_buf *buf);                          /* keeps the memory */
void hc_buf_free(struct hc_buf *buf);
void hc_buf_freep(struct hc_buf *buf);                          /* for HC_CLEANUP */

#endif
