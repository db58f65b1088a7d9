#include "stream.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/file.h"
#include "session.h"

#define WAKE_MS 100                     /* sessions that the host ends are seen at once; this is for the stop flag */

struct stream { struct host *host; int listen_fd; pthread_t thread; int fds[HOST_SESSIONS_MAX]; };

static void end_session_of(struct host *host, int fd)
{
    host_lock(host);
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
        if (host->sessions[i].number != 0 && host->sessions[i].fd == fd)
            (void)session_end(host, host->sessions[i].number, false);
    host_unlock(host);
}

static void take(struct stream *stream)
{
    int fd = accept4(stream->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    size_t at = 0;
    while (at < HOST_SESSIONS_MAX && stream->fds[at] >= 0)
        at++;
    if (fd < 0)
        return;
    host_lock(stream->host);
    unsigned number = at == HOST_SESSIONS_MAX ? 0 : session_connect(stream->host, fd);
    host_unlock(stream->host);
    if (number == 0) {
        os_close(&fd);
        return;
    }
    char text[32];
    int len = snprintf(text, sizeof text, "session %u\n", number);
    (void)send(fd, text, (size_t)len, MSG_NOSIGNAL);
    stream->fds[at] = fd;
}

static void listen_to(struct stream *stream, size_t at)
{
    char bytes[4096];
    ssize_t got = recv(stream->fds[at], bytes, sizeof bytes, 0);
    if (got > 0 || (got < 0 && errno == EAGAIN))
        return;
    end_session_of(stream->host, stream->fds[at]);
    os_close(&stream->fds[at]);
}

static void *run(void *arg)
{
    struct stream *stream = arg;
    while (!atomic_load(&stream->host->stop)) {
        struct pollfd fds[HOST_SESSIONS_MAX + 1];
        for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
            fds[i] = (struct pollfd){ .fd = stream->fds[i], .events = POLLIN };
        fds[HOST_SESSIONS_MAX] = (struct pollfd){ .fd = stream->listen_fd, .events = POLLIN };
        if (poll(fds, HOST_SESSIONS_MAX + 1, WAKE_MS) <= 0)
            continue;
        for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
            if (stream->fds[i] >= 0 && fds[i].revents != 0)
                listen_to(stream, i);
        if (fds[HOST_SESSIONS_MAX].revents != 0)
            take(stream);
    }
    return NULL;
}

struct stream *stream_start(struct host *host)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(host->rtsp_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct stream *stream = hc_alloc(sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->host = host;
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
        stream->fds[i] = -1;
    stream->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)setsockopt(stream->listen_fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
    if (stream->listen_fd >= 0 && bind(stream->listen_fd, (struct sockaddr *)&at, sizeof at) == 0 &&
        listen(stream->listen_fd, SOMAXCONN) == 0 &&
        getsockname(stream->listen_fd, (struct sockaddr *)&at, &(socklen_t){ sizeof at }) == 0) {
        host->rtsp_port = ntohs(at.sin_port);
        if (pthread_create(&stream->thread, NULL, run, stream) == 0)
            return stream;
    }
    (void)fprintf(stderr, "sunshine_host: port %u: %s\n", host->rtsp_port, strerror(errno));
    os_close(&stream->listen_fd);
    hc_free(stream);
    return NULL;
}

struct stream *stream_stop(struct stream *stream)
{
    if (stream == NULL)
        return NULL;
    (void)pthread_join(stream->thread, NULL);
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
        os_close(&stream->fds[i]);
    os_close(&stream->listen_fd);
    hc_free(stream);
    return NULL;
}
