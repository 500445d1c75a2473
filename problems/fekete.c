/* fekete.c: n repelling particles on the unit sphere come to rest at a configuration close to the
   elliptic Fekete points.

       p_i'' = sum_{j != i} (p_i - p_j)/|p_i - p_j|^2 - alpha p_i' - 2 lambda_i p_i,   alpha = 1/2
       0     = g_i = p_i.p_i - 1

   Source: IVP test set, problem "fekete" (n = 20), here with the multiplier on the minus side:
   lambda is the negative of the test set's. Start: at rest on four circles of latitude; at rest
   lambda_i = (n-1)/4 in every configuration, because 2 p_i.(p_i - p_j) = |p_i - p_j|^2.
   References: the four particles of which the test set publishes digits at t = 1000 (RADAU5, 1e-12;
   reproduced by extrapolation of order 10 to 3e-12); before that, own values from the same
   extrapolation at two step sizes, of which particle 1 was confirmed by another method to 8 digits.
   Other sizes than 20 start from a spiral and have no reference. */
#include "problems_internal.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { DEFAULT_SIZE = 20, NREFERENCES = 4, NKNOWN = 4 };

static const double alpha = 0.5;

typedef struct fekete {
    int n;
    problem_reference references[NREFERENCES];
    double known[NREFERENCES][7 * DEFAULT_SIZE];
} fekete;

/* Positions of the particles 1, 2, 10 and 20. */
static const int known_particle[NKNOWN] = {0, 1, 9, 19};
static const struct {
    double t, accuracy, p[NKNOWN][3];
} known[NREFERENCES] = {
    {10,
     1e-12,
     {{-0.351163782609, 0.343666367342, 0.870963504254},
      {0.087090942477, -0.313159000028, 0.945699005202},
      {0.987063047798, -0.152960279504, 0.048059260980},
      {0.161182504088, -0.328617388191, -0.930607765148}}},
    {20,
     1e-12,
     {{-0.370846101756, 0.346918995557, 0.861464090566},
      {0.080444009782, -0.305564541351, 0.948767132841},
      {0.988942552136, -0.145067151949, 0.030792044421},
      {0.159856472629, -0.334509127631, -0.928735458401}}},
    {60,
     1e-12,
     {{-0.406999072182, 0.346376042879, 0.845207307211},
      {0.077520782841, -0.262920415543, 0.961698176830},
      {0.984338075363, -0.169662251619, -0.047888138044},
      {0.241329877531, -0.341638623836, -0.908318744117}}},
    {1000,
     1e-11,
     {{-0.4070263380333202, 0.3463758772791802, 0.8451942450030429},
      {0.07752934752521549, -0.2628662719972299, 0.9617122871829146},
      {0.9843259538440293, -0.1696995357819996, -0.04800504290609090},
      {0.2414481766969039, -0.3416456818373135, -0.9082846503446250}}},
};

static void place_on_circles(double *p);
static void place_on_spiral(double *p, int n);
static void place(double *p, double a, double b);
static void fill_references(fekete *data);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_force(double *f, const double *v, const double *p, int n);
static void eval_constraint(dfl_blocks *out, int i, int n, const double *v, const double *p,
                            unsigned need);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static void add_repulsion(double *F, int nv, int i, int j, const double *p);

bool problem_fekete(problem *out, int size)
{
    const int n = size > 1 ? size : DEFAULT_SIZE;
    *out = (problem){
        .name = "fekete",
        .about = "repelling particles on a sphere: long, slow, dense forces",
        .eom = {.np = 3 * n,
                .nv = 3 * n,
                .nl = n,
                .eval = eval,
                .trivial_kinematics = true,
                .jacobian = jacobian,
                .autonomous = true,
                .forces_free_of_multipliers = true},
        .t_end = 1000,
    };
    if (!problem_allocate(out, sizeof(fekete)))
        return false;

    fekete *data = out->parameters;
    double *x0 = out->x0;
    data->n = n;
    for (int i = 0; i < n; i++)
        x0[i] = (n - 1) / 4.0;
    if (n == DEFAULT_SIZE) {
        place_on_circles(x0 + 4 * n);
        fill_references(data);
        out->references = data->references;
        out->nreferences = NREFERENCES;
    } else {
        place_on_spiral(x0 + 4 * n, n);
    }
    return true;
}

static void place_on_circles(double *p)
{
    for (int i = 1; i <= DEFAULT_SIZE; i++, p += 3) {
        if (i <= 3)
            place(p, 2 * PI * i / 3 + PI / 13, 3 * PI / 8);
        else if (i <= 10)
            place(p, 2 * PI * (i - 3) / 7 + PI / 29, PI / 8);
        else if (i <= 16)
            place(p, 2 * PI * (i - 10) / 6 + PI / 7, -2 * PI / 15);
        else
            place(p, 2 * PI * (i - 17) / 4 + PI / 17, -3 * PI / 10);
    }
}

