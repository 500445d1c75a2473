/* task_compare.c: as `driftless compare MODEL`: several forms, methods and tolerances side by
   side. */
#include "task/task_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 40, MOST_TOLERANCES = 60, MOST_TEXT = 400 };

/* The contents of the lists on the command line. */
typedef struct lists {
    dfl_form forms[DFL_FORMS];
    const char *methods[MOST_METHODS];
    double tolerances[MOST_TOLERANCES];
    int nforms, nmethods, ntolerances;
    char words[MOST_TEXT]; /* of the methods */
} lists;

static dfl_status read_lists(lists *out, dfl_context *ctx, const dfl_task_options *options);
static dfl_status read_forms(lists *out, dfl_context *ctx, const char *list);
static dfl_status read_methods(lists *out, dfl_context *ctx, const char *list);
static dfl_status read_tolerances(lists *out, dfl_context *ctx, const char *list);
static dfl_status derive(dfl_task *it, bool slides);
static dfl_status compare_sliding(dfl_task *it, const lists *what);
static dfl_status compare(dfl_task *it, const lists *what);
static void tell(int done, int of, const dfl_trial *next, void *user);
static bool interrupted(void *user);
static dfl_status write_drawings(const dfl_task *it, const dfl_comparison *c);

dfl_status dfl_task_compare(dfl_task *it)
{
    lists what = {0};
    dfl_status status = read_lists(&what, it->ctx, &it->options);
    if (!status)
        status = derive(it, false);
    if (!status)
        status = compare(it, &what);
    return status == DFL_NOT_CONVERGED ? compare_sliding(it, &what) : status;
}

/* Tables are those of the reference solution. */
static dfl_status derive(dfl_task *it, bool slides)
{
    const dfl_derivation how = {.purpose = DFL_TO_LINEARIZE, .slides = slides, .precision = 1e-12};
    return dfl_task_derive(&it->near, &it->options, ".json .svg .html", &how);
}

/* Without a reference solution, once more with forces that may hold a speed at which they jump, in
   the forms that can. */
static dfl_status compare_sliding(dfl_task *it, const lists *what)
{
    const int before = it->near.model.model->actions.touches.count;
    char message[400];
    snprintf(message, sizeof message, "%s", dfl_message(it->ctx));
    dfl_derived_clear(&it->near.model);
    const dfl_status status = derive(it, true);
    if (!status && it->near.model.model->actions.touches.count == before)
        return dfl_fail(it->ctx, DFL_NOT_CONVERGED, "%s", message);
    return status ? status : compare(it, what);
}

static dfl_status read_lists(lists *out, dfl_context *ctx, const dfl_task_options *options)
{
    dfl_status status =
        read_forms(out, ctx, options->forms ? options->forms : "psf,ggl,eom2,eom1,eom");
    if (!status)
        status = read_methods(out, ctx, options->methods ? options->methods : "radau");
    if (!status)
        status = read_tolerances(out, ctx, options->tol ? options->tol : "1e-4:1e-10");
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

static dfl_status compare(dfl_task *it, const lists *what)
{
    const dfl_derived *model = &it->near.model;
    dfl_comparison c = {.ctx = it->ctx,
                        .run = model->runnable,
                        .eq = model->eq,
                        .choices = model->choices,
                        .nforms = what->nforms,
                        .nmethods = what->nmethods,
                        .ntolerances = what->ntolerances,
                        .forms = what->forms,
                        .methods = what->methods,
                        .tolerances = what->tolerances,
                        .limit = it->options.limit == 0 ? 60 : it->options.limit,
                        .progress = tell,
                        .interrupt = interrupted,
                        .user = it};
    dfl_status status = dfl_compare(&c);
    if (!status || (status == DFL_STOPPED && c.ntrials > 0)) {
        dfl_comparison_text(&it->text, &c);
        dfl_comparison_json(&it->json, &c);
        const dfl_status written = write_drawings(it, &c);
        status = written ? written : status;
    }
    dfl_comparison_clear(&c);
    return status;
}

static void tell(int done, int of, const dfl_trial *next, void *user)
{
    const dfl_task_options *options = &((dfl_task *)user)->options;
    char line[120] = "reference solution";
    if (done >= 0)
        snprintf(line, sizeof line, "%d of %d: %s, %s, %.0e", done + 1, of,
                 dfl_form_name(next->form), next->method, next->tolerance);
    if (options->on_progress)
        options->on_progress(line, options->user);
}

static bool interrupted(void *user)
{
    return dfl_interrupted(((dfl_task *)user)->ctx);
}

static dfl_status write_drawings(const dfl_task *it, const dfl_comparison *c)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < it->options.noutput; i++) {
        const char *path = it->options.output[i];
        dfl_text text = {.ctx = it->ctx};
        if (dfl_ends_with(path, ".svg"))
            dfl_comparison_plot(&text, c);
        else if (dfl_ends_with(path, ".html"))
            dfl_comparison_page(&text, c);
        else
            continue;
        status = dfl_task_write(path, &text, &it->near.model);
        dfl_text_clear(&text);
    }
    return status;
}
