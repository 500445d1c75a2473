/* inverse_drives.c: the drives that supply the forces of prescribed motions at one state:

       B tau - W_s^T (l_s' - l_s) = B u0 - W_m^T l_m

   with the multipliers l_m of the motions and l_s of all other constraints. */
#include "study/inverse_internal.h"

#include <driftless/analysis.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int prescribed_velocity(const dfl_equations *eq, int row);
static bool is_driven(const dfl_inverse *out, const dfl_equations *eq, int velocity);
static void name_drive(char *name, size_t size, const dfl_inverse *out, const dfl_equations *eq,
                       int velocity);
static dfl_status are_forces(bool *yes, dfl_pursuit *it);
static dfl_status is_supplied(dfl_pursuit *it, const dfl_blocks *blocks);
static dfl_status is_supplied_elsewhere(dfl_pursuit *it, const dfl_blocks *blocks, double t);
static int keep_constraints(dfl_pursuit *it, const dfl_blocks *blocks);
static dfl_status refuse(const dfl_pursuit *it, double t, int worst);

bool dfl_is_motion(const dfl_equations *eq, int row)
{
    const char *name = eq->model->declarations.item[eq->declared.row[row]].name;
    return !strncmp(name, DFL_MOTION_PREFIX, strlen(DFL_MOTION_PREFIX));
}

static bool is_motion(const dfl_equations *eq, int row)
{
    return row < eq->nl && dfl_is_motion(eq, row);
}

/* The inputs, or the coordinates that are prescribed one by one. */
dfl_status dfl_drives_list(dfl_inverse *out, const dfl_equations *eq)
{
    const dfl_model *model = eq->model;
    dfl_context *ctx = model->ctx;
    const bool inputs = model->count[DFL_AN_INPUT] > 0;
    const size_t room = (size_t)(inputs ? model->count[DFL_AN_INPUT] : eq->nl);
    int **list = inputs ? &out->inputs : &out->rows;
    out->names = dfl_alloc(ctx, room, sizeof *out->names);
    *list = dfl_alloc(ctx, room, sizeof **list);
    if (!out->names || !*list)
        return DFL_NO_MEMORY;
    const int count = inputs ? model->declarations.count : eq->nl;
    for (int i = 0; i < count; i++) {
        const dfl_declaration *decl = &model->declarations.item[inputs ? i : 0];
        const int v = inputs ? -1 : prescribed_velocity(eq, i);
        if (inputs ? decl->kind != DFL_AN_INPUT : v < 0 || is_driven(out, eq, v))
            continue;
        char name[250];
        if (inputs)
            snprintf(name, sizeof name, "%s", decl->name);
        else
            name_drive(name, sizeof name, out, eq, v);
        (*list)[out->nu] = i;
        out->names[out->nu] = dfl_copy_string(ctx, name);
        if (!out->names[out->nu++])
            return DFL_NO_MEMORY;
    }
    return DFL_OK;
}

/* By another row before. */
static bool is_driven(const dfl_inverse *out, const dfl_equations *eq, int velocity)
{
    for (int i = 0; i < out->nu; i++)
        if (prescribed_velocity(eq, out->rows[i]) == velocity)
            return true;
    return false;
}

/* The joint of der(joint.q), or force(x) of der(x) and of names that are taken. */
static void name_drive(char *name, size_t size, const dfl_inverse *out, const dfl_equations *eq,
                       int velocity)
{
    const char *rate = dfl_equations_v(eq)[velocity].name;
    const bool derivative = !strncmp(rate, "der(", 4);
    char own[230];
    snprintf(own, sizeof own, "%s", rate + (derivative ? 4 : 0));
    if (derivative)
        own[strcspn(own, ")")] = 0;
    snprintf(name, size, "%s", own);
    bool taken = !dfl_ends_with(own, ".q");
    if (!taken)
        name[strlen(name) - 2] = 0;
    taken = taken || dfl_equations_find(eq, name) >= 0;
    const dfl_declaration *decl = dfl_model_find(eq->model, name);
    taken = taken || (decl && decl->kind == DFL_AN_OUTPUT);
    for (int i = 0; i < out->nu; i++)
        taken = taken || !strcmp(out->names[i], name);
    if (taken)
        snprintf(name, size, "force(%s)", own);
}

/* The velocity of the coordinate that row `row` makes a function of time, or -1. */
static int prescribed_velocity(const dfl_equations *eq, int row)
{
    int found = -1, count = 0;
    for (int k = 0; k < eq->W.count; k++)
        if (eq->W.entry[k].row == row) {
            found = eq->W.entry[k].col;
            count++;
        }
    return count == 1 && dfl_depends(eq->graph, eq->rows.g[row], DFL_SYM_TIME) ? found : -1;
}

