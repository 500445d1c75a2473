/* noise.c: what tolerances may change in a function is no crossing. In first order that is ten
   times the sum of |dc/dx_i| tolerance_i; but sin(40 x) cannot become larger than 1, however large
   that sum is, and would never cross. So the sum is compared with the range of c over the states
   that are ten tolerances away: if it is larger, c turns back within the tolerances, and they
   decide nothing. */
#include "solver/crossings.h"

#include <math.h>
#include <string.h>

enum { TOLERANCES = 10 };
static const double turning = 0.1; /* of the range: noise of a function that turns back */

static double limited(double noise, double range);
static int reach_of(dfl_bounds *reach, const dfl_search *search, const dfl_watched *watched,
                    double t, const double *x, const double *tolerance);

int dfl_search_noise(double *noise, const dfl_search *search, const dfl_watched *watched, double t,
                     const double *x, const double *tolerance)
{
    for (int i = 0; i < watched->count; i++)
        noise[i] *= TOLERANCES;
    if (!watched->enclose)
        return 0;
    if (reach_of(search->reach, search, watched, t, x, tolerance))
        return 1;
    for (int i = 0; i < watched->count; i++)
        noise[i] = limited(noise[i], 0.5 * (search->reach[i].high - search->reach[i].low));
    return 0;
}

/* Changes of one unknown after the other are added. */
int dfl_search_noise_by_differences(double *noise, const dfl_search *search,
                                    const dfl_watched *watched, double t, const double *x,
                                    const double *tolerance, double *probe)
{
    static const double by[] = {1, TOLERANCES, -TOLERANCES};
    const int count = watched->count, n = search->unknowns;
    double *here = probe, *beside = here + count, *moved = beside + count;
    dfl_bounds *change = search->reach; /* low: by one tolerance, high: by ten */
    memset(change, 0, (size_t)count * sizeof *change);
    memcpy(moved, x, (size_t)n * sizeof *x);
    int failed = watched->eval(here, count, t, moved, watched->user);
    for (int k = 0; !failed && k < 3 * n; k++) {
        const int j = k / 3;
        moved[j] = x[j] + by[k % 3] * tolerance[j];
        failed = watched->eval(beside, count, t, moved, watched->user);
        moved[j] = x[j];
        for (int i = 0; i < count; i++) {
            const double found = fabs(beside[i] - here[i]);
            double *most = &change[i].slope_low;
            *most = k % 3 == 0 ? 0 : fmax(*most, found);
            change[i].low += k % 3 == 0 ? found : 0;
            change[i].high += k % 3 == 2 ? *most : 0;
        }
    }
    for (int i = 0; i < count; i++)
        noise[i] = limited(TOLERANCES * change[i].low, change[i].high);
    return failed;
}

/* Noise as it is up to the range, then falling fast: at 1.2 times the range a sine would hide
   within it. */
static double limited(double noise, double range)
{
    if (!(noise > range) || !(range > 0))
        return noise;
    return range * fmax(turning, pow(range / noise, 8));
}

/* Bounds of the functions over the states that are ten tolerances away. */
static int reach_of(dfl_bounds *reach, const dfl_search *search, const dfl_watched *watched,
                    double t, const double *x, const double *tolerance)
{
    dfl_bounds *box = reach + search->room;
    const dfl_bounds now = {t, t, 0, 0};
    for (int j = 0; j < search->unknowns; j++)
        box[j] =
            (dfl_bounds){x[j] - TOLERANCES * tolerance[j], x[j] + TOLERANCES * tolerance[j], 0, 0};
    return watched->enclose(reach, watched->count, &now, box, watched->user);
}
