/* backup_command.c - asks the daemon for both data files of one moment and keeps them, 0600: they hold the hashes of all nodes' tokens. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "hydra/os/file.h"
#include "tar.h"
#include "value_text.h"

static int put_stdout(const struct client_answer *answer)
{
    if (isatty(STDOUT_FILENO) == 1)
        return context_complain(EXIT_USAGE, "backup: an archive is nothing for a terminal; name a file");
    struct hc_buf copy = { 0 };
    hc_buf_add(&copy, answer->body.data, answer->body.len);
    return context_print(&copy);
}

/* Complete or not at all: the old copy stays until the new one is on the disk. */
static int put_file(struct context *context, const char *path, const struct client_answer *answer)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dir = slash == NULL ? "." : slash == path ? "/" : hc_arena_strndup(&context->arena, path, (size_t)(slash - path));
    struct hc_diag diag = { "" };
    HC_CLEANUP(os_close) int dir_fd = -1;
    if (dir == NULL)
        return context_complain(EXIT_REFUSED, "out of memory");
    if (os_dir_open(dir, &dir_fd, &diag) != HC_OK ||
        os_file_replace(dir_fd, name, answer->body.data, answer->body.len, NULL, &diag) != OS_REPLACE_DURABLE)
        return context_fail(EXIT_REFUSED, &diag);
    return EXIT_GOOD;
}

static int tell(const struct context *context, const char *path, size_t bytes)
{
    json_t *facts = json_pack("{s:s, s:I}", "file", path, "bytes", (json_int_t)bytes);
    static const struct section sections[] = { { NULL, "", NULL, NULL, 0 } };
    static const struct view view = { sections, 1 };
    int code = facts == NULL ? context_complain(EXIT_REFUSED, "out of memory") : context_show(context, &view, facts);
    json_decref(facts);
    if (code == EXIT_GOOD)
        (void)fputs("hydractl: the folder's `secret` and tokens.yaml are not in it: keep a copy of those two as well\n", stderr);
    return code;
}

int run_backup(struct context *context)
{
    const char *path = context->invocation->arguments[0];
    bool to_stdout = strcmp(path, "-") == 0;
    struct client_answer answer = { 0 };
    struct tar_file files[TAR_FILES_MAX];
    struct hc_diag diag = { "" };
    struct stat facts;
    size_t count = 0, len = strlen(path);
    if (path[len - 1] == '/' || (!to_stdout && invocation_flag(context->invocation, "force") == NULL && lstat(path, &facts) == 0))
        return context_complain(EXIT_USAGE, "backup: %s is there already; name a new file, or replace it with --force", path);
    context_progress("the daemon writes its files down");
    int code = ask_raw(context, "GET", context->invocation->command->path, NULL, &answer);
    if (code != EXIT_GOOD)
        return code;
    if (tar_read(answer.body.data, answer.body.len, files, &count, &diag) != HC_OK)
        code = context_complain(EXIT_REFUSED, "backup: the answer is not usable: %s", diag.text);
    size_t bytes = answer.body.len;
    if (code == EXIT_GOOD)
        code = to_stdout ? put_stdout(&answer) : put_file(context, path, &answer);
    client_answer_free(&answer);
    if (code == EXIT_GOOD && !to_stdout)
        code = tell(context, path, bytes);
    return code;
}
