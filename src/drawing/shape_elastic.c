/* shape_elastic.c: elastic bodies as lines along their outline, deformed; deflections are magnified if the
   script wants that. */
#include "drawing/shapes_internal.h"

#include "drawing/vectors.h"

#include <math.h>

enum { MOST_POINTS = 100 };

dfl_status dfl_show_elastics(const dfl_stage *stage)
{
    dfl_drawing *drawing = stage->drawing;
    dfl_graph *g = drawing->graph;
    dfl_status status = DFL_OK;
    for (int i = 0; i < drawing->nelastics && !status; i++) {
        const dfl_elastic *e = &drawing->elastics[i];
        const dfl_label label = {e->name, "", dfl_body_color(drawing, e->body), e->line};
        const dfl_expr factor = dfl_constant(g, e->magnify);
        dfl_spot line[MOST_POINTS];
        int count = 0;
        for (; count < e->noutline && count < MOST_POINTS; count++) {
            const dfl_elastic_node *point = &e->node[e->nnodes + count];
            const dfl_vec at = vec_add(g, point->at, vec_scale(g, factor, point->shift));
            line[count] = (dfl_spot){.body = e->body, .at = at};
        }
        if (count > 1 && !e->hidden)
            status = dfl_add_line(stage, label, line, count, 0.012 * stage->size);
    }
    return status;
}
