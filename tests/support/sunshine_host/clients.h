/* clients.h - the store of paired certificates, and who is let in on 47984. All functions: locked, or before the threads. */
#ifndef CLIENTS_H
#define CLIENTS_H

#include "host.h"

/* Appends, never replaces: the same certificate twice is two entries. uuid "": a new one. NULL: no certificate, or the store is full. */
struct client *clients_add(struct host *host, const char *name, const char *pem, const char *uuid, bool enabled);
struct client *clients_by_uuid(struct host *host, const char *uuid);
struct client *clients_by_name(struct host *host, const char *name);        /* the first */
struct client *clients_by_pem(struct host *host, const char *pem);          /* the first; exact text */
void clients_remove(struct host *host, struct client *client);
enum client_verdict { CLIENT_IN, CLIENT_UNKNOWN, CLIENT_DISABLED };
enum client_verdict clients_judge(struct host *host, X509 *peer);

#endif
