/* fuzz_host_xml.c - what a GameStream host answers: refused with a line, or understood so well that writing it and reading it again
 * changes nothing. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "hydra/base/buf.h"
#include "hydra/base/id.h"
#include "hydra/gamestream/xml.h"

static void write_text(struct hc_buf *out, const char *text)
{
    static const struct { char c; const char *entity; } rows[] = {
        { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" },
    };
    for (; *text != '\0'; text++) {
        const char *entity = NULL;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            if (rows[i].c == *text)
                entity = rows[i].entity;
        if (entity != NULL)
            hc_buf_str(out, entity);
        else
            hc_buf_char(out, *text);
    }
}

/* No deeper than GS_XML_DEPTH_MAX: the parser has seen to that. */
static void write_element(struct hc_buf *out, const struct gs_xml *element)
{
    hc_buf_printf(out, "<%s", element->name);
    for (const struct gs_xml_attr *attr = element->attrs; attr != NULL; attr = attr->next) {
        hc_buf_printf(out, " %s=\"", attr->name);
        write_text(out, attr->value);
        hc_buf_char(out, '"');
    }
    hc_buf_char(out, '>');
    write_text(out, element->text);
    for (const struct gs_xml *child = element->child; child != NULL; child = child->next)
        write_element(out, child);
    hc_buf_printf(out, "</%s>", element->name);
}

static void round_trip(const struct gs_xml *root)
{
    struct hc_buf first = { 0 }, second = { 0 };
    struct hc_arena arena = { 0 };
    struct hc_diag diag = { "" };
    const struct gs_xml *again = NULL;
    write_element(&first, root);
    if (!first.failed && first.len <= GS_XML_BYTES_MAX) {
        if (gs_xml_parse(first.data, first.len, &arena, &again, &diag) != HC_OK)
            abort();
        write_element(&second, again);
        if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
            abort();
    }
    hc_buf_free(&first);
    hc_buf_free(&second);
    hc_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hc_arena arena = { 0 };
    struct hc_diag diag = { "" };
    const struct gs_xml *root = NULL;
    enum hc_err err = gs_xml_parse((const char *)data, size, &arena, &root, &diag);
    if (err == HC_OK)
        round_trip(root);
    else if (strstr(diag.text, "the host's answer") == NULL || (err == HC_ERR_SYNTAX && strncmp(diag.text, "line ", 5) != 0))
        abort();                                        /* a refusal that does not say of what, or where */
    hc_arena_free(&arena);
    return 0;
}
