/* scenario_parse.c - scenario files, line by line. What may stand on a line is data: statements, options, verbs, expectations. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/base/time.h"
#include "hydra/os/file.h"
#include "scenario.h"

#define WORDS_MAX   64
#define LINE_MAX_CHARS 1000
#define COUNT_MAX   1000000

struct line {
    struct scenario *scenario;
    const char *file;
    unsigned number;
    const char *text;                /* without its first blanks */
    size_t count;
    char *words[WORDS_MAX];
    struct hc_diag *diag;
};

static enum hc_err refuse(const struct line *line, const char *format, ...) HC_PRINTF(2, 3);
static enum hc_err refuse(const struct line *line, const char *format, ...)
{
    char what[HC_DIAG_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return hc_fail(line->diag, HC_ERR_SYNTAX, "%s:%u: %s", line->file, line->number, what);
}

/* ---- values ---- */

static enum hc_err take_number(const struct line *line, const char *what, const char *word, uint64_t most, uint64_t *ret)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(word, &end, 10);
    if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 || value > most)
        return refuse(line, "%s: %s is no number from 0 to %llu", what, word, (unsigned long long)most);
    *ret = value;
    return HC_OK;
}

static enum hc_err take_duration(const struct line *line, const char *what, const char *word, int64_t *ret_ms)
{
    return hc_duration_parse(word, ret_ms) == HC_OK ? HC_OK : refuse(line, "%s: %s is no duration like 500ms, 20s or 2min", what, word);
}

static enum hc_err take_name(const struct line *line, const char *what, const char *word, char ret[HC_NAME_SIZE])
{
    if (!hc_name_ok(word))
        return refuse(line, "%s: %s is no name", what, word);
    hc_copy(ret, HC_NAME_SIZE, word);
    return HC_OK;
}

#define FIND(list, count, wanted, found)                                  \
    do {                                                                  \
        (found) = SIZE_MAX;                                               \
        for (size_t at_ = 0; at_ < (count); at_++)                        \
            if (strcmp((list)[at_].name, (wanted)) == 0)                  \
                (found) = at_;                                            \
    } while (0)

static enum hc_err find_head(const struct line *line, const char *name, size_t *ret)
{
    FIND(line->scenario->heads, line->scenario->head_count, name, *ret);
    return *ret != SIZE_MAX ? HC_OK : refuse(line, "no head called %s is declared above", name);
}

static enum hc_err find_body(const struct line *line, const char *name, size_t *ret)
{
    FIND(line->scenario->bodies, line->scenario->body_count, name, *ret);
    return *ret != SIZE_MAX ? HC_OK : refuse(line, "no body called %s is declared above", name);
}

/* ---- options: KEY VALUE pairs behind a name ---- */

enum option_type { OPTION_NAME, OPTION_VENUE, OPTION_COUNT, OPTION_CHOICE, OPTION_TEXT_CHOICE };
struct option_row { const char *key; enum option_type type; size_t offset; const char *const *choices; uint32_t least, most; };

static const char *const body_kinds[] = { "modern", "legacy", NULL }, *const switches[] = { "no", "yes", NULL };
static const char *const accept_modes[] = { "auto", "confirm", NULL };
static const char *const kind_choices[] = { "ipad", "go", "quest", "p2", NULL };      /* in the order of enum head_kind */

