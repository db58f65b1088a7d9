/* server.h - the server, a connection and a request as the files of this folder see them. */
#ifndef HYDRA_SRC_HTTP_SERVER_H
#define HYDRA_SRC_HTTP_SERVER_H

#include <microhttpd.h>

#include "hydra/http/http.h"

#include "address_count.h"
#include "certificate.h"
#include "library_log.h"
#include "peer.h"
#include "refused_log.h"
#include "target.h"

#define HTTP_POOL_SPARE     1024   /* of the library's pool, above header_bytes: its own records of the headers, our response head */
#define HTTP_POOL_KEEP      512    /* of the pool, unused when the headers are read: room for body pieces and the response head */
#define HTTP_POOL_PER_ENTRY 64     /* the library's record of one header or parameter */
#define HTTP_DRAIN_MAX      ((uint64_t)8 * 1024 * 1024)   /* of a refused body: read and dropped, so that the peer gets to read why */
#define HTTP_WAIT_MAX_MS    250
#define HTTP_BODY_FIRST      4096   /* memory for a body to begin with; less when its length is known to be less */
#define HTTP_SPIN_TURNS     16     /* patience after a callback, in turns: so long a "0 ms" of the library is believed */
#define HTTP_SPIN_TURNS_GREETING 2 /* the same while a TLS handshake is open, which is what makes it say 0 without end */
#define HTTP_BYTES_A_TURN   4096   /* more patience for a long answer: TLS sends one record a turn, without a callback */
#define HTTP_SPIN_WAIT_MS   5      /* instead of 0 when patience has run out; doubled after each HTTP_SPIN_DOUBLE turns more, */
#define HTTP_SPIN_DOUBLE    32
#define HTTP_SPIN_DOUBLINGS 2      /* so often */
#define HTTP_SWEEP_MS       1000
#define HTTP_POLL_BATCH     256    /* sockets that one call of the sweep looks at */
#define HTTP_LAST_TURNS     64     /* of http_free: to hand out the answers of what was still parked */
#define HTTP_RANDOM_IDS     32     /* request ids made by one call of the kernel */
#define HTTP_ID_BYTES       16
#define HTTP_PROXIES_MAX    64
#define HTTP_REPLY_HEADERS_MAX 16

struct http_conn {
    struct http_conn *prev, *next;
    struct http_server *server;
    struct MHD_Connection *mhd;
    struct http_certificate *certificate;   /* that it greeted with; NULL: the one of the start, or no TLS */
    struct http_request *request;      /* the one that is read or answered; NULL between two */
    struct http_address address;
    char peer[HTTP_ADDRESS_TEXT_SIZE];
    int fd;
    int64_t quiet_since_ms;            /* the connection's start, or its newest finished request, or the end of its newest park */
    bool counted, loopback, trusted, greeting, first_done, ended;
};

enum http_phase {
    HTTP_PHASE_LINE,                   /* the request line is known */
    HTTP_PHASE_BODY,                   /* the headers are done; body bytes are kept or dropped */
    HTTP_PHASE_OWNED                   /* all is read: the owner's to answer */
};

struct http_reply_header { const char *name, *value; };

struct http_request {
    struct http_server *server;
    struct http_conn *conn;
    struct hc_arena arena;             /* holds this very struct */
    char *raw;                         /* the target, decoded in place by http_target_parse() */
    size_t raw_len;
    uintptr_t raw_at;                  /* where the library had it, to see a NUL in it */
    struct http_target target;
    enum http_method method;
    const char *method_text;
    char own_id[2 * HTTP_ID_BYTES + 1];
    const char *id, *peer, *route;
    int64_t start_us;
    void *user;
    enum http_phase phase;
    bool in_callback;                  /* the library is calling: answers are handed over when it returns */
    bool begun;                        /* the owner knows it, so the owner gets done() */
    bool answered, handed_over, failed, suspended, close;

