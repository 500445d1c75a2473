/* tree_check.c: whether bodies can exist and joints can be joined.

   An inertia belongs to a distribution of mass if and only if 1/2 tr(J) 1 - J, the second moment,
   is positive semidefinite; that contains the triangle inequality of the principal moments. */
#include "multibody/tree_internal.h"

#include "linalg/linalg.h"

#include <math.h>

/* Relative tolerance for numbers that were rounded by hand. */
static const double slack = 1e-6;

static dfl_status check_counts(dfl_context *ctx, const dfl_multibody_description *d);
static bool possible_inertia(const double *J);
static dfl_status check_joint(dfl_context *ctx, const dfl_multibody_description *d, int joint);
static dfl_status check_kind(dfl_context *ctx, const dfl_joint *joint, const char *label);
static dfl_status check_axes(dfl_context *ctx, const dfl_joint *joint, const char *label,
                             bool planar);
static bool uses_second_axis(const dfl_joint_type *type);
static dfl_status check_planar(dfl_context *ctx, const dfl_joint *joint, const char *label);
static dfl_status check_parents(dfl_context *ctx, const dfl_multibody_description *d);
static bool all_finite(const double *x, int n);

dfl_status dfl_tree_check(dfl_context *ctx, const dfl_multibody_description *d)
{
    const dfl_status counted = check_counts(ctx, d);
    if (counted)
        return counted;
    if (!all_finite(d->gravity, 3))
        return dfl_fail(ctx, DFL_INVALID, "gravity is not finite; give three numbers");
    if (d->planar && d->gravity[2] != 0.0)
        return dfl_fail(ctx, DFL_INVALID,
                        "gravity has a z component in a plane model; leave it at 0");
    for (int i = 0; i < d->nbodies; i++) {
        const dfl_status status = dfl_tree_check_body(ctx, &d->bodies[i], i, d->planar);
        if (status)
            return status;
    }
    for (int i = 0; i < d->njoints; i++) {
        const dfl_status status = check_joint(ctx, d, i);
        if (status)
            return status;
    }
    return check_parents(ctx, d);
}

/* Sizes that do not fit their arrays. */
static dfl_status check_counts(dfl_context *ctx, const dfl_multibody_description *d)
{
    const struct {
        const char *what;
        int count;
        const void *array;
    } parts[] = {{"bodies", d->nbodies, d->bodies},
                 {"joints", d->njoints, d->joints},
                 {"loops", d->nloops, d->loops},
                 {"couplings", d->ncouplings, d->couplings},
                 {"springs", d->nsprings, d->springs}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count < 0 || (parts[i].count > 0 && !parts[i].array))
            return dfl_fail(ctx, DFL_INVALID, "n%s is %d%s; give 0 or more, and an array of them",
                            parts[i].what, parts[i].count,
                            parts[i].count > 0 ? ", but there are none" : "");
    return DFL_OK;
}

dfl_status dfl_tree_check_body(dfl_context *ctx, const dfl_rigid_body *body, int number,
                               bool planar)
{
    const double *J = body->inertia;
    const part_label label = dfl_label("body", body->name, number);
    if (!all_finite(&body->mass, 1) || !all_finite(body->com, 3) || !all_finite(J, 6))
        return dfl_fail(ctx, DFL_INVALID, "%s: mass, com and inertia must be finite", label.text);
    if (body->mass < 0.0)
        return dfl_fail(ctx, DFL_INVALID, "%s: mass is %g; give 0 or more", label.text, body->mass);
    if (planar && J[2] < 0.0)
        return dfl_fail(ctx, DFL_INVALID, "%s: inertia is %g; give 0 or more", label.text, J[2]);
    if (!planar && !possible_inertia(J))
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: no body has the inertia {%g, %g, %g, %g, %g, %g}; each principal "
                        "moment must be at most the sum of the others (order: xx, yy, zz, xy, xz, "
                        "yz, about the centre of mass)",
                        label.text, J[0], J[1], J[2], J[3], J[4], J[5]);
    return DFL_OK;
}

/* 1/2 tr(J) 1 - J is positive semidefinite. */
static bool possible_inertia(const double *J)
{
    const double trace = J[0] + J[1] + J[2], half = 0.5 * trace + slack * trace;
    double A[9] = {half - J[0], -J[3], -J[4], -J[3], half - J[1], -J[5], -J[4], -J[5], half - J[2]};
    if (trace == 0.0)
        return J[0] == 0 && J[1] == 0 && J[2] == 0 && J[3] == 0 && J[4] == 0 && J[5] == 0;
    return trace > 0.0 && dfl_cholesky(A, 3);
}

