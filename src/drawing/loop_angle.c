/* loop_angle.c: the angle between the bodies of a joint that closes a loop.

   No coordinate of the tree is this angle, and atan2 of the axes would jump after half a turn. So
   it is a variable s with its own equation, like a contact variable:

       0 = C sin s - S cos s,     C = x_A.x_B,  S = y_A.x_B,      side: C cos s + S sin s = 1

   whose solution is followed over any number of turns. */
#include "drawing/closures.h"
#include "drawing/drawing_internal.h"

#include "context/context.h"
#include "drawing/vectors.h"

dfl_status dfl_drawing_loop_angle(dfl_expr *out, dfl_drawing *drawing, int index)
{
    dfl_graph *g = drawing->graph;
    const dfl_placed_joint *joint = &drawing->joints[index];
    dfl_joint_frames f;
    dfl_text name = {.ctx = drawing->ctx};
    dfl_text_add(&name, "%s.angle", joint->name);
    dfl_status status = name.status;
    const dfl_declaration *known =
        status ? NULL : dfl_model_find(drawing->model, dfl_text_string(&name));
    if (known) {
        *out = known->symbol;
        dfl_text_clear(&name);
        return DFL_OK;
    }
    if (!status)
        status = dfl_drawing_frames(&f, drawing, joint);
    if (!status)
        status = dfl_model_variable(out, drawing->model, joint->line, DFL_A_CONTACT,
                                    dfl_text_string(&name));
    dfl_text_clear(&name);
    if (status)
        return status;
    const dfl_vec x = f.B[0];
    const dfl_expr C = vec_dot(g, f.A[0], x), S = vec_dot(g, f.A[1], x);
    const dfl_expr c = dfl_unary(g, DFL_OP_COS, *out), s = dfl_unary(g, DFL_OP_SIN, *out);
    status =
        dfl_model_equation(drawing->model, *out, dfl_sub(g, dfl_mul(g, C, s), dfl_mul(g, S, c)));
    if (!status)
        status = dfl_model_side(drawing->model, joint->line, joint->name,
                                dfl_add(g, dfl_mul(g, C, c), dfl_mul(g, S, s)));
    return status;
}
