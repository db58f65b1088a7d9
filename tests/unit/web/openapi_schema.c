/* openapi_schema.c - schemas from shapes, from the field tables of requests and from the parameters of queries. */
#include "openapi.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TYPE_SIZE  128
#define ID_PATTERN "^[A-Za-z0-9._-]{1,64}$"
#define ID_OR_NONE "^[A-Za-z0-9._-]{0,64}$"

static json_t *must(json_t *value)
{
    assert(value != NULL);
    return value;
}

static void set(json_t *object, const char *key, json_t *value)
{
    int failed = json_object_set_new(object, key, must(value));
    assert(failed == 0);
}

static void add(json_t *array, json_t *value)
{
    int failed = json_array_append_new(array, must(value));
    assert(failed == 0);
}

json_t *schema_ref(const char *name)
{
    char path[TYPE_SIZE + 32];
    (void)snprintf(path, sizeof path, "#/components/schemas/%s", name);
    return must(json_pack("{s:s}", "$ref", path));
}

/* ---- words ---- */

static json_t *schema_of_words(const struct hc_words *words, bool with_empty)
{
    json_t *list = must(json_array());
    for (size_t i = 0; i < words->count; i++)
        if (words->words[i][0] != '\0' || with_empty)
            add(list, json_string(words->words[i]));
    return must(json_pack("{s:s, s:o}", "type", "string", "enum", list));
}

static json_t *schema_of_literals(const char *text)
{
    json_t *list = must(json_array());
    for (const char *at = text; *at != '\0';) {
        size_t len = strcspn(at, "|");
        add(list, json_stringn(at, len));
        at += len + (at[len] == '|' ? 1 : 0);
    }
    return must(json_pack("{s:s, s:o}", "type", "string", "enum", list));
}

