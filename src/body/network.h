/* network.h - which addresses the local API trusts: networks as in the configuration, 10.10.0.0/16 or fd00::/8. */
#ifndef BODY_NETWORK_H
#define BODY_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

struct network { uint8_t bytes[16]; unsigned bits; bool v6; };

/* ADDRESS/BITS, or an address alone. False: it is neither, or the address has bits set behind the network's. */
bool network_parse(const char *text, struct network *ret);
/* `address` is in digits; an IPv4 one written as IPv6 (::ffff:10.10.0.1) counts as what it is. False for what is no address. */
bool network_has(const struct network *network, const char *address);

#endif
