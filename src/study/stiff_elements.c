/* stiff_elements.c: springs and dampers so stiff that their limit is a constraint.

   A spring of stiffness c between masses m oscillates with sqrt(c/m). Where this is much faster
   than the slowest motion, and the run is much longer than a period, the motion is that of the
   limit c -> infinity, a constraint (Arnold 2013, section 2, and the limit of small masses there),
   and integrators resolve vibrations of no interest. The modes at the start show it; an element
   takes part in a mode by the work c s^2 or d s'^2 of its stretch s along the mode. */
#include "study/study_internal.h"

#include <driftless/analysis.h>

#include <math.h>
#include <string.h>

/* Ratio to the slowest motion, and turns in the run, from which on a mode is called fast. */
static const double ratio = 1e3, turns = 1e3;
static const double share =
    0.2; /* of the largest part in a mode, from which on an element is named */
static const double pi = 3.14159265358979323846;

/* A model near its start. */
typedef struct stiff_search {
    dfl_runnable *run;
    double t, length; /* s; length NAN: unknown */
    const double *x;
    dfl_linearized linear;
    dfl_modes modes;
    double slowest; /* 1/s, of all motions that are neither indifferent nor slower than the run */
    double *moved, *near, *stretch, *part;
    bool *named; /* elements; ... */
    bool told;   /* ... coordinates */
} stiff_search;

static void find_slowest(stiff_search *s);
static bool is_fast(const stiff_search *s, const dfl_mode *mode);
static dfl_status measure(stiff_search *s, const dfl_mode *mode);
static dfl_status add_stretches(double *square, stiff_search *s, const double *shape);
static void tell_elements(stiff_search *s, const dfl_mode *mode, dfl_advice_fn tell, void *user);
static void add_times(dfl_text *text, const stiff_search *s, const dfl_mode *mode);
static void tell_coordinates(stiff_search *s, const dfl_mode *mode, dfl_advice_fn tell, void *user);

dfl_status dfl_study_stiff_elements(dfl_runnable *run, double t, double t_end, const double *x,
                                    dfl_advice_fn tell, void *user)
{
    if (dfl_runnable_packed(run))
        return DFL_OK; /* linear equations are dense */
    const dfl_model *model = eq_of(run)->model;
    dfl_context *ctx = ctx_of(run);
    const size_t n = (size_t)eq_of(run)->n, count = (size_t)model->compliances.count;
    stiff_search s = {.run = run, .t = t, .length = fabs(t_end - t), .x = x};
    s.moved = dfl_alloc(ctx, n, sizeof *s.moved);
    s.near = dfl_alloc(ctx, n, sizeof *s.near);
    s.stretch = dfl_alloc(ctx, 3 * count, sizeof *s.stretch);
    s.part = dfl_alloc(ctx, count, sizeof *s.part);
    s.named = dfl_alloc(ctx, count, sizeof *s.named);
    dfl_status status =
        s.moved && s.near && s.stretch && s.part && s.named ? DFL_OK : DFL_NO_MEMORY;
    /* a state without linear equations has no advice */
    bool found = !status && !dfl_linearize(&s.linear, ctx, dfl_runnable_eom(run), t, x, NULL) &&
                 !dfl_modes_find(&s.modes, ctx, s.linear.ny, s.linear.A);
    if (found)
        find_slowest(&s);
    for (int i = s.modes.count - 1; found && !status && i >= 0; i--) {
        if (!is_fast(&s, &s.modes.mode[i]) || s.modes.mode[i].conjugate)
            continue;
        status = measure(&s, &s.modes.mode[i]);
        if (!status)
            tell_elements(&s, &s.modes.mode[i], tell, user);
    }
    dfl_modes_clear(&s.modes);
    dfl_linearized_clear(&s.linear);
    dfl_free(ctx, s.moved);
    dfl_free(ctx, s.near);
    dfl_free(ctx, s.stretch);
    dfl_free(ctx, s.part);
    dfl_free(ctx, s.named);
    return status;
}

static double speed_of(const dfl_mode *mode)
{
    return hypot(mode->re, mode->im);
}

static void find_slowest(stiff_search *s)
{
    s->slowest = INFINITY;
    for (int i = 0; i < s->modes.count; i++) {
        const dfl_mode *mode = &s->modes.mode[i];
        if (speed_of(mode) > 10 * mode->doubt)
            s->slowest = fmin(s->slowest, speed_of(mode));
    }
    if (s->length > 0) /* slower than the run: as good as at rest */
        s->slowest = fmax(s->slowest, 1 / s->length);
    if (s->modes.indifferent > 0 && s->length > 0)
        s->slowest = fmin(s->slowest, 2 * pi / s->length);
}

static bool is_fast(const stiff_search *s, const dfl_mode *mode)
{
    const double speed = speed_of(mode);
    return mode->re <= 1e-6 * speed && speed > ratio * s->slowest &&
           !(speed * s->length < 2 * pi * turns); /* true for an unknown length */
}

