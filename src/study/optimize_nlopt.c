/* optimize_nlopt.c: searches of the library NLopt, with and without gradients and limits. */
#include "study/optimize_internal.h"

#include <math.h>
#include <string.h>

#ifdef DFL_NLOPT
#include <nlopt.h>

static const struct {
    const char *name;
    nlopt_algorithm algorithm;
    bool limits, equal; /* it keeps limits, also equalities */
    bool global;
} algorithms[] = {{"slsqp", NLOPT_LD_SLSQP, true, true, false},
                  {"mma", NLOPT_LD_MMA, true, false, false},
                  {"ccsaq", NLOPT_LD_CCSAQ, true, false, false},
                  {"lbfgs", NLOPT_LD_LBFGS, false, false, false},
                  {"tnewton", NLOPT_LD_TNEWTON_PRECOND_RESTART, false, false, false},
                  {"bobyqa", NLOPT_LN_BOBYQA, false, false, false},
                  {"cobyla", NLOPT_LN_COBYLA, true, true, false},
                  {"isres", NLOPT_GN_ISRES, true, true, true},
                  {"crs", NLOPT_GN_CRS2_LM, false, false, true},
                  {"direct", NLOPT_GN_DIRECT_L, false, false, true}};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

enum { MOST_RUNS = 500, MOST_RUNS_GLOBAL = 5000 };

typedef struct library {
    objective *it;
    outcome here; /* at z */
    double *z;
    bool known;        /* whether `here` is ... */
    dfl_status status; /* ... what became of the run there */
    outcome *best;
    double *best_z;
    nlopt_opt opt;
} library;

/* What one constraint function needs. */
typedef struct limit_of {
    library *of;
    int which;
} limit_of;

static void copy(outcome *to, const outcome *from, const objective *it)
{
    const size_t count = (size_t)it->count, m = (size_t)(it->nof - it->nmeasures);
    const size_t limits = (size_t)it->nlimits, d = sizeof(double);
    to->value = from->value;
    memcpy(to->slope, from->slope, count * d);
    memcpy(to->residual, from->residual, m * d);
    memcpy(to->J, from->J, m * count * d);
    memcpy(to->limit, from->limit, limits * d);
    memcpy(to->limit_slope, from->limit_slope, limits * count * d);
}

/* The run at z, once. */
static bool run_at(library *self, const double *z)
{
    objective *it = self->it;
    const size_t size = (size_t)it->count * sizeof *z;
    if (self->known && memcmp(z, self->z, size) == 0)
        return !self->status;
    memcpy(self->z, z, size);
    self->status = dfl_objective_evaluate(&self->here, it, z);
    self->known = true;
    if (self->status == DFL_STOPPED || self->status == DFL_NO_MEMORY)
        nlopt_force_stop(self->opt);
    it->out->failed += self->status != DFL_OK;
    if (!self->status && dfl_outcome_is_better(it, &self->here, self->best)) {
        copy(self->best, &self->here, it);
        memcpy(self->best_z, z, size);
        it->tell(++it->out->iterations, it->out->runs, self->best->value, it->user);
    }
    return !self->status;
}

static double minimized(unsigned n, const double *z, double *slope, void *user)
{
    library *self = user;
    const bool valid = run_at(self, z);
    for (unsigned i = 0; slope && i < n; i++)
        slope[i] = valid ? self->here.slope[i] : 0;
    return valid ? self->here.value : HUGE_VAL;
}

static double limited(unsigned n, const double *z, double *slope, void *user)
{
    const limit_of *self = user;
    library *of = self->of;
    const bool valid = run_at(of, z);
    for (unsigned i = 0; slope && i < n; i++)
        slope[i] = valid ? of->here.limit_slope[(int)i * of->it->nlimits + self->which] : 0;
    return valid ? of->here.limit[self->which] : HUGE_VAL;
}

