#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "hydra/codec/yaml.h"

#define BOM     "\xef\xbb\xbf"
#define BOM_LEN 3

/* An open map or sequence. Its parts gather here and go into the arena at its end; the memory serves the next one of this depth. */
struct frame {
    struct yaml_node *node;
    struct yaml_pair *pairs;
    struct yaml_node **items;
    size_t count, pairs_size, items_size;
    struct yaml_pair key;                 /* MAP: the key whose value comes next; key.key is NULL between pairs */
};

struct loader {
    const char *file, *text;
    size_t len;
    struct hc_arena *arena;
    struct hc_diag *diag;
    struct frame frames[YAML_NESTING_MAX];
    size_t depth;
    struct yaml_node *root;
};

static enum hc_err refuse(const struct loader *loader, const yaml_mark_t *mark, const char *format, ...) HC_PRINTF(3, 4);
static enum hc_err refuse(const struct loader *loader, const yaml_mark_t *mark, const char *format, ...)
{
    char what[HC_DIAG_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return hc_fail(loader->diag, HC_ERR_SYNTAX, "%s:%zu:%zu: %s", loader->file, mark->line + 1, mark->column + 1, what);
}

/* The library counts bytes only when it cannot decode; lines and columns are for people. */
static yaml_mark_t mark_of_offset(const struct loader *loader, size_t offset)
{
    yaml_mark_t mark = { offset, 0, 0 };
    for (size_t i = 0; i < offset && i < loader->len; i++) {
        if (loader->text[i] == '\n') {
            mark.line++;
            mark.column = 0;
        } else if (((unsigned char)loader->text[i] & 0xc0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

static enum hc_err refuse_parse(const struct loader *loader, const yaml_parser_t *parser)
{
    const char *problem = parser->problem == NULL ? "not well-formed" : parser->problem;
    if (parser->error == YAML_MEMORY_ERROR)
        return hc_fail(loader->diag, HC_ERR_NOMEM, "no memory to read %s", loader->file);
    if (parser->error == YAML_READER_ERROR) {
        yaml_mark_t mark = mark_of_offset(loader, parser->problem_offset);
        return refuse(loader, &mark, "%s", problem);
    }
    return parser->context == NULL ? refuse(loader, &parser->problem_mark, "%s", problem)
                                   : refuse(loader, &parser->problem_mark, "%s %s", problem, parser->context);
}

/* Doubles `*array` (items of `size` bytes) when it is full. */
static bool grow(void **array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    size_t more = *capacity == 0 ? 16 : *capacity * 2;    /* bounded by YAML_BYTES_MAX: a part needs at least a byte of text */
    void *bigger = hc_realloc(*array, more * size);
    if (bigger == NULL)
        return false;
    *array = bigger;
    *capacity = more;
    return true;
}

static enum hc_err place_node(struct loader *loader, struct yaml_node *node)
{
    if (loader->depth == 0) {
        loader->root = node;
        return HC_OK;
    }
    struct frame *frame = &loader->frames[loader->depth - 1];
    void *array = frame->node->kind == YAML_MAP ? (void *)frame->pairs : (void *)frame->items;
    bool map = frame->node->kind == YAML_MAP;
    bool ok = grow(&array, frame->count, map ? &frame->pairs_size : &frame->items_size, map ? sizeof *frame->pairs : sizeof *frame->items);
    if (!ok)
        return HC_ERR_NOMEM;
    if (map) {
        frame->pairs = array;
        frame->key.value = node;
        frame->pairs[frame->count++] = frame->key;
        frame->key.key = NULL;
    } else {
        frame->items = array;
        frame->items[frame->count++] = node;
    }
    return HC_OK;
}

static struct yaml_node *new_node(struct loader *loader, enum yaml_kind kind, const yaml_mark_t *mark)
{
    struct yaml_node *node = hc_arena_alloc(loader->arena, sizeof *node);
    if (node != NULL)
        *node = (struct yaml_node){ .kind = kind, .line = (unsigned)mark->line + 1, .column = (unsigned)mark->column + 1 };
    return node;
}

static bool key_comes_next(const struct loader *loader)
{
    return loader->depth > 0 && loader->frames[loader->depth - 1].node->kind == YAML_MAP &&
           loader->frames[loader->depth - 1].key.key == NULL;
}

static enum hc_err take_scalar(struct loader *loader, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    const char *text = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length;
    bool quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (event->data.scalar.anchor != NULL)
        return refuse(loader, mark, "anchors are not allowed");
    if (event->data.scalar.tag != NULL)
        return refuse(loader, mark, "tags are not allowed");
    if (memchr(text, '\0', len) != NULL)
        return refuse(loader, mark, "NUL is not allowed");
    char *copy = hc_arena_strndup(loader->arena, text, len);
    if (copy == NULL)
        return HC_ERR_NOMEM;
    if (key_comes_next(loader)) {
        if (!quoted && strcmp(text, "<<") == 0)
            return refuse(loader, mark, "merge keys are not allowed");
        if (!quoted && len == 0)
            return refuse(loader, mark, "a key is missing");
        loader->frames[loader->depth - 1].key =
            (struct yaml_pair){ .key = copy, .key_line = (unsigned)mark->line + 1, .key_column = (unsigned)mark->column + 1 };
        return HC_OK;
    }
    struct yaml_node *node = new_node(loader, YAML_SCALAR, mark);
    if (node == NULL)
        return HC_ERR_NOMEM;
    node->scalar = copy;
    node->quoted = quoted;
    return place_node(loader, node);
}

static enum hc_err open_node(struct loader *loader, const yaml_event_t *event, enum yaml_kind kind)
{
    const yaml_mark_t *mark = &event->start_mark;
    bool map = kind == YAML_MAP;
    if ((map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor) != NULL)
        return refuse(loader, mark, "anchors are not allowed");
    if ((map ? event->data.mapping_start.tag : event->data.sequence_start.tag) != NULL)
        return refuse(loader, mark, "tags are not allowed");
    if (key_comes_next(loader))
        return refuse(loader, mark, "a key must be text");
    if (loader->depth == YAML_NESTING_MAX)
        return refuse(loader, mark, "nested deeper than %d levels", YAML_NESTING_MAX);
    struct yaml_node *node = new_node(loader, kind, mark);
    if (node == NULL)
        return HC_ERR_NOMEM;
    enum hc_err err = place_node(loader, node);
    if (err != HC_OK)
        return err;
    struct frame *frame = &loader->frames[loader->depth++];
    frame->node = node;
    frame->count = 0;
    frame->key.key = NULL;
    return HC_OK;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct yaml_pair *left = *(const struct yaml_pair *const *)a, *right = *(const struct yaml_pair *const *)b;
    int order = strcmp(left->key, right->key);
    return order != 0 ? order : (left > right) - (left < right);    /* both lie in one array: file order */
}

/* The repeated key that comes first in the file. Sorted, because a map of bodies has ten thousand keys. */
static enum hc_err check_repeats(struct loader *loader, const struct yaml_pair *pairs, size_t count)
{
    if (count < 2)
        return HC_OK;
    const struct yaml_pair **sorted = hc_alloc(count * sizeof *sorted);
    if (sorted == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &pairs[i];
    qsort(sorted, count, sizeof *sorted, compare_pairs);
    const struct yaml_pair *repeat = NULL;
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0 && (repeat == NULL || sorted[i] < repeat))
            repeat = sorted[i];
    hc_free(sorted);
    if (repeat == NULL)
        return HC_OK;
    yaml_mark_t mark = { 0, repeat->key_line - 1, repeat->key_column - 1 };
    return refuse(loader, &mark, "%s: the key is repeated", repeat->key);
}

static enum hc_err close_node(struct loader *loader)
{
    struct frame *frame = &loader->frames[--loader->depth];
    bool map = frame->node->kind == YAML_MAP;
    size_t size = map ? sizeof *frame->pairs : sizeof *frame->items;
    frame->node->count = frame->count;
    if (frame->count == 0)
        return HC_OK;
    void *copy = hc_arena_array(loader->arena, frame->count, size);
    if (copy == NULL)
        return HC_ERR_NOMEM;
    memcpy(copy, map ? (const void *)frame->pairs : (const void *)frame->items, frame->count * size);
    if (!map) {
        frame->node->items = copy;
        return HC_OK;
    }
    frame->node->pairs = copy;
    return check_repeats(loader, frame->node->pairs, frame->count);
}

static enum hc_err take_event(struct loader *loader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (event->data.document_start.version_directive != NULL ||
            event->data.document_start.tag_directives.start != event->data.document_start.tag_directives.end)
            return refuse(loader, &event->start_mark, "directives are not allowed");
        return loader->root == NULL ? HC_OK : refuse(loader, &event->start_mark, "a second document is not allowed");
    case YAML_ALIAS_EVENT:
        return refuse(loader, &event->start_mark, "aliases are not allowed");
    case YAML_SCALAR_EVENT:
        return take_scalar(loader, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(loader, event, YAML_SEQ);
    case YAML_MAPPING_START_EVENT:
        return open_node(loader, event, YAML_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_node(loader);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return HC_OK;
}

static enum hc_err load(struct loader *loader, yaml_parser_t *parser)
{
    for (bool more = true; more;) {    /* every event but the last few takes a byte of text or closes one that did */
        yaml_event_t event;
        if (yaml_parser_parse(parser, &event) == 0)
            return refuse_parse(loader, parser);
        more = event.type != YAML_STREAM_END_EVENT;
        enum hc_err err = take_event(loader, &event);
        yaml_event_delete(&event);
        if (err == HC_ERR_NOMEM)
            return hc_fail(loader->diag, err, "no memory to read %s", loader->file);
        if (err != HC_OK)
            return err;
    }
    assert(loader->depth == 0);
    return HC_OK;
}

static enum hc_err finish_root(struct loader *loader)
{
    static const yaml_mark_t start = { 0, 0, 0 };
    if (loader->root == NULL || yaml_is_null(loader->root)) {
        loader->root = new_node(loader, YAML_MAP, &start);
        return loader->root == NULL ? hc_fail(loader->diag, HC_ERR_NOMEM, "no memory to read %s", loader->file) : HC_OK;
    }
    if (loader->root->kind == YAML_MAP)
        return HC_OK;
    yaml_mark_t mark = { 0, loader->root->line - 1, loader->root->column - 1 };
    return refuse(loader, &mark, "the document must be a map");
}

enum hc_err yaml_parse(const char *file, const char *text, size_t len, struct hc_arena *arena, struct yaml_node **ret_root,
                       struct hc_diag *diag)
{
    if (len > YAML_BYTES_MAX)
        return hc_fail(diag, HC_ERR_SYNTAX, "%s:1:1: the document has more than %zu bytes", file, YAML_BYTES_MAX);
    if (len >= BOM_LEN && memcmp(text, BOM, BOM_LEN) == 0) {    /* some editors write one; it says nothing */
        text += BOM_LEN;
        len -= BOM_LEN;
    }
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory to read %s", file);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    struct loader loader = { .file = file, .text = text, .len = len, .arena = arena, .diag = diag };
    enum hc_err err = load(&loader, &parser);
    yaml_parser_delete(&parser);
    for (size_t i = 0; i < YAML_NESTING_MAX; i++) {
        hc_free(loader.frames[i].pairs);
        hc_free(loader.frames[i].items);
    }
    if (err == HC_OK)
        err = finish_root(&loader);
    if (err == HC_OK)
        *ret_root = loader.root;
    return err;
}
