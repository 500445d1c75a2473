/* examined.h: every benchmark problem with the states at which it is examined, its rows and their
   differences.

   States are the start, the references that are completely known, and some near the start. Names of
   problems on the command line restrict a test to them.

   Differences are central, of order 4, with steps of 1e-4 to 1e-5 times the size of the variable:
   truncation and rounding both stay below 1e-9 of the size of a row, so 1e-7 tells a wrong term. */
#ifndef DFL_TESTS_EXAMINED_H
#define DFL_TESTS_EXAMINED_H

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

/* What is examined: filled in by select_problems. */
static sized_name cases[MAX_CASES];
static int ncases;

/* Sizes that are examined besides the default. */
static const sized_name sizes[] = {
    {"nchain", 1}, {"nchain", 5}, {"fourbar", 40}, {"fourbar_hanging", 40}};

static inline double *allocate(int n);
static inline double uniform(void);
static inline void assert_near(const fixture *fix, const char *what, int i, int j, double found,
                               double expected, double tolerance);
static inline void list_blocks(block list[NBLOCKS], dfl_blocks *blocks, const dfl_eom *eom);
static inline void create_blocks(dfl_blocks *blocks, const dfl_eom *eom);
static inline void free_blocks(dfl_blocks *blocks, const dfl_eom *eom);
static inline bool eval(fixture *fix, double t, const double *x, unsigned need);
static inline void multiply_mass(double *y, fixture *fix, double t, const double *x,
                                 const double *a);
static inline double *mass_matrix(fixture *fix, double t, const double *x);
static inline void eval_rows(double *rows, fixture *fix, double t, const double *x,
                             const double *a);
static inline double *difference(fixture *fix, double t, const double *x, const double *a,
                                 double dt, const double *dx, double h);
static inline double *flow(fixture *fix, double t, const double *x, const double *a);
static inline void follow_contacts(double *dx, fixture *fix, double t, const double *x);
static inline double *contact_matrix(fixture *fix, double t, const double *x);
static inline double *accelerations(fixture *fix, double t, const double *x);
static inline double *random_accelerations(const fixture *fix);
static inline void solve(double *x, double *A, double *b, int n);
static inline double largest(const double *y, int n);
static inline bool all_finite(const double *y, int n);
static inline void fixture_create(fixture *fix, const char *name, int size);
static inline void fixture_free(fixture *fix);
static inline void add_state(fixture *fix, double t, const double *x);
static inline void add_nearby_state(fixture *fix);
static inline void close_contacts(double *x, fixture *fix, double t);
static inline void for_each_problem(void (*check)(fixture *fix));
static inline void for_each_state(void (*check)(fixture *fix, double t, const double *x));
static inline void select_problems(int argc, char **argv);
static inline void select_problem(const char *name);

/* ---- the model ---- */

static inline double *allocate(int n)
{
    double *y = calloc((size_t)n + 1, sizeof *y);
    assert_non_null(y);
    return y;
}

/* In [-1, 1], the same numbers in every run. */
static inline double uniform(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (double)state / 2147483647.5 - 1.0;
}

static inline void assert_near(const fixture *fix, const char *what, int i, int j, double found,
                               double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) /* catches NaN as well */
        fail_msg("%s: %s (%d, %d) is %.17g instead of %.17g, allowed %.2g", fix->prob.name, what, i,
                 j, found, expected, tolerance);
}

static inline void list_blocks(block list[NBLOCKS], dfl_blocks *blocks, const dfl_eom *eom)
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

static inline void create_blocks(dfl_blocks *blocks, const dfl_eom *eom)
{
    block list[NBLOCKS];
    list_blocks(list, blocks, eom);
    for (int k = 0; k < NBLOCKS; k++)
        *list[k].numbers = allocate(list[k].n);
}

static inline void free_blocks(dfl_blocks *blocks, const dfl_eom *eom)
{
    block list[NBLOCKS];
    list_blocks(list, blocks, eom);
    for (int k = 0; k < NBLOCKS; k++)
        free(*list[k].numbers);
}

static inline bool eval(fixture *fix, double t, const double *x, unsigned need)
{
    return fix->eom->eval(&fix->blocks, t, x, need, fix->eom->user) == 0;
}

static inline double *mass_matrix(fixture *fix, double t, const double *x)
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

static inline void multiply_mass(double *y, fixture *fix, double t, const double *x,
                                 const double *a)
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
static inline void eval_rows(double *rows, fixture *fix, double t, const double *x, const double *a)
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
static inline double *difference(fixture *fix, double t, const double *x, const double *a,
                                 double dt, const double *dx, double h)
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
static inline double *flow(fixture *fix, double t, const double *x, const double *a)
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
static inline void follow_contacts(double *dx, fixture *fix, double t, const double *x)
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
static inline double *contact_matrix(fixture *fix, double t, const double *x)
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
static inline double *accelerations(fixture *fix, double t, const double *x)
{
    const int nv = fix->eom->nv;
    double *a = allocate(nv), *rows = allocate(fix->row.n), *M = mass_matrix(fix, t, x);
    eval_rows(rows, fix, t, x, a);
    solve(a, M, rows + fix->row.dyn, nv);
    free(M);
    free(rows);
    return a;
}

static inline double *random_accelerations(const fixture *fix)
{
    double *a = allocate(fix->eom->nv);
    for (int i = 0; i < fix->eom->nv; i++)
        a[i] = uniform();
    return a;
}

/* Gaussian elimination with row exchanges; A (n x n) and b are overwritten. */
static inline void solve(double *x, double *A, double *b, int n)
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

static inline double largest(const double *y, int n)
{
    double max = 0.0;
    for (int i = 0; i < n; i++)
        max = fmax(max, fabs(y[i]));
    return max;
}

static inline bool all_finite(const double *y, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(y[i]))
            return false;
    return true;
}

/* ---- the states ---- */

static inline void fixture_create(fixture *fix, const char *name, int size)
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

static inline void fixture_free(fixture *fix)
{
    for (int i = 0; i < fix->nstates; i++)
        free(fix->states[i]);
    free_blocks(&fix->blocks, fix->eom);
    problem_free(&fix->prob);
}

/* Adds a state if it is known; multipliers that are not known are computed if f allows it. */
static inline void add_state(fixture *fix, double t, const double *x)
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
static inline void add_nearby_state(fixture *fix)
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
static inline void close_contacts(double *x, fixture *fix, double t)
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

static inline void for_each_problem(void (*check)(fixture *fix))
{
    for (int k = 0; k < ncases; k++) {
        fixture fix;
        fixture_create(&fix, cases[k].name, cases[k].size);
        check(&fix);
        fixture_free(&fix);
    }
}

static inline void for_each_state(void (*check)(fixture *fix, double t, const double *x))
{
    for (int k = 0; k < ncases; k++) {
        fixture fix;
        fixture_create(&fix, cases[k].name, cases[k].size);
        for (int i = 0; i < fix.nstates; i++)
            check(&fix, fix.times[i], fix.states[i]);
        fixture_free(&fix);
    }
}

/* Those that the command line names, or all. */
static inline void select_problems(int argc, char **argv)
{
    for (int i = 1; i < argc && ncases < MAX_CASES - 4; i++)
        select_problem(argv[i]);
    for (int i = 0; argc == 1 && problem_names[i]; i++)
        select_problem(problem_names[i]);
}

/* Adds a problem in its default size and in those of `sizes`. */
static inline void select_problem(const char *name)
{
    cases[ncases++] = (sized_name){name, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(name, sizes[i].name) == 0)
            cases[ncases++] = sizes[i];
}

#endif
