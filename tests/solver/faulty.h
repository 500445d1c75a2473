/* faulty.h: a problem whose k-th call of a callback is spoiled: by a return value, or by NaN or
   Inf in one block. */
#ifndef DFL_TESTS_FAULTY_H
#define DFL_TESTS_FAULTY_H

#include "support.h"

#include <stdlib.h>

/* Which callback is spoiled. */
typedef enum target {
    EVAL,
    MASS,
    MASS_TIMES,
    RESIDUAL,
    JACOBIAN,
    SELECT,
    CONDITION,
    EVENT,
    ON_STEP,
    ON_OUTPUT,
    TARGETS
} target;
static const char *const target_name[TARGETS] = {"eval",     "mass",     "mass_times", "residual",
                                                 "jacobian", "select",   "condition",  "event",
                                                 "on_step",  "on_output"};

/* How: a return value, or a number written into the block. */
typedef struct damage {
    target target;
    int rc;       /* 0: spoil the block */
    double value; /* NaN or Inf */
    int block;    /* of eval or jacobian, by number */
} damage;

/* A problem with a fault. */
typedef struct faulty {
    problem prob;
    dfl_eom eom;
    const dfl_eom *model;
    damage damage;
    long calls, from, to; /* calls of the target so far; calls from .. to-1 are spoiled */
} faulty;

/* Options of all runs of a test, and whether its models lose their jacobian. */
static dfl_solver_options variant;
static bool by_differences;

static inline bool due(faulty *f, target which)
{
    if (f->damage.target != which)
        return false;
    const long k = f->calls++;
    return k >= f->from && k < f->to;
}

enum { EVAL_BLOCKS = 14, JACOBIAN_BLOCKS = 8 };

/* Block k of eval: its first number, how many there are, what asks for it, and its name. */
typedef struct block {
    double *numbers;
    int count;
    unsigned bit;
    const char *name;
} block;

static inline block eval_block(const dfl_blocks *b, const dfl_eom *m, int k)
{
    const int nc = m->nl + m->nm;
    const block all[EVAL_BLOCKS] = {
        {b->kin, m->np, DFL_KINEMATICS, "kin[0]"},
        {b->f, m->nv, DFL_FORCE, "f[0]"},
        {b->b, m->nr, DFL_DYNAMIC, "b[0]"},
        {b->d, m->nw, DFL_AUXILIARY, "d[0]"},
        {b->c, m->ns, DFL_POSITION, "c[0]"},
        {b->g, m->nl, DFL_POSITION, "g[0]"},
        {b->ep, m->nep, DFL_POSITION, "ep[0]"},
        {b->gI, m->nl, DFL_VELOCITY, "gI[0]"},
        {b->hv, m->nm, DFL_VELOCITY, "hv[0]"},
        {b->e, m->ne, DFL_VELOCITY, "e[0]"},
        {b->gam, m->n0, DFL_VELOCITY, "gam[0]"},
        {b->W, nc * m->nv, DFL_DIRECTIONS, m->nl ? "W, row gI[" : "W, row hv["},
        {b->K0, m->n0 * m->nv, DFL_DIRECTIONS, "K0, row f["},
        {b->bias, nc, DFL_BIAS, m->nl ? "gII[0]" : "hI[0]"},
    };
    return all[k];
}

static inline block jacobian_block(const dfl_jacobian *b, const dfl_eom *m, int k)
{
    const int nc = m->nl + m->nm, n = dfl_eom_unknowns(m), nvsp = m->nv + m->ns + m->np;
    const block all[JACOBIAN_BLOCKS] = {
        {b->d, m->nw * n, 0, "d[0]"},
        {b->acc, nc * n, 0, m->nl ? "gII[0]" : "hI[0]"},
        {b->vel, (nc + m->ne) * nvsp, 0,
         m->nl   ? "gI[0]"
         : m->nm ? "hv[0]"
                 : "e[0]"},
        {b->gam, m->n0 * n, 0, "gam[0]"},
        {b->pos, (m->ns + m->nl + m->nep) * (m->ns + m->np), 0,
         m->ns   ? "c[0]"
         : m->nl ? "g[0]"
                 : "ep[0]"},
        {b->b, m->nr * n, 0, "b[0]"},
        {b->dyn, m->nv * n, 0, "f[0]"},
        {b->kin, m->np * nvsp, 0, "kin[0]"},
    };
    return all[k];
}

static inline int spoiled_eval(dfl_blocks *out, double t, const double *x, unsigned need,
                               void *user)
{
    faulty *f = user;
    const int rc = f->model->eval(out, t, x, need, f->model->user);
    if (rc || !due(f, EVAL))
        return rc;
    const block b = eval_block(out, f->model, f->damage.block);
    const bool matrix = (b.bit & DFL_DIRECTIONS) != 0;
    int at = 0; /* entries of W and K0 that are always zero need not be written by a model */
    while (matrix && at + 1 < b.count && b.numbers[at] == 0)
        at++;
    if (f->damage.rc == 0 && b.count > 0 && (need & b.bit))
        b.numbers[at] = f->damage.value;
    return f->damage.rc;
}

