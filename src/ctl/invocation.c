/* invocation.c - the command line, read by the table. */
#include <assert.h>
#include <string.h>

#include "command.h"
#include "hydra/base/id.h"

#define TEXT_MAX 1024               /* bytes of one argument; file names and node names are shorter */

struct reader { int argc; char **argv; int at; struct invocation *ret; size_t argument_count; struct hc_diag *diag; };

const char *invocation_flag(const struct invocation *invocation, const char *name)
{
    size_t i = 0;
    while (i < invocation->command->flag_count && strcmp(invocation->command->flags[i].name, name) != 0)
        i++;
    assert(i < invocation->command->flag_count);
    return invocation->flags[i];
}

static bool is_text(const char *text)
{
    size_t len = strnlen(text, TEXT_MAX + 1);
    return len > 0 && len <= TEXT_MAX && hc_utf8_ok(text, len);
}

static bool matches(const struct flag *flag, const char *text, size_t len)
{
    if (text[0] == '-' && text[1] != '-')
        return len == 2 && flag->letter != 0 && text[1] == flag->letter;
    return len > 2 && strlen(flag->name) == len - 2 && strncmp(flag->name, text + 2, len - 2) == 0;
}

static const struct flag *find(const struct flag *flags, size_t count, const char *text, size_t len, size_t *ret_index)
{
    for (size_t i = 0; i < count; i++)
        if (matches(&flags[i], text, len)) {
            *ret_index = i;
            return &flags[i];
        }
    return NULL;
}

/* Both texts are one command's words, or another name of it. */
static bool is_word(const char *words, const char *first, const char *second)
{
    size_t len = first == NULL ? 0 : strlen(first);
    if (words == NULL || len == 0 || strncmp(words, first, len) != 0)
        return false;
    return second == NULL ? words[len] == '\0' : words[len] == ' ' && strcmp(words + len + 1, second) == 0;
}

static const struct command *find_command(const char *first, const char *second)
{
    for (size_t i = 0; i < command_count; i++)
        if (is_word(commands[i].words, first, second) || is_word(commands[i].also, first, second))
            return &commands[i];
    return NULL;
}

/* "nodes" has list, show, ...: what may stand behind a first word. */
static bool seconds_of(const char *first, struct hc_buf *out)
{
    size_t len = strlen(first);
    bool any = false;
    for (size_t i = 0; i < command_count; i++)
        if (strncmp(commands[i].words, first, len) == 0 && commands[i].words[len] == ' ') {
            hc_buf_str(out, any ? ", " : "");
            hc_buf_str(out, commands[i].words + len + 1);
            any = true;
        }
    return any;
}

static enum hc_err no_command(const struct reader *r, const char *first, const char *second)
{
    struct hc_buf words = { 0 };
    enum hc_err err;
    if (!seconds_of(first, &words))
        err = hc_fail(r->diag, HC_ERR_CONFIG, "%s: no such command; `hydractl --help` lists them", first);
    else
        err = hc_fail(r->diag, HC_ERR_CONFIG, "%s: %s%s%s one of %s", first, second == NULL ? "" : second,
                      second == NULL ? "" : ": no such command; ", second == NULL ? "needs behind it" : "it has",
                      words.failed ? "its words" : words.data);
    hc_buf_free(&words);
    return err;
}

static enum hc_err take_flag(struct reader *r, const char *text)
{
    size_t len = strcspn(text, "="), index = 0;
    const struct command *command = r->ret->command;
    const struct flag *flag = find(global_flags, global_flag_count, text, len, &index);
    const char **to = r->ret->globals;
    if (flag == NULL && command != NULL) {
        flag = find(command->flags, command->flag_count, text, len, &index);
        to = r->ret->flags;
    }
    if (flag == NULL)
        return hc_fail(r->diag, HC_ERR_CONFIG, "%.*s: no such option%s%s; `hydractl %s%s--help` lists them", (int)len, text,
                       command == NULL ? "" : " of ", command == NULL ? "" : command->words, command == NULL ? "" : command->words,
                       command == NULL ? "" : " ");
    if (to[index] != NULL)
        return hc_fail(r->diag, HC_ERR_CONFIG, "--%s: is there twice", flag->name);
    if (flag->kind == FLAG_SWITCH) {
        to[index] = "";
        return text[len] == '\0' ? HC_OK : hc_fail(r->diag, HC_ERR_CONFIG, "--%s: takes no value", flag->name);
    }
    if (text[len] == '=')
        to[index] = text + len + 1;
    else if (r->at + 1 < r->argc)
        to[index] = r->argv[++r->at];
    if (to[index] == NULL || !is_text(to[index]))
        return hc_fail(r->diag, HC_ERR_CONFIG, "--%s: needs %s behind it, in UTF-8 and of at most %d bytes", flag->name, flag->argument,
                       TEXT_MAX);
    return HC_OK;
}

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += len)
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

