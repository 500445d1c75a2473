/* optimize_starts.c: searches from several places within the bounds, compared in the order of their
   numbers. */
#include "study/optimize_internal.h"

#include <math.h>

static dfl_status search_elsewhere(search_trial *one, void *user);

dfl_status dfl_search_elsewhere(outcome *at, objective *it, double *z,
                                const dfl_search_options *options)
{
    search_trials all = {.first = it,
                         .count = options->starts - 1,
                         .threads = options->threads,
                         .search = search_elsewhere,
                         .user = (void *)options};
    if (all.count < 1)
        return DFL_OK;
    dfl_status status = dfl_search_trials(&all);
    for (int k = 0; !status && k < all.count; k++) {
        const search_trial *one = &all.item[k];
        it->out->runs += one->out.runs;
        it->out->iterations += one->out.iterations;
        it->out->failed += one->out.failed;
        if (!one->status && dfl_outcome_is_better(it, &one->at, at)) {
            dfl_outcome_copy(at, it, &one->at);
            for (int i = 0; i < it->count; i++)
                z[i] = one->z[i];
            it->out->converged = one->out.converged;
        }
        if (one->status == DFL_STOPPED || one->status == DFL_NO_MEMORY)
            status = one->status;
        else if (one->status) /* a run that fails where a search begins is no failure of all */
            it->out->failed++;
    }
    dfl_search_trials_clear(&all);
    return status;
}

/* Places that fill the unit cube evenly: multiples of powers of the root of g^(count + 1) = g + 1.
 */
static void choose_place(double *z, int count, int k)
{
    double root = 2, part = 1;
    for (int i = 0; i < 60; i++)
        root = pow(1 + root, 1.0 / (count + 1));
    for (int i = 0; i < count; i++) {
        double whole;
        part /= root;
        z[i] = modf(0.5 + k * part, &whole);
    }
}

static dfl_status search_elsewhere(search_trial *one, void *user)
{
    const dfl_search_options *options = user;
    choose_place(one->z, one->it.count, one->number + 1);
    const dfl_status status = dfl_objective_evaluate(&one->at, &one->it, one->z);
    return status ? status : dfl_search(&one->at, &one->it, one->z, options->algorithm);
}
