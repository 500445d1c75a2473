/* mass_rank.c: which velocities have no mass of their own once others are eliminated.

   A pivot of M = L^T D L is at most the diagonal entry of M it comes from: the ratio does not depend on
   units, and below 1e-10 a direction is massless. Velocities declared last are eliminated first, as long as
   their pivots are not much smaller than the best ones: in a tree of bodies these are the leaves, and
   nothing fills in; and constant masses before others. The decision is taken once, at the start and near it, and kept: a rank that is lower
   at the start only is a singular position. */
#include "derive/massless_directions.h"

#include "derive/derive_internal.h"

#include <math.h>
#include <string.h>

static const double null_ratio = 1e-10, negligible_ratio = 1e-6, good_part = 0.1,
                    support_ratio = 1e-9;

static const unsigned state_kinds = 1U << DFL_SYM_P | 1U << DFL_SYM_S | 1U << DFL_SYM_TIME;

enum { ACTIVE, ELIMINATED, FREE };

/* One copy of M per trial. */
typedef struct sample {
    int nv;
    double *A[DFL_TRIALS];     /* nv x nv, or NULL */
    double *scale;             /* nv x DFL_TRIALS: |M_ii| */
    unsigned char *state;      /* nv */
    unsigned char *moving;     /* nv: M_ii depends on the state */
    bool singular[DFL_TRIALS]; /* a pivot of this trial vanished: it is given up */
    bool indefinite;
} sample;

static void eliminate_all(dfl_elimination *out, sample *s);
static dfl_status take_sample(sample *s, const dfl_trials *trials, int count);
static bool is_finite(const double *A, int count);
static void clear_sample(sample *s, dfl_context *ctx);
static double ratio_of(const sample *s, int trial, int i);
static double largest_ratio(const sample *s, int i);
static double score(const sample *s, int i);
static double preference(const sample *s, int i);
static int choose_pivot(const sample *s);
static void release_null(sample *s, dfl_elimination *out);
static void eliminate(sample *s, int pivot);
static void mark_support(dfl_elimination *el, const sample *s, double *y);
static void substitute_back(double *y, const dfl_elimination *el, const sample *s, int trial,
                            int free);

dfl_status dfl_elimination_regular(bool *out, const dfl_trials *trials)
{
    sample s;
    dfl_status status = take_sample(&s, trials, 1);
    *out = !status && s.A[0];
    for (int k = 0; *out && k < s.nv; k++) {
        const int pivot = choose_pivot(&s);
        *out = pivot >= 0 && score(&s, pivot) > negligible_ratio;
        if (*out)
            eliminate(&s, pivot);
    }
    clear_sample(&s, trials->eq->model->ctx);
    return status;
}

dfl_status dfl_elimination_create(dfl_elimination *out, const dfl_trials *trials)
{
    dfl_context *ctx = trials->eq->model->ctx;
    const size_t nv = (size_t)trials->eq->nv;
    sample s;
    *out = (dfl_elimination){.nv = trials->eq->nv, .negligible = -1, .ratio = 1.0};
    dfl_status status = take_sample(&s, trials, DFL_TRIALS);
    out->order = dfl_alloc(ctx, nv, sizeof(int));
    out->free = dfl_alloc(ctx, nv, sizeof(int));
    out->after = dfl_alloc(ctx, nv, sizeof(int));
    out->support = dfl_alloc(ctx, nv, 1);
    double *y = dfl_alloc(ctx, nv, sizeof *y);
    if (!status && (!out->order || !out->free || !out->after || !out->support || !y))
        status = DFL_NO_MEMORY;
    if (!status && (s.A[0] || s.A[1] || s.A[2])) {
        eliminate_all(out, &s);
        mark_support(out, &s, y);
    }
    if (s.indefinite) /* not a mass matrix: the start will say so */
        out->nfree = 0;
    clear_sample(&s, ctx);
    dfl_free(ctx, y);
    if (status)
        dfl_elimination_clear(out, ctx);
    return status;
}

