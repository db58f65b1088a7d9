/* backup.c - GET /backup: allocation.yaml and nodes.yaml of one committed state as a POSIX tar archive, which any tar unpacks in place.
 *
 * It holds the hashes of all nodes' tokens, so only an admin gets it. `secret` and tokens.yaml never leave the machine this way. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "hydra/engine/backup.h"

#define BLOCK        512
#define SIZE_MOST    ((size_t)077777777777)     /* what eleven octal digits can say */

/* A header block of POSIX ustar; all numbers are octal text. */
struct tar_head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6], version[2], user[32], group[32],
        device[16], prefix[155], pad[12];
};
_Static_assert(sizeof(struct tar_head) == BLOCK, "a header is one block");

static void octal(char *field, size_t size, uint64_t value)
{
    int len = snprintf(field, size, "%0*llo", (int)size - 1, (unsigned long long)value);
    assert(len == (int)size - 1);
}

/* The sum is that of all bytes with blanks in its own place; its form, six digits, NUL, blank, is the oldest readers'. */
static void set_sum(struct tar_head *head)
{
    unsigned sum = 0;
    memset(head->sum, ' ', sizeof head->sum);
    for (size_t i = 0; i < sizeof *head; i++)
        sum += ((const unsigned char *)head)[i];
    octal(head->sum, sizeof head->sum - 1, sum);
}

static void add_file(const char *name, const struct hc_buf *text, hc_time at, struct hc_buf *out)
{
    static const char zeros[BLOCK];
    struct tar_head head = { .type = '0', .magic = "ustar", .version = { '0', '0' } };
    if (text->len > SIZE_MOST) {
        out->failed = true;
        return;
    }
    HC_SET(head.name, name);
    octal(head.mode, sizeof head.mode, 0600);
    octal(head.uid, sizeof head.uid, 0);
    octal(head.gid, sizeof head.gid, 0);
    octal(head.size, sizeof head.size, text->len);
    octal(head.mtime, sizeof head.mtime, (uint64_t)(at.ms > 0 ? at.ms / HC_SECOND_MS : 0));
    set_sum(&head);
    hc_buf_add(out, (const char *)&head, sizeof head);
    hc_buf_add(out, text->data, text->len);
    hc_buf_add(out, zeros, (BLOCK - text->len % BLOCK) % BLOCK);
}

static void backup_get(struct call *call)
{
    static const char end[2 * BLOCK];
    struct engine_backup backup;
    struct hc_buf tar = { 0 };
    enum hc_err err = engine_backup_take(call->api->config.engine, &backup);
    if (err == HC_OK) {
        add_file("nodes.yaml", &backup.nodes, backup.saved_at, &tar);
        add_file("allocation.yaml", &backup.allocation, backup.saved_at, &tar);
        hc_buf_add(&tar, end, sizeof end);
        err = tar.failed ? HC_ERR_NOMEM : HC_OK;
    }
    engine_backup_free(&backup);
    if (err != HC_OK) {
        call_fault(call, err);
    } else {
        http_header_add(call->req, "Cache-Control", "no-store");
        http_header_add(call->req, "Content-Disposition", "attachment; filename=\"hydracluster-backup.tar\"");
        call_bytes(call, 200, "application/x-tar", tar.data, tar.len);
    }
    hc_buf_free(&tar);
}

const struct api_route backup_routes[] = {
    { HTTP_GET, "/api/v1/backup", SCOPE_ADMIN, 0, backup_get },
    { 0 },
};
