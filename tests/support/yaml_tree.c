#include "yaml_tree.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

static json_t *scalar_of(const yaml_node_t *node)
{
    const char *text = (const char *)node->data.scalar.value;
    size_t len = node->data.scalar.length;
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return json_stringn(text, len);
    json_t *value = json_loadb(text, len, JSON_DECODE_ANY, NULL);        /* a number, true, false, null */
    return value != NULL ? value : json_stringn(text, len);
}

static json_t *value_of(yaml_document_t *document, int index);

static json_t *mapping_of(yaml_document_t *document, const yaml_node_t *node)
{
    json_t *object = json_object();
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; object != NULL && pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(document, pair->key);
        bool good = key != NULL && key->type == YAML_SCALAR_NODE;
        json_t *value = good ? value_of(document, pair->value) : NULL;
        if (value == NULL || json_object_get(object, (const char *)key->data.scalar.value) != NULL ||
            json_object_set(object, (const char *)key->data.scalar.value, value) != 0) {
            json_decref(object);
            object = NULL;
        }
        json_decref(value);
    }
    return object;
}

static json_t *sequence_of(yaml_document_t *document, const yaml_node_t *node)
{
    json_t *array = json_array();
    for (const yaml_node_item_t *item = node->data.sequence.items.start; array != NULL && item < node->data.sequence.items.top; item++)
        if (json_array_append_new(array, value_of(document, *item)) != 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *value_of(yaml_document_t *document, int index)
{
    const yaml_node_t *node = yaml_document_get_node(document, index);
    if (node == NULL)
        return NULL;
    switch (node->type) {
    case YAML_SCALAR_NODE:
        return scalar_of(node);
    case YAML_MAPPING_NODE:
        return mapping_of(document, node);
    case YAML_SEQUENCE_NODE:
        return sequence_of(document, node);
    case YAML_NO_NODE:
        break;
    }
    return NULL;
}

json_t *yaml_tree(const char *path)
{
    yaml_parser_t parser;
    yaml_document_t document;
    json_t *tree = NULL;
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return NULL;
    if (yaml_parser_initialize(&parser) != 0) {
        yaml_parser_set_input_file(&parser, in);
        if (yaml_parser_load(&parser, &document) != 0) {
            if (yaml_document_get_root_node(&document) != NULL)
                tree = value_of(&document, 1);
            yaml_document_delete(&document);
        }
        yaml_parser_delete(&parser);
    }
    (void)fclose(in);
    return tree;
}
