/* closed_forms.h: exact solutions that the examples are compared with. */
#ifndef DFL_TESTS_CLOSED_FORMS_H
#define DFL_TESTS_CLOSED_FORMS_H

#include <math.h>

static const double PI = 3.14159265358979323846;

/* sn(u | m) and the quarter period K(m) by the arithmetic-geometric mean (Abramowitz and Stegun,
   16.4 and 17.6); cn = cos am, dn = sqrt(1 - m sn^2). */
static inline double elliptic_sn(double u, double m, double *K)
{
    enum { MOST = 12 };
    double a[MOST + 1] = {1.0}, c[MOST + 1] = {sqrt(m)}, b = sqrt(1.0 - m);
    int n = 0;
    while (n < MOST && fabs(c[n]) > 1e-17) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    *K = PI / (2.0 * a[n]);
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--)
        phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
    return sin(phi);
}

/* The integral of a smooth function of period 2 pi by the midpoint rule, which converges
   exponentially; `count` is a multiple of 4, so that no point lies at a multiple of pi/2. */
static inline double integrate_period(double (*f)(double angle, const void *data), const void *data,
                                      int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += f(2.0 * PI * (i + 0.5) / count, data);
    return sum * 2.0 * PI / count;
}

/* y = exp(A t) y for a 3 x 3 matrix (row by row): Taylor's series in 1000 steps. */
static inline void solve_linear(double y[3], double A[3][3], double t)
{
    enum { STEPS = 1000, TERMS = 14 };
    for (int step = 0; step < STEPS; step++) {
        double term[3] = {y[0], y[1], y[2]};
        for (int k = 1; k <= TERMS; k++) {
            double next[3];
            for (int i = 0; i < 3; i++)
                next[i] =
                    (A[i][0] * term[0] + A[i][1] * term[1] + A[i][2] * term[2]) * t / (STEPS * k);
            for (int i = 0; i < 3; i++)
                y[i] += term[i] = next[i];
        }
    }
}

#endif
