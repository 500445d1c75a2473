/* quasistatic.c: massless directions with stiffness and without damping, where the user allows it.

   Along such a direction the balance of forces c^T gam = 0 contains positions only and becomes a
   constraint. Its multiplier is zero, since the row K0^T f = K0^T W^T lambda of the equations of
   motion has a regular matrix, the stiffness: nothing but the balance is added. */
#include "derive/massless_directions.h"

#include "context/context.h"
#include "linalg/linalg.h"
#include "derive/derive_internal.h"
#include "derive/null_space.h"

#include <math.h>
#include <string.h>

static const double zero_ratio = 1e-10;

/* Combinations c of the rows gam. */
typedef struct combinations {
    int count;
    double *c;         /* n0 x count */
    dfl_expr *row;     /* count: c^T gam without velocities */
    int *named;        /* count: the velocity, declared quasistatic, that moves most */
    double *stiffness; /* count x count */
} combinations;

static bool any_allowed(const dfl_equations *eq);
static bool is_allowed(const dfl_equations *eq, int velocity);
static dfl_status find_combinations(combinations *out, const dfl_trials *trials);
static dfl_status slopes_by_v(double *A, const dfl_trials *trials, int trial, const dfl_expr *rows,
                              int count);
static dfl_status keep_allowed(combinations *s, const dfl_trials *trials);
static dfl_status write_rows(combinations *s, dfl_equations *eq);
static dfl_status find_stiffness(combinations *s, const dfl_trials *trials);
static dfl_status is_stiff(bool *out, const combinations *s, dfl_context *ctx);
static dfl_status scale(dfl_balances *out, const combinations *s, dfl_equations *eq);
static void clear(combinations *s, dfl_context *ctx);

dfl_status dfl_find_quasistatic(dfl_balances *out, const dfl_trials *trials)
{
    dfl_equations *eq = trials->eq;
    combinations s = {0};
    bool stiff = false;
    if (eq->n0 == 0 || !any_allowed(eq))
        return DFL_OK;
    dfl_status status = find_combinations(&s, trials);
    if (!status && s.count > 0)
        status = keep_allowed(&s, trials);
    if (!status && s.count > 0)
        status = write_rows(&s, eq);
    if (!status && s.count > 0)
        status = find_stiffness(&s, trials);
    if (!status && s.count > 0)
        status = is_stiff(&stiff, &s, eq->model->ctx);
    if (!status && stiff)
        status = scale(out, &s, eq);
    clear(&s, eq->model->ctx);
    return status;
}

static void clear(combinations *s, dfl_context *ctx)
{
    dfl_free(ctx, s->c);
    dfl_free(ctx, s->row);
    dfl_free(ctx, s->named);
    dfl_free(ctx, s->stiffness);
}

static bool is_allowed(const dfl_equations *eq, int velocity)
{
    const dfl_declaration *decl = dfl_model_owner(eq->model, dfl_equations_v(eq)[velocity].symbol);
    return decl && decl->quasistatic;
}

static bool any_allowed(const dfl_equations *eq)
{
    for (int j = 0; j < eq->nv; j++)
        if (is_allowed(eq, j))
            return true;
    return false;
}

/* ------------------------------------------------------------------------------- numbers */

/* The null space of (d gam / dv)^T at the start, less what depends on velocities elsewhere. */
static dfl_status find_combinations(combinations *out, const dfl_trials *trials)
{
    const dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    const int nv = eq->nv, n0 = eq->n0;
    double *A = dfl_alloc(ctx, (size_t)nv * (size_t)nv, sizeof *A), size = 0.0;
    double *slope = dfl_alloc(ctx, (size_t)nv, sizeof *slope);
    dfl_status status = A && slope ? slopes_by_v(A, trials, 0, eq->rows.f, nv) : DFL_NO_MEMORY;
    for (int i = 0; !status && i < nv * nv; i++)
        size = fmax(size, fabs(A[i]));
    if (!status)
        status = slopes_by_v(A, trials, 0, eq->rows.gam, n0);
    for (int i = 0; !status && i < nv * n0; i++)
        if (!(fabs(A[i]) > zero_ratio * size))
            A[i] = 0.0;
    if (!status)
        status = dfl_null_space(&out->c, &out->count, ctx, A, nv, n0);
    for (int k = 1; !status && k < DFL_TRIALS; k++) {
        if (!trials->usable[k])
            continue;
        status = slopes_by_v(A, trials, k, eq->rows.gam, n0);
        for (int j = out->count - 1; !status && j >= 0; j--) {
            double left = 0.0;
            dfl_gemm(nv, 1, n0, 1.0, A, nv, out->c + j * n0, n0, 0.0, slope, nv);
            for (int i = 0; i < nv; i++)
                left = fmax(left, fabs(slope[i]));
            if (left > 1e-8 * size) /* the last one takes its place */
                memcpy(out->c + j * n0, out->c + --out->count * n0, (size_t)n0 * sizeof(double));
        }
    }
    dfl_free(ctx, A);
    dfl_free(ctx, slope);
    return status;
}

