/* The sparse form without constraints (unconstrained.h). */
#include "formulation/unconstrained.h"

#include "formulation/sparse_form.h"

#include <string.h>

enum { SETS = DFL_SPARSE_FACTORS };

struct dfl_unconstrained {
    dfl_sparse_form *form;
    int nv;
    dfl_csc matrix;
    int *at_M, *at_D, *at_K; /* entries of the matrix that those of M, dyn_v, dyn_p are */
    double *value[SETS];     /* real, then complex, interleaved */
    dfl_sparse_lu *lu[SETS];
    double *dp, *work; /* 2 nv each */
};

bool dfl_unconstrained_suits(const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    return sys->nc == 0 && eom->trivial_kinematics && eom->nr + eom->nw + eom->ns == 0 &&
           eom->ne + eom->nep + eom->n0 == 0 && eom->nv > 0;
}

/* Columns of dyn that belong to v, and to p. */
static int first_v(const dfl_sparse_form *form)
{
    return form->base.sys->at.v - form->base.sys->na;
}

static int first_p(const dfl_sparse_form *form)
{
    return form->base.sys->at.p - form->base.sys->na;
}

/* The places of a block of columns of `p`; returns how many. */
static int list_columns(dfl_place_of_entry *list, const dfl_pattern *p, int first, int nv)
{
    int count = 0;
    for (int j = 0; j < nv; j++)
        for (int k = p->column_start[first + j]; k < p->column_start[first + j + 1]; k++)
            list[count++] = (dfl_place_of_entry){p->row[k], j};
    return count;
}

static dfl_status lay_out(dfl_unconstrained *u)
{
    const dfl_sparse_form *form = u->form;
    const dfl_system *sys = form->base.sys;
    dfl_context *ctx = sys->ctx;
    const dfl_pattern *dyn = &sys->packed->dyn;
    const size_t room =
        dfl_system_mass_entries(sys) + dfl_pattern_entries(dyn, sys->nu) + (size_t)u->nv + 1;
    dfl_place_of_entry *list = dfl_alloc(ctx, room, sizeof *list);
    u->at_M = dfl_alloc(ctx, room, sizeof(int));
    if (!list || !u->at_M) {
        dfl_free(ctx, list);
        return DFL_NO_MEMORY;
    }
    int count = 0;
    if (!sys->mass.diagonal)
        count = list_columns(list, &sys->packed->M, 0, u->nv);
    for (int j = 0; sys->mass.diagonal && j < u->nv; j++)
        list[count++] = (dfl_place_of_entry){j, j};
    u->at_D = u->at_M + count;
    count += list_columns(list + count, dyn, first_v(form), u->nv);
    u->at_K = u->at_M + count;
    count += list_columns(list + count, dyn, first_p(form), u->nv);
    const dfl_status status = dfl_csc_create(&u->matrix, u->at_M, ctx, u->nv, u->nv, list, count);
    dfl_free(ctx, list);
    return status;
}

dfl_status dfl_unconstrained_create(dfl_unconstrained **out, dfl_sparse_form *form)
{
    const dfl_system *sys = form->base.sys;
    dfl_context *ctx = sys->ctx;
    dfl_unconstrained *u = *out = dfl_alloc(ctx, 1, sizeof *u);
    if (!u)
        return DFL_NO_MEMORY;
    u->form = form;
    u->nv = sys->n3;
    dfl_status status = lay_out(u);
    u->dp = dfl_alloc(ctx, 2 * (size_t)u->nv, sizeof(double));
    u->work = dfl_alloc(ctx, 2 * (size_t)u->nv, sizeof(double));
    if (!u->dp || !u->work)
        status = DFL_NO_MEMORY;
    for (int k = 0; !status && 2 * k < form->base.needs.stages; k++) {
        const size_t entries = (size_t)u->matrix.start[u->nv];
        u->value[k] = dfl_alloc(ctx, entries * (k > 0 ? 2 : 1) + 1, sizeof(double));
        status = u->value[k] ? dfl_sparse_lu_create(&u->lu[k], ctx, &u->matrix, k > 0, u->lu[0])
                             : DFL_NO_MEMORY;
    }
    if (status) {
        dfl_unconstrained_free(u, ctx);
        *out = NULL;
    }
    return status;
}

