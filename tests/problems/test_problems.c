/* test_problems.c: every benchmark problem agrees with itself.

   The levels of the constraints, the analytic Jacobian and the invariants are compared with
   differences, at the start, at the references that are completely known, and at states near the
   start. Names of problems on the command line restrict the test to them.

   Differences are central, of order 4, with steps of 1e-4 to 1e-5 times the size of the variable:
   truncation and rounding both stay below 1e-9 of the size of a row, so 1e-7 tells a wrong term. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problems_internal.h"

enum { NNEARBY = 3, MAX_STATES = 32, NBLOCKS = 14, MAX_CASES = 100 };

/* Where the rows [d; acc; vel; gam; pos; b; dyn; kin] of the Jacobian start in their stack. */
typedef struct row_layout {
    int d, acc, vel, gam, pos, b, dyn, kin, n;
} row_layout;

/* A problem, the states at which it is examined, and room for what it writes. */
typedef struct fixture {
    problem prob;
    const dfl_eom *eom;
    dfl_layout at;
    row_layout row;
    int nc; /* nl + nm */
    dfl_blocks blocks;
    double *states[MAX_STATES]; /* the first nconsistent of the nstates are consistent */
    double times[MAX_STATES];
    int nstates, nconsistent;
} fixture;

/* A block of dfl_blocks, how many numbers it has and the bit of `need` that asks for it. */
typedef struct block {
    const char *name;
    double **numbers;
    int n;
    unsigned bit;
} block;

typedef struct sized_name {
    const char *name;
    int size;
} sized_name;

/* What is examined: filled in by main. */
static sized_name cases[MAX_CASES];
static int ncases;

/* Sizes that are examined besides the default. */
static const sized_name sizes[] = {
    {"nchain", 1}, {"nchain", 5}, {"fourbar", 40}, {"fourbar_hanging", 40}};

/* Start values and references that are known with fewer digits than the others, which hold to
   1e-12 relative to the size of the terms of a row. */
static const struct {
    const char *name;
    double position, acceleration;
} loose[] = {{"wheelset", 1e-9, 1e-6}};

static double *allocate(int n);
static double uniform(void);
static void assert_near(const fixture *fix, const char *what, int i, int j, double found,
                        double expected, double tolerance);
static void list_blocks(block list[NBLOCKS], dfl_blocks *blocks, const dfl_eom *eom);
static void create_blocks(dfl_blocks *blocks, const dfl_eom *eom);
static void free_blocks(dfl_blocks *blocks, const dfl_eom *eom);
static bool eval(fixture *fix, double t, const double *x, unsigned need);
static void multiply_mass(double *y, fixture *fix, double t, const double *x, const double *a);
static double *mass_matrix(fixture *fix, double t, const double *x);
static void eval_rows(double *rows, fixture *fix, double t, const double *x, const double *a);
static double *difference(fixture *fix, double t, const double *x, const double *a, double dt,
                          const double *dx, double h);
static double *flow(fixture *fix, double t, const double *x, const double *a);
static void follow_contacts(double *dx, fixture *fix, double t, const double *x);
static double *contact_matrix(fixture *fix, double t, const double *x);
static double *accelerations(fixture *fix, double t, const double *x);
static double *random_accelerations(const fixture *fix);
static void solve(double *x, double *A, double *b, int n);
static double largest(const double *y, int n);
static bool all_finite(const double *y, int n);
static void fixture_create(fixture *fix, const char *name, int size);
static void fixture_free(fixture *fix);
static void add_state(fixture *fix, double t, const double *x);
static void add_nearby_state(fixture *fix);
static void close_contacts(double *x, fixture *fix, double t);
static void for_each_problem(void (*check)(fixture *fix));
static void for_each_state(void (*check)(fixture *fix, double t, const double *x));
static void for_each_consistent_state(void (*check)(fixture *fix, double t, const double *x));
static void select_problem(const char *name);

/* ---- levels of the constraints ---- */

static void check_directions(fixture *fix, double t, const double *x)
{
    const int nc = fix->nc;
    double *a = random_accelerations(fix), *dx = allocate(fix->at.n);
    for (int j = 0; j < fix->eom->nv; j++) {
        dx[fix->at.v + j] = 1.0;
        double *rows = difference(fix, t, x, a, 0.0, dx, 1e-3);
        dx[fix->at.v + j] = 0.0;
        eval(fix, t, x, DFL_DIRECTIONS);
        for (int i = 0; i < nc; i++) {
            const double expected = rows[fix->row.vel + i];
            assert_near(fix, "W", i, j, fix->blocks.W[i + nc * j], expected,
                        1e-9 * (1.0 + fabs(expected)));
        }
        free(rows);
    }
    free(dx);
    free(a);
}

