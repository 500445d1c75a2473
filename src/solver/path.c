/* Bernstein's form: x(tau) = sum_k coef[k] B_k(tau) lies between the least and the greatest
   coefficient, and on a part of the step likewise with the coefficients of that part, which de
   Casteljau's scheme gives. */
#include "solver/path.h"

#include <math.h>
#include <string.h>

static void begin(dfl_path *path, int degree);
static void take(dfl_path *path, int j, const double *x);
static double place(int k, int degree);
static void make_basis(dfl_path *path, int degree);
static double bernstein(int k, int degree, double tau);

dfl_status dfl_path_init(dfl_path *path, const dfl_system *sys, const bool *uses)
{
    const size_t nu = (size_t)sys->nu, room = DFL_PATH_DEGREE + 1;
    path->n = sys->nu;
    path->coef = dfl_alloc(sys->ctx, nu * room, sizeof *path->coef);
    /* the number of leading unknowns may change with the start */
    path->sample =
        dfl_alloc(sys->ctx, nu + 3 * (size_t)sys->eom->nv + (size_t)sys->n, sizeof *path->sample);
    path->basis = dfl_alloc(sys->ctx, room * room, sizeof *path->basis);
    path->used = dfl_alloc(sys->ctx, nu, sizeof *path->used);
    if (!path->coef || !path->sample || !path->basis || !path->used)
        return DFL_NO_MEMORY;
    for (int i = 0; i < path->n; i++)
        if (!uses || uses[i])
            path->used[path->nused++] = i;
    return DFL_OK;
}

void dfl_path_clear(dfl_path *path, dfl_context *ctx)
{
    dfl_free(ctx, path->coef);
    dfl_free(ctx, path->sample);
    dfl_free(ctx, path->basis);
    dfl_free(ctx, path->used);
}

void dfl_path_set(dfl_path *path, const dfl_stepper *st)
{
    path->t_old = st->t_old;
    path->h = st->t - st->t_old;
    begin(path, st->degree < DFL_PATH_DEGREE ? st->degree : DFL_PATH_DEGREE);
    for (int j = 0; j <= path->degree; j++) {
        dfl_stepper_interpolate(path->sample, st, path->t_old + path->place[j] * path->h);
        take(path, j, path->sample + st->sys->na);
    }
}

bool dfl_path_sample(dfl_path *path, int degree, bool (*sample)(double *x, double t, void *user),
                     void *user)
{
    begin(path, degree);
    for (int j = 0; j <= degree; j++) {
        if (!sample(path->sample, path->t_old + path->place[j] * path->h, user))
            return false;
        take(path, j, path->sample);
    }
    return true;
}

static void begin(dfl_path *path, int degree)
{
    if (path->basis_degree != degree)
        make_basis(path, degree);
    path->degree = degree;
    memset(path->coef, 0, (size_t)path->nused * (size_t)(degree + 1) * sizeof *path->coef);
}

/* The state x at place j. */
static void take(dfl_path *path, int j, const double *x)
{
    const int places = path->degree + 1;
    const double *share = path->basis + j * places;
    for (int i = 0; i < path->nused; i++) {
        double *restrict coef = path->coef + i * places;
        for (int k = 0; k < places; k++)
            coef[k] += share[k] * x[path->used[i]];
    }
}

/* Chebyshev's points, with the ends. */
static double place(int k, int degree)
{
    const double half_turn = 3.14159265358979323846;
    return degree == 0 ? 0 : 0.5 - 0.5 * cos(half_turn * k / degree);
}

static double bernstein(int k, int degree, double tau)
{
    double value = 1;
    for (int i = 0; i < k; i++)
        value *= tau * (degree - i) / (i + 1);
    for (int i = k; i < degree; i++)
        value *= 1 - tau;
    return value;
}

/* The inverse of the values of all basis functions at all places, by Gauss and Jordan. */
static void make_basis(dfl_path *path, int degree)
{
    const int n = degree + 1;
    double A[DFL_PATH_DEGREE + 1][2 * (DFL_PATH_DEGREE + 1)] = {{0}};
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++)
            A[j][k] = bernstein(k, degree, place(j, degree));
        A[j][n + j] = 1;
    }
    for (int c = 0; c < n; c++) { /* the largest entries are on the diagonal */
        for (int k = 2 * n; k-- > c;)
            A[c][k] /= A[c][c];
        for (int j = 0; j < n; j++)
            for (int k = 2 * n; j != c && k-- > c;)
                A[j][k] -= A[j][c] * A[c][k];
    }
    for (int j = 0; j < n; j++) {
        path->place[j] = place(j, degree);
        for (int k = 0; k < n; k++)
            path->basis[j * n + k] = A[k][n + j];
    }
    path->basis_degree = degree;
}

/* The coefficients of the part [a, b], from those of the whole. */
static void part(double *out, const double *coef, int degree, double a, double b)
{
    double left[DFL_PATH_DEGREE + 1];
    const double ratio = b > 0 ? a / b : 0;
    if (a == 0 && b == 1) {
        memmove(out, coef, (size_t)(degree + 1) * sizeof *out);
        return;
    }
    memcpy(left, coef, (size_t)(degree + 1) * sizeof *left);
    for (int r = 1; r <= degree; r++) /* [0, b] */
        for (int k = degree; k >= r; k--)
            left[k] = (1 - b) * left[k - 1] + b * left[k];
    memcpy(out, left, (size_t)(degree + 1) * sizeof *out);
    for (int r = 1; r <= degree; r++) /* and of that [a/b, 1] */
        for (int k = 0; k <= degree - r; k++)
            out[k] = (1 - ratio) * out[k] + ratio * out[k + 1];
}

/* By comparisons: calls of fmin and fmax cost more than all else here. */
static void extremes(double *low, double *high, const double *c, int count)
{
    double least = c[0], most = c[0];
    for (int k = 1; k < count; k++) {
        least = c[k] < least ? c[k] : least;
        most = c[k] > most ? c[k] : most;
    }
    *low = least;
    *high = most;
}

void dfl_path_bounds(dfl_bounds *x, dfl_bounds *t, const dfl_path *path, double a, double b)
{
    const int degree = path->degree;
    const double sign = path->h < 0 ? -1 : 1, rate = degree / fabs(path->h);
    const double t_a = path->t_old + a * path->h, t_b = path->t_old + b * path->h;
    double c[DFL_PATH_DEGREE + 1], d[DFL_PATH_DEGREE + 1];
    *t = (dfl_bounds){fmin(t_a, t_b), fmax(t_a, t_b), sign, sign};
    for (int i = 0; i < path->nused; i++) {
        const double *coef = path->coef + i * (degree + 1);
        dfl_bounds *out = &x[path->used[i]];
        for (int k = 0; k < degree; k++)
            d[k] = rate * (coef[k + 1] - coef[k]);
        part(c, coef, degree, a, b);
        if (degree > 0)
            part(d, d, degree - 1, a, b);
        else
            d[0] = 0;
        extremes(&out->low, &out->high, c, degree + 1);
        extremes(&out->slope_low, &out->slope_high, d, degree > 0 ? degree : 1);
    }
}

void dfl_path_at(double *x, const dfl_path *path, double tau)
{
    double basis[DFL_PATH_DEGREE + 1];
    for (int k = 0; k <= path->degree; k++)
        basis[k] = bernstein(k, path->degree, tau);
    for (int i = 0; i < path->nused; i++) {
        const double *c = path->coef + i * (path->degree + 1);
        double sum = 0;
        for (int k = 0; k <= path->degree; k++)
            sum += basis[k] * c[k];
        x[path->used[i]] = sum;
    }
}