static const struct option_row venue_options[] = {
    { "owner", OPTION_NAME, offsetof(struct plan_venue, owner), NULL, 0, 0 },
    { "cap", OPTION_COUNT, offsetof(struct plan_venue, cap), NULL, 1, COUNT_MAX },
    { "accept", OPTION_TEXT_CHOICE, offsetof(struct plan_venue, accept), accept_modes, 0, 0 },
    { NULL, OPTION_NAME, 0, NULL, 0, 0 },
};
static const struct option_row org_options[] = {
    { "cap", OPTION_COUNT, offsetof(struct plan_org, cap), NULL, 1, COUNT_MAX },
    { NULL, OPTION_NAME, 0, NULL, 0, 0 },
};
/* The choices of a node land in numbers; they are moved into its row afterwards. */
struct node_options { char venue[HC_NAME_SIZE]; uint32_t kind, slots, memory_mb, enforce; };
static const struct option_row body_options[] = {
    { "venue", OPTION_VENUE, offsetof(struct node_options, venue), NULL, 0, 0 },
    { "kind", OPTION_CHOICE, offsetof(struct node_options, kind), body_kinds, 0, 0 },
    { "slots", OPTION_COUNT, offsetof(struct node_options, slots), NULL, 1, 16 },
    { "memory-mb", OPTION_COUNT, offsetof(struct node_options, memory_mb), NULL, 1, COUNT_MAX },
    { "enforce", OPTION_CHOICE, offsetof(struct node_options, enforce), switches, 0, 0 },
    { NULL, OPTION_NAME, 0, NULL, 0, 0 },
};
static const struct option_row head_options[] = {
    { "venue", OPTION_VENUE, offsetof(struct node_options, venue), NULL, 0, 0 },
    { "kind", OPTION_CHOICE, offsetof(struct node_options, kind), kind_choices, 0, 0 },
    { NULL, OPTION_NAME, 0, NULL, 0, 0 },
};

static enum hc_err take_choice(const struct line *line, const struct option_row *row, const char *word, uint32_t *ret)
{
    for (uint32_t i = 0; row->choices[i] != NULL; i++)
        if (strcmp(row->choices[i], word) == 0) {
            *ret = i;
            return HC_OK;
        }
    char all[200] = "";
    for (size_t i = 0, len = 0; row->choices[i] != NULL && len < sizeof all; i++)
        len += (size_t)snprintf(all + len, sizeof all - len, "%s%s", i > 0 ? ", " : "", row->choices[i]);
    return refuse(line, "%s: %s is not one of %s", row->key, word, all);
}

static enum hc_err take_option(const struct line *line, const struct option_row *row, const char *word, void *object)
{
    char *to = (char *)object + row->offset;
    uint64_t number = 0;
    uint32_t choice = 0;
    size_t venue = 0;
    enum hc_err err;
    switch (row->type) {
    case OPTION_NAME:
        return take_name(line, row->key, word, to);
    case OPTION_VENUE:
        FIND(line->scenario->venues, line->scenario->venue_count, word, venue);
        return venue == SIZE_MAX ? refuse(line, "no venue called %s is declared above", word) : take_name(line, row->key, word, to);
    case OPTION_COUNT:
        err = take_number(line, row->key, word, row->most, &number);
        if (err == HC_OK && number < row->least)
            err = refuse(line, "%s: at least %u", row->key, row->least);
        *(uint32_t *)(void *)to = (uint32_t)number;
        return err;
    case OPTION_CHOICE:
        return take_choice(line, row, word, (uint32_t *)(void *)to);
    case OPTION_TEXT_CHOICE:
        err = take_choice(line, row, word, &choice);
        if (err == HC_OK)
            hc_copy(to, HEAD_WORD_SIZE, word);
        return err;
    }
    return HC_ERR_STATE;
}

static enum hc_err take_options(const struct line *line, size_t from, const struct option_row *rows, void *object)
{
    for (size_t i = from; i < line->count; i += 2) {
        const struct option_row *row = rows;
        while (row->key != NULL && strcmp(row->key, line->words[i]) != 0)
            row++;
        if (row->key == NULL)
            return refuse(line, "%s: no such option here", line->words[i]);
        if (i + 1 == line->count)
            return refuse(line, "%s: needs a value behind it", line->words[i]);
        enum hc_err err = take_option(line, row, line->words[i + 1], object);
        if (err != HC_OK)
            return err;
    }
    return HC_OK;
}

/* ---- statements ---- */

static enum hc_err full(const struct line *line)
{
    return refuse(line, "too many lines of this kind, or no memory for them");
}

static enum hc_err on_title(struct line *line)
{
    const char *title = line->text + strcspn(line->text, " \t");
    (void)snprintf(line->scenario->title, sizeof line->scenario->title, "%s", title + strspn(title, " \t"));
    return HC_OK;
}

static enum hc_err on_seed(struct line *line)
{
    return take_number(line, "seed", line->words[1], UINT64_MAX, &line->scenario->seed);
}

