/* command_line.h: the arguments of all subcommands. One table spells every option, so that the same thing is
   written the same way everywhere, and `--help` is made from it. */
#ifndef DFL_COMMAND_LINE_H
#define DFL_COMMAND_LINE_H

#include "study/study.h"

#include <stdbool.h>
#include <stdio.h>

/* Subcommands, as bits. */
enum {
    CLI_RUN = 1 << 0,
    CLI_CHECK = 1 << 1,
    CLI_INIT = 1 << 2,
    CLI_EQUATIONS = 1 << 3,
    CLI_EXPORT = 1 << 4,
    CLI_VIEW = 1 << 5,
    CLI_COMPARE = 1 << 6
};

typedef struct cli_arguments {
    const char *model; /* path of the script, or of the result to view */
    dfl_choices choices;
    const char *report, *plot, *columns; /* or NULL */
    const char *forms, *methods, *tol;   /* lists of a comparison, or NULL */
    double limit;                        /* s; NAN: the default */
    const char **set, **output;
    int nset, noutput;
    bool json, quiet, lua, latex, frames, c, octave, help;
} cli_arguments;

/* Reads the arguments behind the subcommand's name. The caller clears `out` also after a failure. The
   strings stay those of argv. DFL_INVALID: says which argument is wrong and what to write. */
dfl_status cli_arguments_read(cli_arguments *out, dfl_context *ctx, unsigned command, int argc,
                              char **argv);
void cli_arguments_clear(cli_arguments *arguments, dfl_context *ctx);

/* Prints the list of options of one subcommand. */
void cli_options_print(FILE *file, unsigned command);

#endif
