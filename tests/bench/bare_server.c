/* bare_server.c - what libmicrohttpd alone can do here: the loop of src/http, an echo of the request's body, padded to the N
 * bytes that the path /N asks for. The ratios of `make bench` are to this. Usage: bare_server. Ends with its parent. */
#include <microhttpd.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define ECHO_MAX    65536
#define WAIT_MAX_MS 250
#define SPIN_TURNS  16                      /* as in src/http: "0 ms" is believed so often in a row, then it is SPIN_MS */
#define SPIN_MS     5
#define CONNECTIONS 1024u

struct echo { size_t len, wanted; char bytes[ECHO_MAX]; };
static bool called_back;

static enum MHD_Result on_request(void *cls, struct MHD_Connection *conn, const char *url, const char *method, const char *version,
                                  const char *upload, size_t *upload_len, void **context)
{
    (void)cls;
    (void)method;
    (void)version;
    called_back = true;
    struct echo *echo = *context;
    if (echo == NULL) {
        echo = malloc(sizeof *echo);
        if (echo == NULL)
            return MHD_NO;
        echo->len = 0;
        echo->wanted = strtoul(url + 1, NULL, 10);
        echo->wanted = echo->wanted < ECHO_MAX ? echo->wanted : ECHO_MAX;
        *context = echo;
        return MHD_YES;
    }
    if (*upload_len > 0) {
        size_t room = ECHO_MAX - echo->len, take = *upload_len < room ? *upload_len : room;
        memcpy(echo->bytes + echo->len, upload, take);
        echo->len += take;
        *upload_len = 0;
        return MHD_YES;
    }
    if (echo->len < echo->wanted) {
        memset(echo->bytes + echo->len, ' ', echo->wanted - echo->len);
        echo->len = echo->wanted;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(echo->len, echo->bytes, MHD_RESPMEM_MUST_COPY);
    if (response == NULL)
        return MHD_NO;
    (void)MHD_add_response_header(response, "Content-Type", "application/json");
    enum MHD_Result queued = MHD_queue_response(conn, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return queued;
}

static void on_completed(void *cls, struct MHD_Connection *conn, void **context, enum MHD_RequestTerminationCode why)
{
    (void)cls;
    (void)conn;
    (void)why;
    free(*context);
    *context = NULL;
}

static int listen_on_loopback(unsigned *ret_port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, SOMAXCONN) < 0 ||
        getsockname(fd, (struct sockaddr *)&at, &(socklen_t){ sizeof at }) < 0)
        return -1;
    *ret_port = ntohs(at.sin_port);
    return fd;
}

static struct MHD_Daemon *start(int fd)
{
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    return MHD_start_daemon(flags, 0, NULL, NULL, on_request, NULL, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd,
                            MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
}

static int serve(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = { .events = EPOLLIN };
    if (info == NULL || epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, info->epoll_fd, &event) < 0)
        return EXIT_FAILURE;
    for (unsigned quiet = 0;;) {
        MHD_UNSIGNED_LONG_LONG wait = WAIT_MAX_MS;
        if (MHD_get_timeout(daemon, &wait) != MHD_YES || wait > WAIT_MAX_MS)
            wait = WAIT_MAX_MS;
        if (wait == 0 && quiet >= SPIN_TURNS)
            wait = SPIN_MS;
        if (epoll_wait(epoll_fd, &event, 1, (int)wait) < 0 && errno != EINTR)
            return EXIT_FAILURE;
        called_back = false;
        (void)MHD_run(daemon);
        quiet = called_back ? 0 : quiet + 1;
    }
}

int main(void)
{
    unsigned port = 0;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int fd = listen_on_loopback(&port);
    struct MHD_Daemon *daemon = fd < 0 ? NULL : start(fd);
    if (daemon == NULL)
        return EXIT_FAILURE;
    (void)printf("ready url=http://127.0.0.1:%u pid=%ld\n", port, (long)getpid());
    return fflush(stdout) == 0 ? serve(daemon) : EXIT_FAILURE;
}
