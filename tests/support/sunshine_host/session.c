#include "session.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "log.h"

#define PING_TIMEOUT_MS 10000
#define HANG_MS         10000           /* a session without an app: the process aborts then */

unsigned session_count(const struct host *host)
{
    unsigned count = 0;
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
        count += host->sessions[i].number != 0;
    return count;
}

void session_arm(struct host *host, const char *address)
{
    if (host->handover.armed)
        return;
    host->handover = (struct handover){ .armed = true, .pem = host_copy(host->last_verified == NULL ? "" : host->last_verified),
                                        .until_ms = os_monotonic_ms() + PING_TIMEOUT_MS };
    (void)snprintf(host->handover.address, sizeof host->handover.address, "%s", address);
}

static void disarm(struct host *host)
{
    hc_free(host->handover.pem);
    host->handover = (struct handover){ 0 };
}

unsigned session_open(struct host *host, const char *pem, const char *address, int fd)
{
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++) {
        struct session *session = &host->sessions[i];
        if (session->number != 0)
            continue;
        *session = (struct session){ .number = ++host->session_numbers, .pem = host_copy(pem), .since_ms = os_monotonic_ms(), .fd = fd };
        (void)snprintf(session->address, sizeof session->address, "%s", address);
        log_line("Info", "New streaming session started [active sessions: %u]", session_count(host));
        log_line("Info", "CLIENT CONNECTED");
        return session->number;
    }
    return 0;
}

/* The stream of nothing: it is cut off, and the thread that ends it never comes back. */
static void hang(struct host *host)
{
    log_line("Info", "New streaming session started [active sessions: 1]");
    log_line("Info", "CLIENT CONNECTED");
    log_line("Info", "Process terminated");
    host->hang_until_ms = os_monotonic_ms() + HANG_MS;
}

unsigned session_connect(struct host *host, int fd)
{
    if (!host->handover.armed)
        return 0;
    unsigned number = 0;
    if (host->running.id == 0)
        hang(host);
    else
        number = session_open(host, host->handover.pem, host->handover.address, fd);
    disarm(host);
    return number;
}

static void end(struct session *session, bool timed_out)
{
    if (timed_out)
        log_line("Info", "%s: Ping Timeout", session->address);
    log_line("Info", "CLIENT DISCONNECTED");
    if (session->fd >= 0)
        (void)shutdown(session->fd, SHUT_RDWR);     /* the stream port's thread sees the end and closes it */
    hc_free(session->pem);
    *session = (struct session){ .fd = -1 };
}

bool session_end(struct host *host, unsigned number, bool timed_out)
{
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
        if (host->sessions[i].number == number && number != 0) {
            end(&host->sessions[i], timed_out);
            return true;
        }
    return false;
}

unsigned session_end_all(struct host *host)
{
    unsigned count = 0;
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
        if (host->sessions[i].number != 0) {
            end(&host->sessions[i], false);
            count++;
        }
    if (count > 0)
        log_line("Info", "Process terminated");
    return count;
}

unsigned session_end_of(struct host *host, const char *pem)
{
    unsigned count = 0;
    for (size_t i = 0; i < HOST_SESSIONS_MAX; i++)
        if (host->sessions[i].number != 0 && strcmp(host->sessions[i].pem, pem) == 0) {
            end(&host->sessions[i], false);
            count++;
        }
    return count;
}

void session_tick(struct host *host)
{
    if (host->handover.armed && os_monotonic_ms() >= host->handover.until_ms) {
        log_line("Error", "Initial Ping Timeout");
        disarm(host);
    }
}