static inline int spoiled_mass(double *M, double t, const double *x, void *user)
{
    faulty *f = user;
    const int rc = f->model->mass(M, t, x, f->model->user);
    if (rc || !due(f, MASS))
        return rc;
    if (f->damage.rc == 0)
        M[0] = f->damage.value;
    return f->damage.rc;
}

/* y = M a from the model's matrix or diagonal. */
static inline void multiply(double *y, const faulty *f, double t, const double *x, const double *a)
{
    const int nv = f->model->nv;
    double *M = calloc((size_t)nv * (size_t)nv, sizeof *M);
    assert_non_null(M);
    assert_int_equal(f->model->mass(M, t, x, f->model->user), 0);
    for (int i = 0; i < nv; i++) {
        y[i] = f->model->mass_diagonal ? M[i] * a[i] : 0;
        for (int j = 0; !f->model->mass_diagonal && j < nv; j++)
            y[i] += M[j * nv + i] * a[j];
    }
    free(M);
}

static inline int spoiled_mass_times(double *y, double t, const double *x, const double *a,
                                     void *user)
{
    faulty *f = user;
    multiply(y, f, t, x, a);
    if (!due(f, MASS_TIMES))
        return 0;
    if (f->damage.rc == 0)
        y[0] = f->damage.value;
    return f->damage.rc;
}

static inline int spoiled_residual(double *y, double t, const double *x, const double *a,
                                   void *user)
{
    faulty *f = user;
    const int nv = f->model->nv, rest = 200;
    double *room = calloc((size_t)(nv + 13 * rest), sizeof *room), *r = room + nv;
    assert_non_null(room);
    dfl_blocks b = {.f = room,
                    .kin = r,
                    .b = r + rest,
                    .d = r + 2 * rest,
                    .c = r + 3 * rest,
                    .g = r + 4 * rest,
                    .ep = r + 5 * rest,
                    .gI = r + 6 * rest,
                    .hv = r + 7 * rest,
                    .e = r + 8 * rest,
                    .gam = r + 9 * rest,
                    .W = r + 10 * rest,
                    .K0 = r + 11 * rest,
                    .bias = r + 12 * rest};
    assert_int_equal(f->model->eval(&b, t, x, DFL_FORCE, f->model->user), 0);
    multiply(y, f, t, x, a);
    for (int i = 0; i < nv; i++)
        y[i] -= b.f[i];
    free(room);
    if (!due(f, RESIDUAL))
        return 0;
    if (f->damage.rc == 0)
        y[0] = f->damage.value;
    return f->damage.rc;
}

static inline int spoiled_jacobian(dfl_jacobian *out, double t, const double *x, const double *a,
                                   void *user)
{
    faulty *f = user;
    const int rc = f->model->jacobian(out, t, x, a, f->model->user);
    if (rc || !due(f, JACOBIAN))
        return rc;
    const block b = jacobian_block(out, f->model, f->damage.block);
    if (f->damage.rc == 0 && b.count > 0)
        b.numbers[0] = f->damage.value;
    return f->damage.rc;
}

/* Selectors of the pendulum: the tangent. */
static inline int spoiled_select(double *Sp, double *Sv, int nfp, int nfv, double t,
                                 const double *x, void *user)
{
    faulty *f = user;
    (void)t;
    assert_true(nfp <= 1 && nfv <= 1);
    const double *p = x + 3;
    if (nfp > 0)
        Sp[0] = -p[1], Sp[1] = p[0];
    if (nfv > 0)
        Sv[0] = -p[1], Sv[1] = p[0];
    if (!due(f, SELECT))
        return 0;
    if (f->damage.rc == 0)
        Sp[0] = f->damage.value;
    return f->damage.rc;
}

/* The pendulum starts at the angle where x = 0.6, at rest. */
static inline int spoiled_condition(double *residual, double t, const double *x, void *user)
{
    faulty *f = user;
    (void)t;
    residual[0] = x[3] - 0.6;
    residual[1] = x[1];
    if (!due(f, CONDITION))
        return 0;
    if (f->damage.rc == 0)
        residual[1] = f->damage.value;
    return f->damage.rc;
}

static inline int spoiled_event(double *value, double t, const double *x, void *user)
{
    faulty *f = user;
    (void)x;
    value[0] = t - 0.2;
    if (!due(f, EVENT))
        return 0;
    if (f->damage.rc == 0)
        value[0] = f->damage.value;
    return f->damage.rc;
}

