/* redundant_rows.c: from sets of dependent rows to rows that may be left out, and to sets that
   contradict. */
#include "study/study_internal.h"

#include "derive/derive.h"

#include <math.h>
#include <string.h>

static void choose_last(bool *redundant, double *B, int rows, int count);
static int joint_length(const dfl_declaration *decl);
static const dfl_declaration *declaration_of(const dfl_equations *eq, int row);
static bool same_joint(const dfl_declaration *a, const dfl_declaration *b);

dfl_status dfl_diagnose_redundant(dfl_diagnosis *out, const dfl_equations *eq)
{
    dfl_context *ctx = out->ctx;
    const int rows = eq->nl + eq->nm;
    double *B = dfl_alloc(ctx, (size_t)rows * (size_t)out->nsets, sizeof *B);
    out->redundant = dfl_alloc(ctx, (size_t)rows, sizeof *out->redundant);
    const bool enough = B && out->redundant;
    for (int k = 0; enough && k < out->nsets; k++) {
        const dfl_dependent_set *set = &out->sets[k];
        for (int i = 0; i < set->count; i++)
            B[set->rows[i] + k * rows] = set->coefficient[i];
    }
    if (enough)
        choose_last(out->redundant, B, rows, out->nsets);
    dfl_free(ctx, B);
    return enough ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_diagnosis_clear_sets(dfl_diagnosis *diagnosis)
{
    dfl_context *ctx = diagnosis->ctx;
    for (int i = 0; i < diagnosis->nsets; i++) {
        dfl_free(ctx, diagnosis->sets[i].rows);
        dfl_free(ctx, diagnosis->sets[i].coefficient);
    }
    dfl_free(ctx, diagnosis->sets);
    dfl_free(ctx, diagnosis->redundant);
    diagnosis->sets = NULL;
    diagnosis->redundant = NULL;
    diagnosis->nsets = 0;
}

dfl_status dfl_diagnose_rows_again(dfl_diagnosis *out, dfl_runnable *run, double t0)
{
    if (dfl_study_is_large(run) || out->allowed >= 0)
        return DFL_OK;
    dfl_diagnosis_clear_sets(out);
    const dfl_status status = dfl_diagnose_sets(out, run, t0, out->x);
    return status ? status : dfl_diagnose_redundant(out, dfl_runnable_equations(run));
}

/* Gauss-Jordan on the columns of B, with the last possible rows as pivots: these can be left
   out. */
static void choose_last(bool *redundant, double *B, int rows, int count)
{
    int done = 0;
    for (int row = rows - 1; row >= 0 && done < count; row--) {
        int pivot = done;
        for (int k = done; k < count; k++)
            if (fabs(B[row + k * rows]) > fabs(B[row + pivot * rows]))
                pivot = k;
        if (fabs(B[row + pivot * rows]) < 1e-6)
            continue;
        for (int i = 0; i < rows; i++) {
            const double swap = B[i + pivot * rows];
            B[i + pivot * rows] = B[i + done * rows];
            B[i + done * rows] = swap;
        }
        for (int k = done + 1; k < count; k++) {
            const double factor = B[row + k * rows] / B[row + done * rows];
            for (int i = 0; i < rows; i++)
                B[i + k * rows] -= factor * B[i + done * rows];
        }
        redundant[row] = true;
        done++;
    }
}

dfl_status dfl_diagnose_contradictions(dfl_diagnosis *out, dfl_runnable *run, double t,
                                       const double *x, double tolerance)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_blocks blocks;
    const dfl_status status = dfl_state_blocks_create(&blocks, run, DFL_POSITION, t, x);
    for (int k = 0; k < out->nsets && !status; k++) {
        dfl_dependent_set *set = &out->sets[k];
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < set->count; i++) {
            sum += set->rows[i] < eq->nl ? set->coefficient[i] * blocks.g[set->rows[i]] : 0.0;
            size += fabs(set->coefficient[i]);
        }
        const bool holonomic = set->rows[set->count - 1] < eq->nl;
        set->contradiction = holonomic && !(fabs(sum) <= tolerance * size) ? fabs(sum) : 0.0;
    }
    dfl_state_blocks_free(&blocks, run);
    return status;
}

bool dfl_redundant_joint_of(dfl_redundant_joint *out, const dfl_equations *eq,
                            const dfl_diagnosis *diagnosis, int row)
{
    const dfl_declaration *decl = declaration_of(eq, row);
    if (!diagnosis->redundant[row] || !decl->meaning)
        return false;
    *out = (dfl_redundant_joint){.name = decl->name, .length = joint_length(decl)};
    for (int i = 0; i < eq->nl; i++) {
        const dfl_declaration *other = declaration_of(eq, i);
        if (!same_joint(decl, other))
            continue;
        if (diagnosis->redundant[i] && i < row)
            return false;
        out->of++;
        if (diagnosis->redundant[i] && out->count < 12)
            out->meaning[out->count++] = other->meaning;
    }
    return true;
}

static const dfl_declaration *declaration_of(const dfl_equations *eq, int row)
{
    return &eq->model->declarations.item[eq->declared.row[row]];
}

/* NAME of NAME.3 */
static int joint_length(const dfl_declaration *decl)
{
    const char *dot = strrchr(decl->name, '.');
    const bool numbered = dot && dot[1] >= '1' && dot[1] <= '9';
    return (int)(numbered ? (size_t)(dot - decl->name) : strlen(decl->name));
}

static bool same_joint(const dfl_declaration *a, const dfl_declaration *b)
{
    const int length = joint_length(a);
    return b->meaning && joint_length(b) == length &&
           strncmp(a->name, b->name, (size_t)length) == 0;
}
