/* diagnosis_text.c: a diagnosis in words, as `driftless check` prints it. */
#include "study/study_internal.h"

#include <math.h>

static void describe_contradiction(dfl_text *text, const dfl_equations *eq,
                                   const dfl_dependent_set *set);
static void describe_tolerances(dfl_text *text, const dfl_equations *eq,
                                const dfl_diagnosis *diagnosis);
static void describe_sizes(dfl_text *text, const dfl_equations *eq);
static bool is_of_joints(const dfl_equations *eq, const dfl_dependent_set *set);
static void add_names(dfl_text *text, const dfl_equations *eq, const dfl_dependent_set *set);
static const dfl_declaration *constraint_of(const dfl_equations *eq, int row);

int dfl_diagnosis_verdict(const dfl_diagnosis *diagnosis)
{
    for (int i = 0; i < diagnosis->ndirections; i++)
        if (!diagnosis->directions[i].balanced || diagnosis->start == DFL_INVALID)
            return 2;
    return diagnosis->start ? 1 : 0;
}

const char *dfl_verdict_text(int verdict)
{
    return verdict == 0   ? "ready to run"
           : verdict == 1 ? "the initial values cannot be completed"
                          : "the model does not determine its motion";
}

/* One line of what was found, if anything was. */
static void add_line(dfl_text *text, const char *kind, dfl_text *sentence)
{
    if (kind)
        dfl_text_add(text, "  %-19s %s\n", kind, dfl_text_string(sentence));
    if (sentence->status)
        text->status = sentence->status;
    dfl_text_clear(sentence);
}

void dfl_diagnosis_text(dfl_text *text, dfl_runnable *run, const dfl_settings *settings,
                        const dfl_diagnosis *diagnosis)
{
    const dfl_equations *eq = eq_of(run);
    dfl_text line = {.ctx = text->ctx};
    dfl_text_add(text, "%s: %s\n", eq->model->name,
                 dfl_verdict_text(dfl_diagnosis_verdict(diagnosis)));
    describe_sizes(text, eq);
    dfl_text_add(text, "  degrees of freedom  %d", diagnosis->dof_by_rank);
    if (diagnosis->dof_by_rank != diagnosis->dof_by_count)
        dfl_text_add(text, " (%d by count: velocities minus constraints)", diagnosis->dof_by_count);
    dfl_text_add(text, "\n");
    for (int i = 0; i < diagnosis->nsets; i++)
        add_line(text, dfl_describe_set(&line, eq, &diagnosis->sets[i]), &line);
    for (int i = 0; i < eq->nl; i++)
        add_line(text, dfl_describe_joint(&line, eq, diagnosis, i), &line);
    dfl_study_list_inputs(text, eq, false);
    for (int i = 0; i < eq->model->notes.count; i++)
        dfl_text_add(text, "  note                %s\n", eq->model->notes.item[i]);
    for (int i = 0; i < diagnosis->ndirections; i++)
        add_line(text, dfl_describe_direction(&line, eq, &diagnosis->directions[i]), &line);
    for (int i = 0; i < diagnosis->ngiven; i++)
        dfl_text_add(text, "  %-19s %.2g %s, most in %s\n", i == 0 ? "given values miss" : "",
                     diagnosis->given[i].residual, diagnosis->given[i].level,
                     diagnosis->given[i].name);
    if (diagnosis->start)
        dfl_text_add(text, "  start               %s\n", diagnosis->start_message);
    else
        dfl_text_add(text, "  start               consistent initial values found (driftless init "
                           "lists them)\n");
    if (!diagnosis->start)
        describe_tolerances(text, eq, diagnosis);
    dfl_study_list_switches(text, run, settings->from, settings->to, false);
    dfl_study_list_modes(text, run, diagnosis, false);
}

/* One line for each kind of variables, from the smallest tolerance to the largest. */
static void describe_tolerances(dfl_text *text, const dfl_equations *eq,
                                const dfl_diagnosis *diagnosis)
{
    const int r = eq->nw + eq->nl + eq->nm, v = r + eq->nr, s = v + eq->nv;
    const struct {
        const char *name;
        int first, last;
    } blocks[] = {{"positions", eq->n - eq->np, eq->n}, {"velocities", v, s},
                  {"dynamic variables", r, v},          {"contact variables", s, s + eq->ns},
                  {"auxiliary variables", 0, eq->nw},   {"multipliers", eq->nw, r}};
    dfl_text_add(text, "  tolerances          rtol %.3g\n", diagnosis->rtol);
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        double low = INFINITY, high = 0;
        for (int i = blocks[k].first; i < blocks[k].last; i++) {
            low = fmin(low, diagnosis->atol[i]);
            high = fmax(high, diagnosis->atol[i]);
        }
        if (high > 0 && high > low)
            dfl_text_add(text, "                      atol %.3g to %.3g, %s\n", low, high,
                         blocks[k].name);
        else if (high > 0)
            dfl_text_add(text, "                      atol %.3g, %s\n", high, blocks[k].name);
    }
}

