/* raw.h - bytes on a socket, for what no well-behaved client does: half-open connections, headers by the byte, readers that stop. */
#ifndef RAW_H
#define RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAW_TEXT_SIZE 16384

int raw_connect(const char *url);                       /* to the address and port of http://A.B.C.D:P; blocking */
void raw_close(int *fd);
void raw_send(int fd, const char *text);
bool raw_try_send(int fd, const char *text);            /* false: the other side is gone */
/* Reads until `text` holds `until`, the other side closes, or the time is over. True: found. `text` ends with NUL. */
bool raw_read(int fd, const char *until, char text[RAW_TEXT_SIZE], int64_t at_most_ms);
/* True: the other side closed (or reset) within the time; what came before is thrown away. */
bool raw_closed(int fd, int64_t at_most_ms);
/* The status of the one answer to these bytes on a connection of its own, which they must ask to close; 0: closed without an answer.
 * `answer` may be NULL. */
long raw_ask(const char *url, const char *bytes, char answer[RAW_TEXT_SIZE], int64_t at_most_ms);

#endif
