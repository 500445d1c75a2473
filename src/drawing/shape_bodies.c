/* shape_bodies.c: bodies as bars between their points and their centre of mass, or as the box of
   their inertia. */
#include "drawing/shapes_internal.h"

#include "drawing/vectors.h"

#include <math.h>

enum { MOST_POINTS = 100 };

/* What is known of a body. */
typedef struct figure {
    int body;
    double mass, inertia[6];
    dfl_spot point[MOST_POINTS]; /* different ones */
    int npoints;
    int hub;        /* the centre of mass among them, or the first one */
    double longest; /* bar */
} figure;

static dfl_status study(figure *f, const dfl_stage *stage, int body);
static bool is_new(const figure *f, const dfl_stage *stage, const dfl_spot *spot);
static dfl_status show_bars(const dfl_stage *stage, const figure *f, dfl_label label);
static dfl_status show_mass(const dfl_stage *stage, const figure *f, dfl_label label);
static dfl_status show_box(const dfl_stage *stage, const figure *f, dfl_label label, bool *done);
static dfl_status show_rotor(const dfl_stage *stage, const figure *f, dfl_label label,
                             const double axis[3]);
static bool find_joint(double axis[3], const dfl_stage *stage, int body, dfl_step_kind step,
                       dfl_status *status);

dfl_status dfl_show_bodies(const dfl_stage *stage)
{
    const dfl_drawing *drawing = stage->drawing;
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->nbodies && !status; i++) {
        const dfl_placed_body *body = &drawing->bodies[i];
        const dfl_label label = {body->name, "", dfl_body_color(drawing, i), body->line};
        figure f;
        status = study(&f, stage, i);
        if (status || body->hidden)
            continue;
        bool boxed = false;
        if (f.npoints > 1)
            status = show_bars(stage, &f, label);
        else if (f.npoints == 1 && !stage->round[i])
            status = show_box(stage, &f, label, &boxed);
        if (!status && !boxed && !stage->round[i] &&
            f.inertia[0] + f.inertia[1] + f.inertia[2] == 0)
            status = show_mass(stage, &f, label);
    }
    return status;
}

/* Also notes how thick its bars are, for the joints. */
static dfl_status study(figure *f, const dfl_stage *stage, int number)
{
    const dfl_placed_body *body = &stage->drawing->bodies[number];
    dfl_status status;
    *f = (figure){.body = number, .hub = 0};
    if (!dfl_stage_values(&f->mass, &status, stage, &body->mass, 1) ||
        !dfl_stage_values(f->inertia, &status, stage, body->inertia.e, 6))
        return status;
    for (int i = 0; i < stage->nspots && f->npoints < MOST_POINTS; i++)
        if (stage->spots[i].body == number && is_new(f, stage, &stage->spots[i]))
            f->point[f->npoints++] = stage->spots[i];
    for (int i = 0; i < f->npoints && f->mass > 0; i++)
        if (f->point[i].at.e[0] == body->com.e[0] && f->point[i].at.e[1] == body->com.e[1] &&
            f->point[i].at.e[2] == body->com.e[2])
            f->hub = i;
    const double *hub = f->point[f->hub].x;
    for (int i = 0; i < f->npoints; i++) {
        const double *x = f->point[i].x;
        f->longest = fmax(f->longest, hypot(hypot(x[0] - hub[0], x[1] - hub[1]), x[2] - hub[2]));
    }
    if (f->npoints > 1)
        stage->thick[number] = fmin(0.03 * stage->size, 0.15 * f->longest);
    return status;
}

static bool is_new(const figure *f, const dfl_stage *stage, const dfl_spot *spot)
{
    for (int i = 0; i < f->npoints; i++) {
        const double *a = f->point[i].x, *b = spot->x;
        if (hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) < 1e-6 * stage->size)
            return false;
    }
    return true;
}

/* A star of bars about the centre of mass, as one line that returns to it. */
static dfl_status show_bars(const dfl_stage *stage, const figure *f, dfl_label label)
{
    dfl_spot path[2 * MOST_POINTS];
    int count = 0;
    for (int i = 0; i < f->npoints; i++) {
        if (i == f->hub)
            continue;
        if (count > 0)
            path[count++] = f->point[f->hub];
        path[count++] = f->point[i];
    }
    if (count == 1)
        path[count++] = f->point[f->hub];
    return dfl_add_line(stage, label, path, count, stage->thick[f->body]);
}