/* A (nv x count) = (d rows / dv)^T */
static dfl_status slopes_by_v(double *A, const dfl_trials *trials, int trial, const dfl_expr *rows,
                              int count)
{
    const dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    const dfl_numbers numbers = dfl_trials_numbers(trials, trial);
    dfl_sparse J = {0};
    dfl_expr *v = dfl_exprs(eq, eq->nv);
    double *values = dfl_alloc(ctx, (size_t)count * (size_t)eq->nv, sizeof *values);
    dfl_status status = v && values ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; !status && j < eq->nv; j++)
        v[j] = dfl_equations_v(eq)[j].symbol;
    if (!status)
        status = dfl_jacobian_exprs(&J, eq->graph, rows, count, v, eq->nv);
    if (!status)
        status = dfl_numbers_matrix(values, &numbers, eq, &J);
    for (int i = 0; !status && i < count; i++)
        for (int j = 0; j < eq->nv; j++)
            A[j + i * eq->nv] = values[i + j * count];
    dfl_sparse_clear(&J, ctx);
    dfl_free(ctx, v);
    dfl_free(ctx, values);
    return status;
}

/* Drops the combinations that move nothing declared quasistatic. */
static dfl_status keep_allowed(combinations *s, const dfl_trials *trials)
{
    const dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    const int nv = eq->nv, n0 = eq->n0;
    const dfl_numbers numbers = dfl_trials_numbers(trials, 0);
    double *K0 = dfl_alloc(ctx, (size_t)nv * (size_t)n0, sizeof *K0);
    double *direction = dfl_alloc(ctx, (size_t)nv, sizeof *direction);
    s->named = dfl_alloc(ctx, (size_t)s->count, sizeof *s->named);
    dfl_status status = K0 && direction && s->named
                            ? dfl_numbers_matrix(K0, &numbers, eq, &eq->massless.K0)
                            : DFL_NO_MEMORY;
    int kept = 0;
    for (int k = 0; !status && k < s->count; k++) {
        int best = -1;
        dfl_gemm(nv, 1, n0, 1.0, K0, nv, s->c + k * n0, n0, 0.0, direction, nv);
        for (int j = 0; j < nv; j++)
            if (is_allowed(eq, j) && fabs(direction[j]) > 1e-9 &&
                (best < 0 || fabs(direction[j]) > fabs(direction[best])))
                best = j;
        if (best < 0)
            continue;
        memmove(s->c + kept * n0, s->c + k * n0, (size_t)n0 * sizeof(double));
        s->named[kept++] = best;
    }
    s->count = kept;
    dfl_free(ctx, K0);
    dfl_free(ctx, direction);
    return status;
}

/* ------------------------------------------------------------------------------- expressions */

/* c^T gam with velocities zero: it does not depend on them. */
static dfl_status write_rows(combinations *s, dfl_equations *eq)
{
    dfl_graph *graph = eq->graph;
    const unsigned others =
        1U << DFL_SYM_R | 1U << DFL_SYM_W | 1U << DFL_SYM_LAMBDA | 1U << DFL_SYM_MU;
    dfl_expr *v = dfl_exprs(eq, 2 * eq->nv); /* the second half is 0, the constant 0 */
    s->row = dfl_exprs(eq, s->count);
    dfl_status status = v && s->row ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; !status && j < eq->nv; j++)
        v[j] = dfl_equations_v(eq)[j].symbol;
    for (int k = 0; !status && k < s->count; k++)
        for (int i = 0; i < eq->n0; i++)
            s->row[k] =
                dfl_add(graph, s->row[k],
                        dfl_mul(graph, dfl_constant(graph, s->c[i + k * eq->n0]), eq->rows.gam[i]));
    if (!status)
        status = dfl_substitute_exprs(s->row, graph, s->row, s->count, v, v + eq->nv, eq->nv);
    for (int k = 0; !status && k < s->count; k++)
        if (dfl_node_of(graph, s->row[k])->depends & others) {
            const dfl_declaration *decl =
                dfl_model_owner(eq->model, dfl_equations_v(eq)[s->named[k]].symbol);
            status = dfl_model_fail(eq->model, decl->line,
                                    "'%s' cannot be quasistatic: its balance of forces contains "
                                    "dynamic or auxiliary variables or multipliers; add a damper "
                                    "or mass along it",
                                    decl->name);
        }
    dfl_free(eq->model->ctx, v);
    return status;
}

