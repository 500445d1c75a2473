/* loop_slopes.c: derivatives of the rows of loops.

   In world axes about one point, with the twists V, accelerations A of both ends and U = V_B - V_A,
   a row has the rates
       g' = F.U,   g'' = F'.U + F.(A_B - A_A)
   and F depends on the poses only. Let psi_A(U), psi_B(U) be the derivatives of F.U by
   displacements of A and B; then F'.U = psi_A(U).V_A + psi_B(U).V_B. A velocity j on the way from
   the common ancestor to an end displaces this end by S_j and changes (tree_derivatives.c)
       by q_j:  V by S x V + P,  A by S x A + PP + P x V      by v_j:  V by S,  A by Q + S x V
   so that every derivative is a sum of products of S_j, P_j, PP_j, Q_j with vectors that are the
   same for the whole way. Nothing depends on what lies above the common ancestor. */
#include "multibody/loop_internal.h"

#include <string.h>

/* Both ends, A and B, as they are now. */
typedef struct ends {
    double R[2][9], r[2][3];
    double V[2][6], A[2][6];
    double U[6];
    double d[3], rd[2][3]; /* r_B - r_A, velocities of the points */
} ends;

/* A row and its derivatives by displacements and twists of A and B. */
typedef struct row_slopes {
    double value, rate, second;
    double F[6];                      /* of the value by displacements of B, -F by those of A */
    double pose[2][6];                /* psi(U): of the rate */
    double pose2[2][6], twist2[2][6]; /* of the second rate */
} row_slopes;

/* The factors of S, P, PP and Q on the way to one end. */
typedef struct way_factors {
    double rate_S[6], second_S[6], second_P[6], F[6];
} way_factors;

static ends ends_of(const dfl_loops *loops, const closed_loop *loop,
                    const dfl_tree_derivatives *work);
static void axis_of(double *axis, const ends *e, int end, int index);
static void moment_of(double *wrench, const double *at, const double *f);
static void force_of(double *F, const ends *e, const closed_loop *loop, dfl_joint_row type);
static void row_force(double *F, const ends *e, const closed_loop *loop, dfl_joint_row type);
static void pose_slopes(double psi[2][6], const ends *e, const closed_loop *loop,
                        dfl_joint_row type, const double *U);
static void simple_pose_slopes(double psi[2][6], const ends *e, const closed_loop *loop,
                               dfl_joint_row type, const double *U);
static void force_rate(double *Fd, const ends *e, const closed_loop *loop, dfl_joint_row type);
static void add_force_rate_slopes(double psi[2][6], const ends *e, const closed_loop *loop,
                                  dfl_joint_row type);
static double value_of(const ends *e, dfl_joint_row type);
static row_slopes simple_row(const ends *e, const closed_loop *loop, dfl_joint_row type);
static row_slopes turn_row(const ends *e, const closed_loop *loop, dfl_joint_row type);
static row_slopes screw_row(const ends *e, const closed_loop *loop);
static void halve_difference(double *y, const double *x, int n);
static void subtract_angle(double *y, double lead, turn k, const double *re, const double *im);
static way_factors factors_of(const row_slopes *row, const ends *e, int end);
static void derive_way(double *gIq, double *gIIq, double *gIIv, int ld,
                       const dfl_tree_derivatives *work, int node, int stop, const way_factors *f);
static void weighted_slopes(double psi[2][6], const ends *e, const closed_loop *loop,
                            const double *lambda, const double *U);
static void derive_force(double *Tq, const dfl_tree_derivatives *work, const closed_loop *loop,
                         int end, int node, int k, double psi[2][6], const double *F);

void dfl_loops_derive(double *gIq, double *gIIq, double *gIIv, int ld, const dfl_loops *loops,
                      const dfl_tree_derivatives *work)
{
    const long nv = loops->tree->nv;
    long row = 0;
    for (long c = 0; c < nv && loops->rows > 0; c++) {
        memset(gIq + c * ld, 0, (size_t)loops->rows * sizeof *gIq);
        memset(gIIq + c * ld, 0, (size_t)loops->rows * sizeof *gIIq);
        memset(gIIv + c * ld, 0, (size_t)loops->rows * sizeof *gIIv);
    }
    for (int i = 0; i < loops->nloops; i++) {
        const closed_loop *loop = &loops->loop[i];
        const ends e = ends_of(loops, loop, work);
        for (int k = 0; k < loop->rows->count; k++, row++) {
            const dfl_joint_row type = loop->rows->row[k];
            const row_slopes slopes = type.kind == DFL_ROW_SCREW  ? screw_row(&e, loop)
                                      : type.kind == DFL_ROW_TURN ? turn_row(&e, loop, type)
                                                                  : simple_row(&e, loop, type);
            for (int end = 0; end < 2; end++) {
                const way_factors f = factors_of(&slopes, &e, end);
                derive_way(gIq + row, gIIq + row, gIIv + row, ld, work,
                           end ? loop->B.node : loop->A.node, loop->common, &f);
            }
        }
    }
}

