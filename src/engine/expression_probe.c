/* expression_probe.c: expressions of a model with their derivatives by symbols, prepared once and
   evaluated as often as wanted. */
#include "engine/engine_internal.h"

#include <string.h>

struct dfl_probe {
    dfl_runnable *run;
    int nrows, ncols;
    program values; /* the rows, then the derivatives that are not zero ... */
    int *place;     /* ... each with its place among the slopes */
    int count;
    double *out; /* nrows + count */
};

static dfl_status prepare(dfl_probe *it, const dfl_expr *rows, const dfl_sparse *slopes);

dfl_status dfl_probe_create(dfl_probe **out, dfl_runnable *run, const dfl_expr *rows, int nrows,
                            const dfl_expr *symbols, int ncols)
{
    dfl_sparse slopes = {0};
    dfl_probe *it = *out = dfl_alloc(run->ctx, 1, sizeof *it);
    if (!it)
        return DFL_NO_MEMORY;
    *it = (dfl_probe){.run = run, .nrows = nrows, .ncols = ncols};
    dfl_status status = dfl_jacobian_exprs(&slopes, run->eq->graph, rows, nrows, symbols, ncols);
    if (!status)
        status = prepare(it, rows, &slopes);
    dfl_sparse_clear(&slopes, run->ctx);
    if (status) {
        dfl_probe_free(it);
        *out = NULL;
    }
    return status;
}

static dfl_status prepare(dfl_probe *it, const dfl_expr *rows, const dfl_sparse *slopes)
{
    dfl_context *ctx = it->run->ctx;
    const int all = it->nrows + slopes->count;
    dfl_expr *exprs = dfl_exprs(it->run->eq, all);
    it->count = slopes->count;
    it->place = dfl_alloc(ctx, (size_t)slopes->count, sizeof *it->place);
    it->out = dfl_alloc(ctx, (size_t)all, sizeof *it->out);
    dfl_status status = exprs && it->place && it->out ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        memcpy(exprs, rows, (size_t)it->nrows * sizeof *exprs);
    for (int k = 0; !status && k < slopes->count; k++) {
        exprs[it->nrows + k] = slopes->entry[k].expr;
        it->place[k] = slopes->entry[k].col * it->nrows + slopes->entry[k].row;
    }
    if (!status)
        status = dfl_program_create(&it->values, it->run, exprs, all);
    dfl_free(ctx, exprs);
    return status;
}

void dfl_probe_free(dfl_probe *probe)
{
    if (!probe)
        return;
    dfl_context *ctx = probe->run->ctx;
    dfl_tape_free(probe->values.tape);
    dfl_free(ctx, probe->values.work);
    dfl_free(ctx, probe->place);
    dfl_free(ctx, probe->out);
    dfl_free(ctx, probe);
}

void dfl_probe_evaluate(double *values, double *slopes, const dfl_probe *probe, double t,
                        const double *x, const double *a)
{
    const int nrows = probe->nrows;
    double *const out = probe->out;
    const dfl_runnable *run = probe->run;
    const double *const in[DFL_IN_ARRAYS] = {&t,
                                             x,
                                             a,
                                             run->param,
                                             run->input,
                                             run->level,
                                             run->branching.branch,
                                             run->branching.discrete};
    dfl_tape_prepare(probe->values.tape, probe->values.work, in); /* branches may have changed */
    dfl_tape_eval(probe->values.tape, probe->values.work, in, &out);
    memcpy(values, out, (size_t)nrows * sizeof *values);
    memset(slopes, 0, (size_t)nrows * (size_t)probe->ncols * sizeof *slopes);
    for (int k = 0; k < probe->count; k++)
        slopes[probe->place[k]] = out[nrows + k];
}
