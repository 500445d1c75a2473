/* command_compare.c: `driftless compare MODEL`: several forms, methods and tolerances side by
   side. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_METHODS = 40, MOST_TOLERANCES = 60, MOST_TEXT = 400 };

/* The contents of the lists on the command line. */
typedef struct lists {
    dfl_form forms[DFL_FORMS];
    const char *methods[MOST_METHODS];
    double tolerances[MOST_TOLERANCES];
    int nforms, nmethods, ntolerances;
    char words[MOST_TEXT]; /* of the methods */
} lists;

static dfl_status read_lists(lists *out, dfl_context *ctx, const cli_arguments *arguments);
static dfl_status read_forms(lists *out, dfl_context *ctx, const char *list);
static dfl_status read_methods(lists *out, dfl_context *ctx, const char *list);
static dfl_status read_tolerances(lists *out, dfl_context *ctx, const char *list);
static dfl_status compare(const cli_arguments *arguments, const lists *what,
                          const cli_model *model);
static void show_progress(int done, int of, const dfl_trial *next, void *user);
static bool interrupted(void *user);
static dfl_status write_all(const cli_arguments *arguments, const dfl_comparison *c,
                            const cli_model *model);

int cli_compare(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_model model = {0};
    lists what = {0};
    dfl_status status = read_lists(&what, ctx, arguments);
    if (!status)
        status = cli_check_drawings(ctx, arguments);
    if (!status)
        status = cli_load(&model, ctx, arguments, CLI_DENSE);
    if (!status)
        status = compare(arguments, &what, &model);
    const bool stopped = status == DFL_STOPPED && cli_interrupted();
    const int exit_status = stopped ? cli_interrupted() : cli_finish(ctx, status);
    cli_unload(&model);
    return exit_status;
}

static dfl_status read_lists(lists *out, dfl_context *ctx, const cli_arguments *arguments)
{
    dfl_status status =
        read_forms(out, ctx, arguments->forms ? arguments->forms : "psf,ggl,eom2,eom1,eom");
    if (!status)
        status = read_methods(out, ctx, arguments->methods ? arguments->methods : "radau");
    if (!status)
        status = read_tolerances(out, ctx, arguments->tol ? arguments->tol : "1e-4:1e-10");
    return status;
}

/* The next word of a list separated by commas; NULL at its end. */
static const char *next_word(char word[MOST_TEXT], const char *list)
{
    const size_t length = strcspn(list, ",");
    snprintf(word, MOST_TEXT, "%.*s", (int)length, list);
    return list[length] ? list + length + 1 : NULL;
}

static dfl_status read_forms(lists *out, dfl_context *ctx, const char *list)
{
    const char *names[DFL_FORMS];
    char word[MOST_TEXT];
    for (int i = 0; i < DFL_FORMS; i++)
        names[i] = dfl_form_name((dfl_form)i);
    while (list) {
        const bool all = !strcmp(list, "all");
        int found = 0;
        list = next_word(word, list);
        for (int i = 0; i < DFL_FORMS; i++)
            if ((all || !strcmp(names[i], word)) && out->nforms < DFL_FORMS) {
                out->forms[out->nforms++] = (dfl_form)i;
                found++;
            }
        const char *nearest = dfl_nearest_word(word, names, DFL_FORMS);
        if (!found)
            return dfl_fail(ctx, DFL_INVALID, "--forms: there is no '%s'%s%s%s", word,
                            nearest ? "; did you mean " : "; see driftless run --help",
                            nearest ? nearest : "", nearest ? "?" : "");
    }
    return DFL_OK;
}

/* The names are checked where they are used: a wrong one is refused with a list of all names. */
static dfl_status read_methods(lists *out, dfl_context *ctx, const char *list)
{
    if (!strcmp(list, "all"))
        list = "radau,bdf,trapezoidal,midpoint,half-explicit,explicit-pair";
    if (strlen(list) >= sizeof out->words)
        return dfl_fail(ctx, DFL_INVALID, "--methods: the list is too long");
    snprintf(out->words, sizeof out->words, "%s", list);
    for (char *word = out->words; word;) {
        char *const comma = strchr(word, ',');
        if (comma)
            *comma = 0;
        const dfl_status status = dfl_settings_check_method(ctx, "--methods", word);
        if (status)
            return status;
        if (out->nmethods == MOST_METHODS)
            return dfl_fail(ctx, DFL_INVALID, "--methods: more than %d methods", MOST_METHODS);
        out->methods[out->nmethods++] = word;
        word = comma ? comma + 1 : NULL;
    }
    return DFL_OK;
}

