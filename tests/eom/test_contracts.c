/* test_contracts.c: every way to describe a mechanism with dfl_eom leads to the same motion.

   Motions are compared with exact solutions, with the references of the problems, or with the
   reduced equation in one coordinate, integrated by the classical Runge-Kutta method with so many
   steps that its error is below 1e-11. Runs have rtol = atol = 1e-8 unless stated; CLOSE leaves a
   factor of 50 to 100 for the accumulation of errors. */
#include "support.h"

#define CLOSE 1e-6
enum { MOST = 16 };

static const dfl_solver_options fine = {.rtol = 1e-8};

/* ---- one mechanism, several contracts ---- */

/* A problem behind another contract. */
typedef struct wrapped {
    problem prob;
    long mass_calls, kin_requests, direction_requests;
    bool lie; /* with `autonomous`: f depends on t */
} wrapped;

static int eval_wrapped(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    wrapped *w = user;
    w->kin_requests += (need & DFL_KINEMATICS) != 0;
    const int rc = w->prob.eom.eval(out, t, x, need, w->prob.parameters);
    if (w->lie && need & DFL_FORCE)
        out->f[0] += t;
    return rc;
}

/* M, nv x nv, of the problem. */
static void full_mass(double *M, const wrapped *w, double t, const double *x)
{
    const dfl_eom *eom = &w->prob.eom;
    const int nv = eom->nv;
    double own[MOST * MOST] = {0};
    memset(M, 0, (size_t)(nv * nv) * sizeof *M);
    if (eom->mass)
        eom->mass(own, t, x, w->prob.parameters);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            if (!eom->mass || eom->mass_diagonal)
                M[j * nv + i] = i != j ? 0 : eom->mass ? own[i] : 1;
            else
                M[j * nv + i] = own[j * nv + i];
}

static int mass_full(double *M, double t, const double *x, void *user)
{
    wrapped *w = user;
    w->mass_calls++;
    full_mass(M, w, t, x);
    return 0;
}

static int mass_diagonal(double *M, double t, const double *x, void *user)
{
    wrapped *w = user;
    w->mass_calls++;
    return w->prob.eom.mass(M, t, x, w->prob.parameters);
}

static int mass_times(double *y, double t, const double *x, const double *a, void *user)
{
    wrapped *w = user;
    const int nv = w->prob.eom.nv;
    double M[MOST * MOST];
    w->mass_calls++;
    full_mass(M, w, t, x);
    for (int i = 0; i < nv; i++) {
        y[i] = 0;
        for (int j = 0; j < nv; j++)
            y[i] += M[j * nv + i] * a[j];
    }
    return 0;
}

static int residual(double *y, double t, const double *x, const double *a, void *user)
{
    wrapped *w = user;
    double f[MOST];
    const int rc = w->prob.eom.eval(&(dfl_blocks){.f = f}, t, x, DFL_FORCE, w->prob.parameters);
    mass_times(y, t, x, a, user);
    for (int i = 0; i < w->prob.eom.nv; i++)
        y[i] -= f[i];
    return rc;
}

/* b := A^-1 b, n x n, by elimination with column pivots. */
static void solve(double *A, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[k * n + i]) > fabs(A[k * n + best]))
                best = i;
        for (int j = k; j < n; j++) {
            const double kept = A[j * n + k];
            A[j * n + k] = A[j * n + best], A[j * n + best] = kept;
        }
        const double kept = b[k];
        b[k] = b[best], b[best] = kept;
        for (int i = k + 1; i < n; i++) {
            const double factor = A[k * n + i] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[j * n + i] -= factor * A[j * n + k];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[j * n + k] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* f := f - W^T (l, m); bias := W M^-1 f + bias: GEOMS's contract. */
static int eval_geoms(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    wrapped *w = user;
    const dfl_eom *eom = &w->prob.eom;
    const int nv = eom->nv, nc = eom->nl + eom->nm;
    double W[MOST * MOST] = {0}, f[MOST], bias[MOST], M[MOST * MOST];
    w->direction_requests += (need & DFL_DIRECTIONS) != 0;
    dfl_blocks own = *out;
    own.W = W, own.f = f, own.bias = bias;
    const int rc =
        eom->eval(&own, t, x, need | DFL_FORCE | DFL_DIRECTIONS | DFL_BIAS, w->prob.parameters);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nc; i++)
            f[j] -= W[j * nc + i] * x[eom->nw + i];
    if (need & DFL_FORCE)
        memcpy(out->f, f, (size_t)nv * sizeof *f);
    full_mass(M, w, t, x);
    solve(M, f, nv);
    for (int i = 0; i < nc && need & DFL_BIAS; i++) {
        out->bias[i] = bias[i];
        for (int j = 0; j < nv; j++)
            out->bias[i] += W[j * nc + i] * f[j];
    }
    return rc;
}

typedef enum contract { AS_IS, FULL, TIMES, RESIDUAL, BOTH, GEOMS, CONTRACTS } contract;

