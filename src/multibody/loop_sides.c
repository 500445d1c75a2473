/* loop_sides.c: mirror images of loops.

   Rows u.w = 0 of perpendicular axes are sines of the angle t by which a loop is off: they vanish
   for opposite axes, too, t = pi, and beyond a right angle Newton's iteration goes there. For
   closing a loop the sine is therefore continued by 3 - 2 sin t, which grows up to t = pi. (2 - sin
   t would lead a quaternion from t = pi to the right angle, where sines have no slope.) */
#include "multibody/loop_internal.h"

#include <math.h>

/* The axes of both frames in the world, as columns. */
typedef struct axes_of_ends {
    double A[9], B[9];
} axes_of_ends;

static axes_of_ends axes_of(const dfl_loops *loops, const closed_loop *loop);
static double cosine(const axes_of_ends *e, int u, int w);
static int side_axis(dfl_joint_row type, bool planar);
static void continue_rows(double *g, const closed_loop *loop, const axes_of_ends *e, bool planar);
static bool is_sine(dfl_joint_row type);
static double direction_at_pi(const closed_loop *loop, int row, const axes_of_ends *e);

double dfl_loops_side(const dfl_loops *loops, int *row)
{
    double least = 1.0;
    *row = 0;
    for (int i = 0, first = 0; i < loops->nloops; first += loops->loop[i].rows->count, i++) {
        const closed_loop *loop = &loops->loop[i];
        const axes_of_ends e = axes_of(loops, loop);
        for (int k = 0; k < loop->rows->count; k++) {
            const int axis = side_axis(loop->rows->row[k], loops->tree->planar);
            if (axis < 0 || !(cosine(&e, axis, axis) < least))
                continue;
            least = cosine(&e, axis, axis);
            *row = first + k;
        }
    }
    return least;
}

void dfl_loops_continue(double *g, const dfl_loops *loops)
{
    for (int i = 0; i < loops->nloops; g += loops->loop[i].rows->count, i++) {
        const axes_of_ends e = axes_of(loops, &loops->loop[i]);
        continue_rows(g, &loops->loop[i], &e, loops->tree->planar);
    }
}

static axes_of_ends axes_of(const dfl_loops *loops, const closed_loop *loop)
{
    axes_of_ends e;
    double r[3];
    dfl_frame_pose(e.A, r, loops->tree, &loop->A);
    dfl_frame_pose(e.B, r, loops->tree, &loop->B);
    return e;
}

static double cosine(const axes_of_ends *e, int u, int w)
{
    return e->A[u] * e->B[w] + e->A[3 + u] * e->B[3 + w] + e->A[6 + u] * e->B[6 + w];
}

/* The axis of both frames that coincides where the loop is closed as it is meant, and is opposite
   in the mirror image; -1: the row has none. x and y of A with z of B say the same. */
static int side_axis(dfl_joint_row type, bool planar)
{
    if (!is_sine(type) || type.u != X)
        return -1;
    return type.w == Z && !planar ? Z : X;
}

/* Rows that are sines; the one of a universal joint is 0 at a right angle. */
static bool is_sine(dfl_joint_row type)
{
    return type.kind == DFL_ROW_TURN || (type.kind == DFL_ROW_DOT1 && type.u != Z);
}

/* The vector of the sines has the length sin t. */
static void continue_rows(double *g, const closed_loop *loop, const axes_of_ends *e, bool planar)
{
    double square = 0.0, cos_t = 1.0;
    for (int k = 0; k < loop->rows->count; k++) {
        const dfl_joint_row type = loop->rows->row[k];
        if (!is_sine(type))
            continue;
        square += g[k] * g[k];
        if (type.kind == DFL_ROW_TURN)
            cos_t = 0.5 * (cosine(e, X, X) + cosine(e, Y, Y) + cosine(e, Z, Z) - 1.0);
        else
            cos_t = planar ? cosine(e, X, X) : cosine(e, Z, Z);
    }
    const double length = sqrt(square);
    for (int k = 0; k < loop->rows->count && cos_t < 0.0; k++) {
        if (!is_sine(loop->rows->row[k]))
            continue;
        const double unit = length > 1e-6 ? g[k] / length : direction_at_pi(loop, k, e);
        g[k] = -unit * (3.0 - 2.0 * length);
    }
}

/* Half a turn about n has R = 2 n n^T - 1, and only n turns it back: its largest component is
   taken. Opposite axes can be turned back by any turn across them. */
static double direction_at_pi(const closed_loop *loop, int row, const axes_of_ends *e)
{
    const dfl_joint_row type = loop->rows->row[row];
    if (type.kind != DFL_ROW_TURN)
        return 1.0;
    const int axis = X + Y + Z - type.u - type.w;
    for (int k = 0; k < 3; k++)
        if (cosine(e, k, k) > cosine(e, axis, axis))
            return 0.0;
    return 1.0;
}
