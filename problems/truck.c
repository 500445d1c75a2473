/* truck.c: planar truck whose loading area is hinged to the chassis, driving over a hump.

   p = (rear wheel height; chassis height, angle; front wheel height; cabin height, angle;
        loading area x, y, angle), all other motions are guided.
   M = diag(m1, m2, I2, m3, m4, I4, m5, m5, I5)
   Seven spring-dampers act between pairs of points with the tension T = k l + c l' + N along their
   line of length l: generalized force -T dl/dp. A point with local coordinates (a, h) on a body at
   (X, Y) with angle phi is at
       (X + a cos phi - h sin phi, Y + a sin phi + h cos phi).
   Hinge:  g = (p7, p8) + R(p9) cc - (0, p2) - R(p3) ac
   Road:   u = 0.001 s^6 exp(-s) for s = t - t0 > 0, else 0; t0 = 2/15 in front, 6.5/15 behind
   Start: equilibrium. Largest eigenvalue at rest -76.8 1/s; oscillating pairs such as -8 +- 59i.

   Source: Eich-Soellner and Fuehrer, Numerical Methods in Multibody Dynamics, the constrained
   truck. References: own, computed with two independent integrators. */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

enum { NL = 2, NV = 9, LAMBDA = 0, V = 2, P = 11, N = 20 };
enum { MAX_COLUMNS = 6 };

/* Coordinates in p of a body's reference point and angle; -1: X fixed at x, Y given by the road,
   no angle. */
typedef struct point {
    int X, Y, phi;
    double x, a, h;
    double t0; /* of the road */
} point;

typedef struct spring {
    point from, to;
    double k, c, N;
} spring;

/* A spring at one instant: D = to - from, its derivatives J_j = dD/dp_j by the coordinates it
   depends on, and the second derivatives S_j = d^2D/dp_j^2 (the mixed ones vanish). */
typedef struct span {
    int n;
    int column[MAX_COLUMNS];
    double J[MAX_COLUMNS][2], S[MAX_COLUMNS][2];
    double D[2], rate[2]; /* D and D' */
    double l, e[2];       /* |D|, D/l */
    double T, lp[MAX_COLUMNS];
} span;

/* clang-format off */
#define A12 (-2.06)
#define A23 2.44
#define A24 1.94
#define A42 3.64
#define B24 (-0.8)
#define H1 (-1.34)
#define FRONT (2.0 / 15)
#define REAR (6.5 / 15)
#define ROAD(where, t0) {-1, -1, -1, where, 0, 0, t0}
#define WHEEL(where, Y) {-1, Y, -1, where, 0, 0, 0}
#define CHASSIS(a, h) {-1, 1, 2, 0, a, h, 0}
#define CABIN(a) {-1, 4, 5, A24 - B24, a, 0, 0}
#define LOADING(a) {6, 7, 8, 0, a, 0, 0}
/* clang-format on */

static const spring springs[] = {
    {ROAD(A12, REAR), WHEEL(A12, 0), 4.4e6, 600, -2329145.162},
    {WHEEL(A12, 0), CHASSIS(A12, H1), 824700, 21593, -246872.662},
    {WHEEL(A23, 3), CHASSIS(A23, H1), 271100, 38537, -84924.838},
    {ROAD(A23, FRONT), WHEEL(A23, 3), 2.2e6, 300, -1147434.838},
    {CHASSIS(A24, 0), CABIN(B24), 135700, 12218, -127842.88235294},
    {CHASSIS(A42, 0), CABIN(0.9), 135700, 12218, -127208.11764706},
    {CHASSIS(0.98, 0), LOADING(2.44), 900000, 38500, -854905.94111111},
};
static const double masses[NV] = {1450, 3335, 14313, 600, 1100, 948, 11515, 11515, 33000};
static const int falling[] = {0, 1, 3, 4, 7}; /* heights */
static const double gravity = 9.81;
static const double ac[2] = {-3.07, 0.15}, cc[2] = {-1.61, -0.75};

