/* token_command.c - commands whose answer has a token in it, told once: printed, or put into a new file that only its owner reads. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "hydra/os/file.h"
#include "value_text.h"

/* Before the server makes a token: a file that cannot be made would lose it. */
static int make_file(const char *path, int *ret_fd)
{
    *ret_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return *ret_fd >= 0 ? EXIT_GOOD : context_complain(EXIT_USAGE, "--save-token: %s: %s", path, strerror(errno));
}

static int save(int fd, const char *path, json_t *answer)
{
    const char *token = value_str(answer, "token");
    if (token[0] == '\0')
        return context_complain(EXIT_REFUSED, "the server's answer has no token");
    if (os_write_all(fd, token, strlen(token)) != HC_OK || os_write_all(fd, "\n", 1) != HC_OK || fsync(fd) != 0)
        return context_complain(EXIT_REFUSED, "--save-token: %s cannot be written; `hydractl nodes token` makes another", path);
    (void)json_object_del(answer, "token");
    return json_object_set_new(answer, "token_file", json_string(path)) == 0 ? EXIT_GOOD : context_complain(EXIT_REFUSED, "out of memory");
}

static int call_for_token(struct context *context, const char *body)
{
    const struct command *command = context->invocation->command;
    const char *file = invocation_flag(context->invocation, "save-token");
    HC_CLEANUP(os_close) int fd = -1;
    char *path;
    json_t *answer = NULL;
    int code = wire_path(context, NULL, &path);
    if (code == EXIT_GOOD && file != NULL)
        code = make_file(file, &fd);
    if (code != EXIT_GOOD)
        return code;
    code = ask(context, command->method, path, body, &answer);
    bool made = code == EXIT_GOOD;
    if (made && file != NULL)
        code = save(fd, file, answer);
    if (!made && file != NULL)
        (void)unlink(file);                 /* ours, and empty */
    if (code == EXIT_GOOD)
        code = context_show(context, command->view, answer);
    json_decref(answer);
    return code;
}

int run_node_token(struct context *context)
{
    return call_for_token(context, NULL);
}

int run_enrol(struct context *context)
{
    const struct invocation *invocation = context->invocation;
    struct hc_buf body = { 0 };
    char *members;
    if (invocation_flag(invocation, "role") == NULL)
        return context_complain(EXIT_USAGE, "enrol: needs --role body, head, or body,head");
    int code = wire_body(context, &members);
    if (code != EXIT_GOOD)
        return code;
    hc_buf_str(&body, "{\"name\":");
    hc_buf_json_str(&body, invocation->arguments[0]);
    hc_buf_char(&body, ',');
    hc_buf_str(&body, members + 1);         /* it is not empty: the role is in it */
    code = body.failed ? context_complain(EXIT_REFUSED, "out of memory") : call_for_token(context, body.data);
    hc_buf_free(&body);
    return code;
}