/* Equal steps in height, the golden angle in longitude. */
static void place_on_spiral(double *p, int n)
{
    for (int i = 0; i < n; i++)
        place(p + 3 * i, PI * (3 - sqrt(5)) * i, asin(1 - (2 * i + 1.0) / n));
}

static void place(double *p, double a, double b)
{
    p[0] = cos(a) * cos(b);
    p[1] = sin(a) * cos(b);
    p[2] = sin(b);
}

static void fill_references(fekete *data)
{
    const int n = DEFAULT_SIZE;
    for (int k = 0; k < NREFERENCES; k++) {
        double *x = data->known[k];
        for (int i = 0; i < 7 * n; i++)
            x[i] = NAN;
        for (int i = 0; i < NKNOWN; i++)
            memcpy(x + 4 * n + 3 * known_particle[i], known[k].p[i], sizeof known[k].p[i]);
        data->references[k] = (problem_reference){known[k].t, x, known[k].accuracy};
    }

    double *rest = data->known[NREFERENCES - 1]; /* lambda and v in the end */
    for (int i = 0; i < n; i++)
        rest[i] = (n - 1) / 4.0;
    memset(rest + n, 0, 3 * (size_t)n * sizeof *rest);
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    (void)t;
    const int n = ((const fekete *)user)->n;
    const double *v = x + n, *p = x + 4 * n;
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, 3 * (size_t)n * sizeof *v);
    if (need & DFL_FORCE)
        eval_force(out->f, v, p, n);
    for (int i = 0; i < n; i++)
        eval_constraint(out, i, n, v + 3 * i, p + 3 * i, need);
    return 0;
}

static void eval_force(double *f, const double *v, const double *p, int n)
{
    for (int i = 0; i < 3 * n; i++)
        f[i] = -alpha * v[i];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            const double *pi = p + 3 * i, *pj = p + 3 * j;
            const double d[3] = {pi[0] - pj[0], pi[1] - pj[1], pi[2] - pj[2]};
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            for (int k = 0; k < 3; k++) {
                f[3 * i + k] += d[k] / r2;
                f[3 * j + k] -= d[k] / r2;
            }
        }
    }
}

/* Constraint i with the particle's own v and p. */
static void eval_constraint(dfl_blocks *out, int i, int n, const double *v, const double *p,
                            unsigned need)
{
    if (need & DFL_POSITION)
        out->g[i] = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - 1;
    if (need & DFL_VELOCITY)
        out->gI[i] = 2 * (p[0] * v[0] + p[1] * v[1] + p[2] * v[2]);
    if (need & DFL_DIRECTIONS)
        for (int k = 0; k < 3; k++)
            out->W[i + n * (3 * i + k)] = 2 * p[k];
    if (need & DFL_BIAS)
        out->bias[i] = 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    (void)t;
    const int n = ((const fekete *)user)->n, nv = 3 * n;
    const double *v = x + n, *p = x + 4 * n;
    double *dyn_v = out->dyn + nv * n, *dyn_p = dyn_v + nv * nv;
    double *acc_v = out->acc + n * n, *acc_p = acc_v + n * nv;
    double *vel_p = out->vel + n * nv;

    for (int k = 0; k < nv; k++) {
        const int i = k / 3; /* the particle */
        out->kin[k + nv * k] = 1;
        out->pos[i + n * k] = 2 * p[k];
        out->vel[i + n * k] = 2 * p[k];
        vel_p[i + n * k] = 2 * v[k];
        acc_v[i + n * k] = 4 * v[k];
        acc_p[i + n * k] = 2 * a[k];
        out->dyn[k + nv * i] = -2 * p[k];
        dyn_v[k + nv * k] = -alpha;
        dyn_p[k + nv * k] = -2 * x[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            add_repulsion(dyn_p, nv, i, j, p);
    return 0;
}

/* Adds A = I/r^2 - 2 d d^T/r^4, d = p_i - p_j, to the blocks of F = df/dp that the pair i, j
   owns. */
static void add_repulsion(double *F, int nv, int i, int j, const double *p)
{
    const double *pi = p + 3 * i, *pj = p + 3 * j;
    const double d[3] = {pi[0] - pj[0], pi[1] - pj[1], pi[2] - pj[2]};
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            const double A = ((k == l) - 2 * d[k] * d[l] / r2) / r2;
            const int ik = 3 * i + k, il = 3 * i + l, jk = 3 * j + k, jl = 3 * j + l;
            F[ik + nv * il] += A;
            F[jk + nv * jl] += A;
            F[ik + nv * jl] -= A;
            F[jk + nv * il] -= A;
        }
    }
}
