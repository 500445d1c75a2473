/* gradient_adjoint.c: gradients of few values by many parameters: a run forwards, a sweep
   backwards.

   The run follows the derivatives along one direction in the space of all parameters, with a part
   of the size of each. So the steps suit derivatives as well as the state, even of a rest; and the
   product of each gradient with the direction is known beforehand: a sweep that does not agree with
   it is wrong. */
#include "study/gradient_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

bool dfl_gradient_prefers_adjoint(const gradient_run *it)
{
    if (it->record) /* its rows have derivatives by each of them */
        return false;
    const unsigned how = (unsigned)it->how & ~(unsigned)DFL_DERIVATIVES_UNCONTROLLED;
    return how == DFL_DERIVATIVES_ADJOINT ||
           (how == DFL_DERIVATIVES_AUTO && it->count > 20 && it->count > 4 * it->nof &&
            dfl_runnable_functions(it->run) == 0 && it->settings->solver.integrator == DFL_RADAU);
}

int dfl_gradient_adjoint_spare(const gradient_run *it)
{
    const dfl_equations *eq = eq_of(it->run);
    return eq->nr + eq->nv + eq->ns + eq->np + eq->ne + eq->nep +
           eq->model->actions.discretes.count;
}

/* Numbers of both signs without a pattern, as large as the parameters. */
static void choose_direction(gradient_run *it)
{
    const double golden = 0.6180339887498949;
    for (int j = it->spare; j < it->spare + it->count; j++) {
        const double part = fmod((j + 1) * golden, 1);
        it->direction[j] = it->size[j] * (part < 0.5 ? part - 1 : part);
    }
}

dfl_status dfl_gradient_adjoint_begin(gradient_run *it, dfl_solver *solver)
{
    dfl_context *ctx = ctx_of(it->run);
    const int n = eq_of(it->run)->n;
    const size_t all = (size_t)(it->spare + it->count), own = (size_t)n * (size_t)it->spare;
    dfl_parameters along;
    double *start = dfl_alloc(ctx, (size_t)n * (1 + all), sizeof *start), *wide = start + n;
    it->direction = dfl_alloc(ctx, all, sizeof *it->direction);
    it->along = dfl_alloc(ctx, 2 * (size_t)it->nof, sizeof *it->along);
    dfl_status status = start && it->direction && it->along ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        choose_direction(it);
        memcpy(wide + own, it->start, (size_t)n * (size_t)it->count * sizeof *wide);
        dfl_gemm(n, 1, it->count, 1, it->start, n, it->direction + it->spare, it->count, 0, start,
                 n);
        status = dfl_runnable_direction(&along, it->run, it->direction);
    }
    if (!status)
        status = dfl_solver_follow(solver, &along, start);
    if (!status)
        status = dfl_solver_record(solver, &it->parameters, it->spare, wide);
    dfl_free(ctx, start);
    return status;
}

static void add_term(double *sum, double *terms, double term)
{
    *sum += term;
    *terms += fabs(term);
}

dfl_status dfl_gradient_adjoint_weigh(gradient_run *it, dfl_solver *solver, int i)
{
    const dfl_equations *eq = eq_of(it->run);
    const dfl_derivatives by = dfl_solver_derivatives(solver);
    const int rows = it->wanted.nrows, columns = it->wanted.ncols;
    const dfl_expr *memory;
    const double *of_memory, *slopes = it->wanted.slopes + it->wanted_row[i];
    int nmemory;
    double *weight = dfl_alloc(ctx_of(it->run), (size_t)columns, sizeof *weight);
    double sum = 0, terms = 0;
    if (!weight)
        return DFL_NO_MEMORY;
    dfl_runnable_memory(&memory, &of_memory, &nmemory, it->run);
    for (int k = 0; k < columns; k++)
        weight[k] = slopes[(size_t)k * (size_t)rows];
    const double *a = weight + eq->n, *parameter = a + eq->nv, *kept = parameter + it->count;
    for (int j = 0; j < it->count; j++) {
        it->gradient[(size_t)j * (size_t)it->nof + (size_t)i] += parameter[j];
        add_term(&sum, &terms, parameter[j] * it->direction[it->spare + j]);
    }
    for (int k = 0; k < eq->n; k++)
        add_term(&sum, &terms, weight[k] * by.x[k]);
    for (int k = 0; k < eq->nv; k++)
        add_term(&sum, &terms, a[k] * by.a[k]);
    for (int k = 0; k < nmemory; k++)
        add_term(&sum, &terms, kept[k] * of_memory[k]);
    it->along[i] = sum;
    it->along[it->nof + i] = terms;
    const dfl_status status = dfl_solver_weigh(solver, i, weight, a, kept);
    dfl_free(ctx_of(it->run), weight);
    return status;
}

dfl_status dfl_gradient_adjoint_end(gradient_run *it, dfl_solver *solver)
{
    const dfl_status status = dfl_solver_sweep(it->gradient, solver, it->nof);
    for (int i = 0; !status && i < it->nof; i++) {
        double sum = 0, size = 0;
        for (int j = 0; j < it->count; j++) {
            const double part = it->gradient[(size_t)j * (size_t)it->nof + (size_t)i] *
                                it->direction[it->spare + j];
            sum += part;
            size += fabs(part);
        }
        size = fmax(size, fabs(it->along[i]));
        if (!(fabs(sum - it->along[i]) <= 1e-7 * size + 1e-9 * it->along[it->nof + i]))
            return dfl_fail(ctx_of(it->run), DFL_NOT_CONVERGED,
                            "the gradient swept backwards has %.10g along a direction, but the "
                            "run has %.10g; use the direct method",
                            sum, it->along[i]);
    }
    return status;
}

void dfl_gradient_adjoint_clear(gradient_run *it)
{
    dfl_free(ctx_of(it->run), it->direction);
    dfl_free(ctx_of(it->run), it->along);
    it->direction = it->along = NULL;
}
