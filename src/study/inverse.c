/* inverse.c: inverse dynamics along the motions of a script.

   The motions are constraints, so that a run follows them, with all other coordinates. At each row the forces of
   these constraints, -W_m^T l_m, must come from the inputs and the other constraints:

       B tau - W_s^T (l_s' - l_s) = B u0 - W_m^T l_m                                              */
#include "study/study_internal.h"

#include <driftless/analysis.h>

#include <math.h>
#include <string.h>

enum { ROWS = 200 }; /* unless `every` says otherwise */

/* One run. */
typedef struct pursuit {
    dfl_inverse *out;
    dfl_runnable *run;
    const dfl_settings *settings;
    dfl_solver *solver;
    dfl_inverse_fn row;
    void *user;
    double *W, *force;   /* of the other constraints, nv */
    double *B, *b, *d;   /* derivatives by the inputs */
    double *multipliers; /* their change */
} pursuit;

static dfl_status prepare(pursuit *it);
static dfl_status list_drives(dfl_inverse *out, const dfl_equations *eq);
static int prescribed_velocity(const dfl_equations *eq, int row);
static dfl_status check_contents(const pursuit *it);
static dfl_status start(pursuit *it);
static dfl_status follow(pursuit *it);
static dfl_status solve_row(pursuit *it, double t);
static dfl_status find_drives(pursuit *it, double t);
static dfl_status take_own_forces(pursuit *it, double t);
static dfl_status take_row(pursuit *it, double t);
static void add_means(dfl_inverse *out, double t, bool first);

bool dfl_is_motion(const dfl_equations *eq, int row)
{
    const char *name = eq->model->declarations.item[eq->declared.row[row]].name;
    return !strncmp(name, DFL_MOTION_PREFIX, strlen(DFL_MOTION_PREFIX));
}

dfl_status dfl_study_inverse(dfl_inverse *out, dfl_runnable *run, const dfl_settings *settings,
                             dfl_inverse_fn row, void *user)
{
    pursuit it = {.out = out, .run = run, .settings = settings, .row = row, .user = user};
    *out = (dfl_inverse){.t = NAN};
    dfl_status status = prepare(&it);
    if (!status)
        status = check_contents(&it);
    if (!status)
        status = start(&it);
    if (!status)
        status = follow(&it);
    dfl_solver_free(it.solver);
    dfl_free(ctx_of(run), it.W);
    dfl_free(ctx_of(run), it.B);
    return status;
}

void dfl_inverse_clear(dfl_inverse *inverse, dfl_context *ctx)
{
    for (int i = 0; inverse->names && i < inverse->nu; i++)
        dfl_free(ctx, inverse->names[i]);
    dfl_free(ctx, inverse->names);
    dfl_free(ctx, inverse->inputs);
    dfl_free(ctx, inverse->rows);
    dfl_free(ctx, inverse->peak); /* owns the others */
    *inverse = (dfl_inverse){0};
}

static dfl_status prepare(pursuit *it)
{
    const dfl_equations *eq = eq_of(it->run);
    const dfl_model *model = eq->model;
    dfl_inverse *out = it->out;
    const size_t inputs = (size_t)model->count[DFL_AN_INPUT], nv = (size_t)eq->nv;
    const size_t room = inputs ? inputs : (size_t)eq->nl;
    const size_t nc = (size_t)(eq->nl + eq->nm), n = (size_t)eq->n;
    out->peak = dfl_alloc(ctx_of(it->run), 5 * room + n + (size_t)model->count[DFL_AN_OUTPUT] + 1,
                          sizeof(double));
    it->W = dfl_alloc(ctx_of(it->run), nc * nv + nc + nv, sizeof(double));
    it->B = dfl_alloc(ctx_of(it->run), room * (nv + (size_t)(eq->nr + eq->nw)) + 1, sizeof(double));
    if (!out->peak || !it->W || !it->B)
        return DFL_NO_MEMORY;
    out->rms = out->peak + room;
    out->tau = out->rms + room;
    out->power = out->tau + room;
    out->before = out->power + room;
    out->x = out->before + room;
    out->outputs = out->x + n;
    it->multipliers = it->W + nc * nv;
    it->force = it->multipliers + nc;
    it->b = it->B + room * nv;
    it->d = it->b + room * (size_t)eq->nr;
    return list_drives(out, eq);
}

