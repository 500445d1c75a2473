/* task_gradient.c: as `driftless gradient MODEL`: derivatives of outputs at the end of a run. */
#include "task/task_internal.h"

#include <math.h>
#include <string.h>

static dfl_status name_outputs(const char ***of, int *count, const dfl_task_state *near,
                               const dfl_task_options *options);
static dfl_status name_parameters(dfl_text *by, const dfl_task_state *near,
                                  const dfl_task_options *options);
static void write_text(dfl_text *text, const dfl_gradient *gradient,
                       const dfl_gradient_check *checked);
static void write_json(dfl_text *json, const dfl_gradient *gradient,
                       const dfl_gradient_check *checked);

dfl_status dfl_task_gradient(dfl_task *it)
{
    dfl_task_state *near = &it->near;
    dfl_gradient gradient = {0};
    dfl_task_again again = {.near = near, .options = &it->options};
    const dfl_variation variation = dfl_task_variation(&again);
    dfl_text by = {.ctx = it->ctx};
    dfl_gradient_files files = {0};
    const char **of = NULL;
    int nof = 0;
    dfl_status status = dfl_task_derive(near, &it->options, ".json .csv .h5 .hdf5 .html .svg",
                                        &(dfl_derivation){.purpose = DFL_TO_FOLLOW});
    if (!status)
        status = dfl_settings_check_end(&near->settings, &near->model.choices, near->model.model);
    if (!status)
        status = name_outputs(&of, &nof, near, &it->options);
    if (!status)
        status = name_parameters(&by, near, &it->options);
    dfl_derivatives_how how = DFL_DERIVATIVES_AUTO;
    if (!status)
        status = dfl_task_derivatives(&how, it);
    if (!status)
        status = dfl_gradient_files_open(&files, it, by.data, of, nof);
    if (!status)
        status = dfl_study_gradient(&gradient, near->model.runnable, &near->settings, by.data, of,
                                    nof, how, &variation, files.record);
    dfl_gradient_check checked = {0};
    if (!status && it->options.check)
        status = dfl_study_gradient_check(&checked, &gradient, &near->settings,
                                          &near->model.choices, &variation);
    it->unfinished = checked.worst != DFL_AGREES;
    if (!status) {
        write_text(&it->text, &gradient, &checked);
        write_json(&it->json, &gradient, &checked);
        status = dfl_gradient_files_write(it);
    }
    dfl_gradient_check_clear(&checked);
    dfl_gradient_files_clear(&files);
    dfl_gradient_clear(&gradient);
    dfl_free(it->ctx, of);
    dfl_text_clear(&by);
    return status;
}

dfl_status dfl_task_derivatives(dfl_derivatives_how *how, const dfl_task *it)
{
    static const char *const name[] = {"auto", "direct", "adjoint"}; /* by the numbers of them */
    const char *wanted = it->options.derivatives, *control = it->options.error_control;
    int chosen = wanted ? -1 : DFL_DERIVATIVES_AUTO;
    for (int i = 0; wanted && i < 3; i++)
        if (!strcmp(wanted, name[i]))
            chosen = i;
    if (chosen < 0)
        return dfl_fail(it->ctx, DFL_INVALID,
                        "--derivatives %s: there are auto, direct and adjoint", wanted);
    if (control && strcmp(control, "all") != 0 && strcmp(control, "state") != 0)
        return dfl_fail(it->ctx, DFL_INVALID, "--error-control %s: there are all and state",
                        control);
    if (control && !strcmp(control, "state"))
        chosen += DFL_DERIVATIVES_UNCONTROLLED;
    *how = (dfl_derivatives_how)chosen;
    return DFL_OK;
}

/* In the text, and as the message of JSON; by verdict. */
static const char *const words[] = {"", " INACCURATE: take smaller tolerances",
                                    " UNCERTAIN: differences are not accurate enough", " DISAGREE"};
static const char *const messages[] = {
    NULL, "derivatives agree with differences of runs with smaller tolerances only",
    "differences of runs are not accurate enough to judge", "differences of runs disagree"};

