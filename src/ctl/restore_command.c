/* restore_command.c - looks at a copy before it is put back. Putting it back is the operator's: the daemon must not run meanwhile. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "hydra/os/file.h"
#include "restore_facts.h"
#include "tar.h"
#include "value_text.h"

#define FILE_BYTES_MAX ((size_t)256 * 1024 * 1024)
#define ALLOCATION     "allocation.yaml"
#define NODES          "nodes.yaml"

static int read_file(int dir_fd, const char *path, char **ret_text, size_t *ret_len)
{
    struct hc_diag diag = { "" };
    enum hc_err err = os_file_read(dir_fd, path, FILE_BYTES_MAX, ret_text, ret_len, NULL, &diag);
    return err == HC_OK ? EXIT_GOOD : context_fail(EXIT_USAGE, &diag);
}

static const struct tar_file *find(const struct tar_file *files, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

/* Both files must be in it: one without the other is no state. */
static int read_copy(const char *path, json_t **ret_slots, json_t **ret_head)
{
    struct tar_file files[TAR_FILES_MAX];
    struct hc_diag diag = { "" };
    char *bytes = NULL;
    size_t len = 0, count = 0;
    int code = read_file(AT_FDCWD, path, &bytes, &len);
    if (code == EXIT_GOOD && tar_read(bytes, len, files, &count, &diag) != HC_OK)
        code = context_complain(EXIT_REFUSED, "restore: %s is no backup: %s", path, diag.text);
    const struct tar_file *allocation = code == EXIT_GOOD ? find(files, count, ALLOCATION) : NULL;
    if (code == EXIT_GOOD && (allocation == NULL || find(files, count, NODES) == NULL))
        code = context_complain(EXIT_REFUSED, "restore: %s is no backup: " ALLOCATION " or " NODES " is missing in it", path);
    if (code == EXIT_GOOD && restore_slots_of_file(ALLOCATION, allocation->bytes, allocation->len, ret_slots, ret_head, &diag) != HC_OK)
        code = context_fail(EXIT_REFUSED, &diag);
    hc_free(bytes);
    return code;
}

static int read_folder(const char *dir, json_t **ret_slots)
{
    struct hc_diag diag = { "" };
    HC_CLEANUP(os_close) int dir_fd = -1;
    char *text = NULL;
    size_t len = 0;
    json_t *head = NULL;
    if (os_dir_open(dir, &dir_fd, &diag) != HC_OK)
        return context_fail(EXIT_USAGE, &diag);
    int code = read_file(dir_fd, ALLOCATION, &text, &len);
    if (code == EXIT_GOOD && restore_slots_of_file(ALLOCATION, text, len, ret_slots, &head, &diag) != HC_OK)
        code = context_fail(EXIT_REFUSED, &diag);
    json_decref(head);
    hc_free(text);
    return code;
}

static int read_daemon(struct context *context, json_t **ret_slots)
{
    struct hc_diag diag = { "" };
    json_t *answer = NULL;
    if (settings_token(&context->settings, &diag) != HC_OK)
        return context_fail(EXIT_USAGE, &diag);
    int code = ask(context, "GET", context->invocation->command->path, NULL, &answer);
    if (code == EXIT_UNREACHABLE)
        (void)fputs("hydractl: to compare with a daemon that does not run, name its data folder with --data-dir\n", stderr);
    if (code == EXIT_GOOD && restore_slots_of_answer(answer, ret_slots, &diag) != HC_OK)
        code = context_fail(EXIT_REFUSED, &diag);
    json_decref(answer);
    return code;
}

static int show(const struct context *context, const json_t *copy, const json_t *now, json_t *head)
{
    json_t *facts = restore_compare(copy, now);
    if (facts == NULL || json_object_update(head, facts) != 0) {
        json_decref(facts);
        return context_complain(EXIT_REFUSED, "out of memory");
    }
    json_decref(facts);
    int code = context_show(context, context->invocation->command->view, head);
    static const char *const faults[] = { "slots_older", "slots_gone", "leases_lost" };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0] && code == EXIT_GOOD; i++)
        if (json_integer_value(value_at(head, faults[i])) > 0)
            code = EXIT_DIVERGED;
    return code;
}

int run_restore(struct context *context)
{
    const struct invocation *invocation = context->invocation;
    const char *path = invocation->arguments[0], *data_dir = invocation_flag(invocation, "data-dir");
    json_t *copy = NULL, *head = NULL, *now = NULL;
    if (invocation_flag(invocation, "check") == NULL)
        return context_complain(EXIT_USAGE,
                                "restore: look first with --check; to put the copy back, stop hydraclusterd, unpack it as the daemon's "
                                "user with `tar -C DATA_DIR -xpf %s`, and start it again", path);
    int code = read_copy(path, &copy, &head);
    if (code == EXIT_GOOD)
        code = data_dir != NULL ? read_folder(data_dir, &now) : read_daemon(context, &now);
    if (code == EXIT_GOOD)
        code = show(context, copy, now, head);
    json_decref(copy);
    json_decref(head);
    json_decref(now);
    return code;
}