static dfl_eom wrap(wrapped *w, contract kind)
{
    dfl_eom eom = w->prob.eom;
    eom.eval = kind == GEOMS ? eval_geoms : eval_wrapped;
    eom.jacobian = NULL;
    eom.user = w;
    eom.mass_diagonal = eom.mass_constant = false;
    eom.mass = NULL;
    if (kind == AS_IS && w->prob.eom.mass) {
        eom.mass_diagonal = w->prob.eom.mass_diagonal;
        eom.mass_constant = w->prob.eom.mass_constant;
        eom.mass = eom.mass_diagonal ? mass_diagonal : mass_full;
    } else if (kind == FULL || kind == GEOMS) {
        eom.mass = mass_full;
    } else if (kind == TIMES) {
        eom.mass_times = mass_times;
    } else if (kind == RESIDUAL || kind == BOTH) {
        eom.residual = residual;
        eom.mass = kind == BOTH ? mass_full : NULL;
    }
    eom.contract = kind == GEOMS ? DFL_GEOMS : DFL_NATIVE;
    return eom;
}

static void every_contract_gives_the_same_motion(void **state)
{
    (void)state;
    /* unit M, full M(p), diagonal M(p), with constraints and without positions of their own */
    const struct {
        const char *name;
        double t;
    } model[] = {{"pendulum", 1.3}, {"sleigh", 1.0}, {"slidercrank", 0}, {"flyball", 0}};
    for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
        wrapped w = {0};
        assert_true(problem_make(&w.prob, model[i].name, 0));
        const double t = model[i].t > 0 ? model[i].t : w.prob.references[0].t;
        for (int kind = 0; kind < CONTRACTS; kind++)
            for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
                const dfl_eom eom = wrap(&w, (contract)kind);
                const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
                const run r = run_with(&eom, w.prob.t0, w.prob.x0, t, &options, NULL);
                assert_succeeded(&r);
                /* multipliers of psi1 have a lower order */
                const int first = form == DFL_PSF ? 0 : eom.nl + eom.nm;
                const double error = error_of(&r, &w.prob, t, first, r.n - first);
                if (!(error < CLOSE))
                    fail_msg("%s, contract %d, form %d: error %g", model[i].name, kind, form,
                             error);
            }
        assert_int_equal(w.direction_requests, 0); /* GEOMS never needs W */
        problem_free(&w.prob);
    }
}

static void a_constant_mass_matrix_is_evaluated_once_per_start(void **state)
{
    (void)state;
    wrapped w = {0};
    assert_true(problem_pendulum(&w.prob, 0));
    dfl_eom eom = wrap(&w, FULL);
    const run varying = run_with(&eom, 0, w.prob.x0, 1.3, &fine, NULL);
    assert_succeeded(&varying);
    assert_true(w.mass_calls > 3 * varying.stats.back_substitutions); /* at every stage */
    eom.mass_constant = true;
    w.mass_calls = 0;
    const run constant = run_with(&eom, 0, w.prob.x0, 1.3, &fine, NULL);
    assert_succeeded(&constant);
    assert_true(w.mass_calls <= 2); /* for the initial values and for the integration */
    assert_int_equal(constant.stats.mass_evaluations, 1);
    assert_true(distance(constant.x, varying.x, constant.n) < 1e-9); /* rounding, amplified */
    problem_free(&w.prob);
}

static void two_descriptions_of_the_mass_are_refused(void **state)
{
    (void)state;
    wrapped w = {0};
    assert_true(problem_pendulum(&w.prob, 0));
    dfl_eom eom = wrap(&w, FULL);
    eom.mass_times = mass_times;
    const run both = run_with(&eom, 0, w.prob.x0, 1, NULL, NULL);
    assert_failed(&both, DFL_INVALID, "only one");
    eom = wrap(&w, TIMES);
    eom.mass_diagonal = true;
    const run diagonal = run_with(&eom, 0, w.prob.x0, 1, NULL, NULL);
    assert_failed(&diagonal, DFL_INVALID, "mass_diagonal");
    eom = wrap(&w, RESIDUAL);
    eom.contract = DFL_GEOMS;
    const run geoms = run_with(&eom, 0, w.prob.x0, 1, NULL, NULL);
    assert_failed(&geoms, DFL_INVALID, "GEOMS");
    problem_free(&w.prob);
}

static void trivial_kinematics_are_never_asked_for(void **state)
{
    (void)state;
    wrapped w = {0};
    assert_true(problem_pendulum(&w.prob, 0));
    dfl_eom eom = wrap(&w, AS_IS);
    eom.trivial_kinematics = false;
    const run asked = run_with(&eom, 0, w.prob.x0, 1.3, &fine, NULL);
    assert_true(w.kin_requests > 0);
    w.kin_requests = 0;
    eom.trivial_kinematics = true;
    const run trivial = run_with(&eom, 0, w.prob.x0, 1.3, &fine, NULL);
    assert_succeeded(&trivial);
    assert_int_equal(w.kin_requests, 0);
    /* differences of kin = v are exact up to rounding of the increments, 1e-8 of an entry */
    assert_true(distance(asked.x, trivial.x, asked.n) < CLOSE);
    problem_free(&w.prob);
    assert_true(problem_top(&w.prob, 0));
    w.prob.eom.trivial_kinematics = true;
    const run top = run_problem(&w.prob, 0.1, NULL);
    assert_failed(&top, DFL_INVALID, "trivial_kinematics");
    problem_free(&w.prob);
}

