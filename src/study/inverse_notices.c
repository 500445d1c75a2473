/* inverse_notices.c: what the user of inverse dynamics should know of a motion that is followed. */
#include "study/inverse_internal.h"

#include "declare/declare.h"

#include <math.h>
#include <stdio.h>

/* Motions decide where everything is: initial values of the script that differ are named. */
dfl_status dfl_inverse_note_start(dfl_pursuit *it)
{
    const dfl_equations *eq = eq_of(it->run);
    const dfl_model *model = eq->model;
    char *notice = it->out->notice;
    for (int i = 0; !*notice && i < model->starts.count; i++) {
        const dfl_start_value *start = &model->starts.item[i];
        for (int k = 0; it->held[i] && k < eq->n; k++) {
            const double found = it->out->x[k];
            if (eq->x[k].symbol == start->symbol &&
                fabs(found - start->value) > 1e-6 * (1 + fabs(start->value)))
                snprintf(notice, sizeof it->out->notice,
                         "the prescribed motions begin with %s = %.10g, and not with the initial "
                         "value %.10g of line %d",
                         eq->x[k].name, found, start->value, start->line);
        }
    }
    return DFL_OK;
}

static int mode_of(dfl_contact_mode mode)
{
    return mode.closed + 2 * mode.stick + 4 * (mode.sense > 0) + 8 * (mode.sense < 0);
}

dfl_status dfl_inverse_note_contacts(dfl_pursuit *it, double t)
{
    const dfl_actions *actions = &eq_of(it->run)->model->actions;
    const int count = actions->touches.count;
    char *notice = it->out->notice;
    const bool first = !it->mode;
    if (count == 0)
        return DFL_OK;
    if (first)
        it->mode = dfl_alloc(ctx_of(it->run), (size_t)count, sizeof *it->mode);
    if (!it->mode)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++) {
        const dfl_touch *touch = &actions->touches.item[i];
        const int mode = mode_of(dfl_runnable_mode(it->run, i));
        if (!first && mode != it->mode[i] && !*notice && t > it->settings->from)
            snprintf(notice, sizeof it->out->notice,
                     "contact '%s' (line %d) changes between sticking, slipping and open before t "
                     "= %g: the "
                     "drive may jump there, and a table of it is exact only up to this time and "
                     "after it",
                     touch->name, touch->line, t);
        it->mode[i] = mode;
    }
    return DFL_OK;
}
