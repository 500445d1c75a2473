/* tolerances.c: the absolute tolerances of a run, and whether one is too large for the motion that
   it was used for. */
#include "study/study_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of the largest value of a variable that its atol may be. */
static const double much = 1e-3;
/* Of rtol times the largest value of a variable that its default atol may be. */
static const double many = 100;
/* Of the largest value in its block, below which a variable does not move at all. */
static const double still = 1e-12;

dfl_status dfl_study_tolerances_create(dfl_simulation *sim)
{
    sim->atol = dfl_alloc(sim->ctx, (size_t)sim->eq->n, sizeof *sim->atol);
    sim->largest = dfl_alloc(sim->ctx, (size_t)sim->eq->n, sizeof *sim->largest);
    return sim->atol && sim->largest ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_study_note_largest(dfl_simulation *sim, const double *x)
{
    for (int i = 0; i < sim->eq->n; i++)
        sim->largest[i] = fmax(sim->largest[i], fabs(x[i]));
}

typedef struct coarse {
    char names[400];
    int count;
    double largest; /* of their tolerances */
} coarse;

/* Appends the variables first .. last-1 whose tolerance is too large, at most three. */
static void name_coarse(coarse *out, const dfl_simulation *sim, int first, int last)
{
    const dfl_solver_options *o = &sim->settings->solver;
    const double most = o->atol > 0 ? much : fmax(much, many * o->rtol);
    double overall = 0;
    for (int i = first; i < last; i++)
        overall = fmax(overall, sim->largest[i]);
    for (int i = first; i < last; i++) {
        const double largest = sim->largest[i];
        const size_t used = strlen(out->names);
        if (largest <= still * overall || sim->atol[i] <= most * largest ||
            dfl_model_owner(sim->eq->model, sim->eq->x[i].symbol)->inner)
            continue;
        out->largest = fmax(out->largest, sim->atol[i]);
        if (++out->count <= 3)
            snprintf(out->names + used, sizeof out->names - used, "%s%s (at most %.2g)",
                     used ? ", " : "", sim->eq->x[i].name, largest);
    }
}

void dfl_study_warn_coarse(const dfl_simulation *sim, dfl_advice_fn tell, void *user)
{
    const dfl_equations *eq = sim->eq;
    const int r = eq->nw + eq->nl + eq->nm, v = r + eq->nr, s = v + eq->nv, p = s + eq->ns;
    coarse found = {0};
    char more[40] = "", text[800];
    name_coarse(&found, sim, p, eq->n);
    name_coarse(&found, sim, v, s);
    name_coarse(&found, sim, r, v);
    if (found.count == 0)
        return;
    if (found.count > 3)
        snprintf(more, sizeof more, " and %d more", found.count - 3);
    if (sim->settings->solver.atol > 0)
        snprintf(
            text, sizeof text,
            "atol = %.3g is more than a thousandth of the largest value of %s%s: errors of that "
            "size are not seen; give a smaller atol, or none, so that it follows the model",
            sim->settings->solver.atol, found.names, more);
    else
        snprintf(
            text, sizeof text,
            "the sizes that model and start show are far above the largest value of %s%s: errors "
            "up to "
            "the default atol (%.2g) are not seen, and these values may be wrong; give an atol",
            found.names, more, found.largest);
    tell(text, user);
}
