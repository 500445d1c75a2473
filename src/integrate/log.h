/* log.h: lines for the user's log callback. */
#ifndef DFL_LOG_H
#define DFL_LOG_H
#include <driftless/options.h>

/* Formats a line and hands it to options->log, if there is one. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void dfl_log(const dfl_solver_options *options, dfl_log_level level, const char *format, ...);

#endif