static void directions_are_the_velocity_derivatives_of_the_velocity_level(void **state)
{
    (void)state;
    for_each_state(check_directions);
}

/* gI = dg/dt along p' = Z v, with s following c(p,s,t) = 0. */
static void check_velocity_level(fixture *fix, double t, const double *x)
{
    const dfl_eom *eom = fix->eom;
    double *a = random_accelerations(fix), *dx = flow(fix, t, x, a);
    double *rows = difference(fix, t, x, a, 1.0, dx, 1e-4);
    eval(fix, t, x, DFL_VELOCITY);
    const double size = 1.0 + largest(fix->blocks.gI, eom->nl);
    for (int i = 0; i < eom->nl; i++)
        assert_near(fix, "gI", i, 0, fix->blocks.gI[i], rows[fix->row.pos + eom->ns + i],
                    1e-8 * size);
    free(rows);
    free(dx);
    free(a);
}

static void velocity_level_is_the_rate_of_the_position_level(void **state)
{
    (void)state;
    for_each_state(check_velocity_level);
}

/* W a + bias = d(gI,hv)/dt along p' = Z v, v' = a for any a. */
static void check_acceleration_level(fixture *fix, double t, const double *x)
{
    double *a = random_accelerations(fix), *dx = flow(fix, t, x, a);
    double *rows = difference(fix, t, x, a, 1.0, dx, 1e-4), *here = allocate(fix->row.n);
    eval_rows(here, fix, t, x, a);
    const double size = 1.0 + largest(here + fix->row.acc, fix->nc);
    for (int i = 0; i < fix->nc; i++)
        assert_near(fix, "W a + bias", i, 0, here[fix->row.acc + i], rows[fix->row.vel + i],
                    1e-8 * size);
    free(here);
    free(rows);
    free(dx);
    free(a);
}

static void acceleration_level_is_the_rate_of_the_velocity_level(void **state)
{
    (void)state;
    for_each_state(check_acceleration_level);
}

/* ---- Jacobian, mass matrix, flags ---- */

static void create_jacobian(dfl_jacobian *J, const fixture *fix)
{
    const dfl_eom *eom = fix->eom;
    const int n = fix->at.n, nvsp = eom->nv + eom->ns + eom->np;
    *J = (dfl_jacobian){.d = allocate(eom->nw * n),
                        .acc = allocate(fix->nc * n),
                        .vel = allocate((fix->nc + eom->ne) * nvsp),
                        .gam = allocate(eom->n0 * n),
                        .pos = allocate((eom->ns + eom->nl + eom->nep) * (eom->ns + eom->np)),
                        .b = allocate(eom->nr * n),
                        .dyn = allocate(eom->nv * n),
                        .kin = allocate(eom->np * nvsp)};
}

static void free_jacobian(dfl_jacobian *J)
{
    double *blocks[] = {J->d, J->acc, J->vel, J->gam, J->pos, J->b, J->dyn, J->kin};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

/* Column j of x in all blocks, stacked as the rows are; blocks without that column give zeros. */
static double *jacobian_column(const dfl_jacobian *J, const fixture *fix, int j)
{
    const dfl_eom *eom = fix->eom;
    const int npos = eom->ns + eom->nl + eom->nep, nvel = fix->nc + eom->ne;
    const int jv = j - fix->at.v, js = j - fix->at.s;
    const struct {
        const double *block;
        int first, rows, column;
    } part[] = {{J->d, fix->row.d, eom->nw, j},     {J->acc, fix->row.acc, fix->nc, j},
                {J->vel, fix->row.vel, nvel, jv},   {J->gam, fix->row.gam, eom->n0, j},
                {J->pos, fix->row.pos, npos, js},   {J->b, fix->row.b, eom->nr, j},
                {J->dyn, fix->row.dyn, eom->nv, j}, {J->kin, fix->row.kin, eom->np, jv}};
    double *column = allocate(fix->row.n);
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        for (int i = 0; i < part[k].rows && part[k].column >= 0; i++)
            column[part[k].first + i] = part[k].block[i + part[k].rows * part[k].column];
    return column;
}

static void check_jacobian(fixture *fix, double t, const double *x)
{
    const int n = fix->at.n, m = fix->row.n;
    if (!fix->eom->jacobian)
        return;
    dfl_jacobian J;
    double *a = random_accelerations(fix), *dx = allocate(n), *size = allocate(m);
    double **expected = malloc((size_t)n * sizeof *expected);
    assert_non_null(expected);
    create_jacobian(&J, fix);
    assert_int_equal(fix->eom->jacobian(&J, t, x, a, fix->eom->user), 0);
    eval_rows(size, fix, t, x, a);
    for (int i = 0; i < m; i++)
        size[i] = 1e-6 + fabs(size[i]);
    for (int j = 0; j < n; j++) {
        dx[j] = fmax(1.0, fabs(x[j]));
        expected[j] = difference(fix, t, x, a, 0.0, dx, 1e-5);
        for (int i = 0; i < m; i++) {
            expected[j][i] /= dx[j];
            size[i] = fmax(size[i], fabs(expected[j][i]));
        }
        dx[j] = 0.0;
    }
    for (int j = 0; j < n; j++) {
        double *column = jacobian_column(&J, fix, j);
        for (int i = 0; i < m; i++)
            assert_near(fix, "row of the Jacobian", i, j, column[i], expected[j][i],
                        1e-7 * fabs(expected[j][i]) + 1e-9 * size[i]);
        free(column);
        free(expected[j]);
    }
    free_jacobian(&J);
    free(expected);
    free(size);
    free(dx);
    free(a);
}

static void jacobian_agrees_with_differences(void **state)
{
    (void)state;
    for_each_state(check_jacobian);
}

static void check_mass(fixture *fix, double t, const double *x)
{
    const int nv = fix->eom->nv;
    double *M = mass_matrix(fix, t, x), *start = mass_matrix(fix, fix->prob.t0, fix->prob.x0);
    const double size = largest(M, nv * nv);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            assert_near(fix, "M", i, j, M[i + nv * j], M[j + nv * i], 1e-15 * size);
            if (fix->eom->mass_constant)
                assert_near(fix, "constant M", i, j, M[i + nv * j], start[i + nv * j], 0.0);
        }
    free(start);
    free(M);
}

