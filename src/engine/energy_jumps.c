/* energy_jumps.c: energies that may jump where a branch ends. The force of a potential that jumps
   is infinite there, and a momentum M v cannot jump with M: neither shows in the equations of the
   two branches. So energies are compared where branches change (carry/branching.c). */
#include "engine/engine_internal.h"

static const unsigned moving = 1u << DFL_SYM_P | 1u << DFL_SYM_TIME;

/* Whether expressions switch with symbols of these kinds. */
static dfl_status may_jump(bool *out, const dfl_runnable *run, const dfl_expr *rows, int count,
                           unsigned kinds)
{
    const dfl_graph *g = run->eq->graph;
    dfl_part part;
    const dfl_status status = dfl_part_create(&part, g, rows, count);
    *out = false;
    for (uint32_t i = 0; !status && i < part.count && !*out; i++) {
        const int op = part.node[i].op;
        const bool switches = op == DFL_OP_ABS || op == DFL_OP_SIGN || op == DFL_OP_FLOOR ||
                              op == DFL_OP_SPLINE || op == DFL_OP_MIN || op == DFL_OP_MAX ||
                              op == DFL_OP_SELECT;
        *out = switches && dfl_node_of(g, part.expr[i])->depends & kinds;
    }
    dfl_part_clear(&part);
    return status;
}

static void add_energy(dfl_switches *sw, dfl_expr energy, dfl_carried_energy what)
{
    sw->energies[sw->nenergies] = energy;
    sw->jumping[sw->nenergies++] = what;
}

static dfl_status mass_may_jump(bool *out, const dfl_runnable *run)
{
    const dfl_sparse *M = &run->eq->M;
    dfl_expr *entries = dfl_alloc(run->ctx, (size_t)M->count, sizeof *entries);
    if (!entries)
        return DFL_NO_MEMORY;
    for (int k = 0; k < M->count; k++)
        entries[k] = M->entry[k].expr;
    const dfl_status status = may_jump(out, run, entries, M->count, moving);
    dfl_free(run->ctx, entries);
    return status;
}

/* v^T M v / 2 of the entries of M that may jump. */
static dfl_status add_kinetic(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const dfl_variable *v = dfl_equations_v(eq);
    dfl_graph *g = eq->graph;
    dfl_expr twice = DFL_NO_EXPR;
    bool jumps;
    dfl_status status = mass_may_jump(&jumps, run);
    for (int k = 0; !status && jumps && k < eq->M.count; k++) {
        const dfl_entry *entry = &eq->M.entry[k];
        bool jumps_too;
        status = may_jump(&jumps_too, run, &entry->expr, 1, moving);
        if (status || !jumps_too)
            continue;
        const dfl_expr vv = dfl_mul(g, v[entry->row].symbol, v[entry->col].symbol);
        const dfl_expr term = dfl_mul(g, entry->expr, vv);
        twice = twice == DFL_NO_EXPR ? term : dfl_add(g, twice, term);
    }
    if (!status && twice != DFL_NO_EXPR)
        add_energy(&run->switches, dfl_mul(g, dfl_constant(g, 0.5), twice),
                   (dfl_carried_energy){.kinetic = true, .line = eq->model->energy.kinetic_line});
    return status;
}

dfl_status dfl_switches_energies(dfl_runnable *run)
{
    const dfl_energies *energy = &run->eq->model->energy;
    dfl_switches *sw = &run->switches;
    bool jumps = false;
    dfl_status status = DFL_OK;
    if (energy->potential != DFL_NO_EXPR)
        status = may_jump(&jumps, run, &energy->potential, 1, 1u << DFL_SYM_P);
    if (!status && jumps)
        add_energy(sw, energy->potential, (dfl_carried_energy){.line = energy->potential_line});
    return status ? status : add_kinetic(run);
}

dfl_status dfl_switches_energy_rows(dfl_expr *rows, dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const dfl_switches *sw = &run->switches;
    dfl_expr *positions = dfl_alloc(run->ctx, (size_t)eq->np, sizeof *positions);
    dfl_status status = positions ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < eq->np; i++)
        positions[i] = dfl_equations_p(eq)[i].symbol;
    for (int k = 0; !status && k < sw->nenergies; k++, rows += 1 + eq->np) {
        rows[0] = sw->energies[k];
        status = dfl_gradient_exprs(rows + 1, eq->graph, rows[0], positions, eq->np);
    }
    dfl_free(run->ctx, positions);
    return status;
}
