/* test_contracts.c: every way to describe a mechanism with dfl_eom leads to the same motion: its
   mass, its contract, its flags, its structure. */
#include "fine.h"

/* ---- one mechanism, several contracts ---- */

/* A problem behind another contract. */
typedef struct wrapped {
    problem prob;
    long mass_calls, kin_requests, direction_requests, points;
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

static int eval_points(dfl_blocks *const *out, const double *t, const double *const *x, int count,
                       unsigned need, void *user)
{
    wrapped *w = user;
    int rc = 0;
    w->points += count;
    for (int k = 0; !rc && k < count; k++)
        rc = eval_wrapped(out[k], t[k], x[k], need, user);
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

static void stages_are_evaluated_at_once_where_the_model_can(void **state)
{
    (void)state;
    wrapped w = {0};
    assert_true(problem_pendulum(&w.prob, 0));
    dfl_eom eom = wrap(&w, FULL);
    const run one_by_one = run_with(&eom, 0, w.prob.x0, 1.3, &fine, NULL);
    assert_int_equal(w.points, 0);
    eom.eval_points = eval_points;
    const run at_once = run_with(&eom, 0, w.prob.x0, 1.3, &fine, NULL);
    assert_succeeded(&at_once);
    assert_true(w.points > at_once.stats.evaluations / 2);
    assert_int_equal(at_once.stats.evaluations, one_by_one.stats.evaluations);
    for (int i = 0; i < at_once.n; i++)
        assert_true(at_once.x[i] == one_by_one.x[i]);
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
        cmocka_unit_test(stages_are_evaluated_at_once_where_the_model_can),
        cmocka_unit_test(two_descriptions_of_the_mass_are_refused),
        cmocka_unit_test(trivial_kinematics_are_never_asked_for),
        cmocka_unit_test(the_self_check_finds_a_model_that_is_not_autonomous),
        cmocka_unit_test(forces_free_of_multipliers_save_their_differences),
        cmocka_unit_test(a_pattern_groups_columns_without_changing_the_result),
        cmocka_unit_test(messages_use_the_names_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