/* part: the work of each element along the mode. */
static dfl_status measure(stiff_search *s, const dfl_mode *mode)
{
    const dfl_model *model = eq_of(s->run)->model;
    const int count = model->compliances.count, ny = s->linear.ny;
    const double speed = speed_of(mode);
    double *square = s->stretch + 2 * count;
    memset(square, 0, (size_t)count * sizeof *square);
    dfl_status status =
        add_stretches(square, s, s->modes.shape + (size_t)mode->vector * (size_t)ny);
    if (!status && mode->imaginary >= 0)
        status = add_stretches(square, s, s->modes.shape + (size_t)mode->imaginary * (size_t)ny);
    for (int i = 0; !status && i < count; i++) {
        double value[2];
        const dfl_expr exprs[2] = {model->compliances.item[i].stiffness,
                                   model->compliances.item[i].damping};
        status = dfl_runnable_values(value, s->run, exprs, 2, s->t, s->x, NULL);
        /* an overdamped mode lives by the dampers, an oscillating one by the springs */
        s->part[i] = mode->im != 0 ? value[0] * square[i] : value[1] * speed * square[i];
    }
    return status;
}

/* square += the squares of all stretches along a shape, by central differences. */
static dfl_status add_stretches(double *square, stiff_search *s, const double *shape)
{
    const dfl_equations *eq = eq_of(s->run);
    const dfl_model *model = eq->model;
    const int count = model->compliances.count, ny = s->linear.ny, p = eq->n - eq->np;
    double largest = 0;
    dfl_status status = DFL_OK;
    for (int i = 0; i < eq->np; i++) {
        s->moved[p + i] = 0;
        for (int j = 0; j < ny; j++)
            s->moved[p + i] += s->linear.X[(size_t)j * (size_t)eq->n + (size_t)(p + i)] * shape[j];
        largest = fmax(largest, fabs(s->moved[p + i]));
    }
    if (!(largest > 0))
        return DFL_OK;
    const double step = 1e-6 / largest;
    for (int side = 0; !status && side < 2; side++) {
        double *value = s->stretch + side * count, sign = side ? -1 : 1;
        for (int i = 0; i < eq->n; i++)
            s->near[i] = s->x[i] + (i >= p ? sign * step * s->moved[i] : 0);
        for (int i = 0; !status && i < count; i++)
            status = dfl_runnable_values(&value[i], s->run, &model->compliances.item[i].stretch, 1,
                                         s->t, s->near, NULL);
    }
    for (int i = 0; !status && i < count; i++) {
        const double slope = (s->stretch[i] - s->stretch[count + i]) / (2 * step);
        square[i] += slope * slope;
    }
    return status;
}

/* Names what is stiff: elements, or for other forces the coordinates that they hold. */
static void tell_elements(stiff_search *s, const dfl_mode *mode, dfl_advice_fn tell, void *user)
{
    const dfl_model *model = eq_of(s->run)->model;
    double most = 0;
    for (int i = 0; i < model->compliances.count; i++)
        most = fmax(most, s->part[i]);
    for (int i = 0; i < model->compliances.count; i++) {
        const dfl_compliance *it = &model->compliances.item[i];
        if (!(most > 0) || s->part[i] < share * most || s->named[i])
            continue;
        dfl_text text = {.ctx = ctx_of(s->run)};
        for (int k = 0; k < model->compliances.count; k++) /* a bushing has several parts */
            s->named[k] = s->named[k] || !strcmp(model->compliances.item[k].name, it->name);
        dfl_text_add(&text, "%s '%s' is so %s that its limit is a constraint: ", it->kind, it->name,
                     mode->im != 0 ? "stiff" : "strongly damped");
        add_times(&text, s, mode);
        dfl_text_add(&text, "; write %s instead, or make it softer", it->limit);
        tell(dfl_text_string(&text), user);
        dfl_text_clear(&text);
    }
    if (!(most > 0))
        tell_coordinates(s, mode, tell, user);
}

static void add_times(dfl_text *text, const stiff_search *s, const dfl_mode *mode)
{
    if (mode->im != 0)
        dfl_text_add(text, "it vibrates with %.2g Hz", speed_of(mode) / (2 * pi));
    else
        dfl_text_add(text, "motions along it die within %.2g s", 1 / speed_of(mode));
    dfl_text_add(text, ", the slowest motion takes %.2g s", 2 * pi / s->slowest);
    if (s->length > 0)
        dfl_text_add(text, " and the run %.3g s", s->length);
}

/* s->moved is the last shape that was looked at. */
static void tell_coordinates(stiff_search *s, const dfl_mode *mode, dfl_advice_fn tell, void *user)
{
    const dfl_equations *eq = eq_of(s->run);
    const int p = eq->n - eq->np;
    double largest = 0;
    int named = 0;
    if (s->told)
        return;
    dfl_text text = {.ctx = ctx_of(s->run)};
    for (int i = p; i < eq->n; i++)
        largest = fmax(largest, fabs(s->moved[i]));
    for (int i = p; i < eq->n && named < 4; i++)
        if (fabs(s->moved[i]) > 0.3 * largest)
            dfl_text_add(&text, "%s%s", named++ ? ", " : "forces along ", eq->x[i].name);
    dfl_text_add(&text, " are so %s that their limit is a constraint: ",
                 mode->im != 0 ? "stiff" : "strongly damped");
    add_times(&text, s, mode);
    dfl_text_add(&text, "; write constraint(name, expression that is held) instead, or make them "
                        "softer");
    s->told = named > 0;
    if (named > 0)
        tell(dfl_text_string(&text), user);
    dfl_text_clear(&text);
}
