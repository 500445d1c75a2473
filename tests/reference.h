/* reference.h: the classical Runge-Kutta method, for references in minimal coordinates. */
#ifndef DFL_TESTS_REFERENCE_H
#define DFL_TESTS_REFERENCE_H

typedef void (*rate_fn)(double *rate, double t, const double *y, const void *user);
enum { RATES_MOST = 6 };

/* n steps of RK4. At steps of 1e-3 s for motions of about 3 rad/s (5e-3 s for 1 rad/s) it is exact
   to 1e-9 or better. */
static inline void rk4(double *y, int ny, double t, double t_end, int n, rate_fn rate,
                       const void *user)
{
    const double h = (t_end - t) / n, node[4] = {0, h / 2, h / 2, h};
    const double weight[4] = {h / 6, h / 3, h / 3, h / 6};
    for (int step = 0; step < n; step++) {
        double k[RATES_MOST] = {0}, z[RATES_MOST], sum[RATES_MOST] = {0};
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < ny; i++)
                z[i] = y[i] + node[stage] * k[i];
            rate(k, t + step * h + node[stage], z, user);
            for (int i = 0; i < ny; i++)
                sum[i] += weight[stage] * k[i];
        }
        for (int i = 0; i < ny; i++)
            y[i] += sum[i];
    }
}

#endif