static enum hc_err on_scale(struct line *line)
{
    uint64_t scale = 0;
    enum hc_err err = take_number(line, "time-scale", line->words[1], SCENARIO_SCALE_MAX, &scale);
    if (err == HC_OK && scale == 0)
        err = refuse(line, "time-scale: at least 1");
    line->scenario->scale = (uint32_t)scale;
    return err;
}

static enum hc_err on_duration(struct line *line)
{
    return take_duration(line, "duration", line->words[1], &line->scenario->duration_ms);
}

static enum hc_err on_end(struct line *line)
{
    if (strcmp(line->words[1], "when-expected") != 0)
        return refuse(line, "end: only `end when-expected`");
    line->scenario->ends_when_expected = true;
    return HC_OK;
}

static enum hc_err on_visits(struct line *line)
{
    if (strcmp(line->words[1], "random") != 0)
        return refuse(line, "visits: only `visits random`");
    for (size_t i = 0; i < line->scenario->head_count; i++)
        line->scenario->heads[i].visits = true;
    return HC_OK;
}

static enum hc_err on_faults(struct line *line)
{
    if (strcmp(line->words[1], "random") != 0)
        return refuse(line, "faults: only `faults random`");
    line->scenario->random_faults = true;
    return HC_OK;
}

static enum hc_err on_venue(struct line *line)
{
    struct plan_venue *venue = scenario_venue(line->scenario);
    if (venue == NULL)
        return full(line);
    enum hc_err err = take_name(line, "venue", line->words[1], venue->name);
    return err == HC_OK ? take_options(line, 2, venue_options, venue) : err;
}

static enum hc_err on_org(struct line *line)
{
    struct plan_org *org = scenario_org(line->scenario);
    if (org == NULL)
        return full(line);
    enum hc_err err = take_name(line, "org", line->words[1], org->name);
    return err == HC_OK ? take_options(line, 2, org_options, org) : err;
}

static enum hc_err on_experience(struct line *line)
{
    struct plan_experience *experience = scenario_experience(line->scenario);
    return experience == NULL ? full(line) : take_name(line, "experience", line->words[1], experience->name);
}

static enum hc_err add_body(struct line *line, const char *name, const struct node_options *options)
{
    size_t there;
    FIND(line->scenario->bodies, line->scenario->body_count, name, there);
    if (there != SIZE_MAX)
        return refuse(line, "a body called %s is declared already", name);
    struct plan_body *body = scenario_body(line->scenario);
    if (body == NULL)
        return full(line);
    HC_SET(body->venue, options->venue);
    body->legacy = options->kind == 1;
    body->enforce = options->enforce == 1;
    body->slots = options->slots;
    body->memory_mb = options->memory_mb;
    if (body->legacy && (body->slots > 1 || body->enforce))
        return refuse(line, "a legacy body has one slot and enforces nothing");
    return take_name(line, "body", name, body->name);
}

static enum hc_err add_head(struct line *line, const char *name, const struct node_options *options)
{
    size_t there;
    FIND(line->scenario->heads, line->scenario->head_count, name, there);
    if (there != SIZE_MAX)
        return refuse(line, "a head called %s is declared already", name);
    struct plan_head *head = scenario_head(line->scenario);
    if (head == NULL)
        return full(line);
    HC_SET(head->venue, options->venue);
    head->kind = (enum head_kind)options->kind;
    return take_name(line, "head", name, head->name);
}

typedef enum hc_err add_node_fn(struct line *line, const char *name, const struct node_options *options);

static enum hc_err take_nodes(struct line *line, const struct option_row *rows, add_node_fn *add, bool many)
{
    struct node_options options = { .slots = 1, .memory_mb = 24576 };
    enum hc_err err = take_options(line, many ? 3 : 2, rows, &options);
    if (err == HC_OK && options.venue[0] == '\0')
        err = refuse(line, "%s: needs `venue NAME`", line->words[0]);
    if (err != HC_OK || !many)
        return err == HC_OK ? add(line, line->words[1], &options) : err;
    uint64_t count = 0;
    err = take_number(line, line->words[0], line->words[1], SCENARIO_HEADS_MAX, &count);
    for (uint64_t i = 1; i <= count && err == HC_OK; i++) {
        char name[HC_NAME_SIZE + 24];
        (void)snprintf(name, sizeof name, "%.128s-%llu", line->words[2], (unsigned long long)i);
        err = add(line, name, &options);
    }
    return err;
}