/* "1e-3:1e-9" are decades, "1e-4,1e-6" single ones. */
static dfl_status read_tolerances(lists *out, dfl_context *ctx, const char *list)
{
    while (list) {
        char word[MOST_TEXT], *end = NULL;
        list = next_word(word, list);
        const double first = strtod(word, &end);
        const bool range = *end == ':';
        const double last = range ? strtod(end + 1, &end) : first;
        if (*end || end == word || !(first > 0 && first < 1 && last > 0 && last < 1))
            return dfl_fail(ctx, DFL_INVALID,
                            "--tol '%s': give tolerances between 0 and 1, such as 1e-3:1e-9 (every "
                            "decade) or 1e-4,1e-6",
                            word);
        const int steps = (int)lround(fabs(log10(last / first)));
        for (int i = 0; i <= steps; i++) {
            if (out->ntolerances == MOST_TOLERANCES)
                return dfl_fail(ctx, DFL_INVALID, "--tol: more than %d tolerances",
                                MOST_TOLERANCES);
            out->tolerances[out->ntolerances++] =
                i == steps ? last : first * pow(10, last < first ? -i : i);
        }
    }
    return DFL_OK;
}

static dfl_status compare(const cli_arguments *arguments, const lists *what, const cli_model *model)
{
    bool screen = !arguments->quiet && isatty(STDERR_FILENO);
    dfl_comparison c = {.ctx = model->model->ctx,
                        .run = model->run,
                        .eq = model->eq,
                        .choices = arguments->choices,
                        .nforms = what->nforms,
                        .nmethods = what->nmethods,
                        .ntolerances = what->ntolerances,
                        .forms = what->forms,
                        .methods = what->methods,
                        .tolerances = what->tolerances,
                        .limit = isnan(arguments->limit) ? 60 : arguments->limit,
                        .progress = show_progress,
                        .interrupt = interrupted,
                        .user = &screen};
    cli_interrupt_defer(true);
    dfl_status status = dfl_compare(&c);
    if (screen)
        fputs("\r\033[K", stderr);
    if (!status || (status == DFL_STOPPED && c.ntrials > 0)) {
        const dfl_status written = write_all(arguments, &c, model);
        status = written ? written : status;
    }
    cli_interrupt_defer(false);
    dfl_comparison_clear(&c);
    return status;
}

static void show_progress(int done, int of, const dfl_trial *next, void *user)
{
    const bool *screen = user;
    if (*screen && done < 0)
        fputs("\r\033[Kreference solution ...", stderr);
    else if (*screen)
        fprintf(stderr, "\r\033[K%d of %d: %s, %s, %.0e ...", done + 1, of,
                dfl_form_name(next->form), next->method, next->tolerance);
}

static bool interrupted(void *user)
{
    (void)user;
    return cli_interrupted() != 0;
}

static dfl_status write_text(const char *path, const dfl_comparison *c, const cli_model *model,
                             void (*make)(dfl_text *text, const dfl_comparison *comparison))
{
    dfl_text text = {.ctx = model->model->ctx};
    make(&text, c);
    const dfl_status status = text.status ? text.status : cli_write(path, &text, model);
    dfl_text_clear(&text);
    return status;
}

static dfl_status write_all(const cli_arguments *arguments, const dfl_comparison *c,
                            const cli_model *model)
{
    dfl_status status =
        write_text(NULL, c, model, arguments->json ? dfl_comparison_json : dfl_comparison_text);
    if (!status && arguments->plot)
        status = write_text(arguments->plot, c, model, dfl_comparison_plot);
    if (!status && arguments->report)
        status = write_text(arguments->report, c, model, dfl_comparison_page);
    return status;
}
