/* disk.c: a thin disk that rolls without slipping on the plane z = 0, in quaternion coordinates.

   p = (x, y, z; q), v = (x', y', z'; w) as in top.c; m = 1, radius r = 1, J1 = 1/4, J3 = 1/2,
   gravity 9.81. n = R e3 is the axis of the disk, s = sqrt(n1^2 + n2^2), omega = R w, c = r (n3
   n1/s, n3 n2/s, -s) leads from the centre to the contact point:

       M = diag(1, 1, 1, J1, J1, J3),  f = (0, 0, -m g; -(w x J w))
       g  = z - r s,                    ep = |q|^2 - 1 (kept by the kinematics)
       hv = ((x', y', z') + omega x c) in x and y: the contact point does not slide

   Rates: n' = R (w x e3), and with w' = 0: n'' = R (w x (w x e3)), omega' = 0, so that the bias of
   hv is (omega x c') in x and y, and that of g is -r s''.

   Start: axis tilted 1.2 rad from the vertical about x. References: own, computed with two
   independent integrators, agreeing to 6e-13. Energy 21.449553433338494. */
#include "problems_internal.h"
#include "quaternion.h"

#include <math.h>
#include <string.h>

enum { NL = 1, NM = 2, NC = NL + NM, NV = 6, NP = 7, N = NC + NV + NP };

static const double m = 1.0, r = 1.0, J1 = 0.25, J3 = 0.5, gravity = 9.81;

/* What the constraints need of the orientation and its rate. */
typedef struct rolling {
    double R[9], s, c[3];    /* body axes, s, centre to contact */
    double n1[3], s1, c1[3]; /* rates */
    double s2;               /* second rate with w' = 0 */
} rolling;

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_rolling(rolling *at, const double *q, const double *w);
static void eval_constraints(dfl_blocks *out, const double *v, const double *p, unsigned need);
static void write_directions(double *W, const rolling *at);
static void rotate(double y[3], const double R[9], const double w[3]);
static void cross(double y[3], const double a[3], const double b[3]);
static int mass(double *M, double t, const double *x, void *user);
static double energy(const double *x, const void *parameters);

/* clang-format off */
/* lambda, mu, v, p */
static const double start[N] = {
    0, 0, 0, 4, -0.18640781719344527, 0.072471550895334716, 0.2, 1.5, -4,
    0, 0, 0.93203908596722635, 0.82533561490967830, 0.56464247339503536, 0, 0};

static const problem_reference references[] = {
    {1.0, (const double[N]){
        -11.08245142580846, 0.6569505263473416, -1.974815786694776,
        3.793643214491489, 1.281062489104527, -0.1364548757884256, 1.335898515740860,
        -0.5433968212341322, -3.987431412317221,
        3.915739629232617, 0.5642330589402693, 0.9366899144910290, -0.2726424878069204,
        -0.3088549872822914, 0.4790914444942201, -0.7750780983138089}, 1e-12},
    {2.0, (const double[N]){
        -9.638249214831243, 0.9483323712195871, -1.257075401762883,
        3.031891843440538, 2.606618791289133, -0.2081683865269313, -0.4999317425008412,
        -0.9320348265416766, -3.931978496025075,
        7.312124316488208, 2.588716118228777, 0.9612161316636820, -0.6292587547606602,
        -0.2230259861651883, -0.5588929285665646, 0.4918653509349866}, 1e-12},
    {5.0, (const double[N]){
        -9.394575354529559, 1.144198602149717, 0.5151408607584483,
        -1.320997707499316, 3.707625300319961, 0.01665322999156594, 0.6979658531224689,
        0.2787628279155761, -3.931810823793971,
        10.08505994892326, 13.49919291051582, 0.9957454019967824, -0.7331623737410247,
        0.1748812982488854, -0.6506481109304061, -0.09244728766115498}, 1e-12},
};
/* clang-format on */