/* The derivatives of the rows along the directions K0 c, at the start. */
static dfl_status find_stiffness(combinations *s, const dfl_trials *trials)
{
    dfl_equations *eq = trials->eq;
    dfl_graph *graph = eq->graph;
    const int nv = eq->nv, np = eq->np, n0 = eq->n0, count = s->count;
    const dfl_numbers numbers = dfl_trials_numbers(trials, 0);
    dfl_expr *v = dfl_exprs(eq, 2 * nv), *p = dfl_exprs(eq, 2 * np);
    dfl_expr *slope = dfl_exprs(eq, count);
    s->stiffness = dfl_alloc(eq->model->ctx, (size_t)count * (size_t)count, sizeof(double));
    dfl_status status = v && p && slope && s->stiffness ? DFL_OK : DFL_NO_MEMORY;
    for (int j = 0; !status && j < nv; j++)
        v[j] = dfl_equations_v(eq)[j].symbol;
    for (int i = 0; !status && i < np; i++)
        p[i] = dfl_equations_p(eq)[i].symbol;
    for (int k = 0; !status && k < count; k++) {
        memset(v + nv, 0, (size_t)nv * sizeof *v);
        for (int e = 0; e < eq->massless.K0.count; e++) {
            const dfl_entry *entry = &eq->massless.K0.entry[e];
            const dfl_expr c = dfl_constant(graph, s->c[entry->col + k * n0]);
            v[nv + entry->row] = dfl_add(graph, v[nv + entry->row], dfl_mul(graph, c, entry->expr));
        }
        status = dfl_substitute_exprs(p + np, graph, eq->rows.kin, np, v, v + nv, nv);
        if (!status)
            status = dfl_along_exprs(slope, graph, s->row, count, p, p + np, np);
        if (!status)
            status = dfl_numbers_values(s->stiffness + k * count, &numbers, eq, slope, count);
    }
    dfl_free(eq->model->ctx, v);
    dfl_free(eq->model->ctx, p);
    dfl_free(eq->model->ctx, slope);
    return status;
}

static dfl_status is_stiff(bool *out, const combinations *s, dfl_context *ctx)
{
    const size_t size = (size_t)s->count * (size_t)s->count;
    double *copy = dfl_alloc(ctx, size, sizeof *copy), *basis = NULL, sum = 0.0;
    int null = 1;
    if (!copy)
        return DFL_NO_MEMORY;
    memcpy(copy, s->stiffness, size * sizeof *copy);
    for (size_t i = 0; i < size; i++)
        sum += fabs(copy[i]);
    dfl_status status = DFL_OK;
    if (sum > 0.0 && isfinite(sum))
        status = dfl_null_space(&basis, &null, ctx, copy, s->count, s->count);
    *out = !status && null == 0;
    dfl_free(ctx, copy);
    dfl_free(ctx, basis);
    return status;
}

/* Rows in units of length or angle, nearly: divided by the power of two next to the stiffness at
   the start, so that models nearby have the same rows. */
static dfl_status scale(dfl_balances *out, const combinations *s, dfl_equations *eq)
{
    out->velocity = dfl_alloc(eq->model->ctx, (size_t)s->count, sizeof *out->velocity);
    out->row = dfl_exprs(eq, s->count);
    if (!out->velocity || !out->row)
        return DFL_NO_MEMORY;
    out->count = s->count;
    for (int k = 0; k < s->count; k++) {
        double size = 0.0;
        for (int i = 0; i < s->count; i++)
            size = fmax(size, fabs(s->stiffness[k + i * s->count]));
        out->velocity[k] = s->named[k];
        out->row[k] =
            dfl_div(eq->graph, s->row[k], dfl_constant(eq->graph, exp2(round(log2(size)))));
    }
    return DFL_OK;
}

dfl_status dfl_declare_quasistatic(dfl_model *model, const dfl_equations *eq)
{
    const dfl_balances *balances = &eq->massless.balances;
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < balances->count; k++) {
        const dfl_declaration *decl =
            dfl_model_owner(model, dfl_equations_v(eq)[balances->velocity[k]].symbol);
        dfl_text name = {.ctx = model->ctx};
        int number;
        dfl_text_add(&name, "%s.balance", decl->name);
        status = name.status;
        if (!status)
            status = dfl_model_constraint(&number, model, decl->line, dfl_text_string(&name),
                                          balances->row[k]);
        dfl_text_clear(&name);
    }
    return status;
}
