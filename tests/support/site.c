#include "site.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"

#define OPENSSL_MS  20000
#define LOG_SHOWN   ((size_t)6000)

/* ---- the daemon ---- */

static void make_certificate(struct site *site)
{
    home_path(&site->home, "cert.pem", site->cert);
    home_path(&site->home, "key.pem", site->key);
    const char *const argv[] = { "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                                 "-subj", "/CN=hydracluster", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", site->key,
                                 "-out", site->cert, NULL };
    struct process process;
    process_start(&process, argv, NULL, site->home.log);
    assert_int_equal(process_wait(&process, OPENSSL_MS), 0);
}

void site_daemon_again(struct site *site)
{
    char timers[1024];
    const char *const args[] = { "--tls-cert", site->cert, "--tls-key", site->key, NULL };
    int len = snprintf(timers, sizeof timers, "agentWarmup: 2s\n%s", site->timers == NULL ? "" : site->timers);
    assert_true(len > 0 && len < (int)sizeof timers);
    const struct daemon_options options = { .listen = site->listen[0] == '\0' ? NULL : site->listen, .args = args, .timers = timers,
                                            .ca_file = site->cert };
    daemon_start(&site->daemon, &site->home, &options);
    const char *address = strstr(site->daemon.url, "://");
    assert_non_null(address);
    (void)snprintf(site->listen, sizeof site->listen, "%s", address + 3);
}

void site_open(struct site *site, const char *timers)
{
    *site = (struct site){ .timers = timers, .venue = SITE_VENUE };
    home_init(&site->home);
    make_certificate(site);
    site_daemon_again(site);
}

static struct node enrol(struct site *site, const char *name, const char *role)
{
    struct node node = { .boot_id = "" };
    struct call call = daemon_callf(&site->daemon, site->home.admin_token, "POST", "/api/v1/nodes",
                                    "{\"name\":\"%s\",\"roles\":[\"%s\"],\"venue\":\"%s\",\"ip\":\"127.0.0.1\"}", name, role, site->venue);
    assert_int_equal(call.status, 201);
    (void)snprintf(node.id, sizeof node.id, "%s", call_str(&call, "node_id"));
    (void)snprintf(node.token, sizeof node.token, "%s", call_str(&call, "token"));
    call_free(&call);
    return node;
}

/* ---- bodies ---- */

/* Further lines of a configuration that agent_body_make() wrote. */
static void add_lines(const struct site_body *body, const char *lines)
{
    char file[HOME_PATH_SIZE];
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    (void)snprintf(file, sizeof file, "%s/hydrabody.yaml", body->name);
    char *written = home_read(&body->site->home, file);
    hc_buf_str(&text, written);
    hc_buf_str(&text, lines);
    hc_free(written);
    assert_false(text.failed);
    home_write(&body->site->home, file, text.data);
}

static void start_host(struct site_body *body, const struct site_body_options *options)
{
    char folder[HOME_PATH_SIZE];
    char *apps = agent_body_apps(&body->site->home, body->name, 0);
    (void)snprintf(folder, sizeof folder, "%s-host", body->name);
    const struct sunshine_options with = { .version = options->version, .name = body->name, .username = "venue", .password = "secret-1",
                                           .apps = apps };
    sunshine_start(&body->host, &body->site->home, folder, &with);
    hc_free(apps);
}

json_t *site_row(struct site *site, size_t body, struct call *ret_call)
{
    *ret_call = fleet_slots(&site->daemon);
    return fleet_row(ret_call, site->bodies[body].node.id);
}

static bool is_grantable(void *ctx)
{
    const struct site_body *body = ctx;
    struct call call;
    const json_t *row = site_row(body->site, (size_t)(body - body->site->bodies), &call), *grantable = json_object_get(row, "grantable");
    bool yes = json_is_true(grantable);
    call_free(&call);
    return yes;
}

static void set_enforce(struct site *site, const struct site_body *body)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/slots?force=1", body->node.id);
    struct call call = daemon_call(&site->daemon, site->home.admin_token, "PUT", path, "{\"enforce\":\"enforce\"}");
    assert_int_equal(call.status, 200);
    call_free(&call);
}

struct site_body *site_add_body(struct site *site, const char *name, const struct site_body_options *options)
{
    static const struct site_body_options usual = { 0 };
    assert_true(site->body_count < SITE_BODIES_MAX);
    struct site_body *body = &site->bodies[site->body_count++];
    char lines[HOME_PATH_SIZE + 256];
    *body = (struct site_body){ .site = site };
    options = options == NULL ? &usual : options;
    (void)snprintf(body->name, sizeof body->name, "%s", name);
    body->node = enrol(site, name, "body");
    if (options->enforce)
        set_enforce(site, body);
    start_host(body, options);
    agent_body_make(&body->agent, &site->home, name, site->daemon.url, &body->node, &body->host, 1);
    (void)snprintf(lines, sizeof lines, "ca_file: %s\ngpu: none\ngpu_memory_total_mb: 8192\n", site->cert);
    add_lines(body, lines);
    agent_body_start(&body->agent);
    assert_true(site_waits(site, is_grantable, body, SITE_WAIT_MS));
    return body;
}

/* ---- heads ---- */

struct site_head *site_add_head(struct site *site, const char *name)
{
    assert_true(site->head_count < SITE_HEADS_MAX);
    struct site_head *head = &site->heads[site->head_count++];
    char lines[HOME_PATH_SIZE + 256];
    *head = (struct site_head){ .site = site };
    (void)snprintf(head->name, sizeof head->name, "%s", name);
    (void)snprintf(lines, sizeof lines, "ca_file: %s\naccept: auto\n", site->cert);
    head->node = enrol(site, name, "head");
    agent_head_make(&head->agent, &site->home, name, site->daemon.url, &head->node, &(struct agent_head_options){ .more = lines });
    agent_head_start(&head->agent);
    return head;
}

