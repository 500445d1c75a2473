/* branching_memory.c: the life of what switches. */
#include "carry/branching.h"

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* The numbers that a run remembers in one block, workspace in another. */
static dfl_status make_room(dfl_branching *sw, dfl_context *ctx, int nvalues)
{
    const dfl_branching_tables *m = sw->tables;
    const size_t count = (size_t)m->switches.count,
                 moved = (size_t)(m->nv + 2 * m->nmotions + m->nenergies * (1 + m->np));
    const size_t slopes = (size_t)most(m->switches.nslopes, m->gaps.nslopes);
    const size_t contacts = (size_t)m->ncontacts, rows = (size_t)m->nrows;
    sw->discrete = dfl_alloc(ctx, (size_t)(m->ndiscretes + sw->nitems), sizeof(double));
    sw->off = dfl_alloc(ctx, rows, sizeof *sw->off);
    sw->flipped = dfl_alloc(ctx, count, sizeof *sw->flipped);
    sw->acted = dfl_alloc(ctx, (size_t)m->nactions, sizeof *sw->acted);
    sw->contact = dfl_alloc(ctx, count, sizeof *sw->contact);
    double *next = dfl_alloc(ctx,
                             2 * count + slopes + 2 * moved + (size_t)m->ncontinued +
                                 (size_t)nvalues + rows + 8 * contacts + 2 * (size_t)m->ndiscretes,
                             sizeof *next);
    sw->value = next;
    if (!sw->discrete || !sw->off || !sw->flipped || !sw->acted || !sw->contact || !sw->value)
        return DFL_NO_MEMORY;
    sw->branch = sw->discrete + m->ndiscretes;
    const struct {
        double **place;
        size_t count;
    } parts[] = {{&sw->value, count},
                 {&sw->noise, count},
                 {&sw->slope, slopes},
                 {&sw->before, moved},
                 {&sw->after, moved},
                 {&sw->unlocked, (size_t)m->ncontinued},
                 {&sw->assigned, (size_t)nvalues},
                 {&sw->mask, rows},
                 {&sw->gap, 2 * contacts},
                 {&sw->gap_noise, 2 * contacts},
                 {&sw->law, 4 * contacts},
                 {&sw->previous, (size_t)m->ndiscretes},
                 {&sw->kept, (size_t)m->ndiscretes}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].place = next;
        next += parts[i].count;
    }
    return DFL_OK;
}

dfl_status dfl_branching_create(dfl_branching *out, dfl_context *ctx,
                                const dfl_branching_tables *tables, const dfl_graph *graph,
                                const dfl_branching_host *host)
{
    const dfl_branching_tables *m = tables;
    int nvalues = 0;
    for (int i = 0; i < m->nactions; i++)
        nvalues += m->actions[i].nsets + m->actions[i].nimpulses;
    *out = (dfl_branching){.tables = m, .host = *host, .graph = graph};
    out->first_contact = m->nswitches + m->nactions;
    out->nitems = out->first_contact + DFL_CONTACT_ITEMS * m->ncontacts;
    const dfl_status status = make_room(out, ctx, nvalues);
    if (status)
        return status;
    for (int i = out->first_contact; i < out->nitems; i++)
        out->branch[i] = 1; /* always on the valid side */
    for (int i = 0; i < m->switches.count; i++) {
        const int item = m->watched[i].number - out->first_contact;
        out->contact[i] =
            item < 0 ? -1 : 2 * (item / DFL_CONTACT_ITEMS) + (item % DFL_CONTACT_ITEMS > 0);
    }
    dfl_branching_begin(out);
    return DFL_OK;
}

void dfl_branching_clear(dfl_branching *sw, dfl_context *ctx)
{
    dfl_free(ctx, sw->discrete);
    dfl_free(ctx, sw->off);
    dfl_free(ctx, sw->flipped);
    dfl_free(ctx, sw->acted);
    dfl_free(ctx, sw->contact);
    dfl_free(ctx, sw->value);
}