/* The inputs, or the coordinates that are prescribed one by one. */
static dfl_status list_drives(dfl_inverse *out, const dfl_equations *eq)
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
        if (inputs ? decl->kind != DFL_AN_INPUT : v < 0)
            continue;
        const char *name = inputs ? decl->name : dfl_equations_v(eq)[v].name;
        if (!inputs && !strncmp(name, "der(", 4))
            name += 4;
        (*list)[out->nu] = i;
        out->names[out->nu] = dfl_copy_string(ctx, name);
        if (!out->names[out->nu++])
            return DFL_NO_MEMORY;
        if (!inputs) { /* der(joint.q) becomes joint, der(x) becomes x */
            char *own = out->names[out->nu - 1];
            own[strcspn(own, ")")] = 0;
            if (dfl_ends_with(own, ".q"))
                own[strlen(own) - 2] = 0;
        }
    }
    return DFL_OK;
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

static dfl_status check_contents(const pursuit *it)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_context *ctx = ctx_of(it->run);
    const char *path = eq->model->path;
    int motions = 0;
    for (int i = 0; i < eq->nl; i++)
        motions += dfl_is_motion(eq, i);
    if (motions == 0 && !(it->out->rows && it->out->nu > 0))
        return dfl_fail(
            ctx, DFL_INVALID,
            "%s prescribes no motion; write motion(x, sin(time)) with a coordinate and a "
            "function of time",
            path);
    if (it->out->nu == 0)
        return dfl_fail(
            ctx, DFL_INVALID,
            "%s has no input that could drive it; declare one with input(\"name\", 0) and "
            "use it in a force",
            path);
    if (isnan(it->settings->to) || it->settings->to <= it->settings->from)
        return dfl_fail(ctx, DFL_INVALID,
                        "until when? Give --to T after the start, or write "
                        "simulate{to = T} into the model");
    return it->out->inputs ? dfl_runnable_check_inputs(it->run, it->out->inputs, it->out->nu)
                           : DFL_OK;
}

static dfl_status start(pursuit *it)
{
    dfl_model *model = eq_of(it->run)->model;
    dfl_solver_options options = it->settings->solver;
    for (int i = 0; i < model->starts.count; i++)
        model->starts.item[i].held = false; /* motions decide */
    options.output.every = 0;
    dfl_runnable_lock(&options.switches, it->run);
    const dfl_status status =
        dfl_solver_create(&it->solver, ctx_of(it->run), dfl_runnable_eom(it->run), &options);
    return status ? status
                  : dfl_study_start(NULL, NULL, it->run, it->solver, &it->settings->solver,
                                    it->settings->from);
}

static dfl_status follow(pursuit *it)
{
    const double from = it->settings->from, length = it->settings->to - from;
    const double every = it->settings->solver.output.every;
    const double count = every > 0 ? ceil(length / every - 1e-9) : ROWS;
    dfl_status status = solve_row(it, from);
    for (double i = 1; !status && i <= count; i++) {
        const double t =
            i == count ? it->settings->to : from + (every > 0 ? i * every : i * length / count);
        status = dfl_solver_advance(it->solver, t);
        if (status && status != DFL_STOPPED)
            status = dfl_study_explain(it->run, status, dfl_solver_time(it->solver),
                                       dfl_solver_state(it->solver));
        if (!status && dfl_interrupted(ctx_of(it->run)))
            status = DFL_STOPPED;
        if (!status)
            status = solve_row(it, t);
    }
    const double duration = it->out->t - from;
    for (int i = 0; i < it->out->nu; i++)
        it->out->rms[i] = duration > 0 ? sqrt(it->out->rms[i] / duration) : fabs(it->out->tau[i]);
    return status;
}

static dfl_status solve_row(pursuit *it, double t)
{
    const dfl_equations *eq = eq_of(it->run);
    memcpy(it->out->x, dfl_solver_state(it->solver), (size_t)eq->n * sizeof(double));
    dfl_status status = dfl_state_polish(it->out->x, ctx_of(it->run), dfl_runnable_eom(it->run), t);
    if (!status)
        status = it->out->inputs ? find_drives(it, t) : take_own_forces(it, t);
    return status ? status : take_row(it, t);
}

