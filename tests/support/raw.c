#include "raw.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#define STATUS_AT 9                     /* "HTTP/1.1 " */

int raw_connect(const char *url)
{
    char host[64] = "";
    unsigned port = 0;
    assert_int_equal(sscanf(url, "%*[a-z]://%63[0-9.]:%u", host, &port), 2);
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    assert_int_equal(inet_pton(AF_INET, host, &to.sin_addr), 1);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0)
        fail_msg("connect to %s: %s", url, strerror(errno));
    return fd;
}

void raw_close(int *fd)
{
    os_close(fd);
}

bool raw_try_send(int fd, const char *text)
{
    for (size_t sent = 0, len = strlen(text); sent < len;) {
        ssize_t got = send(fd, text + sent, len - sent, MSG_NOSIGNAL);
        if (got <= 0)
            return false;
        sent += (size_t)got;
    }
    return true;
}

void raw_send(int fd, const char *text)
{
    assert_true(raw_try_send(fd, text));
}

/* Bytes read; 0: closed or reset; -1: nothing came in time. */
static ssize_t read_some(int fd, char *out, size_t size, int64_t at_most_ms)
{
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    if (poll(&poll_fd, 1, at_most_ms < 0 ? 0 : (int)at_most_ms) <= 0)
        return -1;
    ssize_t got = recv(fd, out, size, 0);
    return got < 0 ? 0 : got;
}

bool raw_read(int fd, const char *until, char text[RAW_TEXT_SIZE], int64_t at_most_ms)
{
    int64_t end = os_monotonic_ms() + at_most_ms;
    size_t len = 0;
    text[0] = '\0';
    while (len < RAW_TEXT_SIZE - 1) {
        ssize_t got = read_some(fd, text + len, RAW_TEXT_SIZE - 1 - len, end - os_monotonic_ms());
        if (got <= 0)
            return false;
        len += (size_t)got;
        text[len] = '\0';
        if (until[0] != '\0' && strstr(text, until) != NULL)
            return true;
    }
    return false;
}

bool raw_closed(int fd, int64_t at_most_ms)
{
    int64_t end = os_monotonic_ms() + at_most_ms;
    char thrown_away[RAW_TEXT_SIZE];
    for (;;) {
        ssize_t got = read_some(fd, thrown_away, sizeof thrown_away, end - os_monotonic_ms());
        if (got <= 0)
            return got == 0;
    }
}

long raw_ask(const char *url, const char *bytes, char answer[RAW_TEXT_SIZE], int64_t at_most_ms)
{
    char own[RAW_TEXT_SIZE], *text = answer == NULL ? own : answer;
    HC_CLEANUP(os_close) int fd = raw_connect(url);
    (void)raw_try_send(fd, bytes);
    (void)raw_read(fd, "", text, at_most_ms);
    return strncmp(text, "HTTP/1.", strlen("HTTP/1.")) == 0 ? strtol(text + STATUS_AT, NULL, 10) : 0;
}
