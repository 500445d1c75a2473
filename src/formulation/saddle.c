/* Accelerations and multipliers from the saddle system (see saddle.h). Its matrix, in the unknowns
   (a, sigma, w, l, m),

       [ M    K0   -f_w   W^T - f_lm ]
       [ K0^T                        ]
       [           d_w    d_lm       ]
       [ V                           ]

   is regular if the multipliers and accelerations are determined, also with a singular M. The
   derivatives of f and d are kept from state to state while Newton's iteration converges fast. */
#include "formulation/saddle.h"
#include "formulation/formulation_internal.h"

#include <math.h>
#include <string.h>

enum { most_iterations = 12 };

static dfl_outcome evaluate_coupling(dfl_saddle *saddle, const dfl_point *point);
static dfl_outcome right_hand_side(dfl_saddle *saddle, const dfl_point *point, const double *V,
                                   const double *target);
static double add_increment(dfl_saddle *saddle, dfl_point *point);

dfl_status dfl_saddle_init(dfl_saddle *saddle, dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    dfl_context *ctx = sys->ctx;
    const size_t nv = (size_t)eom->nv, nw = (size_t)eom->nw, nc = (size_t)sys->nc;
    const int order = eom->nv + eom->n0 + eom->nw + sys->nc;
    memset(saddle, 0, sizeof *saddle);
    saddle->sys = sys;
    saddle->linear = eom->nw == 0 && (eom->forces_free_of_multipliers || sys->nc == 0);
    saddle->row = dfl_alloc(ctx, nc, sizeof(int));
    saddle->M = dfl_alloc(ctx, nv * nv, sizeof(double));
    saddle->rhs = dfl_alloc(ctx, (size_t)order, sizeof(double));
    saddle->basis = dfl_alloc(ctx, nc * nv, sizeof(double));
    saddle->coupling = dfl_alloc(ctx, (nv + nw) * (nw + nc), sizeof(double));
    if (!saddle->row || !saddle->M || !saddle->rhs || !saddle->basis || !saddle->coupling)
        return DFL_NO_MEMORY;
    dfl_status status = dfl_factor_create(&saddle->factor, ctx, order, false);
    if (!status && !saddle->linear)
        status = dfl_rows_jacobian_init(&saddle->jac, sys);
    return status;
}

void dfl_saddle_clear(dfl_saddle *saddle)
{
    if (!saddle->sys)
        return;
    dfl_context *ctx = saddle->sys->ctx;
    dfl_free(ctx, saddle->row);
    dfl_free(ctx, saddle->M);
    dfl_free(ctx, saddle->rhs);
    dfl_free(ctx, saddle->basis);
    dfl_free(ctx, saddle->coupling);
    dfl_factor_free(saddle->factor, ctx);
    if (!saddle->linear)
        dfl_rows_jacobian_clear(&saddle->jac, ctx);
}

void dfl_saddle_bind(dfl_saddle *saddle)
{
    if (!saddle->linear)
        dfl_rows_jacobian_bind(&saddle->jac, saddle->sys);
}

static double square(const double *x, int n, int stride)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i * stride] * x[i * stride];
    return sum;
}

void dfl_choose_vectors(int *chosen, int rank, double *A, int count, int length, int stride,
                        int inner, const double *original)
{
    for (int k = 0; k < rank; k++) {
        double best = -1;
        for (int i = 0; i < count; i++) {
            double left = square(A + i * stride, length, inner);
            if (original)
                left /= fmax(1e-300, square(original + i * stride, length, inner));
            if (left > best)
                best = left, chosen[k] = i;
        }
        double *pivot = A + chosen[k] * stride;
        const double size = square(pivot, length, inner);
        for (int i = 0; i < count && size > 0; i++) {
            double *x = A + i * stride, dot = 0;
            for (int j = 0; j < length; j++)
                dot += x[j * inner] * pivot[j * inner];
            for (int j = 0; x != pivot && j < length; j++)
                x[j * inner] -= dot / size * pivot[j * inner];
        }
        for (int j = 0; j < length; j++)
            pivot[j * inner] = 0;
    }
}

