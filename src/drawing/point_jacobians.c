/* point_jacobians.c: velocities of points as sums over the velocities of joints. */
#include "drawing/drawing_internal.h"

#include "drawing/vectors.h"

static int add_columns(dfl_jacobian_column *columns, dfl_drawing *drawing, int index, dfl_vec x);
static int merge_columns(dfl_jacobian_column *columns, int count, int added, dfl_graph *g);

int dfl_drawing_velocities(const dfl_drawing *drawing)
{
    int count = 0;
    for (int i = 0; i < drawing->njoints; i++)
        count += drawing->joints[i].nv;
    return count;
}

dfl_status dfl_drawing_jacobian(dfl_jacobian_column *columns, int *count, int room,
                                dfl_drawing *drawing, int body, dfl_vec point)
{
    int link;
    dfl_vec x;
    dfl_status status = dfl_drawing_point(&x, drawing, body, point);
    if (!status)
        status = dfl_drawing_link(&link, drawing, body);
    *count = 0;
    for (; !status && link > 0; link = drawing->links[link].parent) {
        if (*count + drawing->links[link].dofs > room)
            return dfl_fail(drawing->ctx, DFL_INVALID, "a Jacobian has more than %d columns", room);
        *count = merge_columns(columns, *count, add_columns(columns + *count, drawing, link, x),
                               drawing->graph);
    }
    return status ? status : dfl_graph_status(drawing->graph);
}

static int add_columns(dfl_jacobian_column *columns, dfl_drawing *drawing, int index, dfl_vec x)
{
    dfl_graph *g = drawing->graph;
    const dfl_link *link = &drawing->links[index];
    const dfl_mat A = dfl_link_axes(drawing, index);
    const dfl_vec arm = vec_sub(g, x, link->pose.r);
    for (int k = 0; k < link->dofs; k++) {
        dfl_link unit = *link;
        unit.clock = 0;
        dfl_vec w, u;
        for (int i = 0; i < link->dofs; i++)
            unit.v[i] = dfl_constant(g, i == k ? 1.0 : 0.0);
        dfl_link_rates(&w, &u, drawing, &unit, link->axis);
        columns[k].v = link->v[k];
        columns[k].omega = mat_times(g, A, w);
        columns[k].velocity = vec_cross_add(g, mat_times(g, A, u), columns[k].omega, arm);
    }
    return link->dofs;
}

/* An elastic coordinate moves several links: their columns are added. */
static int merge_columns(dfl_jacobian_column *columns, int count, int added, dfl_graph *g)
{
    int n = count;
    for (int i = count; i < count + added; i++) {
        int k = 0;
        while (k < count && columns[k].v != columns[i].v)
            k++;
        if (k < count) {
            columns[k].omega = vec_add(g, columns[k].omega, columns[i].omega);
            columns[k].velocity = vec_add(g, columns[k].velocity, columns[i].velocity);
        } else {
            columns[n++] = columns[i];
        }
    }
    return n;
}
