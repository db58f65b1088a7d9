#include "config_values.h"

#include <stdlib.h>
#include <string.h>

#include "hydra/base/id.h"
#include "hydra/http/http.h"

#define ADDRESS_MAX 64
#define PORT_MAX    65535UL

/* Digits only, from 0 to 65535, to the end of the text. */
static bool port_read(const char *text, uint16_t *ret_port)
{
    char *end = NULL;
    unsigned long port = *text < '0' || *text > '9' ? PORT_MAX + 1 : strtoul(text, &end, 10);
    if (port > PORT_MAX || *end != '\0')
        return false;
    *ret_port = (uint16_t)port;
    return true;
}

static bool address_ok(const char *from, size_t len)
{
    char address[ADDRESS_MAX];
    if (len == 0 || len >= sizeof address)
        return false;
    memcpy(address, from, len);
    address[len] = '\0';
    return strcmp(address, "localhost") == 0 || http_address_ok(address);
}

bool listen_split(const char *listen, const char **ret_address, size_t *ret_len, uint16_t *ret_port)
{
    const char *colon = strrchr(listen, ':');
    if (colon == NULL || !port_read(colon + 1, ret_port))
        return false;
    size_t len = (size_t)(colon - listen);
    bool brackets = len >= 2 && listen[0] == '[' && listen[len - 1] == ']';
    *ret_address = brackets ? listen + 1 : listen;
    *ret_len = brackets ? len - 2 : len;
    return address_ok(*ret_address, *ret_len);
}

static bool listen_ok(const char *text)
{
    const char *address;
    size_t len;
    uint16_t port;
    return listen_split(text, &address, &len, &port);
}

/* A name, or an address (IPv6 in brackets), and perhaps a port. */
static bool authority_ok(const char *from, size_t len)
{
    char host[HC_NAME_SIZE + ADDRESS_MAX];
    uint16_t port;
    if (len == 0 || len >= sizeof host)
        return false;
    memcpy(host, from, len);
    host[len] = '\0';
    char *close = host[0] == '[' ? strchr(host, ']') : NULL;
    if (host[0] == '[') {
        if (close == NULL || (close[1] != '\0' && (close[1] != ':' || !port_read(close + 2, &port) || port == 0)))
            return false;
        *close = '\0';
        return strchr(host, ':') != NULL && http_address_ok(host + 1);
    }
    char *colon = strchr(host, ':');
    if (colon != NULL) {
        *colon = '\0';
        if (!port_read(colon + 1, &port) || port == 0)
            return false;
    }
    return hc_id_ok(host);               /* letters, digits, dots, dashes: what a host name is made of */
}

/* What enrolled devices are told: they append /api/v1 to it. */
static bool url_ok(const char *text)
{
    static const char *const schemes[] = { "https://", "http://" };
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t len = strlen(schemes[i]);
        if (strncmp(text, schemes[i], len) != 0)
            continue;
        const char *host = text + len, *path = host + strcspn(host, "/");
        for (const char *c = path; *c != '\0'; c++)
            if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f || *c == '?' || *c == '#')
                return false;
        return authority_ok(host, (size_t)(path - host));
    }
    return false;
}

static bool is_said(const char *text)
{
    return text[0] != '\0';
}

struct value_row { const char *key; bool (*ok)(const char *text); const char *says; };
static const struct value_row rows[] = {
    { "data_dir", is_said, "must name a folder" },
    { "listen", listen_ok, "must be ADDRESS:PORT, for example 127.0.0.1:8080 or [::]:8443" },
    { "tls_cert", is_said, "must name a file" },
    { "tls_key", is_said, "must name a file" },
    { "timers_file", is_said, "must name a file" },
    { "district", hc_name_ok, "must be a name of 1 to 128 bytes without control characters" },
    { "server_url", url_ok, "must be http://HOST[:PORT] or https://HOST[:PORT], perhaps with a path" },
    { "trusted_proxies", http_address_ok, "must be an IP address, for example 10.0.0.7" },
};

static enum hc_err check(const char *file, const struct value_row *row, const struct yaml_node *node, struct hc_diag *diag)
{
    return row->ok(node->scalar) ? HC_OK : yaml_fail(diag, file, node, row->key, "%s", row->says);
}

enum hc_err config_values_check(const char *file, const struct yaml_node *root, struct hc_diag *diag)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && err == HC_OK; i++) {
        const struct yaml_node *node = yaml_get(root, rows[i].key);
        if (node == NULL || yaml_is_null(node))
            continue;
        if (node->kind == YAML_SCALAR)
            err = check(file, &rows[i], node, diag);
        for (size_t k = 0; node->kind == YAML_SEQ && k < node->count && err == HC_OK; k++)
            err = check(file, &rows[i], node->items[k], diag);
    }
    return err;
}