void dfl_saddle_choose(dfl_saddle *saddle, const dfl_point *point, int rank)
{
    const int nc = saddle->sys->nc, nv = saddle->sys->n3;
    memcpy(saddle->basis, point->blocks.W, (size_t)(nc * nv) * sizeof *saddle->basis);
    saddle->nrows = rank;
    saddle->order = saddle->sys->na + saddle->sys->eom->nw + rank;
    saddle->have_coupling = false;
    dfl_choose_vectors(saddle->row, rank, saddle->basis, nc, nv, 1, nc, point->blocks.W);
}

dfl_outcome dfl_saddle_mass(dfl_saddle *saddle, const dfl_point *point)
{
    dfl_system *sys = saddle->sys;
    const size_t nv = (size_t)sys->n3;
    if (!sys->mass.constant)
        return dfl_system_mass(saddle->M, sys, point->t, point->x + sys->na);
    memcpy(saddle->M, sys->mass.M, (sys->mass.diagonal ? nv : nv * nv) * sizeof(double));
    return DFL_STEP_OK;
}

dfl_outcome dfl_saddle_factor(dfl_saddle *saddle, const dfl_point *point, const double *V)
{
    dfl_system *sys = saddle->sys;
    const int nv = sys->n3, n0 = sys->eom->n0, nw = sys->eom->nw, nc = sys->nc, ld = saddle->order;
    const int at_w = nv + n0, at_l = at_w + nw;
    const double *W = point->blocks.W, *K0 = point->blocks.K0, *C = saddle->coupling;
    double *A = dfl_factor_matrix(saddle->factor);
    dfl_outcome outcome = dfl_saddle_mass(saddle, point);
    if (!outcome && !saddle->linear && !saddle->have_coupling)
        outcome = evaluate_coupling(saddle, point);
    if (outcome)
        return outcome;
    memset(A, 0, (size_t)ld * (size_t)ld * sizeof *A);
    dfl_full_mass(A, ld, saddle->M, nv, sys->mass.diagonal);
    for (int k = 0; k < n0; k++)
        for (int i = 0; i < nv; i++)
            A[(nv + k) * ld + i] = A[i * ld + nv + k] = K0[k * nv + i];
    for (int k = 0; k < saddle->nrows; k++)
        for (int j = 0; j < nv; j++) {
            A[(at_l + k) * ld + j] = W[j * nc + saddle->row[k]];
            A[j * ld + at_l + k] = V[j * nc + saddle->row[k]];
        }
    for (int k = 0; !saddle->linear && k < nw + saddle->nrows; k++) {
        const double *c = C + (k < nw ? k : nw + saddle->row[k - nw]) * (nv + nw);
        for (int i = 0; i < nv; i++)
            A[(at_w + k) * ld + i] -= c[i];
        for (int i = 0; i < nw; i++)
            A[(at_w + k) * ld + at_w + i] = c[nv + i];
    }
    sys->stats->algebraic_decompositions++;
    if (!dfl_factor_compute(saddle->factor, ld, DFL_METHOD_LU))
        return dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_MULTIPLIERS, point->t);
    return DFL_STEP_OK;
}

/* The derivatives of f and d with respect to w, l, m at an evaluated point. */
static dfl_outcome evaluate_coupling(dfl_saddle *saddle, const dfl_point *point)
{
    dfl_system *sys = saddle->sys;
    const int nv = sys->n3, nw = sys->eom->nw, nc = sys->nc, first = sys->na;
    const dfl_rows_jacobian *jac = &saddle->jac;
    dfl_outcome outcome = dfl_system_jacobian(&saddle->jac, sys, point->t, point->x, point->x);
    for (int k = 0; !outcome && k < nw + nc; k++) {
        double *c = saddle->coupling + k * (nv + nw);
        for (int i = 0; i < nv; i++) {
            c[i] = jac->blocks.dyn[(size_t)k * (size_t)nv + (size_t)i];
            if (k >= nw) /* of f_dyn = f - W^T (l, m) */
                c[i] += point->blocks.W[i * nc + k - nw];
        }
        for (int i = 0; i < nw; i++)
            c[nv + i] = jac->J1[(size_t)(first + k) * (size_t)sys->m1 + (size_t)(sys->row.d + i)];
    }
    saddle->have_coupling = !outcome;
    return outcome;
}

