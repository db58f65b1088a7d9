#include <string.h>

#include "document.h"
#include "files.h"
#include "hydra/os/file.h"
#include "hydra/os/random.h"
#include "hydra/store/store.h"
#include "section.h"

#define SECRET_SIZE 32

static enum hc_err replaced(enum os_replace outcome)
{
    return outcome == OS_REPLACE_DURABLE ? HC_OK : HC_ERR_IO;    /* os_file_replace() said why */
}

/* Never over a file that is there: it may be all that an operator has left. */
static enum hc_err make_empty(int dir_fd, const char *name, bool nodes, struct hc_diag *diag)
{
    struct os_stamp stamp;
    if (os_file_stamp(dir_fd, name, &stamp) != HC_OK)
        return hc_fail(diag, HC_ERR_IO, "cannot look at %s", name);
    if (stamp.exists)
        return HC_OK;
    struct alloc *empty;
    enum hc_err err = alloc_new(NULL, &empty);
    if (err != HC_OK)
        return hc_fail(diag, err, "no memory to make %s", name);
    HC_CLEANUP(hc_buf_freep) struct hc_buf out = { 0 };
    err = nodes ? store_format_nodes(empty, 1, &out) : store_format_allocation(empty, 1, HC_TIME_NEVER, &out);
    alloc_free(empty);
    if (err != HC_OK)
        return hc_fail(diag, err, "no memory to make %s", name);
    return replaced(os_file_replace(dir_fd, name, out.data, out.len, NULL, diag));
}

enum hc_err store_init(const char *data_dir, struct hc_diag *diag)
{
    HC_CLEANUP(os_close) int dir_fd = -1;
    HC_CLEANUP(os_close) int lock_fd = -1;
    enum hc_err err = os_dir_make_private(data_dir, diag);
    if (err == HC_OK)
        err = os_dir_open(data_dir, &dir_fd, diag);
    if (err != HC_OK)
        return err;
    struct os_stamp secret;
    if (os_file_stamp(dir_fd, SECRET_FILE, &secret) != HC_OK)
        return hc_fail(diag, HC_ERR_IO, "cannot look at %s/%s", data_dir, SECRET_FILE);
    if (secret.exists)
        return hc_fail(diag, HC_ERR_EXISTS, "%s has a %s already: nothing was changed", data_dir, SECRET_FILE);
    err = os_lock_take(dir_fd, LOCK_FILE, &lock_fd, NULL, diag);
    if (err == HC_OK)
        err = make_empty(dir_fd, ALLOCATION_FILE, false, diag);
    if (err == HC_OK)
        err = make_empty(dir_fd, NODES_FILE, true, diag);
    if (err != HC_OK)
        return err;
    uint8_t bytes[SECRET_SIZE];      /* last: an init that failed before it may be run again */
    os_random(bytes, sizeof bytes);
    err = replaced(os_file_replace(dir_fd, SECRET_FILE, (const char *)bytes, sizeof bytes, NULL, diag));
    explicit_bzero(bytes, sizeof bytes);
    return err;
}

enum hc_err store_secret(const char *data_dir, uint8_t ret_secret[32], struct hc_diag *diag)
{
    HC_CLEANUP(os_close) int dir_fd = -1;
    char *bytes;
    size_t len;
    enum hc_err err = os_dir_open(data_dir, &dir_fd, diag);
    if (err == HC_OK)
        err = os_file_read(dir_fd, SECRET_FILE, SECRET_SIZE, &bytes, &len, NULL, diag);
    if (err == HC_ERR_NOTFOUND)
        return hc_fail(diag, err, "%s has no %s: run `hydraclusterd init --data-dir %s` first", data_dir, SECRET_FILE, data_dir);
    if (err == HC_ERR_LIMIT)
        return hc_fail(diag, HC_ERR_SCHEMA, "%s/%s must have %d bytes, and has more", data_dir, SECRET_FILE, SECRET_SIZE);
    if (err != HC_OK)
        return err;
    if (len == SECRET_SIZE)
        memcpy(ret_secret, bytes, SECRET_SIZE);
    explicit_bzero(bytes, len);
    hc_free(bytes);
    if (len == SECRET_SIZE)
        return HC_OK;
    return hc_fail(diag, HC_ERR_SCHEMA, "%s/%s has %zu bytes, must have %d", data_dir, SECRET_FILE, len, SECRET_SIZE);
}
