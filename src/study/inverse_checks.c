/* inverse_checks.c: whether a motion can be followed: paths must be smooth enough, and what they
   leave open must not grow. */
#include "study/inverse_internal.h"

#include "declare/declare.h"
#include "symbolic/symbolic.h"

#include <driftless/analysis.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const derivative_name[] = {
    "jumps", "has a kink: its velocity jumps", "has an acceleration that jumps",
    "has a third derivative that jumps", "has a fourth derivative that jumps"};

/* Of a constraint with time: its name and line. */
static void name_path(char *name, size_t size, const dfl_equations *eq, int row)
{
    const dfl_declaration *decl = &eq->model->declarations.item[eq->declared.row[row]];
    snprintf(name, size, "'%s' (line %d)", decl->name, decl->line);
}

/* Inputs contain derivative 2 + level of the paths, and derivative `level` of forces: those below
   must not jump; where these do, inputs jump. */
dfl_status dfl_inverse_check_paths(dfl_pursuit *it, int level)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_context *ctx = ctx_of(it->run);
    dfl_path_break found = {.row = -1};
    char name[250];
    if (it->checked)
        return DFL_OK;
    it->checked = true;
    dfl_status status = dfl_path_breaks(&found, it, eq->rows.g, eq->nl, 3 + level);
    if (!status && found.row >= 0) {
        name_path(name, sizeof name, eq, found.row);
        if (found.order < 2 + level)
            return dfl_fail(ctx, DFL_INCONSISTENT,
                            "the inputs cannot follow the path of %s at t = %g: it %s, and its "
                            "derivatives must be continuous up to number %d; make it smoother",
                            name, found.t, derivative_name[found.order], 1 + level);
        snprintf(it->out->notice, sizeof it->out->notice,
                 "the path of %s %s at t = %g: the drive jumps there, and a table of it is exact "
                 "only up to this time and after it",
                 name, derivative_name[found.order], found.t);
    }
    if (!status && level > 0)
        status = dfl_path_breaks(&found, it, eq->rows.f, eq->nv, level);
    else
        found.row = -1;
    if (!status && level > 0 && found.row >= 0)
        return dfl_fail(ctx, DFL_INCONSISTENT,
                        "the inputs cannot follow the motion at t = %g: the force along %s %s with "
                        "time there, and the inputs do not act where the motion is prescribed",
                        found.t, dfl_equations_v(eq)[found.row].name,
                        found.order ? "has a kink" : "jumps");
    return status;
}

/* Forces that are differentiated must not change their branch, except with time, which the paths'
   check has seen. */
dfl_status dfl_inverse_check_switches(dfl_pursuit *it, double t)
{
    dfl_runnable *run = it->run;
    dfl_context *ctx = ctx_of(run);
    const dfl_graph *graph = eq_of(run)->graph;
    const int count = dfl_runnable_switches(run);
    const bool first = !it->branch;
    dfl_status status = DFL_OK;
    if (count == 0 || it->servo.array.level == 0)
        return DFL_OK;
    if (first)
        it->branch = dfl_alloc(ctx, (size_t)count, sizeof *it->branch);
    if (!it->branch)
        return DFL_NO_MEMORY;
    for (int i = 0; !status && i < count; i++) {
        bool of_time;
        double value;
        const dfl_switch *item = dfl_runnable_switch(&of_time, run, i);
        const dfl_expr argument = dfl_study_switch_argument(graph, item);
        if (of_time)
            continue;
        status = dfl_runnable_values(&value, run, &argument, 1, t, it->servo.X,
                                     it->servo.X + it->servo.array.first_a);
        const double branch = status ? 0 : dfl_switch_branch(item, graph, value, 0);
        if (first)
            it->branch[i] = branch;
        else if (!status && branch != it->branch[i]) {
            dfl_text name = {.ctx = ctx};
            dfl_study_name_switch(&name, run, i);
            status = dfl_fail(ctx, DFL_INCONSISTENT,
                              "the inputs cannot follow the motion before t = %g: %s switches, and "
                              "the inputs do not act where the motion is prescribed",
                              t, dfl_text_string(&name));
            dfl_text_clear(&name);
        }
    }
    return status;
}

dfl_status dfl_inverse_refuse_growing(dfl_context *ctx, const dfl_modes *modes)
{
    dfl_text list = {.ctx = ctx};
    for (int i = 0; i < modes->count; i++)
        if (modes->mode[i].im == 0)
            dfl_text_add(&list, "%s%.6g", i ? ", " : "", modes->mode[i].re);
        else
            dfl_text_add(&list, "%s%.6g %c %.6gi", i ? ", " : "", modes->mode[i].re,
                         modes->mode[i].im < 0 ? '-' : '+', fabs(modes->mode[i].im));
    const dfl_status status =
        dfl_fail(ctx, DFL_SINGULAR,
                 "the motion that the prescribed ones leave open is unstable, with the "
                 "eigenvalues %s; prescribe another output",
                 dfl_text_string(&list));
    dfl_text_clear(&list);
    return status;
}

/* The largest real part beyond doubt of what motions leave open at (t, x), or 0. Large models are
   not judged, nor states at which linear equations do not follow. */
static dfl_status find_growth(double *growth, dfl_modes *modes, const dfl_pursuit *it, double t)
{
    enum { MOST_UNKNOWNS = 1500 };
    dfl_context *ctx = ctx_of(it->run);
    dfl_linearized linear = {0};
    *growth = 0;
    *modes = (dfl_modes){0};
    if (eq_of(it->run)->n > MOST_UNKNOWNS)
        return DFL_OK;
    dfl_status status = dfl_linearize(&linear, ctx, dfl_runnable_eom(it->run), t, it->out->x, NULL);
    if (!status)
        status = dfl_modes_find(modes, ctx, linear.ny, linear.A);
    for (int i = 0; !status && i < modes->count; i++)
        if (modes->mode[i].re > modes->mode[i].doubt)
            *growth = fmax(*growth, modes->mode[i].re);
    dfl_linearized_clear(&linear);
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}

static bool is_at_rest(const dfl_pursuit *it)
{
    const dfl_equations *eq = eq_of(it->run);
    const double *v = it->out->x + eq->nw + eq->nl + eq->nm + eq->nr;
    for (int i = 0; i < eq->nv; i++)
        if (fabs(v[i]) > 1e-8)
            return false;
    return true;
}

/* Growth at the start of a motion is one of the instant: it counts if the model is at rest, or if a
   disturbance would become ten times larger at this rate. */
dfl_status dfl_inverse_check_open_motion(dfl_pursuit *it, double t)
{
    dfl_modes modes;
    const double length = it->settings->to - it->settings->from;
    dfl_status status = find_growth(&it->growth, &modes, it, t);
    if (!status && it->growth > 0 && (is_at_rest(it) || it->growth * length > log(10)))
        status = dfl_inverse_refuse_growing(ctx_of(it->run), &modes);
    dfl_modes_clear(&modes);
    return status;
}

/* ... or if it is the same at the end. */
dfl_status dfl_inverse_check_end(dfl_pursuit *it, double t)
{
    dfl_modes modes;
    double growth = 0;
    if (it->growth <= 0)
        return DFL_OK;
    dfl_status status = find_growth(&growth, &modes, it, t);
    if (!status && fabs(growth - it->growth) <= 1e-6 * it->growth)
        status = dfl_inverse_refuse_growing(ctx_of(it->run), &modes);
    dfl_modes_clear(&modes);
    return status;
}