void dfl_elimination_clear(dfl_elimination *elimination, dfl_context *ctx)
{
    dfl_free(ctx, elimination->order);
    dfl_free(ctx, elimination->free);
    dfl_free(ctx, elimination->after);
    dfl_free(ctx, elimination->support);
    *elimination = (dfl_elimination){0};
}

static void eliminate_all(dfl_elimination *out, sample *s)
{
    for (;;) {
        release_null(s, out);
        const int pivot = choose_pivot(s);
        if (pivot < 0)
            return;
        const double ratio = largest_ratio(s, pivot);
        if (ratio < negligible_ratio && ratio < out->ratio) {
            out->ratio = ratio;
            out->negligible = pivot;
        }
        out->order[out->rank++] = pivot;
        eliminate(s, pivot);
    }
}

/* ------------------------------------------------------------------------------- numbers */

static dfl_status take_sample(sample *s, const dfl_trials *trials, int count)
{
    const dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    const size_t nv = (size_t)eq->nv;
    *s = (sample){.nv = eq->nv};
    s->scale = dfl_alloc(ctx, nv * DFL_TRIALS, sizeof *s->scale);
    s->state = dfl_alloc(ctx, nv, 1);
    s->moving = dfl_alloc(ctx, nv, 1);
    dfl_status status = s->scale && s->state && s->moving ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < eq->M.count; k++)
        if (eq->M.entry[k].row == eq->M.entry[k].col)
            s->moving[eq->M.entry[k].row] =
                (dfl_node_of(eq->graph, eq->M.entry[k].expr)->depends & state_kinds) != 0;
    for (int k = 0; !status && k < count; k++) {
        const dfl_numbers numbers = dfl_trials_numbers(trials, k);
        if (!trials->usable[k])
            continue;
        s->A[k] = dfl_alloc(ctx, nv * nv, sizeof(double));
        status = s->A[k] ? dfl_numbers_matrix(s->A[k], &numbers, eq, &eq->M) : DFL_NO_MEMORY;
        for (int i = 0; !status && i < s->nv; i++)
            s->scale[i * DFL_TRIALS + k] = fabs(s->A[k][i + (long)i * s->nv]);
        if (!status && !is_finite(s->A[k], s->nv * s->nv)) {
            dfl_free(ctx, s->A[k]);
            s->A[k] = NULL;
        }
    }
    return status;
}

static bool is_finite(const double *A, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += 0.0 * A[i];
    return sum == 0.0;
}

static void clear_sample(sample *s, dfl_context *ctx)
{
    for (int k = 0; k < DFL_TRIALS; k++)
        dfl_free(ctx, s->A[k]);
    dfl_free(ctx, s->scale);
    dfl_free(ctx, s->state);
    dfl_free(ctx, s->moving);
}

static double ratio_of(const sample *s, int trial, int i)
{
    const double scale = s->scale[i * DFL_TRIALS + trial];
    return scale > 0.0 ? fabs(s->A[trial][i + i * s->nv]) / scale : 0.0;
}

static double largest_ratio(const sample *s, int i)
{
    double largest = 0.0;
    for (int k = 0; k < DFL_TRIALS; k++)
        if (s->A[k])
            largest = fmax(largest, ratio_of(s, k, i));
    return largest;
}

/* The worst of the trials counts; one that is singular at some trial is the last choice. */
static double score(const sample *s, int i)
{
    double least = INFINITY;
    for (int k = 0; k < DFL_TRIALS; k++)
        if (s->A[k])
            least = fmin(least, ratio_of(s, k, i));
    return least > null_ratio ? least : 1e-9 * largest_ratio(s, i);
}

static double preference(const sample *s, int i)
{
    return s->moving[i] ? 0.01 * score(s, i) : score(s, i);
}

/* The last of the good ones, or -1: all that is left is null. Constant masses stay what they are: they come
   before those that may vanish during the motion. */