static void mass_matrix_is_symmetric_and_constant_if_it_says_so(void **state)
{
    (void)state;
    for_each_state(check_mass);
}

/* Compares all blocks with those at another time and state. */
static void assert_same_blocks(fixture *fix, const char *what, double t, const double *x,
                               unsigned need)
{
    dfl_blocks other;
    block here[NBLOCKS], there[NBLOCKS];
    create_blocks(&other, fix->eom);
    list_blocks(here, &fix->blocks, fix->eom);
    list_blocks(there, &other, fix->eom);
    assert_int_equal(fix->eom->eval(&other, t, x, DFL_EVERYTHING, fix->eom->user), 0);
    for (int k = 0; k < NBLOCKS; k++)
        for (int i = 0; here[k].bit & need && i < here[k].n; i++)
            assert_near(fix, what, k, i, (*there[k].numbers)[i], (*here[k].numbers)[i], 0.0);
    free_blocks(&other, fix->eom);
}

static void check_flags(fixture *fix, double t, const double *x)
{
    assert_true(eval(fix, t, x, DFL_EVERYTHING));
    if (fix->eom->autonomous)
        assert_same_blocks(fix, "autonomous: block, number", t + 0.37, x, DFL_EVERYTHING);
    if (fix->eom->forces_free_of_multipliers) {
        double *y = allocate(fix->at.n);
        memcpy(y, x, (size_t)fix->at.n * sizeof *y);
        for (int i = 0; i < fix->nc; i++)
            y[fix->at.lambda + i] += 1.0 + fabs(x[fix->at.lambda + i]);
        assert_same_blocks(fix, "free of multipliers: block, number", t, y,
                           DFL_FORCE | DFL_DYNAMIC | DFL_AUXILIARY);
        free(y);
    }
}

static void flags_are_true(void **state)
{
    (void)state;
    for_each_state(check_flags);
}

/* Each bit of `need` alone writes its blocks, as an evaluation of everything does, and no others.
 */
static void check_need(fixture *fix, double t, const double *x)
{
    const double untouched = -1.2345e87;
    dfl_blocks only;
    block all[NBLOCKS], some[NBLOCKS];
    create_blocks(&only, fix->eom);
    list_blocks(all, &fix->blocks, fix->eom);
    list_blocks(some, &only, fix->eom);
    assert_true(eval(fix, t, x, DFL_EVERYTHING));
    for (unsigned bit = 1; bit & DFL_EVERYTHING; bit <<= 1) {
        for (int k = 0; k < NBLOCKS; k++) {
            const bool zeroed = some[k].bit == DFL_DIRECTIONS && bit == DFL_DIRECTIONS;
            for (int i = 0; i < some[k].n; i++)
                (*some[k].numbers)[i] = zeroed ? 0.0 : untouched;
        }
        assert_int_equal(fix->eom->eval(&only, t, x, bit, fix->eom->user), 0);
        for (int k = 0; k < NBLOCKS; k++)
            for (int i = 0; i < some[k].n; i++)
                assert_near(fix, some[k].name, (int)bit, i, (*some[k].numbers)[i],
                            some[k].bit == bit ? (*all[k].numbers)[i] : untouched, 0.0);
    }
    free_blocks(&only, fix->eom);
}

