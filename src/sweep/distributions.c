/* distributions.c: distributions by name, and their quantiles. */
#include "sweep/numbers_internal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NORMAL, UNIFORM, LOGNORMAL, LOGUNIFORM, TRIANGULAR, EXPONENTIAL, KINDS };
static const struct {
    const char *name;
    int numbers;
    const char *usage;
} kinds[KINDS] = {{"normal", 2, "normal(MEAN,DEVIATION) with a deviation above 0"},
                  {"uniform", 2, "uniform(LOWEST,HIGHEST) with LOWEST < HIGHEST"},
                  {"lognormal", 2, "lognormal(MEDIAN,DEVIATION of the logarithm), both above 0"},
                  {"loguniform", 2, "loguniform(LOWEST,HIGHEST) with 0 < LOWEST < HIGHEST"},
                  {"triangular", 3, "triangular(LOWEST,LIKELIEST,HIGHEST)"},
                  {"exponential", 1, "exponential(MEAN) with a mean above 0"}};

static bool is_valid(const dfl_distribution *it);
static double normal_quantile(double p);

const char *dfl_distribution_read(dfl_distribution *out, const char *text)
{
    const char *open = strchr(text, '(');
    int kind = 0;
    while (kind < KINDS && (!open || strlen(kinds[kind].name) != (size_t)(open - text) ||
                            strncmp(text, kinds[kind].name, (size_t)(open - text)) != 0))
        kind++;
    if (kind == KINDS)
        return "one of normal(...), uniform(...), lognormal(...), loguniform(...), "
               "triangular(...), exponential(...)";
    *out = (dfl_distribution){.kind = kind};
    const char *at = open + 1;
    for (int i = 0; i < kinds[kind].numbers; i++) {
        char *end;
        out->number[i] = strtod(at, &end);
        const char last = i + 1 < kinds[kind].numbers ? ',' : ')';
        if (end == at || *end != last || !isfinite(out->number[i]))
            return kinds[kind].usage;
        at = end + 1;
    }
    return *at || !is_valid(out) ? kinds[kind].usage : NULL;
}

static bool is_valid(const dfl_distribution *it)
{
    const double *n = it->number;
    switch (it->kind) {
    case NORMAL:
        return n[1] > 0;
    case UNIFORM:
        return n[0] < n[1];
    case LOGNORMAL:
        return n[0] > 0 && n[1] > 0;
    case LOGUNIFORM:
        return n[0] > 0 && n[0] < n[1];
    case TRIANGULAR:
        return n[0] <= n[1] && n[1] <= n[2] && n[0] < n[2];
    default:
        return n[0] > 0;
    }
}

double dfl_distribution_quantile(const dfl_distribution *it, double u)
{
    const double *n = it->number, width = n[2] - n[0];
    switch (it->kind) {
    case NORMAL:
        return n[0] + n[1] * normal_quantile(u);
    case UNIFORM:
        return n[0] + (n[1] - n[0]) * u;
    case LOGNORMAL:
        return n[0] * exp(n[1] * normal_quantile(u));
    case LOGUNIFORM:
        return n[0] * pow(n[1] / n[0], u);
    case TRIANGULAR:
        return u * width < n[1] - n[0] ? n[0] + sqrt(u * width * (n[1] - n[0]))
                                       : n[2] - sqrt((1 - u) * width * (n[2] - n[1]));
    default:
        return -n[0] * log1p(-u);
    }
}

/* From a rational start (Abramowitz, Stegun 26.2.23, error below 5e-4) by Halley's method on erfc,
   which triples the number of right digits. */
static double normal_quantile(double p)
{
    const double q = p < 0.5 ? p : 1 - p, t = sqrt(-2 * log(q));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int k = 0; k < 3; k++) { /* upper tail: q = erfc(x / sqrt 2) / 2 */
        const double excess = 0.5 * erfc(x * 0.70710678118654752440) - q;
        const double slope = exp(-x * x / 2) * 0.39894228040143267794;
        const double e = excess / slope;
        x += e / (1 - x * e / 2);
    }
    return p < 0.5 ? -x : x;
}
