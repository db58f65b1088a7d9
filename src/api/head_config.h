/* head_config.h - handlers of head_routes that stand in head_config.c: what a head reads of itself. */
#ifndef API_HEAD_CONFIG_H
#define API_HEAD_CONFIG_H

#include "call.h"

api_handler head_config_get, head_experiences_get;

#endif
