/* call.h - the parts of one call, for the pairing step that must do something else while its answer is held. */
#ifndef GAMESTREAM_CALL_H
#define GAMESTREAM_CALL_H

#include <limits.h>

#include <curl/curl.h>

#include "hydra/gamestream/host.h"

#define GS_STATUS_NONE LONG_MIN

struct gs_exchange { CURL *easy; struct hc_buf url, body; bool too_large; char error[CURL_ERROR_SIZE]; };
/* Close it in every case. */
HC_MUST enum hc_err gs_exchange_open(struct gs_exchange *x, const struct gs_host *host, const struct gs_client *client,
                                     const struct gs_request *request, struct hc_diag *diag);
HC_MUST enum hc_err gs_exchange_finish(struct gs_exchange *x, CURLcode code, struct gs_answer *answer, struct hc_diag *diag);
void gs_exchange_close(struct gs_exchange *x);
/* "uniqueid=U&uuid=R": what every request begins with; R is new for each, against caches. */
void gs_query_begin(const struct gs_client *client, struct hc_buf *query);
void gs_query_hex(struct hc_buf *query, const char *key, const void *bytes, size_t len);       /* "&key=HEX" */

#endif
