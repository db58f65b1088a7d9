/* yaml_tree.h - a YAML file as a tree of JSON values, for tests that read a file as other programs do. */
#ifndef YAML_TREE_H
#define YAML_TREE_H

#include <jansson.h>

/* A new reference; NULL: it cannot be read, or is no YAML. Anchors and tags are not understood. */
json_t *yaml_tree(const char *path);

#endif