void dfl_unconstrained_free(dfl_unconstrained *u, dfl_context *ctx)
{
    if (!u)
        return;
    for (int k = SETS - 1; k >= 0; k--) {
        dfl_sparse_lu_free(u->lu[k]);
        dfl_free(ctx, u->value[k]);
    }
    dfl_csc_clear(&u->matrix, ctx);
    dfl_free(ctx, u->at_M);
    dfl_free(ctx, u->dp);
    dfl_free(ctx, u->work);
    dfl_free(ctx, u);
}

/* value += factor source at places `at`; stride 2: one part of complex numbers. */
static void add_part(double *value, int stride, const int *at, const double *source, int count,
                     double factor)
{
    for (int k = 0; k < count; k++)
        value[stride * at[k]] += factor * source[k];
}

/* zeta^2 M + zeta D + K, the real part or the imaginary one. */
static void add_shifted(double *value, int stride, const dfl_unconstrained *u, double square,
                        double zeta, double one)
{
    const dfl_sparse_form *form = u->form;
    const dfl_system *sys = form->base.sys;
    const dfl_pattern *dyn = &sys->packed->dyn;
    const int v = dyn->column_start[first_v(form)], p = dyn->column_start[first_p(form)];
    const double *slope = form->jac.blocks.dyn;
    add_part(value, stride, u->at_M, form->jac.M, (int)(u->at_D - u->at_M), square);
    add_part(value, stride, u->at_D, slope + v, (int)(u->at_K - u->at_D), -zeta);
    if (one != 0)
        add_part(value, stride, u->at_K, slope + p, dyn->column_start[first_p(form) + u->nv] - p,
                 -one);
}

/* M, for accelerations; a constant one as well, which costs little beside the rest. */
static bool factor_mass(const dfl_unconstrained *u)
{
    const dfl_sparse_form *form = u->form;
    double none = 0;
    bool positive = true;
    for (int i = 0; form->base.sys->mass.diagonal && i < u->nv; i++)
        positive = positive && form->jac.M[i] > 0;
    return form->mass ? dfl_saddle_ldl_factor(form->mass, form->jac.M, &none, 0, NULL) : positive;
}

bool dfl_unconstrained_factor(dfl_unconstrained *u, int stages)
{
    const dfl_shifts *zeta = &u->form->base.shifts;
    const size_t entries = (size_t)u->matrix.start[u->nv];
    bool good = factor_mass(u);
    for (int k = 0; good && 2 * k < stages; k++) {
        double *value = u->value[k];
        const double re = zeta->re[2 * k], im = k > 0 ? zeta->im[2 * k] : 0;
        memset(value, 0, entries * (k > 0 ? 2 : 1) * sizeof *value);
        add_shifted(value, k > 0 ? 2 : 1, u, re * re - im * im, re, 1);
        if (k > 0)
            add_shifted(value + 1, 2, u, 2 * re * im, im, 0);
        good = dfl_sparse_lu_factor(u->lu[k], value);
    }
    return good;
}

/* y += (zeta M + D) r for vectors of every `stride` numbers. */
static void add_damping(double *y, const dfl_unconstrained *u, double zeta, double damping,
                        const double *r, int stride)
{
    const dfl_sparse_form *form = u->form;
    const dfl_system *sys = form->base.sys;
    const dfl_pattern *M = &sys->packed->M, *dyn = &sys->packed->dyn;
    const int first = first_v(form);
    for (int j = 0; j < u->nv; j++) {
        const double x = r[stride * j];
        if (sys->mass.diagonal)
            y[stride * j] += zeta * form->jac.M[j] * x;
        for (int k = sys->mass.diagonal ? 0 : M->column_start[j];
             !sys->mass.diagonal && k < M->column_start[j + 1]; k++)
            y[stride * M->row[k]] += zeta * form->jac.M[k] * x;
        for (int k = dyn->column_start[first + j];
             damping != 0 && k < dyn->column_start[first + j + 1]; k++)
            y[stride * dyn->row[k]] -= damping * form->jac.blocks.dyn[k] * x;
    }
}