static int choose_pivot(const sample *s)
{
    double best = 0.0;
    for (int i = 0; i < s->nv; i++)
        if (s->state[i] == ACTIVE)
            best = fmax(best, preference(s, i));
    for (int i = s->nv - 1; i >= 0 && best > 0.0; i--)
        if (s->state[i] == ACTIVE && preference(s, i) >= good_part * best)
            return i;
    return -1;
}

/* Active velocities whose pivots vanish at all trials; M >= 0 has nothing else in their rows then. */
static void release_null(sample *s, dfl_elimination *out)
{
    for (int i = 0; i < s->nv; i++) {
        if (s->state[i] != ACTIVE || largest_ratio(s, i) > null_ratio)
            continue;
        s->state[i] = FREE;
        out->free[out->nfree] = i;
        out->after[out->nfree++] = out->rank;
        for (int k = 0; k < DFL_TRIALS; k++)
            for (int j = 0; s->A[k] && j < s->nv; j++) {
                const double size =
                    sqrt(s->scale[i * DFL_TRIALS + k] * s->scale[j * DFL_TRIALS + k]);
                if (s->state[j] != ELIMINATED && fabs(s->A[k][i + j * s->nv]) > 1e-4 * size)
                    s->indefinite = true;
            }
    }
}

/* The Schur complement; a trial at which the pivot vanishes is given up. */
static void eliminate(sample *s, int pivot)
{
    const int nv = s->nv;
    s->state[pivot] = ELIMINATED;
    for (int k = 0; k < DFL_TRIALS; k++) {
        double *A = s->A[k];
        if (!A)
            continue;
        const double d = A[pivot + pivot * nv];
        const bool singular = !(ratio_of(s, k, pivot) > null_ratio);
        for (int j = 0; j < nv; j++) {
            const double factor = A[pivot + j * nv] / d;
            if (s->state[j] != ACTIVE || factor == 0.0 || singular)
                continue;
            for (int i = 0; i < nv; i++)
                if (s->state[i] == ACTIVE)
                    A[i + j * nv] -= A[i + pivot * nv] * factor;
        }
        s->singular[k] = s->singular[k] || singular;
        for (int i = 0; singular && i < nv; i++) /* its diagonal says nothing from here on */
            s->scale[i * DFL_TRIALS + k] = 0.0;
    }
}

/* Pivots whose share of a massless motion, measured by mass, is not rounding, at any trial. */
static void mark_support(dfl_elimination *el, const sample *s, double *y)
{
    const int nv = s->nv;
    bool seen = false;
    for (int trial = 0; trial < DFL_TRIALS; trial++) {
        if (!s->A[trial] || s->singular[trial])
            continue;
        seen = true;
        for (int f = 0; f < el->nfree; f++) {
            double largest = 0.0;
            substitute_back(y, el, s, trial, f);
            for (int i = 0; i < nv; i++) {
                y[i] = fabs(y[i]) * sqrt(s->scale[i * DFL_TRIALS + trial]);
                largest = fmax(largest, y[i]);
            }
            for (int k = 0; k < el->after[f]; k++)
                if (y[el->order[k]] > support_ratio * largest)
                    el->support[el->order[k]] = 1;
        }
    }
    if (!seen)
        memset(el->support, 1, (size_t)nv);
}

/* Direction `free` as numbers: the rows of eliminated velocities still are those of the factor. */
static void substitute_back(double *y, const dfl_elimination *el, const sample *s, int trial,
                            int free)
{
    const int nv = s->nv, own = el->free[free];
    const double *A = s->A[trial];
    memset(y, 0, (size_t)nv * sizeof *y);
    y[own] = 1.0;
    for (int k = el->after[free] - 1; k >= 0; k--) {
        const int i = el->order[k];
        double sum = A[i + own * nv];
        for (int j = k + 1; j < el->after[free]; j++)
            sum += A[i + el->order[j] * nv] * y[el->order[j]];
        y[i] = -sum / A[i + i * nv];
    }
}
