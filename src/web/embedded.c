#include "embedded.h"

#include <string.h>

const struct web_file *web_file_find(const char *name)
{
    for (const struct web_file *file = web_files; file->name != NULL; file++)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}