static void exactly_the_needed_blocks_are_written(void **state)
{
    (void)state;
    for_each_state(check_need);
}

/* ---- invariants, start, references ---- */

/* The rate of the energy, against the power of the single forces. */
static void check_energy(fixture *fix, double t, const double *x, const double *a, const double *dx)
{
    const int n = fix->at.n, nv = fix->eom->nv;
    const void *parameters = fix->prob.parameters;
    const double h = 1e-5 / (1.0 + largest(x + fix->at.v, nv));
    double *x1 = allocate(n), *x2 = allocate(n), *inertia = allocate(nv);
    for (int i = 0; i < n; i++) {
        x1[i] = x[i] - h * dx[i];
        x2[i] = x[i] + h * dx[i];
    }
    const double energy = fix->prob.energy(x, parameters);
    const double change = fix->prob.energy(x2, parameters) - fix->prob.energy(x1, parameters);
    double power = 0.0;
    multiply_mass(inertia, fix, t, x, a);
    eval(fix, t, x, DFL_FORCE);
    for (int i = 0; i < nv; i++)
        power += (fabs(inertia[i]) + fabs(fix->blocks.f[i])) * fabs(x[fix->at.v + i]);
    assert_near(fix, "rate of the energy", 0, 0, change / (2.0 * h), 0.0,
                1e-7 * power + 1e-9 * (1.0 + fabs(energy)));
    free(inertia);
    free(x2);
    free(x1);
}

/* e, ep and the energy do not change along the motion. */
static void check_invariants(fixture *fix, double t, const double *x)
{
    const dfl_eom *eom = fix->eom;
    if (eom->n0 > 0 || (!fix->prob.energy && eom->ne + eom->nep == 0))
        return;
    double *a = accelerations(fix, t, x), *dx = flow(fix, t, x, a);
    double *rows = difference(fix, t, x, a, 1.0, dx, 1e-4);
    for (int i = 0; i < eom->ne; i++)
        assert_near(fix, "rate of e", i, 0, rows[fix->row.vel + fix->nc + i], 0.0, 1e-6);
    for (int i = 0; i < eom->nep; i++)
        assert_near(fix, "rate of ep", i, 0, rows[fix->row.pos + eom->ns + eom->nl + i], 0.0, 1e-8);
    if (fix->prob.energy)
        check_energy(fix, t, x, a, dx);
    free(rows);
    free(dx);
    free(a);
}

static void invariants_do_not_change_along_the_motion(void **state)
{
    (void)state;
    for_each_consistent_state(check_invariants);
}

static void tolerances(double *position, double *acceleration, const fixture *fix)
{
    *position = 1e-12;
    *acceleration = 1e-10;
    for (size_t i = 0; i < sizeof loose / sizeof *loose; i++)
        if (strcmp(loose[i].name, fix->prob.name) == 0) {
            *position = loose[i].position;
            *acceleration = loose[i].acceleration;
        }
}

/* All rows without a derivative, and the acceleration level with the multipliers of x. Rows that
   contain an unknown number (NAN) are passed over. */
static void assert_consistent(fixture *fix, double t, const double *x, double position,
                              double acceleration)
{
    const dfl_eom *eom = fix->eom;
    const struct {
        const char *name;
        double *const *numbers;
        int n;
    } part[] = {{"d", &fix->blocks.d, eom->nw},   {"c", &fix->blocks.c, eom->ns},
                {"g", &fix->blocks.g, eom->nl},   {"ep", &fix->blocks.ep, eom->nep},
                {"gI", &fix->blocks.gI, eom->nl}, {"hv", &fix->blocks.hv, eom->nm},
                {"e", &fix->blocks.e, eom->ne}};
    double size = 1.0;
    for (int i = fix->at.v; i < fix->at.n; i++)
        size = fmax(size, fabs(x[i]));
    if (!eval(fix, t, x, DFL_EVERYTHING))
        return;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        for (int i = 0; i < part[k].n; i++)
            if (isfinite((*part[k].numbers)[i]))
                assert_near(fix, part[k].name, i, 0, (*part[k].numbers)[i], 0.0,
                            position * size * size);
    if (eom->n0 > 0 || !all_finite(x, fix->at.n))
        return;
    double *a = accelerations(fix, t, x), *rows = allocate(fix->row.n);
    eval_rows(rows, fix, t, x, a);
    eval(fix, t, x, DFL_DIRECTIONS | DFL_BIAS);
    for (int i = 0; i < fix->nc; i++) {
        double terms = 1.0 + fabs(fix->blocks.bias[i]);
        for (int j = 0; j < eom->nv; j++)
            terms += fabs(fix->blocks.W[i + fix->nc * j] * a[j]);
        if (isfinite(rows[fix->row.acc + i]))
            assert_near(fix, "W a + bias", i, 0, rows[fix->row.acc + i], 0.0, acceleration * terms);
    }
    free(rows);
    free(a);
}

