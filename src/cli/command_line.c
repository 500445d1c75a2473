/* command_line.c: the parser of the command line, and the help made from the same tables. */
#include "cli/command_line.h"

#include <driftless/program.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static dfl_status read_option(cli_arguments *out, dfl_context *ctx, unsigned command, bool *given,
                              int *next, int argc, char **argv);
static int find_option(cli_option *out, const char *name, size_t length, unsigned command);
static dfl_status unknown_option(dfl_context *ctx, const char *argument, size_t length,
                                 unsigned command);
static dfl_status store(cli_arguments *out, dfl_context *ctx, const cli_option *opt,
                        const char *value);
static dfl_status store_setting(cli_arguments *out, dfl_context *ctx, const cli_option *opt,
                                const char *value);
static dfl_status read_number(double *out, dfl_context *ctx, const cli_option *opt,
                              const char *value);

dfl_status cli_arguments_read(cli_arguments *out, dfl_context *ctx, unsigned command, int argc,
                              char **argv)
{
    bool given[CLI_MOST_OPTIONS] = {false}, options_end = false;
    *out = (cli_arguments){.limit = NAN,
                           .first = NAN,
                           .last = NAN,
                           .points = NAN,
                           .step = NAN,
                           .count = NAN,
                           .starts = NAN,
                           .impulse = NAN,
                           .size = NAN,
                           .projection = NAN,
                           .seed = NAN,
                           .bootstrap = NAN,
                           .threads = NAN,
                           .case_seconds = NAN,
                           .case_memory = NAN};
    out->set = dfl_alloc(ctx, (size_t)argc, sizeof *out->set);
    out->input = dfl_alloc(ctx, (size_t)argc, sizeof *out->input);
    out->of = dfl_alloc(ctx, (size_t)argc, sizeof *out->of);
    out->output = dfl_alloc(ctx, (size_t)argc, sizeof *out->output);
    out->overs = dfl_alloc(ctx, (size_t)argc, sizeof *out->overs);
    out->sample = dfl_alloc(ctx, (size_t)argc, sizeof *out->sample);
    dfl_status status =
        out->set && out->input && out->output && out->of && out->overs && out->sample
            ? DFL_OK
            : DFL_NO_MEMORY;
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
    dfl_free(ctx, arguments->input);
    dfl_free(ctx, arguments->of);
    dfl_free(ctx, arguments->output);
    dfl_free(ctx, arguments->overs);
    dfl_free(ctx, arguments->sample);
    *arguments = (cli_arguments){0};
}

void cli_options_print(FILE *file, unsigned command)
{
    cli_option opt;
    for (int i = 0; cli_option_at(&opt, i); i++) {
        char left[120];
        if (!(opt.commands & command))
            continue;
        snprintf(left, sizeof left, "--%s %s", opt.name, opt.value ? opt.value : "");
        fprintf(file, "  %-17s ", left);
        for (const char *c = opt.help; *c; c++)
            if (*c != '`')
                fputc(*c, file);
        if (opt.standard)
            fprintf(file, " (default: %s)", opt.standard);
        fputc('\n', file);
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
    cli_option opt;
    const int number =
        strncmp(argument, "--", 2) ? -1 : find_option(&opt, argument + 2, length - 2, command);
    if (number < 0)
        return unknown_option(ctx, argument, length, command);
    if (given[number] && opt.kind != CLI_LIST && opt.value)
        return dfl_fail(ctx, DFL_INVALID, "--%s is given twice; give it once", opt.name);
    given[number] = true;
    const char *value = argument[length] ? argument + length + 1 : NULL;
    if (!opt.value && value)
        return dfl_fail(ctx, DFL_INVALID, "--%s takes no value", opt.name);
    if (opt.value && !value) {
        if (*next + 1 >= argc || !strncmp(argv[*next + 1], "--", 2))
            return dfl_fail(ctx, DFL_INVALID, "--%s needs a value: --%s %s", opt.name, opt.name,
                            opt.value);
        value = argv[++*next];
    }
    if (value && !*value)
        return dfl_fail(ctx, DFL_INVALID, "--%s has an empty value; give --%s %s", opt.name,
                        opt.name, opt.value);
    return opt.kind == CLI_SETTING ? store_setting(out, ctx, &opt, value)
                                   : store(out, ctx, &opt, value);
}

/* The number of an option of the command, or -1. */
static int find_option(cli_option *out, const char *name, size_t length, unsigned command)
{
    for (int i = 0; cli_option_at(out, i); i++)
        if (out->commands & command && strlen(out->name) == length &&
            !strncmp(out->name, name, length))
            return i;
    return -1;
}

static dfl_status unknown_option(dfl_context *ctx, const char *argument, size_t length,
                                 unsigned command)
{
    cli_option options[CLI_MOST_OPTIONS];
    const char *names[CLI_MOST_OPTIONS];
    char word[64];
    int count = 0;
    for (int i = 0; cli_option_at(&options[count], i); i++)
        if (options[count].commands & command) {
            names[count] = options[count].name;
            count++;
        }
    snprintf(word, sizeof word, "%.*s", (int)length, argument);
    const char *bare = word + strspn(word, "-");
    const char *nearest = dfl_nearest_word(bare, names, count);
    if (nearest)
        return dfl_fail(ctx, DFL_INVALID, "there is no option '%s'; did you mean --%s?", word,
                        nearest);
    cli_option other;
    const bool elsewhere = find_option(&other, bare, strlen(bare), CLI_ALL) >= 0;
    return dfl_fail(ctx, DFL_INVALID, "there is no option '%s'%s; --help lists them", word,
                    elsewhere ? " here" : "");
}

static dfl_status store_setting(cli_arguments *out, dfl_context *ctx, const cli_option *opt,
                                const char *value)
{
    const dfl_setting_kind kind = dfl_setting_at(opt->setting)->kind;
    const bool word = kind == DFL_SETTING_WORD || kind == DFL_SETTING_TEXT;
    double number;
    out->settings[opt->setting] = value ? value : "true"; /* of a flag */
    return word || !value ? DFL_OK : read_number(&number, ctx, opt, value);
}

/* Puts a value into the option's field. */
static dfl_status store(cli_arguments *out, dfl_context *ctx, const cli_option *opt,
                        const char *value)
{
    void *field = (char *)out + opt->offset;
    if (opt->kind == CLI_FLAG) {
        *(bool *)field = true;
    } else if (opt->kind == CLI_TEXT) {
        *(const char **)field = value;
    } else if (opt->kind == CLI_LIST) {
        int *count = (int *)(void *)((char *)out + opt->count);
        (*(const char ***)field)[(*count)++] = value;
    } else {
        double number;
        const dfl_status status = read_number(&number, ctx, opt, value);
        if (status)
            return status;
        if (opt->kind == CLI_POSITIVE && !(number > 0))
            return dfl_fail(ctx, DFL_INVALID, "--%s is %s; it must be positive", opt->name, value);
        *(double *)field = number;
    }
    return DFL_OK;
}

static dfl_status read_number(double *out, dfl_context *ctx, const cli_option *opt,
                              const char *value)
{
    char *end;
    *out = strtod(value, &end);
    if (isspace((unsigned char)value[0]) || end == value || *end || !isfinite(*out))
        return dfl_fail(ctx, DFL_INVALID, "--%s needs a number, not '%s'", opt->name, value);
    return DFL_OK;
}
