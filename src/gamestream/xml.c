/* xml.c - a strict reader for small documents: one pass, no recursion, every limit named in the header. */
#include "hydra/gamestream/xml.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hydra/base/buf.h"
#include "hydra/base/id.h"

struct open_element { struct gs_xml *element; const struct gs_xml **next_child; struct hc_buf text; };
struct reader {
    const char *at, *end;
    struct hc_arena *arena;
    struct hc_diag *diag;
    size_t line, nodes, depth;
    struct open_element open[GS_XML_DEPTH_MAX];
    const struct gs_xml *root;
};

static enum hc_err bad(struct reader *r, const char *what)
{
    return hc_fail(r->diag, HC_ERR_SYNTAX, "line %zu of the host's answer: %s", r->line, what);
}

static bool sees(const struct reader *r, const char *text)
{
    size_t len = strlen(text);
    return (size_t)(r->end - r->at) >= len && memcmp(r->at, text, len) == 0;
}

static void step(struct reader *r, size_t count)
{
    for (; count > 0; count--)
        r->line += *r->at++ == '\n';
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static void skip_space(struct reader *r)
{
    while (r->at < r->end && is_space(*r->at))
        step(r, 1);
}

/* Up to and past `mark`; false: it never comes. */
static bool skip_past(struct reader *r, const char *mark)
{
    while (r->at < r->end && !sees(r, mark))
        step(r, 1);
    if (r->at >= r->end)
        return false;
    step(r, strlen(mark));
    return true;
}

static bool name_char(char c, bool first)
{
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
    return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == '.'));
}

static enum hc_err read_name(struct reader *r, const char **ret_name)
{
    const char *from = r->at;
    while (r->at < r->end && name_char(*r->at, r->at == from))
        r->at++;
    if (r->at == from)
        return bad(r, "a name was expected");
    *ret_name = hc_arena_strndup(r->arena, from, (size_t)(r->at - from));
    return *ret_name == NULL ? HC_ERR_NOMEM : HC_OK;
}

