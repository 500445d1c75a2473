/* command_line.c: one table of options, the parser that obeys it, and the help made from it. */
#include "cli/command_line.h"

#include "context/text.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { FLAG, NUMBER, POSITIVE, COUNT, WORD, LIST } option_kind;

typedef struct option {
    const char *name, *value, *help;
    unsigned commands;
    option_kind kind;
    size_t offset; /* of its field in cli_arguments; LIST: of the strings */
    size_t count;  /* LIST: of the number of strings */
} option;

#define AT(field) offsetof(cli_arguments, field)
static const option table[] = {
    {"to", "T", "end of the simulated time (default: simulate{to=} of the model)",
     CLI_RUN | CLI_COMPARE, NUMBER, AT(choices.to), 0},
    {"from", "T", "start of the simulated time (default: 0)",
     CLI_RUN | CLI_CHECK | CLI_INIT | CLI_COMPARE, NUMBER, AT(choices.from), 0},
    {"rtol", "R", "relative tolerance (default: 1e-6)", CLI_RUN | CLI_CHECK | CLI_INIT, POSITIVE,
     AT(choices.rtol), 0},
    {"atol", "A", "absolute tolerance, in each variable's unit (default: as rtol)",
     CLI_RUN | CLI_CHECK | CLI_INIT, POSITIVE, AT(choices.atol), 0},
    {"every", "DT", "rows at this distance of time (default: one per step)", CLI_RUN, POSITIVE,
     AT(choices.every), 0},
    {"interpolate", NULL,
     "rows of --every interpolated between longer steps (default: steps end there)", CLI_RUN, FLAG,
     AT(choices.interpolate), 0},
    {"form", "NAME",
     "what is integrated: psf, all constraints at every step (default); psi1, eom ...",
     CLI_RUN | CLI_CHECK | CLI_INIT, WORD, AT(choices.form), 0},
    {"baumgarte-alpha", "A", "1/s: damping of the form baumgarte (default: 10)", CLI_RUN, NUMBER,
     AT(choices.baumgarte_alpha), 0},
    {"baumgarte-beta", "B", "1/s: its stiffness, squared (default: as alpha)", CLI_RUN, NUMBER,
     AT(choices.baumgarte_beta), 0},
    {"lagged", NULL, "multipliers of ggl, ext316, ext317, pinv act through the last constraints",
     CLI_RUN, FLAG, AT(choices.lagged), 0},
    {"independent", "A,B,C", "coordinates of the form partition (default: chosen as it pays)",
     CLI_RUN, WORD, AT(choices.independent), 0},
    {"start", "HOW", "project: initial values made consistent (default); as-given", CLI_RUN, WORD,
     AT(choices.start), 0},
    {"method", "NAME", "radau (default), radau5 ..., bdf, bdf1 ..., trapezoidal, midpoint", CLI_RUN,
     WORD, AT(choices.method), 0},
    {"first-step", "H", "size of the first step (default: estimated)", CLI_RUN | CLI_COMPARE,
     POSITIVE, AT(choices.first_step), 0},
    {"max-step", "H", "largest step (default: no limit)", CLI_RUN | CLI_COMPARE, POSITIVE,
     AT(choices.max_step), 0},
    {"fixed-step", "H", "steps of this size, without error control", CLI_RUN | CLI_COMPARE,
     POSITIVE, AT(choices.fixed_step), 0},
    {"max-steps", "N", "give up after so many attempted steps (default: 10000000)",
     CLI_RUN | CLI_COMPARE, COUNT, AT(choices.max_steps), 0},
    {"evaluation", "HOW",
     "tape, native (compiled), recursion (mechanisms), or auto (default: the fastest)",
     CLI_RUN | CLI_COMPARE, WORD, AT(choices.evaluation), 0},
    {"forms", "A,B,C", "forms, or all (default: psf,ggl,eom2,eom1,eom)", CLI_COMPARE, WORD,
     AT(forms), 0},
    {"methods", "A,B,C", "methods, or all (default: radau)", CLI_COMPARE, WORD, AT(methods), 0},
    {"tol", "A:B", "tolerances, every decade from A to B, or A,B,C (default: 1e-4:1e-10)",
     CLI_COMPARE, WORD, AT(tol), 0},
    {"limit", "S", "give a run up after so many seconds (default: 60)", CLI_COMPARE, POSITIVE,
     AT(limit), 0},
    {"set", "NAME=VALUE", "change a parameter, input or setting of the model (repeatable)",
     CLI_RUN | CLI_CHECK | CLI_INIT | CLI_EQUATIONS | CLI_EXPORT | CLI_COMPARE, LIST, AT(set),
     AT(nset)},
    {"output", "FILE", "results to FILE.csv or FILE.h5 (repeatable), - is standard output", CLI_RUN,
     LIST, AT(output), AT(noutput)},
    {"output", "FILE", "a page FILE.html or a plot FILE.svg (default: RESULT.html)", CLI_VIEW, LIST,
     AT(output), AT(noutput)},
    {"report", "FILE", "a page FILE.html with plots and an animation", CLI_RUN, WORD, AT(report),
     0},
    {"report", "FILE", "a page FILE.html with the table and the diagrams", CLI_COMPARE, WORD,
     AT(report), 0},
    {"plot", "FILE", "work-precision and drift diagrams as FILE.svg", CLI_COMPARE, WORD, AT(plot),
     0},
    {"plot", "FILE", "one plot as FILE.svg", CLI_RUN, WORD, AT(plot), 0},
    {"columns", "A,B,C", "what a plot shows (default: the outputs, or the positions)",
     CLI_RUN | CLI_VIEW, WORD, AT(columns), 0},
    {"output", "FILE", "to this file (default: standard output)", CLI_EQUATIONS, LIST, AT(output),
     AT(noutput)},
    {"output", "PATH", "C: the file (default: standard output); Octave: the folder (default: NAME)",
     CLI_EXPORT, LIST, AT(output), AT(noutput)},
    {"c", NULL, "one self-contained C file", CLI_EXPORT, FLAG, AT(c), 0},
    {"octave", NULL, "a folder of Octave functions", CLI_EXPORT, FLAG, AT(octave), 0},
    {"frames", NULL, "how bodies and frames move, in place of the equations", CLI_EQUATIONS, FLAG,
     AT(frames), 0},
    {"latex", NULL, "LaTeX instead of text", CLI_EQUATIONS, FLAG, AT(latex), 0},
    {"lua", NULL, "as an initial{} block to paste into the model", CLI_INIT, FLAG, AT(lua), 0},
    {"json", NULL, "one JSON object on standard output",
     CLI_RUN | CLI_CHECK | CLI_INIT | CLI_COMPARE, FLAG, AT(json), 0},
    {"quiet", NULL, "nothing on standard error but errors", ~0U, FLAG, AT(quiet), 0},
    {"help", NULL, "this text", ~0U, FLAG, AT(help), 0}};