/* A point mass, in the middle of its bars or alone; without mass, a smaller ball alone. */
static dfl_status show_mass(const dfl_stage *stage, const figure *f, dfl_label label)
{
    const double none[4] = {1, 0, 0, 0};
    const double r = (f->mass > 0 ? 0.025 : 0.012) * stage->size, radii[] = {r, r, r};
    if (f->npoints == 0 || (f->npoints > 1 && !(f->mass > 0)))
        return DFL_OK;
    if (f->npoints > 1)
        label.part = ".mass";
    return dfl_add_posed(stage, label, DFL_SPHERE, &f->point[f->hub], none, radii, 3);
}

/* The box of the inertia, in a plane model a square; a body that only slides gets a box along its
   guide. It is at most half as large as the drawing, since inertias are often guessed. */
static dfl_status show_box(const dfl_stage *stage, const figure *f, dfl_label label, bool *done)
{
    const double most = 0.5 * stage->size;
    double inertia[6], size[3], turn[4], axis[3], turning[3];
    dfl_status status = DFL_OK;
    for (int k = 0; k < 6; k++)
        inertia[k] = f->inertia[k];
    if (stage->drawing->planar)
        inertia[0] = inertia[1] = inertia[2] / 2;
    *done = true;
    const bool slides = find_joint(axis, stage, f->body, DFL_STEP_PRISMATIC, &status);
    if (!status && !slides && find_joint(turning, stage, f->body, DFL_STEP_REVOLUTE, &status))
        return show_rotor(stage, f, label, turning);
    if (!status && !dfl_inertia_box(size, turn, f->mass, inertia)) {
        *done = f->mass > 0 && slides;
        if (!*done)
            return DFL_OK;
        for (int k = 0; k < 3; k++)
            size[k] = (k == 0 ? 0.1 : 0.07) * stage->size;
        dfl_turn_axis(turn, 0, axis);
    }
    if (status)
        return status;
    const double longest = fmax(size[0], fmax(size[1], size[2]));
    for (int k = 0; k < 3; k++)
        size[k] = fmin(longest, most) * (size[k] / longest);
    if (stage->drawing->planar)
        size[2] = fmin(size[0], size[1]);
    return dfl_add_posed(stage, label, DFL_BOX, &f->point[0], turn, size, 3);
}

/* A body that turns about its centre of mass is a disk with its inertia, m r^2 / 2 about the
   axis. */
static dfl_status show_rotor(const dfl_stage *stage, const figure *f, dfl_label label,
                             const double axis[3])
{
    const double *J = f->inertia, *a = axis;
    const double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    const double about = (a[0] * (J[0] * a[0] + 2 * J[3] * a[1] + 2 * J[4] * a[2]) +
                          a[1] * (J[1] * a[1] + 2 * J[5] * a[2]) + a[2] * J[2] * a[2]) /
                         square;
    const double radius = f->mass > 0 && about > 0 ? sqrt(2 * about / f->mass) : 0.05 * stage->size;
    const double shown = fmin(radius, 0.25 * stage->size), sizes[] = {shown, 0.3 * shown};
    double turn[4];
    dfl_turn_axis(turn, 2, axis);
    return dfl_add_posed(stage, label, DFL_CYLINDER, &f->point[0], turn, sizes, 2);
}

/* The axis of a joint with this single step that the body has. */
static bool find_joint(double axis[3], const dfl_stage *stage, int body, dfl_step_kind step,
                       dfl_status *status)
{
    const dfl_drawing *drawing = stage->drawing;
    for (int i = 0; i < drawing->njoints; i++) {
        const dfl_drawn_joint *joint = &drawing->joints[i].drawn;
        if (dfl_joint_is(joint->kind, step) && (joint->child == body || joint->parent == body))
            return dfl_stage_values(axis, status, stage, joint->axis.e, 3);
    }
    return false;
}