static void check_start(fixture *fix)
{
    double position, acceleration;
    tolerances(&position, &acceleration, fix);
    assert_consistent(fix, fix->prob.t0, fix->prob.x0, position, acceleration);
}

static void start_is_consistent(void **state)
{
    (void)state;
    for_each_problem(check_start);
}

static void check_references(fixture *fix)
{
    double position, acceleration;
    tolerances(&position, &acceleration, fix);
    for (int k = 0; k < fix->prob.nreferences; k++) {
        const problem_reference *known = &fix->prob.references[k];
        assert_true(k == 0 || known->t > known[-1].t);
        /* an error of the reference counts with |W|, and is divided by M in the accelerations */
        assert_consistent(fix, known->t, known->x, position + 100.0 * known->accuracy,
                          acceleration + 1e6 * known->accuracy);
    }
}

static void references_are_consistent(void **state)
{
    (void)state;
    for_each_problem(check_references);
}

/* gam = K0^T f and M K0 = 0. */
static void check_massless(fixture *fix, double t, const double *x)
{
    const int nv = fix->eom->nv;
    double *product = allocate(nv);
    for (int k = 0; k < fix->eom->n0; k++) {
        eval(fix, t, x, DFL_EVERYTHING);
        const double *direction = fix->blocks.K0 + nv * k;
        double sum = 0.0;
        for (int i = 0; i < nv; i++)
            sum += direction[i] * fix->blocks.f[i];
        assert_near(fix, "gam", k, 0, fix->blocks.gam[k], sum, 1e-12 * (1.0 + fabs(sum)));
        multiply_mass(product, fix, t, x, direction);
        for (int i = 0; i < nv; i++)
            assert_near(fix, "M K0", i, k, product[i], 0.0, 1e-14);
    }
    free(product);
}

static void massless_rows_balance_the_forces(void **state)
{
    (void)state;
    for_each_state(check_massless);
}

static void unknown_names_are_refused(void **state)
{
    problem prob;
    (void)state;
    assert_false(problem_make(&prob, "perpetuum mobile", 0));
    problem_free(NULL);
}

/* ---- the model ---- */

static double *allocate(int n)
{
    double *y = calloc((size_t)n + 1, sizeof *y);
    assert_non_null(y);
    return y;
}

/* In [-1, 1], the same numbers in every run. */
static double uniform(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (double)state / 2147483647.5 - 1.0;
}

static void assert_near(const fixture *fix, const char *what, int i, int j, double found,
                        double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) /* catches NaN as well */
        fail_msg("%s: %s (%d, %d) is %.17g instead of %.17g, allowed %.2g", fix->prob.name, what, i,
                 j, found, expected, tolerance);
}

static void list_blocks(block list[NBLOCKS], dfl_blocks *blocks, const dfl_eom *eom)
{
    const int nc = eom->nl + eom->nm;
    const block all[NBLOCKS] = {{"kin", &blocks->kin, eom->np, DFL_KINEMATICS},
                                {"f", &blocks->f, eom->nv, DFL_FORCE},
                                {"b", &blocks->b, eom->nr, DFL_DYNAMIC},
                                {"d", &blocks->d, eom->nw, DFL_AUXILIARY},
                                {"c", &blocks->c, eom->ns, DFL_POSITION},
                                {"g", &blocks->g, eom->nl, DFL_POSITION},
                                {"ep", &blocks->ep, eom->nep, DFL_POSITION},
                                {"gI", &blocks->gI, eom->nl, DFL_VELOCITY},
                                {"hv", &blocks->hv, eom->nm, DFL_VELOCITY},
                                {"e", &blocks->e, eom->ne, DFL_VELOCITY},
                                {"gam", &blocks->gam, eom->n0, DFL_VELOCITY},
                                {"W", &blocks->W, nc * eom->nv, DFL_DIRECTIONS},
                                {"K0", &blocks->K0, eom->nv * eom->n0, DFL_DIRECTIONS},
                                {"bias", &blocks->bias, nc, DFL_BIAS}};
    memcpy(list, all, sizeof all);
}