/* y = f_dyn - M a with the M of the factor. */
static dfl_outcome dynamics(double *y, dfl_saddle *saddle, const dfl_point *point)
{
    dfl_system *sys = saddle->sys;
    const int nv = sys->n3;
    const double *a = point->x;
    if (sys->eom->residual)
        return dfl_system_dynamics(y, sys, point, a);
    memcpy(y, point->blocks.f, (size_t)nv * sizeof *y);
    if (sys->mass.diagonal)
        for (int i = 0; i < nv; i++)
            y[i] -= saddle->M[i] * a[i];
    else
        dfl_gemm(nv, 1, nv, -1, saddle->M, nv, a, nv, 1, y, nv);
    return DFL_STEP_OK;
}

static dfl_outcome right_hand_side(dfl_saddle *saddle, const dfl_point *point, const double *V,
                                   const double *target)
{
    dfl_system *sys = saddle->sys;
    const int nv = sys->n3, n0 = sys->eom->n0, nw = sys->eom->nw, nc = sys->nc;
    const double *a = point->x, *sigma = a + nv, *K0 = point->blocks.K0;
    double *y = saddle->rhs;
    dfl_outcome outcome = dynamics(y, saddle, point);
    for (int k = 0; k < n0; k++) {
        y[nv + k] = 0;
        for (int i = 0; i < nv; i++) {
            y[i] -= K0[k * nv + i] * sigma[k];
            y[nv + k] -= K0[k * nv + i] * a[i];
        }
    }
    for (int i = 0; i < nw; i++)
        y[nv + n0 + i] = -point->blocks.d[i];
    for (int k = 0; k < saddle->nrows; k++) {
        double sum = target[saddle->row[k]];
        for (int j = 0; j < nv; j++)
            sum -= V[j * nc + saddle->row[k]] * a[j];
        y[nv + n0 + nw + k] = sum;
    }
    return outcome;
}

/* The largest entry of an increment relative to the largest value it belongs to. */
static double relative(const double *increment, const double *x, int n)
{
    double change = 0, size = 1e-300;
    for (int i = 0; i < n; i++) {
        change = fmax(change, fabs(increment[i]));
        size = fmax(size, fabs(x[i]));
    }
    return change / fmax(size, change);
}

/* x += increment, and f_dyn with it; returns the relative size of the increment. NaN: the increment
   is not finite; x, from which a later solution starts, is unchanged. */
static double add_increment(dfl_saddle *saddle, dfl_point *point)
{
    const dfl_system *sys = saddle->sys;
    const int nv = sys->n3, na = sys->na, nw = sys->eom->nw, nc = sys->nc;
    const double *dx = saddle->rhs, *dl = dx + na + nw;
    double *l = point->x + sys->at.l, *f = point->blocks.f, total = 0, change = 0, size = 1e-300;
    for (int i = 0; i < na + nw + saddle->nrows; i++)
        total += dx[i];
    if (!isfinite(total))
        return NAN;
    for (int i = 0; i < na + nw; i++)
        point->x[i] += dx[i];
    for (int k = 0; k < saddle->nrows; k++) {
        const int row = saddle->row[k];
        l[row] += dl[k];
        change = fmax(change, fabs(dl[k]));
        size = fmax(size, fabs(l[row]));
        for (int j = 0; !sys->eom->residual && j < nv; j++)
            f[j] -= point->blocks.W[j * nc + row] * dl[k];
    }
    return fmax(relative(dx, point->x, nv),
                fmax(relative(dx + na, point->x + na, nw), change / fmax(size, change)));
}

static void solve(dfl_saddle *saddle)
{
    saddle->sys->stats->back_substitutions++;
    dfl_factor_solve(saddle->factor, saddle->rhs);
}