/* ---- singular mass matrices ---- */

/* The pendulum of length 1 whose mass moves only in x (kind a): x'' = g x / y, lambda = -g/(2 y).
 */
static const double g_light = 4.0;

static int mass_light(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = 1;
    M[1] = 0;
    return 0;
}

/* One step of the classical Runge-Kutta method for y' = F(y) of dimension n <= 4. */
typedef void (*field)(double *yp, const double *y);
static void runge_kutta(double *y, field F, int n, double t_end, int steps)
{
    const double h = t_end / steps;
    for (int s = 0; s < steps; s++) {
        double k[4][4], z[4];
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < n; i++)
                z[i] = y[i] + (j ? h * (j == 3 ? 1 : 0.5) * k[j - 1][i] : 0);
            F(k[j], z);
        }
        for (int i = 0; i < n; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static void light_field(double *yp, const double *y)
{
    yp[0] = y[1];
    yp[1] = -g_light * y[0] / sqrt(1 - y[0] * y[0]);
}

static void a_mass_held_by_its_constraint_may_be_zero(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_pendulum(&prob, 0));
    *(pendulum_parameters *)prob.parameters = (pendulum_parameters){1, 1, g_light};
    prob.eom.mass = mass_light;
    const double y0 = -0.8, x0[5] = {-g_light / (2 * y0), 0, 0, 0.6, y0};
    double expected[2] = {0.6, 0};
    runge_kutta(expected, light_field, 2, 1, 4000);
    for (int analytic = 0; analytic < 2; analytic++) {
        dfl_eom eom = prob.eom;
        if (!analytic)
            eom.jacobian = NULL;
        for (int mode = DFL_START_PROJECT; mode <= DFL_START_CHECK; mode++) {
            const dfl_conditions cond = {.mode = (dfl_start_mode)mode};
            const run r = run_with(&eom, 0, x0, 1, &fine, &cond);
            assert_succeeded(&r);
            assert_near(r.x[3], expected[0], CLOSE);
            assert_near(r.x[1], expected[1], CLOSE);
            assert_near(r.x[0], -g_light / (2 * r.x[4]), CLOSE);
            assert_true(r.stats.max_residual.acceleration < CLOSE);
        }
    }
    problem_free(&prob);
}

/* ---- massless rows ---- */

static void the_massless_oscillator_meets_its_references(void **state)
{
    (void)state;
    const double damping[] = {2, 50};
    for (int i = 0; i < 2; i++) {
        problem prob;
        assert_true(problem_oscillator_mass(&prob, 0, damping[i]));
        for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
            const dfl_solver_options options = {
                .rtol = 1e-8, .atol = 1e-10, .form = (dfl_form)form};
            for (int k = 0; k < prob.nreferences; k++) {
                const run r = run_problem(&prob, prob.references[k].t, &options);
                assert_succeeded(&r);
                assert_true(error_at(&r, &prob, prob.references[k].t) < CLOSE);
                assert_true(r.stats.max_residual.massless < 1e-5); /* forces of some 100 */
            }
        }
        problem_free(&prob);
    }
}

static void small_masses_tend_to_the_massless_limit(void **state)
{
    (void)state;
    double error[2];
    for (int i = 0; i < 2; i++) {
        problem limit, prob;
        const double m1 = i ? 1e-3 : 1e-2;
        assert_true(problem_oscillator_mass(&limit, 0, 50));
        assert_true(problem_oscillator_mass(&prob, m1, 50));
        const run r = run_problem(&prob, 2, &(dfl_solver_options){.rtol = 1e-10, .atol = 1e-13});
        assert_succeeded(&r);
        error[i] = fabs(r.x[3] - limit.references[1].x[3]);
        problem_free(&prob);
        problem_free(&limit);
    }
    /* O(m1), mechanics.md 1.6: 6.3e-7 and 6.3e-8 */
    assert_between(error[0], 3e-7, 1.2e-6);
    assert_between(error[0] / error[1], 8, 12.5);
}

/* A massless node with spring 2 and damper 1, pushed by r with r' = -r:
   p' = -2 p + r, from p = 2, r = 1: p = exp(-t) + exp(-2 t). */
static int eval_pushed(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double r = x[0], v = x[1], p = x[2], f = -2 * p - v + r;
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v;
    if (need & DFL_DYNAMIC)
        out->b[0] = -r;
    if (need & DFL_FORCE)
        out->f[0] = f;
    if (need & DFL_VELOCITY)
        out->gam[0] = f;
    if (need & DFL_DIRECTIONS)
        out->K0[0] = 1;
    return 0;
}

static int mass_zero(double *M, double t, const double *x, void *user)
{
    (void)M, (void)t, (void)x, (void)user;
    return 0;
}

static void a_massless_row_may_contain_dynamic_force_elements(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1,
                         .nv = 1,
                         .nr = 1,
                         .n0 = 1,
                         .eval = eval_pushed,
                         .mass = mass_zero,
                         .mass_diagonal = true,
                         .mass_constant = true};
    const double x0[3] = {1, 0, 2}; /* v follows from the balance */
    for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
        const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
        const run r = run_with(&eom, 0, x0, 1, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[2], exp(-1) + exp(-2), CLOSE);
        assert_near(r.x[1], -exp(-1) - 2 * exp(-2), CLOSE);
    }
}