static void create_blocks(dfl_blocks *blocks, const dfl_eom *eom)
{
    block list[NBLOCKS];
    list_blocks(list, blocks, eom);
    for (int k = 0; k < NBLOCKS; k++)
        *list[k].numbers = allocate(list[k].n);
}

static void free_blocks(dfl_blocks *blocks, const dfl_eom *eom)
{
    block list[NBLOCKS];
    list_blocks(list, blocks, eom);
    for (int k = 0; k < NBLOCKS; k++)
        free(*list[k].numbers);
}

static bool eval(fixture *fix, double t, const double *x, unsigned need)
{
    return fix->eom->eval(&fix->blocks, t, x, need, fix->eom->user) == 0;
}

static double *mass_matrix(fixture *fix, double t, const double *x)
{
    const dfl_eom *eom = fix->eom;
    const int nv = eom->nv;
    double *M = allocate(nv * nv);
    assert_true(!eom->mass_times && !eom->residual);
    if (eom->mass && !eom->mass_diagonal) {
        assert_int_equal(eom->mass(M, t, x, eom->user), 0);
        return M;
    }
    double *diagonal = allocate(nv);
    for (int i = 0; i < nv; i++)
        diagonal[i] = eom->mass ? 0.0 : 1.0;
    if (eom->mass)
        assert_int_equal(eom->mass(diagonal, t, x, eom->user), 0);
    for (int i = 0; i < nv; i++)
        M[i + nv * i] = diagonal[i];
    free(diagonal);
    return M;
}

static void multiply_mass(double *y, fixture *fix, double t, const double *x, const double *a)
{
    const int nv = fix->eom->nv;
    double *M = mass_matrix(fix, t, x);
    for (int i = 0; i < nv; i++) {
        y[i] = 0.0;
        for (int j = 0; j < nv; j++)
            y[i] += M[i + nv * j] * a[j];
    }
    free(M);
}

/* All rows of the Jacobian, stacked. */
static void eval_rows(double *rows, fixture *fix, double t, const double *x, const double *a)
{
    const dfl_eom *eom = fix->eom;
    const int nc = fix->nc;
    const dfl_blocks *out = &fix->blocks;
    assert_true(eval(fix, t, x, DFL_EVERYTHING));
    const struct {
        const double *from;
        int first, n;
    } part[] = {{out->d, fix->row.d, eom->nw},
                {out->bias, fix->row.acc, nc},
                {out->gI, fix->row.vel, eom->nl},
                {out->hv, fix->row.vel + eom->nl, eom->nm},
                {out->e, fix->row.vel + nc, eom->ne},
                {out->gam, fix->row.gam, eom->n0},
                {out->c, fix->row.pos, eom->ns},
                {out->g, fix->row.pos + eom->ns, eom->nl},
                {out->ep, fix->row.pos + eom->ns + eom->nl, eom->nep},
                {out->b, fix->row.b, eom->nr},
                {out->kin, fix->row.kin, eom->np}};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        memcpy(rows + part[k].first, part[k].from, (size_t)part[k].n * sizeof *rows);

    double *dyn = rows + fix->row.dyn;
    multiply_mass(dyn, fix, t, x, a);
    for (int j = 0; j < eom->nv; j++) {
        dyn[j] = out->f[j] - dyn[j];
        for (int i = 0; i < nc; i++) {
            rows[fix->row.acc + i] += out->W[i + nc * j] * a[j];
            dyn[j] -= out->W[i + nc * j] * x[fix->at.lambda + i];
        }
    }
}

/* ---- differences ---- */

/* The derivative of all rows in the direction (dt, dx), a held fixed; h is the largest change. */
static double *difference(fixture *fix, double t, const double *x, const double *a, double dt,
                          const double *dx, double h)
{
    const int offset[4] = {-2, -1, 1, 2};
    const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    const int n = fix->at.n, m = fix->row.n;
    double *y = allocate(n), *rows = allocate(m), *sum = allocate(m);
    h /= fmax(1.0, largest(dx, n));
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < n; i++)
            y[i] = x[i] + offset[k] * h * dx[i];
        eval_rows(rows, fix, t + offset[k] * h * dt, y, a);
        for (int i = 0; i < m; i++)
            sum[i] += weight[k] / h * rows[i];
    }
    free(rows);
    free(y);
    return sum;
}

/* x' for given accelerations; w and the multipliers stay. */
static double *flow(fixture *fix, double t, const double *x, const double *a)
{
    const dfl_eom *eom = fix->eom;
    double *dx = allocate(fix->at.n);
    assert_true(eval(fix, t, x, DFL_KINEMATICS | DFL_DYNAMIC));
    memcpy(dx + fix->at.r, fix->blocks.b, (size_t)eom->nr * sizeof *dx);
    memcpy(dx + fix->at.v, a, (size_t)eom->nv * sizeof *dx);
    memcpy(dx + fix->at.p, fix->blocks.kin, (size_t)eom->np * sizeof *dx);
    if (eom->ns > 0)
        follow_contacts(dx, fix, t, x);
    return dx;
}

