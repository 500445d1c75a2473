/* unit_kinds.c: kinds of unknowns from their declared units alone, for models that are too large to
   relate all expressions: joints and bodies have such units. */
#include "derive/derive_internal.h"
#include "derive/kinds.h"

#include <string.h>

/* The length of a unit without "/s", 0 if there is none. */
static size_t base_of(const char *unit)
{
    const size_t length = unit ? strlen(unit) : 0;
    return length > 2 && !strcmp(unit + length - 2, "/s") ? length - 2 : length;
}

static bool is_number(const char *unit, size_t base)
{
    return (base == 3 && !strncmp(unit, "rad", 3)) || (base == 1 && unit[0] == '1');
}

void dfl_kinds_by_units(dfl_kinds *out, const dfl_equations *eq)
{
    const int first = eq->nw + eq->nl + eq->nm;
    const double length = eq->model->length;
    int metre = 0; /* the kind of lengths, once there is one */
    for (int i = 0; i < eq->n; i++) {
        const dfl_declaration *decl = dfl_model_owner(eq->model, eq->x[i].symbol);
        const size_t base = decl ? base_of(decl->unit) : 0;
        if ((i >= eq->nw && i < first) || base == 0)
            continue;
        if (is_number(decl->unit, base)) {
            out->kind[i] = DFL_KIND_ONE;
            out->size[i] = 1;
        } else if (base == 1 && decl->unit[0] == 'm') {
            metre = metre ? metre : out->kind[i] > 0 ? out->kind[i] : i + 1;
            out->kind[i] = metre;
            out->size[i] = length;
        }
    }
}
