/* fuzz_solver.c: bytes as calls of the C interface of the solver: sizes, callbacks that write odd
   numbers or fail, options out of range, calls in any order. Nothing may crash, every failure has a
   message, and a state after a success is finite. */
#include "bytes.h"

#include <driftless/driftless.h>

enum { USUAL = 4, MOST = 64, MOST_CALLS = 8, MOST_CALLBACKS = 20000 };

/* What the callbacks know. */
typedef struct model {
    dfl_eom eom;
    bytes *b;
    int mischief; /* 0: smooth numbers; 1: now and then an odd one or a failure */
    long evaluations;
    long callbacks; /* of all kinds: the work of an input is bounded by their number */
    int nevents;
} model;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static void describe(model *m, bytes *b);
static dfl_solver_options choose_options(bytes *b, model *m);
static void call(dfl_solver *solver, dfl_context *ctx, model *m, bytes *b);
static void start(dfl_solver *solver, dfl_context *ctx, model *m, bytes *b);
static int finish(model *m);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int mass(double *M, double t, const double *x, void *user);
static int mass_times(double *y, double t, const double *x, const double *a, void *user);
static int on_output(double t, const double *x, void *user);
static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user);
static int event(double *value, double t, const double *x, void *user);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    model m = {.b = &b};
    dfl_solver *solver = NULL;
    dfl_context *ctx = dfl_context_create();
    ALWAYS(ctx);
    describe(&m, &b);
    const int n = dfl_eom_unknowns(&m.eom);
    ALWAYS(n >= -1);
    dfl_solver_options options = choose_options(&b, &m), resolved;
    dfl_status status = dfl_solver_options_resolve(&resolved, ctx, &m.eom, &options);
    ALWAYS(!status || dfl_message(ctx)[0]);
    if (n <= MOST) { /* larger ones are only described: they would take their time */
        status = dfl_solver_create(&solver, ctx, &m.eom, take_flag(&b) ? NULL : &options);
        ALWAYS((status == DFL_OK) == (solver != NULL));
        ALWAYS(!status || dfl_message(ctx)[0]);
        for (int i = 0; solver && i < MOST_CALLS && b.left > 0; i++)
            call(solver, ctx, &m, &b);
    }
    dfl_solver_free(solver);
    ALWAYS(dfl_context_live(ctx) == 0);
    dfl_context_free(ctx);
    return 0;
}