/* x (every second number for stride 2) := M^-1 x */
static void divide_by_mass(double *x, const dfl_unconstrained *u, int stride)
{
    const dfl_sparse_form *form = u->form;
    double none = 0, *room = form->rate; /* n >= nv */
    for (int i = 0; i < u->nv; i++)
        room[i] = form->mass ? x[stride * i] : x[stride * i] / form->jac.M[i];
    if (form->mass)
        dfl_saddle_ldl_solve(room, &none, form->mass);
    for (int i = 0; i < u->nv; i++)
        x[stride * i] = room[i];
}

/* One real shift, or a pair of stages; lanes from `lane` on. */
static bool solve_set(double *dx, dfl_unconstrained *u, const double *rho, int width, int set)
{
    const dfl_sparse_form *form = u->form;
    const dfl_system *sys = form->base.sys;
    const int nv = u->nv, parts = set > 0 ? 2 : 1, lane = set > 0 ? 2 * set - 1 : 0;
    const double re = form->base.shifts.re[set > 0 ? 2 * set : 0];
    const double im = set > 0 ? form->base.shifts.im[2 * set] : 0;
    double *b = u->dp, *r = u->work;
    for (int i = 0; i < nv; i++)
        for (int c = 0; c < parts; c++) {
            b[parts * i + c] =
                rho[i * width + lane + c] + rho[(form->row.a + i) * width + lane + c];
            r[parts * i + c] = rho[(form->row.kin + i) * width + lane + c];
        }
    for (int c = 0; c < parts; c++)
        add_damping(b + c, u, re, 1, r + c, parts);
    if (parts == 2) {
        add_damping(b, u, -im, 0, r + 1, parts);
        add_damping(b + 1, u, im, 0, r, parts);
    }
    if (!dfl_sparse_lu_solve(b, u->lu[set]))
        return false;
    for (int i = 0; i < nv; i++) { /* dp, dv; r := r1 */
        double dp[2] = {0}, dv[2] = {0};
        for (int c = 0; c < parts; c++)
            dp[c] = b[parts * i + c];
        dv[0] = re * dp[0] - im * dp[1] - r[parts * i];
        dv[1] = parts == 2 ? re * dp[1] + im * dp[0] - r[parts * i + 1] : 0;
        for (int c = 0; c < parts; c++) {
            dx[(sys->at.p + i) * width + lane + c] = dp[c];
            dx[(sys->at.v + i) * width + lane + c] = dv[c];
            r[parts * i + c] = rho[i * width + lane + c];
        }
    }
    for (int c = 0; c < parts; c++)
        divide_by_mass(r + c, u, parts);
    for (int i = 0; i < nv; i++) { /* da */
        const double *dv = dx + (sys->at.v + i) * width + lane;
        double *da = dx + i * width + lane;
        da[0] = re * dv[0] - (parts == 2 ? im * dv[1] : 0) - r[parts * i];
        if (parts == 2)
            da[1] = re * dv[1] + im * dv[0] - r[parts * i + 1];
    }
    return true;
}

bool dfl_unconstrained_solve(double *dx, dfl_unconstrained *u, const double *rho, int width,
                             int stages)
{
    memset(dx, 0, (size_t)(u->form->base.sys->n * width) * sizeof *dx);
    for (int set = 0; set == 0 || 2 * set < stages; set++)
        if (!solve_set(dx, u, rho, width, set))
            return false;
    return true;
}