static const double start[N] = {
    [1] = -68056.2088888888, [P] = 0.5, 2, 0, 0.5, 2.9, 0, -1.46, 2.9, 0};

/* lambda, v, p */
static const problem_reference references[] = {
    {2, (const double[N]){-3.31129589986e+01,  -6.81753134058e+04,  8.3948593988318e-03,
                          1.2152540797386e-02, 2.7110786387603e-03, 1.5049910708970e-02,
                          1.9545972032645e-02, 2.7235646895940e-03, -2.4353966835002e-03,
                          8.1929937241103e-03, 2.7122516257872e-03, 5.0290005089995e-01,
                          2.0047517733927e+00, 1.3548853582890e-03, 5.0676408485884e-01,
                          2.9083544902380e+00, 1.3489881476642e-03, -1.4612023238746e+00,
                          2.9027391611410e+00, 1.3339690333251e-03},
     1e-11},
    {5, (const double[N]){-2.25023311044e+02,  -6.80450564112e+04,   2.9937019177416e-02,
                          2.6054867211427e-02, -2.9360039766750e-03, 2.3197152751917e-02,
                          1.8017270521284e-02, -2.9498621250035e-03, 2.6294753211918e-03,
                          3.0339632696278e-02, -2.9447673721682e-03, 5.9382476290077e-01,
                          2.1006968416427e+00, 4.6179840761666e-03,  6.0330930225800e-01,
                          3.0134496136853e+00, 4.6198498707044e-03,  -1.4641818342790e+00,
                          2.9940324583356e+00, 4.6724167753101e-03},
     1e-11},
    {10, (const double[N]){1.44006058102e+02,    -6.80157015468e+04,   -2.0084894981306e-02,
                           -1.9132043193420e-02, 6.2482511908060e-04,  -1.8626190690460e-02,
                           -1.7421465460690e-02, 6.2694669963831e-04,  -5.6677666554509e-04,
                           -2.0039012721411e-02, 6.2700163856752e-04,  5.5399417622006e-01,
                           2.0491685230494e+00,  -3.1125674025084e-03, 5.4719915194705e-01,
                           2.9406191205869e+00,  -3.1127007852368e-03, -1.4571738542069e+00,
                           2.9536700504442e+00,  -3.1364173050056e-03},
     4e-11},
    {20, (const double[N]){7.68410952247e-01,    -6.80564681485e+04,   -1.2484837256244e-04,
                           -1.0511120371929e-04, 1.2656357136198e-05,  -9.8354457782792e-05,
                           -7.0291579693160e-05, 1.2621457423080e-05,  -1.1488495767991e-05,
                           -1.2338010823673e-04, 1.2786269259943e-05,  5.0018010546942e-01,
                           2.0001506675281e+00,  -1.8845440976247e-05, 5.0014075848778e-01,
                           2.9000988186779e+00,  -1.8789348194776e-05, -1.4599828918439e+00,
                           2.9001778661366e+00,  -1.9041448844862e-05},
     4e-10},
};

static int mass(double *M, double t, const double *x, void *user);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_force(double *f, double t, const double *v, const double *p);
static void eval_constraints(dfl_blocks *out, const double *v, const double *p, unsigned need);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void jacobian_of_spring(double *dyn, const spring *element, const span *s, const double *v);
static void jacobian_of_hinge(dfl_jacobian *out, const double *x, const double *a);
static span eval_span(const spring *element, double t, const double *v, const double *p);
static void add_point(span *s, const point *end, double sign, double t, const double *v,
                      const double *p);
static void add_column(span *s, int column, double rate, const double *J, const double *S,
                       double sign);
static void rotate(double *out, double phi, const double *local);
static double dot(const double *a, const double *b);

