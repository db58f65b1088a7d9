/* events_command.c - what happened, as a list; or as it happens, a line each. */
#include <stdio.h>
#include <string.h>

#include "follower.h"
#include "plain_text.h"
#include "value_text.h"

#define TURN_MS    500
#define TYPE_WIDTH 22

struct printing { const struct context *context; bool failed; };

static void add_named(const char *name, const json_t *event, const char *key, struct hc_buf *out)
{
    if (value_str(event, key)[0] == '\0')
        return;
    hc_buf_printf(out, "  %s=", name);
    plain_add(value_str(event, key), out);
}

static void add_line(const json_t *event, struct hc_buf *out)
{
    struct hc_buf type = { 0 };
    plain_add(value_str(event, "at"), out);
    hc_buf_str(out, "  ");
    hc_buf_str(&type, "");
    plain_add(value_str(event, "type"), &type);
    if (!type.failed && plain_width(type.data) < TYPE_WIDTH)
        (void)plain_add_fitted(type.data, TYPE_WIDTH, true, out);
    else
        hc_buf_str(out, type.failed ? "" : type.data);
    hc_buf_free(&type);
    add_named("body", event, "body_id", out);
    if (json_is_integer(value_at(event, "slot")))
        hc_buf_printf(out, "/%lld", (long long)json_integer_value(value_at(event, "slot")));
    add_named("head", event, "head_id", out);
    add_named("lease", event, "lease_id", out);
    add_named("detail", event, "detail", out);
    hc_buf_char(out, '\n');
}

static void print_event(void *ctx, const char *data)
{
    struct printing *printing = ctx;
    json_t *event = json_loads(data, JSON_REJECT_DUPLICATES, NULL);
    struct hc_buf text = { 0 };
    enum output_format format = printing->context->settings.output;
    if (event == NULL)
        return;                             /* no event of ours */
    if (format == OUTPUT_JSON)
        value_json_line(event, &text);
    else if (format == OUTPUT_YAML)
        value_yaml_item(event, &text);
    else
        add_line(event, &text);
    json_decref(event);
    printing->failed |= context_print(&text) != EXIT_GOOD;
}

static int follow(struct context *context, const char *path)
{
    struct printing printing = { .context = context };
    struct follower follower = { .context = context, .path = path, .on_event = print_event, .ctx = &printing };
    int code = EXIT_GOOD;
    bool connected_before = false;
    follower_heed_signals();
    while (code == EXIT_GOOD && !printing.failed && !follower_told_to_stop()) {
        switch (follower_turn(&follower, TURN_MS)) {
        case FOLLOWER_CONNECTED:
            if (connected_before)
                (void)fputs("hydractl: connected again; what happened in between follows\n", stderr);
            connected_before = true;
            break;
        case FOLLOWER_LOST:
            (void)context_complain(EXIT_GOOD, "the connection is lost (%s); trying again", follower.diag.text);
            break;
        case FOLLOWER_UNREACHABLE:
            code = context_fail(EXIT_UNREACHABLE, &follower.diag);
            break;
        case FOLLOWER_REFUSED:
            code = context_fail(EXIT_REFUSED, &follower.diag);
            break;
        case FOLLOWER_EVENTS:
        case FOLLOWER_NOTHING:
            break;
        }
    }
    follower_close(&follower);
    return printing.failed ? EXIT_REFUSED : code;
}

int run_events(struct context *context)
{
    const struct invocation *invocation = context->invocation;
    if (invocation_flag(invocation, "follow") == NULL)
        return run_call(context);
    if (invocation_flag(invocation, "limit") != NULL)
        return context_complain(EXIT_USAGE, "events: --limit does not go with -f");
    char *path;
    int code = wire_path(context, "/api/v1/events?follow=1", &path);
    return code == EXIT_GOOD ? follow(context, path) : code;
}
