/* The projected forms in an iteration of a Runge-Kutta method: increments of all stages at once.

   The stages X = x + Z have the derivatives A^-1 Z / h and the rows a = alg(X), f = dif(X). Newton's
   increments dX = CB [a; u] (formulation.h) solve J dX = -a for every u, and

       S diag(I,M,I) A^-1 (Z + dX) / h = S (f + JD dX)

   for the right one. S, M and all derivatives are the same for all stages, so that A^-1 / h = T Lambda T^-1
   decouples what is left, nd rows:

       (Lambda SM_u - SJ_u) T^-1 u = T^-1 (S f + SJ_a a) - Lambda T^-1 (S diag(I,M,I) Z + SM_a a)

   Rows are transformed after they were projected: three transformations of nd rows instead of two of nearly
   all rows and unknowns. Where rows are a - v', M stands for I; where they are f_dyn - M v' with an M that varies,
   they are formed stage by stage, and Z_v counts nothing. */
#include "formulation/projection.h"
#include "linalg/lane_kernels.h"

#include <string.h>

static dfl_outcome evaluate(dfl_formulation *form, const dfl_stages *st);
static dfl_outcome subtract_momenta(dfl_formulation *form, const dfl_stages *st);
WIDE static void assemble(double *rows, dfl_formulation *form, const dfl_stages *st);
WIDE static void expand(double *dZ, const dfl_formulation *form, const dfl_stages *st,
                        double *rows);

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
    expand(dZ, form, st, rows);
    return DFL_STEP_OK;
}

