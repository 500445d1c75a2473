/* inverse.c: inverse dynamics along the motions of a script.

   The motions are constraints, so that a run follows them, with all other coordinates. At each row
   the forces of these constraints must come from the inputs and the other constraints
   (inverse_drives.c). Where inputs do not act on the motions directly, their derivatives are used
   (servo.c). */
#include "study/inverse_internal.h"

#include <driftless/analysis.h>

#include <math.h>
#include <string.h>

enum { ROWS = 200, MOST = 20000 }; /* unless `every` says otherwise */

typedef dfl_pursuit pursuit;

static dfl_status prepare(pursuit *it);
static dfl_status check_contents(const pursuit *it);
static dfl_status choose_count(int *count, pursuit *it);
static dfl_status start(pursuit *it);
static dfl_status name_lacking(pursuit *it);
static dfl_status follow(pursuit *it, int count);
static dfl_status advance(pursuit *it, double t);
static dfl_status solve_row(pursuit *it, double t);
static dfl_status take_row(pursuit *it, double t);
static void add_means(dfl_inverse *out, double t, bool first);

dfl_status dfl_study_inverse(dfl_inverse *out, dfl_runnable *run, const dfl_settings *settings,
                             dfl_inverse_fn row, void *user)
{
    pursuit it = {.out = out, .run = run, .settings = settings, .row = row, .user = user};
    *out = (dfl_inverse){.t = NAN};
    dfl_status status = prepare(&it);
    if (!status)
        status = check_contents(&it);
    int count = 0;
    if (!status)
        status = choose_count(&count, &it);
    if (!status)
        status = start(&it);
    if (!status)
        status = follow(&it, count);
    dfl_solver_free(it.solver);
    dfl_servo_clear(&it.servo);
    dfl_free(ctx_of(run), it.branch);
    dfl_free(ctx_of(run), it.held);
    dfl_free(ctx_of(run), it.mode);
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
    it->held = dfl_alloc(ctx_of(it->run), (size_t)model->starts.count, sizeof *it->held);
    if (!out->peak || !it->W || !it->B || !it->held)
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
    return dfl_drives_list(out, eq);
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

/* How many rows after the first: as `every` says, or as many as a cubic spline through them needs
   to keep the tolerance. A spline of width h errs by h^4/384 times the fourth derivative. */
static dfl_status choose_count(int *count, pursuit *it)
{
    const double every = it->settings->solver.output.every;
    const double rows = ceil((it->settings->to - it->settings->from) / every - 1e-9);
    const size_t nu = (size_t)it->out->nu;
    *count = ROWS;
    if (every > 0) {
        if (rows > 1e8)
            return dfl_fail(ctx_of(it->run), DFL_INVALID, "every = %g gives %g rows", every, rows);
        *count = (int)rows;
        return DFL_OK;
    }
    double *tau = dfl_alloc(ctx_of(it->run), nu * (ROWS + 1), sizeof *tau);
    it->history = tau;
    dfl_status status = tau ? start(it) : DFL_NO_MEMORY;
    if (!status)
        status = follow(it, ROWS);
    const double rtol = it->settings->solver.rtol > 0 ? it->settings->solver.rtol : 1e-6;
    double worst = 0, overall = 0;
    for (size_t i = 0; !status && i < nu * (ROWS + 1); i++)
        overall = fmax(overall, fabs(tau[i]));
    for (size_t k = 0; !status && k < nu; k++) {
        double largest = 0, fourth = 0;
        for (size_t i = 0; i <= ROWS; i++)
            largest = fmax(largest, fabs(tau[i * nu + k]));
        for (size_t i = 2; i + 2 <= ROWS; i++)
            fourth = fmax(fourth, fabs(tau[(i - 2) * nu + k] - 4 * tau[(i - 1) * nu + k] +
                                       6 * tau[i * nu + k] - 4 * tau[(i + 1) * nu + k] +
                                       tau[(i + 2) * nu + k]));
        if (largest > 1e-10 * overall) /* less is rounding of an input that is not needed */
            worst = fmax(worst, fourth / 384 / (rtol * largest));
    }
    *count = ROWS * (int)fmin(MOST / ROWS, ceil(fmax(1, pow(worst, 0.25))));
    it->history = NULL;
    dfl_free(ctx_of(it->run), tau);
    return status;
}

/* Again, if need be. */
static dfl_status start(pursuit *it)
{
    dfl_model *model = eq_of(it->run)->model;
    dfl_inverse *out = it->out;
    const double from = it->settings->from;
    dfl_solver_options options = it->settings->solver;
    for (int i = 0; i < model->starts.count; i++) {
        it->held[i] = it->held[i] || model->starts.item[i].held;
        model->starts.item[i].held = false; /* motions decide */
    }
    it->followed = false;
    memset(out->peak, 0, (size_t)out->nu * sizeof *out->peak);
    memset(out->rms, 0, (size_t)out->nu * sizeof *out->rms);
    out->t = NAN;
    options.output.every = 0;
    dfl_runnable_lock(&options.switches, it->run, NULL);
    dfl_solver_free(it->solver);
    dfl_servo_clear(&it->servo);
    dfl_status status =
        dfl_solver_create(&it->solver, ctx_of(it->run), dfl_runnable_eom(it->run), &options);
    if (!status)
        status = dfl_study_start(NULL, NULL, it->run, it->solver, &it->settings->solver, from);
    if (status)
        return status;
    bool directly = true;
    memcpy(out->x, dfl_solver_state(it->solver), (size_t)eq_of(it->run)->n * sizeof(double));
    status = dfl_inverse_note_start(it);
    if (!status && out->inputs)
        status = dfl_drives_act(&directly, it, from);
    it->indirect = !directly;
    if (!status && directly) {
        status = dfl_inverse_check_paths(it, 0);
        return status ? status : dfl_inverse_check_open_motion(it, from);
    }
    if (!status)
        status =
            dfl_servo_start(&it->servo, it->run, out->inputs, out->nu, options.rtol, from, out->x);
    if (status == DFL_INCONSISTENT && it->lacking >= 0)
        return name_lacking(it);
    return status ? status : dfl_inverse_check_paths(it, it->servo.array.level);
}

/* Adds to the message along which velocity no input acts. */
static dfl_status name_lacking(pursuit *it)
{
    dfl_context *ctx = ctx_of(it->run);
    char *message = dfl_copy_string(ctx, dfl_message(ctx));
    if (!message)
        return DFL_NO_MEMORY;
    const dfl_status status = dfl_fail(ctx, DFL_INCONSISTENT, "%s; no input acts along %s directly",
                                       message, dfl_equations_v(eq_of(it->run))[it->lacking].name);
    dfl_free(ctx, message);
    return status;
}

static dfl_status follow(pursuit *it, int count)
{
    const double from = it->settings->from, length = it->settings->to - from;
    const double every = it->settings->solver.output.every;
    dfl_status status = solve_row(it, from);
    for (int i = 1; !status && i <= count; i++) {
        const double t =
            i == count ? it->settings->to : from + (every > 0 ? i * every : i * length / count);
        status = advance(it, t);
        if (!status && dfl_interrupted(ctx_of(it->run)))
            status = DFL_STOPPED;
        if (!status)
            status = solve_row(it, t);
    }
    if (!status && !it->indirect)
        status = dfl_inverse_check_end(it, it->settings->to);
    const double duration = it->out->t - from;
    for (int i = 0; i < it->out->nu; i++)
        it->out->rms[i] = duration > 0 ? sqrt(it->out->rms[i] / duration) : fabs(it->out->tau[i]);
    return status;
}

static dfl_status advance(pursuit *it, double t)
{
    if (it->indirect)
        return dfl_servo_advance(&it->servo, t);
    const dfl_status status = dfl_solver_advance(it->solver, t);
    return status && status != DFL_STOPPED
               ? dfl_study_explain(it->run, status, dfl_solver_time(it->solver),
                                   dfl_solver_state(it->solver))
               : status;
}

static dfl_status solve_row(pursuit *it, double t)
{
    const size_t n = (size_t)eq_of(it->run)->n;
    dfl_inverse *out = it->out;
    dfl_status status;
    if (it->indirect) {
        const dfl_servo *servo = &it->servo;
        memcpy(out->x, servo->X, n * sizeof(double));
        memcpy(out->tau, servo->X + servo->array.first_u, (size_t)out->nu * sizeof(double));
        status = dfl_drives_power(it, t);
        if (!status)
            status = dfl_inverse_check_switches(it, t);
    } else {
        memcpy(out->x, dfl_solver_state(it->solver), n * sizeof(double));
        status = dfl_state_polish(out->x, ctx_of(it->run), dfl_runnable_eom(it->run), t);
        if (!status)
            status = out->inputs ? dfl_drives_of_inputs(it, t) : dfl_drives_of_coordinates(it, t);
    }
    if (!status)
        status = dfl_inverse_note_contacts(it, t);
    return status ? status : take_row(it, t);
}

/* Outputs see the drives as inputs. */
static dfl_status take_row(pursuit *it, double t)
{
    dfl_inverse *out = it->out;
    const dfl_declaration *decl = eq_of(it->run)->model->declarations.item;
    dfl_status status = DFL_OK;
    if (it->history) {
        memcpy(it->history, out->tau, (size_t)out->nu * sizeof *out->tau);
        it->history += out->nu;
        return DFL_OK;
    }
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
