/* CVODES on the underlying ODEs of models whose gradients bench/gradients.py measures: the plain
   run, sensitivities forwards (staggered, in the error test) and backwards (adjoint), rtol = atol =
   1e-8. Derivatives of the right-hand sides are exact: complex steps, (J s + f_theta) by one
   evaluation. Prints rows of a table. */
#include <complex.h>
#include <cvodes/cvodes.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

enum { MOST = 6, REPEATS = 3 };
typedef double complex number;

/* A model with N unknowns [p v], K parameters and 2 equations of constraint at most. */
typedef struct model {
    const char *name;
    int N, K;
    double parameter[5], end;
    void (*start)(number *y, const number *p);
    void (*rates)(number *f, const number *y, const number *p);
    void (*constraint)(number *g, const number *y, const number *p);
} model;

static const double tiny = 1e-30;
static double tolerance = 1e-8;

static void pendulum_start(number *y, const number *p)
{
    (void)p;
    y[0] = 1;
    y[1] = y[2] = y[3] = 0;
}

/* lambda from x x'' + y y'' + vx^2 + vy^2 = 0 */
static void pendulum_rates(number *f, const number *y, const number *p)
{
    const number m = p[0], g = p[1], L2 = y[0] * y[0] + y[1] * y[1];
    const number lambda = m * (y[2] * y[2] + y[3] * y[3] - g * y[1]) / (2 * L2);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -2 * y[0] * lambda / m;
    f[3] = -g - 2 * y[1] * lambda / m;
}

static void pendulum_constraint(number *g, const number *y, const number *p)
{
    (void)p;
    g[0] = y[0] * y[0] + y[1] * y[1] - 1;
    g[1] = 0;
}

/* phi, theta, x of examples/slider-crank.lua; p = l1, l2, m1, m2, m3 */
static void crank_start(number *y, const number *p)
{
    const number s = -p[0] / p[1], c = csqrt(1 - s * s);
    y[0] = acos(-1) / 2;
    y[1] = casin(s);
    y[2] = p[1] * c;
    y[3] = 10;
    y[4] = 0;
    y[5] = -p[0] * 10;
}

