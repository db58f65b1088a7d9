/* request.h - one HTTP request as it came, and the answer to it. */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <openssl/x509.h>

#include "hydra/base/buf.h"

#define REQUEST_MAX     131072u         /* head and body */
#define REQUEST_PARAMS_MAX 48u
#define REQUEST_PATH_SIZE  256u
#define REQUEST_ADDRESS_SIZE 64u

struct server;

struct request {
    char *text;                         /* a copy that the pointers below point into; request_release() */
    const char *method;
    char path[REQUEST_PATH_SIZE];       /* without the query, percent-decoded */
    struct { const char *name, *value; } params[REQUEST_PARAMS_MAX];
    size_t param_count;
    const char *origin, *referer, *content_type, *authorization, *csrf_token;      /* headers; NULL: not sent */
    const char *body;
    size_t body_len;
    char address[REQUEST_ADDRESS_SIZE];
    uint64_t connection;                /* with its server: for an answer that comes later */
    struct server *server;
    bool tls;
    const X509 *peer;                   /* the client's certificate; NULL: none asked */
};

enum answer_kind { ANSWER_SEND, ANSWER_HOLD, ANSWER_CLOSE };    /* HOLD: server_answer() or server_drop() follows */

struct answer {
    enum answer_kind kind;
    int status;
    const char *type;                   /* NULL: no Content-Type line */
    char more[256];                     /* header lines, each with its CR LF */
    struct hc_buf body;
};

/* How many bytes of `text` are the request: 0 when it is not complete yet, -1 when it is none. */
int64_t request_length(const char *text, size_t len);
/* `len` as request_length() said. False: malformed, or over a limit. */
bool request_read(const char *text, size_t len, struct request *request);
void request_release(struct request *request);
const char *request_param(const struct request *request, const char *name);       /* names match whatever their case; NULL: not there */
long request_number(const struct request *request, const char *name, long otherwise);
void answer_write(const struct answer *answer, struct hc_buf *out);

#endif