static dfl_status check_joint(dfl_context *ctx, const dfl_multibody_description *d, int index)
{
    const dfl_joint *joint = &d->joints[index];
    const part_label label = dfl_label("joint", joint->name, index);
    dfl_status status = check_kind(ctx, joint, label.text);
    if (status)
        return status;
    if (joint->parent < DFL_GROUND || joint->parent >= d->nbodies || joint->child < 0 ||
        joint->child >= d->nbodies || joint->parent == joint->child)
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: connects bodies %d and %d of %d; give two of them, or DFL_GROUND as "
                        "parent",
                        label.text, joint->parent, joint->child, d->nbodies);
    if (!all_finite(joint->at, 3) || !all_finite(joint->axis, 3) || !all_finite(joint->axis2, 3) ||
        !all_finite(&joint->lead, 1))
        return dfl_fail(ctx, DFL_INVALID, "%s: point and axes must be finite", label.text);
    status = check_axes(ctx, joint, label.text, d->planar);
    return status || !d->planar ? status : check_planar(ctx, joint, label.text);
}

static dfl_status check_kind(dfl_context *ctx, const dfl_joint *joint, const char *label)
{
    if ((int)joint->kind < 0 || joint->kind >= DFL_JOINT_KINDS)
        return dfl_fail(ctx, DFL_INVALID, "%s: unknown kind %d", label, (int)joint->kind);
    if (joint->kind == DFL_JOINT_USER)
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: user joints are for scripts only; give a chain of other joints",
                        label);
    if (dfl_joint_types[joint->kind].loop_only)
        return dfl_fail(ctx, DFL_INVALID, "%s: no body hangs on a %s; give it as a loop", label,
                        dfl_joint_types[joint->kind].title);
    if (joint->driven && !dfl_joint_may_be_driven(joint->kind))
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: only revolute, prismatic and screw joints can be driven; use a chain "
                        "of them",
                        label);
    return DFL_OK;
}

static dfl_status check_axes(dfl_context *ctx, const dfl_joint *joint, const char *label,
                             bool planar)
{
    const dfl_joint_type *type = &dfl_joint_types[joint->kind];
    if (type->axes == 0)
        return DFL_OK;
    if (dfl_length(joint->axis) == 0.0 && dfl_joint_needs_axis(joint->kind, planar))
        return dfl_fail(ctx, DFL_INVALID,
                        "%s: axis has length zero; give three numbers that are not all zero",
                        label);
    if (type->axes == 2 && dfl_length(joint->axis2) == 0.0)
        return dfl_fail(ctx, DFL_INVALID, "%s: a %s needs a second axis", label, type->title);
    if (uses_second_axis(type) && !dfl_perpendicular(joint->axis, joint->axis2))
        return dfl_fail(ctx, DFL_INVALID, "%s: the two axes are not perpendicular", label);
    return DFL_OK;
}

bool dfl_perpendicular(const double *a, const double *b)
{
    double x[3] = {a[0], a[1], a[2]}, y[3] = {b[0], b[1], b[2]};
    dfl_normalize(x);
    dfl_normalize(y);
    return fabs(dot(x, y)) <= slack;
}

static bool uses_second_axis(const dfl_joint_type *type)
{
    for (int i = 0; i < type->steps; i++)
        if (type->step[i].axis == DFL_ALONG_AXIS2 || type->step[i].axis == DFL_ALONG_SIDE)
            return true;
    return false;
}

static dfl_status check_planar(dfl_context *ctx, const dfl_joint *joint, const char *label)
{
    if (dfl_fits_plane(joint->kind, joint->axis))
        return DFL_OK;
    return dfl_fail(ctx, DFL_INVALID,
                    "%s: does not stay in the plane; a plane model has revolute and planar joints "
                    "about z, prismatic joints along x and y, translations and fixed joints",
                    label);
}

bool dfl_fits_plane(dfl_joint_kind kind, const double *axis)
{
    const dfl_plane_rule rule = dfl_joint_types[kind].plane;
    const bool across = axis[0] == 0.0 && axis[1] == 0.0, within = axis[2] == 0.0;
    return rule == DFL_PLANE_ANY || (rule == DFL_PLANE_ACROSS && across) ||
           (rule == DFL_PLANE_WITHIN && within);
}

/* Every body is the child of exactly one joint. Whether all hang on the ground shows when the tree
   is traversed. */
static dfl_status check_parents(dfl_context *ctx, const dfl_multibody_description *d)
{
    dfl_status status = DFL_OK;
    int *joint_of = dfl_alloc(ctx, (size_t)d->nbodies, sizeof *joint_of);
    if (!joint_of)
        return DFL_NO_MEMORY;
    for (int i = 0; i < d->njoints && !status; i++) {
        const int child = d->joints[i].child;
        if (joint_of[child])
            status = dfl_fail(
                ctx, DFL_INVALID, "%s is the child of %s and of %s; one of them closes a loop",
                dfl_label("body", d->bodies[child].name, child).text,
                dfl_label("joint", d->joints[joint_of[child] - 1].name, joint_of[child] - 1).text,
                dfl_label("joint", d->joints[i].name, i).text);
        joint_of[child] = i + 1;
    }
    for (int i = 0; i < d->nbodies && !status; i++)
        if (!joint_of[i])
            status = dfl_fail(ctx, DFL_INVALID,
                              "%s has no joint; connect it (a free joint leaves it free)",
                              dfl_label("body", d->bodies[i].name, i).text);
    dfl_free(ctx, joint_of);
    return status;
}

static bool all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}
