/* Lines for the user's log callback; nothing is formatted if there is none. */
#include "integrate/integrate.h"

#include <stdarg.h>
#include <stdio.h>

void dfl_log(const dfl_solver_options *options, dfl_log_level level, const char *format, ...)
{
    char text[512];
    va_list args;
    if (!options->log)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    options->log(level, text, options->user);
}