static enum hc_err on_body(struct line *line)   { return take_nodes(line, body_options, add_body, false); }
static enum hc_err on_bodies(struct line *line) { return take_nodes(line, body_options, add_body, true); }
static enum hc_err on_head(struct line *line)   { return take_nodes(line, head_options, add_head, false); }
static enum hc_err on_heads(struct line *line)  { return take_nodes(line, head_options, add_head, true); }

/* ---- at TIME head|heads|body|bodies NAME... VERB [VALUE] ---- */

enum verb_value { VALUE_NONE, VALUE_EXPERIENCE, VALUE_DURATION, VALUE_COUNT };
struct verb_row { const char *word, *plural; bool of_body; enum step_type type; enum verb_value value; };
static const struct verb_row verbs[] = {
    { "asks", "ask", false, STEP_ASKS, VALUE_EXPERIENCE },
    { "leaves", "leave", false, STEP_LEAVES, VALUE_NONE },
    { "vanishes", "vanish", false, STEP_VANISHES, VALUE_NONE },
    { "returns", "return", false, STEP_RETURNS, VALUE_NONE },
    { "cannot-pair", "cannot-pair", false, STEP_CANNOT_PAIR, VALUE_NONE },
    { "can-pair", "can-pair", false, STEP_CAN_PAIR, VALUE_NONE },
    { "loses-answers", "lose-answers", false, STEP_HEAD_LOSES, VALUE_COUNT },
    { "partitioned-for", "partitioned-for", false, STEP_HEAD_PARTITION, VALUE_DURATION },
    { "reboots-for", "reboot-for", true, STEP_REBOOTS, VALUE_DURATION },
    { "restarts-agent", "restart-agent", true, STEP_RESTARTS_AGENT, VALUE_NONE },
    { "app-crashes", "app-crashes", true, STEP_APP_CRASHES, VALUE_NONE },
    { "loses-answers", "lose-answers", true, STEP_BODY_LOSES, VALUE_COUNT },
    { "partitioned-for", "partitioned-for", true, STEP_BODY_PARTITION, VALUE_DURATION },
};

static const struct verb_row *find_verb(const char *word, bool of_body)
{
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (verbs[i].of_body == of_body && (strcmp(verbs[i].word, word) == 0 || strcmp(verbs[i].plural, word) == 0))
            return &verbs[i];
    return NULL;
}

static enum hc_err take_value(const struct line *line, const struct verb_row *verb, size_t at, struct plan_step *step)
{
    uint64_t count = 0;
    size_t there;
    enum hc_err err = HC_OK;
    if (line->count != at + (verb->value == VALUE_NONE ? 1 : 2))
        return refuse(line, "%s: %s", line->words[at], verb->value == VALUE_NONE ? "nothing comes behind it" : "one value comes behind it");
    switch (verb->value) {
    case VALUE_NONE:
        break;
    case VALUE_DURATION:
        return take_duration(line, line->words[at], line->words[at + 1], &step->duration_ms);
    case VALUE_COUNT:
        err = take_number(line, line->words[at], line->words[at + 1], COUNT_MAX, &count);
        step->count = (uint32_t)count;
        return err;
    case VALUE_EXPERIENCE:
        FIND(line->scenario->experiences, line->scenario->experience_count, line->words[at + 1], there);
        if (there == SIZE_MAX)
            return refuse(line, "no experience called %s is declared above", line->words[at + 1]);
        return take_name(line, "experience", line->words[at + 1], step->experience);
    }
    return HC_OK;
}

static enum hc_err take_targets(const struct line *line, size_t from, size_t to, bool of_body, struct plan_step *step)
{
    step->targets = hc_arena_array(&line->scenario->arena, to - from + 1, sizeof step->targets[0]);
    if (step->targets == NULL)
        return full(line);
    for (size_t i = from; i < to; i++) {
        enum hc_err err = (of_body ? find_body : find_head)(line, line->words[i], &step->targets[step->target_count++]);
        if (err != HC_OK)
            return err;
    }
    return HC_OK;
}