    bool chunked, has_body, expects_continue;
    uint64_t length;                   /* Content-Length */
    uint64_t dropped;                  /* bytes of a refused body */
    size_t body_limit;
    char *body;                        /* NUL-terminated; body_size bytes of memory, which count in server->bodies_kept */
    size_t body_len, body_size;

    unsigned status;
    struct MHD_Response *response;     /* made, not yet handed over */
    size_t reply_bytes;
    struct http_reply_header reply_headers[HTTP_REPLY_HEADERS_MAX];
    size_t reply_header_count;

    bool parked;
    enum http_park_why park_why;
    int64_t park_deadline_ms;
    size_t park_at;                    /* place in the queue of deadlines */
    void (*late)(struct http_request *req);

    void (*pull)(struct http_request *req, struct hc_buf *out);   /* a stream when set */
    struct hc_buf out;
    size_t out_at;
    bool stream_ending, stream_gone;
};

struct http_server {
    struct MHD_Daemon *mhd;
    struct http_owner owner;
    struct metrics *metrics;
    struct http_limits limits;
    bool log_each_request, tls, quiescing;
    uint16_t port;
    int epoll_fd;
    size_t pool_bytes;
    struct http_address proxies[HTTP_PROXIES_MAX];
    size_t proxy_count;
    struct http_certificate *certificate;   /* NULL: the one of the start */
    struct http_conn *conns;
    struct address_count *per_address;
    struct http_request **parks;       /* a heap by deadline; room for one of every connection */
    size_t park_count;
    unsigned open_requests;
    size_t bodies_kept;
    bool resumed;                      /* something was resumed since the last turn: the library has work */
    bool called_back;                  /* by the library, in this turn */
    size_t patience;                   /* so many turns more is a "0 ms" of the library believed */
    unsigned quiet_turns;              /* without a callback, since patience ran out */
    unsigned greeting;                 /* TLS connections that have not sent a request line yet */
    int64_t sweep_at_ms;
    uint8_t random[HTTP_RANDOM_IDS * HTTP_ID_BYTES];
    size_t random_left;
    struct library_log log;
    struct refused_log refused;
};

/* server.c */
void http_be_patient(struct http_server *server, size_t reply_bytes);

/* connection.c */
enum MHD_Result http_on_accept(void *cls, const struct sockaddr *addr, socklen_t len);
void http_on_connection(void *cls, struct MHD_Connection *mhd, void **context, enum MHD_ConnectionNotificationCode what);
void http_greeted(struct http_conn *conn);                 /* its handshake is over: a request line has come, or it is closed */
void http_sweep(struct http_server *server, int64_t now_ms);

/* request.c */
void *http_on_target(void *cls, const char *target, struct MHD_Connection *mhd);
enum MHD_Result http_on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method, const char *version,
                                const char *upload, size_t *upload_len, void **context);
void http_on_completed(void *cls, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode why);

/* head.c: reads the headers once. NULL, or the sentence why the request is refused; *ret_status goes with it. */
const char *http_head_read(struct http_request *req, const char *version, unsigned *ret_status);

/* answer.c */
void http_refuse(struct http_request *req, unsigned status, const char *word, const char *detail, unsigned retry_after_seconds);
void http_refuse_field(struct http_request *req, unsigned status, const char *word, const char *detail, const char *field);
void http_refuse_stopping(struct http_request *req);
void http_hand_over(struct http_request *req);            /* gives the made response to the library */
void http_deliver(struct http_request *req);              /* hands over now if the request is suspended, else when the callback returns */

/* park.c */
void http_unpark(struct http_request *req);               /* nothing when it is not parked */
void http_run_late(struct http_server *server, int64_t now_ms);
void http_run_all_late(struct http_server *server);
int64_t http_next_deadline_ms(const struct http_server *server);   /* INT64_MAX: none */
void http_suspend(struct http_request *req);
void http_resume(struct http_request *req);               /* nothing when it is not suspended */

#endif
