/* Crossings without enclosures: functions are interpolated at Chebyshev's points of the step, which
   are doubled until the last coefficients are small, and the interpolants are looked at between the
   points. An excursion much shorter than the distance of the points is missed. */
#include "solver/crossings.h"

#include <math.h>
#include <string.h>

enum { FIRST = 8, BETWEEN = 4 }; /* intervals at first; places in each that are looked at */
static const double small = 1e-3, half_turn = 3.14159265358979323846;

static dfl_status take_samples(dfl_search *s, int n, double a, double b);
static bool resolved(dfl_search *s, const bool *open, int n);
static dfl_status look_between(bool *found, dfl_search *s, const bool *open, int n, double from,
                               double to, double theta);

dfl_status dfl_search_sample(dfl_search *s, const bool *open, double a, double b)
{
    bool found = false;
    int n = FIRST;
    dfl_status status = take_samples(s, n, a, b);
    while (!status && !resolved(s, open, n) && n < DFL_SEARCH_SAMPLES) {
        n *= 2;
        status = take_samples(s, n, a, b);
    }
    double last = a;
    for (int k = 1; !status && !found && k <= BETWEEN * n; k++) {
        const double theta = half_turn * k / (BETWEEN * n);
        const double tau = k == BETWEEN * n ? b : a + (b - a) * (0.5 - 0.5 * cos(theta));
        status = look_between(&found, s, open, n, last, tau, theta);
        last = tau;
    }
    return status;
}

/* sample: functions at n + 1 points, then in their place the coefficients of their series. */
static dfl_status take_samples(dfl_search *s, int n, double a, double b)
{
    const int count = s->watched->count, room = DFL_SEARCH_SAMPLES + 1;
    double value[DFL_SEARCH_SAMPLES + 1];
    for (int k = 0; k <= n; k++) {
        const dfl_status status =
            dfl_search_values(s, a + (b - a) * (0.5 - 0.5 * cos(half_turn * k / n)));
        if (status)
            return status;
        for (int i = 0; i < count; i++)
            s->sample[i * room + k] = s->value[i];
    }
    for (int i = 0; i < count; i++) {
        double *c = s->sample + i * room;
        memcpy(value, c, ((size_t)n + 1) * sizeof *value);
        for (int j = 0; j <= n; j++) {
            c[j] = 0;
            for (int k = 0; k <= n; k++)
                c[j] += (k % n ? 2.0 : 1.0) / n * value[k] * cos(half_turn * (j * k % (2 * n)) / n);
        }
        c[0] *= 0.5;
        c[n] *= 0.5;
    }
    return DFL_OK;
}

/* Whether the last coefficients of all functions are small, compared with the largest. */
static bool resolved(dfl_search *s, const bool *open, int n)
{
    for (int i = 0; i < s->watched->count; i++) {
        const double *c = s->sample + i * (DFL_SEARCH_SAMPLES + 1);
        double largest = 0, tail = 0;
        for (int j = 0; j <= n; j++)
            largest = fmax(largest, fabs(c[j]));
        for (int j = n - 2; j <= n; j++)
            tail = fmax(tail, fabs(c[j]));
        if (open[i] && tail > small * largest)
            return false;
    }
    return true;
}

/* A function whose interpolant is negative at `to` is evaluated there. */
static dfl_status look_between(bool *found, dfl_search *s, const bool *open, int n, double from,
                               double to, double theta)
{
    bool near = false;
    for (int i = 0; i < s->watched->count; i++) {
        const double *c = s->sample + i * (DFL_SEARCH_SAMPLES + 1);
        double sum = 0;
        for (int j = 0; j <= n; j++)
            sum += c[j] * cos(j * theta);
        near = near || (open[i] && sum <= 0);
    }
    dfl_status status = near ? dfl_search_values(s, to) : DFL_OK;
    if (near && !status)
        status = dfl_search_limits(s, to);
    for (int i = 0; near && !status && i < s->watched->count; i++) /* locating changes values */
        if (open[i] && s->value[i] < s->limit[i])
            s->first[i] = to;
    for (int i = 0; near && !status && i < s->watched->count; i++)
        if (s->first[i] == to) {
            status = dfl_search_locate(s, i, from, to);
            *found = true;
        }
    return status;
}