dfl_status dfl_drives_act(bool *directly, dfl_pursuit *it, double t)
{
    dfl_blocks blocks = {0};
    const dfl_inverse *out = it->out;
    dfl_status status = are_forces(directly, it);
    it->lacking = -1;
    if (status || !*directly)
        return status;
    status = dfl_state_blocks_create(&blocks, it->run, DFL_DIRECTIONS, t, out->x);
    if (!status)
        status = dfl_runnable_input_slopes(it->B, it->b, it->d, it->run, out->inputs, out->nu, t,
                                           out->x, NULL);
    if (!status)
        status = is_supplied(it, &blocks);
    if (status == DFL_INCONSISTENT && it->nonlinear) /* such as u^2 at u = 0: with other inputs? */
        status = is_supplied_elsewhere(it, &blocks, t);
    dfl_state_blocks_free(&blocks, it->run);
    *directly = status != DFL_INCONSISTENT;
    return status == DFL_INCONSISTENT ? DFL_OK : status;
}

/* Inputs are parts of forces alone; whether their factors contain inputs. */
static dfl_status are_forces(bool *yes, dfl_pursuit *it)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_expr *symbols = dfl_exprs(eq, it->out->nu);
    dfl_sparse slopes = {0};
    dfl_status status = symbols ? DFL_OK : DFL_NO_MEMORY;
    *yes = true;
    for (int i = 0; symbols && i < it->out->nu; i++)
        symbols[i] = eq->model->declarations.item[it->out->inputs[i]].symbol;
    if (!status)
        status = dfl_jacobian_exprs(&slopes, eq->graph, eq->rows.f, eq->nv, symbols, it->out->nu);
    it->nonlinear = false;
    for (int k = 0; k < slopes.count; k++)
        it->nonlinear =
            it->nonlinear || dfl_depends(eq->graph, slopes.entry[k].expr, DFL_SYM_INPUT);
    for (int k = 0; k < eq->M.count; k++)
        *yes = *yes && !dfl_depends(eq->graph, eq->M.entry[k].expr, DFL_SYM_INPUT);
    for (int i = 0; i < eq->nr; i++)
        *yes = *yes && !dfl_depends(eq->graph, eq->rows.b[i], DFL_SYM_INPUT);
    for (int i = 0; i < eq->nw; i++)
        *yes = *yes && !dfl_depends(eq->graph, eq->rows.d[i], DFL_SYM_INPUT);
    dfl_sparse_clear(&slopes, eq->model->ctx);
    dfl_free(eq->model->ctx, symbols);
    return status;
}

/* DFL_INCONSISTENT: the force of a motion is not one that inputs supply, whatever its size. */
static dfl_status is_supplied(dfl_pursuit *it, const dfl_blocks *blocks)
{
    const dfl_equations *eq = eq_of(it->run);
    const int nv = eq->nv, nc = eq->nl + eq->nm, kept = keep_constraints(it, blocks);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < eq->nl; i++) {
        double scale = 0;
        int worst = 0;
        for (int j = 0; j < nv; j++) {
            it->force[j] = blocks->W[(size_t)j * (size_t)nc + (size_t)i];
            scale = fmax(scale, fabs(it->force[j]));
        }
        const dfl_drive_forces wanted = {nv, kept, it->out->nu, it->W, it->B, it->force, scale};
        if (is_motion(eq, i))
            status =
                dfl_drives_find(it->out->tau, it->multipliers, &worst, ctx_of(it->run), &wanted);
        if (status == DFL_INCONSISTENT)
            it->lacking = worst;
    }
    return status;
}

/* The same with inputs of other sizes. */
static dfl_status is_supplied_elsewhere(dfl_pursuit *it, const dfl_blocks *blocks, double t)
{
    const dfl_inverse *out = it->out;
    const dfl_declaration *decl = eq_of(it->run)->model->declarations.item;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < out->nu; i++)
        status = dfl_runnable_set(it->run, DFL_AN_INPUT, decl[out->inputs[i]].index,
                                  decl[out->inputs[i]].value + 1);
    if (!status)
        status = dfl_runnable_input_slopes(it->B, it->b, it->d, it->run, out->inputs, out->nu, t,
                                           out->x, NULL);
    if (!status)
        status = is_supplied(it, blocks);
    for (int i = 0; i < out->nu; i++) {
        const dfl_status back = dfl_runnable_set(it->run, DFL_AN_INPUT, decl[out->inputs[i]].index,
                                                 decl[out->inputs[i]].value);
        status = status ? status : back;
    }
    return status;
}

static dfl_status refuse(const dfl_pursuit *it, double t, int worst)
{
    return dfl_fail(
        ctx_of(it->run), DFL_INCONSISTENT,
        "the inputs cannot follow the motion at t = %g: %s the force "
        "along %s that it needs",
        t, it->nonlinear ? "no values of them were found that supply" : "they do not supply",
        dfl_equations_v(eq_of(it->run))[worst].name);
}

