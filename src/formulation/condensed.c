/* Newton's systems of the sparse form, condensed (condensed.h). */
#include "formulation/condensed.h"
#include "formulation/sparse_form.h"

#include <math.h>
#include <string.h>

enum { SETS = DFL_SPARSE_FACTORS - 1, LANES = 4 };

/* The parts of rho, and what the solution needs: lanes of 4. */
enum { R1, R2, DP, DV, DA, PARTS_V };
enum { R4, R5, R6, LAM, TURN, PARTS_C };

struct dfl_condensed {
    struct dfl_sparse_form *form;
    dfl_csc K; /* its pattern and the diagonal, both triangles */
    int *at,
        *mirror;   /* entries of K that entries of dyn by p add to, and those across the diagonal */
    double *value; /* of K */
    dfl_saddle_ldl *whole, *base; /* of (A), for its order; of (B) and (C) */
    dfl_lane_ldl *lanes[SETS];
    double *D[SETS];      /* zeta^2 M + K in lanes, per entry */
    double zeta[SETS][3]; /* of each set: real, real part, imaginary part */
    double *v[PARTS_V], *c[PARTS_C], *plain, *multiplier;
    double *right, *right_c; /* of (A), for its residual */
};

static dfl_status make_pattern(dfl_condensed *c);
static dfl_status make_room(dfl_condensed *c);
static bool solve_set(dfl_condensed *c, int set);

bool dfl_condensed_suits(const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    const dfl_sparsity *s = sys->packed;
    const int v = dfl_eom_layout(eom).v;
    if (!sys->mass.diagonal || !sys->mass.constant || !eom->trivial_kinematics ||
        !eom->forces_free_of_multipliers || eom->nr + eom->nw + eom->ns + eom->nm > 0)
        return false;
    for (int i = 0; i < eom->nv; i++)
        if (!(sys->mass.M[i] > 0))
            return false;
    return s->dyn.column_start[v + eom->nv] == s->dyn.column_start[v];
}

dfl_status dfl_condensed_create(dfl_condensed **out, struct dfl_sparse_form *form)
{
    dfl_context *ctx = form->base.sys->ctx;
    dfl_condensed *c = *out = dfl_alloc(ctx, 1, sizeof *c);
    if (!c)
        return DFL_NO_MEMORY;
    c->form = form;
    dfl_status status = make_pattern(c);
    if (!status)
        status = dfl_saddle_ldl_create(&c->whole, ctx, &c->K, &form->W);
    if (!status)
        status = dfl_saddle_ldl_create(&c->base, ctx, NULL, &form->W);
    return status ? status : make_room(c);
}

/* K = -dyn by p, with its mirror image and the diagonal. */
static dfl_status make_pattern(dfl_condensed *c)
{
    const dfl_system *sys = c->form->base.sys;
    dfl_context *ctx = sys->ctx;
    const dfl_pattern *dyn = &sys->packed->dyn;
    const int first = dfl_eom_layout(sys->eom).p, nv = sys->n3;
    const int start = dyn->column_start[first], count = dyn->column_start[first + nv] - start;
    dfl_place_of_entry *place = dfl_alloc(ctx, (size_t)(2 * count + nv) + 1, sizeof *place);
    int *at = dfl_alloc(ctx, (size_t)(2 * count + nv) + 1, sizeof *at);
    c->at = at;
    dfl_status status = place && at ? DFL_OK : DFL_NO_MEMORY;
    int used = 0;
    for (int j = 0; !status && j < nv; j++)
        for (int k = dyn->column_start[first + j]; k < dyn->column_start[first + j + 1]; k++) {
            place[used] = (dfl_place_of_entry){dyn->row[k], j};
            place[count + used++] = (dfl_place_of_entry){j, dyn->row[k]};
        }
    for (int j = 0; !status && j < nv; j++)
        place[2 * count + j] = (dfl_place_of_entry){j, j};
    if (!status)
        status = dfl_csc_create(&c->K, at, ctx, nv, nv, place, 2 * count + nv);
    c->mirror = at ? at + count : NULL;
    dfl_free(ctx, place);
    return status;
}

