/* main.c - sunshine_host: a program that behaves like the Sunshine game-stream host, for tests of what talks to one.
 *
 * It shows no pictures. Everything else is real: TLS, pairing, the web API, prep commands as processes, the log, the files. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "app.h"
#include "control.h"
#include "gamestream.h"
#include "host.h"
#include "session.h"
#include "stream.h"
#include "web.h"

#define PORT_MAX  65535
#define TURN_MS   50
#define ARGS_MAX  24

static struct host host = { 0 };
static const char *username, *password_file;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&host.stop, true);
}

static int usage(void)
{
    (void)fprintf(stderr, "usage: sunshine_host --dir DIR [--http PORT] [--https PORT] [--web PORT] [--rtsp PORT] [--version VERSION]\n"
                          "       [--name NAME] [--username NAME --password-file FILE] [--credentials-file FILE] [--debug]\n"
                          "versions: %s\n", version_words());
    return 2;
}

/* False: not a port. */
static bool read_port(const char *text, uint16_t *ret_port)
{
    char *end;
    long port = strtol(text, &end, 10);
    if (*end != '\0' || end == text || port < 0 || port > PORT_MAX)
        return false;
    *ret_port = (uint16_t)port;
    return true;
}

static bool read_option(int option, const char *value)
{
    switch (option) {
    case 'd': return snprintf(host.dir, sizeof host.dir, "%s", value) < (int)sizeof host.dir;
    case 'h': return read_port(value, &host.http_port);
    case 's': return read_port(value, &host.https_port);
    case 'w': return read_port(value, &host.web_port);
    case 'r': return read_port(value, &host.rtsp_port);
    case 'v': return (host.version = version_find(value)) != NULL;
    case 'n': return snprintf(host.name, sizeof host.name, "%s", value) < (int)sizeof host.name;
    case 'u': return (username = value)[0] != '\0';
    case 'p': return (password_file = value)[0] != '\0';
    case 'c': return snprintf(host.credentials_path, sizeof host.credentials_path, "%s", value) < (int)sizeof host.credentials_path;
    case 'g': return host.debug = true;
    default:  return false;
    }
}

static bool read_options(int argc, char **argv)
{
    static const struct option options[] = {
        { "dir", required_argument, NULL, 'd' },      { "http", required_argument, NULL, 'h' },
        { "https", required_argument, NULL, 's' },    { "web", required_argument, NULL, 'w' },
        { "rtsp", required_argument, NULL, 'r' },     { "version", required_argument, NULL, 'v' },
        { "name", required_argument, NULL, 'n' },     { "username", required_argument, NULL, 'u' },
        { "password-file", required_argument, NULL, 'p' }, { "credentials-file", required_argument, NULL, 'c' },
        { "debug", no_argument, NULL, 'g' },          { 0 },
    };
    host.version = version_find("v2026.816");
    (void)snprintf(host.name, sizeof host.name, "sunshine");
    for (int option = getopt_long(argc, argv, "", options, NULL); option != -1; option = getopt_long(argc, argv, "", options, NULL))
        if (!read_option(option, optarg))
            return false;
    return optind == argc && host.dir[0] != '\0' && (username == NULL) == (password_file == NULL);
}

static bool read_password(char *out, size_t size)
{
    FILE *file = fopen(password_file, "re");
    if (file == NULL || fgets(out, (int)size, file) == NULL) {
        (void)fprintf(stderr, "sunshine_host: no password in %s\n", password_file);
        if (file != NULL)
            (void)fclose(file);
        return false;
    }
    (void)fclose(file);
    out[strcspn(out, "\r\n")] = '\0';
    return true;
}

static bool start_servers(struct stream **ret_stream)
{
    *ret_stream = stream_start(&host);
    host.https = server_start(host.version->waits_for_close ? &gamestream_https_ops : &gamestream_https_old_ops, &host, &host.https_port);
    host.web = server_start(&web_ops, &host, &host.web_port);
    host.http = server_start(&gamestream_http_ops, &host, &host.http_port);         /* the last: it tells the port of 47984 */
    return *ret_stream != NULL && host.http != NULL && host.https != NULL && host.web != NULL;
}

static void serve(int control_fd)
{
    (void)printf("ready http=%u https=%u web=%u rtsp=%u pid=%ld\n", host.http_port, host.https_port, host.web_port, host.rtsp_port,
                 (long)getpid());
    (void)fflush(stdout);
    while (!atomic_load(&host.stop)) {
        control_serve(&host, control_fd, TURN_MS);
        app_tick(&host);
    }
}

static void put_port(char *args[ARGS_MAX], size_t *count, char *text, size_t size, const char *name, unsigned port)
{
    (void)snprintf(text, size, "--%s=%u", name, port);
    args[(*count)++] = text;
}

/* The service starts it again: the same program on the same ports. */
static int start_again(int argc, char **argv)
{
    char *args[ARGS_MAX], ports[4][32];
    size_t count = 0;
    for (int i = 0; i < argc && count < ARGS_MAX - 5; i++)
        args[count++] = argv[i];
    put_port(args, &count, ports[0], sizeof ports[0], "http", host.http_port);      /* the last one counts */
    put_port(args, &count, ports[1], sizeof ports[1], "https", host.https_port);
    put_port(args, &count, ports[2], sizeof ports[2], "web", host.web_port);
    put_port(args, &count, ports[3], sizeof ports[3], "rtsp", host.rtsp_port);
    args[count] = NULL;
    (void)execv("/proc/self/exe", args);
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    char password[HOST_NAME_SIZE] = "";
    struct stream *stream = NULL;
    if (!read_options(argc, argv))
        return usage();
    if (password_file != NULL && !read_password(password, sizeof password))
        return EXIT_FAILURE;
    struct sigaction action = { .sa_handler = on_signal };
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    os_clock_start();
    if (!host_open(&host, username, password))
        return EXIT_FAILURE;
    int control_fd = control_listen(&host);
    bool started = control_fd >= 0 && start_servers(&stream);
    if (started)
        serve(control_fd);
    atomic_store(&host.stop, true);
    (void)app_terminate(&host);                         /* its process dies with the thread that started it */
    host.http = server_stop(host.http);
    host.https = server_stop(host.https);
    host.web = server_stop(host.web);
    (void)app_terminate(&host);
    stream = stream_stop(stream);
    host_close(&host);
    if (control_fd >= 0)
        (void)close(control_fd);
    if (started && atomic_load(&host.restart))
        return start_again(argc, argv);
    return started ? EXIT_SUCCESS : EXIT_FAILURE;
}