static ends ends_of(const dfl_loops *loops, const closed_loop *loop,
                    const dfl_tree_derivatives *work)
{
    ends e;
    for (int end = 0; end < 2; end++) {
        const dfl_frame *frame = end ? &loop->B : &loop->A;
        dfl_frame_pose(e.R[end], e.r[end], loops->tree, frame);
        memcpy(e.V[end], work->node[frame->node].v, sizeof e.V[end]);
        memcpy(e.A[end], work->node[frame->node].a, sizeof e.A[end]);
        for (int k = 0; k < 3; k++) {
            e.r[end][k] -= work->origin[k];
            e.rd[end][k] = e.V[end][3 + k];
        }
        cross_add(e.rd[end], e.V[end], e.r[end]);
    }
    for (int k = 0; k < 6; k++)
        e.U[k] = e.V[1][k] - e.V[0][k];
    for (int k = 0; k < 3; k++)
        e.d[k] = e.r[1][k] - e.r[0][k];
    return e;
}

static void axis_of(double *axis, const ends *e, int end, int index)
{
    for (int k = 0; k < 3; k++)
        axis[k] = e->R[end][3 * k + index];
}

/* A force f at a point becomes a wrench about the origin. */
static void moment_of(double *wrench, const double *at, const double *f)
{
    cross(wrench, at, f);
    memcpy(wrench + 3, f, 3 * sizeof *f);
}

/* ------------------------------------------------------------------ F and its derivatives */

/* DOT1: (w x u; 0). DOT2: the force u at B; distance: d / L at B. */
static void force_of(double *F, const ends *e, const closed_loop *loop, dfl_joint_row type)
{
    double u[3], w[3];
    memset(F, 0, 6 * sizeof *F);
    axis_of(u, e, 0, type.u);
    axis_of(w, e, 1, type.w);
    if (type.kind == DFL_ROW_DOT1) {
        cross(F, w, u);
        return;
    }
    for (int k = 0; k < 3 && type.kind == DFL_ROW_DISTANCE; k++)
        u[k] = e->d[k] / loop->length;
    moment_of(F, e->r[1], u);
}

/* F of any row; of a screw: phi' = Im(z' / z). */
static void row_force(double *F, const ends *e, const closed_loop *loop, dfl_joint_row type)
{
    double re[6], im[6];
    if (type.kind == DFL_ROW_TURN) {
        force_of(F, e, loop, half_turn(type, false));
        force_of(re, e, loop, half_turn(type, true));
        halve_difference(F, re, 6);
        return;
    }
    force_of(F, e, loop, type.kind == DFL_ROW_SCREW ? screw_shift : type);
    if (type.kind != DFL_ROW_SCREW)
        return;
    force_of(re, e, loop, screw_real);
    force_of(im, e, loop, screw_imaginary);
    const turn z = {value_of(e, screw_real), value_of(e, screw_imaginary)};
    subtract_angle(F, loop->lead, turn_inverse(z), re, im);
}

static void pose_slopes(double psi[2][6], const ends *e, const closed_loop *loop,
                        dfl_joint_row type, const double *U)
{
    double re[2][6], im[2][6], Fre[6], Fim[6];
    if (type.kind == DFL_ROW_TURN) {
        simple_pose_slopes(psi, e, loop, half_turn(type, false), U);
        simple_pose_slopes(re, e, loop, half_turn(type, true), U);
        halve_difference(psi[0], re[0], 12);
        return;
    }
    if (type.kind != DFL_ROW_SCREW) {
        simple_pose_slopes(psi, e, loop, type, U);
        return;
    }
    force_of(Fre, e, loop, screw_real);
    force_of(Fim, e, loop, screw_imaginary);
    const turn k = turn_inverse((turn){value_of(e, screw_real), value_of(e, screw_imaginary)});
    const turn k2 = turn_times((turn){-dot6(Fre, U), -dot6(Fim, U)}, turn_times(k, k));
    simple_pose_slopes(psi, e, loop, screw_shift, U);
    simple_pose_slopes(re, e, loop, screw_real, U);
    simple_pose_slopes(im, e, loop, screw_imaginary, U);
    for (int end = 0; end < 2; end++) {
        subtract_angle(psi[end], loop->lead, k, re[end], im[end]);
        subtract_angle(psi[end], end ? loop->lead : -loop->lead, k2, Fre, Fim);
    }
}