/* A (5 x 5, rows) z = b */
static void solve(number A[5][5], number *b)
{
    for (int k = 0; k < 5; k++) {
        int pivot = k;
        for (int i = k + 1; i < 5; i++)
            if (cabs(A[i][k]) > cabs(A[pivot][k]))
                pivot = i;
        for (int j = 0; pivot != k && j < 5; j++) {
            const number swapped = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = swapped;
        }
        const number other = b[k];
        b[k] = b[pivot];
        b[pivot] = pivot == k ? b[pivot] : other;
        for (int i = k + 1; i < 5; i++) {
            const number factor = A[i][k] / A[k][k];
            for (int j = k; j < 5; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = 4; k >= 0; k--) {
        for (int j = k + 1; j < 5; j++)
            b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

/* [M G'; G 0] [a; lambda] = [f; -bias] */
static void crank_rates(number *f, const number *y, const number *p)
{
    const number l1 = p[0], l2 = p[1], m1 = p[2], m2 = p[3], m3 = p[4];
    const number sp = csin(y[0]), cp = ccos(y[0]), st = csin(y[1]), ct = ccos(y[1]);
    const number u2 = y[3] * y[3], w2 = y[4] * y[4], half = m2 * l2 / 2;
    number A[5][5] = {{m1 * l1 * l1 / 3, 0, 0, -l1 * sp, l1 * cp},
                      {0, m2 * l2 * l2 / 3, half * st, -l2 * st, l2 * ct},
                      {0, half * st, m2 + m3, -1, 0},
                      {-l1 * sp, -l2 * st, -1, 0, 0},
                      {l1 * cp, l2 * ct, 0, 0, 0}};
    number b[5] = {-9.81 * m1 * l1 / 2 * cp, 9.81 * half * ct, -half * ct * w2,
                   l1 * cp * u2 + l2 * ct * w2, l1 * sp * u2 + l2 * st * w2};
    solve(A, b);
    memcpy(f, y + 3, 3 * sizeof *f);
    memcpy(f + 3, b, 3 * sizeof *f);
}

static void crank_constraint(number *g, const number *y, const number *p)
{
    g[0] = p[0] * ccos(y[0]) + p[1] * ccos(y[1]) - y[2];
    g[1] = p[0] * csin(y[0]) + p[1] * csin(y[1]);
}

static const model models[] = {
    {"pendulum", 4, 2, {1, 13.75}, 399.3, pendulum_start, pendulum_rates, pendulum_constraint},
    {"slider crank",
     6,
     5,
     {0.15, 0.3, 0.36, 0.151104, 0.075552},
     40,
     crank_start,
     crank_rates,
     crank_constraint}};

/* f(y, p) along s and a change of parameter k; s may be NULL, k < 0: none. */
static void along(double *out, const model *m, const double *y, const double *s, int k)
{
    number Y[MOST], P[5], f[MOST];
    for (int i = 0; i < m->N; i++)
        Y[i] = y[i] + (s ? I * tiny * s[i] : 0);
    for (int j = 0; j < m->K; j++)
        P[j] = m->parameter[j] + (j == k ? I * tiny : 0);
    m->rates(f, Y, P);
    for (int i = 0; i < m->N; i++)
        out[i] = cimag(f[i]) / tiny;
}

static void values(double *out, const model *m, const double *y)
{
    double complex Y[MOST], P[5], f[MOST];
    for (int i = 0; i < m->N; i++)
        Y[i] = y[i];
    for (int j = 0; j < m->K; j++)
        P[j] = m->parameter[j];
    m->rates(f, Y, P);
    for (int i = 0; i < m->N; i++)
        out[i] = creal(f[i]);
}

static int rates(realtype t, N_Vector y, N_Vector f, void *user)
{
    (void)t;
    values(N_VGetArrayPointer(f), user, N_VGetArrayPointer(y));
    return 0;
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *user, N_Vector a,
                    N_Vector b, N_Vector c)
{
    const model *m = user;
    (void)t, (void)f, (void)a, (void)b, (void)c;
    for (int j = 0; j < m->N; j++) {
        double unit[MOST] = {0};
        unit[j] = 1;
        along(SUNDenseMatrix_Column(J, j), m, N_VGetArrayPointer(y), unit, -1);
    }
    return 0;
}

static int sensitivity(int K, realtype t, N_Vector y, N_Vector f, int k, N_Vector s, N_Vector out,
                       void *user, N_Vector a, N_Vector b)
{
    (void)K, (void)t, (void)f, (void)a, (void)b;
    along(N_VGetArrayPointer(out), user, N_VGetArrayPointer(y), N_VGetArrayPointer(s), k);
    return 0;
}

/* mu' = -J^T mu */
static int back_rates(realtype t, N_Vector y, N_Vector mu, N_Vector out, void *user)
{
    const model *m = user;
    const double *weight = N_VGetArrayPointer(mu);
    (void)t;
    for (int j = 0; j < m->N; j++) {
        double unit[MOST] = {0}, column[MOST], sum = 0;
        unit[j] = 1;
        along(column, m, N_VGetArrayPointer(y), unit, -1);
        for (int i = 0; i < m->N; i++)
            sum -= column[i] * weight[i];
        N_VGetArrayPointer(out)[j] = sum;
    }
    return 0;
}

static int back_slopes(realtype t, N_Vector y, N_Vector mu, N_Vector out, void *user)
{
    const model *m = user;
    (void)t;
    for (int k = 0; k < m->K; k++) {
        double column[MOST], sum = 0;
        along(column, m, N_VGetArrayPointer(y), NULL, k);
        for (int i = 0; i < m->N; i++)
            sum -= column[i] * N_VGetArrayPointer(mu)[i]; /* time falls */
        N_VGetArrayPointer(out)[k] = sum;
    }
    return 0;
}

/* y and its derivatives by the parameters at the start. */
static void start(double *y, double (*s)[MOST], const model *m)
{
    for (int k = 0; k < m->K; k++) {
        number P[5], Y[MOST];
        for (int j = 0; j < m->K; j++)
            P[j] = m->parameter[j] + (j == k ? I * tiny : 0);
        m->start(Y, P);
        for (int i = 0; i < m->N; i++) {
            y[i] = creal(Y[i]);
            s[k][i] = cimag(Y[i]) / tiny;
        }
    }
}

/* What a run has found. */
typedef struct found {
    double seconds, gradient[5], constraint, differentiated;
} found;

static double processor_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* How far constraints, and their derivatives, are from zero. */
static void residuals(found *out, const model *m, const double *y, N_Vector *S)
{
    for (int k = 0; k < m->K; k++) {
        number Y[MOST], P[5], g[2];
        for (int i = 0; i < m->N; i++)
            Y[i] = y[i] + (S ? I * tiny * N_VGetArrayPointer(S[k])[i] : 0);
        for (int j = 0; j < m->K; j++)
            P[j] = m->parameter[j] + (j == k ? I * tiny : 0);
        m->constraint(g, Y, P);
        for (int i = 0; i < 2; i++) {
            out->constraint = fmax(out->constraint, fabs(creal(g[i])));
            if (S)
                out->differentiated = fmax(out->differentiated, fabs(cimag(g[i])) / tiny);
        }
    }
}

enum { PLAIN, FORWARDS, BACKWARDS };

static void sweep(found *out, void *memory, const model *m, const double (*s)[MOST], SUNContext sun)
{
    N_Vector mu = N_VNew_Serial(m->N, sun), sum = N_VNew_Serial(m->K, sun);
    SUNMatrix J = SUNDenseMatrix(m->N, m->N, sun);
    SUNLinearSolver linear = SUNLinSol_Dense(mu, J, sun);
    double t;
    int which;
    N_VConst(0, mu);
    N_VConst(0, sum);
    N_VGetArrayPointer(mu)[m->N / 2 - 1] = 1; /* y of the pendulum, x of the slider */
    CVodeCreateB(memory, CV_BDF, &which);
    CVodeInitB(memory, which, back_rates, m->end, mu);
    CVodeSStolerancesB(memory, which, tolerance, tolerance);
    CVodeSetUserDataB(memory, which, (void *)m);
    CVodeSetMaxNumStepsB(memory, which, 10000000);
    CVodeSetLinearSolverB(memory, which, linear, J);
    CVodeQuadInitB(memory, which, back_slopes, sum);
    CVodeQuadSStolerancesB(memory, which, tolerance, tolerance);
    CVodeSetQuadErrConB(memory, which, SUNTRUE);
    CVodeB(memory, 0, CV_NORMAL);
    CVodeGetB(memory, which, &t, mu);
    CVodeGetQuadB(memory, which, &t, sum);
    for (int k = 0; k < m->K; k++) {
        out->gradient[k] = N_VGetArrayPointer(sum)[k];
        for (int i = 0; i < m->N; i++)
            out->gradient[k] += N_VGetArrayPointer(mu)[i] * s[k][i];
    }
    N_VDestroy(mu);
    N_VDestroy(sum);
    SUNLinSolFree(linear);
    SUNMatDestroy(J);
}

static found run(const model *m, int how)
{
    found out = {0};
    SUNContext sun;
    double s[5][MOST], t;
    int checkpoints;
    SUNContext_Create(NULL, &sun);
    N_Vector y = N_VNew_Serial(m->N, sun), *S = N_VCloneVectorArray(m->K, y);
    SUNMatrix J = SUNDenseMatrix(m->N, m->N, sun);
    SUNLinearSolver linear = SUNLinSol_Dense(y, J, sun);
    void *memory = CVodeCreate(CV_BDF, sun);
    start(N_VGetArrayPointer(y), s, m);
    for (int k = 0; k < m->K; k++)
        memcpy(N_VGetArrayPointer(S[k]), s[k], (size_t)m->N * sizeof(double));
    const double began = processor_time();
    CVodeInit(memory, rates, 0, y);
    CVodeSStolerances(memory, tolerance, tolerance);
    CVodeSetUserData(memory, (void *)m);
    CVodeSetMaxNumSteps(memory, 10000000);
    CVodeSetLinearSolver(memory, linear, J);
    CVodeSetJacFn(memory, jacobian);
    if (how == FORWARDS) {
        double tolerances[5];
        for (int k = 0; k < m->K; k++)
            tolerances[k] = tolerance;
        CVodeSensInit1(memory, m->K, CV_STAGGERED, sensitivity, S);
        CVodeSensSStolerances(memory, tolerance, tolerances);
        CVodeSetSensErrCon(memory, SUNTRUE);
    }
    int status;
    if (how == BACKWARDS) {
        CVodeAdjInit(memory, 200, CV_HERMITE);
        status = CVodeF(memory, m->end, y, &t, CV_NORMAL, &checkpoints);
        sweep(&out, memory, m, (const double(*)[MOST])s, sun);
    } else {
        status = CVode(memory, m->end, y, &t, CV_NORMAL);
    }
    if (how == FORWARDS) {
        CVodeGetSens(memory, &t, S);
        for (int k = 0; k < m->K; k++)
            out.gradient[k] = N_VGetArrayPointer(S[k])[m->N / 2 - 1];
    }
    out.seconds = status < 0 ? NAN : processor_time() - began;
    residuals(&out, m, N_VGetArrayPointer(y), how == FORWARDS ? S : NULL);
    N_VDestroyVectorArray(S, m->K);
    N_VDestroy(y);
    SUNLinSolFree(linear);
    SUNMatDestroy(J);
    CVodeFree(&memory);
    SUNContext_Free(&sun);
    return out;
}

static found fastest(const model *m, int how)
{
    found best = run(m, how);
    for (int i = 1; i < REPEATS; i++) {
        const found next = run(m, how);
        if (next.seconds < best.seconds)
            best = next;
    }
    return best;
}

static double difference(const found *a, const found *b, int count)
{
    double most = 0, size = 0;
    for (int k = 0; k < count; k++) {
        most = fmax(most, fabs(a->gradient[k] - b->gradient[k]));
        size = fmax(size, fabs(b->gradient[k]));
    }
    return most / size;
}

int main(void)
{
    printf("| CVODES on the underlying ODE | plain run, s | forwards / plain | value and adjoint / "
           "plain "
           "| errors of the gradient, relative | constraints | differentiated constraints |\n");
    printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const model *m = &models[i];
        const found plain = fastest(m, PLAIN), direct = fastest(m, FORWARDS);
        const found swept = fastest(m, BACKWARDS);
        tolerance = 1e-12;
        const found exact = run(m, FORWARDS);
        tolerance = 1e-8;
        printf("| %s, %d | %.3f | %.2f | %.2f | %.1e, %.1e | %.1e | %.1e |\n", m->name, m->K,
               plain.seconds, direct.seconds / plain.seconds, swept.seconds / plain.seconds,
               difference(&direct, &exact, m->K), difference(&swept, &exact, m->K),
               direct.constraint, direct.differentiated);
    }
    return 0;
}
