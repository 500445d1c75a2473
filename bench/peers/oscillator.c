/* Two masses on two spring-dampers, problems/oscillator.c, for the other solvers: no constraint,
   and with m1 = 0 an algebraic velocity. Called by name: oscillator:m1:d:t_end. Counts of steps are
   what it is there for; it has no reference. */
#include "peers.h"

#include "problems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NP = 2 };

static void init(double *p, double *v);
static void eval(double t, const double *p, const double *v, double *M, double *f, double *g,
                 double *G, double *gt, double *gamma);

static const double unknown[NP] = {NAN, NAN};
static problem oscillator;

const peer_problem *peer_oscillator(const char *name)
{
    static peer_problem made = {.np = NP,
                                .first_step = 1e-6,
                                .init = init,
                                .eval = eval,
                                .p_end = unknown,
                                .v_end = unknown,
                                .lambda_end = unknown};
    double m1, d;
    if (sscanf(name, "oscillator:%lf:%lf:%lf", &m1, &d, &made.t_end) != 3 ||
        !problem_oscillator_mass(&oscillator, m1, d))
        return NULL;
    made.name = name;
    return &made;
}

static void init(double *p, double *v)
{
    memcpy(v, oscillator.x0, NP * sizeof *v);
    memcpy(p, oscillator.x0 + NP, NP * sizeof *p);
}

static void eval(double t, const double *p, const double *v, double *M, double *f, double *g,
                 double *G, double *gt, double *gamma)
{
    const dfl_eom *eom = &oscillator.eom;
    double x[2 * NP], diagonal[NP];
    (void)g;
    (void)G;
    (void)gt;
    (void)gamma;
    memcpy(x, v, NP * sizeof *v);
    memcpy(x + NP, p, NP * sizeof *p);
    if (f)
        eom->eval(&(dfl_blocks){.f = f}, t, x, DFL_FORCE, eom->user);
    if (M) {
        eom->mass(diagonal, t, x, eom->user);
        M[0] = diagonal[0];
        M[1] = M[2] = 0;
        M[3] = diagonal[1];
    }
}