/* Writes the rows of W that are no motions; returns their number. */
static int keep_constraints(dfl_pursuit *it, const dfl_blocks *blocks)
{
    const dfl_equations *eq = eq_of(it->run);
    const int nv = eq->nv, nc = eq->nl + eq->nm;
    int kept = 0, row = 0;
    for (int i = 0; i < nc; i++)
        kept += !is_motion(eq, i);
    for (int i = 0; i < nc; i++) {
        for (int j = 0; j < nv && !is_motion(eq, i); j++)
            it->W[(size_t)j * (size_t)kept + (size_t)row] =
                blocks->W[(size_t)j * (size_t)nc + (size_t)i];
        row += !is_motion(eq, i);
    }
    return kept;
}

dfl_status dfl_drives_of_inputs(dfl_pursuit *it, double t)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_inverse *out = it->out;
    dfl_context *ctx = ctx_of(it->run);
    const int nv = eq->nv, nc = eq->nl + eq->nm, nu = out->nu;
    const double *x = out->x, *l = x + eq->nw;
    dfl_blocks blocks = {0};
    int kept = 0, worst = 0;
    double scale = 0;
    dfl_status status = dfl_state_blocks_create(&blocks, it->run, DFL_DIRECTIONS | DFL_FORCE, t, x);
    if (!status) /* masses that depend on inputs are not driven */
        status =
            dfl_runnable_input_slopes(it->B, it->b, it->d, it->run, out->inputs, nu, t, x, NULL);
    memset(it->force, 0, (size_t)nv * sizeof(double));
    if (!status)
        kept = keep_constraints(it, &blocks);
    for (int i = 0; !status && i < nc; i++)
        for (int j = 0; j < nv; j++) {
            const double force = blocks.W[(size_t)j * (size_t)nc + (size_t)i] * l[i];
            scale = fmax(scale, fabs(force));
            it->force[j] -= is_motion(eq, i) ? force : 0;
        }
    for (int j = 0; !status && !it->nonlinear && j < nu; j++)
        for (int i = 0; i < nv; i++)
            it->force[i] += it->B[(size_t)j * (size_t)nv + (size_t)i] *
                            eq->model->declarations.item[out->inputs[j]].value;
    for (int i = 0; !status && i < nv; i++)
        scale = fmax(scale, fmax(fabs(it->force[i]), fabs(blocks.f[i])));
    const dfl_drive_forces wanted = {nv, kept, nu, it->W, it->B, it->force, scale};
    if (!status)
        status = it->nonlinear ? dfl_drives_by_newton(it, &worst, &wanted, t)
                               : dfl_drives_find(out->tau, it->multipliers, &worst, ctx, &wanted);
    if (status == DFL_INCONSISTENT)
        status = refuse(it, t, worst);
    for (int i = 0, row = 0; !status && i < nc; i++) {
        const bool motion = is_motion(eq, i);
        out->x[eq->nw + i] = motion ? 0 : out->x[eq->nw + i] + it->multipliers[row++];
    }
    dfl_state_blocks_free(&blocks, it->run);
    return status ? status : dfl_drives_power(it, t);
}

/* Of their forces at the drives' points. */
dfl_status dfl_drives_power(dfl_pursuit *it, double t)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_inverse *out = it->out;
    const double *v = out->x + eq->nw + eq->nl + eq->nm + eq->nr;
    if (it->nonlinear)
        return dfl_drives_power_added(it, t);
    const dfl_status status = dfl_runnable_input_slopes(it->B, it->b, it->d, it->run, out->inputs,
                                                        out->nu, t, out->x, NULL);
    for (int j = 0; !status && j < out->nu; j++) {
        double rate = 0;
        for (int i = 0; i < eq->nv; i++)
            rate += it->B[(size_t)j * (size_t)eq->nv + (size_t)i] * v[i];
        out->power[j] = out->tau[j] * rate;
    }
    return status;
}

/* -W^T l of each prescribed coordinate, also by several rows. */
dfl_status dfl_drives_of_coordinates(dfl_pursuit *it, double t)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_inverse *out = it->out;
    const int nc = eq->nl + eq->nm;
    const double *l = out->x + eq->nw, *v = l + nc + eq->nr;
    dfl_blocks blocks = {0};
    const dfl_status status = dfl_state_blocks_create(&blocks, it->run, DFL_DIRECTIONS, t, out->x);
    for (int i = 0; !status && i < out->nu; i++) {
        const int j = prescribed_velocity(eq, out->rows[i]);
        out->tau[i] = 0;
        for (int row = 0; row < eq->nl; row++)
            if (prescribed_velocity(eq, row) == j)
                out->tau[i] -= blocks.W[(size_t)j * (size_t)nc + (size_t)row] * l[row];
        out->power[i] = out->tau[i] * v[j];
    }
    dfl_state_blocks_free(&blocks, it->run);
    return status;
}
