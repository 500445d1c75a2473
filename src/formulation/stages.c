/* The projected forms in an iteration of a Runge-Kutta method: increments of all stages at once.

   The stages X = x + Z have the derivatives A^-1 Z / h and the rows a = alg(X), f = dif(X). Newton's
   increments dX = CB [a; u] (formulation.h) solve J dX = -a for every u, and

       S diag(I,M,I) A^-1 (Z + dX) / h = S (f + JD dX)

   for the right one. S, M and all derivatives are the same for all stages, so that A^-1 / h = T Lambda T^-1
   decouples what is left, nd rows:

       (Lambda SM_u - SJ_u) T^-1 u = T^-1 (S f + SJ_a a) - Lambda T^-1 (S diag(I,M,I) Z + SM_a a)

   Rows are transformed after they were projected: three transformations of nd rows instead of two of nearly
   all rows and unknowns. Where M varies, f_dyn - M v' is formed stage by stage, and Z_v counts nothing. */
#include "formulation/projection.h"
#include "linalg/lane_kernels.h"

#include <string.h>

static dfl_outcome evaluate(dfl_formulation *form, const dfl_stages *st);
static dfl_outcome subtract_momenta(dfl_formulation *form, const dfl_stages *st);
WIDE static void assemble(double *rows, dfl_formulation *form, const dfl_stages *st);

dfl_outcome dfl_projected_increment(double *dZ, dfl_formulation *form, const dfl_stages *st,
                                    double *rows)
{
    const int width = form->width;
    double *u = rows + form->ma * width;
    dfl_outcome outcome = evaluate(form, st);
    if (outcome)
        return outcome;
    assemble(rows, form, st);
    dfl_shifted_solve(form->E, u);
    dfl_lanes_transform(u, st->count, st->T, form->nd, u);
    dfl_lanes_mul(dZ, width, form->CB, form->sys->n, form->K, rows);
    return DFL_STEP_OK;
}

static dfl_outcome evaluate(dfl_formulation *form, const dfl_stages *st)
{
    dfl_system *sys = form->sys;
    dfl_outcome outcome = dfl_system_call(sys, st->points, st->count);
    for (int k = 0; !outcome && !dfl_system_combines_in_lanes(sys) && k < st->count; k++)
        outcome = dfl_system_finish(sys, &st->points[k]);
    if (!outcome && !sys->constant && !form->local)
        outcome = subtract_momenta(form, st);
    return outcome;
}

/* form->momentum (nv numbers of each stage) = f_dyn - M v', stage by stage */
static dfl_outcome subtract_momenta(dfl_formulation *form, const dfl_stages *st)
{
    dfl_system *sys = form->sys;
    const int nv = sys->n3, width = form->width;
    double *rate = form->rates;
    dfl_lanes_transform(rate, st->count, st->AI, nv, st->Z + sys->off_v * width);
    for (int k = 0; k < st->count; k++) {
        for (int i = 0; i < nv; i++)
            form->vp[i] = rate[i * width + k] / st->h;
        dfl_outcome outcome =
            dfl_system_dynamics(form->momentum + k * nv, sys, &st->points[k], form->vp);
        if (outcome)
            return outcome;
    }
    return DFL_STEP_OK;
}

/* Lanes of n entries that stand at `first` in the first stage, and every `distance` behind. */
static INLINE void collect(int stages, int quads, double *lanes, int n, const double *first,
                           long distance)
{
    for (int i = 0; i < n; i++, lanes += 4 * quads) {
        quad y[2];
        pick(y, stages, first + i, distance);
        store(lanes, quads, y);
    }
}

/* f_dyn = f - W^T (l, m), a = M^-1 f_dyn with a constant diagonal M, and gII, hI = W a + bias. What is read
   from memory again and again is in local variables: for the compiler, a store of lanes may change anything. */
static INLINE void combine_forces(int stages, int quads, double *acc, double *f_dyn,
                                  const dfl_formulation *form, const dfl_stages *st, long distance)
{
    const dfl_system *sys = form->sys;
    const int nc = sys->nc, nv = sys->n3, width = 4 * quads;
    const double *l = st->x + sys->off_l, *Zl = st->Z + sys->off_l * width;
    const double *f = st->points->blocks.f, *W = st->points->blocks.W, *M_inv = sys->M_inv;
    double *w = form->column;
    collect(stages, quads, acc, nc, st->points->blocks.bias, distance);
    for (int j = 0; j < nv; j++, f_dyn += width) {
        quad y[2];
        pick(y, stages, f + j, distance);
        for (int i = 0; i < nc; i++, W++) {
            quad wi[2];
            pick(wi, stages, W, distance);
            store(w + i * width, quads, wi);
            for (int q = 0; q < quads; q++)
                y[q] -= wi[q] * (l[i] + *(const quad *)(Zl + i * width + 4 * q));
        }
        store(f_dyn, quads, y);
        for (int q = 0; q < quads; q++)
            y[q] *= M_inv[j];
        for (int i = 0; i < nc; i++)
            for (int q = 0; q < quads; q++)
                *(quad *)(acc + i * width + 4 * q) += *(quad *)(w + i * width + 4 * q) * y[q];
    }
}

/* The algebraic rows, dropped invariants left out. */
static INLINE void collect_algebraic(int stages, int quads, double *rows,
                                     const dfl_formulation *form, const double *alg, long distance)
{
    const dfl_system *sys = form->sys;
    const int ne = sys->eom->ne, row_e = sys->row_e, width = 4 * quads;
    if (form->nactive == ne) {
        collect(stages, quads, rows, form->ma, alg, distance);
        return;
    }
    collect(stages, quads, rows, row_e, alg, distance);
    rows += row_e * width;
    for (int i = 0; i < ne; i++)
        if (form->active[i]) {
            collect(stages, quads, rows, 1, alg + row_e + i, distance);
            rows += width;
        }
    collect(stages, quads, rows, sys->m3, alg + row_e + ne, distance);
}