enum { OPTIONS = sizeof table / sizeof *table };

static dfl_status read_option(cli_arguments *out, dfl_context *ctx, unsigned command, bool *given,
                              int *next, int argc, char **argv);
static const option *find_option(const char *name, size_t length, unsigned command);
static dfl_status unknown_option(dfl_context *ctx, const char *argument, size_t length,
                                 unsigned command);
static dfl_status store(cli_arguments *out, dfl_context *ctx, const option *opt, const char *value);
static dfl_status read_number(double *out, dfl_context *ctx, const option *opt, const char *value);

dfl_status cli_arguments_read(cli_arguments *out, dfl_context *ctx, unsigned command, int argc,
                              char **argv)
{
    bool given[OPTIONS] = {false}, options_end = false;
    *out = (cli_arguments){.choices = dfl_choices_none("--"), .limit = NAN};
    out->set = dfl_alloc(ctx, (size_t)argc, sizeof *out->set);
    out->output = dfl_alloc(ctx, (size_t)argc, sizeof *out->output);
    dfl_status status = out->set && out->output ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < argc; i++) {
        if (!options_end && !strcmp(argv[i], "--"))
            options_end = true;
        else if (!options_end && argv[i][0] == '-' && argv[i][1])
            status = read_option(out, ctx, command, given, &i, argc, argv);
        else if (out->model)
            status = dfl_fail(ctx, DFL_INVALID, "one %s at a time: '%s' comes after '%s'",
                              command == CLI_VIEW ? "result" : "model", argv[i], out->model);
        else
            out->model = argv[i];
    }
    if (!status && !out->model && !out->help)
        status = dfl_fail(ctx, DFL_INVALID,
                          command == CLI_VIEW ? "name the result, such as pendulum.h5"
                                              : "name the model, such as pendulum.lua");
    return status;
}

void cli_arguments_clear(cli_arguments *arguments, dfl_context *ctx)
{
    dfl_free(ctx, arguments->set);
    dfl_free(ctx, arguments->output);
    *arguments = (cli_arguments){0};
}

