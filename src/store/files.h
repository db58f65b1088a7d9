/* files.h - the names in the data folder (architecture §4). */
#ifndef STORE_FILES_H
#define STORE_FILES_H

#define ALLOCATION_FILE "allocation.yaml"
#define LOCK_FILE       "allocation.yaml.lock"
#define NODES_FILE      "nodes.yaml"
#define SECRET_FILE     "secret"

#endif
