#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "hydra/os/clock.h"

static struct { pthread_mutex_t mutex; FILE *file; bool dashed, debug; } the_log = { .mutex = PTHREAD_MUTEX_INITIALIZER };

bool log_open(const struct host *host)
{
    char path[HOST_PATH_SIZE], old[HOST_PATH_SIZE];
    host_path(host, "sunshine.log", path);
    host_path(host, "sunshine.log.1", old);
    (void)rename(path, old);
    the_log.file = fopen(path, "we");
    the_log.dashed = host->version->dashed_log;
    the_log.debug = host->debug;
    return the_log.file != NULL;
}

void log_close(void)
{
    if (the_log.file != NULL)
        (void)fclose(the_log.file);
    the_log.file = NULL;
}

void log_line(const char *level, const char *format, ...)
{
    hc_time now = os_wall();
    time_t seconds = (time_t)(now.ms / 1000);
    struct tm parts;
    char date[64];
    if (the_log.file == NULL || (!the_log.debug && strcmp(level, "Debug") == 0))
        return;
    (void)localtime_r(&seconds, &parts);
    (void)strftime(date, sizeof date, the_log.dashed ? "%Y-%m-%d %H:%M:%S" : "%Y:%m:%d:%H:%M:%S", &parts);
    va_list args;
    va_start(args, format);
    (void)pthread_mutex_lock(&the_log.mutex);
    if (the_log.dashed)
        (void)fprintf(the_log.file, "[%s.%03d]: %s: ", date, (int)(now.ms % 1000), level);
    else
        (void)fprintf(the_log.file, "[%s]: %s: ", date, level);
    (void)vfprintf(the_log.file, format, args);
    (void)fputc('\n', the_log.file);
    (void)fflush(the_log.file);
    (void)pthread_mutex_unlock(&the_log.mutex);
    va_end(args);
}