/* psi(U) of F.U: w.(u x om), u.v or d.v / L, v being the relative velocity at B. */
static void simple_pose_slopes(double psi[2][6], const ends *e, const closed_loop *loop,
                               dfl_joint_row type, const double *U)
{
    double u[3], w[3], v[3] = {U[3], U[4], U[5]}, f[3] = {0}, t[3];
    axis_of(u, e, 0, type.u);
    axis_of(w, e, 1, type.w);
    memset(psi, 0, 12 * sizeof(double));
    cross_add(v, U, e->r[1]);
    switch ((dfl_row_kind)type.kind) {
    case DFL_ROW_DOT1:
        cross(t, U, w);
        cross(psi[0], u, t);
        cross(t, u, U);
        cross(psi[1], w, t);
        break;
    case DFL_ROW_DOT2:
        cross(psi[0], u, v);
        cross(f, u, U);
        moment_of(psi[1], e->r[1], f);
        break;
    default:
        for (int k = 0; k < 3; k++)
            t[k] = -v[k] / loop->length;
        moment_of(psi[0], e->r[0], t);
        cross(f, e->d, U);
        for (int k = 0; k < 3; k++)
            f[k] = (f[k] + v[k]) / loop->length;
        moment_of(psi[1], e->r[1], f);
    }
}

/* F' of the motion. */
static void force_rate(double *Fd, const ends *e, const closed_loop *loop, dfl_joint_row type)
{
    double u[3], w[3], ud[3], wd[3], t[3];
    memset(Fd, 0, 6 * sizeof *Fd);
    axis_of(u, e, 0, type.u);
    axis_of(w, e, 1, type.w);
    cross(ud, e->V[0], u);
    cross(wd, e->V[1], w);
    if (type.kind == DFL_ROW_DOT1) {
        cross(Fd, wd, u);
        cross_add(Fd, w, ud);
        return;
    }
    for (int k = 0; k < 3 && type.kind == DFL_ROW_DISTANCE; k++) {
        u[k] = e->d[k] / loop->length;
        ud[k] = (e->rd[1][k] - e->rd[0][k]) / loop->length;
    }
    moment_of(Fd, e->r[1], ud);
    cross(t, e->rd[1], u);
    for (int k = 0; k < 3; k++)
        Fd[k] += t[k];
}

/* The derivatives of F'.U by displacements, twists held fixed:
     DOT1:      F'.U = w'.(u x om) + u'.(om x w)
     DOT2:      F'.U = u'.v + u.(om x r_B'),    distance: with d / L for u */
static void add_force_rate_slopes(double psi[2][6], const ends *e, const closed_loop *loop,
                                  dfl_joint_row type)
{
    const double *om = e->U, *omA = e->V[0], *omB = e->V[1];
    double u[3], w[3], ud[3], wd[3], v[3] = {e->U[3], e->U[4], e->U[5]}, t[3], m[3], n[6], f[3];
    axis_of(u, e, 0, type.u);
    axis_of(w, e, 1, type.w);
    cross(ud, omA, u);
    cross(wd, omB, w);
    cross_add(v, om, e->r[1]);
    if (type.kind == DFL_ROW_DOT1) {
        cross(t, u, om);
        cross(m, t, omB);
        cross_add(m, ud, om);
        cross_add(psi[1], w, m);
        cross(t, om, w);
        cross(m, t, omA);
        cross_add(m, om, wd);
        cross_add(psi[0], u, m);
        return;
    }
    cross(m, v, omA); /* by u, or d */
    cross_add(m, om, e->rd[1]);
    for (int k = 0; k < 3 && type.kind == DFL_ROW_DISTANCE; k++) {
        u[k] = e->d[k];
        ud[k] = e->rd[1][k] - e->rd[0][k];
    }
    cross(t, u, om);
    cross(f, t, omB);
    cross_add(f, ud, om);
    if (type.kind == DFL_ROW_DOT2) {
        cross_add(psi[0], u, m);
    } else {
        const double scale = 1.0 / loop->length;
        cross_add(f, v, omB);
        cross_add(f, om, e->rd[1]);
        for (int k = 0; k < 3; k++) {
            f[k] *= scale;
            m[k] *= -scale;
        }
        moment_of(n, e->r[0], m);
        for (int k = 0; k < 6; k++)
            psi[0][k] += n[k];
    }
    moment_of(n, e->r[1], f);
    for (int k = 0; k < 6; k++)
        psi[1][k] += n[k];
}