static enum hc_err on_at(struct line *line)
{
    const char *who = line->words[2];
    bool of_body = strcmp(who, "body") == 0 || strcmp(who, "bodies") == 0;
    if (!of_body && strcmp(who, "head") != 0 && strcmp(who, "heads") != 0)
        return refuse(line, "at TIME: head, heads, body or bodies comes next, not %s", who);
    const struct verb_row *verb = NULL;
    size_t at = 3;
    for (; at < line->count && verb == NULL; at++)
        verb = find_verb(line->words[at], of_body);
    if (verb == NULL)
        return refuse(line, "says nothing that a %s can do", of_body ? "body" : "head");
    if (--at == 3)
        return refuse(line, "%s: names no %s", line->words[3], of_body ? "body" : "head");
    struct plan_step *step = scenario_step(line->scenario);
    if (step == NULL)
        return full(line);
    step->type = verb->type;
    enum hc_err err = take_duration(line, "at", line->words[1], &step->at_ms);
    if (err == HC_OK)
        err = take_targets(line, 3, at, of_body, step);
    return err == HC_OK ? take_value(line, verb, at, step) : err;
}

/* ---- expect by|at TIME ... ---- */

/* Words of a pattern: H a head, B a body, N a number, all else as it stands. */
struct expect_row { enum expect_type type; size_t count; const char *words[5]; };
static const struct expect_row expects[] = {
    { EXPECT_PICTURES, 2, { "pictures", "N" } },
    { EXPECT_WAITING, 2, { "waiting", "N" } },
    { EXPECT_SEES, 3, { "head", "H", "sees-a-picture" } },
    { EXPECT_SEES_FROM, 5, { "head", "H", "sees-a-picture", "from", "B" } },
    { EXPECT_DARK, 3, { "head", "H", "sees-nothing" } },
    { EXPECT_IN_LINE, 4, { "head", "H", "in-line", "N" } },
    { EXPECT_BODY_IDLE, 3, { "body", "B", "idle" } },
    { EXPECT_BODY_SHOWS, 4, { "body", "B", "shows", "H" } },
};

static bool pattern_fits(const struct expect_row *row, char *const *words, size_t count)
{
    if (row->count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool open = row->words[i][1] == '\0' && strchr("HBN", row->words[i][0]) != NULL;
        if (!open && strcmp(row->words[i], words[i]) != 0)
            return false;
    }
    return true;
}

static enum hc_err take_pattern(const struct line *line, const struct expect_row *row, struct plan_expect *expect)
{
    size_t nodes = 0;
    uint64_t count = 0;
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < row->count && err == HC_OK; i++) {
        const char *open = row->words[i], *word = line->words[3 + i];
        if (open[1] != '\0')
            continue;
        if (open[0] == 'N')
            err = take_number(line, "expect", word, COUNT_MAX, &count);
        else
            err = (open[0] == 'B' ? find_body : find_head)(line, word, nodes++ == 0 ? &expect->node : &expect->other);
    }
    expect->count = (uint32_t)count;
    return err;
}

static enum hc_err on_expect(struct line *line)
{
    bool at = strcmp(line->words[1], "at") == 0;
    if (!at && strcmp(line->words[1], "by") != 0)
        return refuse(line, "expect: `by TIME` or `at TIME` comes next, not %s", line->words[1]);
    for (size_t i = 0; i < sizeof expects / sizeof expects[0]; i++) {
        if (!pattern_fits(&expects[i], line->words + 3, line->count - 3))
            continue;
        struct plan_expect *expect = scenario_expect(line->scenario);
        if (expect == NULL)
            return full(line);
        expect->type = expects[i].type;
        expect->at = at;
        expect->line = line->number;
        (void)snprintf(expect->text, sizeof expect->text, "%s", line->text);
        enum hc_err err = take_duration(line, "expect", line->words[2], &expect->by_ms);
        for (size_t k = 0; k < line->scenario->step_count; k++)
            if (line->scenario->steps[k].at_ms > expect->from_ms)
                expect->from_ms = line->scenario->steps[k].at_ms;
        if (err == HC_OK && expect->by_ms <= expect->from_ms)
            err = refuse(line, "expect: %s is over before all that stands above has happened", line->words[2]);
        return err == HC_OK ? take_pattern(line, &expects[i], expect) : err;
    }
    return refuse(line, "expect: nothing known; hydrasim --help lists what can be expected");
}