void site_head_forgets(struct site_head *head)
{
    char folder[HOME_PATH_SIZE], path[HOME_PATH_SIZE + 256];
    (void)snprintf(path, sizeof path, "%s/state/pins", head->name);
    home_path(&head->site->home, path, folder);
    DIR *dir = opendir(folder);
    /* cppcheck-suppress readdirCalled */
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.') {
            (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            assert_int_equal(unlink(path), 0);
        }
    if (dir != NULL)
        (void)closedir(dir);
}

/* ---- the whole ---- */

void site_watch(struct site *site)
{
    const struct sunshine *hosts[SITE_BODIES_MAX];
    for (size_t i = 0; i < site->body_count; i++)
        hosts[i] = &site->bodies[i].host;
    watch_start(&site->watch, hosts, site->body_count);
}

void site_close(struct site *site)
{
    watch_stop(&site->watch);
    for (size_t i = 0; i < site->head_count; i++)
        agent_head_end(&site->heads[i].agent);
    for (size_t i = 0; i < site->body_count; i++) {
        agent_body_end(&site->bodies[i].agent);
        sunshine_end(&site->bodies[i].host);
    }
    daemon_end(&site->daemon);
    site->head_count = site->body_count = 0;
    home_remove(&site->home);
}

static void print_log(const struct site *site, const char *name, const char *file)
{
    char path[HOME_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s%s%s", name, name[0] == '\0' ? "" : "/", file);
    if (!home_has(&site->home, path))
        return;
    char *text = home_read(&site->home, path);
    size_t len = strlen(text);
    (void)fprintf(stderr, "--- end of %s\n%s", path, text + (len > LOG_SHOWN ? len - LOG_SHOWN : 0));
    hc_free(text);
}

static void print_answer(struct site *site, const char *path)
{
    struct call call = daemon_try(&site->daemon, site->home.admin_token, "GET", path, NULL);
    (void)fprintf(stderr, "--- GET %s: %ld\n%s\n", path, call.status, call.text == NULL ? "" : call.text);
    call_free(&call);
}

void site_print_logs(struct site *site)
{
    print_answer(site, "/api/v1/slots");
    print_answer(site, "/api/v1/queue");
    print_log(site, "data", "events.jsonl");
    print_log(site, "", "daemon.log");
    for (size_t i = 0; i < site->body_count; i++) {
        char host[HOME_PATH_SIZE];
        (void)snprintf(host, sizeof host, "%s-host", site->bodies[i].name);
        print_log(site, host, "sunshine.log");
        print_log(site, site->bodies[i].name, "log");
    }
    for (size_t i = 0; i < site->head_count; i++)
        print_log(site, site->heads[i].name, "log");
}

bool site_has_picture(struct site *site, size_t body, size_t head)
{
    struct watched seen = watch_look(&site->watch, body);
    char name[WATCH_NAME_SIZE];
    (void)snprintf(name, sizeof name, "hydra-%s", site->heads[head].node.id);
    return seen.sessions == 1 && strcmp(seen.client, name) == 0;
}

int site_body_of(struct site *site, size_t head)
{
    for (size_t i = 0; i < site->body_count; i++)
        if (site_has_picture(site, i, head))
            return (int)i;
    return -1;
}

struct watched_wait { struct site *site; bool (*is_so)(void *ctx); void *ctx; };
static bool checked(void *ctx)
{
    const struct watched_wait *wait = ctx;
    if (atomic_load(&wait->site->watch.runs))
        watch_check(&wait->site->watch);
    return wait->is_so(wait->ctx);
}

bool site_waits(struct site *site, bool (*is_so)(void *ctx), void *ctx, int64_t at_most_ms)
{
    struct watched_wait wait = { site, is_so, ctx };
    bool yes = wait_until(checked, &wait, at_most_ms);
    if (!yes)
        site_print_logs(site);
    return yes;
}

struct wanted { struct site *site; size_t body, head; long place; const char *status; };
static bool picture_is_there(void *ctx)
{
    const struct wanted *wanted = ctx;
    return site_has_picture(wanted->site, wanted->body, wanted->head);
}

static bool any_picture_is_there(void *ctx)
{
    const struct wanted *wanted = ctx;
    return site_body_of(wanted->site, wanted->head) >= 0;
}

static bool place_is(void *ctx)
{
    const struct wanted *wanted = ctx;
    return agent_head_place(&wanted->site->heads[wanted->head].agent) == wanted->place;
}

static bool status_is(void *ctx)
{
    const struct wanted *wanted = ctx;
    return agent_head_is(&wanted->site->heads[wanted->head].agent, wanted->status);
}

bool site_waits_picture(struct site *site, size_t body, size_t head, int64_t at_most_ms)
{
    struct wanted wanted = { .site = site, .body = body, .head = head };
    return site_waits(site, picture_is_there, &wanted, at_most_ms);
}

bool site_waits_any_picture(struct site *site, size_t head, int64_t at_most_ms)
{
    struct wanted wanted = { .site = site, .head = head };
    return site_waits(site, any_picture_is_there, &wanted, at_most_ms);
}

bool site_waits_place(struct site *site, size_t head, long place, int64_t at_most_ms)
{
    struct wanted wanted = { .site = site, .head = head, .place = place };
    return site_waits(site, place_is, &wanted, at_most_ms);
}

bool site_waits_status(struct site *site, size_t head, const char *status, int64_t at_most_ms)
{
    struct wanted wanted = { .site = site, .head = head, .status = status };
    return site_waits(site, status_is, &wanted, at_most_ms);
}