/* The node with f = -2 p - v + w, 0 = d = w + p + v: p' = -1.5 p. */
static int eval_auxiliary(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double w = x[0], v = x[1], p = x[2], f = -2 * p - v + w;
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v;
    if (need & DFL_AUXILIARY)
        out->d[0] = w + p + v;
    if (need & DFL_FORCE)
        out->f[0] = f;
    if (need & DFL_VELOCITY)
        out->gam[0] = f;
    if (need & DFL_DIRECTIONS)
        out->K0[0] = 1;
    return 0;
}

static void a_massless_row_may_contain_auxiliary_variables(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1,
                         .nv = 1,
                         .nw = 1,
                         .n0 = 1,
                         .eval = eval_auxiliary,
                         .mass = mass_zero,
                         .mass_diagonal = true,
                         .mass_constant = true};
    /* the start must find v and w together: one from the other in turns would never settle */
    const double x0[3] = {0, 0, 1};
    for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
        const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
        const run r = run_with(&eom, 0, x0, 1, &options, NULL);
        assert_succeeded(&r);
        assert_near(r.x[2], exp(-1.5), CLOSE);
        assert_near(r.x[0], 0.5 * exp(-1.5), CLOSE);
    }
}

/* A massless node on the unit circle, spring c and damper d to A = (2, 0), and a tangential force
   -mu lambda: 2 lambda = p.f = c (2 cos phi - 1), so
   d phi' = -2 c sin phi - (mu/2) c (2 cos phi - 1). */
static const double c_node = 3, d_node = 2, mu_node = 0.8;

static int eval_node(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double l = x[0], *v = x + 1, *p = x + 3, tangent[2] = {-p[1], p[0]};
    double f[2];
    (void)t, (void)user;
    for (int i = 0; i < 2; i++)
        f[i] = -c_node * (p[i] - (i == 0 ? 2 : 0)) - d_node * v[i] - mu_node * l * tangent[i];
    for (int i = 0; i < 2; i++) {
        if (need & DFL_KINEMATICS)
            out->kin[i] = v[i];
        if (need & DFL_FORCE)
            out->f[i] = f[i];
        if (need & DFL_DIRECTIONS)
            out->W[i] = 2 * p[i], out->K0[i] = tangent[i];
    }
    if (need & DFL_POSITION)
        out->g[0] = p[0] * p[0] + p[1] * p[1] - 1;
    if (need & DFL_VELOCITY) {
        out->gI[0] = 2 * (p[0] * v[0] + p[1] * v[1]);
        out->gam[0] = tangent[0] * f[0] + tangent[1] * f[1];
    }
    if (need & DFL_BIAS)
        out->bias[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
    return 0;
}

static void node_field(double *yp, const double *y)
{
    yp[0] = c_node / d_node * (-2 * sin(y[0]) - mu_node / 2 * (2 * cos(y[0]) - 1));
}

static void check_node(dfl_form form)
{
    const dfl_eom eom = {.np = 2,
                         .nv = 2,
                         .nl = 1,
                         .n0 = 1,
                         .eval = eval_node,
                         .mass = mass_zero,
                         .mass_diagonal = true,
                         .mass_constant = true};
    const double x0[5] = {0, 0, 0, 0, 1};
    double phi[1] = {acos(0)};
    runge_kutta(phi, node_field, 1, 0.7, 2000);
    const dfl_solver_options options = {.rtol = 1e-8, .form = form};
    const run r = run_with(&eom, 0, x0, 0.7, &options, NULL);
    assert_succeeded(&r);
    assert_near(r.x[3], cos(phi[0]), CLOSE);
    assert_near(r.x[4], sin(phi[0]), CLOSE);
    /* of psi1 the multiplier has a lower order in general; here it is determined by the rows of
       the dynamics that the constraint leaves without mass */
    assert_near(r.x[0], c_node / 2 * (2 * cos(phi[0]) - 1), CLOSE);
}

static void a_massless_row_may_contain_multipliers(void **state)
{
    (void)state;
    check_node(DFL_PSF);
}

static void a_massless_row_may_contain_multipliers_in_psi1(void **state)
{
    (void)state;
    check_node(DFL_PSI1);
}

/* ---- redundant rows ---- */

/* A problem with constraints of one kind, each of them twice. */
static int eval_twice(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    wrapped *w = user;
    const dfl_eom *eom = &w->prob.eom;
    const int nc = eom->nl + eom->nm, nv = eom->nv;
    double y[RUN_MOST], W[MOST * MOST] = {0};
    memcpy(y, x + nc, (size_t)dfl_eom_unknowns(eom) * sizeof *x); /* f does not see multipliers */
    dfl_blocks own = *out;
    own.W = W;
    const int rc = eom->eval(&own, t, y, need, w->prob.parameters);
    for (int i = 0; i < nc; i++) {
        if (need & DFL_POSITION && eom->nl)
            out->g[nc + i] = out->g[i];
        if (need & DFL_VELOCITY && eom->nl)
            out->gI[nc + i] = out->gI[i];
        if (need & DFL_VELOCITY && eom->nm)
            out->hv[nc + i] = out->hv[i];
        if (need & DFL_BIAS)
            out->bias[nc + i] = out->bias[i];
        for (int j = 0; j < nv && need & DFL_DIRECTIONS; j++)
            out->W[j * 2 * nc + i] = out->W[j * 2 * nc + nc + i] = W[j * nc + i];
    }
    return rc;
}

static int mass_twice(double *M, double t, const double *x, void *user)
{
    wrapped *w = user;
    const int nc = w->prob.eom.nl + w->prob.eom.nm;
    return w->prob.eom.mass(M, t, x + nc, w->prob.parameters);
}

static void check_doubled(const char *name, double t, dfl_form form)
{
    wrapped w = {0};
    assert_true(problem_make(&w.prob, name, 0));
    dfl_eom eom = w.prob.eom;
    const int nc = eom.nl + eom.nm;
    eom.nl *= 2;
    eom.nm *= 2;
    eom.eval = eval_twice;
    eom.mass = mass_twice;
    eom.jacobian = NULL;
    eom.user = &w;
    double x0[RUN_MOST] = {0};
    memcpy(x0 + 2 * nc, w.prob.x0 + nc, (size_t)(dfl_eom_unknowns(&eom) - 2 * nc) * sizeof *x0);
    const dfl_solver_options options = {.rtol = 1e-8, .form = form};
    const run twice = run_with(&eom, 0, x0, t, &options, NULL);
    const run once = run_problem(&w.prob, t, &options);
    assert_succeeded(&twice);
    assert_int_equal(twice.stats.rank_velocity, nc);
    assert_true(distance(twice.x + 2 * nc, once.x + nc, once.n - nc) < CLOSE);
    /* of all multipliers with the same force the shortest: halves */
    for (int i = 0; i < nc; i++) {
        const double size = 1e-10 * fmax(1, fabs(twice.x[i])); /* an SVD per step: rounding */
        assert_near(twice.x[i], twice.x[nc + i], size);
        if (form == DFL_PSF)
            assert_near(twice.x[i] + twice.x[nc + i], once.x[i], 20 * CLOSE); /* lambda is 12 */
    }
    problem_free(&w.prob);
}

static void doubled_holonomic_rows_share_their_multiplier(void **state)
{
    (void)state;
    check_doubled("pendulum", 1.3, DFL_PSF);
    check_doubled("pendulum", 1.3, DFL_PSI1);
}

/* x^2 + y^2 = 1 three times: more rows than velocities. */
static int eval_three_rods(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)need, (void)user;
    const double *v = x + 3, *p = x + 5;
    out->f[0] = 0, out->f[1] = -9.81;
    for (int i = 0; i < 3; i++) {
        out->g[i] = p[0] * p[0] + p[1] * p[1] - 1;
        out->gI[i] = 2 * (p[0] * v[0] + p[1] * v[1]);
        out->W[i] = 2 * p[0], out->W[3 + i] = 2 * p[1];
        out->bias[i] = 2 * (v[0] * v[0] + v[1] * v[1]);
    }
    return 0;
}

