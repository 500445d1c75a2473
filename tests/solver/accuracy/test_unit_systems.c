/* The motion does not depend on the units of time and mass or on factors of constraints: a model
   with all blocks, with rows that depend on each other and without, in units of 1e-9 to 1e9 s
   and 1e-6 to 1e6 kg, with rows times 1e-6 to 1e6. */
#include "mixed.h"

/* The model `inner` with times in units of 1/`time` s, masses in units of 1/`mass` kg and rows
   of W times `row`. */
typedef struct other_units {
    const dfl_eom *inner;
    double time, mass, row[3];
    double x[20];
} other_units;

static const double *inner_state(other_units *u, const double *x)
{
    const dfl_layout at = dfl_eom_layout(u->inner);
    memcpy(u->x, x, (size_t)at.n * sizeof *x);
    for (int i = 0; i < u->inner->nl + u->inner->nm; i++)
        u->x[at.lambda + i] *= u->row[i] * u->time * u->time / u->mass;
    for (int i = 0; i < u->inner->nv; i++)
        u->x[at.v + i] *= u->time;
    return u->x;
}

static void multiply(double *block, int n, double factor)
{
    for (int i = 0; i < n; i++)
        block[i] *= factor;
}

static int eval_in_units(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    other_units *u = user;
    const dfl_eom *eom = u->inner;
    const int nc = eom->nl + eom->nm;
    const double rate = 1 / u->time, force = u->mass * rate * rate;
    const int rc = eom->eval(out, t * rate, inner_state(u, x), need, eom->user);
    if (need & DFL_KINEMATICS)
        multiply(out->kin, eom->np, rate);
    if (need & DFL_FORCE)
        multiply(out->f, eom->nv, force);
    if (need & DFL_DYNAMIC)
        multiply(out->b, eom->nr, rate);
    if (need & DFL_VELOCITY)
        multiply(out->gam, eom->n0, force);
    for (int i = 0; i < nc; i++) {
        const double row = u->row[i];
        if ((need & DFL_POSITION) && i < eom->nl)
            out->g[i] *= row;
        if (need & DFL_VELOCITY)
            *(i < eom->nl ? out->gI + i : out->hv + i - eom->nl) *= row * rate;
        if (need & DFL_BIAS)
            out->bias[i] *= row * rate * rate;
        for (int j = 0; need & DFL_DIRECTIONS && j < eom->nv; j++)
            out->W[j * nc + i] *= row;
    }
    return rc;
}

static int mass_in_units(double *M, double t, const double *x, void *user)
{
    other_units *u = user;
    const int rc = u->inner->mass(M, t / u->time, inner_state(u, x), u->inner->user);
    multiply(M, u->inner->nv * u->inner->nv, u->mass);
    return rc;
}

/* Runs for 2 s in these units and compares with the reference; multipliers are those of minimum
   norm. */
static void run_in_units(mixed m, other_units u, dfl_solver_options options)
{
    const dfl_eom inner = mixed_eom(&m);
    const dfl_layout at = dfl_eom_layout(&inner);
    const int nc = m.rows;
    double y[6] = {0.4, 1.1, 0.2, 0.6, 0.8, 0.3}, X[20] = {0}, atol[20], load = 0, square = 0;
    dfl_eom eom = inner;
    u.inner = &inner;
    eom.eval = eval_in_units;
    eom.mass = mass_in_units;
    eom.user = &u;
    mixed_start(X, &m, y);
    multiply(X + at.v, eom.nv, 1 / u.time);
    for (int i = 0; i < nc; i++) /* rows w_i = c_i w */
        square += mixed_scale[i] * u.row[i] * mixed_scale[i] * u.row[i];
    for (int i = 0; i < at.n; i++) {
        const bool force = i >= at.lambda && i < at.r, velocity = i >= at.v && i < at.s;
        atol[i] = options.rtol * (force      ? u.mass / (u.time * u.time * sqrt(square))
                                  : velocity ? 1 / u.time
                                             : 1);
    }
    options.error.atol_each = atol;
    const run r = run_with(&eom, mixed_t0 * u.time, X, (mixed_t0 + 2) * u.time, &options, NULL);
    assert_succeeded(&r);
    rk4(y, 6, mixed_t0, mixed_t0 + 2, 400, mixed_rate, NULL);
    /* 20 times the tolerance, as elsewhere */
    const double tol = 20 * options.rtol;
    assert_near(r.x[at.r], y[2], tol);
    assert_near(r.x[at.v + 1] * u.time, y[1], tol);
    assert_near(r.x[at.p + 1], cos(y[0]), tol);
    assert_near(r.x[at.p + 3], y[3], tol);
    /* l_i = load c_i/|c|^2 */
    for (int i = 0; i < nc; i++)
        load += mixed_scale[i] * u.row[i] * r.x[at.lambda + i];
    for (int i = 0; i < nc; i++)
        assert_near(r.x[at.lambda + i], load * mixed_scale[i] * u.row[i] / square,
                    1e-6 * fabs(load) / sqrt(square));
}

static void the_unit_of_time_does_not_matter(void **state)
{
    (void)state;
    const double unit[] = {1e-9, 1e-4, 1e4, 1e9};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            const mixed m = {.rows = k % 2 ? 3 : 1, .massless = k / 2, .invariants = k % 2};
            const other_units u = {.time = unit[i], .mass = 1, .row = {1, 1, 1}};
            run_in_units(m, u, (dfl_solver_options){.rtol = 1e-7, .self_check = true});
            run_in_units(m, u, (dfl_solver_options){.rtol = 1e-7, .form = DFL_PSI1});
            run_in_units(m, u,
                         (dfl_solver_options){.rtol = 1e-7, .constraints.selectors = DFL_UNIT});
        }
}

