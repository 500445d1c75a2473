/* shape_elastic.c: elastic bodies as lines along their outline, deformed, with bending moments as
   colours; deflections are magnified if the script wants that. */
#include "drawing/shapes_internal.h"

#include "drawing/vectors.h"

#include <math.h>
#include <stdio.h>

static dfl_status show_line(const dfl_stage *stage, const dfl_elastic *e, int first, int count,
                            const char *part);
static dfl_expr moment_of(dfl_graph *g, const dfl_elastic_node *node);

dfl_status dfl_show_elastics(const dfl_stage *stage)
{
    dfl_drawing *drawing = stage->drawing;
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->nelastics && !status; i++) {
        const dfl_elastic *e = &drawing->elastics[i];
        const int end = e->nnodes + e->noutline;
        for (int first = e->nnodes, next; first < end && !status && !e->hidden; first = next) {
            char part[20] = "";
            for (next = first; next < end && e->node[next].line == e->node[first].line;)
                next++;
            if (e->node[end - 1].line > 0) /* several lines */
                snprintf(part, sizeof part, ".%d", e->node[first].line + 1);
            status = show_line(stage, e, first, next - first, part);
        }
    }
    return status;
}

static dfl_status show_line(const dfl_stage *stage, const dfl_elastic *e, int first, int count,
                            const char *part)
{
    dfl_graph *g = stage->drawing->graph;
    const dfl_label label = {e->name, part, dfl_body_color(stage->drawing, e->body), e->line};
    const dfl_expr factor = dfl_constant(g, e->magnify);
    dfl_spot line[DFL_MOST_LINE];
    dfl_expr moment[DFL_MOST_LINE];
    bool any = false;
    count = count < DFL_MOST_LINE ? count : DFL_MOST_LINE;
    for (int k = 0; k < count; k++) {
        const dfl_elastic_node *point = &e->node[first + k];
        const dfl_vec at = vec_add(g, point->at, vec_scale(g, factor, point->shift));
        line[k] = (dfl_spot){.body = e->body, .at = at};
        moment[k] = moment_of(g, point);
        any = any || moment[k] != 0;
    }
    if (count < 2)
        return DFL_OK;
    return dfl_add_colored_line(stage, label, line, count, 0.012 * stage->size,
                                any ? moment : NULL);
}

/* EI v'', or the resultant of both directions. */
static dfl_expr moment_of(dfl_graph *g, const dfl_elastic_node *node)
{
    const dfl_expr M = node->load[DFL_BEAM_BEND_Y], M2 = node->load[DFL_BEAM_BEND_Z];
    if (M2 == 0)
        return M;
    if (M == 0)
        return M2;
    return dfl_unary(g, DFL_OP_SQRT, dfl_add(g, dfl_mul(g, M, M), dfl_mul(g, M2, M2)));
}