void cli_options_print(FILE *file, unsigned command)
{
    for (int i = 0; i < OPTIONS; i++) {
        char left[40];
        if (!(table[i].commands & command))
            continue;
        snprintf(left, sizeof left, "--%s %s", table[i].name, table[i].value ? table[i].value : "");
        fprintf(file, "  %-17s %s\n", left, table[i].help);
    }
}

/* Reads argv[*next], `--opt VALUE` or `--opt=VALUE`; *next moves to a separate value. */
static dfl_status read_option(cli_arguments *out, dfl_context *ctx, unsigned command, bool *given,
                              int *next, int argc, char **argv)
{
    const char *argument = argv[*next];
    if (!strcmp(argument, "-h"))
        argument = "--help";
    const size_t length = strcspn(argument, "=");
    const option *opt =
        strncmp(argument, "--", 2) ? NULL : find_option(argument + 2, length - 2, command);
    if (!opt)
        return unknown_option(ctx, argument, length, command);
    if (given[opt - table] && opt->kind != LIST && opt->kind != FLAG)
        return dfl_fail(ctx, DFL_INVALID, "--%s is given twice; say it once", opt->name);
    given[opt - table] = true;
    const char *value = argument[length] ? argument + length + 1 : NULL;
    if (opt->kind == FLAG && value)
        return dfl_fail(ctx, DFL_INVALID, "--%s takes no value", opt->name);
    if (opt->kind != FLAG && !value) {
        if (*next + 1 >= argc || !strncmp(argv[*next + 1], "--", 2))
            return dfl_fail(ctx, DFL_INVALID, "--%s needs a value: --%s %s", opt->name, opt->name,
                            opt->value);
        value = argv[++*next];
    }
    return store(out, ctx, opt, value);
}

static const option *find_option(const char *name, size_t length, unsigned command)
{
    for (int i = 0; i < OPTIONS; i++)
        if (table[i].commands & command && strlen(table[i].name) == length &&
            !strncmp(table[i].name, name, length))
            return &table[i];
    return NULL;
}

static dfl_status unknown_option(dfl_context *ctx, const char *argument, size_t length,
                                 unsigned command)
{
    const char *names[OPTIONS];
    char word[64];
    int count = 0;
    for (int i = 0; i < OPTIONS; i++)
        if (table[i].commands & command)
            names[count++] = table[i].name;
    snprintf(word, sizeof word, "%.*s", (int)length, argument);
    const char *bare = word + strspn(word, "-");
    const char *nearest = dfl_nearest_word(bare, names, count);
    if (nearest)
        return dfl_fail(ctx, DFL_INVALID, "there is no option '%s'; did you mean --%s?", word,
                        nearest);
    const bool elsewhere = find_option(bare, strlen(bare), ~0U) != NULL;
    return dfl_fail(ctx, DFL_INVALID, "there is no option '%s'%s; --help lists them", word,
                    elsewhere ? " here" : "");
}

/* Puts a value into the option's field. */
static dfl_status store(cli_arguments *out, dfl_context *ctx, const option *opt, const char *value)
{
    char *field = (char *)out + opt->offset;
    if (opt->kind == FLAG) {
        *(bool *)(void *)field = true;
        return DFL_OK;
    }
    if (!*value)
        return dfl_fail(ctx, DFL_INVALID, "--%s has an empty value; give --%s %s", opt->name,
                        opt->name, opt->value);
    if (opt->kind == WORD) {
        *(const char **)(void *)field = value;
        return DFL_OK;
    }
    if (opt->kind != LIST)
        return read_number((double *)(void *)field, ctx, opt, value);
    int *count = (int *)(void *)((char *)out + opt->count);
    (*(const char ***)(void *)field)[(*count)++] = value;
    return DFL_OK;
}

static dfl_status read_number(double *out, dfl_context *ctx, const option *opt, const char *value)
{
    char *end;
    const double number = strtod(value, &end);
    if (isspace((unsigned char)value[0]) || end == value || *end || !isfinite(number))
        return dfl_fail(ctx, DFL_INVALID, "--%s needs a number, not '%s'", opt->name, value);
    if (opt->kind == POSITIVE && !(number > 0))
        return dfl_fail(ctx, DFL_INVALID, "--%s is %s; it must be positive", opt->name, value);
    if (opt->kind == COUNT && !(number >= 1 && number <= 1e15 && number == floor(number)))
        return dfl_fail(ctx, DFL_INVALID, "--%s is %s; it must be a whole number, 1 or more",
                        opt->name, value);
    *out = number;
    return DFL_OK;
}
