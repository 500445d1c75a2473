/* mode_shapes.c: how the positions of a model move in each mode, as parts of JSON. */
#include "task/task_internal.h"

#include <math.h>

enum { MOST_SHAPES = 400 }; /* modes of a model whose shapes are written */

static void add_numbers(dfl_text *json, const char *before, const double *numbers, int count)
{
    dfl_text_add(json, "%s", before);
    for (int i = 0; i < count; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_number(json, numbers[i]);
    }
}

/* y := M v; M as the model writes it: its diagonal, its nonzeros, or all of it. */
static void times_mass(double *y, const dfl_eom *eom, const double *M, const double *v)
{
    const int n = eom->nv, *start = eom->sparsity ? eom->sparsity->M.column_start : NULL;
    for (int i = 0; i < n; i++)
        y[i] = eom->mass_diagonal ? M[i] * v[i] : 0;
    for (int j = 0; !eom->mass_diagonal && start && j < n; j++)
        for (int k = start[j]; k < start[j + 1]; k++)
            y[eom->sparsity->M.row[k]] += M[k] * v[j];
    for (int j = 0; !eom->mass_diagonal && !start && j < n; j++)
        for (int i = 0; i < n; i++)
            y[i] += M[(size_t)j * (size_t)n + (size_t)i] * v[j];
}

/* How many numbers M has. */
static size_t mass_numbers(const dfl_eom *eom)
{
    const size_t nv = (size_t)eom->nv;
    return eom->mass_diagonal ? nv
           : eom->sparsity    ? (size_t)eom->sparsity->M.column_start[nv]
                              : nv * nv;
}

/* What each velocity contributes to the kinetic energy of each mode, v_i (M v)_i; the sum is 1. */
static dfl_status add_participation(dfl_text *json, const dfl_task_state *near,
                                    const dfl_modes *modes)
{
    const dfl_linearized *linear = dfl_task_linear(near);
    const dfl_equations *eq = near->model.eq;
    const int nv = eq->nv, first = eq->n - eq->np - eq->ns - nv;
    const dfl_eom *eom = dfl_runnable_eom(near->model.runnable);
    const size_t n = (size_t)nv, numbers = mass_numbers(eom);
    double *M = dfl_alloc(json->ctx, numbers + 4 * n, sizeof *M);
    if (!M)
        return DFL_NO_MEMORY;
    double *re = M + numbers, *im = re + n, *part = im + n, *y = part + n;
    eom->mass(M, near->state.t, near->state.x, eom->user);
    dfl_text_add(json, ",\n \"velocities\": [");
    for (int i = 0; i < nv; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_string(json, dfl_equations_v(eq)[i].name);
    }
    dfl_text_add(json, "],\n \"participation\": [");
    for (int k = 0; k < modes->count; k++) {
        const bool still = isnan(modes->mode[k].damping); /* eigenvalue 0: what moves is rounding */
        double sum = 0;
        for (int i = 0; i < nv; i++)
            dfl_mode_change(&re[i], &im[i], linear, modes, k, first + i);
        times_mass(y, eom, M, re);
        for (int i = 0; i < nv; i++)
            part[i] = re[i] * y[i];
        times_mass(y, eom, M, im);
        for (int i = 0; i < nv; i++) {
            part[i] += im[i] * y[i];
            sum += part[i];
        }
        for (int i = 0; i < nv; i++)
            part[i] = sum > 0 && !still ? part[i] / sum : NAN;
        add_numbers(json, k > 0 ? ",\n  [" : "\n  [", part, nv);
        dfl_text_add(json, "]");
    }
    dfl_text_add(json, "]");
    dfl_free(json->ctx, M);
    return DFL_OK;
}

void dfl_task_add_shapes(dfl_text *json, const dfl_task_state *near, const dfl_modes *modes)
{
    const dfl_equations *eq = near->model.eq;
    dfl_text_add(json, "\"coordinates\": [");
    for (int i = 0; i < eq->np; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_string(json, dfl_equations_p(eq)[i].name);
    }
    if (modes->count > MOST_SHAPES) {
        dfl_text_add(json, "], \"shapes\": null, \"velocities\": null, \"participation\": null");
        return;
    }
    double *shape = dfl_alloc(json->ctx, 2 * (size_t)eq->np, sizeof *shape);
    dfl_text_add(json, "],\n \"shapes\": [");
    for (int i = 0; shape && i < modes->count; i++) {
        dfl_mode_shape(shape, shape + eq->np, dfl_task_linear(near), eq->np, modes, i);
        add_numbers(json, i > 0 ? ",\n  {\"re\": [" : "\n  {\"re\": [", shape, eq->np);
        add_numbers(json, "], \"im\": [", shape + eq->np, eq->np);
        dfl_text_add(json, "]}");
    }
    dfl_text_add(json, "]");
    if (!shape)
        json->status = DFL_NO_MEMORY;
    dfl_free(json->ctx, shape);
    if (add_participation(json, near, modes))
        json->status = DFL_NO_MEMORY;
}