/* Library problem A01 at t = 10, start (1, 0) at rest. */
static void constraints_may_outnumber_velocities(void **state)
{
    (void)state;
    const dfl_eom eom = {
        .np = 2, .nv = 2, .nl = 3, .eval = eval_three_rods, .trivial_kinematics = true};
    const double x0[7] = {[5] = 1};
    for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
        const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
        const run r = run_with(&eom, 0, x0, 10, &options, NULL);
        assert_succeeded(&r);
        assert_int_equal(r.stats.rank_velocity, 1);
        assert_near(r.x[5], 0.2750874625761169, 10 * CLOSE); /* ten seconds of error growth */
        assert_near(r.x[6], -0.9614192050991251, 10 * CLOSE);
        assert_near(r.x[0], r.x[1], 1e-9);
        assert_near(r.x[0], r.x[2], 1e-9);
    }
}

static void doubled_nonholonomic_rows_share_their_multiplier(void **state)
{
    (void)state;
    check_doubled("sleigh", 1.0, DFL_PSF);
    check_doubled("sleigh", 1.0, DFL_PSI1);
}

/* ---- other blocks ---- */

static void problems_with_every_block_meet_their_references(void **state)
{
    (void)state;
    /* nonholonomic, w, r, quaternion (np > nv) with ep, and with two invariants e; g and hv */
    const char *const names[] = {"sleigh", "friction", "servo", "top", "top_invariants", "disk"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int form = DFL_PSF; form <= DFL_PSI1; form++) {
            problem prob;
            assert_true(problem_make(&prob, names[i], 0));
            const double t = prob.references[0].t;
            const dfl_solver_options options = {.rtol = 1e-8, .form = (dfl_form)form};
            const run r = run_problem(&prob, t, &options);
            assert_succeeded(&r);
            /* psi1: w of the friction law depends on lambda, which has a lower order there */
            const dfl_layout at = dfl_eom_layout(&prob.eom);
            const int first = form == DFL_PSF ? 0 : at.r;
            const double error = error_of(&r, &prob, t, first, r.n - first);
            if (!(error < 5 * CLOSE)) /* the top turns fast: up to three turns until then */
                fail_msg("%s, form %d: error %g", names[i], form, error);
            /* what Newton's tolerance, 1e-4 of the transformed 5e-7, leaves in these rows */
            assert_true(r.stats.max_residual.position < 1e-7);
            assert_true(r.stats.max_residual.nonholonomic < 1e-7);
            assert_true(r.stats.max_residual.auxiliary < 1e-6);
            problem_free(&prob);
        }
}

