/* new_values.c: a drawing serves its model after the script.

   Other values of parameters leave its declarations as they are if bodies and poses are still
   possible ones, and rows of loops that no motion changes are still the same. Everything else that
   was decided by numbers is in the readings and decisions of the model (dfl_model_value,
   dfl_model_decide). */
#include "drawing/drawing_internal.h"

static dfl_status revalue(bool *same, void *user);

static dfl_status show(void *user)
{
    return dfl_drawing_shapes(user);
}

static void forget(void *user)
{
    dfl_drawing_free(user);
}

void dfl_drawing_belong(dfl_drawing *drawing)
{
    drawing->model->drawing =
        (dfl_model_drawing){.it = drawing, .revalue = revalue, .show = show, .free = forget};
}

static dfl_status revalue(bool *same, void *user)
{
    dfl_drawing *drawing = user;
    *same = true;
    dfl_status status = dfl_drawing_check_bodies(drawing);
    if (!status)
        status = dfl_drawing_check_poses(drawing);
    if (!status)
        status = dfl_drawing_same_quaternions(same, drawing);
    if (status == DFL_INVALID) { /* the script says it with its line */
        *same = false;
        return DFL_OK;
    }
    if (!status && *same)
        status = dfl_drawing_same_tree(same, drawing);
    if (!status && *same)
        status = dfl_drawing_same_constants(same, drawing);
    if (!status && *same)
        dfl_drawing_measure(drawing);
    return status ? status : dfl_graph_status(drawing->graph);
}
