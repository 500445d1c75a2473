/* adjoint.c: gradients by one sweep backwards.

   The run records its steps. Weights w of an objective, psi_theta = w^T Y + ..., are carried
   backwards through the transposed linear maps of the steps (linear_step.h); every step adds what
   the parameters do in it. So a sweep takes as long for a thousand parameters as for one, and the
   result is that of the direct method (tangents.c) up to rounding. */
#include "integrate/adjoint.h"

#include <math.h>
#include <string.h>

static dfl_status allocate(dfl_adjoint *adj);

dfl_status dfl_adjoint_create(dfl_adjoint **out, dfl_stepper *st, const dfl_parameters *parameters,
                              int spare)
{
    dfl_context *ctx = st->sys->ctx;
    dfl_adjoint *adj = *out = dfl_alloc(ctx, 1, sizeof *adj);
    if (!adj)
        return DFL_NO_MEMORY;
    adj->st = st;
    adj->sys = st->sys;
    adj->parameters = *parameters;
    adj->spare = spare;
    adj->limit = (size_t)1 << 30;
    dfl_status status = dfl_tangents_create(&adj->wide, st, parameters);
    const size_t n = (size_t)adj->sys->n, d = sizeof(double);
    adj->y = dfl_alloc(ctx, n, d);
    adj->R = dfl_alloc(ctx, n * n, d);
    adj->filed = dfl_alloc(ctx, n * (1 + DFL_LANES), d);
    adj->columns = dfl_alloc(ctx, n * n, d);
    if (!status && !(adj->y && adj->R && adj->columns && adj->filed))
        status = DFL_NO_MEMORY;
    if (status) {
        dfl_adjoint_free(adj);
        *out = NULL;
    }
    return status;
}

void dfl_adjoint_free(dfl_adjoint *adj)
{
    if (!adj)
        return;
    dfl_context *ctx = adj->sys->ctx;
    for (dfl_recorded *entry = adj->last; entry;) {
        dfl_recorded *before = entry->before;
        dfl_free(ctx, entry->kept);
        dfl_free(ctx, entry);
        entry = before;
    }
    for (dfl_kept_selection *one = adj->selection; one;) {
        dfl_kept_selection *before = one->before;
        dfl_free(ctx, one);
        one = before;
    }
    double *const block[] = {adj->x, adj->a, adj->level,   adj->memory, adj->sum,
                             adj->y, adj->R, adj->columns, adj->filed};
    if (adj->file)
        fclose(adj->file);
    for (int k = 0; k < DFL_RADAU_STAGES; k++)
        dfl_free(ctx, adj->weight[k].d);
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_tangents_free(adj->wide);
    dfl_free(ctx, adj);
}

dfl_tangents *dfl_adjoint_tangents(const dfl_adjoint *adj)
{
    return adj->wide;
}

void dfl_adjoint_limit(dfl_adjoint *adj, size_t bytes)
{
    adj->limit = bytes;
}

size_t dfl_adjoint_bytes(const dfl_adjoint *adj)
{
    return adj->bytes;
}

dfl_recorded *dfl_adjoint_add(dfl_adjoint *adj, dfl_recorded_kind kind, size_t numbers)
{
    const size_t size = sizeof(dfl_recorded) + numbers * sizeof(double);
    dfl_recorded *entry = dfl_alloc(adj->sys->ctx, 1, size);
    if (!entry)
        return NULL;
    entry->kind = kind;
    entry->before = adj->last;
    adj->last = entry;
    adj->bytes += size;
    return entry;
}

/* The selection of the step, which is mostly that of the step before. */
static const dfl_kept_selection *keep_selection(dfl_adjoint *adj, const void *bytes)
{
    const size_t size = dfl_formulation_selection_size(adj->st->form);
    if (adj->selection && !memcmp(adj->selection->bytes, bytes, size))
        return adj->selection;
    dfl_kept_selection *one = dfl_alloc(adj->sys->ctx, 1, sizeof *one + size);
    if (!one)
        return NULL;
    memcpy(one->bytes, bytes, size);
    one->before = adj->selection;
    adj->selection = one;
    adj->bytes += sizeof *one + size;
    return one;
}

/* The numbers of a step, in adj->filed, to the end of the file. */
static dfl_status write_step(dfl_adjoint *adj, dfl_recorded *entry, size_t count)
{
    if (!adj->file)
        adj->file = tmpfile();
    entry->step.filed = true;
    entry->step.at = adj->file && !fseek(adj->file, 0, SEEK_END) ? ftell(adj->file) : -1;
    if (entry->step.at >= 0 && fwrite(adj->filed, sizeof *adj->filed, count, adj->file) == count)
        return DFL_OK;
    return dfl_fail(adj->sys->ctx, DFL_IO,
                    "the steps of the run need more memory than is allowed, and cannot be written "
                    "to a temporary file");
}

