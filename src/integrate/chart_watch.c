/* The watch on local coordinates: steps that leave their chart are not taken (formulation/chart.c
   tells which ones these are).

   Coordinates that the solver chooses are renewed, and the step is repeated with half its size.
   Coordinates that the user fixed cannot be: the run ends at the end of their chart. Errors grow
   without bound there, since the other coordinates change like a square root, so the run ends as
   soon as the chart is weak and the motion, continued, leaves it. */
#include "integrate/chart_watch.h"

#include <math.h>

/* Below this quality the end of the chart is close. */
static const double weak = 1e-2;

static bool is_fixed(const dfl_stepper *st)
{
    return dfl_coordinates_are_fixed(st->options);
}

/* Whether the rows of the dynamics that a step leaves out are satisfied as well, so that it is on
   the right branch: v follows the accelerations of both ends to a part of its size. */
static bool follows_accelerations(dfl_stepper *st, double h)
{
    const int nv = st->sys->n3;
    const double *v0 = st->here.x + st->sys->at.v, *v1 = st->next.x + st->sys->at.v;
    double *a0 = st->err, *a1 = a0 + nv, off = 0, size = 0;
    if (!dfl_formulation_accelerations(a0, st->form, &st->here) ||
        !dfl_formulation_accelerations(a1, st->form, &st->next))
        return false;
    for (int i = 0; i < nv; i++) {
        off = fmax(off, fabs(v1[i] - v0[i] - h / 2 * (a0[i] + a1[i])));
        size = fmax(size, fmax(fabs(v0[i]), fabs(v1[i])));
    }
    return off <= 0.05 * size;
}

/* The user's rows may end one chart and begin the next in the same step: it is taken if its end is
   where the motion leads. */
static bool passes_with_rows_of_user(dfl_stepper *st, dfl_chart_verdict verdict, double h)
{
    return verdict != DFL_CHART_DOUBTFUL &&
           (follows_accelerations(st, h) ||
            (verdict == DFL_CHART_HOLDS &&
             dfl_formulation_chart_quality(st->form, &st->next) >= weak));
}

/* Whether the motion leaves a weak chart soon; when is in watch->t_chart. */
static bool heads_for_end(dfl_stepper *st, double h)
{
    const double after = dfl_formulation_chart_quality(st->form, &st->next);
    if (after >= weak)
        return false;
    const double before = dfl_formulation_chart_quality(st->form, &st->here);
    if (!(after < before))
        return false;
    const double to_go = h * after / (before - after);
    st->watch->t_chart = st->next.t + to_go;
    return dfl_formulation_chart_ends_within(st->form, &st->next, 2 * to_go);
}

/* A step over the end of a chart is halved until the time is known to a thousandth of the step that
   first showed it. */
static bool end_is_close(dfl_stepper *st, double h)
{
    const double end = st->t + h;
    if (st->watch->h_chart == 0 || (end - st->watch->t_behind) * h > 0) {
        st->watch->h_chart = h;
        st->watch->t_behind = end;
    }
    return fabs(h) <= 1e-3 * fabs(st->watch->h_chart) || st->options->step.fixed > 0;
}

/* In the form separation all coordinates are integrated, so a step over the end of a chart can go
   on at the right side, with errors that depend on how close its stages came to the end: only with
   rows that are asked to be kept for ever. */
static bool may_pass(const dfl_solver_options *options)
{
    return options->form == DFL_SEPARATION &&
           (!dfl_coordinates_are_fixed(options) || options->constraints.renewal == DFL_RENEW_NEVER);
}

static void warn_of_passage(dfl_stepper *st)
{
    double when;
    dfl_chart_names names;
    if (st->watch->passage_noted ||
        dfl_formulation_chart_step(&when, st->form, &st->here, &st->next) != DFL_CHART_LEFT)
        return;
    st->watch->passage_noted = true;
    dfl_formulation_chart_names(&names, st->form, &st->here);
    dfl_log(st->options, DFL_LOG_WARNING,
            "the independent coordinates %s do not determine the motion at t = %.8g, where %s can "
            "move while they rest; a step has passed this point, and its error is not controlled. "
            "Leave `independent` out, choose others (there: %s), or use the form psf",
            names.chosen, when, names.moving, names.better);
}

dfl_outcome dfl_watch_chart(dfl_stepper *st, double h)
{
    double when;
    st->watch->chart_left = false;
    if (!dfl_formulation_has_chart(st->form))
        return DFL_STEP_OK;
    if (may_pass(st->options)) {
        warn_of_passage(st);
        return DFL_STEP_OK;
    }
    const dfl_chart_verdict verdict =
        dfl_formulation_chart_step(&when, st->form, &st->here, &st->next);
    const bool holds = st->options->constraints.selectors == DFL_USER
                           ? passes_with_rows_of_user(st, verdict, h)
                           : verdict == DFL_CHART_HOLDS;
    if (holds && !(is_fixed(st) && heads_for_end(st, h))) {
        if ((st->next.t - st->watch->t_behind) * h >= 0)
            st->watch->h_chart = 0; /* what looked like an end has been passed */
        return DFL_STEP_OK;
    }
    st->watch->chart_left = true;
    if (holds)
        return DFL_STEP_STOP;
    st->watch->t_chart = when;
    const bool close = end_is_close(st, h);
    return verdict == DFL_CHART_LEFT && close && is_fixed(st) ? DFL_STEP_STOP : DFL_STEP_RETRY;
}

bool dfl_chart_ends(dfl_stepper *st)
{
    const bool user = st->options->constraints.selectors == DFL_USER;
    if (!dfl_formulation_has_chart(st->form) || !(is_fixed(st) || user))
        return false;
    if (st->watch->chart_left)
        return true;
    st->watch->t_chart = st->t;
    return dfl_formulation_chart_quality(st->form, &st->here) < weak;
}

dfl_status dfl_chart_failure(dfl_stepper *st)
{
    dfl_context *ctx = st->sys->ctx;
    const double t = st->watch->t_chart;
    dfl_chart_names names;
    dfl_formulation_chart_names(&names, st->form, &st->here);
    if (!is_fixed(st))
        return dfl_fail(ctx, DFL_SINGULAR,
                        "the rows that `select` chooses do not determine the motion at t = %.8g, "
                        "where %s can move without them; choose others there, or use the "
                        "selectors orthogonal or unit, which are renewed",
                        t, names.moving);
    return dfl_fail(ctx, DFL_SINGULAR,
                    "the independent coordinates %s do not determine the motion at t = %.8g, where "
                    "%s can move while they rest; leave `independent` out, so that coordinates are "
                    "chosen anew where they become bad, choose others (there: %s), or use the form "
                    "psf",
                    names.chosen, t, names.moving, names.better);
}