/* A bead on y = x^2 under gravity 9.81; the contact abscissa s = x is a variable of its own, or
   not. x = [lambda | v | s? | p] */
static int eval_bead(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const int ns = *(const int *)user;
    const double *v = x + 1, *p = x + 3 + ns, s = ns ? x[3] : p[0];
    (void)t;
    if (need & DFL_KINEMATICS)
        out->kin[0] = v[0], out->kin[1] = v[1];
    if (need & DFL_FORCE)
        out->f[0] = 0, out->f[1] = -9.81;
    if (need & DFL_POSITION) {
        out->g[0] = p[1] - s * s;
        if (ns)
            out->c[0] = 2 * (s - p[0]);
    }
    if (need & DFL_VELOCITY)
        out->gI[0] = v[1] - 2 * s * v[0];
    if (need & DFL_DIRECTIONS)
        out->W[0] = -2 * s, out->W[1] = 1;
    if (need & DFL_BIAS)
        out->bias[0] = -2 * v[0] * v[0];
    return 0;
}

static void contact_variables_follow_the_contact(void **state)
{
    (void)state;
    int with = 1, without = 0;
    const dfl_eom plain = {.np = 2, .nv = 2, .nl = 1, .eval = eval_bead, .user = &without};
    const dfl_eom contact = {.np = 2, .nv = 2, .ns = 1, .nl = 1, .eval = eval_bead, .user = &with};
    const double x0[5] = {0, 0, 0, 1, 1}, x0_contact[6] = {0, 0, 0, 0.9, 1, 1};
    for (int form = DFL_PSF; form <= DFL_PSI1; form++)
        for (int kind = DFL_ALGEBRAIC_LU; kind <= DFL_ALGEBRAIC_SVD; kind++) {
            const dfl_solver_options options = {.rtol = 1e-8,
                                                .form = (dfl_form)form,
                                                .algebraic = (dfl_algebraic)kind,
                                                .self_check = true};
            /* held: otherwise the start moves p towards the wrong s */
            const bool held[6] = {false, false, false, false, true, true};
            const dfl_conditions cond = {.held = held};
            const run a = run_with(&plain, 0, x0, 1, &options, NULL);
            const run b = run_with(&contact, 0, x0_contact, 1, &options, &cond);
            assert_succeeded(&a);
            assert_succeeded(&b);
            assert_true(distance(a.x + 3, b.x + 4, 2) < CLOSE);
            assert_near(b.x[3], b.x[4], CLOSE);
            assert_true(b.stats.max_residual.contact < CLOSE);
        }
}

/* A free rigid body, J = diag(1, 2, 3): v = w in the body frame, p = quaternion. What is said about
   |q| and about energy and momentum is the test's. */
typedef struct body {
    bool norm_as_constraint, invariants;
    double energy, momentum;
} body;

static int eval_body(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const body *b = user;
    const double *w = x + b->norm_as_constraint, *q = w + 3;
    const double J[3] = {1, 2, 3};
    const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1;
    (void)t;
    if (need & DFL_KINEMATICS) {
        out->kin[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
        out->kin[1] = 0.5 * (q[0] * w[0] - q[3] * w[1] + q[2] * w[2]);
        out->kin[2] = 0.5 * (q[3] * w[0] + q[0] * w[1] - q[1] * w[2]);
        out->kin[3] = 0.5 * (-q[2] * w[0] + q[1] * w[1] + q[0] * w[2]);
    }
    if (need & DFL_FORCE)
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            out->f[i] = (J[j] - J[k]) * w[j] * w[k] / J[i]; /* M is the identity then */
        }
    if (need & DFL_POSITION)
        *(b->norm_as_constraint ? out->g : out->ep) = norm;
    if (need & DFL_VELOCITY && b->norm_as_constraint)
        out->gI[0] = 0;
    if (need & DFL_BIAS && b->norm_as_constraint)
        out->bias[0] = 0;
    if (need & DFL_VELOCITY && b->invariants) {
        out->e[0] = -b->energy;
        out->e[1] = -b->momentum;
        for (int i = 0; i < 3; i++) {
            out->e[0] += 0.5 * J[i] * w[i] * w[i];
            out->e[1] += J[i] * J[i] * w[i] * w[i];
        }
    }
    return 0;
}

static void the_norm_of_a_quaternion_is_refused_as_a_constraint(void **state)
{
    (void)state;
    body b = {.norm_as_constraint = true};
    const dfl_eom eom = {.np = 4, .nv = 3, .nl = 1, .eval = eval_body, .user = &b};
    const double x0[8] = {0, 1, 1, 1, 1, 0, 0, 0};
    for (int kind = DFL_ALGEBRAIC_AUTO; kind <= DFL_ALGEBRAIC_SVD; kind++) {
        const dfl_solver_options options = {.algebraic = (dfl_algebraic)kind};
        const run r = run_with(&eom, 0, x0, 1, &options, NULL);
        assert_failed(&r, DFL_SINGULAR, "ep");
    }
}

