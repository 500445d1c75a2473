/* drawn.h: descriptions of the numeric trees, drawn with expressions, for tests that compare
   both. */
#ifndef DFL_TESTS_DRAWN_H
#define DFL_TESTS_DRAWN_H

#include "../multibody/trees.h"

#include "multibody/multibody.h"
#include "drawing/drawing.h"
#include "engine/engine.h"

/* A drawing and what is made of it. */
typedef struct drawn {
    dfl_context *ctx;
    dfl_model *model;
    dfl_drawing *drawing;
    dfl_equations *eq;
    dfl_runnable *run;
    bool parameters; /* every third number becomes a parameter */
    int numbers;
} drawn;

static inline void drawn_expect(const drawn *d, dfl_status status)
{
    if (status)
        fail_msg("%s: %s", dfl_status_name(status), dfl_message(d->ctx));
}

static inline drawn drawn_new(bool planar, bool parameters)
{
    drawn d = {.ctx = dfl_context_create(), .parameters = parameters};
    drawn_expect(&d, dfl_model_create(&d.model, d.ctx, "test.lua"));
    d.model->dynamics = DFL_DYNAMICS_EXPRESSIONS; /* these are what the tests look at */
    drawn_expect(&d, dfl_drawing_create(&d.drawing, d.model));
    if (planar)
        drawn_expect(&d, dfl_drawing_set_planar(d.drawing));
    return d;
}

static inline dfl_expr drawn_number(drawn *d, double value)
{
    dfl_expr symbol;
    char name[20];
    if (!d->parameters || d->numbers++ % 3 || value == 0.0)
        return dfl_constant(d->model->graph, value);
    snprintf(name, sizeof name, "k%d", d->numbers);
    drawn_expect(d, dfl_model_param(&symbol, d->model, 0, name, value, NULL));
    return symbol;
}

static inline dfl_vec drawn_vector(drawn *d, const double *x)
{
    dfl_vec v;
    for (int i = 0; i < 3; i++)
        v.e[i] = drawn_number(d, x[i]);
    return v;
}

/* Plain numbers, for tests. */
static inline dfl_vec plain_vector(const drawn *d, const double *x)
{
    dfl_vec v;
    for (int i = 0; i < 3; i++)
        v.e[i] = dfl_constant(d->model->graph, x[i]);
    return v;
}

/* The motion of driven joint number k: sin(t + k). */
static inline dfl_expr drawn_motion(const drawn *d, int k)
{
    dfl_graph *g = d->model->graph;
    const dfl_expr time = dfl_symbol_expr(g, DFL_SYM_TIME, 0, "time");
    return dfl_unary(g, DFL_OP_SIN, dfl_add(g, time, dfl_constant(g, k)));
}

static inline void drawn_drive(dfl_tree *tree, double t)
{
    for (int k = 0; k < dfl_tree_ndrives(tree); k++)
        dfl_tree_drive(tree, k, sin(t + k), cos(t + k), -sin(t + k));
}

static inline void drawn_tree(drawn *d, const dfl_multibody_description *tree)
{
    char name[20];
    int number, drives = 0;
    drawn_expect(d, dfl_drawing_set_gravity(d->drawing, 0, drawn_vector(d, tree->gravity)));
    for (int i = 0; i < tree->nbodies; i++) {
        const dfl_rigid_body *body = &tree->bodies[i];
        snprintf(name, sizeof name, "b%d", i);
        dfl_drawn_body b = {.name = name, .mass = drawn_number(d, body->mass)};
        b.com = drawn_vector(d, body->com);
        for (int k = 0; k < 6; k++)
            b.inertia.e[k] = drawn_number(d, body->inertia[k]);
        drawn_expect(d, dfl_drawing_body(&number, d->drawing, &b));
    }
    for (int i = 0; i < tree->njoints; i++) {
        const dfl_joint *joint = &tree->joints[i];
        snprintf(name, sizeof name, "j%d", i);
        dfl_drawn_joint j = {.name = name, .kind = joint->kind};
        j.parent = joint->parent;
        j.child = joint->child;
        j.at = drawn_vector(d, joint->at);
        j.axis = plain_vector(d, joint->axis);
        j.axis2 = plain_vector(d, joint->axis2);
        j.lead = drawn_number(d, joint->lead);
        j.driven = joint->driven;
        if (joint->driven)
            j.motion = drawn_motion(d, drives++);
        drawn_expect(d, dfl_drawing_joint(&number, d->drawing, &j));
    }
}

static inline void drawn_loop(drawn *d, const dfl_loop *loop)
{
    int number;
    const dfl_drawn_joint j = {.name = loop->name,
                               .kind = loop->kind,
                               .parent = loop->a,
                               .child = loop->b,
                               .at = drawn_vector(d, loop->at),
                               .axis = plain_vector(d, loop->axis),
                               .axis2 = plain_vector(d, loop->axis2),
                               .cut = true,
                               .apart = loop->apart,
                               .at_b = drawn_vector(d, loop->at_b),
                               .axis_b = plain_vector(d, loop->axis_b),
                               .axis2_b = plain_vector(d, loop->axis2_b),
                               .length = drawn_number(d, loop->length),
                               .lead = drawn_number(d, loop->lead)};
    drawn_expect(d, dfl_drawing_joint(&number, d->drawing, &j));
}

static inline void drawn_finish(drawn *d)
{
    drawn_expect(d, dfl_drawing_lower(d->drawing));
    drawn_expect(d, dfl_equations_create(&d->eq, d->model, false));
    drawn_expect(d, dfl_runnable_create(&d->run, d->eq));
}

static inline void drawn_free(drawn *d)
{
    dfl_runnable_free(d->run);
    dfl_equations_free(d->eq);
    dfl_drawing_free(d->drawing);
    dfl_model_free(d->model);
    assert_int_equal(dfl_context_live(d->ctx), 0);
    dfl_context_free(d->ctx);
}

/* Equal to 1e-10 of the largest entry: rounding of two different orders of summation. */
static inline void assert_same(const double *found, const double *expected, int n, const char *what)
{
    double size = 1.0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(expected[i]));
    for (int i = 0; i < n; i++)
        if (!(fabs(found[i] - expected[i]) <= 1e-10 * size))
            fail_msg("%s[%d]: found %.17g, expected %.17g", what, i, found[i], expected[i]);
}

#endif
