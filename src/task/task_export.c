/* task_export.c: as `driftless export MODEL`: the model as an FMU, or its equations as source code.
 */
#include "task/task_internal.h"

#include "export/export.h"

#include <math.h>
#include <string.h>

static dfl_status check_arguments(dfl_context *ctx, const dfl_task_options *options);
static dfl_status export_source(dfl_task *it);
static dfl_status export_body(dfl_task *it);
static dfl_status export_running(const dfl_task_options *options, const dfl_task_state *near);

dfl_status dfl_task_export(dfl_task *it)
{
    const dfl_task_options *options = &it->options;
    const bool running = options->fmu || options->sfunction;
    const dfl_derivation how = {.purpose = running ? DFL_TO_CARRY : DFL_TO_READ,
                                .bodies = options->sid != NULL};
    it->wrote_files = true;
    dfl_status status = check_arguments(it->ctx, options);
    if (!status)
        status = dfl_task_derive(&it->near, options, NULL, &how);
    if (!status)
        status = running        ? export_running(options, &it->near)
                 : options->sid ? export_body(it)
                                : export_source(it);
    if (!status)
        dfl_text_add(&it->json, "{\"status\": \"completed\", \"message\": null}\n");
    return status;
}

static dfl_status check_arguments(dfl_context *ctx, const dfl_task_options *options)
{
    const char *kind = options->kind;
    if (options->c + options->octave + options->sfunction + (options->fmu != NULL) +
            (options->sid != NULL) !=
        1)
        return dfl_fail(
            ctx, DFL_INVALID,
            "export to what? Choose one of --fmu, --sfunction, --c, --octave and --sid");
    if (options->noutput > 1)
        return dfl_fail(ctx, DFL_INVALID, "--output is given twice; give it once");
    if (options->fmu && strcmp(options->fmu, "2") != 0 && strcmp(options->fmu, "3") != 0)
        return dfl_fail(ctx, DFL_INVALID, "--fmu '%s': the versions of the standard are 2 and 3",
                        options->fmu);
    if (kind && strcmp(kind, "cs") != 0 && strcmp(kind, "me") != 0 && strcmp(kind, "both") != 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "--kind '%s': choose cs (co-simulation), me (model exchange) or both",
                        kind);
    if (!options->fmu && (kind || options->sources || options->windows))
        return dfl_fail(ctx, DFL_INVALID, "--kind, --sources and --windows belong to --fmu");
    if (!options->fmu && !options->sfunction && options->projection_tolerance != 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "--projection-tolerance belongs to --fmu and --sfunction");
    return DFL_OK;
}

/* Which velocities are independent; the caller frees *flags (nv). */
static dfl_status find_independent(bool **flags, const dfl_derived *model, const char *names)
{
    const dfl_equations *eq = model->eq;
    dfl_constraint_options chosen = {0};
    dfl_runnable *run = NULL;
    dfl_status status = dfl_runnable_create(&run, eq);
    if (!status)
        status = dfl_runnable_independent(&chosen, run, names);
    if (!status && !chosen.independent)
        status =
            dfl_fail(model->ctx, DFL_INVALID,
                     "exported equations have positions and speeds as independent coordinates, "
                     "not combinations of them");
    *flags = status ? NULL : dfl_alloc(model->ctx, (size_t)eq->nv, sizeof **flags);
    if (!status && !*flags)
        status = DFL_NO_MEMORY;
    for (int i = 0; !status && i < eq->nv; i++)
        (*flags)[i] = chosen.independent[eq->nw + eq->nl + eq->nm + eq->nr + i];
    dfl_runnable_free(run);
    return status;
}