/* s' = -c_s^-1 (c_p p' + c_t) */
static void follow_contacts(double *dx, fixture *fix, double t, const double *x)
{
    const int ns = fix->eom->ns;
    double *a = allocate(fix->eom->nv), *cs = contact_matrix(fix, t, x);
    double *rest = difference(fix, t, x, a, 1.0, dx, 1e-5);
    solve(dx + fix->at.s, cs, rest + fix->row.pos, ns);
    for (int i = 0; i < ns; i++)
        dx[fix->at.s + i] = -dx[fix->at.s + i];
    free(rest);
    free(cs);
    free(a);
}

/* c_s */
static double *contact_matrix(fixture *fix, double t, const double *x)
{
    const int ns = fix->eom->ns;
    double *a = allocate(fix->eom->nv), *unit = allocate(fix->at.n), *cs = allocate(ns * ns);
    for (int j = 0; j < ns; j++) {
        unit[fix->at.s + j] = 1.0;
        double *column = difference(fix, t, x, a, 0.0, unit, 1e-5);
        memcpy(cs + ns * j, column + fix->row.pos, (size_t)ns * sizeof *cs);
        free(column);
        unit[fix->at.s + j] = 0.0;
    }
    free(unit);
    free(a);
    return cs;
}

/* M a = f - W^T (l, m) with the multipliers of x. */
static double *accelerations(fixture *fix, double t, const double *x)
{
    const int nv = fix->eom->nv;
    double *a = allocate(nv), *rows = allocate(fix->row.n), *M = mass_matrix(fix, t, x);
    eval_rows(rows, fix, t, x, a);
    solve(a, M, rows + fix->row.dyn, nv);
    free(M);
    free(rows);
    return a;
}

static double *random_accelerations(const fixture *fix)
{
    double *a = allocate(fix->eom->nv);
    for (int i = 0; i < fix->eom->nv; i++)
        a[i] = uniform();
    return a;
}

/* Gaussian elimination with row exchanges; A (n x n) and b are overwritten. */
static void solve(double *x, double *A, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++)
            if (fabs(A[i + n * k]) > fabs(A[pivot + n * k]))
                pivot = i;
        assert_true(A[pivot + n * k] != 0.0);
        for (int j = 0; j < n; j++) {
            const double kept = A[k + n * j];
            A[k + n * j] = A[pivot + n * j];
            A[pivot + n * j] = kept;
        }
        const double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i + n * k] / A[k + n * k];
            for (int j = k; j < n; j++)
                A[i + n * j] -= factor * A[k + n * j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] = b[i];
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i + n * j] * x[j];
        x[i] /= A[i + n * i];
    }
}

static double largest(const double *y, int n)
{
    double max = 0.0;
    for (int i = 0; i < n; i++)
        max = fmax(max, fabs(y[i]));
    return max;
}

static bool all_finite(const double *y, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(y[i]))
            return false;
    return true;
}

/* ---- the states ---- */

static void fixture_create(fixture *fix, const char *name, int size)
{
    *fix = (fixture){.nstates = 0};
    if (!problem_make(&fix->prob, name, size))
        fail_msg("%s: cannot be made", name);
    const dfl_eom *eom = fix->eom = &fix->prob.eom;
    fix->at = dfl_eom_layout(eom);
    fix->nc = eom->nl + eom->nm;

    row_layout *row = &fix->row;
    row->acc = row->d + eom->nw;
    row->vel = row->acc + fix->nc;
    row->gam = row->vel + fix->nc + eom->ne;
    row->pos = row->gam + eom->n0;
    row->b = row->pos + eom->ns + eom->nl + eom->nep;
    row->dyn = row->b + eom->nr;
    row->kin = row->dyn + eom->nv;
    row->n = row->kin + eom->np;

    create_blocks(&fix->blocks, eom);
    add_state(fix, fix->prob.t0, fix->prob.x0);
    for (int i = 0; i < fix->prob.nreferences; i++)
        add_state(fix, fix->prob.references[i].t, fix->prob.references[i].x);
    fix->nconsistent = fix->nstates;
    for (int i = 0; i < NNEARBY; i++)
        add_nearby_state(fix);
}

static void fixture_free(fixture *fix)
{
    for (int i = 0; i < fix->nstates; i++)
        free(fix->states[i]);
    free_blocks(&fix->blocks, fix->eom);
    problem_free(&fix->prob);
}

