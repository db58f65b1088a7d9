#include "child_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define END_OF_VALUE "& \"',;)"

static const char *const hidden[] = { "rikey", "rikeyid", "salt", "pin", "token", "password", "key", "clientcert" };

static bool is_hidden(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (strlen(hidden[i]) == len && strncasecmp(hidden[i], name, len) == 0)
            return true;
    return false;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

void child_line_clean(char *line)
{
    for (char *equals = strchr(line, '='); equals != NULL; equals = strchr(equals + 1, '=')) {
        char *name = equals;
        while (name > line && in_name(name[-1]))
            name--;
        if (!is_hidden(name, (size_t)(equals - name)))
            continue;
        size_t len = strcspn(equals + 1, END_OF_VALUE), dots = len < 3 ? len : 3;
        memset(equals + 1, '.', dots);
        memmove(equals + 1 + dots, equals + 1 + len, strlen(equals + 1 + len) + 1);
    }
}
