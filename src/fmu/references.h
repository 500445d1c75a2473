/* references.h: how variables of an exported model are numbered: time, parameters, inputs, outputs,
   unknowns, derivatives of unknowns, event indicators. */
#ifndef DFL_REFERENCES_H
#define DFL_REFERENCES_H

typedef struct dfl_reference_counts {
    int params, inputs, outputs, unknowns, indicators;
} dfl_reference_counts;

typedef enum dfl_reference_kind {
    DFL_REF_TIME,
    DFL_REF_PARAM,
    DFL_REF_INPUT,
    DFL_REF_OUTPUT,
    DFL_REF_UNKNOWN,
    DFL_REF_RATE,
    DFL_REF_INDICATOR,
    DFL_REF_NONE
} dfl_reference_kind;

static inline unsigned dfl_value_reference(const dfl_reference_counts *c, dfl_reference_kind kind,
                                           int index)
{
    const int size[] = {1,           c->params,   c->inputs,    c->outputs,
                        c->unknowns, c->unknowns, c->indicators};
    int first = 0;
    for (int k = 0; k < (int)kind; k++)
        first += size[k];
    return (unsigned)(first + index);
}

/* The other way round: DFL_REF_NONE if there is no such variable. */
static inline dfl_reference_kind dfl_reference_find(int *index, const dfl_reference_counts *c,
                                                    unsigned reference)
{
    const int size[] = {1,           c->params,   c->inputs,    c->outputs,
                        c->unknowns, c->unknowns, c->indicators};
    int kind = DFL_REF_TIME;
    for (; kind < DFL_REF_NONE && reference >= (unsigned)size[kind]; kind++)
        reference -= (unsigned)size[kind];
    *index = (int)reference;
    return (dfl_reference_kind)kind;
}

#endif