static inline int spoiled_step(dfl_solver *solver, double t_old, double t, const double *x,
                               void *user)
{
    faulty *f = user;
    (void)solver, (void)t_old, (void)t, (void)x;
    return due(f, ON_STEP) ? f->damage.rc : 0;
}

static inline int spoiled_output(double t, const double *x, void *user)
{
    faulty *f = user;
    (void)t, (void)x;
    return due(f, ON_OUTPUT) ? f->damage.rc : 0;
}

static inline void make_faulty(faulty *f, const char *name, damage d)
{
    *f = (faulty){.damage = d};
    assert_true(problem_make(&f->prob, name, 0));
    f->model = &f->prob.eom;
    f->eom = f->prob.eom;
    f->eom.user = f;
    f->eom.name = NULL; /* the default names, such as "g[0]" */
    f->eom.eval = spoiled_eval;
    f->eom.mass = f->eom.mass ? spoiled_mass : NULL;
    f->eom.jacobian = f->eom.jacobian && !by_differences ? spoiled_jacobian : NULL;
    if (d.target == MASS_TIMES || d.target == RESIDUAL) {
        f->eom.mass = NULL;
        f->eom.mass_diagonal = f->eom.mass_constant = false;
        f->eom.mass_times = d.target == MASS_TIMES ? spoiled_mass_times : NULL;
        f->eom.residual = d.target == RESIDUAL ? spoiled_residual : NULL;
    }
    f->eom.trivial_kinematics = false; /* so that kin is asked for */
    if (d.target == CONDITION)
        f->prob.x0[3] = 0.8, f->prob.x0[4] = -0.6; /* conditions and g are independent there */
    if (d.target == MASS)
        f->eom.mass_constant = false; /* so that it is called in every step */
}

static inline double span_of(const problem *prob)
{
    return 0.02 * (prob->t_end - prob->t0);
}

/* Finite, and consistent to what a run at rtol = 1e-6 promises: `allowed` for every level. */
static inline void assert_usable(const dfl_solver *solver, const problem *prob, double allowed)
{
    const double *x = dfl_solver_state(solver), t = dfl_solver_time(solver);
    for (int i = 0; i < dfl_eom_unknowns(&prob->eom); i++)
        assert_true(isfinite(x[i]));
    assert_true(isfinite(t));
    assert_near(residual_of(&prob->eom, t, x), 0, allowed);
}

static inline bool names_target(const dfl_context *ctx, target which)
{
    return strstr(dfl_message(ctx), target_name[which]) != NULL;
}

static inline dfl_solver_options options_for(faulty *f)
{
    dfl_solver_options o = variant;
    o.user = f;
    if (f->damage.target == SELECT)
        o.constraints.selectors = DFL_USER, o.constraints.select = spoiled_select;
    if (f->damage.target == EVENT)
        o.events.count = 1, o.events.eval = spoiled_event;
    if (f->damage.target == ON_STEP)
        o.output.on_step = spoiled_step;
    if (f->damage.target == ON_OUTPUT)
        o.output.on_output = spoiled_output, o.output.every = span_of(&f->prob) / 20;
    return o;
}

static inline dfl_status start_faulty(dfl_solver *solver, faulty *f)
{
    const dfl_conditions cond = {
        .mode = DFL_START_CONDITIONS, .nconditions = 2, .condition = spoiled_condition, .user = f};
    return dfl_solver_start(solver, f->prob.t0, f->prob.x0,
                            f->damage.target == CONDITION ? &cond : NULL);
}

/* The status that a target's damage must lead to when nothing helps. */
static inline bool fits(const damage *d, dfl_status status)
{
    if (d->target == ON_STEP || d->target == ON_OUTPUT)
        return status == DFL_STOPPED;
    if (d->target == SELECT && d->rc == 0)
        return status == DFL_NOT_FINITE || status == DFL_SINGULAR;
    return status == (d->rc ? DFL_CALLBACK : DFL_NOT_FINITE);
}

/* The run without a fault; returns how often the target was called. */
static inline long without_fault(double *x, const char *name, damage d)
{
    faulty f;
    make_faulty(&f, name, d);
    const dfl_solver_options options = options_for(&f);
    dfl_context *ctx = dfl_context_create();
    dfl_solver *solver = NULL;
    assert_int_equal(dfl_solver_create(&solver, ctx, &f.eom, &options), DFL_OK);
    if (start_faulty(solver, &f) || dfl_solver_advance(solver, f.prob.t0 + span_of(&f.prob)))
        fail_msg("%s: %s", name, dfl_message(ctx));
    memcpy(x, dfl_solver_state(solver), (size_t)dfl_eom_unknowns(&f.eom) * sizeof *x);
    dfl_solver_free(solver);
    dfl_context_free(ctx);
    const long calls = f.calls;
    problem_free(&f.prob);
    return calls;
}

#endif