static dfl_status find_drives(pursuit *it, double t)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_inverse *out = it->out;
    dfl_context *ctx = ctx_of(it->run);
    const int nv = eq->nv, nc = eq->nl + eq->nm, nu = out->nu;
    const double *x = out->x, *l = x + eq->nw, *v = x + eq->nw + nc + eq->nr;
    dfl_blocks blocks = {0};
    int kept = 0, worst = 0;
    double scale = 0;
    dfl_status status = dfl_state_blocks_create(&blocks, it->run, DFL_DIRECTIONS | DFL_FORCE, t, x);
    if (!status) /* masses that depend on inputs are not driven */
        status =
            dfl_runnable_input_slopes(it->B, it->b, it->d, it->run, out->inputs, nu, t, x, NULL);
    memset(it->force, 0, (size_t)nv * sizeof(double));
    for (int i = 0; i < nc; i++)
        kept += i >= eq->nl || !dfl_is_motion(eq, i);
    for (int i = 0, row = 0; !status && i < nc; i++) {
        const bool motion = i < eq->nl && dfl_is_motion(eq, i);
        for (int j = 0; j < nv; j++) {
            const double w = blocks.W[(size_t)j * (size_t)nc + (size_t)i];
            scale = fmax(scale, fabs(w * l[i]));
            if (motion)
                it->force[j] -= w * l[i];
            else
                it->W[(size_t)j * (size_t)kept + (size_t)row] = w;
        }
        row += !motion;
    }
    for (int j = 0; !status && j < nu; j++)
        for (int i = 0; i < nv; i++)
            it->force[i] += it->B[(size_t)j * (size_t)nv + (size_t)i] *
                            eq->model->declarations.item[out->inputs[j]].value;
    for (int i = 0; !status && i < nv; i++)
        scale = fmax(scale, fmax(fabs(it->force[i]), fabs(blocks.f[i])));
    const dfl_drive_forces wanted = {nv, kept, nu, it->W, it->B, it->force, scale};
    if (!status)
        status = dfl_drives_find(out->tau, it->multipliers, &worst, ctx, &wanted);
    if (status == DFL_INCONSISTENT)
        status =
            dfl_fail(ctx, status,
                     "the inputs cannot follow the motion at t = %g: they do not supply the force "
                     "along %s that it needs",
                     t, dfl_equations_v(eq)[worst].name);
    for (int i = 0, row = 0; !status && i < nc; i++) {
        const bool motion = i < eq->nl && dfl_is_motion(eq, i);
        out->x[eq->nw + i] = motion ? 0 : out->x[eq->nw + i] + it->multipliers[row++];
    }
    for (int j = 0; !status && j < nu; j++) {
        double rate = 0;
        for (int i = 0; i < nv; i++)
            rate += it->B[(size_t)j * (size_t)nv + (size_t)i] * v[i];
        out->power[j] = out->tau[j] * rate;
    }
    dfl_state_blocks_free(&blocks, it->run);
    return status;
}

/* -W^T l of each prescribed coordinate. */
static dfl_status take_own_forces(pursuit *it, double t)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_inverse *out = it->out;
    const int nc = eq->nl + eq->nm;
    const double *l = out->x + eq->nw, *v = l + nc + eq->nr;
    dfl_blocks blocks = {0};
    const dfl_status status = dfl_state_blocks_create(&blocks, it->run, DFL_DIRECTIONS, t, out->x);
    for (int i = 0; !status && i < out->nu; i++) {
        const int row = out->rows[i], j = prescribed_velocity(eq, row);
        out->tau[i] = -blocks.W[(size_t)j * (size_t)nc + (size_t)row] * l[row];
        out->power[i] = out->tau[i] * v[j];
    }
    dfl_state_blocks_free(&blocks, it->run);
    return status;
}

/* Outputs see the drives as inputs. */
static dfl_status take_row(pursuit *it, double t)
{
    dfl_inverse *out = it->out;
    const dfl_declaration *decl = eq_of(it->run)->model->declarations.item;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && out->inputs && i < out->nu; i++)
        status = dfl_runnable_set(it->run, DFL_AN_INPUT, decl[out->inputs[i]].index, out->tau[i]);
    if (!status)
        dfl_runnable_outputs(out->outputs, it->run, t, out->x);
    for (int i = 0; !status && out->inputs && i < out->nu; i++)
        status = dfl_runnable_set(it->run, DFL_AN_INPUT, decl[out->inputs[i]].index,
                                  decl[out->inputs[i]].value);
    if (status)
        return status;
    add_means(out, t, isnan(out->t));
    const dfl_inverse_row row = {t, out->x, out->outputs, out->tau, out->power};
    return it->row(&row, it->user);
}

/* Peaks, and integrals of squares of what is linear between rows. */
static void add_means(dfl_inverse *out, double t, bool first)
{
    for (int i = 0; i < out->nu; i++) {
        const double a = out->before[i], b = out->tau[i];
        if (fabs(b) > fabs(out->peak[i]))
            out->peak[i] = b;
        if (!first)
            out->rms[i] += (t - out->t) * (a * a + a * b + b * b) / 3;
        out->before[i] = b;
    }
    out->t = t;
}
