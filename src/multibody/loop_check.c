/* loop_check.c: whether a description of a loop makes sense. */
#include "multibody/loop_internal.h"

#include <math.h>

static dfl_status check_kind(dfl_context *ctx, const dfl_tree *tree, const dfl_loop *loop,
                             const char *label);
static dfl_status check_numbers(dfl_context *ctx, const dfl_loop *loop, const char *label);
static dfl_status check_axes(dfl_context *ctx, const dfl_tree *tree, const dfl_loop *loop,
                             const char *label);
static bool uses_axes_of_b(const dfl_joint_rows *rows);

dfl_status dfl_loop_check(dfl_context *ctx, const dfl_tree *tree, const dfl_loop *loop, int number)
{
    const part_label label = dfl_label("loop", loop->name, number);
    dfl_status status = check_kind(ctx, tree, loop, label.text);
    if (!status)
        status = check_numbers(ctx, loop, label.text);
    return status ? status : check_axes(ctx, tree, loop, label.text);
}

static dfl_status check_kind(dfl_context *ctx, const dfl_tree *tree, const dfl_loop *loop,
                             const char *label)
{
    if ((int)loop->kind < 0 || loop->kind >= DFL_JOINT_KINDS)
        return dfl_fail(ctx, DFL_INVALID, "%s: unknown kind %d", label, (int)loop->kind);
    if (dfl_joint_rows_of(loop->kind, tree->planar)->count == 0)
        return dfl_fail(ctx, DFL_INVALID, "%s: a %s cannot close a loop%s", label,
                        dfl_joint_types[loop->kind].title,
                        tree->planar ? " in a plane model" : "; leave it out");
    if (loop->a < DFL_GROUND || loop->b < DFL_GROUND || loop->a >= tree->nbodies ||
        loop->b >= tree->nbodies)
        return dfl_fail(ctx, DFL_INVALID, "%s: connects bodies %d and %d of %d", label, loop->a,
                        loop->b, tree->nbodies);
    const int a = loop->a == DFL_GROUND ? 0 : tree->body.node[loop->a];
    const int b = loop->b == DFL_GROUND ? 0 : tree->body.node[loop->b];
    if (a == b)
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: its bodies cannot move against each other; leave it out", label);
    return DFL_OK;
}

static dfl_status check_numbers(dfl_context *ctx, const dfl_loop *loop, const char *label)
{
    const double *const vectors[] = {loop->at,   loop->axis,   loop->axis2,
                                     loop->at_b, loop->axis_b, loop->axis2_b};
    bool finite = isfinite(loop->length);
    for (int i = 0; i < (loop->apart ? 18 : 9); i++)
        finite = finite && isfinite(vectors[i / 3][i % 3]);
    if (!finite)
        return dfl_fail(ctx, DFL_INVALID, "%s: points, axes and length must be finite", label);
    if (loop->kind == DFL_JOINT_SCREW && !(isfinite(loop->lead) && loop->lead != 0.0))
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: a screw needs a lead in m/rad; without one it is revolute", label);
    if (loop->kind != DFL_JOINT_DISTANCE)
        return DFL_OK;
    if (loop->length < 0.0)
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: length is %g; give a positive number, or 0 for that of the drawing",
                        label, loop->length);
    bool coincide = true;
    for (int k = 0; k < 3 && loop->apart; k++)
        coincide = coincide && loop->at[k] == loop->at_b[k];
    if (loop->length == 0.0 && coincide)
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: its points coincide; give a length, or use a spherical joint", label);
    return DFL_OK;
}

static dfl_status check_axes(dfl_context *ctx, const dfl_tree *tree, const dfl_loop *loop,
                             const char *label)
{
    const dfl_joint_type *type = &dfl_joint_types[loop->kind];
    const bool of_b = loop->apart && uses_axes_of_b(dfl_joint_rows_of(loop->kind, tree->planar));
    const double *const axis[2] = {loop->axis, of_b ? loop->axis_b : loop->axis};
    const double *axis2 = loop->apart ? loop->axis2_b : loop->axis2;
    for (int i = 0; i < 2 && type->axes > 0; i++) {
        if (dfl_length(axis[i]) == 0.0 && dfl_joint_needs_axis(loop->kind, tree->planar))
            return dfl_fail(ctx, DFL_INVALID,
                            "%s: axis has length zero; give three numbers that are not all zero",
                            label);
        if (tree->planar && !dfl_fits_plane(loop->kind, axis[i]))
            return dfl_fail(
                ctx, DFL_INVALID, "%s: the axis does not fit a plane model; a %s has it %s", label,
                type->title, type->plane == DFL_PLANE_WITHIN ? "in the plane x y" : "along z");
    }
    if (type->axes == 2 && (dfl_length(axis2) == 0.0 || !dfl_perpendicular(axis[1], axis2)))
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: a %s needs a second axis, of B, that is perpendicular to the first",
                        label, type->title);
    return DFL_OK;
}

/* Whether a row turns with B; the others contain only its point. */
static bool uses_axes_of_b(const dfl_joint_rows *rows)
{
    for (int k = 0; k < rows->count; k++)
        if (rows->row[k].kind != DFL_ROW_DOT2 && rows->row[k].kind != DFL_ROW_DISTANCE)
            return true;
    return false;
}