static enum hc_err take_argument(struct reader *r, const char *text)
{
    const struct command *command = r->ret->command;
    const struct argument *argument = &command->arguments[r->argument_count];
    const struct command *longer = command->also == NULL ? NULL : find_command(command->also, text);
    if (r->argument_count == 0 && longer != NULL) {            /* nodes -o json show: options stand between the words */
        r->ret->command = longer;
        memset(r->ret->flags, 0, sizeof r->ret->flags);
        return HC_OK;
    }
    if (r->argument_count == ARGUMENTS_MAX || argument->name == NULL) {
        size_t first = strcspn(command->words, " ");
        char word[32];
        (void)hc_fail(r->diag, HC_ERR_CONFIG, "%s: %s is one argument too many; `hydractl %s --help`", command->words, text,
                      command->words);
        if (command->words[first] == ' ' && r->argument_count == 0 && first < sizeof word) {
            memcpy(word, command->words, first);
            word[first] = '\0';
            return no_command(r, word, text);
        }
        return HC_ERR_CONFIG;
    }
    if (!is_text(text))
        return hc_fail(r->diag, HC_ERR_CONFIG, "%s: %s is empty, no UTF-8, or longer than %d bytes", command->words, argument->name,
                       TEXT_MAX);
    if (argument->kind == ARGUMENT_WORD && (strchr(text, ' ') != NULL || !has_word(argument->words, text)))
        return hc_fail(r->diag, HC_ERR_CONFIG, "%s: %s is one of: %s", command->words, argument->name, argument->words);
    r->ret->arguments[r->argument_count++] = text;
    return HC_OK;
}

static enum hc_err take_command(struct reader *r, const char *first)
{
    const char *second = r->at + 1 < r->argc && r->argv[r->at + 1][0] != '-' ? r->argv[r->at + 1] : NULL;
    const struct command *command = second == NULL ? NULL : find_command(first, second);
    if (command != NULL)
        r->at++;
    else
        command = find_command(first, NULL);
    r->ret->command = command;
    return command != NULL ? HC_OK : no_command(r, first, second);
}

static enum hc_err all_there(const struct reader *r)
{
    const struct command *command = r->ret->command;
    if (command == NULL || r->ret->globals[GLOBAL_HELP] != NULL)
        return HC_OK;
    for (size_t i = r->argument_count; i < ARGUMENTS_MAX && command->arguments[i].name != NULL; i++)
        if (!command->arguments[i].optional)
            return hc_fail(r->diag, HC_ERR_CONFIG, "%s: needs %s behind it; `hydractl %s --help`", command->words,
                           command->arguments[i].name,
                           command->words);
    return HC_OK;
}

enum hc_err invocation_read(int argc, char **argv, struct invocation *ret, struct hc_diag *diag)
{
    struct reader r = { .argc = argc, .argv = argv, .ret = ret, .diag = diag };
    enum hc_err err = HC_OK;
    bool flags_over = false;
    *ret = (struct invocation){ 0 };
    for (r.at = 1; err == HC_OK && r.at < argc; r.at++) {
        const char *text = argv[r.at];
        if (!flags_over && strcmp(text, "--") == 0)
            flags_over = true;
        else if (!flags_over && text[0] == '-' && text[1] != '\0')
            err = take_flag(&r, text);
        else if (ret->command == NULL)
            err = take_command(&r, text);
        else
            err = take_argument(&r, text);
    }
    return err == HC_OK ? all_there(&r) : err;
}
