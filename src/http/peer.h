/* peer.h - addresses of peers: one form for IPv4 and IPv6, and whom a trusted proxy speaks for. */
#ifndef HYDRA_SRC_HTTP_PEER_H
#define HYDRA_SRC_HTTP_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define HTTP_ADDRESS_TEXT_SIZE 46

struct http_address { uint8_t bytes[16]; };   /* IPv4 as ::ffff:a.b.c.d */

bool http_address_of(const struct sockaddr *from, struct http_address *ret_address);
bool http_address_parse(const char *text, struct http_address *ret_address);
void http_address_format(const struct http_address *address, char out[HTTP_ADDRESS_TEXT_SIZE]);
bool http_address_same(const struct http_address *a, const struct http_address *b);
bool http_address_is_loopback(const struct http_address *address);
bool http_address_among(const struct http_address *address, const struct http_address *list, size_t count);
/* The newest address in `forwarded` (an X-Forwarded-For) that is not itself a proxy of ours. False: none that reads as an address. */
bool http_forwarded_for(const char *forwarded, const struct http_address *proxies, size_t count, struct http_address *ret_address);

#endif
