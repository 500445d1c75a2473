/* Where watched functions first become negative, without missing a crossing of the polynomial.

   On a part of the step the functions have bounds. A function whose lower bound is above zero does
   not cross there, nor does one that its slope cannot bring to zero from its value in the middle;
   where it falls all the time, its value at the end decides. Otherwise the part is halved, the
   earlier half first. A function counts as crossed only if it falls below its noise; its crossing
   is the zero where that excursion begins. */
#include "solver/crossings.h"
#include "solver/solver_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEVELS = 44, FINE = 6 }; /* of halving: 6e-14 of the step; noise counts from 1/64 on */
enum { BUDGET = 1000 };         /* enclosures of one search */
static const double nowhere = 2;

static dfl_status any_near(bool *near, dfl_search *s, double from, double to);
static dfl_status set_rounding(dfl_search *s, double from);
static dfl_status look_beyond(dfl_search *s, double to);
static dfl_status search_part(dfl_search *s, int level, double a, double b);
static dfl_status decide(bool *undecided, dfl_search *s, int level, double a, double b);
static dfl_status rise(double *a, double *above, dfl_search *s, int i, double b, double level);
static dfl_status pass_level(dfl_search *s, int i, double a, double b, double level);
static dfl_status value_at(double *value, dfl_search *s, int i, double tau);
static dfl_status bounds_at(dfl_search *s, double a, double b);
static double earliest(const dfl_search *s);

dfl_status dfl_search_init(dfl_search *search, dfl_context *ctx, int count, int n)
{
    const size_t m = (size_t)count, d = sizeof(double);
    search->ctx = ctx;
    search->room = count;
    search->unknowns = n;
    search->value = dfl_alloc(ctx, m, d);
    search->first = dfl_alloc(ctx, m, d);
    search->limit = dfl_alloc(ctx, m, d);
    search->rounding = dfl_alloc(ctx, m, d);
    search->x = dfl_alloc(ctx, (size_t)n, d);
    search->bounds = dfl_alloc(ctx, m, sizeof *search->bounds);
    search->x_bounds = dfl_alloc(ctx, (size_t)n, sizeof *search->x_bounds);
    search->open = dfl_alloc(ctx, m * (LEVELS + 2), sizeof *search->open);
    search->near = dfl_alloc(ctx, m, sizeof *search->near);
    search->sample = dfl_alloc(ctx, m * (DFL_SEARCH_SAMPLES + 1), d);
    search->reach = dfl_alloc(ctx, m + (size_t)n, sizeof *search->reach);
    return search->value && search->first && search->reach && search->limit && search->rounding &&
                   search->x && search->bounds && search->x_bounds && search->open &&
                   search->near && search->sample
               ? DFL_OK
               : DFL_NO_MEMORY;
}

void dfl_search_clear(dfl_search *search)
{
    if (!search->ctx)
        return;
    dfl_free(search->ctx, search->value);
    dfl_free(search->ctx, search->first);
    dfl_free(search->ctx, search->reach);
    dfl_free(search->ctx, search->limit);
    dfl_free(search->ctx, search->rounding);
    dfl_free(search->ctx, search->x);
    dfl_free(search->ctx, search->bounds);
    dfl_free(search->ctx, search->x_bounds);
    dfl_free(search->ctx, search->open);
    dfl_free(search->ctx, search->near);
    dfl_free(search->ctx, search->sample);
}

dfl_status dfl_search_run(double *at, dfl_search *search, double from, double to)
{
    const int count = search->watched->count;
    for (int i = 0; i < count; i++) {
        search->open[i] = true;
        search->first[i] = nowhere;
    }
    search->budget = BUDGET;
    search->undecided = -1;
    search->from = from;
    bool near = true;
    dfl_status status = search->watched->enclose ? any_near(&near, search, from, to) : DFL_OK;
    *at = nowhere;
    if (status || !near)
        return status;
    status = set_rounding(search, from);
    if (!status)
        status = dfl_search_values(search, from);
    if (!status)
        status = dfl_search_limits(search, from);
    for (int i = 0; !status && i < count; i++)
        if (search->value[i] < search->limit[i]) /* out of its noise already */
            search->first[i] = from;
    *at = earliest(search);
    if (status || *at < nowhere)
        return status;
    status = search->watched->enclose ? search_part(search, 0, from, to)
                                      : dfl_search_sample(search, search->open, from, to);
    *at = earliest(search);
    if (!status && *at == nowhere && search->watched->enclose)
        status = look_beyond(search, to);
    *at = earliest(search);
    return status;
}

/* Far from all zeros the bounds of the whole step say so. */
static dfl_status any_near(bool *near, dfl_search *s, double from, double to)
{
    const dfl_status status = bounds_at(s, from, to);
    *near = false;
    for (int i = 0; i < s->watched->count; i++)
        *near = (s->near[i] = !(s->bounds[i].low > 0)) || *near;
    return status;
}