static void add_code_point(struct hc_buf *out, uint32_t c)
{
    if (c < 0x80) {
        hc_buf_char(out, (char)c);
    } else if (c < 0x800) {
        hc_buf_char(out, (char)(0xc0 | c >> 6));
        hc_buf_char(out, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        hc_buf_char(out, (char)(0xe0 | c >> 12));
        hc_buf_char(out, (char)(0x80 | (c >> 6 & 63)));
        hc_buf_char(out, (char)(0x80 | (c & 63)));
    } else {
        hc_buf_char(out, (char)(0xf0 | c >> 18));
        hc_buf_char(out, (char)(0x80 | (c >> 12 & 63)));
        hc_buf_char(out, (char)(0x80 | (c >> 6 & 63)));
        hc_buf_char(out, (char)(0x80 | (c & 63)));
    }
}

static int digit_of(char c, bool hex)
{
    int digit = hc_hex_digit(c);
    return hex || digit <= 9 ? digit : -1;
}

/* At "&#". */
static enum hc_err read_number(struct reader *r, struct hc_buf *out)
{
    r->at += 2;
    bool hex = r->at < r->end && *r->at == 'x';
    r->at += hex;
    uint32_t value = 0;
    size_t digits = 0;
    for (; r->at < r->end && digit_of(*r->at, hex) >= 0 && value <= 0x10ffff; r->at++, digits++)
        value = value * (hex ? 16 : 10) + (uint32_t)digit_of(*r->at, hex);
    bool character = (value >= 0x20 || value == '\t' || value == '\n' || value == '\r') && value <= 0x10ffff &&
                     (value < 0xd800 || value > 0xdfff);
    if (digits == 0 || !character || r->at >= r->end || *r->at != ';')
        return bad(r, "a numeric entity that is no character");
    r->at++;
    add_code_point(out, value);
    return HC_OK;
}

static enum hc_err read_entity(struct reader *r, struct hc_buf *out)
{
    static const struct { const char *text; char c; } entities[] = {
        { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' },
    };
    if (sees(r, "&#"))
        return read_number(r, out);
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
        if (sees(r, entities[i].text)) {
            hc_buf_char(out, entities[i].c);
            r->at += strlen(entities[i].text);
            return HC_OK;
        }
    return bad(r, "an entity that is none of the five");
}

/* Character data up to one of the two marks, which is not consumed. */
static enum hc_err read_text(struct reader *r, char mark, char forbidden, struct hc_buf *out)
{
    while (r->at < r->end && *r->at != mark) {
        if (*r->at == forbidden)
            return bad(r, "a character that must be an entity there");
        if (*r->at == '&') {
            enum hc_err err = read_entity(r, out);
            if (err != HC_OK)
                return err;
            continue;
        }
        if ((unsigned char)*r->at < 0x20 && !is_space(*r->at))
            return bad(r, "a control character");
        hc_buf_char(out, *r->at);
        step(r, 1);
    }
    return out->failed ? HC_ERR_NOMEM : HC_OK;
}

static const char *keep(struct reader *r, struct hc_buf *text)
{
    const char *kept = hc_arena_strndup(r->arena, text->len == 0 ? "" : text->data, text->len);
    hc_buf_free(text);
    return kept;
}

static enum hc_err read_attr(struct reader *r, struct gs_xml_attr **ret_attr)
{
    if (++r->nodes > GS_XML_NODES_MAX)
        return hc_fail(r->diag, HC_ERR_LIMIT, "the host's answer has more than %d elements", GS_XML_NODES_MAX);
    struct gs_xml_attr *attr = hc_arena_alloc(r->arena, sizeof *attr);
    enum hc_err err = attr == NULL ? HC_ERR_NOMEM : read_name(r, &attr->name);
    if (err != HC_OK)
        return err;
    skip_space(r);
    if (r->at >= r->end || *r->at != '=')
        return bad(r, "an attribute without a value");
    r->at++;
    skip_space(r);
    char quote = r->at < r->end ? *r->at : '\0';
    if (quote != '"' && quote != '\'')
        return bad(r, "an attribute's value without quotes");
    r->at++;
    struct hc_buf value = { 0 };
    err = read_text(r, quote, '<', &value);
    if (err == HC_OK && r->at >= r->end)
        err = bad(r, "an attribute's value without an end");
    if (err != HC_OK) {
        hc_buf_free(&value);
        return err;
    }
    r->at++;
    attr->value = keep(r, &value);
    *ret_attr = attr;
    return attr->value == NULL ? HC_ERR_NOMEM : HC_OK;
}

static enum hc_err read_attrs(struct reader *r, struct gs_xml *element)
{
    const struct gs_xml_attr **next = &element->attrs;
    for (;;) {
        const char *before = r->at;
        skip_space(r);
        if (r->at >= r->end || *r->at == '>' || *r->at == '/')
            return HC_OK;
        if (r->at == before)
            return bad(r, "attributes must be apart");
        struct gs_xml_attr *attr = NULL;
        enum hc_err err = read_attr(r, &attr);
        if (err != HC_OK)
            return err;
        if (gs_xml_attr(element, attr->name) != NULL)
            return bad(r, "an attribute twice");
        *next = attr;
        next = &attr->next;
    }
}

static enum hc_err close_element(struct reader *r)
{
    struct open_element *top = &r->open[--r->depth];
    top->element->text = keep(r, &top->text);
    return top->element->text == NULL ? HC_ERR_NOMEM : HC_OK;
}

/* At '<' of a start tag. */
static enum hc_err open_element(struct reader *r)
{
    if (r->depth == 0 && r->root != NULL)
        return bad(r, "a second root");
    if (r->depth == GS_XML_DEPTH_MAX || ++r->nodes > GS_XML_NODES_MAX)
        return hc_fail(r->diag, HC_ERR_LIMIT, "the host's answer is deeper than %d or has more than %d elements", GS_XML_DEPTH_MAX,
                       GS_XML_NODES_MAX);
    r->at++;
    struct gs_xml *element = hc_arena_alloc(r->arena, sizeof *element);
    enum hc_err err = element == NULL ? HC_ERR_NOMEM : read_name(r, &element->name);
    if (err == HC_OK)
        err = read_attrs(r, element);
    if (err != HC_OK)
        return err;
    if (r->depth == 0) {
        r->root = element;
    } else {
        struct open_element *parent = &r->open[r->depth - 1];
        *parent->next_child = element;
        parent->next_child = &element->next;
    }
    r->open[r->depth++] = (struct open_element){ .element = element, .next_child = &element->child };
    if (sees(r, "/>")) {
        r->at += 2;
        return close_element(r);
    }
    if (r->at >= r->end || *r->at != '>')
        return bad(r, "a tag without an end");
    r->at++;
    return HC_OK;
}

/* At "</". */
static enum hc_err end_tag(struct reader *r)
{
    r->at += 2;
    const char *name = NULL;
    enum hc_err err = r->depth == 0 ? bad(r, "an end without a beginning") : read_name(r, &name);
    if (err != HC_OK)
        return err;
    skip_space(r);
    if (!hc_same(name, r->open[r->depth - 1].element->name) || r->at >= r->end || *r->at != '>')
        return bad(r, "an end tag that is not of the open element");
    r->at++;
    return close_element(r);
}

static enum hc_err read_piece(struct reader *r)
{
    if (sees(r, "<!--"))
        return skip_past(r, "-->") ? HC_OK : bad(r, "a comment without an end");
    if (sees(r, "</"))
        return end_tag(r);
    if (*r->at == '<')
        return open_element(r);
    if (r->depth > 0)
        return read_text(r, '<', '\0', &r->open[r->depth - 1].text);
    if (!is_space(*r->at))
        return bad(r, "text outside of the root");
    skip_space(r);
    return HC_OK;
}

enum hc_err gs_xml_parse(const char *bytes, size_t len, struct hc_arena *arena, const struct gs_xml **ret_root, struct hc_diag *diag)
{
    if (len > GS_XML_BYTES_MAX)
        return hc_fail(diag, HC_ERR_LIMIT, "the host's answer is larger than %zu bytes", GS_XML_BYTES_MAX);
    struct reader r = { .at = bytes, .end = bytes + len, .arena = arena, .diag = diag, .line = 1 };
    if (!hc_utf8_ok(bytes, len))
        return bad(&r, "it is not UTF-8");
    enum hc_err err = HC_OK;
    if (sees(&r, "<?xml ") && !skip_past(&r, "?>"))
        err = bad(&r, "a declaration without an end");
    while (err == HC_OK && r.at < r.end)
        err = read_piece(&r);
    if (err == HC_OK && (r.depth > 0 || r.root == NULL))
        err = bad(&r, r.root == NULL ? "there is no root in it" : "it ends too early");
    while (r.depth > 0)
        hc_buf_free(&r.open[--r.depth].text);
    if (err == HC_OK)
        *ret_root = r.root;
    return err;
}

const char *gs_xml_attr(const struct gs_xml *element, const char *name)
{
    for (const struct gs_xml_attr *attr = element->attrs; attr != NULL; attr = attr->next)
        if (hc_same(attr->name, name))
            return attr->value;
    return NULL;
}

const char *gs_xml_text(const struct gs_xml *parent, const char *child)
{
    for (const struct gs_xml *at = parent->child; at != NULL; at = at->next)
        if (hc_same(at->name, child))
            return at->text;
    return NULL;
}
