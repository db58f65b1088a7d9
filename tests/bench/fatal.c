#include "fatal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void (*last_act)(void);

void at_fatal(void (*clean)(void))
{
    last_act = clean;
}

void fatal(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("bench: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputs("\n", stderr);
    va_end(args);
    void (*act)(void) = last_act;
    last_act = NULL;
    if (act != NULL)
        act();
    exit(EXIT_FAILURE);
}

void *need(void *memory)
{
    if (memory == NULL)
        fatal("out of memory");
    return memory;
}