bool problem_truck(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "truck",
        .about = "planar truck with a hinged loading area over a hump: forced, mildly stiff",
        .eom = {.np = NV,
                .nv = NV,
                .nl = NL,
                .eval = eval,
                .mass = mass,
                .jacobian = jacobian,
                .mass_diagonal = true,
                .mass_constant = true,
                .forces_free_of_multipliers = true},
        .t_end = 20,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
    };
    if (!problem_allocate(out, 1))
        return false;
    memcpy(out->x0, start, sizeof start);
    return true;
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    memcpy(M, masses, sizeof masses);
    return 0;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)user;
    const double *v = x + V, *p = x + P;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, NV * sizeof *v);
    if (need & DFL_FORCE)
        eval_force(out->f, t, v, p);
    if (need & (DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS))
        eval_constraints(out, v, p, need);
    return 0;
}

static void eval_force(double *f, double t, const double *v, const double *p)
{
    memset(f, 0, NV * sizeof *f);
    for (size_t i = 0; i < sizeof falling / sizeof *falling; i++)
        f[falling[i]] = -masses[falling[i]] * gravity;
    for (size_t i = 0; i < sizeof springs / sizeof *springs; i++) {
        const span s = eval_span(&springs[i], t, v, p);
        for (int j = 0; j < s.n; j++)
            f[s.column[j]] -= s.T * s.lp[j];
    }
}

/* With A = R(p3) ac, C = R(p9) cc and primes for the derivative by the angle, A'' = -A. */
static void eval_constraints(dfl_blocks *out, const double *v, const double *p, unsigned need)
{
    double A[2], C[2];
    rotate(A, p[2], ac);
    rotate(C, p[8], cc);
    const double dA[2] = {-A[1], A[0]}, dC[2] = {-C[1], C[0]};
    for (int i = 0; i < 2; i++) {
        if (need & DFL_POSITION)
            out->g[i] = p[6 + i] + C[i] - i * p[1] - A[i];
        if (need & DFL_VELOCITY)
            out->gI[i] = v[6 + i] + dC[i] * v[8] - i * v[1] - dA[i] * v[2];
        if (need & DFL_DIRECTIONS) {
            out->W[i + NL * 1] = -i;
            out->W[i + NL * 2] = -dA[i];
            out->W[i + NL * (6 + i)] = 1;
            out->W[i + NL * 8] = dC[i];
        }
        if (need & DFL_BIAS)
            out->bias[i] = A[i] * v[2] * v[2] - C[i] * v[8] * v[8];
    }
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    (void)user;
    for (int i = 0; i < NV; i++)
        out->kin[i + NV * i] = 1;
    for (size_t i = 0; i < sizeof springs / sizeof *springs; i++) {
        const span s = eval_span(&springs[i], t, x + V, x + P);
        jacobian_of_spring(out->dyn, &springs[i], &s, x + V);
    }
    jacobian_of_hinge(out, x, a);
    return 0;
}

/* Adds the derivatives of -T l_p, with l_pp = J^T (I - e e^T) J/l + diag(S^T e), of which
   l'_p = l_pp v + (e_p)^T (road velocity) follows from D' directly. */
static void jacobian_of_spring(double *dyn, const spring *element, const span *s, const double *v)
{
    const double stretch = dot(s->e, s->rate);
    for (int j = 0; j < s->n; j++) {
        double rate_p = (dot(s->rate, s->J[j]) - stretch * s->lp[j]) / s->l; /* dl'/dp_j */
        rate_p += dot(s->e, s->S[j]) * v[s->column[j]];
        const double T_p = element->k * s->lp[j] + element->c * rate_p;
        for (int i = 0; i < s->n; i++) {
            double lpp = (dot(s->J[i], s->J[j]) - s->lp[i] * s->lp[j]) / s->l;
            if (i == j)
                lpp += dot(s->e, s->S[j]);
            dyn[s->column[i] + NV * (V + s->column[j])] -= element->c * s->lp[i] * s->lp[j];
            dyn[s->column[i] + NV * (P + s->column[j])] -= T_p * s->lp[i] + s->T * lpp;
        }
    }
}