/* What a function changes within the rounding of time. */
static dfl_status set_rounding(dfl_search *s, double from)
{
    const dfl_watched *w = s->watched;
    const double t = fmax(fabs(s->path->t_old), fabs(s->path->t_old + s->path->h));
    dfl_status status = w->enclose ? bounds_at(s, from, from) : DFL_OK;
    for (int i = 0; !status && i < w->count; i++) {
        const double slope =
            w->enclose ? fmax(fabs(s->bounds[i].slope_low), fabs(s->bounds[i].slope_high)) : 0;
        s->rounding[i] = isfinite(slope) ? 16 * DBL_EPSILON * t * slope : 0;
    }
    return status;
}

dfl_status dfl_search_limits(dfl_search *s, double tau)
{
    const dfl_watched *w = s->watched;
    const double t = s->path->t_old + tau * s->path->h;
    memset(s->limit, 0, (size_t)w->count * sizeof *s->limit);
    if (w->noise && w->noise(s->limit, t, s->x, w->user))
        return dfl_fail(s->ctx, DFL_CALLBACK, "noise stopped the computation at t = %.10g", t);
    for (int i = 0; i < w->count; i++)
        s->limit[i] = -s->limit[i] - s->rounding[i];
    return DFL_OK;
}

/* A function that ends in its noise, negative and falling, will be out of it soon: it has crossed.
 */
static dfl_status look_beyond(dfl_search *s, double to)
{
    const dfl_watched *w = s->watched;
    dfl_status status = bounds_at(s, to, to);
    if (!status)
        status = dfl_search_values(s, to);
    if (!status)
        status = dfl_search_limits(s, to);
    for (int i = 0; !status && i < w->count; i++) {
        const double by = fabs(s->path->h) * (w->ahead ? w->ahead(i, w->user) : 1);
        s->open[i] = s->value[i] < -s->rounding[i] &&
                     s->value[i] + s->bounds[i].slope_high * by < s->limit[i];
    }
    for (int i = 0; !status && i < w->count; i++)
        if (s->open[i])
            status = dfl_search_locate(s, i, to, to);
    return status;
}

static double earliest(const dfl_search *s)
{
    double at = nowhere;
    for (int i = 0; i < s->watched->count; i++)
        at = fmin(at, s->first[i]);
    return at;
}

/* The functions that are open at this level, on [a, b]: those that cross get their place. */
static dfl_status search_part(dfl_search *s, int level, double a, double b)
{
    bool undecided;
    if (s->budget <= 0) {
        for (int i = 0; i < s->watched->count && s->undecided < 0; i++)
            s->undecided = s->open[level * s->room + i] ? i : -1;
        return s->may_sample ? dfl_search_sample(s, s->open + level * s->room, a, b) : DFL_OK;
    }
    dfl_status status = decide(&undecided, s, level, a, b);
    if (status || !undecided)
        return status;
    const double middle = 0.5 * (a + b);
    status = search_part(s, level + 1, a, middle);
    if (status || earliest(s) < nowhere)
        return status;
    /* the earlier half may have used the lists of deeper levels, not the one of level + 1 */
    return search_part(s, level + 1, middle, b);
}

/* Decides what can be decided on [a, b]; the others are open at the next level. */
static dfl_status decide(bool *undecided, dfl_search *s, int level, double a, double b)
{
    const dfl_watched *w = s->watched;
    const bool *open = s->open + level * s->room;
    bool *next = s->open + (level + 1) * s->room;
    const double half = 0.5 * (b - a) * fabs(s->path->h);
    *undecided = false;
    dfl_status status = bounds_at(s, a, b);
    if (!status)
        status = dfl_search_values(s, 0.5 * (a + b));
    if (!status && level >= FINE)
        status = dfl_search_limits(s, 0.5 * (a + b));
    for (int i = 0; level < FINE && i < w->count; i++)
        s->limit[i] = -s->rounding[i];
    for (int i = 0; !status && i < w->count; i++) {
        const dfl_bounds *c = &s->bounds[i];
        const double steepest = fmax(fabs(c->slope_low), fabs(c->slope_high));
        const bool stays = c->low > s->limit[i] || s->value[i] - half * steepest > s->limit[i] ||
                           c->slope_low >= 0; /* before a it has not crossed */
        next[i] = open[i] && !stays;
        *undecided = *undecided || next[i];
    }
    if (status || !*undecided)
        return status;
    /* one that falls all the time has crossed or not: its value at the end says it */
    bool monotone = true;
    for (int i = 0; i < w->count; i++)
        if (next[i] && !(s->bounds[i].slope_high < 0) && level < LEVELS)
            monotone = false;
    if (!monotone)
        return DFL_OK;
    *undecided = false;
    status = dfl_search_values(s, b);
    if (!status)
        status = dfl_search_limits(s, b);
    for (int i = 0; !status && i < w->count; i++)
        next[i] = next[i] && s->value[i] < s->limit[i];
    for (int i = 0; !status && i < w->count; i++)
        if (next[i])
            status = dfl_search_locate(s, i, a, b);
    return status;
}

