/* trace.c - the last lines of a run, and a digest of all of them: one seed, one digest. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"

void sim_trace(struct sim *sim, const char *format, ...)
{
    char *line = sim->lines[sim->line_count++ % SIM_TRACE_LINES];
    int head = snprintf(line, SIM_LINE_SIZE, "#%llu %lld.%03llds ", (unsigned long long)sim->event_number,
        (long long)((sim->now - sim->began_at) / 1000), (long long)((sim->now - sim->began_at) % 1000));
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line + head, (size_t)(SIM_LINE_SIZE - head), format, args);
    va_end(args);
    sim->digest = hc_fnv1a64(sim->digest, line);
}

void sim_violation(struct sim *sim, const char *format, ...)
{
    if (sim->violations++ > 0)
        return;                          /* the first one explains the rest */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sim->violation, sizeof sim->violation, format, args);
    va_end(args);
    sim_trace(sim, "VIOLATION %s", sim->violation);
}

void sim_print_trace(const struct sim *sim)
{
    size_t first = sim->line_count > SIM_TRACE_LINES ? sim->line_count - SIM_TRACE_LINES : 0;
    for (size_t i = first; i < sim->line_count; i++)
        printf("  %s\n", sim->lines[i % SIM_TRACE_LINES]);
}