/* The blocks acc, vel, pos and the constraint forces in dyn. */
static void jacobian_of_hinge(dfl_jacobian *out, const double *x, const double *a)
{
    const double *v = x + V, *p = x + P;
    double A[2], C[2], W[NL * NV] = {0};
    rotate(A, p[2], ac);
    rotate(C, p[8], cc);
    const double dA[2] = {-A[1], A[0]}, dC[2] = {-C[1], C[0]};
    eval_constraints(&(dfl_blocks){.W = W}, v, p, DFL_DIRECTIONS);

    memcpy(out->pos, W, sizeof W);
    memcpy(out->vel, W, sizeof W);
    for (int i = 0; i < 2; i++) {
        out->vel[i + NL * (NV + 2)] = A[i] * v[2];
        out->vel[i + NL * (NV + 8)] = -C[i] * v[8];
        out->acc[i + NL * (V + 2)] = 2 * A[i] * v[2];
        out->acc[i + NL * (V + 8)] = -2 * C[i] * v[8];
        out->acc[i + NL * (P + 2)] = A[i] * a[2] + dA[i] * v[2] * v[2];
        out->acc[i + NL * (P + 8)] = -C[i] * a[8] - dC[i] * v[8] * v[8];
        for (int j = 0; j < NV; j++)
            out->dyn[j + NV * i] = -W[i + NL * j];
    }
    out->dyn[2 + NV * (P + 2)] -= dot(A, x + LAMBDA);
    out->dyn[8 + NV * (P + 8)] += dot(C, x + LAMBDA);
}

static span eval_span(const spring *element, double t, const double *v, const double *p)
{
    span s = {0};
    add_point(&s, &element->from, -1, t, v, p);
    add_point(&s, &element->to, 1, t, v, p);
    s.l = sqrt(dot(s.D, s.D));
    s.e[0] = s.D[0] / s.l;
    s.e[1] = s.D[1] / s.l;
    s.T = element->k * s.l + element->c * dot(s.e, s.rate) + element->N;
    for (int j = 0; j < s.n; j++)
        s.lp[j] = dot(s.e, s.J[j]);
    return s;
}

static void add_point(span *s, const point *end, double sign, double t, const double *v,
                      const double *p)
{
    static const double none[2] = {0, 0}, along_x[2] = {1, 0}, along_y[2] = {0, 1};
    s->D[0] += sign * end->x;
    if (end->X >= 0) {
        s->D[0] += sign * p[end->X];
        add_column(s, end->X, v[end->X], along_x, none, sign);
    }
    if (end->Y >= 0) {
        s->D[1] += sign * p[end->Y];
        add_column(s, end->Y, v[end->Y], along_y, none, sign);
    } else if (t > end->t0) {
        const double r = t - end->t0, r5 = 0.001 * r * r * r * r * r * exp(-r);
        s->D[1] += sign * r5 * r;
        s->rate[1] += sign * r5 * (6 - r);
    }
    if (end->phi >= 0) {
        const double local[2] = {end->a, end->h};
        double d[2];
        rotate(d, p[end->phi], local);
        s->D[0] += sign * d[0];
        s->D[1] += sign * d[1];
        add_column(s, end->phi, v[end->phi], (const double[2]){-d[1], d[0]},
                   (const double[2]){-d[0], -d[1]}, sign);
    }
}

static void add_column(span *s, int column, double rate, const double *J, const double *S,
                       double sign)
{
    const int j = s->n++;
    s->column[j] = column;
    for (int i = 0; i < 2; i++) {
        s->J[j][i] = sign * J[i];
        s->S[j][i] = sign * S[i];
        s->rate[i] += sign * J[i] * rate;
    }
}

static void rotate(double *out, double phi, const double *local)
{
    out[0] = local[0] * cos(phi) - local[1] * sin(phi);
    out[1] = local[0] * sin(phi) + local[1] * cos(phi);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1];
}
