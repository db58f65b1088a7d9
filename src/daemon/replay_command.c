#include "replay_command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "hydra/crypto/digest.h"
#include "hydra/journal/replay.h"
#include "hydra/os/file.h"
#include "hydra/store/store.h"

#define SECRET_BYTES 32
#define FILE_BYTES_MAX ((size_t)256 * 1024 * 1024)

static int complain(const struct hc_diag *diag, enum exit_code code)
{
    (void)fprintf(stderr, "hydraclusterd: replay: %s\n", diag->text);
    return (int)code;
}

/* The folder of a file, "." for a bare name. */
static void folder_of(const char *path, char out[REPLAY_PATH_SIZE])
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(out, REPLAY_PATH_SIZE, "%.*s", slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path), slash == NULL ? "." : path);
}

/* Beside --store; else beside the journal's folder, or the folder that its segment lies in. */
static void secret_path(const struct options *options, char out[REPLAY_PATH_SIZE])
{
    char folder[REPLAY_PATH_SIZE];
    struct stat st;
    if (options->secret != NULL) {
        (void)snprintf(out, REPLAY_PATH_SIZE, "%s", options->secret);
        return;
    }
    if (options->store != NULL) {
        folder_of(options->store, folder);
        (void)snprintf(out, REPLAY_PATH_SIZE, "%.480s/secret", folder);
        return;
    }
    if (stat(options->argument, &st) == 0 && S_ISDIR(st.st_mode))
        (void)snprintf(folder, sizeof folder, "%s", options->argument);
    else
        folder_of(options->argument, folder);
    (void)snprintf(out, REPLAY_PATH_SIZE, "%.480s/../secret", folder);
}

/* Said first: without a journal there is no place where its secret could lie. */
static enum hc_err look_at_journal(const struct options *options, struct hc_diag *diag)
{
    struct stat st;
    return stat(options->argument, &st) == 0 ? HC_OK : hc_fail(diag, HC_ERR_CONFIG, "%s: %s", options->argument, strerror(errno));
}

static enum hc_err read_secret(const struct options *options, uint8_t ret[SECRET_BYTES], struct hc_diag *diag)
{
    char path[REPLAY_PATH_SIZE], *text = NULL;
    size_t len = 0;
    secret_path(options, path);
    enum hc_err err = os_file_read(AT_FDCWD, path, SECRET_BYTES, &text, &len, NULL, diag);
    if (err == HC_ERR_NOTFOUND)
        return hc_fail(diag, HC_ERR_CONFIG, "%s: no such file; --secret names the secret of the server that wrote the journal", path);
    if (err == HC_OK && len != SECRET_BYTES)
        err = hc_fail(diag, HC_ERR_CONFIG, "%s: is no server's secret: %zu bytes, not %d", path, len, SECRET_BYTES);
    if (err == HC_OK)
        memcpy(ret, text, SECRET_BYTES);
    if (text != NULL)
        crypto_wipe(text, len);
    hc_free(text);
    return err;
}

static enum hc_err read_store(const struct options *options, const struct core_config *core, struct alloc **ret, struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    hc_time saved_at;
    bool downgrade;
    struct alloc *store = NULL;
    *ret = NULL;
    if (options->store == NULL)
        return options->nodes == NULL ? HC_OK : hc_fail(diag, HC_ERR_CONFIG, "--nodes goes with --store");
    enum hc_err err = alloc_new(core, &store);
    if (err == HC_OK && options->nodes != NULL)
        err = os_file_read(AT_FDCWD, options->nodes, FILE_BYTES_MAX, &text, &len, NULL, diag);
    if (err == HC_OK && options->nodes != NULL)
        err = store_parse_nodes(options->nodes, text, len, store, &downgrade, diag);
    hc_free(text);
    text = NULL;
    if (err == HC_OK)
        err = os_file_read(AT_FDCWD, options->store, FILE_BYTES_MAX, &text, &len, NULL, diag);
    if (err == HC_OK)
        err = store_parse_allocation(options->store, text, len, store, &saved_at, diag);
    hc_free(text);
    if (err != HC_OK)
        alloc_free(store);
    else
        *ret = store;
    return err;
}

static void show_progress(void *ctx, const char *segment, uint64_t events)
{
    (void)ctx;
    (void)fprintf(stderr, "replay: %" PRIu64 " events, in %s\n", events, segment);
}

static void show_store(const struct options *options, const struct replay_report *report)
{
    if (options->store == NULL)
        return;
    if (report->store_used)
        (void)printf("store: %s is of generation %" PRIu64 ", with which the journal begins\n", options->store, report->store_generation);
    else
        (void)printf("store: %s is of generation %" PRIu64 ", the journal goes from %" PRIu64 " to %" PRIu64
                     "; after its last event %" PRIu64 " records are as in the file, %" PRIu64 " are not\n", options->store,
                     report->store_generation, report->first_generation, report->last_generation, report->store_same, report->store_other);
}

static int show(const struct options *options, const struct replay_report *report)
{
    (void)printf("replayed: %" PRIu64 " events of %" PRIu64 " segments, which begin with %" PRIu64 " records\n", report->events,
                 report->segments, report->records);
    if (report->torn)
        (void)printf("torn: a segment ends within a line: the daemon died while it was written\n");
    if (report->verdict == REPLAY_SAME) {
        show_store(options, report);
        (void)printf("every decision is the same\n");
        return fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED;
    }
    (void)printf("%s:%" PRIu64 ": event %" PRIu64 " (%s): %s\n", report->file, report->line, report->event, report->type, report->what);
    (void)fflush(stdout);
    return EXIT_FAILED;
}

static enum exit_code code_of(enum hc_err err)
{
    switch (err) {
    case HC_ERR_CONFIG: case HC_ERR_NOTFOUND: return EXIT_USAGE;
    case HC_ERR_NOMEM: case HC_ERR_CRYPTO:    return EXIT_FAILED;
    default:                                  return EXIT_REFUSED;
    }
}

int command_replay(const struct options *options)
{
    struct hc_diag diag = { "" };
    struct core_config core = { .default_district = "" };
    struct replay_report report;
    struct alloc *store = NULL;
    uint8_t secret[SECRET_BYTES];
    enum hc_err err = crypto_start(&diag);
    if (err == HC_OK)
        err = look_at_journal(options, &diag);
    if (err == HC_OK)
        err = read_secret(options, secret, &diag);
    if (err == HC_OK)
        err = read_store(options, &core, &store, &diag);
    const struct replay_config config = { .path = options->argument, .secret = secret, .store = store, .has_nodes = options->nodes != NULL,
                                          .progress = show_progress };
    if (err == HC_OK)
        err = journal_replay(&config, &report, &diag);
    crypto_wipe(secret, sizeof secret);
    alloc_free(store);
    return err == HC_OK ? show(options, &report) : complain(&diag, code_of(err));
}