static void several_invariants_hold_at_once(void **state)
{
    (void)state;
    body b = {.invariants = true, .energy = 3, .momentum = 14}; /* of w = (1, 1, 1) */
    dfl_eom eom = {.np = 4, .nv = 3, .nep = 1, .ne = 2, .eval = eval_body, .user = &b};
    const double x0[7] = {1, 1, 1, 1, 0, 0, 0};
    const double t_end = 200; /* the drift without invariants grows with time */
    const dfl_solver_options coarse = {.rtol = 1e-4};
    const run with = run_with(&eom, 0, x0, t_end, &coarse, NULL);
    eom.ne = 0;
    b.invariants = false;
    assert_succeeded(&with);
    const run exact = run_with(&eom, 0, x0, t_end, &(dfl_solver_options){.rtol = 1e-11}, NULL);
    const run without = run_with(&eom, 0, x0, t_end, &coarse, NULL);
    assert_succeeded(&exact);
    assert_succeeded(&without);
    for (int k = 0; k < 2; k++) {
        double drift[2] = {0};
        const double *w[2] = {with.x, without.x};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                drift[i] += (k ? (j + 1) * (j + 1) : 0.5 * (j + 1)) * w[i][j] * w[i][j];
        const double start = k ? 14 : 3;
        /* as equations: Newton's tolerance, 0.007 times the scale 4e-4 times the derivative 18, and
           the error of a few steps if one was just dropped */
        assert_near(drift[0], start, 5e-4);
        assert_true(fabs(drift[1] - start) > 10 * fabs(drift[0] - start));
    }
    assert_true(with.stats.max_residual.invariant < 1e-3); /* also where one was dropped */
    assert_near(with.x[3] * with.x[3] + with.x[4] * with.x[4] + with.x[5] * with.x[5] +
                    with.x[6] * with.x[6],
                1, 1e-5);
    /* only the phase of the motion is left to go wrong */
    assert_true(distance(with.x, exact.x, 3) < distance(without.x, exact.x, 3));
}

/* np < nv: a flywheel v2' = -v2 that drives v1' = v2, p' = v1. */
static int eval_flywheel(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t, (void)user;
    if (need & DFL_KINEMATICS)
        out->kin[0] = x[0];
    if (need & DFL_FORCE)
        out->f[0] = x[1], out->f[1] = -x[1];
    return 0;
}

static void velocities_may_outnumber_positions(void **state)
{
    (void)state;
    const dfl_eom eom = {.np = 1, .nv = 2, .eval = eval_flywheel};
    const double x0[3] = {0, 1, 0};
    const run r = run_with(&eom, 0, x0, 2, &fine, NULL);
    assert_succeeded(&r);
    assert_near(r.x[1], exp(-2), CLOSE);
    assert_near(r.x[0], 1 - exp(-2), CLOSE);
    assert_near(r.x[2], 1 + exp(-2), CLOSE);
}

/* ---- flags and structure ---- */

static void the_self_check_finds_a_model_that_is_not_autonomous(void **state)
{
    (void)state;
    wrapped w = {.lie = true};
    assert_true(problem_pendulum(&w.prob, 0));
    dfl_eom eom = wrap(&w, AS_IS);
    const dfl_solver_options options = {.self_check = true};
    const run lie = run_with(&eom, 0, w.prob.x0, 0.01, &options, NULL);
    assert_failed(&lie, DFL_INVALID, "autonomous");
    eom.autonomous = false;
    const run honest = run_with(&eom, 0, w.prob.x0, 0.01, &options, NULL);
    assert_succeeded(&honest);
    problem_free(&w.prob);
}

static void forces_free_of_multipliers_save_their_differences(void **state)
{
    (void)state;
    problem chain;
    assert_true(problem_nchain(&chain, 5));
    dfl_eom eom = chain.eom;
    eom.jacobian = NULL;
    const run known = run_with(&eom, 0, chain.x0, 0.3, &fine, NULL);
    eom.forces_free_of_multipliers = false;
    const run unknown = run_with(&eom, 0, chain.x0, 0.3, &fine, NULL);
    assert_succeeded(&known);
    assert_succeeded(&unknown);
    assert_int_equal(known.stats.jacobians, unknown.stats.jacobians);
    /* 5 of 25 columns and the base: 21 of 26 evaluations are left */
    assert_near((double)known.stats.difference_evaluations * 26,
                (double)unknown.stats.difference_evaluations * 21, 1e-6);
    /* -W^T exactly or by differences: 1e-8 of the matrix, 1e-8 of an increment of Newton */
    assert_true(distance(known.x, unknown.x, known.n) < 1e-7);
    problem_free(&chain);
}

/* The pattern of the chain's rows by differences of its analytic Jacobian at a bent position. */
enum { LINKS = 8, CHAIN_N = 5 * LINKS, CHAIN_ROWS = 7 * LINKS };
typedef struct chain_pattern {
    int start[CHAIN_N + 1], row[CHAIN_N * CHAIN_ROWS];
} chain_pattern;

