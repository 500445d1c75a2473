/* command_line.h: the subcommands, their options and their arguments. Settings of a run come
   from the table of the module settings, options of the program alone from option_table.c; the
   parser, `--help`, the completions of shells and the manual page are made from both. */
#ifndef DFL_COMMAND_LINE_H
#define DFL_COMMAND_LINE_H

#include <driftless/settings.h>

#include <stdbool.h>
#include <stdio.h>

/* Subcommands, as bits. */
enum {
    CLI_RUN = DFL_FOR_RUN,
    CLI_CHECK = DFL_FOR_CHECK,
    CLI_INIT = DFL_FOR_INIT,
    CLI_COMPARE = DFL_FOR_COMPARE,
    CLI_EQUATIONS = 1 << 4,
    CLI_EXPORT = 1 << 5,
    CLI_VIEW = 1 << 6,
    CLI_LINEARIZE = 1 << 7,
    CLI_MODES = 1 << 8,
    CLI_EQUILIBRIUM = 1 << 9,
    CLI_RESPONSE = 1 << 10,
    CLI_LQR = 1 << 11,
    CLI_INVERSE = 1 << 12,
    CLI_GRADIENT = 1 << 13,
    CLI_OPTIMIZE = 1 << 14,
    CLI_SWEEP = 1 << 15,
    CLI_ALL = (1 << 16) - 1,
    CLI_LINEAR = CLI_LINEARIZE | CLI_MODES | CLI_RESPONSE | CLI_LQR, /* at a state: --at */
    CLI_NEAR = CLI_LINEAR | CLI_EQUILIBRIUM
};

enum { CLI_COMMANDS = 16 };
typedef struct cli_command {
    const char *name;
    unsigned bit;
    const char *argument; /* "MODEL.lua" */
    const char *endings;  /* of the files that it reads, for completions: "lua" */
    const char *purpose;  /* one line */
} cli_command;
extern const cli_command cli_commands[CLI_COMMANDS];

typedef struct cli_arguments {
    const char *command;                       /* its name */
    const char *model;                         /* path of the script, or of the result to view */
    const char *settings[DFL_MOST_SETTINGS];   /* values by number; NULL: not given */
    const char *report, *plot, *columns;       /* or NULL */
    const char *start_from;                    /* a file with a state, or NULL */
    const char *save;                          /* a file for the state at the end, or NULL */
    const char *forms, *methods, *tol;         /* lists of a comparison, or NULL */
    double limit;                              /* s; NAN: the default */
    const char *at, *steady;                   /* where an analysis is made, or NULL */
    const char *inputs, *outputs;              /* names, or NULL: all */
    const char *over;                          /* NAME=FIRST:LAST:COUNT, or NULL */
    double count;                              /* modes or samples that are wanted; NAN: all */
    double starts;                             /* of searches; NAN: one */
    const char *along;                         /* FIRST:LAST:COUNT, times, or NULL */
    double first, last, points;                /* frequencies of a response; NAN: not given */
    double step, impulse, size;                /* s after a kick; its size; NAN: not given */
    const char *state_weight, *input_weight;   /* NAME=VALUE,..., or NULL */
    const char *by;                            /* names, or NULL */
    const char *algorithm;                     /* of optimize, or NULL */
    const char *derivatives, *error_control;   /* of gradient, or NULL */
    const char *fmu, *kind;                    /* version and kind of an FMU, or NULL */
    const char *sid;                           /* an elastic body to export, or NULL */
    double projection;                         /* its tolerance; NAN: the default */
    const char *design, *cases, *csv, *resume; /* of a study, or NULL */
    double seed, bootstrap, threads, case_seconds, case_memory; /* likewise; NAN: not given */
    const char **set, **input, **output, **of, **overs, **sample;
    int nset, ninput, noutput, nof, novers, nsample;
    bool json, quiet, all_events, statistics, lua, latex, frames, c, octave, sfunction, sources,
        windows, logarithmic, hz, help;
    bool all_unknowns, check, allow_fmu, replace;
} cli_arguments;

typedef enum cli_option_kind {
    CLI_SETTING,
    CLI_FLAG,
    CLI_POSITIVE,
    CLI_NUMBER,
    CLI_TEXT,
    CLI_LIST
} cli_option_kind;

/* An option as users see it. */
typedef struct cli_option {
    char name[2 * DFL_LONGEST_SETTING]; /* "max-step" */
    cli_option_kind kind;
    unsigned commands;
    const char *value;        /* what the help calls the value; NULL: it takes none */
    const char *unit;         /* of a number, or NULL */
    const char *standard;     /* the default, for people, or NULL */
    const char *help;         /* one line */
    const char *manual;       /* sentences, or NULL */
    const char *const *words; /* values, or NULL */
    bool several;             /* words separated by commas, or "all" */
    const char *endings;      /* of files, such as "csv h5", or NULL */
    size_t offset;            /* of its field in cli_arguments; CLI_LIST: of the strings */
    size_t count;             /* CLI_LIST: of the number of strings */
    int setting;              /* CLI_SETTING: its number */
} cli_option;

/* Option number i, from 0; false after the last one. There are fewer than CLI_MOST_OPTIONS. */
enum { CLI_MOST_OPTIONS = 250 };
bool cli_option_at(cli_option *out, int i);

/* Reads the arguments after the subcommand's name. The caller clears `out`, even after a failure.
   Strings point into argv. DFL_INVALID: the message says which argument is wrong and what to
   write. */
dfl_status cli_arguments_read(cli_arguments *out, dfl_context *ctx, unsigned command, int argc,
                              char **argv);
void cli_arguments_clear(cli_arguments *arguments, dfl_context *ctx);

/* Prints the list of options of one subcommand. */
void cli_options_print(FILE *file, unsigned command);

#endif
