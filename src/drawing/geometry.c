/* geometry.c: numbers and directions of the drawing. */
#include "drawing/drawing_internal.h"

#include "drawing/vectors.h"

#include <math.h>

static bool constants(double *out, const dfl_graph *graph, const dfl_expr *exprs, int count);
static bool decide(const dfl_drawing *drawing, const dfl_expr *exprs, int count,
                   dfl_decider *decider);
static int is_along_x(const double *z, int count, const void *facts);
static int is_almost_nothing(const double *values, int count, const void *facts);
static dfl_vec perpendicular(const dfl_drawing *drawing, dfl_vec x, dfl_vec z);
static bool nearly_parallel(const dfl_drawing *drawing, dfl_vec x, dfl_vec z);

dfl_status dfl_drawing_value(double *out, const dfl_drawing *drawing, dfl_expr expr,
                             const char *call, const char *name, const char *what)
{
    return dfl_drawing_values(out, drawing, &expr, 1, call, name, what);
}

dfl_status dfl_drawing_values(double *out, const dfl_drawing *drawing, const dfl_expr *exprs,
                              int count, const char *call, const char *name, const char *what)
{
    return dfl_drawing_read(out, drawing, exprs, count, dfl_model_value, call, name, what);
}

dfl_status dfl_drawing_number(double *out, dfl_model *model, dfl_expr expr)
{
    return dfl_model_number(out, model, expr);
}

dfl_status dfl_drawing_read(double *out, const dfl_drawing *drawing, const dfl_expr *exprs,
                            int count, dfl_number_reader *read, const char *call, const char *name,
                            const char *what)
{
    for (int i = 0; i < count; i++) {
        dfl_status status = DFL_OK;
        if (!constants(&out[i], drawing->graph, &exprs[i], 1))
            status = read(&out[i], drawing->model, exprs[i]);
        if (status == DFL_INVALID)
            return dfl_fail(drawing->ctx, DFL_INVALID,
                            "%s '%s': %s contains variables; give numbers or expressions of "
                            "parameters",
                            call, name, what);
        if (status)
            return status;
        if (!isfinite(out[i]))
            return dfl_fail(drawing->ctx, DFL_INVALID,
                            "%s '%s': %s has the value %g; give finite numbers", call, name, what,
                            out[i]);
    }
    return DFL_OK;
}

static bool constants(double *out, const dfl_graph *graph, const dfl_expr *exprs, int count)
{
    for (int i = 0; i < count; i++) {
        if (!dfl_is_constant(graph, exprs[i]))
            return false;
        out[i] = dfl_constant_value(graph, exprs[i]);
    }
    return true;
}

dfl_vec dfl_drawing_unit(const dfl_drawing *drawing, dfl_vec axis)
{
    dfl_graph *g = drawing->graph;
    double a[3];
    if (constants(a, g, axis.e, 3)) {
        const double scale = 1.0 / sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int i = 0; i < 3; i++)
            axis.e[i] = dfl_constant(g, scale * a[i]);
        return axis;
    }
    const dfl_expr length = dfl_unary(g, DFL_OP_SQRT, vec_dot(g, axis, axis));
    for (int i = 0; i < 3; i++)
        axis.e[i] = dfl_div(g, axis.e[i], length);
    return axis;
}

void dfl_drawing_axes(dfl_vec axes[3], const dfl_drawing *drawing, dfl_vec axis, dfl_vec axis2)
{
    dfl_graph *g = drawing->graph;
    const dfl_mat one = mat_identity(g);
    for (int i = 0; i < 3; i++)
        axes[i] = mat_row(one, i);
    if (vec_is_zero(axis))
        return;
    axes[2] = dfl_drawing_unit(drawing, axis);
    if (vec_is_zero(axis2) || nearly_parallel(drawing, axis2, axes[2]))
        axis2 = mat_row(one, decide(drawing, axes[2].e, 3, is_along_x) ? 1 : 0);
    axes[0] = dfl_drawing_unit(drawing, perpendicular(drawing, axis2, axes[2]));
    axes[1] = vec_cross(g, axes[2], axes[0]);
}

/* By the values of expressions that have been checked. */
static bool decide(const dfl_drawing *drawing, const dfl_expr *exprs, int count,
                   dfl_decider *decider)
{
    int answer = 0;
    return !dfl_model_decide(&answer, drawing->model, exprs, count, decider, NULL, 0) && answer;
}

/* Of a unit vector. */
static int is_along_x(const double *z, int count, const void *facts)
{
    (void)count, (void)facts;
    return !(fabs(z[0]) < 0.9);
}

/* x - z (z^T x) */
static dfl_vec perpendicular(const dfl_drawing *drawing, dfl_vec x, dfl_vec z)
{
    dfl_graph *g = drawing->graph;
    return vec_sub(g, x, vec_scale(g, vec_dot(g, x, z), z));
}

static bool nearly_parallel(const dfl_drawing *drawing, dfl_vec x, dfl_vec z)
{
    const dfl_vec rest = perpendicular(drawing, x, z);
    const dfl_expr both[] = {x.e[0], x.e[1], x.e[2], rest.e[0], rest.e[1], rest.e[2]};
    return decide(drawing, both, 6, is_almost_nothing);
}

/* What is left of a vector, the last three numbers, beside the vector. */
static int is_almost_nothing(const double *x, int count, const void *facts)
{
    (void)count, (void)facts;
    const double before = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const double after = x[3] * x[3] + x[4] * x[4] + x[5] * x[5];
    return after < 1e-12 * before;
}