dfl_status dfl_adjoint_step(dfl_adjoint *adj, const dfl_tangents *tan, double t)
{
    const dfl_radau *ra = (const dfl_radau *)adj->st;
    const dfl_coefficients *rk = ra->rk_cont;
    const int n = adj->sys->n, last = rk->stages - 1, width = rk->width;
    const dfl_kept_selection *selection = keep_selection(adj, tan->linear.selection);
    const size_t count = (size_t)n * (size_t)(1 + width);
    const bool filed = adj->bytes + count * sizeof(double) > adj->limit;
    dfl_recorded *entry =
        selection ? dfl_adjoint_add(adj, DFL_RECORDED_STEP, filed ? 0 : count) : NULL;
    if (!entry)
        return DFL_NO_MEMORY;
    double *numbers = filed ? adj->filed : entry->numbers;
    entry->step.rk = rk;
    entry->step.h = adj->st->h_old;
    entry->step.t = ra->t_end - adj->st->h_old;
    entry->step.until = t == adj->st->t ? NAN : t;
    entry->step.selection = selection;
    for (int i = 0; i < n; i++)
        numbers[i] = ra->x_end[i] - ra->cont[i * width + last];
    memcpy(numbers + n, ra->cont, (size_t)(n * width) * sizeof *ra->cont);
    return filed ? write_step(adj, entry, count) : DFL_OK;
}

void dfl_adjoint_undo(dfl_adjoint *adj)
{
    dfl_recorded *entry = adj->last;
    if (!entry || entry->kind != DFL_RECORDED_STEP)
        return;
    adj->last = entry->before;
    dfl_free(adj->sys->ctx, entry);
}

const double *dfl_adjoint_numbers(dfl_adjoint *adj, const dfl_recorded *entry)
{
    const size_t count = (size_t)adj->sys->n * (size_t)(1 + entry->step.rk->width);
    if (!entry->step.filed)
        return entry->numbers;
    return !fseek(adj->file, entry->step.at, SEEK_SET) &&
                   fread(adj->filed, sizeof *adj->filed, count, adj->file) == count
               ? adj->filed
               : NULL;
}

dfl_status dfl_adjoint_weigh(dfl_adjoint *adj, int objective, const double *x, const double *a,
                             const double *memory)
{
    const dfl_system *sys = adj->sys;
    const size_t n = (size_t)sys->n, nv = (size_t)sys->n3, nm = (size_t)adj->parameters.nmemory;
    dfl_recorded *entry = dfl_adjoint_add(adj, DFL_RECORDED_WEIGHTS, n + nv + nm);
    if (!entry)
        return DFL_NO_MEMORY;
    entry->objective = objective;
    memcpy(entry->numbers + sys->na, x, (size_t)sys->nu * sizeof *x);
    if (a)
        memcpy(entry->numbers + n, a, nv * sizeof *a);
    if (memory && nm > 0)
        memcpy(entry->numbers + n + nv, memory, nm * sizeof *memory);
    return DFL_OK;
}

static void add(double *to, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] += from[i];
}

static void back_weights(dfl_adjoint *adj, const dfl_recorded *entry)
{
    const int n = adj->sys->n, nv = adj->sys->n3, nm = adj->parameters.nmemory;
    const int k = entry->objective;
    add(adj->x + k * n, entry->numbers, n);
    add(adj->a + k * nv, entry->numbers + n, nv);
    add(adj->memory + k * nm, entry->numbers + n + nv, nm);
}

/* The model as it was after a start. */
static dfl_outcome recall(dfl_adjoint *adj, const dfl_recorded *start)
{
    if (start && start->kept && adj->parameters.recall(start->kept, adj->parameters.user))
        return dfl_system_trouble(adj->sys, DFL_STEP_STOP, "recall", adj->st->t);
    return DFL_STEP_OK;
}

dfl_outcome dfl_adjoint_sweep(double *gradient, dfl_adjoint *adj, int nof)
{
    const size_t count = (size_t)adj->parameters.count, spare = (size_t)adj->spare;
    const size_t stride = count + (size_t)adj->parameters.nmemory;
    adj->nof = nof;
    if (allocate(adj))
        return dfl_system_trouble(adj->sys, DFL_STEP_STOP, "memory", adj->st->t);
    dfl_outcome outcome = recall(adj, adj->start);
    for (const dfl_recorded *entry = adj->last; !outcome && entry; entry = entry->before) {
        if (entry->kind == DFL_RECORDED_WEIGHTS)
            back_weights(adj, entry);
        else if (entry->kind == DFL_RECORDED_STEP)
            outcome = dfl_adjoint_back_step(adj, entry);
        else
            outcome = dfl_adjoint_back_start(adj, entry);
        if (!outcome && entry->kind == DFL_RECORDED_START)
            outcome = recall(adj, entry->start);
    }
    for (size_t k = 0; !outcome && k < (size_t)nof; k++)
        for (size_t j = spare; j < count; j++)
            gradient[(j - spare) * (size_t)nof + k] += adj->sum[k * stride + j];
    const dfl_outcome again = recall(adj, adj->start);
    return outcome ? outcome : again;
}

static dfl_status allocate(dfl_adjoint *adj)
{
    const dfl_system *sys = adj->sys;
    const size_t nof = (size_t)adj->nof, d = sizeof(double);
    const struct {
        double **block;
        size_t count;
    } room[] = {{&adj->x, (size_t)sys->n},
                {&adj->a, (size_t)sys->n3},
                {&adj->level, (size_t)(sys->eom->ne + sys->eom->nep)},
                {&adj->memory, (size_t)adj->parameters.nmemory},
                {&adj->sum, (size_t)(adj->parameters.count + adj->parameters.nmemory)}};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        dfl_free(sys->ctx, *room[i].block);
        if (!(*room[i].block = dfl_alloc(sys->ctx, room[i].count * nof, d)))
            return DFL_NO_MEMORY;
    }
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < adj->wide->stages; k++) {
        dfl_free(sys->ctx, adj->weight[k].d);
        status = dfl_parameter_slopes_init(&adj->weight[k], sys, adj->nof);
    }
    return status;
}
