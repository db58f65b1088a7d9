/* operation_calls.h - what the routes of operations and of PINs share. */
#ifndef API_OPERATION_CALLS_H
#define API_OPERATION_CALLS_H

#include "call.h"

enum op_state op_state_now(const struct call *call, const struct op_rec *op);      /* one that ran out is over before the tick says so */

#endif