static dfl_status make_room(dfl_condensed *c)
{
    const dfl_formulation *base = &c->form->base;
    dfl_context *ctx = base->sys->ctx;
    const size_t nv = (size_t)base->sys->n3, nc = (size_t)base->sys->nc, d = sizeof(double);
    const size_t entries = (size_t)c->K.start[c->K.columns];
    c->value = dfl_alloc(ctx, entries + 1, d);
    bool room = c->value;
    for (int i = 0; i < PARTS_V; i++)
        room = (c->v[i] = dfl_alloc(ctx, LANES * nv + 1, d)) && room;
    for (int i = 0; i < PARTS_C; i++)
        room = (c->c[i] = dfl_alloc(ctx, LANES * nc + 1, d)) && room;
    c->plain = dfl_alloc(ctx, nv + 1, d);
    c->multiplier = dfl_alloc(ctx, nc + 1, d);
    c->right = dfl_alloc(ctx, LANES * nv + 1, d);
    c->right_c = dfl_alloc(ctx, LANES * nc + 1, d);
    room = room && c->plain && c->multiplier && c->right && c->right_c;
    dfl_status status = room ? DFL_OK : DFL_NO_MEMORY;
    const int sets = base->needs.stages > 1 ? base->needs.stages / 2 : 1;
    for (int k = 0; !status && k < sets; k++) {
        c->D[k] = dfl_alloc(ctx, LANES * entries + 1, d);
        status = c->D[k] ? dfl_lane_ldl_create(&c->lanes[k], c->whole) : DFL_NO_MEMORY;
    }
    return status;
}

void dfl_condensed_free(dfl_condensed *c, dfl_context *ctx)
{
    if (!c)
        return;
    for (int k = 0; k < SETS; k++) {
        dfl_lane_ldl_free(c->lanes[k]);
        dfl_free(ctx, c->D[k]);
    }
    for (int i = 0; i < PARTS_V; i++)
        dfl_free(ctx, c->v[i]);
    for (int i = 0; i < PARTS_C; i++)
        dfl_free(ctx, c->c[i]);
    dfl_saddle_ldl_free(c->whole);
    dfl_saddle_ldl_free(c->base);
    dfl_csc_clear(&c->K, ctx);
    dfl_free(ctx, c->at);
    dfl_free(ctx, c->value);
    dfl_free(ctx, c->plain);
    dfl_free(ctx, c->multiplier);
    dfl_free(ctx, c->right);
    dfl_free(ctx, c->right_c);
    dfl_free(ctx, c);
}

bool dfl_condensed_linearize(dfl_condensed *c)
{
    const struct dfl_sparse_form *form = c->form;
    const dfl_system *sys = form->base.sys;
    const dfl_pattern *dyn = &sys->packed->dyn;
    const int first = dfl_eom_layout(sys->eom).p, start = dyn->column_start[first];
    const int count = dyn->column_start[first + sys->n3] - start;
    const double *value = form->jac.blocks.dyn + start;
    double *difference = c->D[0], largest = 0, worst = 0; /* free until it is factored */
    const int entries = c->K.start[c->K.columns];
    memset(c->value, 0, (size_t)entries * sizeof *c->value);
    memset(difference, 0, (size_t)entries * sizeof *difference);
    for (int k = 0; k < count; k++) {
        c->value[c->at[k]] -= 0.5 * value[k];
        c->value[c->mirror[k]] -= 0.5 * value[k];
        difference[c->at[k]] += value[k];
        difference[c->mirror[k]] -= value[k];
        largest = fmax(largest, fabs(value[k]));
    }
    for (int k = 0; k < entries; k++)
        worst = fmax(worst, fabs(difference[k]));
    return worst <= 1e-9 * largest &&
           dfl_saddle_ldl_factor(c->base, sys->mass.M, form->W_ref, 0, form->dropped);
}

bool dfl_condensed_factor(dfl_condensed *c, int stages)
{
    const dfl_shifts *shifts = &c->form->base.shifts;
    const double *M = c->form->base.sys->mass.M;
    const int sets = stages > 1 ? stages / 2 : 1;
    bool good = true;
    for (int set = 0; good && set < sets; set++) {
        const bool pair = stages > 1;
        const double re = pair ? shifts->re[2 * set + 2] : shifts->re[0];
        const double im = pair ? shifts->im[2 * set + 2] : 0;
        const double z2[LANES] = {shifts->re[0] * shifts->re[0], re * re - im * im, 2 * re * im, 0};
        double *D = c->D[set];
        c->zeta[set][0] = shifts->re[0];
        c->zeta[set][1] = re;
        c->zeta[set][2] = im;
        for (int j = 0; j < c->K.columns; j++)
            for (int k = c->K.start[j]; k < c->K.start[j + 1]; k++) {
                const double m = c->K.row[k] == j ? M[j] : 0, K = c->value[k];
                for (int i = 0; i < LANES; i++)
                    D[LANES * k + i] = z2[i] * m + (i < 2 ? K : 0);
            }
        good = dfl_lane_ldl_factor(c->lanes[set], D, c->form->W_ref, c->form->dropped);
    }
    return good;
}

/* lanes := those of one set from the rows from `row` on. */
static void take(double *lanes, const double *rho, int width, int row, int count, int set,
                 bool pair)
{
    for (int i = 0; i < count; i++) {
        const double *from = rho + (size_t)(row + i) * (size_t)width;
        lanes[LANES * i] = from[0];
        lanes[LANES * i + 1] = pair ? from[2 * set + 1] : 0;
        lanes[LANES * i + 2] = pair ? from[2 * set + 2] : 0;
        lanes[LANES * i + 3] = 0;
    }
}