static const struct hc_words *words_named(const char *name)
{
    for (const struct shape_words *row = shape_words; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row->words;
    return NULL;
}

static bool is_shape(const char *name)
{
    for (const struct shape *row = shapes; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return true;
    return false;
}

/* ---- types of a shape ---- */

static json_t *schema_of_one(const char *type)
{
    if (strcmp(type, "text") == 0)
        return must(json_pack("{s:s}", "type", "string"));
    if (strcmp(type, "int") == 0)
        return must(json_pack("{s:s}", "type", "integer"));
    if (strcmp(type, "bool") == 0)
        return must(json_pack("{s:s}", "type", "boolean"));
    if (strcmp(type, "time") == 0)
        return must(json_pack("{s:s, s:s}", "type", "string", "format", "date-time"));
    if (strcmp(type, "any") == 0)
        return must(json_pack("{s:s, s:b}", "description", "any JSON", "nullable", 1));
    if (type[0] == '=')
        return schema_of_literals(type + 1);
    if (is_shape(type))
        return schema_ref(type);
    const struct hc_words *words = words_named(type);
    if (words == NULL)
        (void)fprintf(stderr, "no shape and no list of words is called %s\n", type);
    assert(words != NULL);
    return schema_of_words(words, false);
}

/* Without the brackets around it. */
static json_t *schema_within(const char *type)
{
    char inner[TYPE_SIZE];
    (void)snprintf(inner, sizeof inner, "%.*s", (int)strlen(type) - 2, type + 1);
    return schema_of_type(inner);
}

static json_t *schema_of_either(const char *type)
{
    json_t *list = must(json_array());
    for (const char *at = type; *at != '\0';) {
        char one[TYPE_SIZE];
        size_t len = strcspn(at, "+");
        (void)snprintf(one, sizeof one, "%.*s", (int)len, at);
        add(list, schema_of_one(one));
        at += len + (at[len] == '+' ? 1 : 0);
    }
    return must(json_pack("{s:o}", "oneOf", list));
}

/* null beside a schema. A $ref may have nothing beside it, and an enum is all there is. */
static json_t *or_null(json_t *schema)
{
    json_t *words = json_object_get(schema, "enum");
    if (json_object_get(schema, "$ref") != NULL)
        return must(json_pack("{s:b, s:[o]}", "nullable", 1, "allOf", schema));
    if (words != NULL)
        add(words, json_null());
    set(schema, "nullable", json_true());
    return schema;
}

json_t *schema_of_type(const char *text)
{
    char type[TYPE_SIZE];
    size_t len = strlen(text);
    assert(len > 0 && len < sizeof type);
    (void)snprintf(type, sizeof type, "%s", text);
    bool nullable = type[len - 1] == '?';
    if (nullable)
        type[--len] = '\0';
    json_t *schema;
    if (type[0] == '[')
        schema = json_pack("{s:s, s:o}", "type", "array", "items", schema_within(type));
    else if (type[0] == '{')
        schema = json_pack("{s:s, s:o}", "type", "object", "additionalProperties", schema_within(type));
    else
        schema = strchr(type, '+') != NULL ? schema_of_either(type) : schema_of_one(type);
    return nullable ? or_null(must(schema)) : must(schema);
}

json_t *schema_of_fields(const char *fields)
{
    json_t *required = must(json_array()), *properties = must(json_object());
    for (const char *at = fields; *at != '\0';) {
        char field[TYPE_SIZE];
        size_t len = strcspn(at, " ");
        assert(len < sizeof field);
        (void)snprintf(field, sizeof field, "%.*s", (int)len, at);
        at += len + (at[len] == ' ' ? 1 : 0);
        bool may_lack = field[0] == '~';
        char *key = field + (may_lack ? 1 : 0), *type = strchr(key, ':');
        bool null_text = type == NULL && key[strlen(key) - 1] == '?';
        if (type != NULL)
            *type++ = '\0';
        else if (null_text)
            key[strlen(key) - 1] = '\0';
        set(properties, key, schema_of_type(type != NULL ? type : null_text ? "text?" : "text"));
        if (!may_lack)
            add(required, json_string(key));
    }
    json_t *schema = must(json_pack("{s:s, s:b, s:o}", "type", "object", "additionalProperties", 0, "properties", properties));
    if (json_array_size(required) > 0)
        set(schema, "required", required);
    else
        json_decref(required);
    return schema;
}

/* ---- requests ---- */

static json_t *schema_of_text(const struct codec_field *row)
{
    bool empty_ok = (row->flags & CODEC_EMPTY_OK) != 0;
    switch (row->type) {
    case CODEC_ID:
        return json_pack("{s:s, s:s}", "type", "string", "pattern", empty_ok ? ID_OR_NONE : ID_PATTERN);
    case CODEC_NAME:
        return json_pack("{s:s, s:i, s:i}", "type", "string", "minLength", empty_ok ? 0 : 1, "maxLength", HC_NAME_MAX);
    case CODEC_WORD:
        return schema_of_words(row->words, true);
    case CODEC_TIME:
        return json_pack("{s:s, s:s}", "type", "string", "format", "date-time");
    default:
        return json_pack("{s:s, s:I}", "type", "string", "maxLength", (json_int_t)row->limit);
    }
}

static json_t *schema_of_number(const struct codec_field *row)
{
    json_t *schema = must(json_pack("{s:s}", "type", "integer"));
    if (row->type != CODEC_I64)
        set(schema, "minimum", json_integer(0));
    if (row->limit != 0 && row->limit <= HC_EPOCH_MAX)
        set(schema, "maximum", json_integer((json_int_t)row->limit));
    return schema;
}

static json_t *items_of(const struct codec_field *row)
{
    if (row->type == CODEC_LIST)
        return schema_of_table(row->sub);
    if (row->type == CODEC_U64S)
        return json_pack("{s:s, s:i}", "type", "integer", "minimum", 0);
    return json_pack("{s:s, s:i, s:I}", "type", "string", "minLength", 1, "maxLength", (json_int_t)row->item_limit);
}

static json_t *schema_of_row(const struct codec_field *row)
{
    switch (row->type) {
    case CODEC_BOOL:
        return json_pack("{s:s}", "type", "boolean");
    case CODEC_U32:
    case CODEC_U64:
    case CODEC_I64:
    case CODEC_SECONDS:
        return schema_of_number(row);
    case CODEC_OBJECT:
        return schema_of_table(row->sub);
    case CODEC_LIST:
    case CODEC_STRS:
    case CODEC_U64S:
        return json_pack("{s:s, s:I, s:o}", "type", "array", "maxItems", (json_int_t)row->limit, "items", items_of(row));
    case CODEC_RAW:
        return json_pack("{s:s}", "description", "any JSON");
    default:
        return schema_of_text(row);
    }
}

/* Unknown keys are ignored, and null is the same as absent. */
json_t *schema_of_table(const struct codec_table *table)
{
    json_t *required = must(json_array()), *properties = must(json_object());
    for (size_t i = 0; i < table->count; i++) {
        const struct codec_field *row = &table->fields[i];
        bool needed = (row->flags & CODEC_REQUIRED) != 0;
        json_t *schema = must(schema_of_row(row));
        set(properties, row->key, needed ? schema : or_null(schema));
        if (needed)
            add(required, json_string(row->key));
    }
    json_t *schema = must(json_pack("{s:s, s:o}", "type", "object", "properties", properties));
    if (json_array_size(required) > 0)
        set(schema, "required", required);
    else
        json_decref(required);
    return schema;
}

json_t *schema_of_param(const struct query_param *param)
{
    switch (param->kind) {
    case PARAM_ID:
        return must(json_pack("{s:s, s:s}", "type", "string", "pattern", ID_PATTERN));
    case PARAM_NAME:
        return must(json_pack("{s:s, s:i, s:i}", "type", "string", "minLength", 1, "maxLength", HC_NAME_MAX));
    case PARAM_NUMBER:
        return must(json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)param->least, "maximum",
                              (json_int_t)param->most));
    case PARAM_FLAG:
        return schema_of_literals("1|0|true|false");
    case PARAM_INSTANT:
        return must(json_pack("{s:s, s:s}", "type", "string", "format", "date-time"));
    case PARAM_SHORT:
        return must(json_pack("{s:s, s:i}", "type", "string", "maxLength", PARAM_SHORT_MAX));
    case PARAM_WORD:
        return schema_of_words(param->words, false);
    case PARAM_EVENT:
        return must(json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9]{1,20}-[0-9]{1,20}$"));
    case PARAM_PLACE:
    case PARAM_OWN:
    case PARAM_KINDS:
        break;
    }
    return must(json_pack("{s:s}", "type", "string"));
}