struct statement { const char *word; size_t least, most; enum hc_err (*take)(struct line *line); };
static const struct statement statements[] = {
    { "title", 2, WORDS_MAX, on_title },   { "seed", 2, 2, on_seed },           { "time-scale", 2, 2, on_scale },
    { "duration", 2, 2, on_duration },     { "end", 2, 2, on_end },             { "visits", 2, 2, on_visits },
    { "faults", 2, 2, on_faults },         { "venue", 2, WORDS_MAX, on_venue }, { "org", 2, WORDS_MAX, on_org },
    { "experience", 2, 2, on_experience }, { "body", 2, WORDS_MAX, on_body },   { "bodies", 3, WORDS_MAX, on_bodies },
    { "head", 2, WORDS_MAX, on_head },     { "heads", 3, WORDS_MAX, on_heads }, { "at", 4, WORDS_MAX, on_at },
    { "expect", 4, WORDS_MAX, on_expect },
};

static enum hc_err split(struct line *line, char *text)
{
    line->count = 0;
    for (char *at = text;;) {
        at += strspn(at, " \t\r");
        if (*at == '\0' || *at == '#')
            return HC_OK;
        if (line->count == WORDS_MAX)
            return refuse(line, "more than %d words", WORDS_MAX);
        line->words[line->count++] = at;
        at += strcspn(at, " \t\r");
        if (*at != '\0')
            *at++ = '\0';
    }
}

/* What a title or an expectation says: the line without its comment and the blanks around it. */
static const char *cut_comment(char *text)
{
    char *start = text + strspn(text, " \t\r");
    size_t len = 0;
    for (size_t i = 0; start[i] != '\0'; i++) {
        bool blank = strchr(" \t\r", start[i]) != NULL;
        if (start[i] == '#' && (i == 0 || strchr(" \t\r", start[i - 1]) != NULL))
            break;
        if (!blank)
            len = i + 1;
    }
    start[len] = '\0';
    return start;
}

static enum hc_err take_line(struct line *line, const char *text, size_t len)
{
    char copy[LINE_MAX_CHARS + 1], whole[LINE_MAX_CHARS + 1];
    if (len > LINE_MAX_CHARS)
        return refuse(line, "longer than %d characters", LINE_MAX_CHARS);
    memcpy(copy, text, len);
    copy[len] = '\0';
    HC_SET(whole, copy);
    line->text = cut_comment(whole);
    enum hc_err err = split(line, copy);
    if (err != HC_OK || line->count == 0)
        return err;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        const struct statement *statement = &statements[i];
        if (strcmp(statement->word, line->words[0]) != 0)
            continue;
        if (line->count < statement->least || line->count > statement->most)
            return refuse(line, "%s: %s", statement->word,
                          line->count < statement->least ? "something is missing behind it" : "too much behind it");
        return statement->take(line);
    }
    return refuse(line, "%s: no such statement", line->words[0]);
}

enum hc_err scenario_parse(struct scenario *scenario, const char *file, const char *text, struct hc_diag *diag)
{
    struct line line = { .scenario = scenario, .file = file, .diag = diag };
    for (const char *at = text; *at != '\0';) {
        size_t len = strcspn(at, "\n");
        line.number++;
        enum hc_err err = take_line(&line, at, len);
        if (err != HC_OK)
            return err;
        at += len + (at[len] == '\n' ? 1 : 0);
    }
    return HC_OK;
}

enum hc_err scenario_read(struct scenario *scenario, const char *file, struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    enum hc_err err = os_file_read(AT_FDCWD, file, SCENARIO_BYTES_MAX, &text, &len, NULL, diag);
    if (err != HC_OK)
        return err;
    err = strlen(text) == len ? scenario_parse(scenario, file, text, diag) : hc_fail(diag, HC_ERR_SYNTAX, "%s:1: is no text", file);
    hc_free(text);
    return err;
}