static void find_pattern(chain_pattern *out, const problem *chain)
{
    enum { NV = 2 * LINKS };
    static double acc[LINKS * CHAIN_N], vel[LINKS * 2 * NV], pos[LINKS * NV], dyn[NV * CHAIN_N],
        kin[NV * 2 * NV];
    dfl_jacobian J = {.acc = acc, .vel = vel, .pos = pos, .dyn = dyn, .kin = kin};
    double x[CHAIN_N], a[NV];
    for (int i = 0; i < CHAIN_N; i++)
        x[i] = 1 + sin(3.0 * i); /* nowhere an accidental zero */
    for (int i = 0; i < NV; i++)
        a[i] = 1 + cos(5.0 * i);
    chain->eom.jacobian(&J, 0, x, a, chain->eom.user);
    const struct {
        const double *block;
        int rows, first;
    } part[] = {{acc, LINKS, 0},
                {vel, LINKS, LINKS},
                {pos, LINKS, LINKS + NV},
                {dyn, NV, 0},
                {kin, NV, LINKS}};
    int count = 0;
    for (int j = 0; j < CHAIN_N; j++) {
        int row = 0;
        out->start[j] = count;
        for (size_t b = 0; b < sizeof part / sizeof *part; row += part[b++].rows)
            for (int i = 0; j >= part[b].first && i < part[b].rows; i++)
                if (part[b].block[(j - part[b].first) * part[b].rows + i] != 0)
                    out->row[count++] = row + i;
    }
    out->start[CHAIN_N] = count;
}

static void a_pattern_groups_columns_without_changing_the_result(void **state)
{
    (void)state;
    static chain_pattern nonzeros;
    problem chain;
    assert_true(problem_nchain(&chain, LINKS));
    find_pattern(&nonzeros, &chain);
    const dfl_pattern pattern = {.column_start = nonzeros.start, .row = nonzeros.row};
    const dfl_structure structure = {.pattern = &pattern};
    dfl_eom eom = chain.eom;
    eom.jacobian = NULL;
    eom.structure = NULL;
    const run each = run_with(&eom, 0, chain.x0, 0.3, &fine, NULL);
    eom.structure = &structure;
    const run grouped = run_with(&eom, 0, chain.x0, 0.3, &fine, NULL);
    assert_succeeded(&each);
    assert_succeeded(&grouped);
    /* a body meets two neighbours: about 15 groups, whatever the length, instead of 33 columns */
    assert_true(3 * grouped.stats.difference_evaluations < 2 * each.stats.difference_evaluations);
    assert_true(distance(each.x, grouped.x, each.n) < 1e-7); /* as above */
    problem_free(&chain);
}

static const char *name_rows(dfl_kind kind, int index, void *user)
{
    (void)user;
    return kind == DFL_ROW_G && index == 0 ? "rod" : NULL;
}

static void messages_use_the_names_of_the_model(void **state)
{
    (void)state;
    problem prob;
    assert_true(problem_pendulum(&prob, 0));
    const double off[5] = {0, 0, 0, 1.5, 0};
    prob.eom.name = name_rows;
    const dfl_conditions check = {.mode = DFL_START_CHECK};
    const run r = run_with(&prob.eom, 0, off, 1, NULL, &check);
    assert_failed(&r, DFL_INCONSISTENT, "rod");
    problem_free(&prob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_contract_gives_the_same_motion),
        cmocka_unit_test(a_constant_mass_matrix_is_evaluated_once_per_start),
        cmocka_unit_test(two_descriptions_of_the_mass_are_refused),
        cmocka_unit_test(trivial_kinematics_are_never_asked_for),
        cmocka_unit_test(a_mass_held_by_its_constraint_may_be_zero),
        cmocka_unit_test(the_massless_oscillator_meets_its_references),
        cmocka_unit_test(small_masses_tend_to_the_massless_limit),
        cmocka_unit_test(a_massless_row_may_contain_dynamic_force_elements),
        cmocka_unit_test(a_massless_row_may_contain_auxiliary_variables),
        cmocka_unit_test(a_massless_row_may_contain_multipliers),
        cmocka_unit_test(a_massless_row_may_contain_multipliers_in_psi1),
        cmocka_unit_test(doubled_holonomic_rows_share_their_multiplier),
        cmocka_unit_test(constraints_may_outnumber_velocities),
        cmocka_unit_test(doubled_nonholonomic_rows_share_their_multiplier),
        cmocka_unit_test(problems_with_every_block_meet_their_references),
        cmocka_unit_test(contact_variables_follow_the_contact),
        cmocka_unit_test(the_norm_of_a_quaternion_is_refused_as_a_constraint),
        cmocka_unit_test(several_invariants_hold_at_once),
        cmocka_unit_test(velocities_may_outnumber_positions),
        cmocka_unit_test(the_self_check_finds_a_model_that_is_not_autonomous),
        cmocka_unit_test(forces_free_of_multipliers_save_their_differences),
        cmocka_unit_test(a_pattern_groups_columns_without_changing_the_result),
        cmocka_unit_test(messages_use_the_names_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