static dfl_outcome evaluate(dfl_formulation *form, const dfl_stages *st)
{
    dfl_system *sys = form->sys;
    dfl_outcome outcome = dfl_system_call(sys, st->points, st->count);
    for (int k = 0; !outcome && !dfl_system_combines_in_lanes(sys) && k < st->count; k++)
        outcome = dfl_system_finish(sys, &st->points[k]);
    if (!outcome && form->stagewise)
        outcome = dfl_stagewise_solve(form, st->points, st->count);
    if (!outcome && form->reads_rates)
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

/* Where the rows of a point stand, counted from its x: the algebraic rows in use, then what rho is made of.
   Rows that are combined in lanes begin with the bias, and W follows rho. */
void dfl_projected_locate_rows(dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const dfl_point *point = &form->jac.scratch;
    const bool in_lanes = dfl_system_combines_in_lanes(sys);
    const bool given = form->rates_are_a && !in_lanes; /* a, otherwise to be made of f */
    const double *x = point->x, *f = given ? point->a : point->blocks.f;
    const int ne = sys->eom->ne, rows = sys->m1 + sys->m2 + sys->m3, row_e = sys->row_e;
    int *place = form->place;
    for (int i = 0; i < rows; i++) /* dropped invariants are left out */
        if (i < row_e || i >= row_e + ne || form->active[i - row_e])
            *place++ = (int)(point->alg - x) + i;
    for (int i = 0; in_lanes && i < sys->nc; i++)
        form->place[sys->row_acc + i] = (int)(point->blocks.bias - x) + i;
    for (int i = 0; i < sys->n2; i++)
        *place++ = (int)(point->dif - x) + i;
    for (int i = 0; i < sys->n3; i++)
        *place++ = (int)(f - x) + i;
    for (int i = 0; i < sys->eom->np; i++)
        *place++ = (int)(point->blocks.kin - x) + i;
    for (int i = 0; in_lanes && i < sys->nc * sys->n3; i++)
        *place++ = (int)(point->blocks.W - x) + i;
}

/* Lanes of n entries of all stages. */
static INLINE void collect(int stages, int quads, double *lanes, int n, const double *first,
                           const int *place, long distance)
{
    for (int i = 0; i < n; i++, lanes += 4 * quads) {
        quad y[2];
        pick(y, stages, first + place[i], distance);
        store(lanes, quads, y);
    }
}

/* f_dyn = f - W^T (l, m), a = M^-1 f_dyn with a constant diagonal M, and gII, hI = bias + W a; f becomes f_dyn
   or a. What is read from memory again and again is in local variables: for the compiler, a store of lanes may
   change anything. */
static INLINE void combine_forces(int quads, int nc, double *acc, double *f, const double *W,
                                  const dfl_formulation *form, const dfl_stages *st)
{
    const dfl_system *sys = form->sys;
    const int nv = sys->n3, width = 4 * quads;
    const double *l = st->x + sys->off_l, *Zl = st->Z + sys->off_l * width, *M_inv = sys->M_inv;
    const bool rates_are_a = form->rates_are_a;
    for (int j = 0; j < nv; j++, f += width, W += nc * width)
        for (int q = 0; q < quads; q++) {
            quad y = *(const quad *)(f + 4 * q);
            for (int i = 0; i < nc; i++)
                y -= *(const quad *)(W + i * width + 4 * q) *
                     (l[i] + *(const quad *)(Zl + i * width + 4 * q));
            const quad a = M_inv[j] * y;
            *(quad *)(f + 4 * q) = rates_are_a ? a : y;
            for (int i = 0; i < nc; i++)
                *(quad *)(acc + i * width + 4 * q) += *(const quad *)(W + i * width + 4 * q) * a;
        }
}

/* n entries of each stage that do not stand at points, one stage behind another. */
static INLINE void collect_apart(int stages, int quads, double *lanes, int n, const double *entry)
{
    for (int i = 0; i < n; i++, lanes += 4 * quads) {
        quad y[2];
        pick(y, stages, entry + i, n);
        store(lanes, quads, y);
    }
}

/* The algebraic rows and, in rho, the right-hand sides of r', M v' or v', p'. */
static INLINE void collect_rows(int stages, int quads, double *rows, const dfl_formulation *form,
                                const dfl_stages *st)
{
    const dfl_system *sys = form->sys;
    const int nc = sys->nc, ma = form->ma, mdif = sys->mdif, width = 4 * quads;
    const int *place = form->place;
    const bool in_lanes = dfl_system_combines_in_lanes(sys);
    const long distance = dfl_points_distance(st->points, stages);
    const double *first = st->points->x;
    double *rho = form->rho, *rho_v = rho + sys->n2 * width, *acc = rows + sys->row_acc * width;
    const double *W = rho + mdif * width;
    const int own = form->stagewise ? sys->m1 : 0;
    collect_apart(stages, quads, rows, own, form->own_rows);
    collect(stages, quads, rows + own * width, ma - own, first, place + own, distance);
    collect(stages, quads, rho, in_lanes ? mdif + nc * sys->n3 : mdif, first, place + ma, distance);
    if (in_lanes && nc == 1) /* a single constraint: its values stay in registers */
        combine_forces(quads, 1, acc, rho_v, W, form, st);
    else if (in_lanes)
        combine_forces(quads, nc, acc, rho_v, W, form, st);
    else if (form->reads_rates)
        collect_apart(stages, quads, rho_v, sys->n3, form->momentum);
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
    const double *SvM = form->rates_are_a ? form->Sv : form->SvM;
    const block v = {form->Sv, SvM, f_v, Z_v, form->nsv, nv, nr};
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

/* dZ = CB [a; T u] */
WIDE static void expand(double *dZ, const dfl_formulation *form, const dfl_stages *st, double *rows)
{
    const int n = form->sys->n, ma = form->ma, nd = form->nd;
    const double *CB = form->CB;
#define EXPAND(stages, quads)                                                                      \
    do {                                                                                           \
        transform(stages, quads, rows + ma * 4 * quads, st->T, nd, rows + ma * 4 * quads);         \
        mul(quads, dZ, CB, n, ma + nd, rows);                                                      \
    } while (0)
    FOR_STAGES(st->count, EXPAND)
#undef EXPAND
}
