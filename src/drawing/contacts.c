/* contacts.c: contact of curves or surfaces of two bodies.

   The contact points x1 of body A and x2 of body B are functions of contact variables. With
   tangents t1, t2, the unit normal n2 of B and D = x1 - x2, all in the world,

       c = (t1.n2, D.t2) = 0,      g = n2.D = 0

   determine the variables and hold the bodies together. A point of A has no variable and no t1. On
   contact g does not depend on the contact variables in first order; c_s is regular where the
   curvatures differ. */
#include "drawing/closures.h"
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/reactions.h"
#include "drawing/vectors.h"
#include "symbolic/symbolic.h"

static dfl_status check(const dfl_drawing *drawing, const dfl_drawn_contact *contact);
static dfl_status tangents(dfl_vec *t, dfl_drawing *drawing, dfl_vec x, const dfl_expr *s,
                           int count, const char *name);

dfl_status dfl_drawing_contact_variable(dfl_expr *out, dfl_drawing *drawing, int line,
                                        const char *name, int index, double start)
{
    dfl_text text = {.ctx = drawing->ctx};
    dfl_text_add(&text, "%s.s%d", name, index + 1);
    dfl_status status = text.status;
    if (!status)
        status =
            dfl_model_variable(out, drawing->model, line, DFL_A_CONTACT, dfl_text_string(&text));
    if (!status)
        status = dfl_model_start(drawing->model, line, *out, start, false);
    dfl_text_clear(&text);
    return status;
}

dfl_status dfl_drawing_contact(int *out, dfl_drawing *drawing, const dfl_drawn_contact *contact)
{
    dfl_graph *g = drawing->graph;
    const dfl_expr *sb = contact->s + contact->na;
    dfl_vec x1, x2, t1[2], t2[2];
    dfl_mat A, B;
    dfl_status status = check(drawing, contact);
    if (!status)
        status = dfl_drawing_point(&x1, drawing, contact->a, contact->x1);
    if (!status)
        status = dfl_drawing_point(&x2, drawing, contact->b, contact->x2);
    if (!status)
        status = dfl_drawing_rotation(&A, drawing, contact->a);
    if (!status)
        status = dfl_drawing_rotation(&B, drawing, contact->b);
    if (!status)
        status = tangents(t1, drawing, contact->x1, contact->s, contact->na, contact->name);
    if (!status)
        status = tangents(t2, drawing, contact->x2, sb, contact->nb, contact->name);
    if (status)
        return status;
    const dfl_vec across =
        contact->nb == 2 ? vec_cross(g, t2[0], t2[1]) : vec_cross(g, contact->normal, t2[0]);
    const dfl_vec n2 = mat_times(g, B, vec_unit(g, across)), D = vec_sub(g, x1, x2);
    for (int k = 0; k < contact->na && !status; k++)
        status = dfl_model_equation(drawing->model, contact->s[k],
                                    vec_dot(g, mat_times(g, A, t1[k]), n2));
    for (int k = 0; k < contact->nb && !status; k++)
        status = dfl_model_equation(drawing->model, sb[k], vec_dot(g, D, mat_times(g, B, t2[k])));
    if (!status)
        status = dfl_model_constraint(out, drawing->model, contact->line, contact->name,
                                      vec_dot(g, n2, D));
    if (!status) {
        dfl_declaration *row = &drawing->model->declarations.item[*out];
        row->meaning = "contact";
        status = dfl_drawing_bond(drawing, contact->b, contact->a, row->symbol, x1, n2, vec_zero());
    }
    return status ? status : dfl_graph_status(g);
}

static dfl_status check(const dfl_drawing *drawing, const dfl_drawn_contact *contact)
{
    if (contact->a == contact->b)
        return dfl_fail(drawing->ctx, DFL_INVALID,
                        "contact '%s': %s cannot touch itself; give two bodies", contact->name,
                        dfl_drawing_body_name(drawing, contact->a));
    const unsigned moving = 1U << DFL_SYM_P | 1U << DFL_SYM_V | 1U << DFL_SYM_TIME;
    for (int i = 0; i < 3; i++) {
        const dfl_node *a = dfl_node_of(drawing->graph, contact->x1.e[i]);
        const dfl_node *b = dfl_node_of(drawing->graph, contact->x2.e[i]);
        if ((a->depends | b->depends) & moving)
            return dfl_fail(drawing->ctx, DFL_INVALID,
                            "contact '%s': a curve changes with time or motion; it is fixed to its "
                            "body, give functions of the curve parameter",
                            contact->name);
    }
    return DFL_OK;
}

/* d x / d s */
static dfl_status tangents(dfl_vec *t, dfl_drawing *drawing, dfl_vec x, const dfl_expr *s,
                           int count, const char *name)
{
    const dfl_expr one = dfl_constant(drawing->graph, 1.0);
    dfl_status status = DFL_OK;
    for (int k = 0; k < count && !status; k++) {
        status = dfl_along_exprs(t[k].e, drawing->graph, x.e, 3, &s[k], &one, 1);
        if (!status && vec_is_zero(t[k]))
            status = dfl_fail(drawing->ctx, DFL_INVALID,
                              "contact '%s': a curve does not depend on its parameter; return "
                              "coordinates that are functions of it",
                              name);
    }
    return status;
}
