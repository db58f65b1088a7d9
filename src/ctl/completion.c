/* completion.c - scripts for three shells, made from the table of commands. Options and words are completed; names of nodes are not, for
 * that would ask the server at each keystroke. */
#include <string.h>

#include "context.h"

static void add_names(const struct flag *flags, size_t count, struct hc_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        hc_buf_printf(out, " --%s", flags[i].name);
        if (flags[i].letter != 0)
            hc_buf_printf(out, " -%c", flags[i].letter);
    }
}

/* The different first words, each once: rows of one first word stand together. */
static bool is_new_word(size_t row, size_t *ret_len)
{
    *ret_len = strcspn(commands[row].words, " ");
    for (size_t i = 0; i < row; i++)
        if (strcspn(commands[i].words, " ") == *ret_len && strncmp(commands[i].words, commands[row].words, *ret_len) == 0)
            return false;
    return true;
}

static void add_first_words(struct hc_buf *out)
{
    for (size_t i = 0; i < command_count; i++) {
        size_t len;
        if (is_new_word(i, &len))
            hc_buf_printf(out, " %.*s", (int)len, commands[i].words);
        if (commands[i].also != NULL && strncmp(commands[i].also, commands[i].words, len) != 0)
            hc_buf_printf(out, " %s", commands[i].also);
    }
}

static void add_second_words(const char *first, size_t len, struct hc_buf *out)
{
    for (size_t i = 0; i < command_count; i++)
        if (strncmp(commands[i].words, first, len) == 0 && commands[i].words[len] == ' ')
            hc_buf_printf(out, " %s", commands[i].words + len + 1);
}

static void add_words_of(const struct command *command, struct hc_buf *out)
{
    for (size_t i = 0; i < ARGUMENTS_MAX && command->arguments[i].name != NULL; i++)
        if (command->arguments[i].words != NULL)
            hc_buf_printf(out, " %s", command->arguments[i].words);
    add_names(command->flags, command->flag_count, out);
}

static bool takes_file(const struct command *command)
{
    for (size_t i = 0; i < ARGUMENTS_MAX; i++)
        if (command->arguments[i].name != NULL && command->arguments[i].kind == ARGUMENT_FILE)
            return true;
    return false;
}

/* ---- bash, and zsh that reads the same ---- */

static void add_file_flags(struct hc_buf *out)
{
    const char *between = "";
    for (size_t i = 0; i < global_flag_count; i++)
        if (global_flags[i].kind == FLAG_FILE) {
            hc_buf_printf(out, "%s--%s", between, global_flags[i].name);
            between = "|";
        }
    hc_buf_str(out, "|--save-token");
}

static void write_bash(struct hc_buf *out)
{
    hc_buf_str(out, "# completion of hydractl for bash: hydractl completion bash > /etc/bash_completion.d/hydractl\n"
                    "_hydractl() {\n"
                    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word words= i skip=0\n"
                    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                    "        word=${COMP_WORDS[i]}\n"
                    "        if ((skip)); then skip=0; continue; fi\n"
                    "        case $word in\n"
                    "        ");
    const char *between = "";
    for (size_t i = 0; i < global_flag_count; i++)
        if (global_flags[i].argument != NULL) {
            hc_buf_printf(out, "%s--%s", between, global_flags[i].name);
            between = "|";
            if (global_flags[i].letter != 0)
                hc_buf_printf(out, "|-%c", global_flags[i].letter);
        }
    hc_buf_str(out,
               ") skip=1 ;;\n        -*) ;;\n        *) words=\"$words $word\" ;;\n        esac\n    done\n    case $previous in\n    ");
    add_file_flags(out);
    hc_buf_str(out, ") COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
                    "    --output|-o) COMPREPLY=($(compgen -W \"table wide json yaml\" -- \"$current\")); return ;;\n"
                    "    esac\n    local choices=\"");
    add_names(global_flags, global_flag_count, out);
    hc_buf_str(out, "\"\n    case \"$words \" in\n    \" \") choices=\"$choices");
    add_first_words(out);
    hc_buf_str(out, "\" ;;\n");
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &commands[i];
        hc_buf_printf(out, "    \" %s \"*", command->words);
        if (command->also != NULL && strncmp(command->words, command->also, strlen(command->also)) != 0)
            hc_buf_printf(out, "|\" %s \"*", command->also);
        hc_buf_str(out, ") choices=\"$choices");
        add_words_of(command, out);
        hc_buf_str(out, takes_file(command) ? " $(compgen -f -- \"$current\")\" ;;\n" : "\" ;;\n");
    }
    for (size_t i = 0; i < command_count; i++) {
        size_t len;
        if (!is_new_word(i, &len) || commands[i].words[len] == '\0')
            continue;
        hc_buf_printf(out, "    \" %.*s \"*) choices=\"$choices", (int)len, commands[i].words);
        add_second_words(commands[i].words, len, out);
        hc_buf_str(out, "\" ;;\n");
    }
    hc_buf_str(out, "    esac\n    COMPREPLY=($(compgen -W \"$choices\" -- \"$current\"))\n}\ncomplete -F _hydractl hydractl\n");
}

