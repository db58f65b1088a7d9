/* xr_session.h - POST /heads/{id}/xr-session: a headset asks for its body (wire §2). */
#ifndef HYDRA_PROTO_XR_SESSION_H
#define HYDRA_PROTO_XR_SESSION_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

struct xr_session_post { char body_id[HC_ID_SIZE], experience[HC_NAME_SIZE], client_hostname[HC_NAME_SIZE], client_ip[HC_ID_SIZE]; };
extern const struct codec_table xr_session_post_table;

#endif
