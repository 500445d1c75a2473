/* near.h: a script near a state, as the tests of analyses use it. */
#ifndef DFL_TESTS_NEAR_H
#define DFL_TESTS_NEAR_H

#include "scripted.h"

#include <driftless/analysis.h>

typedef struct near {
    scripted s;
    dfl_settings settings;
    dfl_state_found state;
    dfl_linear_model linear;
    dfl_modes modes;
} near;

static inline near near_load(const char *text)
{
    near it = {.s = scripted_text(text)};
    const dfl_choices none = dfl_choices_none("--");
    scripted_expect(&it.s, dfl_settings_resolve(&it.settings, &none, it.s.run));
    return it;
}

/* The linear equations and modes of a script; `at`, `steady` as on the command line. */
static inline near near_find(const char *text, const char *at, const char *steady)
{
    near it = near_load(text);
    const dfl_state_choice choice = {.at = at, .steady = steady};
    scripted_expect(&it.s, dfl_study_state(&it.state, it.s.run, &it.settings, &choice));
    scripted_expect(&it.s, dfl_linear_model_create(&it.linear, it.s.run, &it.state, NULL, NULL));
    scripted_expect(&it.s,
                    dfl_modes_find(&it.modes, it.s.ctx, it.linear.linear.ny, it.linear.linear.A));
    return it;
}

static inline void near_free(near *it)
{
    dfl_modes_clear(&it->modes);
    dfl_linear_model_clear(&it->linear);
    dfl_free(it->s.ctx, it->state.x);
    scripted_free(&it->s);
}

/* The value of a variable at the state. */
static inline double near_value(const near *it, const char *name)
{
    const int k = dfl_equations_find(it->s.eq, name);
    if (k < 0)
        fail_msg("there is no variable %s", name);
    return it->state.x[k];
}

/* |value - wanted| <= tolerance */
static inline void near_close(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.15g is not %.15g (difference %.3g)", value, wanted, value - wanted);
}

/* One of the eigenvalues is re + i im. */
static inline void near_has(const near *it, double re, double im, double tolerance)
{
    double best = HUGE_VAL;
    for (int i = 0; i < it->modes.count; i++)
        best = fmin(best, hypot(it->modes.mode[i].re - re, it->modes.mode[i].im - im));
    if (!(best <= tolerance))
        fail_msg("no eigenvalue %.12g %+.12g i; the nearest is %.3g away", re, im, best);
}

#endif