static void describe(model *m, bytes *b)
{
    dfl_eom *eom = &m->eom;
    int *const sizes[] = {&eom->np, &eom->nv, &eom->nr, &eom->nw,  &eom->ns,
                          &eom->nl, &eom->nm, &eom->ne, &eom->nep, &eom->n0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        *sizes[i] = i < 2 || take_byte(b) > 160 ? take_size(b, USUAL) : 0;
    if (take_byte(b) < 200)
        eom->nv = eom->np;
    eom->eval = take_byte(b) > 5 ? eval : NULL;
    const int kind = take_choice(b, 6);
    eom->mass = kind == 1 || kind == 2 ? mass : NULL;
    eom->mass_diagonal = kind == 2;
    eom->mass_times = kind == 3 ? mass_times : NULL;
    eom->residual = kind == 4 ? mass_times : NULL;
    eom->contract = take_byte(b) > 240 ? (dfl_contract)take_choice(b, 3) : DFL_NATIVE;
    const unsigned flags = take_byte(b);
    eom->mass_constant = flags & 1;
    eom->trivial_kinematics = flags & 2;
    eom->autonomous = flags & 4;
    eom->linear = flags & 8;
    eom->no_bias = flags & 16 && flags & 32;
    eom->forces_free_of_multipliers = flags & 64;
    eom->only_time = flags & 128;
    m->mischief = take_byte(b) > 128;
    eom->user = m;
}

static dfl_solver_options choose_options(bytes *b, model *m)
{
    dfl_solver_options o = {.user = m};
    double *const numbers[] = {&o.rtol,
                               &o.atol,
                               &o.step.first,
                               &o.step.max,
                               &o.step.fixed,
                               &o.step.safety,
                               &o.step.max_factor,
                               &o.step.min_factor,
                               &o.newton.tolerance,
                               &o.newton.reuse,
                               &o.output.every,
                               &o.constraints.rank_tolerance,
                               &o.baumgarte.alpha,
                               &o.error.rounding};
    const unsigned given = take_byte(b) | take_byte(b) << 8;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (given >> i & 1)
            *numbers[i] = take_byte(b) > 128 ? take_number(b) : pow(10, -take_choice(b, 12));
    if (o.output.every > 0 && o.output.every < 1e-3)
        o.output.every = 1e-3;
    o.form = (dfl_form)take_choice(b, DFL_FORMS + 2);
    o.integrator = (dfl_integrator)take_choice(b, DFL_INTEGRATORS + 1);
    o.order = take_byte(b) > 200 ? take_size(b, 13) : 0;
    o.step.max_attempts = take_byte(b) > 250 ? -1 : 20;
    if (o.step.max_attempts < 0 && take_flag(b))
        o.step.max_attempts = LONG_MIN;
    o.newton.iterations = take_byte(b) > 220 ? take_size(b, 20) : 0;
    if (o.newton.iterations > 100)
        o.newton.iterations = 100;
    const unsigned flags = take_byte(b);
    o.constraints.lagged = flags & 1;
    o.constraints.rigid_invariants = flags & 2;
    o.output.project = flags & 4;
    o.self_check = (flags & 24) == 24;
    o.constraints.selectors = flags & 32 ? (dfl_selectors)take_choice(b, 4) : DFL_ORTHOGONAL;
    o.constraints.algebraic = (dfl_algebraic)take_choice(b, 5);
    o.output.on_output = flags & 64 ? on_output : NULL;
    o.output.on_step = flags & 64 ? on_step : NULL;
    o.events.count = flags & 128 ? take_size(b, 3) : 0;
    o.events.eval = take_byte(b) > 10 ? event : NULL;
    if (o.events.count > 1000) /* it could only be refused for its memory */
        o.events.count = 3;
    m->nevents = o.events.count;
    return o;
}

static void call(dfl_solver *solver, dfl_context *ctx, model *m, bytes *b)
{
    double x[MOST];
    dfl_status status = DFL_OK;
    switch (take_choice(b, 5)) {
    case 0:
        start(solver, ctx, m, b);
        return;
    case 1:
        status = dfl_solver_advance(solver, take_byte(b) > 200 ? take_number(b)
                                                               : dfl_solver_time(solver) + 0.01);
        break;
    case 2:
        status = dfl_solver_interpolate(x, solver, take_number(b), take_flag(b));
        break;
    case 3:
        dfl_solver_residuals(solver);
        dfl_solver_statistics(solver);
        dfl_solver_failure(solver);
        break;
    default:
        dfl_solver_order(solver);
        dfl_solver_step(solver);
    }
    ALWAYS(!status || dfl_message(ctx)[0]);
    const double *state = dfl_solver_state(solver);
    for (int i = 0; !status && state && i < dfl_eom_unknowns(&m->eom); i++)
        ALWAYS(isfinite(state[i]));
}

static void start(dfl_solver *solver, dfl_context *ctx, model *m, bytes *b)
{
    double x[MOST] = {0}, weight[MOST];
    bool held[MOST];
    const int n = dfl_eom_unknowns(&m->eom);
    const bool odd = take_byte(b) > 230, mixed = take_flag(b);
    for (int i = 0; i < n; i++) {
        x[i] = odd ? take_number(b) : take_usual(b);
        held[i] = mixed && take_byte(b) > 200;
        weight[i] = odd ? take_number(b) : 1;
    }
    dfl_conditions conditions = {.mode = (dfl_start_mode)take_choice(b, 5),
                                 .held = take_flag(b) ? held : NULL,
                                 .weight = take_flag(b) ? weight : NULL};
    const dfl_status status =
        dfl_solver_start(solver, odd ? take_number(b) : 0, x, take_flag(b) ? &conditions : NULL);
    ALWAYS(!status || dfl_message(ctx)[0]);
    const double *state = dfl_solver_state(solver);
    for (int i = 0; !status && state && i < n && conditions.mode != DFL_START_AS_GIVEN; i++)
        ALWAYS(isfinite(state[i]));
}

/* ---- callbacks ---- */

/* The value of a callback: a failure or an end now and then. An advance with usual options may take
   millions of steps to a far end; what is left of them after the first ones shows nothing new. */
static int finish(model *m)
{
    if (++m->callbacks > MOST_CALLBACKS)
        return -1;
    if (!m->mischief || m->evaluations % 7 != 3)
        return 0;
    const unsigned byte = take_byte(m->b);
    return byte > 250 ? -1 : byte > 235 ? 1 : 0;
}

/* Smooth functions of the state, so that Newton's iteration often converges. */
static double smooth(const model *m, int row, double t, const double *x, int n)
{
    double sum = 0.1 * sin(t + row);
    for (int i = 0; i < n; i++)
        sum += (i % 3 == row % 3 ? 1.0 : 0.1) * x[i] * (1 + 0.05 * cos(x[i] + row));
    if (m->mischief && m->evaluations % 11 == 5 && row == 0)
        sum = take_number(m->b);
    return sum;
}

static void fill(double *out, int count, int row, const model *m, double t, const double *x, int n)
{
    for (int i = 0; out && i < count; i++)
        out[i] = smooth(m, row + i, t, x, n);
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    model *m = user;
    const dfl_eom *eom = &m->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    const double *p = x + at.s, *v = x + at.v;
    m->evaluations++;
    if (need & DFL_KINEMATICS)
        for (int i = 0; i < eom->np; i++)
            out->kin[i] = eom->nv > 0 ? v[i % eom->nv] : 0;
    if (need & DFL_FORCE)
        fill(out->f, eom->nv, 0, m, t, x, at.n);
    if (need & DFL_DYNAMIC)
        fill(out->b, eom->nr, 1, m, t, x, at.n);
    if (need & DFL_AUXILIARY)
        fill(out->d, eom->nw, 2, m, t, x, at.n);
    if (need & DFL_POSITION) {
        fill(out->c, eom->ns, 0, m, t, p, eom->ns + eom->np);
        fill(out->g, eom->nl, 1, m, t, p, eom->ns + eom->np);
        fill(out->ep, eom->nep, 2, m, t, p, eom->ns + eom->np);
    }
    if (need & DFL_VELOCITY) {
        fill(out->gI, eom->nl, 1, m, t, v, eom->nv);
        fill(out->hv, eom->nm, 2, m, t, v, eom->nv);
        fill(out->e, eom->ne, 3, m, t, v, eom->nv);
        fill(out->gam, eom->n0, 4, m, t, v, eom->nv);
    }
    if (need & DFL_DIRECTIONS) {
        for (int i = 0; i < (eom->nl + eom->nm) * eom->nv; i++)
            out->W[i] = i % (eom->nl + eom->nm + 1) == 0 ? 1 : 0.1;
        for (int i = 0; i < eom->nv * eom->n0; i++)
            out->K0[i] = i % (eom->nv + 1) == 0;
    }
    if (need & DFL_BIAS)
        fill(out->bias, eom->nl + eom->nm, 5, m, t, x, at.n);
    return finish(m);
}

static int mass(double *M, double t, const double *x, void *user)
{
    model *m = user;
    const int nv = m->eom.nv;
    (void)t;
    for (int i = 0; i < nv; i++)
        M[m->eom.mass_diagonal ? i : i * nv + i] = 1 + 0.1 * (nv > 0 ? cos(x[0]) : 0);
    return finish(m);
}

static int mass_times(double *y, double t, const double *x, const double *a, void *user)
{
    model *m = user;
    (void)t;
    (void)x;
    for (int i = 0; i < m->eom.nv; i++)
        y[i] = 2 * a[i];
    return finish(m);
}

static int on_output(double t, const double *x, void *user)
{
    (void)t;
    (void)x;
    return finish(user) != 0;
}

static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    double between[MOST];
    (void)x;
    dfl_solver_interpolate(between, solver, (t_old + t) / 2, false);
    dfl_solver_residuals(solver);
    return finish(user) != 0;
}

static int event(double *value, double t, const double *x, void *user)
{
    model *m = user;
    const int n = dfl_eom_unknowns(&m->eom);
    for (int i = 0; i < m->nevents; i++)
        value[i] = n > 0 ? x[i % n] - 0.1 : t - 0.005;
    return finish(m);
}
