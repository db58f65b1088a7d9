#include "recent_log.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/id.h"
#include "hydra/base/log.h"
#include "hydra/base/time.h"
#include "hydra/os/clock.h"

#define MESSAGE_SIZE 512                /* of a line, for the list; stderr has all of it */

struct entry { hc_time at; char message[MESSAGE_SIZE]; };
static struct { struct entry entries[RECENT_LOG_LINES]; size_t next, count; } kept;

/* Cut at a character's start: a half one is no text. */
static void take(char out[MESSAGE_SIZE], const char *text)
{
    size_t len = strlen(text);
    if (len >= MESSAGE_SIZE) {
        len = MESSAGE_SIZE - 1;
        while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
            len--;
    }
    memcpy(out, text, len);
    out[len] = '\0';
}

static void on_line(const char *line)
{
    (void)fprintf(stderr, "%s\n", line);
    struct entry *entry = &kept.entries[kept.next];
    kept.next = (kept.next + 1) % RECENT_LOG_LINES;
    kept.count += kept.count < RECENT_LOG_LINES;
    entry->at = os_now();
    take(entry->message, line[0] == '<' && strchr(line, '>') != NULL ? strchr(line, '>') + 1 : line);   /* without the priority */
}

void recent_log_start(void)
{
    hc_log_sink_set(on_line);
}

void recent_log_json(struct hc_buf *out)
{
    hc_buf_str(out, "{\"entries\":[");
    for (size_t i = 0; i < kept.count; i++) {
        const struct entry *entry = &kept.entries[(kept.next + RECENT_LOG_LINES - kept.count + i) % RECENT_LOG_LINES];
        char at[HC_TIME_TEXT_SIZE];
        hc_time_format(entry->at, at);
        hc_buf_str(out, i == 0 ? "{\"timestamp\":" : ",{\"timestamp\":");
        hc_buf_json_str(out, at);
        hc_buf_str(out, ",\"message\":");
        hc_buf_json_str(out, hc_utf8_ok(entry->message, strlen(entry->message)) ? entry->message : "(a line that is no text)");
        hc_buf_char(out, '}');
    }
    hc_buf_str(out, "]}");
}