bool problem_disk(problem *out, int size)
{
    (void)size;
    *out = (problem){
        .name = "disk",
        .about = "thin disk rolling on a plane: holonomic and nonholonomic rows, quaternions",
        .eom = {.np = NP,
                .nv = NV,
                .nl = NL,
                .nm = NM,
                .nep = 1,
                .eval = eval,
                .mass = mass,
                .mass_diagonal = true,
                .mass_constant = true,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 5.0,
        .references = references,
        .nreferences = sizeof references / sizeof *references,
        .energy = energy,
    };
    if (!problem_allocate(out, 1))
        return false;
    memcpy(out->x0, start, sizeof start);
    if (problem_solve_multipliers(out))
        return true;
    problem_free(out);
    return false;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + NC, *w = v + 3, *p = v + NV;
    (void)t, (void)user;
    if (need & DFL_KINEMATICS) {
        memcpy(out->kin, v, 3 * sizeof *v);
        quaternion_rate(out->kin + 3, p + 3, w);
    }
    if (need & DFL_FORCE) {
        const double f[NV] = {
            0.0, 0.0, -m * gravity, (J1 - J3) * w[1] * w[2], (J3 - J1) * w[0] * w[2], 0.0};
        memcpy(out->f, f, sizeof f);
    }
    if (need & (DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS))
        eval_constraints(out, v, p, need);
    return 0;
}

static void eval_rolling(rolling *at, const double *q, const double *w)
{
    const double *n = at->R + 6, *n1 = at->n1;
    double n2[3];
    quaternion_axes(at->R, q);
    rotate(at->n1, at->R, (const double[]){w[1], -w[0], 0.0});
    rotate(n2, at->R, (const double[]){w[0] * w[2], w[1] * w[2], -w[0] * w[0] - w[1] * w[1]});
    const double s = at->s = sqrt(n[0] * n[0] + n[1] * n[1]);
    const double s1 = at->s1 = (n[0] * n1[0] + n[1] * n1[1]) / s;
    at->s2 = (n1[0] * n1[0] + n1[1] * n1[1] + n[0] * n2[0] + n[1] * n2[1] - s1 * s1) / s;
    for (int i = 0; i < 2; i++) {
        at->c[i] = r * n[2] * n[i] / s;
        at->c1[i] = r * (n1[2] * n[i] + n[2] * n1[i] - n[2] * n[i] * s1 / s) / s;
    }
    at->c[2] = -r * s;
    at->c1[2] = -r * s1;
}

static void eval_constraints(dfl_blocks *out, const double *v, const double *p, unsigned need)
{
    const double *w = v + 3, *q = p + 3;
    rolling at;
    double omega[3], slip[3];
    eval_rolling(&at, q, w);
    rotate(omega, at.R, w);
    if (need & DFL_POSITION) {
        out->g[0] = p[2] - r * at.s;
        out->ep[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0;
    }
    if (need & DFL_VELOCITY) {
        cross(slip, omega, at.c);
        out->gI[0] = v[2] - r * at.s1;
        out->hv[0] = v[0] + slip[0];
        out->hv[1] = v[1] + slip[1];
    }
    if (need & DFL_DIRECTIONS)
        write_directions(out->W, &at);
    if (need & DFL_BIAS) {
        cross(slip, omega, at.c1);
        out->bias[0] = -r * at.s2;
        out->bias[1] = slip[0];
        out->bias[2] = slip[1];
    }
}

/* s' = (n.n')/s in x and y with n' = w2 a - w1 b; the other rows are e + R e_k x c. */
static void write_directions(double *W, const rolling *at)
{
    const double *a = at->R, *b = at->R + 3, *n = at->R + 6;
    W[0 + NC * 2] = 1.0;
    W[0 + NC * 3] = r * (n[0] * b[0] + n[1] * b[1]) / at->s;
    W[0 + NC * 4] = -r * (n[0] * a[0] + n[1] * a[1]) / at->s;
    W[1 + NC * 0] = 1.0;
    W[2 + NC * 1] = 1.0;
    for (int k = 0; k < 3; k++) {
        double slip[3];
        cross(slip, at->R + 3 * k, at->c);
        W[1 + NC * (3 + k)] = slip[0];
        W[2 + NC * (3 + k)] = slip[1];
    }
}

/* y = R w */
static void rotate(double y[3], const double R[9], const double w[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = R[i] * w[0] + R[3 + i] * w[1] + R[6 + i] * w[2];
}

static void cross(double y[3], const double a[3], const double b[3])
{
    y[0] = a[1] * b[2] - a[2] * b[1];
    y[1] = a[2] * b[0] - a[0] * b[2];
    y[2] = a[0] * b[1] - a[1] * b[0];
}

static int mass(double *M, double t, const double *x, void *user)
{
    const double diagonal[NV] = {m, m, m, J1, J1, J3};
    (void)t, (void)x, (void)user;
    memcpy(M, diagonal, sizeof diagonal);
    return 0;
}

static double energy(const double *x, const void *parameters)
{
    const double *v = x + NC, *w = v + 3, *p = v + NV;
    (void)parameters;
    return 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           0.5 * (J1 * (w[0] * w[0] + w[1] * w[1]) + J3 * w[2] * w[2]) + m * gravity * p[2];
}