/* The velocities of --independent, as many as the constraints leave free. */
static dfl_status choose_partition(dfl_export_start *out, bool **flags, const dfl_derived *model,
                                   bool wanted)
{
    const char *names = dfl_choices_text(&model->choices, "independent");
    const dfl_equations *eq = model->eq;
    if (!wanted)
        return names
                   ? dfl_fail(model->ctx, DFL_INVALID, "--independent belongs to --form partition")
                   : DFL_OK;
    if (!names)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "--form partition needs --independent NAME,...: the independent positions");
    const dfl_status status = find_independent(flags, model, names);
    if (status)
        return status;
    out->independent = *flags;
    int count = 0;
    for (int i = 0; i < eq->nv; i++)
        count += out->independent[i];
    if (count != eq->nv - eq->nl - eq->nm)
        return dfl_fail(model->ctx, DFL_INVALID,
                        "--independent names %d of the velocities, but %d velocities with %d "
                        "constraints leave %d",
                        count, eq->nv, eq->nl + eq->nm, eq->nv - eq->nl - eq->nm);
    return DFL_OK;
}

/* The right-hand side of exported equations. The implicit form is the residual, which is always
   there. */
static dfl_status choose_form(dfl_export_start *out, bool **flags, const dfl_derived *model)
{
    dfl_context *ctx = model->ctx;
    const char *form = dfl_choices_text(&model->choices, "form");
    const double alpha = dfl_choices_number(&model->choices, "baumgarte_alpha");
    const double beta = dfl_choices_number(&model->choices, "baumgarte_beta");
    const bool stable = !isnan(alpha) || !isnan(beta);
    static const char *const forms[] = {"qr", "svd", "partition", "explicit", "implicit"};
    int which = 0;
    while (form && which < 5 && strcmp(form, forms[which]) != 0)
        which++;
    if (which == 5)
        return dfl_fail(ctx, DFL_INVALID,
                        "--form '%s': equations are exported in the forms qr, svd, partition, "
                        "explicit and implicit",
                        form);
    out->svd = which == 1;
    out->unprojected = which > 2;
    const dfl_status status = choose_partition(out, flags, model, which == 2);
    if (status)
        return status;
    if (stable && !out->unprojected)
        return dfl_fail(
            ctx, DFL_INVALID,
            "--baumgarte-alpha and --baumgarte-beta belong to --form explicit or implicit");
    out->alpha = isnan(alpha) ? 0 : alpha;
    out->beta = isnan(beta) ? out->alpha : beta;
    return DFL_OK;
}

/* The text is the source; for Octave the list of the files that were written. */
static dfl_status export_source(dfl_task *it)
{
    const dfl_task_options *options = &it->options;
    const dfl_derived *model = &it->near.model;
    const char *path = options->noutput > 0 ? options->output[0] : NULL;
    dfl_start_state state;
    dfl_export_start start = {0};
    bool *independent = NULL;
    dfl_status status = dfl_start_state_find(&state, model->eq, &model->choices);
    if (!status)
        status = choose_form(&start, &independent, model);
    start.time = state.time;
    start.x = state.x;
    start.levels = state.levels;
    start.problem = state.problem;
    start.misfit = state.misfit;
    start.rank = state.rank;
    if (!status && options->c)
        status = dfl_export_c(&it->text, model->eq, &start);
    else if (!status)
        status = dfl_export_octave(&it->text, model->eq, &start, path ? path : model->model->name);
    if (!status && options->c && path)
        status = dfl_task_write(path, &it->text, model);
    dfl_start_state_clear(&state, it->ctx);
    dfl_free(it->ctx, independent);
    return status;
}

/* An elastic body as a SID file. */
static dfl_status export_body(dfl_task *it)
{
    const dfl_task_options *options = &it->options;
    const dfl_derived *model = &it->near.model;
    const char *text = dfl_model_body_text(model->model, options->sid);
    if (!text)
        return dfl_fail(
            it->ctx, DFL_INVALID,
            "--sid '%s': there is no elastic body of this name in space with at most 64 nodes",
            options->sid);
    dfl_text_add(&it->text, "%s", text);
    return options->noutput > 0 ? dfl_task_write(options->output[0], &it->text, model)
                                : it->text.status;
}

/* To the file of --output, or NAME.fmu. */
static dfl_status write_fmu(const dfl_task_options *options, const dfl_derived *model,
                            const dfl_text *bytes)
{
    dfl_context *ctx = model->ctx;
    dfl_text path = {.ctx = ctx};
    if (options->noutput > 0)
        dfl_text_add(&path, "%s", options->output[0]);
    else
        dfl_text_add(&path, "%s.fmu", model->model->name);
    dfl_status status = path.status ? path.status : dfl_model_spare(model->model, ctx, path.data);
    if (!status)
        status = dfl_write_file(ctx, strcmp(path.data, "-") ? path.data : NULL,
                                dfl_text_string(bytes), bytes->length);
    dfl_text_clear(&path);
    return status;
}