/* Why the solution is not finite. */
static dfl_outcome not_finite(dfl_saddle *saddle, const dfl_point *point)
{
    dfl_outcome outcome = dfl_system_check_finite(saddle->sys, point);
    return outcome ? outcome
                   : dfl_system_part_trouble(saddle->sys, DFL_STEP_SINGULAR,
                                             DFL_FAILURE_MULTIPLIERS, point->t);
}

/* Whether the last increment (rhs) is rounding of the forces: at rest accelerations have no size of
   their own, and nothing but rounding is left of them. */
static bool is_rounding(const dfl_saddle *saddle, const dfl_point *point)
{
    const dfl_system *sys = saddle->sys;
    const int nv = sys->n3, nc = sys->nc;
    const double *da = saddle->rhs, *dl = da + sys->na + sys->eom->nw, *l = point->x + sys->at.l;
    double change = 0, terms = 0;
    for (int i = 0; i < nv; i++) {
        double here = 0, by = 0;
        for (int j = 0; j < nv; j++) {
            const double m = !sys->mass.diagonal ? saddle->M[j * nv + i]
                             : i == j            ? saddle->M[i]
                                                 : 0;
            here += fabs(m * point->x[j]);
            by += fabs(m * da[j]);
        }
        for (int k = 0; k < saddle->nrows; k++) {
            const double w = point->blocks.W[i * nc + saddle->row[k]];
            here += fabs(w * l[saddle->row[k]]);
            by += fabs(w * dl[k]);
        }
        change = fmax(change, by);
        terms = fmax(terms, here);
    }
    return change <= 1e-13 * terms &&
           relative(da + sys->na, point->x + sys->na, sys->eom->nw) <= 1e-9;
}

/* Newton's iteration, for forces that depend on the unknowns. */
static dfl_outcome iterate(dfl_saddle *saddle, dfl_point *point, const double *V,
                           const double *target)
{
    dfl_system *sys = saddle->sys;
    double last = INFINITY;
    for (int it = 1; it <= most_iterations; it++) {
        dfl_outcome outcome = right_hand_side(saddle, point, V, target);
        if (outcome)
            return outcome;
        solve(saddle);
        const double size = add_increment(saddle, point);
        if (isnan(size))
            return not_finite(saddle, point);
        outcome = dfl_system_eval_blocks(sys, point, DFL_FORCE | DFL_DYNAMIC | DFL_AUXILIARY);
        if (outcome || size <= 1e-13 ||
            (size >= 0.5 * last && (size <= 1e-9 || is_rounding(saddle, point))))
            return outcome;
        if (it > 2 && size > 0.1 * last) { /* slow: new derivatives */
            saddle->have_coupling = false;
            outcome = dfl_saddle_factor(saddle, point, V);
            if (outcome)
                return outcome;
        }
        last = size;
    }
    sys->trouble.outcome = DFL_STEP_OK;
    return DFL_STEP_RETRY;
}

dfl_outcome dfl_saddle_solve(dfl_saddle *saddle, dfl_point *point, const double *V,
                             const double *target)
{
    if (!saddle->linear)
        return iterate(saddle, point, V, target);
    dfl_outcome outcome = right_hand_side(saddle, point, V, target);
    if (outcome)
        return outcome;
    solve(saddle);
    return isnan(add_increment(saddle, point)) ? not_finite(saddle, point) : DFL_STEP_OK;
}

void dfl_saddle_least_change(double *dv, dfl_saddle *saddle, const double *target)
{
    const dfl_system *sys = saddle->sys;
    const int first = saddle->order - saddle->nrows;
    memset(saddle->rhs, 0, (size_t)saddle->order * sizeof(double));
    for (int k = 0; k < saddle->nrows; k++)
        saddle->rhs[first + k] = target[saddle->row[k]];
    solve(saddle);
    memcpy(dv, saddle->rhs, (size_t)sys->n3 * sizeof *dv);
}

void dfl_saddle_direction(double *dv, dfl_saddle *saddle, const double *force)
{
    const size_t nv = (size_t)saddle->sys->n3;
    memset(saddle->rhs, 0, (size_t)saddle->order * sizeof(double));
    memcpy(saddle->rhs, force, nv * sizeof(double));
    solve(saddle);
    memcpy(dv, saddle->rhs, nv * sizeof *dv);
}