static void give(double *dx, int width, int first, int count, const double *lanes, int set,
                 bool pair)
{
    for (int i = 0; i < count; i++) {
        double *to = dx + (size_t)(first + i) * (size_t)width;
        if (set == 0)
            to[0] = lanes[LANES * i];
        if (pair) {
            to[2 * set + 1] = lanes[LANES * i + 1];
            to[2 * set + 2] = lanes[LANES * i + 2];
        }
    }
}

bool dfl_condensed_solve(double *dx, dfl_condensed *c, const double *rho, int width, int stages)
{
    const struct dfl_sparse_form *form = c->form;
    const dfl_system *sys = form->base.sys;
    const int nv = sys->n3, nc = sys->nc, sets = stages > 1 ? stages / 2 : 1;
    const bool pair = stages > 1;
    memset(dx, 0, (size_t)(sys->n * width) * sizeof *dx);
    for (int set = 0; set < sets; set++) {
        take(c->v[R1], rho, width, 0, nv, set, pair);
        take(c->v[R2], rho, width, form->row.kin, nv, set, pair);
        take(c->v[DP], rho, width, form->row.a, nv, set, pair); /* r3 */
        take(c->c[R4], rho, width, form->row.acc, nc, set, pair);
        take(c->c[R5], rho, width, form->row.vel, nc, set, pair);
        take(c->c[R6], rho, width, form->row.g, nc, set, pair);
        if (!solve_set(c, set))
            return false;
        give(dx, width, 0, nv, c->v[DA], set, pair);
        give(dx, width, sys->at.l, nc, c->c[LAM], set, pair);
        give(dx, width, sys->at.v, nv, c->v[DV], set, pair);
        give(dx, width, sys->at.p, nv, c->v[DP], set, pair);
    }
    return true;
}

/* y += factor zeta x, n components */
static void add_shifted(double *y, const double *zeta, double factor, const double *x, int n)
{
    for (int i = 0; i < LANES * n; i += LANES) {
        y[i] += factor * zeta[0] * x[i];
        y[i + 1] += factor * (zeta[1] * x[i + 1] - zeta[2] * x[i + 2]);
        y[i + 2] += factor * (zeta[1] * x[i + 2] + zeta[2] * x[i + 1]);
    }
}

static void add(double *y, double factor, const double *x, int n)
{
    for (int i = 0; i < LANES * n; i++)
        y[i] += factor * x[i];
}

/* y += factor (columns first .. first+count-1 of a block) x; transposed: y += factor block^T x */
static void add_product(double *y, const int *start, const int *row, const double *value, int first,
                        int count, double factor, const double *x, bool transposed)
{
    for (int j = 0; j < count; j++)
        for (int k = start[first + j]; k < start[first + j + 1]; k++) {
            const double a = factor * value[k];
            double *to = y + LANES * (transposed ? j : row[k]);
            const double *from = x + LANES * (transposed ? row[k] : j);
            for (int i = 0; i < 3; i++)
                to[i] += a * from[i];
        }
}

static void add_W(double *y, const dfl_condensed *c, double factor, const double *x,
                  bool transposed)
{
    const dfl_csc *W = &c->form->W;
    add_product(y, W->start, W->row, c->form->W_ref, 0, W->columns, factor, x, transposed);
}

/* y += factor vel_p x, or acc_p x, acc_v x */
static void add_slopes(double *y, const dfl_condensed *c, const dfl_pattern *p, const double *value,
                       int first, double factor, const double *x)
{
    add_product(y, p->column_start, p->row, value, first, c->form->base.sys->n3, factor, x, false);
}

/* (x, l) := the solution of [M W^T; W 0] (x, l) = (0, l), lane by lane. */
static void solve_base(double *x, double *l, dfl_condensed *c)
{
    const int nv = c->form->base.sys->n3, nc = c->form->base.sys->nc;
    for (int lane = 0; lane < 3; lane++) {
        memset(c->plain, 0, (size_t)nv * sizeof *x);
        for (int i = 0; i < nc; i++)
            c->multiplier[i] = l[LANES * i + lane];
        dfl_saddle_ldl_solve(c->plain, c->multiplier, c->base);
        for (int j = 0; j < nv; j++)
            x[LANES * j + lane] = c->plain[j];
        for (int i = 0; i < nc; i++)
            l[LANES * i + lane] = c->multiplier[i];
    }
}