static void describe_sizes(dfl_text *text, const dfl_equations *eq)
{
    const struct {
        int count;
        const char *one, *many;
    } sizes[] = {{eq->np, "position", "positions"},
                 {eq->nv, "velocity", "velocities"},
                 {eq->nr, "dynamic variable", "dynamic variables"},
                 {eq->ns, "contact variable", "contact variables"},
                 {eq->nw, "auxiliary variable", "auxiliary variables"},
                 {eq->nl, "constraint", "constraints"},
                 {eq->nm, "nonholonomic constraint", "nonholonomic constraints"},
                 {eq->ne + eq->nep, "invariant", "invariants"}};
    const char *before = "  contents            ";
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i].count == 0)
            continue;
        dfl_text_add(text, "%s%d %s", before, sizes[i].count,
                     sizes[i].count == 1 ? sizes[i].one : sizes[i].many);
        before = ", ";
    }
    dfl_text_add(text, "%s\n", eq->n ? "" : "  contents            prescribed motions only");
}

const char *dfl_describe_joint(dfl_text *text, const dfl_equations *eq,
                               const dfl_diagnosis *diagnosis, int row)
{
    dfl_redundant_joint joint;
    if (!dfl_redundant_joint_of(&joint, eq, diagnosis, row))
        return NULL;
    dfl_text_add(text, "loop joint '%.*s': %d of %d row%s: ", joint.length, joint.name, joint.count,
                 joint.of, joint.of == 1 ? "" : "s");
    dfl_print_motions(text, joint.meaning, joint.count);
    return "redundant";
}

static bool is_of_joints(const dfl_equations *eq, const dfl_dependent_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (!constraint_of(eq, set->rows[i])->meaning)
            return false;
    return true;
}

const char *dfl_describe_set(dfl_text *text, const dfl_equations *eq, const dfl_dependent_set *set)
{
    if (set->contradiction == 0.0 && is_of_joints(eq, set))
        return NULL; /* joint by joint */
    if (set->contradiction > 0.0) {
        describe_contradiction(text, eq, set);
        return "contradictory";
    }
    if (set->count == 1) {
        dfl_text_add(text, "'%s' has no effect here: no coordinate changes it",
                     dfl_constraint_name(eq, set->rows[0]));
        return "redundant";
    }
    add_names(text, eq, set);
    dfl_text_add(text, " depend on each other; one may be left out, and their "
                       "multipliers and reactions are not unique");
    return "redundant";
}

static void describe_contradiction(dfl_text *text, const dfl_equations *eq,
                                   const dfl_dependent_set *set)
{
    add_names(text, eq, set);
    dfl_text_add(text,
                 set->count == 1
                     ? " cannot be closed from here: no coordinate changes it at these values, "
                       "and it misses by %.3g; correct it, or guess other values"
                     : " hold the same motion at different places: they miss each other "
                       "by %.3g; correct or leave out one",
                 set->contradiction);
}

static void add_names(dfl_text *text, const dfl_equations *eq, const dfl_dependent_set *set)
{
    for (int i = 0; i < set->count; i++)
        dfl_text_add(text, "%s'%s'",
                     i == 0               ? ""
                     : i + 1 < set->count ? ", "
                                          : " and ",
                     dfl_constraint_name(eq, set->rows[i]));
}

const char *dfl_describe_direction(dfl_text *text, const dfl_equations *eq,
                                   const dfl_free_direction *direction)
{
    dfl_print_combination(text, eq, direction->direction);
    dfl_text_add(text, direction->balanced ? ": its forces balance"
                                           : " has neither mass nor constraint; give it one");
    return direction->balanced ? "massless" : "undetermined";
}

static const dfl_declaration *constraint_of(const dfl_equations *eq, int row)
{
    return &eq->model->declarations.item[eq->declared.row[row]];
}

const char *dfl_constraint_name(const dfl_equations *eq, int row)
{
    return constraint_of(eq, row)->name;
}
