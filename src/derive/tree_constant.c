/* tree_constant.c: whether the masses of a tree of bodies are constant, such as those of slides.

   M is an analytic function of positions, time and parameters: if it has the same values at a few
   places without any relation between them, it has them everywhere. Parameters are moved as well,
   since they may be changed after the equations are derived. */
#include "derive/derive_internal.h"
#include "derive/tree_state.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

enum { PLACES = 3, LARGEST = 100 };

static void move(double *to, int n, int place, int first)
{
    for (int i = 0; i < n; i++)
        to[i] += (0.1 + 0.3 * fabs(to[i])) * dfl_generic(place, first + i);
}

/* M at a place away from the start. */
static dfl_status mass_at(double *M, const dfl_trials *trials, double *x, int place)
{
    const dfl_equations *eq = trials->eq;
    dfl_numbers numbers = dfl_trials_numbers(trials, 0);
    memcpy(x, trials->x[0], (size_t)eq->n * sizeof *x);
    move(x + eq->n - eq->np, eq->np, place, 0);
    numbers.x = x;
    numbers.t += 0.1 + 0.37 * place;
    memset(M, 0, (size_t)eq->nv * (size_t)eq->nv * sizeof *M);
    const dfl_status status = dfl_tree_state_place_at(trials->tree, &numbers);
    if (!status)
        dfl_tree_state_mass(M, trials->tree);
    return status;
}

dfl_status dfl_tree_mass_constant(bool *out, dfl_equations *eq)
{
    dfl_context *ctx = eq->model->ctx;
    const size_t size = (size_t)eq->nv * (size_t)eq->nv;
    dfl_trials trials;
    *out = false;
    if (eq->nv == 0 || eq->nv > LARGEST || eq->np != eq->nv)
        return DFL_OK;
    dfl_status status = dfl_trials_create(&trials, eq);
    if (status)
        return status;
    double *M = dfl_alloc(ctx, size, sizeof *M), *other = dfl_alloc(ctx, size, sizeof *other);
    double *x = dfl_alloc(ctx, (size_t)eq->n, sizeof *x);
    status = M && other && x ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        move(trials.param, eq->model->count[DFL_A_PARAM], 7, 0);
    const dfl_numbers moved = dfl_trials_numbers(&trials, 0);
    bool same = !status && !dfl_tree_state_update(trials.tree, &moved);
    for (int k = 0; !status && same && k < PLACES; k++) {
        double largest = 0, change = 0;
        status = mass_at(k == 0 ? M : other, &trials, x, k);
        for (size_t i = 0; !status && k > 0 && i < size; i++) {
            largest = fmax(largest, fabs(M[i]));
            change = fmax(change, fabs(other[i] - M[i]));
        }
        same = change <= 1e-13 * largest && isfinite(largest);
    }
    *out = !status && same;
    dfl_free(ctx, M);
    dfl_free(ctx, other);
    dfl_free(ctx, x);
    dfl_trials_clear(&trials);
    return status;
}
