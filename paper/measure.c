/* measure.c: what the experiments share: time, residuals, envelopes, options of a method. */
#define _POSIX_C_SOURCE 200809L
#include "paper.h"

#include <math.h>
#include <time.h>

double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void envelope_start(envelope *e, double length)
{
    e->length = length;
    for (int k = 0; k < MOST_TRACKS; k++)
        for (int i = 0; i < PARTS; i++)
            e->most[k][i] = NAN;
}

void envelope_add(envelope *e, double t, const double *value, int tracks)
{
    const int part = (int)ceil(t / e->length * PARTS) - 1;
    const int i = part < 0 ? 0 : part < PARTS ? part : PARTS - 1;
    for (int k = 0; k < tracks; k++)
        e->most[k][i] = fmax(e->most[k][i], fabs(value[k])); /* fmax(NAN, x) = x */
}

/* Two coordinates, one constraint, M = I: gII = bias + W (f - W^T lambda). */
void levels_of_unit_mass(double level[3], const dfl_eom *eom, double t, const double *x)
{
    double f[2], W[2], e;
    dfl_blocks b = {.kin = (double[2]){0},
                    .f = f,
                    .g = &level[0],
                    .gI = &level[1],
                    .e = &e,
                    .W = W,
                    .bias = &level[2]};
    eom->eval(&b, t, x, DFL_FORCE | DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS,
              eom->user);
    for (int i = 0; i < 2; i++)
        level[2] += W[i] * (f[i] - W[i] * x[0]);
}

/* GEOMS: unit selectors renewed when the pivots change, LU, the matrix of the step's start, no
   second matrix within a step; its Newton tolerance is the one that fits the published counts
   best. */
dfl_solver_options method_options(const method *m, double tolerance)
{
    dfl_solver_options options = {.form = m->form,
                                  .integrator = m->integrator,
                                  .order = m->order,
                                  .rtol = tolerance,
                                  .atol = tolerance};
    if (m->published) {
        options.constraints.selectors = DFL_UNIT;
        options.constraints.renewal = DFL_RENEW_ON_CHANGE;
        options.constraints.algebraic = DFL_ALGEBRAIC_LU;
        options.newton.reference = DFL_REFERENCE_START;
        options.newton.updates = -1;
        options.newton.tolerance = 0.5 * fmin(0.03, sqrt(0.1 * pow(tolerance, 2.0 / 3.0)));
    }
    return options;
}