/* Adds a state if it is known; multipliers that are not known are computed if f allows it. */
static void add_state(fixture *fix, double t, const double *x)
{
    const dfl_layout *at = &fix->at;
    const bool multipliers_known = all_finite(x, at->r);
    if (!all_finite(x + at->r, at->n - at->r) ||
        (!multipliers_known && (fix->eom->nw > 0 || !fix->eom->forces_free_of_multipliers)))
        return;
    assert_true(fix->nstates < MAX_STATES);
    double *copy = allocate(at->n);
    memcpy(copy, x, (size_t)at->n * sizeof *copy);
    if (!multipliers_known) {
        problem there = fix->prob;
        there.t0 = t;
        there.x0 = copy;
        assert_true(problem_solve_multipliers(&there));
    }
    fix->states[fix->nstates] = copy;
    fix->times[fix->nstates++] = t;
}

/* A state near the start, not consistent except for the contact variables. */
static void add_nearby_state(fixture *fix)
{
    const problem *prob = &fix->prob;
    const dfl_layout *at = &fix->at;
    double *x = allocate(at->n);
    const double t = prob->t0 + fabs(uniform()) * (prob->t_end - prob->t0);
    for (int i = 0; i < at->n; i++) {
        const double size = fabs(prob->x0[i]);
        if (i < at->v)
            x[i] = prob->x0[i] + 0.1 * uniform() * (size > 0.0 ? size : 1.0);
        else if (i < at->s)
            x[i] = prob->x0[i] + uniform() * (0.1 + 0.3 * size);
        else
            x[i] = prob->x0[i] + 1e-2 * uniform() * fmax(size, 0.1);
    }
    if (fix->eom->ns > 0)
        close_contacts(x, fix, t);
    add_state(fix, t, x);
    free(x);
}

/* Newton's method for c(p,s,t) = 0. */
static void close_contacts(double *x, fixture *fix, double t)
{
    const int ns = fix->eom->ns;
    double *ds = allocate(ns);
    for (int k = 0; k < 20; k++) {
        double *cs = contact_matrix(fix, t, x);
        eval(fix, t, x, DFL_POSITION);
        solve(ds, cs, fix->blocks.c, ns);
        for (int i = 0; i < ns; i++)
            x[fix->at.s + i] -= ds[i];
        free(cs);
    }
    free(ds);
}

static void for_each_problem(void (*check)(fixture *fix))
{
    for (int k = 0; k < ncases; k++) {
        fixture fix;
        fixture_create(&fix, cases[k].name, cases[k].size);
        check(&fix);
        fixture_free(&fix);
    }
}

static void for_each_state(void (*check)(fixture *fix, double t, const double *x))
{
    for (int k = 0; k < ncases; k++) {
        fixture fix;
        fixture_create(&fix, cases[k].name, cases[k].size);
        for (int i = 0; i < fix.nstates; i++)
            check(&fix, fix.times[i], fix.states[i]);
        fixture_free(&fix);
    }
}

static void for_each_consistent_state(void (*check)(fixture *fix, double t, const double *x))
{
    for (int k = 0; k < ncases; k++) {
        fixture fix;
        fixture_create(&fix, cases[k].name, cases[k].size);
        for (int i = 0; i < fix.nconsistent; i++)
            check(&fix, fix.times[i], fix.states[i]);
        fixture_free(&fix);
    }
}

/* Adds a problem in its default size and in those of `sizes`. */
static void select_problem(const char *name)
{
    cases[ncases++] = (sized_name){name, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(name, sizes[i].name) == 0)
            cases[ncases++] = sizes[i];
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_the_velocity_derivatives_of_the_velocity_level),
        cmocka_unit_test(velocity_level_is_the_rate_of_the_position_level),
        cmocka_unit_test(acceleration_level_is_the_rate_of_the_velocity_level),
        cmocka_unit_test(jacobian_agrees_with_differences),
        cmocka_unit_test(mass_matrix_is_symmetric_and_constant_if_it_says_so),
        cmocka_unit_test(flags_are_true),
        cmocka_unit_test(exactly_the_needed_blocks_are_written),
        cmocka_unit_test(invariants_do_not_change_along_the_motion),
        cmocka_unit_test(start_is_consistent),
        cmocka_unit_test(references_are_consistent),
        cmocka_unit_test(massless_rows_balance_the_forces),
        cmocka_unit_test(unknown_names_are_refused),
    };
    for (int i = 1; i < argc && ncases < MAX_CASES - 4; i++)
        select_problem(argv[i]);
    for (int i = 0; argc == 1 && problem_names[i]; i++)
        select_problem(problem_names[i]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