/* Whether (A) is solved by (dp, Lam) up to rounding, without rows that are left out. */
static bool is_solved(dfl_condensed *c, int set)
{
    const int nv = c->form->base.sys->n3, nc = c->form->base.sys->nc;
    const double *D = c->D[set], *x = c->v[DP];
    double *r = c->right, worst = 0, size = 0;
    for (int j = 0; j < nv; j++) {
        const double *xj = x + LANES * j;
        for (int k = c->K.start[j]; k < c->K.start[j + 1]; k++) {
            const double *d = D + LANES * k;
            double *to = r + LANES * c->K.row[k];
            to[0] -= d[0] * xj[0];
            to[1] -= d[1] * xj[1] - d[2] * xj[2];
            to[2] -= d[1] * xj[2] + d[2] * xj[1];
            size = fmax(size, fmax(fabs(d[0] * xj[0]),
                                   fmax(fabs(d[1]) + fabs(d[2]), 0) * (fabs(xj[1]) + fabs(xj[2]))));
        }
    }
    add_W(r, c, -1, c->c[LAM], true);
    for (int j = 0; j < LANES * nv; j++)
        worst = fmax(worst, fabs(r[j]));
    double worst_c = 0, size_c = 0;
    add_W(c->right_c, c, -1, x, false);
    for (int i = 0; i < nc; i++)
        for (int lane = 0; lane < 3 && !c->form->dropped[i]; lane++) {
            worst_c = fmax(worst_c, fabs(c->right_c[LANES * i + lane]));
            size_c = fmax(size_c, fabs(c->c[R6][LANES * i + lane]));
        }
    double largest = 0;
    for (int j = 0; j < LANES * nv; j++)
        largest = fmax(largest, fabs(x[j]));
    return worst <= 1e-8 * size + 1e-300 && worst_c <= 1e-9 * (size_c + largest) + 1e-300;
}

static bool solve_set(dfl_condensed *c, int set)
{
    const struct dfl_sparse_form *form = c->form;
    const dfl_system *sys = form->base.sys;
    const dfl_sparsity *s = sys->packed;
    const dfl_jacobian *b = &form->jac.blocks;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    const int nv = sys->n3, nc = sys->nc;
    const double *zeta = c->zeta[set], *M = sys->mass.M;
    double *dp = c->v[DP], *dv = c->v[DV], *da = c->v[DA], *lam = c->c[LAM], *turn = c->c[TURN];
    memset(turn, 0, (size_t)(LANES * nc) * sizeof *turn);
    for (int i = 0; i < nc; i++) /* multipliers of rows that are left out vanish */
        for (int lane = 0; form->dropped[i] && lane < 3; lane++)
            turn[LANES * i + lane] = -c->c[R4][LANES * i + lane];
    add(dp, 1, c->v[R1], nv); /* (A) */
    add_shifted(dp, zeta, 1, c->v[R2], nv);
    if (form->base.defect > 0)
        add_W(dp, c, -1, turn, true);
    for (int i = 0; i < LANES * nc; i++)
        lam[i] = -c->c[R6][i];
    memcpy(c->right, dp, (size_t)(LANES * nv) * sizeof *dp);
    memcpy(c->right_c, lam, (size_t)(LANES * nc) * sizeof *lam);
    dfl_lane_ldl_solve(dp, lam, c->lanes[set]);
    if (!is_solved(c, set))
        return false;
    if (form->base.defect > 0)
        add(lam, 1, turn, nc);
    for (int j = 0; j < nv; j++) /* M^-1 r1, M^-1 r2 */
        for (int lane = 0; lane < 3; lane++) {
            c->v[R1][LANES * j + lane] /= M[j];
            c->v[R2][LANES * j + lane] /= M[j];
        }
    for (int i = 0; i < LANES * nc; i++) /* (B) */
        turn[i] = -c->c[R5][i];
    add_slopes(turn, c, &s->vel, b->vel, nv, -1, dp);
    memcpy(c->right_c, turn, (size_t)(LANES * nc) * sizeof *turn); /* W dv */
    add_shifted(turn, zeta, 1, c->c[R6], nc);
    add_W(turn, c, 1, c->v[R2], false);
    solve_base(dv, turn, c);
    add_shifted(dv, zeta, 1, dp, nv);
    add(dv, -1, c->v[R2], nv);
    add_shifted(lam, zeta, 1, turn, nc); /* turn = -eta */
    for (int i = 0; i < LANES * nc; i++) /* (C) */
        turn[i] = -c->c[R4][i];
    add_slopes(turn, c, &s->acc, b->acc, at.v, -1, dv);
    add_slopes(turn, c, &s->acc, b->acc, at.p, -1, dp);
    add_shifted(turn, zeta, -1, c->right_c, nc);
    add_W(turn, c, 1, c->v[R1], false);
    solve_base(da, turn, c);
    add_shifted(da, zeta, 1, dv, nv);
    add(da, -1, c->v[R1], nv);
    add(lam, 1, turn, nc);
    return true;
}