static void write_zsh(struct hc_buf *out)
{
    hc_buf_str(out, "# completion of hydractl for zsh: `source <(hydractl completion zsh)` in ~/.zshrc, behind compinit\n"
                    "autoload -U +X bashcompinit && bashcompinit\n");
    write_bash(out);
}

/* ---- fish ---- */

/* In single quotes; our texts have neither backslash nor anything else that fish reads there, but apostrophes. */
static void add_quoted(const char *text, struct hc_buf *out)
{
    hc_buf_char(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            hc_buf_char(out, '\\');
        hc_buf_char(out, *text);
    }
    hc_buf_char(out, '\'');
}

static void add_condition(const struct command *command, struct hc_buf *out)
{
    size_t len = strcspn(command->words, " ");
    hc_buf_printf(out, "complete -c hydractl -n '__fish_seen_subcommand_from %.*s", (int)len, command->words);
    if (command->words[len] == ' ')
        hc_buf_printf(out, "; and __fish_seen_subcommand_from %s", command->words + len + 1);
    hc_buf_char(out, '\'');
}

static void add_fish_flag(const struct flag *flag, struct hc_buf *out)
{
    hc_buf_printf(out, " -l %s", flag->name);
    if (flag->letter != 0)
        hc_buf_printf(out, " -s %c", flag->letter);
    if (flag->kind != FLAG_SWITCH)
        hc_buf_str(out, flag->kind == FLAG_FILE ? " -r -F" : " -x");
    hc_buf_str(out, " -d ");
    add_quoted(flag->help, out);
    hc_buf_char(out, '\n');
}

static void write_fish(struct hc_buf *out)
{
    hc_buf_str(out, "# completion of hydractl for fish: hydractl completion fish > ~/.config/fish/completions/hydractl.fish\n"
                    "complete -c hydractl -f\n");
    for (size_t i = 0; i < global_flag_count; i++) {
        hc_buf_str(out, "complete -c hydractl");
        add_fish_flag(&global_flags[i], out);
    }
    for (size_t i = 0; i < command_count; i++) {
        const struct command *command = &commands[i];
        size_t len = strcspn(command->words, " ");
        bool two = command->words[len] == ' ';
        size_t unused;
        if (!two || is_new_word(i, &unused))
            hc_buf_printf(out, "complete -c hydractl -n __fish_use_subcommand -a %.*s", (int)len, command->words);
        if (!two) {
            hc_buf_str(out, " -d ");
            add_quoted(command->help, out);
        }
        if (!two || is_new_word(i, &unused))
            hc_buf_char(out, '\n');
        if (two) {
            hc_buf_printf(out, "complete -c hydractl -n '__fish_seen_subcommand_from %.*s' -a %s -d ", (int)len, command->words,
                          command->words + len + 1);
            add_quoted(command->help, out);
            hc_buf_char(out, '\n');
        }
        for (size_t k = 0; k < ARGUMENTS_MAX && command->arguments[k].name != NULL; k++)
            if (command->arguments[k].words != NULL) {
                add_condition(command, out);
                hc_buf_str(out, " -a ");
                add_quoted(command->arguments[k].words, out);
                hc_buf_char(out, '\n');
            }
        if (takes_file(command)) {
            add_condition(command, out);
            hc_buf_str(out, " -F\n");
        }
        for (size_t k = 0; k < command->flag_count; k++) {
            add_condition(command, out);
            add_fish_flag(&command->flags[k], out);
        }
    }
}

bool completion_write(const char *shell, struct hc_buf *out)
{
    static const struct { const char *shell; void (*write)(struct hc_buf *out); } rows[] = {
        { "bash", write_bash }, { "zsh", write_zsh }, { "fish", write_fish },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].shell, shell) == 0) {
            rows[i].write(out);
            return true;
        }
    return false;
}

int run_completion(struct context *context)
{
    struct hc_buf text = { 0 };
    (void)completion_write(context->invocation->arguments[0], &text);       /* the table lets no other shell in */
    return context_print(&text);
}
