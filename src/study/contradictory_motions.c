/* contradictory_motions.c: which prescribed motions contradict each other.

   Constraints that depend on each other, c^T W = 0, can hold together only if c^T g, c^T gI and
   c^T bias vanish, which no motion of the coordinates changes. Where they do not, what moves the
   rows of this set by time is to blame: drives, other constraints that contain time, and
   prescribed joints of loops. */
#include "study/study_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

/* Names with their lines, each one once. */
typedef struct culprits {
    dfl_text text;
    int count;
    bool nonholonomic; /* such a row depends on them */
} culprits;

static dfl_status move_along(double *y, dfl_runnable *run, double t, const double *x);
static dfl_status contradicts(bool *out, dfl_runnable *run, const dfl_dependent_set *set, double t,
                              const double *x);
static void add_motions_of(culprits *all, const dfl_equations *eq, const dfl_dependent_set *set);
static dfl_status add_to_message(const dfl_runnable *run, dfl_status status, const culprits *all);

dfl_status dfl_explain_motions(dfl_runnable *run, dfl_status status, double t, const double *x)
{
    if (dfl_study_is_large(run)) /* sets of dependent rows take dense matrices */
        return status;
    dfl_diagnosis found = {.ctx = ctx_of(run)};
    culprits all = {.text = {.ctx = ctx_of(run)}};
    double *y = dfl_alloc(ctx_of(run), (size_t)eq_of(run)->n, sizeof *y);
    dfl_status looked = y ? dfl_diagnose_sets(&found, run, t, x) : DFL_NO_MEMORY;
    if (!looked && found.nsets > 0)
        looked = move_along(y, run, t, x);
    for (int k = 0; !looked && k < found.nsets; k++) {
        bool contradictory = false;
        looked = contradicts(&contradictory, run, &found.sets[k], t, y);
        if (contradictory || status == DFL_RANK_CHANGED)
            add_motions_of(&all, eq_of(run), &found.sets[k]);
        for (int i = 0; i < found.sets[k].count; i++)
            all.nonholonomic = all.nonholonomic || found.sets[k].rows[i] >= eq_of(run)->nl;
    }
    if (!looked)
        looked = all.text.status;
    const int enough =
        status == DFL_RANK_CHANGED ? 2 : 1; /* one may just meet a singular position */
    if (!looked && all.count >= enough)
        looked = add_to_message(run, status, &all);
    dfl_free(ctx_of(run), y);
    dfl_text_clear(&all.text);
    dfl_diagnosis_clear(&found);
    return looked ? looked : status;
}

/* y = x with the shortest change of velocities that satisfies the constraints best. */
static dfl_status move_along(double *y, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    const int nc = eq->nl + eq->nm;
    dfl_blocks blocks;
    double *residual = dfl_alloc(ctx_of(run), (size_t)nc, sizeof *residual);
    double *step = dfl_alloc(ctx_of(run), (size_t)eq->nv, sizeof *step);
    dfl_lstsq *lstsq = NULL;
    dfl_status status = dfl_state_blocks_create(&blocks, run, DFL_VELOCITY | DFL_DIRECTIONS, t, x);
    if (!status)
        status =
            residual && step ? dfl_lstsq_create(&lstsq, ctx_of(run), nc, eq->nv) : DFL_NO_MEMORY;
    memcpy(y, x, (size_t)eq->n * sizeof *y);
    if (!status) {
        memcpy(residual, blocks.gI, (size_t)eq->nl * sizeof *residual);
        memcpy(residual + eq->nl, blocks.hv, (size_t)eq->nm * sizeof *residual);
        if (dfl_lstsq_solve(step, lstsq, nc, eq->nv, blocks.W, residual, 1e-9, NULL))
            for (int j = 0; j < eq->nv; j++)
                y[eq->n - eq->np - eq->ns - eq->nv + j] -= step[j];
    }
    dfl_lstsq_free(lstsq, ctx_of(run));
    dfl_free(ctx_of(run), step);
    dfl_free(ctx_of(run), residual);
    dfl_state_blocks_free(&blocks, run);
    return status;
}

/* Whether the sum of a set's rows is not zero, on any level. */
static dfl_status contradicts(bool *out, dfl_runnable *run, const dfl_dependent_set *set, double t,
                              const double *x)
{
    dfl_blocks blocks;
    const dfl_status status =
        dfl_state_blocks_create(&blocks, run, DFL_POSITION | DFL_VELOCITY | DFL_BIAS, t, x);
    const double *const levels[] = {blocks.g, blocks.gI, blocks.bias};
    *out = false;
    for (int level = 0; !status && !*out && level < 3; level++) {
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < set->count && set->rows[i] < eq_of(run)->nl; i++) {
            sum += set->coefficient[i] * levels[level][set->rows[i]];
            size += fabs(set->coefficient[i]);
        }
        *out = fabs(sum) > 1e-8 * size;
    }
    dfl_state_blocks_free(&blocks, run);
    return status;
}

static void add_motions_of(culprits *all, const dfl_equations *eq, const dfl_dependent_set *set)
{
    for (int i = 0; i < set->count && set->rows[i] < eq->nl; i++) {
        const dfl_declaration *decl = &eq->model->declarations.item[eq->declared.row[set->rows[i]]];
        if (decl->motions)
            all->count += dfl_list_add(&all->text, 0, decl->motions);
        if (decl->meaning || !dfl_depends(eq->graph, decl->expr, DFL_SYM_TIME))
            continue;
        dfl_text own = {.ctx = all->text.ctx};
        dfl_text_add(&own, "'%s' (line %d)", decl->name, decl->line);
        if (!own.status)
            all->count += dfl_list_add(&all->text, 0, dfl_text_string(&own));
        dfl_text_clear(&own);
    }
}

static dfl_status add_to_message(const dfl_runnable *run, dfl_status status, const culprits *all)
{
    char *message = dfl_copy_string(ctx_of(run), dfl_message(ctx_of(run)));
    if (!message)
        return DFL_NO_MEMORY;
    dfl_fail(ctx_of(run), status,
             all->nonholonomic
                 ? "%s; the prescribed motions %s leave no velocity to a nonholonomic constraint, "
                   "which then "
                   "holds positions, such as a heading: prescribe that one in place of a motion"
             : all->count > 1
                 ? "%s; the prescribed motions %s contradict each other or the constraints "
                   "between them: leave out one, or make them fit"
                 : "%s; the prescribed motion %s contradicts constraints that hold what "
                   "it moves: leave it out, or make them fit",
             message, dfl_text_string(&all->text));
    dfl_free(ctx_of(run), message);
    return status;
}
