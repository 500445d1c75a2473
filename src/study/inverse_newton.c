/* inverse_newton.c: drives of prescribed motions where forces are not proportional to inputs:

       f(tau) - f(u0) - W_s^T (l_s' - l_s) = -W_m^T l_m

   by Newton's iteration; of several solutions with more inputs than needed the shortest one. */
#include "study/inverse_internal.h"

#include <driftless/analysis.h>

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 60, STARTS = 4 };

static dfl_status set_inputs(dfl_pursuit *it, const double *tau)
{
    const dfl_declaration *decl = eq_of(it->run)->model->declarations.item;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < it->out->nu; i++) {
        const dfl_declaration *input = &decl[it->out->inputs[i]];
        status = dfl_runnable_set(it->run, DFL_AN_INPUT, input->index, tau ? tau[i] : input->value);
    }
    return status;
}

/* Forces (nv) and their derivatives it->B with these inputs. */
static dfl_status eval_forces(double *force, dfl_pursuit *it, const double *tau, double t)
{
    const dfl_inverse *out = it->out;
    dfl_blocks blocks = {0};
    dfl_status status = set_inputs(it, tau);
    if (!status)
        status = dfl_state_blocks_create(&blocks, it->run, DFL_FORCE, t, out->x);
    if (!status)
        status = dfl_runnable_input_slopes(it->B, it->b, it->d, it->run, out->inputs, out->nu, t,
                                           out->x, NULL);
    if (!status)
        memcpy(force, blocks.f, (size_t)eq_of(it->run)->nv * sizeof *force);
    dfl_state_blocks_free(&blocks, it->run);
    return status;
}

/* Where an iteration starts: at the last row, at the inputs as they are, and around them. */
static void choose_start(double *tau, const dfl_pursuit *it, int start)
{
    static const double beside[] = {0, 0, 1, -1};
    const dfl_declaration *decl = eq_of(it->run)->model->declarations.item;
    for (int i = 0; i < it->out->nu; i++) {
        const double value = decl[it->out->inputs[i]].value;
        if (start > 0 || !it->followed)
            tau[i] = value + beside[start] * fmax(1, fabs(value));
    }
}

/* From tau to a solution. DFL_INCONSISTENT: none was reached. */
static dfl_status iterate(double *tau, int *worst, dfl_pursuit *it, dfl_drive_forces wanted,
                          double t, const double *needed, double *work)
{
    const int nv = wanted.nv, nu = wanted.nu;
    double *force = work, *next = work + 2 * nv, before = HUGE_VAL;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        dfl_status status = eval_forces(force, it, tau, t);
        double change = 0, size = 0;
        for (int i = 0; !status && i < nv; i++) {
            it->force[i] = needed[i] - force[i];
            for (int j = 0; j < nu; j++)
                it->force[i] += it->B[(size_t)j * (size_t)nv + (size_t)i] * tau[j];
            if (!isfinite(it->force[i]))
                status = DFL_INCONSISTENT;
        }
        if (!status)
            status = dfl_drives_find(next, it->multipliers, worst, ctx_of(it->run), &wanted);
        if (status)
            return status;
        for (int j = 0; j < nu; j++) {
            change = fmax(change, fabs(next[j] - tau[j]));
            size = fmax(size, fabs(next[j]));
        }
        const double part = change > 4 * before ? 4 * before / change : 1;
        for (int j = 0; j < nu; j++)
            tau[j] += part * (next[j] - tau[j]);
        before = part * change;
        if (!isfinite(change))
            return DFL_INCONSISTENT;
        if (change <= 1e-13 * size + 1e-300)
            return DFL_OK;
        if (k > 20 && change <= 1e-10 * size) /* rounding */
            return DFL_OK;
    }
    return DFL_INCONSISTENT;
}

dfl_status dfl_drives_by_newton(dfl_pursuit *it, int *worst, const dfl_drive_forces *wanted,
                                double t)
{
    const size_t nv = (size_t)wanted->nv, nu = (size_t)wanted->nu;
    double *work = dfl_alloc(ctx_of(it->run), 2 * nv + 2 * nu, sizeof *work);
    if (!work)
        return DFL_NO_MEMORY;
    double *needed = work + nv, *tau = work + 2 * nv + nu;
    dfl_status status = eval_forces(needed, it, NULL, t);
    for (size_t i = 0; !status && i < nv; i++)
        needed[i] += it->force[i];
    dfl_status found = status ? status : DFL_INCONSISTENT;
    memcpy(tau, it->out->tau, nu * sizeof *tau);
    for (int k = 0; found == DFL_INCONSISTENT && k < STARTS; k++) {
        choose_start(tau, it, k);
        found = iterate(tau, worst, it, *wanted, t, needed, work);
    }
    if (!found) {
        memcpy(it->out->tau, tau, nu * sizeof *tau);
        it->followed = true;
    }
    status = set_inputs(it, NULL);
    dfl_free(ctx_of(it->run), work);
    return found ? found : status;
}

dfl_status dfl_drives_power_added(dfl_pursuit *it, double t)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_inverse *out = it->out;
    const size_t nv = (size_t)eq->nv, nu = (size_t)out->nu;
    const double *v = out->x + eq->nw + eq->nl + eq->nm + eq->nr;
    double *all = dfl_alloc(ctx_of(it->run), 2 * nv + nu, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    double *without = all + nv, *tau = without + nv;
    dfl_status status = eval_forces(all, it, out->tau, t);
    for (size_t j = 0; !status && j < nu; j++) {
        memcpy(tau, out->tau, nu * sizeof *tau);
        tau[j] = 0;
        status = eval_forces(without, it, tau, t);
        out->power[j] = 0;
        for (size_t i = 0; i < nv; i++)
            out->power[j] += (all[i] - without[i]) * v[i];
    }
    const dfl_status back = set_inputs(it, NULL);
    dfl_free(ctx_of(it->run), all);
    return status ? status : back;
}
