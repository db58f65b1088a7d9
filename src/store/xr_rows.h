/* xr_rows.h - an XR session: under `bodies` of allocation.yaml as `xr`, and once more under its node in nodes.yaml as `xr_session`. */
#ifndef STORE_XR_ROWS_H
#define STORE_XR_ROWS_H

#include "rows.h"

/* T has the session as `member` and a bool `has_xr`. */
#define XR_ROWS(T, member) \
    ROW_ID(T, "session_id", member.session_id, CODEC_REQUIRED), \
    ROW_ID(T, "head_id", member.head_id, CODEC_REQUIRED), \
    ROW_WORD(T, "state", member.state, xr_state_words, CODEC_REQUIRED), \
    ROW_TIME(T, "created_at", member.created_at, CODEC_REQUIRED), \
    ROW_TIME(T, "since", member.since, CODEC_REQUIRED), \
    ROW_STR(T, "reason", member.reason, OMIT), \
    ROW_BOOL(T, "acknowledged", member.acknowledged, OMIT), \
    ROW_NAME(T, "experience", member.experience, OMIT), \
    ROW_NAME(T, "client_hostname", member.client_hostname, OMIT), \
    ROW_STR(T, "client_ip", member.client_ip, OMIT)

#endif