/* The value of a row DOT1. */
static double value_of(const ends *e, dfl_joint_row type)
{
    double u[3], w[3];
    axis_of(u, e, 0, type.u);
    axis_of(w, e, 1, type.w);
    return dot(u, w);
}

/* ------------------------------------------------------------------ rows */

static row_slopes simple_row(const ends *e, const closed_loop *loop, dfl_joint_row type)
{
    row_slopes row = {.value = value_of(e, type)};
    double A[6], Fd[6];
    for (int k = 0; k < 6; k++)
        A[k] = e->A[1][k] - e->A[0][k];
    force_of(row.F, e, loop, type);
    force_rate(Fd, e, loop, type);
    row.rate = dot6(row.F, e->U);
    row.second = dot6(Fd, e->U) + dot6(row.F, A);
    simple_pose_slopes(row.pose, e, loop, type, e->U);
    simple_pose_slopes(row.pose2, e, loop, type, A);
    add_force_rate_slopes(row.pose2, e, loop, type);
    for (int k = 0; k < 6; k++) {
        row.twist2[0][k] = row.pose[0][k] - Fd[k];
        row.twist2[1][k] = row.pose[1][k] + Fd[k];
    }
    return row;
}

static row_slopes turn_row(const ends *e, const closed_loop *loop, dfl_joint_row type)
{
    row_slopes row = simple_row(e, loop, half_turn(type, false));
    const row_slopes second = simple_row(e, loop, half_turn(type, true));
    halve_difference(row.F, second.F, 6);
    halve_difference(row.pose[0], second.pose[0], 12);
    halve_difference(row.pose2[0], second.pose2[0], 12);
    halve_difference(row.twist2[0], second.twist2[0], 12);
    return row;
}

/* phi = Im log z: the derivatives of z' / z and z'' / z - (z' / z)^2. */
static row_slopes screw_row(const ends *e, const closed_loop *loop)
{
    row_slopes row = simple_row(e, loop, screw_shift);
    const row_slopes re = simple_row(e, loop, screw_real);
    const row_slopes im = simple_row(e, loop, screw_imaginary);
    const turn k = turn_inverse((turn){re.value, im.value}), kk = turn_times(k, k);
    const turn zd = {re.rate, im.rate}, rate = turn_times(zd, k);
    const turn once = turn_times(zd, kk), twice = {-2.0 * once.re, -2.0 * once.im};
    const turn a = turn_times((turn){re.second, im.second}, kk), b = turn_times(rate, once);
    const turn by_z = {2.0 * b.re - a.re, 2.0 * b.im - a.im};
    subtract_angle(row.F, loop->lead, k, re.F, im.F);
    for (int end = 0; end < 2; end++) {
        const double lead = loop->lead, signed_lead = end ? lead : -lead;
        subtract_angle(row.pose[end], lead, k, re.pose[end], im.pose[end]);
        subtract_angle(row.pose[end], -signed_lead, once, re.F, im.F);
        subtract_angle(row.pose2[end], lead, k, re.pose2[end], im.pose2[end]);
        subtract_angle(row.pose2[end], lead, twice, re.pose[end], im.pose[end]);
        subtract_angle(row.pose2[end], signed_lead, by_z, re.F, im.F);
        subtract_angle(row.twist2[end], lead, k, re.twist2[end], im.twist2[end]);
        subtract_angle(row.twist2[end], signed_lead, twice, re.F, im.F);
    }
    return row;
}

/* y = (y - x) / 2 */
static void halve_difference(double *y, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = 0.5 * (y[i] - x[i]);
}