static dfl_status choose(int *which, const objective *it, const char *name)
{
    *which = 0;
    while (*which < ALGORITHMS && strcmp(algorithms[*which].name, name) != 0)
        ++*which;
    if (*which == ALGORITHMS)
        return dfl_fail(it->ctx, DFL_INVALID,
                        "--algorithm: there is no '%s'; take lm, bfgs, slsqp, mma, ccsaq, lbfgs, "
                        "tnewton, bobyqa, cobyla, isres, crs or direct",
                        name);
    bool equal = false;
    for (int i = 0; i < it->nlimits; i++)
        equal = equal || it->model->goals.limits.item[i].equal;
    if ((it->nlimits > 0 && !algorithms[*which].limits) || (equal && !algorithms[*which].equal))
        return dfl_fail(it->ctx, DFL_INVALID,
                        "--algorithm %s cannot keep %s; take slsqp, cobyla or isres%s", name,
                        equal ? "equalities" : "limits (subject)", equal ? "" : ", mma or ccsaq");
    return DFL_OK;
}

static bool describe(library *self, limit_of *limits, int which)
{
    const objective *it = self->it;
    nlopt_opt opt = self->opt;
    bool ok = nlopt_set_lower_bounds1(opt, 0) > 0 && nlopt_set_upper_bounds1(opt, 1) > 0 &&
              nlopt_set_min_objective(opt, minimized, self) > 0 &&
              nlopt_set_xtol_abs1(opt, it->tolerance) > 0 &&
              nlopt_set_maxeval(opt, algorithms[which].global ? MOST_RUNS_GLOBAL : MOST_RUNS) > 0;
    if (!algorithms[which].global)
        ok = ok && nlopt_set_initial_step1(opt, 0.1) > 0;
    for (int i = 0; ok && i < it->nlimits; i++) {
        limits[i] = (limit_of){self, i};
        ok = it->model->goals.limits.item[i].equal
                 ? nlopt_add_equality_constraint(opt, limited, &limits[i], it->tolerance) > 0
                 : nlopt_add_inequality_constraint(opt, limited, &limits[i], it->tolerance) > 0;
    }
    return ok;
}

dfl_status dfl_search_nlopt(outcome *at, objective *it, double *z, const char *algorithm)
{
    library self = {.it = it, .best = at, .best_z = z};
    const size_t count = (size_t)it->count;
    int which;
    dfl_status status = choose(&which, it, algorithm);
    if (status)
        return status;
    double *point = dfl_alloc(it->ctx, 2 * count, sizeof *point), least;
    limit_of *limits = dfl_alloc(it->ctx, (size_t)it->nlimits, sizeof *limits);
    self.opt = nlopt_create(algorithms[which].algorithm, (unsigned)count);
    status = point && limits && self.opt ? dfl_outcome_create(&self.here, it) : DFL_NO_MEMORY;
    if (!status && !describe(&self, limits, which))
        status = DFL_NO_MEMORY;
    if (!status) {
        self.z = point + count;
        memcpy(point, z, count * sizeof *z);
        nlopt_srand(1);
        const nlopt_result result = nlopt_optimize(self.opt, point, &least);
        it->out->converged = result == NLOPT_SUCCESS || result == NLOPT_STOPVAL_REACHED ||
                             result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED ||
                             result == NLOPT_ROUNDOFF_LIMITED;
        if (algorithms[which].global && result == NLOPT_MAXEVAL_REACHED)
            it->out->converged = true; /* it ends so */
        it->out->converged = it->out->converged && dfl_outcome_violation(it, at) <= 1e-6;
        if (result == NLOPT_FORCED_STOP)
            status = self.status;
        if (result == NLOPT_OUT_OF_MEMORY)
            status = DFL_NO_MEMORY;
    }
    nlopt_destroy(self.opt);
    dfl_outcome_clear(&self.here, it);
    dfl_free(it->ctx, limits);
    dfl_free(it->ctx, point);
    return status;
}

#else

dfl_status dfl_search_nlopt(outcome *at, objective *it, double *z, const char *algorithm)
{
    (void)at, (void)z;
    return dfl_fail(it->ctx, DFL_INVALID,
                    "--algorithm %s, and limits (subject), need the library NLopt, without which "
                    "this program was built; there are lm and bfgs",
                    algorithm);
}

#endif
