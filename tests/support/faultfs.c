/* faultfs.c - LD_PRELOAD library that makes a disk fail on demand.
 *
 * The file named by HYDRA_FAULT_FILE is read again whenever it changes. One rule a line, the first that fits counts:
 *
 *     OP NAME ACTION [TIMES]
 *
 *     OP      open, write, fsync (and fdatasync), fsyncdir (fsync of a folder), rename (and renameat, renameat2)
 *     NAME    shell pattern for the file's last path component without ".tmp"; `.` after fsyncdir is any folder
 *     ACTION  an errno (EIO, ENOSPC, ...); short (half of a write); delay=MS; hang (until the rule is gone, then the call proceeds)
 *     TIMES   how often the rule applies; always when left out; not with hang
 *
 * What applied is appended to HYDRA_FAULT_FILE.hits as `OP NAME ACTION`, so that a test can wait for it. A rule that cannot be read aborts
 * the process: it is a mistake in the test. Build: gcc -shared -fPIC -o faultfs.so faultfs.c -ldl -pthread */
#undef _FORTIFY_SOURCE              /* its inline open() would be in the way of ours */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULES_MAX    32
#define TEXT_MAX     8192
#define NAME_SIZE    256
#define PATH_SIZE    4096
#define WORD_SIZE    64
#define HANG_POLL_MS 5
#define HANG_MAX_MS  120000          /* a test that forgets its hang ends all the same */
#define DELAY_MAX_MS 60000

enum op { OP_OPEN, OP_WRITE, OP_FSYNC, OP_FSYNCDIR, OP_RENAME, OP_COUNT };
enum act { ACT_NONE, ACT_ERRNO, ACT_SHORT, ACT_HANG, ACT_DELAY };
struct rule { enum op op; char name[WORD_SIZE], action[WORD_SIZE]; enum act act; int value; bool counted; unsigned left; };

static const char *const op_words[OP_COUNT] = { "open", "write", "fsync", "fsyncdir", "rename" };
static const struct { const char *word; int value; } errno_words[] = {
    { "EIO", EIO }, { "ENOSPC", ENOSPC }, { "EDQUOT", EDQUOT }, { "EROFS", EROFS }, { "EACCES", EACCES },
    { "ENOENT", ENOENT }, { "EMFILE", EMFILE }, { "EINTR", EINTR }, { "ENOMEM", ENOMEM },
};

static struct {
    int (*open)(const char *, int, ...);
    int (*openat)(int, const char *, int, ...);
    ssize_t (*write)(int, const void *, size_t);
    int (*fsync)(int);
    int (*fdatasync)(int);
    int (*rename)(const char *, const char *);
    int (*renameat)(int, const char *, int, const char *);
    int (*renameat2)(int, const char *, int, const char *, unsigned);
} real;
static pthread_once_t real_once = PTHREAD_ONCE_INIT;

static struct {
    pthread_mutex_t mutex;
    char path[PATH_SIZE], hits_path[PATH_SIZE];
    struct stat seen;
    struct rule rules[RULES_MAX];
    unsigned rule_count;
} control = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void resolve(void *slot, const char *symbol)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    if (found == NULL)
        abort();
    memcpy(slot, &found, sizeof found);         /* ISO C has no cast from an object to a function pointer */
}

static void start(void)
{
    resolve(&real.open, "open");
    resolve(&real.openat, "openat");
    resolve(&real.write, "write");
    resolve(&real.fsync, "fsync");
    resolve(&real.fdatasync, "fdatasync");
    resolve(&real.rename, "rename");
    resolve(&real.renameat, "renameat");
    resolve(&real.renameat2, "renameat2");
    const char *path = getenv("HYDRA_FAULT_FILE");
    if (path != NULL) {
        (void)snprintf(control.path, sizeof control.path, "%s", path);
        (void)snprintf(control.hits_path, sizeof control.hits_path, "%s.hits", path);
    }
}

static void refuse(const char *line)
{
    (void)fprintf(stderr, "faultfs: cannot read the rule: %s\n", line);
    abort();
}