/* FILE.c, whose name is that of the S-function, and FILE_solver.c. */
static dfl_status write_sfunction(const dfl_task_options *options, const dfl_derived *model,
                                  const dfl_fmu_options *carried)
{
    dfl_context *ctx = model->ctx;
    const char *path = options->noutput > 0 ? options->output[0] : "";
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t length = strlen(base);
    dfl_text name = {.ctx = ctx}, code = {.ctx = ctx}, solver = {.ctx = ctx}, other = {.ctx = ctx};
    dfl_status status = DFL_OK;
    if (length < 3 || strcmp(base + length - 2, ".c") != 0 ||
        strspn(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
            length - 2 ||
        strchr("0123456789_", base[0]))
        status = dfl_fail(ctx, DFL_INVALID,
                          "give --output NAME.c; NAME is the name of the S-function: letters, "
                          "digits and '_', beginning with a letter");
    if (!status) {
        dfl_text_bytes(&name, base, length - 2);
        dfl_text_bytes(&other, path, strlen(path) - 2);
        dfl_text_add(&other, "_solver.c");
        status = name.status ? name.status : other.status;
    }
    if (!status)
        status = dfl_export_sfunction(&code, &solver, model->runnable, carried, name.data);
    if (!status)
        status = dfl_task_write(path, &code, model);
    if (!status)
        status = dfl_task_write(other.data, &solver, model);
    dfl_text_clear(&name);
    dfl_text_clear(&code);
    dfl_text_clear(&solver);
    dfl_text_clear(&other);
    return status;
}

/* Newton's tolerance follows from rtol, which the caller of an FMU may choose, unless it is given.
 */
static dfl_solver_options carried_solver(const dfl_settings *settings)
{
    dfl_solver_options solver = settings->solver;
    const double newton = dfl_choices_number(&settings->said, "newton_tolerance");
    solver.newton.tolerance = isnan(newton) ? 0 : newton;
    return solver;
}

/* What carries the solver with it. */
static dfl_status export_running(const dfl_task_options *options, const dfl_task_state *near)
{
    const dfl_derived *model = &near->model;
    const dfl_settings *settings = &near->settings;
    dfl_context *ctx = model->ctx;
    const size_t n = (size_t)model->eq->n;
    const char *kind = options->kind ? options->kind : "cs";
    dfl_text bytes = {.ctx = ctx};
    dfl_start_state state = {0};
    double *given = dfl_alloc(ctx, n, sizeof *given);
    bool *held = dfl_alloc(ctx, n, sizeof *held);
    dfl_status status = given && held ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_start_state_find(&state, model->eq, &model->choices);
    if (!status && state.problem)
        status = dfl_fail(ctx, DFL_INVALID, "%s", state.problem);
    if (!status) {
        const double projection = options->projection_tolerance == 0
                                      ? 10 * settings->solver.rtol
                                      : options->projection_tolerance;
        const dfl_solver_options solver = carried_solver(settings);
        dfl_study_given(given, held, model->runnable);
        const dfl_fmu_options carried = {.version = options->fmu ? options->fmu[0] - '0' : 0,
                                         .cosimulation = strcmp(kind, "me") != 0,
                                         .exchange = strcmp(kind, "cs") != 0,
                                         .sources = options->sources,
                                         .windows = options->windows,
                                         .from = state.time,
                                         .to = settings->to,
                                         .x = state.x,
                                         .held = held,
                                         .solver = &solver,
                                         .projection = projection};
        status = options->sfunction ? write_sfunction(options, model, &carried)
                                    : dfl_export_fmu(&bytes, model->runnable, &carried);
    }
    if (!status && options->fmu)
        status = write_fmu(options, model, &bytes);
    dfl_start_state_clear(&state, ctx);
    dfl_text_clear(&bytes);
    dfl_free(ctx, given);
    dfl_free(ctx, held);
    return status;
}
