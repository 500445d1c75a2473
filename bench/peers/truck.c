/* The truck of problems/truck.c for the other solvers: the same equations, called through an
   adaptor. Its reference is the one stored there, good to 4e-10. */
#include "peers.h"

#include "problems.h"

#include <string.h>

enum { NL = 2, NP = 9, N = NL + 2 * NP };

static void init(double *p, double *v);
static void eval(double t, const double *p, const double *v, double *M, double *f, double *g,
                 double *G, double *gt, double *gamma);

/* lambda, v, p at t = 20 */
static const double end[N] = {
    7.68410952247e-01,    -6.80564681485e+04,   -1.2484837256244e-04, -1.0511120371929e-04,
    1.2656357136198e-05,  -9.8354457782792e-05, -7.0291579693160e-05, 1.2621457423080e-05,
    -1.1488495767991e-05, -1.2338010823673e-04, 1.2786269259943e-05,  5.0018010546942e-01,
    2.0001506675281e+00,  -1.8845440976247e-05, 5.0014075848778e-01,  2.9000988186779e+00,
    -1.8789348194776e-05, -1.4599828918439e+00, 2.9001778661366e+00,  -1.9041448844862e-05};
static const double masses[NP] = {1450, 3335, 14313, 600, 1100, 948, 11515, 11515, 33000};

const peer_problem peer_truck = {
    .name = "truck",
    .np = NP,
    .nl = NL,
    .t_end = 20,
    .first_step = 1e-4,
    .mass = masses,
    .init = init,
    .eval = eval,
    .p_end = end + NL + NP,
    .v_end = end + NL,
    .lambda_end = end,
};

static const problem *truck(void)
{
    static problem made;
    if (!made.x0)
        problem_truck(&made, 0);
    return &made;
}

static void init(double *p, double *v)
{
    memcpy(v, truck()->x0 + NL, NP * sizeof *v);
    memcpy(p, truck()->x0 + NL + NP, NP * sizeof *p);
}

static void eval(double t, const double *p, const double *v, double *M, double *f, double *g,
                 double *G, double *gt, double *gamma)
{
    const dfl_eom *eom = &truck()->eom;
    double x[N] = {0}, W[NL * NP] = {0};
    dfl_blocks out = {.f = f, .g = g, .W = W, .bias = gamma};
    const unsigned need = (f ? DFL_FORCE : 0u) | (g ? DFL_POSITION : 0u) |
                          (G ? DFL_DIRECTIONS : 0u) | (gamma ? DFL_BIAS : 0u);
    memcpy(x + NL, v, NP * sizeof *v);
    memcpy(x + NL + NP, p, NP * sizeof *p);
    eom->eval(&out, t, x, need, eom->user);
    for (int i = 0; G && i < NL; i++)
        for (int j = 0; j < NP; j++)
            G[i * NP + j] = W[i + NL * j];
    if (gt)
        memset(gt, 0, NL * sizeof *gt);
    if (M) {
        memset(M, 0, NP * NP * sizeof *M);
        for (int i = 0; i < NP; i++)
            M[i * NP + i] = masses[i];
    }
}