static bool read_action(struct rule *rule)
{
    static const char delay[] = "delay=";
    if (strcmp(rule->action, "short") == 0) {
        rule->act = ACT_SHORT;
        return rule->op == OP_WRITE;
    }
    if (strcmp(rule->action, "hang") == 0) {
        rule->act = ACT_HANG;
        return !rule->counted;                  /* it ends when its line is gone, and only then */
    }
    if (strncmp(rule->action, delay, sizeof delay - 1) == 0) {
        char *end = NULL;
        long ms = strtol(rule->action + sizeof delay - 1, &end, 10);
        rule->act = ACT_DELAY;
        rule->value = (int)ms;
        return *end == '\0' && ms > 0 && ms <= DELAY_MAX_MS;
    }
    for (size_t i = 0; i < sizeof errno_words / sizeof errno_words[0]; i++)
        if (strcmp(rule->action, errno_words[i].word) == 0) {
            rule->act = ACT_ERRNO;
            rule->value = errno_words[i].value;
        }
    return rule->act == ACT_ERRNO;
}

static void read_rule(const char *line)
{
    char op[WORD_SIZE];
    struct rule rule = { .op = OP_COUNT };
    int words = sscanf(line, "%63s %63s %63s %u", op, rule.name, rule.action, &rule.left);
    if (words < 1)
        return;                                 /* an empty line */
    for (size_t i = 0; i < OP_COUNT; i++)
        if (strcmp(op, op_words[i]) == 0)
            rule.op = (enum op)i;
    rule.counted = words == 4;
    if (words < 3 || rule.op == OP_COUNT || !read_action(&rule) || control.rule_count == RULES_MAX)
        refuse(line);
    control.rules[control.rule_count++] = rule;
}

/* With the mutex held. Tests replace the file by rename, so that a half-written one is never seen. */
static void read_control(void)
{
    struct stat now;
    if (stat(control.path, &now) != 0)
        now = (struct stat){ 0 };
    const struct stat *seen = &control.seen;
    if (now.st_ino == seen->st_ino && now.st_size == seen->st_size && now.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec)
        return;
    control.seen = now;
    control.rule_count = 0;
    char text[TEXT_MAX];
    int fd = real.open(control.path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t len = read(fd, text, sizeof text - 1);
    (void)close(fd);
    if (len < 0 || len == (ssize_t)sizeof text - 1)
        refuse("(the file cannot be read or is too long)");
    text[len] = '\0';
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        read_rule(line);
}

static void note_hit(const struct rule *rule, const char *name)
{
    char line[NAME_SIZE + 2 * WORD_SIZE];
    int len = snprintf(line, sizeof line, "%s %s %s\n", op_words[rule->op], name, rule->action);
    int fd = real.open(control.hits_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || real.write(fd, line, (size_t)len) != len)
        abort();
    (void)close(fd);
}

/* With the mutex held: the first rule that fits and is not used up. */
static struct rule *find_rule(enum op op, const char *name)
{
    read_control();
    for (unsigned i = 0; i < control.rule_count; i++) {
        struct rule *rule = &control.rules[i];
        bool any_folder = op == OP_FSYNCDIR && strcmp(rule->name, ".") == 0;
        if (rule->op == op && (!rule->counted || rule->left > 0) && (any_folder || fnmatch(rule->name, name, 0) == 0))
            return rule;
    }
    return NULL;
}

static bool hangs_still(enum op op, const char *name)
{
    (void)pthread_mutex_lock(&control.mutex);
    const struct rule *rule = find_rule(op, name);
    bool hangs = rule != NULL && rule->act == ACT_HANG;
    (void)pthread_mutex_unlock(&control.mutex);
    return hangs;
}

/* Waits where the rule says so. ACT_ERRNO: errno is set; ACT_SHORT: write less; ACT_NONE: go on with the real call. */
static enum act consult(enum op op, const char *name)
{
    (void)pthread_mutex_lock(&control.mutex);
    struct rule rule = { .act = ACT_NONE };
    struct rule *found = find_rule(op, name);
    if (found != NULL) {
        rule = *found;
        note_hit(found, name);
        if (found->counted)
            found->left--;
    }
    (void)pthread_mutex_unlock(&control.mutex);
    if (rule.act == ACT_DELAY)
        (void)poll(NULL, 0, rule.value);
    if (rule.act == ACT_HANG) {
        for (int ms = 0; hangs_still(op, name); ms += HANG_POLL_MS) {
            if (ms >= HANG_MAX_MS) {
                errno = EIO;
                return ACT_ERRNO;
            }
            (void)poll(NULL, 0, HANG_POLL_MS);
        }
    }
    if (rule.act == ACT_ERRNO)
        errno = rule.value;
    return rule.act == ACT_ERRNO || rule.act == ACT_SHORT ? rule.act : ACT_NONE;
}

static bool armed(void)
{
    (void)pthread_once(&real_once, start);
    if (control.path[0] == '\0')
        return false;
    (void)pthread_mutex_lock(&control.mutex);
    read_control();
    bool any = control.rule_count > 0;
    (void)pthread_mutex_unlock(&control.mutex);
    return any;
}

static void cut_suffix(char *name, const char *suffix)
{
    size_t len = strlen(name), cut = strlen(suffix);
    if (len > cut && strcmp(name + len - cut, suffix) == 0)
        name[len - cut] = '\0';
}

static void name_of_path(const char *path, char name[NAME_SIZE])
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(name, NAME_SIZE, "%.*s", NAME_SIZE - 1, slash == NULL ? path : slash + 1);
    cut_suffix(name, ".tmp");
}