static void masses_and_factors_of_redundant_rows_do_not_matter(void **state)
{
    (void)state;
    const double unit[] = {1e-6, 1, 1e6};
    const double row[][3] = {{1e6, 1e-6, 1}, {1e-6, 1e-6, 1e6}, {1e-6, 1e-5, 1e-6}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++) {
            const mixed m = {.rows = 3, .massless = k / 3};
            other_units u = {.time = 1, .mass = unit[i]};
            memcpy(u.row, row[k % 3], sizeof u.row);
            run_in_units(m, u, (dfl_solver_options){.rtol = 1e-7, .self_check = true});
            run_in_units(m, u,
                         (dfl_solver_options){.rtol = 1e-7, .constraints.selectors = DFL_UNIT});
        }
}

/* ---------------------------------------------------------------- conditions */
/* A pendulum of length `length` and mass `mass` with g = 9.81, x = [l | v | p], that shall start
   at x = 0.6 of its length with x' = sqrt(length)/2. */
typedef struct hanging {
    double length, mass;
} hanging;

static int hanging_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const hanging *h = user;
    const double *v = x + 1, *p = x + 3;
    (void)t;
    if (need & DFL_FORCE) {
        out->f[0] = 0;
        out->f[1] = -9.81 * h->mass;
    }
    if (need & DFL_POSITION)
        out->g[0] = p[0] * p[0] + p[1] * p[1] - h->length * h->length;
    if (need & DFL_VELOCITY)
        out->gI[0] = 2 * (p[0] * v[0] + p[1] * v[1]);
    for (int j = 0; need & DFL_DIRECTIONS && j < 2; j++)
        out->W[j] = 2 * p[j];
    if (need & DFL_BIAS)
        out->bias[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static int hanging_mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x;
    M[0] = M[1] = ((const hanging *)user)->mass;
    return 0;
}

static int hanging_condition(double *residual, double t, const double *x, void *user)
{
    const hanging *h = user;
    (void)t;
    residual[0] = x[3] - 0.6 * h->length;
    residual[1] = x[1] - 0.5 * sqrt(h->length);
    return 0;
}

static run start_hanging(hanging *h, const double *x0, const double *atol, bool unique)
{
    const dfl_eom eom = {.np = 2,
                         .nv = 2,
                         .nl = 1,
                         .eval = hanging_eval,
                         .mass = hanging_mass,
                         .mass_diagonal = true,
                         .trivial_kinematics = true,
                         .user = h};
    const dfl_conditions conditions = {.mode = DFL_START_CONDITIONS,
                                       .unique = unique,
                                       .nconditions = 2,
                                       .condition = hanging_condition,
                                       .user = h};
    const dfl_solver_options options = {.rtol = 1e-8, .error.atol_each = atol};
    return run_with(&eom, 0, x0, 0, &options, &conditions);
}

static void conditions_are_met_in_any_units(void **state)
{
    (void)state;
    const double length[] = {1e-10, 1e-6, 1e-3, 1, 1e3, 1e6, 1e11}, mass[] = {1e-6, 1, 1e6};
    for (int k = 0; k < 7 * 3 * 2; k++) {
        hanging h = {length[k % 7], mass[k / 7 % 3]};
        const double L = h.length, speed = sqrt(L), force = k / 7 == 1 ? 1e30 : 1e-8 * h.mass / L;
        const double atol[5] = {force, 1e-8 * speed, 1e-8 * speed, 1e-8 * L, 1e-8 * L};
        const double x0[5] = {0, 0, 0, 0.5 * L, -0.7 * L};
        const run r = start_hanging(&h, x0, atol, k >= 21);
        assert_succeeded(&r);
        assert_near(r.x[3] / L, 0.6, 1e-12);
        assert_near(r.x[4] / L, -0.8, 1e-12);
        assert_near(r.x[2] / speed, 0.375, 1e-12);
        /* 2 l L^2 = m v^2 - m g y */
        const double square = 0.25 + 0.375 * 0.375;
        assert_near(r.x[0] * L / h.mass, (square + 9.81 * 0.8) / 2, 1e-10);
    }
}

/* As relative tolerances ask for: of one unknown, or of all. */
static void tiny_tolerances_do_not_keep_conditions_from_being_met(void **state)
{
    (void)state;
    const double x0[5] = {0, 0, 0, 0, -1};
    for (int i = 0; i <= 5; i++)
        for (double tiny = 1e-12; tiny > 1e-60; tiny *= 1e-12) {
            hanging h = {1, 1};
            double atol[5];
            for (int j = 0; j < 5; j++)
                atol[j] = i == j || i == 5 ? tiny : 1e-8;
            for (int unique = 0; unique <= 1; unique++) {
                const run r = start_hanging(&h, x0, atol, unique);
                assert_succeeded(&r);
                assert_near(r.x[3], 0.6, 1e-12);
                assert_near(r.x[4], -0.8, 1e-12);
                assert_near(r.x[2], 0.375, 1e-12);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_of_time_does_not_matter),
        cmocka_unit_test(masses_and_factors_of_redundant_rows_do_not_matter),
        cmocka_unit_test(conditions_are_met_in_any_units),
        cmocka_unit_test(tiny_tolerances_do_not_keep_conditions_from_being_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
