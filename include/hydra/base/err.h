/* err.h - the one list of faults, and the message that goes with one.
 *
 * A refusal (no slot, head busy) is an answer and lives in core/deny.h. An error is a fault of a disk, of memory,
 * of a caller or of ours. Callers branch on hc_err_kind(); people read hc_err_text() and the hc_diag. */
#ifndef HYDRA_BASE_ERR_H
#define HYDRA_BASE_ERR_H

#define HC_ERR_LIST(X)                                                       \
    X(NOMEM,      FATAL,  "out of memory")                                   \
    X(IO,         RETRY,  "storage I/O failed")                              \
    X(FULL,       RETRY,  "no space left")                                   \
    X(GENERATION, RETRY,  "data file changed on disk")                       \
    X(LOCKED,     CALLER, "locked by another process")                       \
    X(SCHEMA,     CALLER, "input does not match its field table")            \
    X(SYNTAX,     CALLER, "input is not well-formed")                        \
    X(LIMIT,      CALLER, "a named limit was exceeded")                      \
    X(RANGE,      CALLER, "value out of range")                              \
    X(NOTFOUND,   CALLER, "not found")                                       \
    X(EXISTS,     CALLER, "exists already")                                  \
    X(CONFIG,     CALLER, "configuration is not usable")                     \
    X(NET,        RETRY,  "network operation failed")                        \
    X(TIMEOUT,    RETRY,  "deadline passed")                                 \
    X(CRYPTO,     FATAL,  "cryptographic library failed")                    \
    X(EDGE,       BUG,    "no such lease transition")                        \
    X(STATE,      BUG,    "call is not allowed in this state")

enum hc_err_kind { HC_KIND_NONE, HC_KIND_CALLER, HC_KIND_RETRY, HC_KIND_FATAL, HC_KIND_BUG };

#define X(id, kind, text) HC_ERR_##id,
enum hc_err { HC_OK = 0, HC_ERR_LIST(X) HC_ERR_COUNT };
#undef X

#define HC_MUST       __attribute__((warn_unused_result))
#define HC_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define HC_CLEANUP(fn) __attribute__((cleanup(fn)))

/* Context for a person: what happened, to what, what to do. Filled only on failure; last parameter; may be NULL. */
#define HC_DIAG_SIZE 400
struct hc_diag { char text[HC_DIAG_SIZE]; };

const char *hc_err_text(enum hc_err err);            /* never NULL */
enum hc_err_kind hc_err_kind(enum hc_err err);
/* Writes the message (cut at HC_DIAG_SIZE - 1: it is for people) and returns `err`, so that a failing line is one line. */
enum hc_err hc_fail(struct hc_diag *diag, enum hc_err err, const char *format, ...) HC_PRINTF(3, 4);

#endif