/* False for what is no file: sockets, pipes, eventfds. */
static bool name_of_fd(int fd, char name[NAME_SIZE])
{
    char link[64], path[PATH_SIZE];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof path - 1);
    if (len <= 0 || path[0] != '/')
        return false;
    path[len] = '\0';
    cut_suffix(path, " (deleted)");
    name_of_path(path, name);
    return true;
}

static enum act consult_fd(enum op op, int fd)
{
    int saved = errno;
    char name[NAME_SIZE];
    struct stat st;
    if (!armed() || !name_of_fd(fd, name)) {
        errno = saved;
        return ACT_NONE;
    }
    if (op == OP_FSYNC && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        op = OP_FSYNCDIR;
    enum act act = consult(op, name);
    if (act != ACT_ERRNO)
        errno = saved;
    return act;
}

static enum act consult_path(enum op op, const char *path)
{
    char name[NAME_SIZE];
    if (!armed())
        return ACT_NONE;
    name_of_path(path, name);
    return consult(op, name);
}

/* A rule may name either end of a rename; with the .tmp cut off they are mostly the same. */
static bool rename_fails(const char *from, const char *to)
{
    char from_name[NAME_SIZE], to_name[NAME_SIZE];
    if (!armed())
        return false;
    name_of_path(from, from_name);
    name_of_path(to, to_name);
    if (consult(OP_RENAME, to_name) == ACT_ERRNO)
        return true;
    return strcmp(from_name, to_name) != 0 && consult(OP_RENAME, from_name) == ACT_ERRNO;
}

static bool has_mode(int flags)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

static int do_open(const char *path, int flags, mode_t mode)
{
    return consult_path(OP_OPEN, path) == ACT_ERRNO ? -1 : real.open(path, flags, mode);
}

static int do_openat(int dir_fd, const char *path, int flags, mode_t mode)
{
    return consult_path(OP_OPEN, path) == ACT_ERRNO ? -1 : real.openat(dir_fd, path, flags, mode);
}

/* mode_t is promoted to int on its way through "...": this reads it back when there is one. */
#define MODE_ARGUMENT(flags, mode)           \
    mode_t mode = 0;                         \
    if (has_mode(flags)) {                   \
        va_list args;                        \
        va_start(args, flags);               \
        mode = (mode_t)va_arg(args, int);    \
        va_end(args);                        \
    }

int open(const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return do_open(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return do_open(path, flags, mode);
}

int openat(int dir_fd, const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return do_openat(dir_fd, path, flags, mode);
}

int openat64(int dir_fd, const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return do_openat(dir_fd, path, flags, mode);
}

/* What programs built with _FORTIFY_SOURCE call when they give no mode. */
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return do_open(path, flags, 0);
}

int __openat_2(int dir_fd, const char *path, int flags);
int __openat_2(int dir_fd, const char *path, int flags)
{
    return do_openat(dir_fd, path, flags, 0);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    enum act act = consult_fd(OP_WRITE, fd);
    if (act == ACT_ERRNO)
        return -1;
    return real.write(fd, bytes, act == ACT_SHORT && len > 1 ? len / 2 : len);
}

int fsync(int fd)
{
    return consult_fd(OP_FSYNC, fd) == ACT_ERRNO ? -1 : real.fsync(fd);
}

int fdatasync(int fd)
{
    return consult_fd(OP_FSYNC, fd) == ACT_ERRNO ? -1 : real.fdatasync(fd);
}

int rename(const char *from, const char *to)
{
    return rename_fails(from, to) ? -1 : real.rename(from, to);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    return rename_fails(from, to) ? -1 : real.renameat(from_fd, from, to_fd, to);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    return rename_fails(from, to) ? -1 : real.renameat2(from_fd, from, to_fd, to, flags);
}