/* These, and rho: the right-hand sides of r', M v', p'. */
static INLINE void collect_rows(int stages, int quads, double *rows, const dfl_formulation *form,
                                const dfl_stages *st)
{
    const dfl_system *sys = form->sys;
    const dfl_point *first = st->points;
    const int nr = sys->n2, nv = sys->n3, width = 4 * quads;
    const long distance = dfl_points_distance(st->points, stages);
    double *rho_v = form->rho + nr * width;
    collect_algebraic(stages, quads, rows, form, first->alg, distance);
    if (nr > 0)
        collect(stages, quads, form->rho, nr, first->dif, distance);
    if (dfl_system_combines_in_lanes(sys))
        combine_forces(stages, quads, rows + sys->row_acc * width, rho_v, form, st, distance);
    else if (sys->constant || form->local)
        collect(stages, quads, rho_v, nv, form->local ? first->x : first->blocks.f, distance);
    if (!sys->constant && !form->local)
        collect(stages, quads, rho_v, nv, form->momentum, nv);
    collect(stages, quads, rho_v + nv * width, sys->eom->np, first->blocks.kin, distance);
}

/* Sums d and y of `rows` rows: d += A X, y += B V, n columns. */
static INLINE void add_products(int rows, int quads, quad d[2][2], quad y[2][2], const double *A,
                                const double *B, int ld, int n, const double *X, const double *V)
{
    for (int j = 0; j < n; j++, A += ld, B += ld, X += 4 * quads, V += 4 * quads)
        for (int i = 0; i < rows; i++)
            for (int q = 0; q < quads; q++) {
                d[i][q] += A[i] * *(const quad *)(X + 4 * q);
                y[i][q] += B[i] * *(const quad *)(V + 4 * q);
            }
}

/* A block of the projected rows, two sides each: S and SM (m x n, of one kind of unknowns) times its
   right-hand sides f and increments Z, and derivatives of all algebraic rows, from `first` on. */
typedef struct block {
    const double *S, *SM, *f, *Z;
    int m, n, first;
} block;

static INLINE void project_rows(int rows, int quads, double *d, double *y, const block *b, int i,
                                const dfl_formulation *form, const double *alg)
{
    const int at = b->first + i, width = 4 * quads;
    quad left[2][2] = {{{0}, {0}}, {{0}, {0}}}, right[2][2] = {{{0}, {0}}, {{0}, {0}}};
    add_products(rows, quads, left, right, b->S + i, b->SM + i, b->m, b->n, b->f, b->Z);
    add_products(rows, quads, left, right, form->SJ + at, form->SM + at, form->nd, form->ma, alg,
                 alg);
    for (int k = 0; k < rows; k++) {
        store(d + (at + k) * width, quads, left[k]);
        store(y + (at + k) * width, quads, right[k]);
    }
}

static INLINE void project_block(int quads, double *d, double *y, const block *b,
                                 const dfl_formulation *form, const double *alg)
{
    int i = 0;
    for (; i + 2 <= b->m; i += 2)
        project_rows(2, quads, d, y, b, i, form, alg);
    if (i < b->m)
        project_rows(1, quads, d, y, b, i, form, alg);
}

/* d = S f + SJ_a a,  y = S diag(I,M,I) Z + SM_a a */
static INLINE void project(int quads, double *d, double *y, const dfl_formulation *form,
                           const dfl_stages *st, const double *alg)
{
    const dfl_system *sys = form->sys;
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np, width = 4 * quads;
    const double *f = form->rho, *f_v = f + nr * width, *f_p = f_v + nv * width, *Z = st->Z;
    const double *Z_v = Z + sys->off_v * width, *Z_p = Z + sys->off_p * width;
    const block v = {form->Sv, form->SvM, f_v, Z_v, form->nsv, nv, nr};
    const block p = {form->Sp, form->Sp, f_p, Z_p, form->nfp, np, nr + form->nsv};
    for (int i = 0; i < nr; i++) {
        const double one = 1;
        const block r = {&one, &one, f + i * width, Z + (sys->off_r + i) * width, 1, 1, i};
        project_rows(1, quads, d, y, &r, 0, form, alg);
    }
    project_block(quads, d, y, &v, form, alg);
    project_block(quads, d, y, &p, form, alg);
}

/* d = T^-1 d - Lambda T^-1 y */
static INLINE void decouple(int stages, int quads, double *d, const double *y,
                            const dfl_formulation *form, const double *TI)
{
    const int width = 4 * quads;
    for (int i = 0; i < form->nd; i++, d += width, y += width) {
        quad left[2], right[2], shifted[2];
        transform_one(left, stages, quads, TI, d);
        transform_one(right, stages, quads, TI, y);
        shift(shifted, quads, &form->shifts, right);
        for (int q = 0; q < quads; q++)
            *(quad *)(d + 4 * q) = left[q] - shifted[q];
    }
}

/* The decoupled right-hand sides behind the algebraic rows. */
WIDE static void assemble(double *rows, dfl_formulation *form, const dfl_stages *st)
{
#define ASSEMBLE(stages, quads)                                                                    \
    do {                                                                                           \
        double *d = rows + form->ma * 4 * quads;                                                   \
        collect_rows(stages, quads, rows, form, st);                                               \
        project(quads, d, form->moved, form, st, rows);                                            \
        decouple(stages, quads, d, form->moved, form, st->TI);                                     \
    } while (0)
    FOR_STAGES(st->count, ASSEMBLE)
#undef ASSEMBLE
}