/* The zero of function i where the excursion begins that has reached b: between the last place at
   which it is positive and b. That is a, or where noise has hidden it a place before a, or one soon
   after the beginning of the search. A function that is negative all along, within its noise, but
   rises at first crosses where it comes back to its first value, as a gap does that opens again;
   else at the beginning. */
dfl_status dfl_search_locate(dfl_search *s, int i, double a, double b)
{
    double fa, level = 0, end = b;
    s->first[i] = s->from;
    dfl_status status = value_at(&fa, s, i, a);
    for (double back = 1e-6; !status && fa <= 0 && a > s->from; back *= 8) {
        b = a;
        a = fmax(s->from, a - back);
        status = value_at(&fa, s, i, a);
    }
    /* turned back at its zero, where the search began: it is positive soon after */
    if (!status && fa <= s->rounding[i])
        status = rise(&a, &fa, s, i, b, 0);
    if (!status && fa <= 0) {
        status = value_at(&level, s, i, s->from);
        fa = 0;
        b = end;
        if (!status)
            status = rise(&a, &fa, s, i, b, level);
    }
    return status || fa <= 0 ? status : pass_level(s, i, a, b, level);
}

/* The last place soon after the beginning where function i is above a level; *above: by how much.
 */
static dfl_status rise(double *a, double *above, dfl_search *s, int i, double b, double level)
{
    dfl_status status = DFL_OK;
    for (double ahead = 1e-12; !status && *above <= s->rounding[i] && s->from + ahead < b;
         ahead *= 8) {
        status = value_at(above, s, i, s->from + ahead);
        *above -= level;
        if (*above > s->rounding[i])
            *a = s->from + ahead;
    }
    return status;
}

/* Where function i passes a level between a, where it is above it, and b: by the Illinois method.
 */
static dfl_status pass_level(dfl_search *s, int i, double a, double b, double level)
{
    double fa, fb;
    int side = 0;
    dfl_status status = value_at(&fa, s, i, a);
    if (!status)
        status = value_at(&fb, s, i, b);
    if (status)
        return status;
    for (int it = 0; it < 100 && b - a > DBL_EPSILON; it++) {
        double m = a - (fa - level) / (fb - fa) * (b - a), fm;
        if (!(m > a && m < b) || it > 30)
            m = 0.5 * (a + b);
        if (!(m > a && m < b))
            break;
        if ((status = value_at(&fm, s, i, m)))
            return status;
        if (fm <= level) {
            b = m, fb = fm;
            fa = side == -1 ? 0.5 * (fa + level) : fa;
            side = -1;
        } else {
            a = m, fa = fm;
            fb = side == 1 ? 0.5 * (fb + level) : fb;
            side = 1;
        }
        if (fm == level)
            break;
    }
    s->first[i] = b;
    return DFL_OK;
}

static dfl_status value_at(double *value, dfl_search *s, int i, double tau)
{
    const dfl_status status = dfl_search_values(s, tau);
    *value = s->value[i];
    return status;
}

dfl_status dfl_search_values(dfl_search *s, double tau)
{
    const dfl_watched *w = s->watched;
    const double t = s->path->t_old + tau * s->path->h;
    if (!s->time_only)
        dfl_path_at(s->x, s->path, tau);
    if (w->eval(s->value, w->count, t, s->time_only ? NULL : s->x, w->user))
        return dfl_fail(s->ctx, DFL_CALLBACK, "a switching function fails at t = %.10g", t);
    for (int i = 0; i < w->count; i++) {
        s->value[i] *= w->sign ? w->sign[i] : 1;
        if (isnan(s->value[i])) {
            char name[DFL_SWITCH_NAME];
            w->name(name, sizeof name, i, w->user);
            return dfl_fail(s->ctx, DFL_NOT_FINITE, "%s is %g at t = %.10g", name, s->value[i], t);
        }
    }
    return DFL_OK;
}

static dfl_status bounds_at(dfl_search *s, double a, double b)
{
    const dfl_watched *w = s->watched;
    const double t_a = s->path->t_old + a * s->path->h, t_b = s->path->t_old + b * s->path->h;
    dfl_bounds t = {fmin(t_a, t_b), fmax(t_a, t_b), s->path->h < 0 ? -1 : 1,
                    s->path->h < 0 ? -1 : 1};
    s->budget--;
    ++*s->enclosures;
    if (!s->time_only)
        dfl_path_bounds(s->x_bounds, &t, s->path, a, b);
    if (w->enclose(s->bounds, w->count, &t, s->time_only ? NULL : s->x_bounds, w->user))
        return dfl_fail(s->ctx, DFL_CALLBACK, "a switching function fails at t = %.10g", t_a);
    for (int i = 0; w->sign && i < w->count; i++)
        if (w->sign[i] < 0)
            s->bounds[i] = (dfl_bounds){-s->bounds[i].high, -s->bounds[i].low,
                                        -s->bounds[i].slope_high, -s->bounds[i].slope_low};
    return DFL_OK;
}
