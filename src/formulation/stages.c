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

/* f_dyn = f - W^T (l, m), a = M^-1 f_dyn with diagonal M, and gII, hI = W a + bias. */
static INLINE void combine_forces(int stages, int quads, double *acc, double *f,
                                  const dfl_formulation *form, const dfl_stages *st)
{
    const dfl_system *sys = form->sys;
    const dfl_point *first = st->points;
    const int nc = sys->nc, width = 4 * quads;
    const long distance = dfl_points_distance(st->points, stages);
    const double *l = st->x + sys->off_l, *Zl = st->Z + sys->off_l * width;
    double *w = form->column;
    collect(stages, quads, acc, nc, first->blocks.bias, distance);
    for (int j = 0; j < sys->n3; j++, f += width) {
        quad y[2], mass[2];
        pick(y, stages, first->blocks.f + j, distance);
        for (int i = 0; i < nc; i++) {
            quad wi[2];
            pick(wi, stages, first->blocks.W + j * nc + i, distance);
            for (int q = 0; q < quads; q++)
                y[q] -= wi[q] * (l[i] + *(const quad *)(Zl + i * width + 4 * q));
            store(w + i * width, quads, wi);
        }
        store(f, quads, y);
        if (!sys->constant)
            pick(mass, stages, first->M + j, distance);
        for (int q = 0; q < quads; q++)
            y[q] = sys->constant ? y[q] * sys->M_inv[j] : y[q] / mass[q];
        for (int i = 0; i < nc; i++)
            for (int q = 0; q < quads; q++)
                *(quad *)(acc + i * width + 4 * q) += *(quad *)(w + i * width + 4 * q) * y[q];
    }
}

/* The algebraic rows, dropped invariants left out, and the right-hand sides of r', M v', p'. */
static INLINE void collect_rows(int stages, int quads, double *rows, const dfl_formulation *form,
                                const dfl_stages *st)
{
    const dfl_system *sys = form->sys;
    const dfl_point *first = st->points;
    const int nr = sys->n2, nv = sys->n3, ne = sys->eom->ne, width = 4 * quads;
    const long distance = dfl_points_distance(st->points, stages);
    const double *alg = first->alg, *f = first->blocks.f;
    double *rho = form->rho, *rho_v = rho + nr * width;
    const bool in_lanes = dfl_system_combines_in_lanes(sys);
    collect(stages, quads, rows, in_lanes ? sys->row_acc : sys->m1, alg, distance);
    if (in_lanes)
        combine_forces(stages, quads, rows + sys->row_acc * width, rho_v, form, st);
    collect(stages, quads, rows + sys->m1 * width, sys->row_e - sys->m1, alg + sys->m1, distance);
    rows += sys->row_e * width;
    for (int i = 0; i < ne; i++)
        if (form->active[i]) {
            collect(stages, quads, rows, 1, alg + sys->row_e + i, distance);
            rows += width;
        }
    collect(stages, quads, rows, sys->m3, alg + sys->row_e + ne, distance);
    collect(stages, quads, rho, nr, first->dif, distance);
    if (!sys->constant && !form->local)
        collect(stages, quads, rho_v, nv, form->momentum, nv);
    else if (!in_lanes)
        collect(stages, quads, rho_v, nv, form->local ? first->x : f, distance);
    collect(stages, quads, rho_v + nv * width, sys->eom->np, first->blocks.kin, distance);
}

/* Left sides D and right sides Y of `rows` rows: D (+)= A X, Y (+)= B V. */
static INLINE void two_products_of(int rows, int quads, double *D, double *Y, const double *A,
                                   const double *B, int ld, int n, const double *X, const double *V,
                                   bool add)
{
    quad d[2][2], y[2][2];
    for (int i = 0; i < rows; i++)
        for (int q = 0; q < quads; q++) {
            d[i][q] = add ? *(quad *)(D + 4 * (i * quads + q)) : (quad){0};
            y[i][q] = add ? *(quad *)(Y + 4 * (i * quads + q)) : (quad){0};
        }
    for (int j = 0; j < n; j++, X += 4 * quads, V += 4 * quads)
        for (int i = 0; i < rows; i++)
            for (int q = 0; q < quads; q++) {
                d[i][q] += A[(long)j * ld + i] * *(const quad *)(X + 4 * q);
                y[i][q] += B[(long)j * ld + i] * *(const quad *)(V + 4 * q);
            }
    for (int i = 0; i < rows; i++) {
        store(D + 4 * i * quads, quads, d[i]);
        store(Y + 4 * i * quads, quads, y[i]);
    }
}

static INLINE void two_products(int quads, double *D, double *Y, const double *A, const double *B,
                                int m, int n, const double *X, const double *V, bool add)
{
    int i = 0;
    for (; i + 2 <= m; i += 2)
        two_products_of(2, quads, D + 4 * quads * i, Y + 4 * quads * i, A + i, B + i, m, n, X, V,
                        add);
    if (i < m)
        two_products_of(1, quads, D + 4 * quads * i, Y + 4 * quads * i, A + i, B + i, m, n, X, V,
                        add);
}

/* d = S f + SJ_a a,  y = S diag(I,M,I) Z + SM_a a */
static INLINE void project(int quads, double *d, double *y, const dfl_formulation *form,
                           const dfl_stages *st, const double *rows)
{
    const dfl_system *sys = form->sys;
    const int nr = sys->n2, nv = sys->n3, np = sys->eom->np, width = 4 * quads;
    const int at_v = nr * width, at_p = at_v + form->nsv * width;
    const double *rho_v = form->rho + nr * width, *Z = st->Z;
    memcpy(d, form->rho, (size_t)(nr * width) * sizeof *d);
    memcpy(y, Z + sys->off_r * width, (size_t)(nr * width) * sizeof *y);
    two_products(quads, d + at_v, y + at_v, form->Sv, form->SvM, form->nsv, nv, rho_v,
                 Z + sys->off_v * width, false);
    two_products(quads, d + at_p, y + at_p, form->Sp, form->Sp, form->nfp, np, rho_v + nv * width,
                 Z + sys->off_p * width, false);
    two_products(quads, d, y, form->SJ, form->SM, form->nd, form->ma, rows, rows, true);
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
