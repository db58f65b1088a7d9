#include "xml.h"

#include <stdio.h>

#define DECLARATION "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"

static void escaped(struct hc_buf *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':  hc_buf_str(out, "&amp;");  break;
        case '<':  hc_buf_str(out, "&lt;");   break;
        case '>':  hc_buf_str(out, "&gt;");   break;
        case '"':  hc_buf_str(out, "&quot;"); break;
        case '\'': hc_buf_str(out, "&apos;"); break;
        default:   hc_buf_char(out, *text);   break;
        }
}

void xml_open(struct xml *xml, const char *name)
{
    hc_buf_printf(&xml->children, "<%s>", name);
}

void xml_close(struct xml *xml, const char *name)
{
    hc_buf_printf(&xml->children, "</%s>", name);
}

void xml_text(struct xml *xml, const char *name, const char *value)
{
    if (*value == '\0') {
        hc_buf_printf(&xml->children, "<%s/>", name);
        return;
    }
    xml_open(xml, name);
    escaped(&xml->children, value);
    xml_close(xml, name);
}

void xml_number(struct xml *xml, const char *name, long value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%ld", value);
    xml_text(xml, name, text);
}

void xml_answer(struct xml *xml, int status, const char *message, struct answer *answer)
{
    answer->kind = ANSWER_SEND;
    answer->status = 200;
    hc_buf_clear(&answer->body);
    hc_buf_printf(&answer->body, DECLARATION "<root status_code=\"%d\"", status);
    if (message != NULL) {
        hc_buf_str(&answer->body, " status_message=\"");
        escaped(&answer->body, message);
        hc_buf_char(&answer->body, '"');
    }
    if (xml->children.len == 0) {
        hc_buf_str(&answer->body, "/>");
    } else {
        hc_buf_char(&answer->body, '>');
        hc_buf_add(&answer->body, xml->children.data, xml->children.len);
        hc_buf_str(&answer->body, "</root>");
    }
    hc_buf_free(&xml->children);
}

void xml_empty(struct answer *answer)
{
    answer->kind = ANSWER_SEND;
    answer->status = 200;
    hc_buf_clear(&answer->body);
    hc_buf_str(&answer->body, DECLARATION);
}
