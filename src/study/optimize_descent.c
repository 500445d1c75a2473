/* optimize_descent.c: any objective by BFGS inside bounds: the inverse Hessian of the variables
   that no bound holds, steps along the projected path. */
#include "study/optimize_internal.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 300 };

typedef struct descent {
    double *H;               /* count x count: of the inverse Hessian */
    double *step, *next, *y; /* count each */
    double *Hy;
    bool fresh; /* H is the identity, of unknown size */
} descent;

static void reset(descent *d, int count)
{
    memset(d->H, 0, (size_t)count * (size_t)count * sizeof *d->H);
    for (int i = 0; i < count; i++)
        d->H[i * count + i] = 1;
    d->fresh = true;
}

/* step = -H slope, without variables that are held; -slope, if that does not lead down. */
static void find_step(descent *d, const objective *it, const double *z, const double *slope)
{
    const int count = it->count;
    double down = 0;
    for (int i = 0; i < count; i++) {
        d->step[i] = 0;
        for (int j = 0; j < count && !dfl_is_held(z, slope, i); j++)
            if (!dfl_is_held(z, slope, j))
                d->step[i] -= d->H[j * count + i] * slope[j];
        down += d->step[i] * slope[i];
    }
    if (!(down < 0)) {
        reset(d, count);
        for (int i = 0; i < count; i++)
            d->step[i] = dfl_is_held(z, slope, i) ? 0 : -slope[i];
    }
    if (!d->fresh)
        return;
    double largest = 0; /* a first step of a tenth of the bounds' distance */
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(d->step[i]));
    for (int i = 0; largest > 0 && i < count; i++)
        d->step[i] *= 0.1 / largest;
}

/* H from s = next - z and the change y of the slope, where the curvature is positive. */
static void update(descent *d, int count, const double *s, const double *old, const double *new)
{
    double sy = 0, yHy = 0, yy = 0;
    for (int i = 0; i < count; i++) {
        d->y[i] = new[i] - old[i];
        sy += s[i] * d->y[i];
        yy += d->y[i] * d->y[i];
    }
    if (!(sy > 1e-12 * sqrt(yy)))
        return;
    if (d->fresh)
        for (int i = 0; i < count; i++)
            d->H[i * count + i] = sy / yy;
    d->fresh = false;
    for (int i = 0; i < count; i++) {
        d->Hy[i] = 0;
        for (int j = 0; j < count; j++)
            d->Hy[i] += d->H[j * count + i] * d->y[j];
        yHy += d->y[i] * d->Hy[i];
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            d->H[j * count + i] +=
                (1 + yHy / sy) * s[i] * s[j] / sy - (d->Hy[i] * s[j] + s[i] * d->Hy[j]) / sy;
}

/* Halves the step until the objective decreases enough. *moved: how far z goes; 0: nowhere. */
static dfl_status search_line(double *moved, descent *d, outcome *at, outcome *trial, objective *it,
                              double *z)
{
    const int count = it->count;
    double part = 1;
    *moved = 0;
    for (int attempt = 0; attempt < 14; attempt++, part *= 0.4) {
        double far = 0, promised = 0;
        for (int i = 0; i < count; i++) {
            d->next[i] = fmin(fmax(z[i] + part * d->step[i], 0), 1);
            far = fmax(far, fabs(d->next[i] - z[i]));
            promised += at->slope[i] * (d->next[i] - z[i]);
        }
        if (far < 1e-13)
            return DFL_OK;
        const dfl_status status = dfl_objective_evaluate(trial, it, d->next);
        if (status == DFL_STOPPED || status == DFL_NO_MEMORY)
            return status;
        it->out->failed += status != DFL_OK;
        if (status || !(trial->value <= at->value + 1e-4 * promised))
            continue;
        for (int i = 0; i < count; i++) {
            const double s = d->next[i] - z[i];
            z[i] = d->next[i];
            d->next[i] = s;
        }
        update(d, count, d->next, at->slope, trial->slope);
        const outcome old = *at;
        *at = *trial;
        *trial = old;
        *moved = far;
        return DFL_OK;
    }
    return DFL_OK;
}

dfl_status dfl_search_descent(outcome *at, objective *it, double *z)
{
    const size_t count = (size_t)it->count;
    double *work = dfl_alloc(it->ctx, count * (count + 4), sizeof *work);
    outcome trial = {0};
    dfl_status status = work ? dfl_outcome_create(&trial, it) : DFL_NO_MEMORY;
    descent d = {.H = work};
    if (!status) {
        d.step = work + count * count;
        d.next = d.step + count;
        d.y = d.next + count;
        d.Hy = d.y + count;
        reset(&d, it->count);
    }
    for (int k = 1; !status && k <= MOST_ITERATIONS; k++) {
        double moved;
        const bool fresh = d.fresh;
        if (dfl_objective_slope(it, z, at->slope) <=
            it->tolerance * fmax(fabs(at->value), 1e-300)) {
            it->out->converged = true;
            break;
        }
        find_step(&d, it, z, at->slope);
        status = search_line(&moved, &d, at, &trial, it, z);
        if (!status && moved == 0 && !fresh) { /* once more, straight down */
            reset(&d, it->count);
            continue;
        }
        if (status || moved == 0) {
            it->out->converged = !status;
            break;
        }
        it->out->iterations = k;
        it->tell(k, it->out->runs, at->value, it->user);
    }
    dfl_outcome_clear(&trial, it);
    dfl_free(it->ctx, work);
    return status;
}
