/* node_settings.h - handlers of node_routes that stand in node_settings.c: slots and drain of a body. */
#ifndef API_NODE_SETTINGS_H
#define API_NODE_SETTINGS_H

#include "call.h"

api_handler node_slots_put, node_drain, node_undrain;

#endif
