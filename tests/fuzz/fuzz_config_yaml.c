/* fuzz_config_yaml.c - hydraclusterd.yaml and the timers file as the daemon reads them: an input that begins with `timers:` and a line end
 * is a timers file, any other the configuration. Refused with a place, or understood, and then what it says can be served. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../src/daemon/config.h"
#include "fuzz_target.h"

#define TIMERS_MARK "timers:\n"
#define PATH_SIZE   64

/* The input as a file that has a path and no place in any folder. */
static int file_of(const uint8_t *data, size_t size, char path[PATH_SIZE])
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0)
        abort();
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, data + done, size - done);
        if (n <= 0)
            abort();
        done += (size_t)n;
    }
    (void)snprintf(path, PATH_SIZE, "/proc/self/fd/%d", fd);
    return fd;
}

static void promises_hold(const struct daemon_config *config)
{
    struct hc_diag diag;
    bool usable = config->data_dir != NULL && config->address != NULL && config->district != NULL && hc_name_ok(config->district) &&
        (config->tls_cert == NULL) == (config->tls_key == NULL) && config->keep_events > 0 && config->queue_max_tickets > 0 &&
        config->limits.connections > 0 && config->limits.per_address > 0 && timers_check(&config->timers, &diag) == HC_OK;
    if (!usable)
        abort();
    for (size_t i = 0; i < config->sunshine_count; i++)
        if (config->sunshine[i].username == NULL || config->sunshine[i].password == NULL)
            abort();
}

/* A place is told by the file's name; the configuration may name another file. */
static bool tells_where(const char *text, const char *path, const char *timers_file)
{
    return strstr(text, path) != NULL || (timers_file != NULL && strncmp(text, timers_file, strlen(timers_file)) == 0) ||
        (timers_file != NULL && strlen(timers_file) > sizeof ((struct hc_diag *)0)->text / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t mark = strlen(TIMERS_MARK);
    bool timers = size >= mark && memcmp(data, TIMERS_MARK, mark) == 0;
    char path[PATH_SIZE], plain[PATH_SIZE];
    int fd = timers ? file_of(data + mark, size - mark, path) : file_of(data, size, path);
    int plain_fd = file_of((const uint8_t *)"{}\n", 3, plain);
    struct config_flags flags = { .config_file = timers ? plain : path, .timers_file = timers ? path : NULL };
    struct daemon_config config;
    struct hc_diag diag = { "" };
    enum hc_err err = config_load(&flags, &config, &diag);
    if (err == HC_OK)
        promises_hold(&config);
    else if (diag.text[0] == '\0' || ((err == HC_ERR_SYNTAX || err == HC_ERR_SCHEMA) && !tells_where(diag.text, path, config.timers_file)))
        abort();                                        /* a refusal that says nothing, or does not say where */
    config_free(&config);
    (void)close(fd);
    (void)close(plain_fd);
    return 0;
}