/* Those of --of, or all outputs that are declared; ends with NULL. */
static dfl_status name_outputs(const char ***of, int *count, const dfl_task_state *near,
                               const dfl_task_options *options)
{
    const dfl_model *model = near->model.model;
    const size_t room = (size_t)(options->nof + model->declarations.count + 1);
    *of = dfl_alloc(model->ctx, room, sizeof **of);
    if (!*of)
        return DFL_NO_MEMORY;
    for (int i = 0; i < options->nof; i++)
        (*of)[(*count)++] = options->of[i];
    for (int i = 0; options->nof == 0 && i < model->declarations.count; i++)
        if (model->declarations.item[i].kind == DFL_AN_OUTPUT)
            (*of)[(*count)++] = model->declarations.item[i].name;
    return *count > 0 ? DFL_OK
                      : dfl_fail(model->ctx, DFL_INVALID,
                                 "%s has no outputs; name a variable with --of", model->path);
}

/* Those of --by, or all parameters. */
static dfl_status name_parameters(dfl_text *by, const dfl_task_state *near,
                                  const dfl_task_options *options)
{
    const dfl_model *model = near->model.model;
    if (options->by)
        dfl_text_add(by, "%s", options->by);
    for (int i = 0; !options->by && i < model->declarations.count; i++)
        if (model->declarations.item[i].kind == DFL_A_PARAM)
            dfl_text_add(by, by->length > 0 ? ",%s" : "%s", model->declarations.item[i].name);
    if (by->status || by->length > 0)
        return by->status;
    return dfl_fail(model->ctx, DFL_INVALID,
                    "%s has no parameters; give initial values with --by \"initial(NAME)\"",
                    model->path);
}

static void write_text(dfl_text *text, const dfl_gradient *gradient,
                       const dfl_gradient_check *checked)
{
    for (int i = 0; i < gradient->nof; i++) {
        dfl_text_add(text, "%s = %.12g at t = %.10g\n", gradient->of[i], gradient->value[i],
                     gradient->t);
        for (int j = 0; j < gradient->count; j++) {
            const size_t k = (size_t)j * (size_t)gradient->nof + (size_t)i;
            dfl_text_add(text, "  d/d %-20s %.10g", gradient->by[j], gradient->gradient[k]);
            if (checked->verdict)
                dfl_text_add(text, "   differences of runs %.10g +- %.1e%s",
                             checked->differences[k], checked->doubt[k],
                             words[checked->verdict[k]]);
            dfl_text_add(text, "\n");
        }
    }
}

/* ", KEY: {NAME: number, ...}" of output i. */
static void add_row(dfl_text *json, const char *key, const dfl_gradient *gradient,
                    const double *slopes, int i)
{
    dfl_text_add(json, ", \"%s\": {", key);
    for (int j = 0; j < gradient->count; j++) {
        dfl_text_add(json, j > 0 ? ", " : "");
        dfl_json_string(json, gradient->by[j]);
        dfl_text_add(json, ": ");
        dfl_json_number(json, slopes[(size_t)j * (size_t)gradient->nof + (size_t)i]);
    }
    dfl_text_add(json, "}");
}

static void write_one(dfl_text *json, const dfl_gradient *gradient,
                      const dfl_gradient_check *checked, int i)
{
    dfl_agreement worst = DFL_AGREES;
    for (int j = 0; checked->verdict && j < gradient->count; j++) {
        const dfl_agreement found = checked->verdict[(size_t)j * (size_t)gradient->nof + (size_t)i];
        worst = found > worst ? found : worst;
    }
    dfl_text_add(json, "{\"status\": \"%s\", \"message\": ", worst ? "failed" : "completed");
    if (worst)
        dfl_json_string(json, messages[worst]);
    else
        dfl_text_add(json, "null");
    dfl_text_add(json, ", \"of\": ");
    dfl_json_string(json, gradient->of[i]);
    dfl_text_add(json, ", \"t\": ");
    dfl_json_number(json, gradient->t);
    dfl_text_add(json, ", \"value\": ");
    dfl_json_number(json, gradient->value[i]);
    add_row(json, "gradient", gradient, gradient->gradient, i);
    if (checked->verdict) {
        add_row(json, "differences", gradient, checked->differences, i);
        add_row(json, "differences_error", gradient, checked->doubt, i);
    }
    dfl_text_add(json, "}");
}

/* An object, or a list of them. */
static void write_json(dfl_text *json, const dfl_gradient *gradient,
                       const dfl_gradient_check *checked)
{
    dfl_text_add(json, gradient->nof > 1 ? "[" : "");
    for (int i = 0; i < gradient->nof; i++) {
        dfl_text_add(json, i > 0 ? ",\n " : "");
        write_one(json, gradient, checked, i);
    }
    dfl_text_add(json, gradient->nof > 1 ? "]\n" : "\n");
}
