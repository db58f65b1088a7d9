#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "hydra/os/file.h"

union any_address { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; };

static socklen_t read_address(const char *address, uint16_t port, union any_address *out)
{
    *out = (union any_address){ 0 };
    if (inet_pton(AF_INET, address, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons(port);
        return sizeof out->v4;
    }
    if (inet_pton(AF_INET6, address, &out->v6.sin6_addr) == 1) {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons(port);
        return sizeof out->v6;
    }
    return 0;
}

enum hc_err http_listen(const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port, struct hc_diag *diag)
{
    union any_address at;
    socklen_t len = read_address(address, port, &at);
    if (len == 0)
        return hc_fail(diag, HC_ERR_CONFIG, "cannot listen on \"%s\": not an IPv4 or IPv6 address", address);
    HC_CLEANUP(os_close) int fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return hc_fail(diag, HC_ERR_NET, "cannot make a socket: %s", strerror(errno));
    int on = 1;                                   /* a restart on the same port works at once */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 || bind(fd, &at.any, len) < 0 || listen(fd, SOMAXCONN) < 0 ||
        getsockname(fd, &at.any, &(socklen_t){ sizeof at }) < 0)
        return hc_fail(diag, HC_ERR_NET, "cannot listen on %s port %u: %s", address, port, strerror(errno));
    *ret_port = ntohs(at.any.sa_family == AF_INET ? at.v4.sin_port : at.v6.sin6_port);
    *ret_fd = fd;
    fd = -1;
    return HC_OK;
}