/* y -= lead Im(k (re + i im)). */
static void subtract_angle(double *y, double lead, turn k, const double *re, const double *im)
{
    for (int i = 0; i < 6; i++)
        y[i] -= lead * (k.re * im[i] + k.im * re[i]);
}

static way_factors factors_of(const row_slopes *row, const ends *e, int end)
{
    way_factors f;
    double t[6];
    for (int k = 0; k < 6; k++)
        f.F[k] = end ? row->F[k] : -row->F[k];
    cross_force(t, e->V[end], f.F);
    for (int k = 0; k < 6; k++) {
        f.rate_S[k] = row->pose[end][k] + t[k];
        f.second_P[k] = row->twist2[end][k] + t[k];
    }
    cross_force(f.second_S, e->V[end], row->twist2[end]);
    cross_force(t, e->A[end], f.F);
    for (int k = 0; k < 6; k++)
        f.second_S[k] += row->pose2[end][k] + t[k];
    return f;
}

static void derive_way(double *gIq, double *gIIq, double *gIIv, int ld,
                       const dfl_tree_derivatives *work, int node, int stop, const way_factors *f)
{
    const dfl_tree *tree = work->tree;
    for (int i = node; i != stop; i = tree->node[i].parent)
        for (int k = 0; k < tree->node[i].dofs; k++) {
            const int v = tree->node[i].v + k;
            const dof_terms *d = &work->dof[v];
            gIq[(long)v * ld] += dot6(f->rate_S, d->S) + dot6(f->F, d->P);
            gIIq[(long)v * ld] +=
                dot6(f->second_S, d->S) + dot6(f->second_P, d->P) + dot6(f->F, d->PP);
            gIIv[(long)v * ld] += dot6(f->second_P, d->S) + dot6(f->F, d->Q);
        }
}

/* ------------------------------------------------------------------ forces */

void dfl_loops_derive_forces(double *Tq, const dfl_loops *loops, const dfl_tree_derivatives *work,
                             const double *lambda)
{
    const dfl_tree *tree = loops->tree;
    for (int i = 0; i < loops->nloops; i++) {
        const closed_loop *loop = &loops->loop[i];
        const dfl_joint_rows *rows = loop->rows;
        const ends e = ends_of(loops, loop, work);
        double F[6] = {0}, psi[2][6];
        for (int k = 0; k < rows->count; k++) {
            double own[6];
            row_force(own, &e, loop, rows->row[k]);
            for (int c = 0; c < 6; c++)
                F[c] += lambda[k] * own[c];
        }
        for (int end = 0; end < 2; end++)
            for (int n = end ? loop->B.node : loop->A.node; n != loop->common;
                 n = tree->node[n].parent)
                for (int k = 0; k < tree->node[n].dofs; k++) {
                    weighted_slopes(psi, &e, loop, lambda, work->dof[tree->node[n].v + k].S);
                    derive_force(Tq, work, loop, end, n, k, psi, F);
                }
        lambda += rows->count;
    }
}

/* psi(U) of the sum of all rows with their multipliers. */
static void weighted_slopes(double psi[2][6], const ends *e, const closed_loop *loop,
                            const double *lambda, const double *U)
{
    double own[2][6];
    memset(psi, 0, 12 * sizeof(double));
    for (int k = 0; k < loop->rows->count; k++) {
        pose_slopes(own, e, loop, loop->rows->row[k], U);
        for (int c = 0; c < 12; c++)
            psi[c / 6][c % 6] += lambda[k] * own[c / 6][c % 6];
    }
}

/* Velocity k of a node on the way to an end: its force is +-S.F, and what lies above turns S. */
static void derive_force(double *Tq, const dfl_tree_derivatives *work, const closed_loop *loop,
                         int end, int node, int k, double psi[2][6], const double *F)
{
    const dfl_tree *tree = work->tree;
    const int row = tree->node[node].v + k;
    const double sign = end ? 1.0 : -1.0;
    double turning[6];
    cross_force(turning, work->dof[row].S, F);
    for (int way = 0; way < 2; way++)
        for (int n = way ? loop->B.node : loop->A.node; n != loop->common; n = tree->node[n].parent)
            for (int l = 0; l < tree->node[n].dofs; l++) {
                const int column = tree->node[n].v + l;
                const double *S = work->dof[column].S;
                const bool above = way == end && n <= node;
                Tq[row + (long)column * tree->nv] -=
                    sign * (dot6(psi[way], S) + (above ? dot6(turning, S) : 0.0));
            }
}
