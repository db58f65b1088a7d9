/* directive_json.h - what a body is to do, as text (wire §4). */
#ifndef API_DIRECTIVE_JSON_H
#define API_DIRECTIVE_JSON_H

#include "hydra/base/buf.h"
#include "hydra/core/query.h"

#define DIRECTIVE_DIGEST_SIZE 17      /* 16 hex digits of a SHA-256 */

/* Appends `"desired":{...},"trust":{...}` and fills the digest of both, which covers everything but itself and issued_at_seconds_ago. A
 * directive is computed when it is asked for, so its age is always 0.
 *
 * Until heads register identities no client is known to be wanted or unwanted: trust names nobody to keep or remove, and gate is
 * {"mode":"observe","enabled":[]} on every slot, which changes nothing on a body. */
HC_MUST enum hc_err directive_json(const struct directive *directive, char ret_digest[DIRECTIVE_DIGEST_SIZE], struct hc_buf *out);

#endif
