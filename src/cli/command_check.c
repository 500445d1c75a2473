/* command_check.c: `driftless check MODEL`: what a model is, and whether it can start. */
#include "cli/cli.h"

#include "study/study.h"
#include "result/result.h"

#include <math.h>

static int verdict(const dfl_diagnosis *diagnosis);
static const char *verdict_text(int exit_status);
static void describe(dfl_text *text, const cli_model *model, const dfl_settings *settings,
                     const dfl_diagnosis *diagnosis);
static void describe_sizes(dfl_text *text, const dfl_equations *eq);
static void describe_tolerances(dfl_text *text, const dfl_equations *eq,
                                const dfl_diagnosis *diagnosis);
static void describe_joint(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis,
                           int row);
static bool is_of_joints(const dfl_equations *eq, const dfl_dependent_set *set);
static void describe_set(dfl_text *text, const dfl_equations *eq, const dfl_dependent_set *set);
static void describe_contradiction(dfl_text *text, const dfl_equations *eq,
                                   const dfl_dependent_set *set);
static void add_names(dfl_text *text, const dfl_equations *eq, const dfl_dependent_set *set);
static void describe_direction(dfl_text *text, const dfl_equations *eq,
                               const dfl_free_direction *direction);
static void describe_json(dfl_text *text, const cli_model *model, const dfl_settings *settings,
                          const dfl_diagnosis *diagnosis);
static void add_tolerances(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis);
static void add_sets(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis);
static void add_joints(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis);
static void add_directions(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis);
static void add_residuals(dfl_text *text, const dfl_diagnosis *diagnosis);
static void add_advice(const char *advice, void *model);
static void add_notes(dfl_text *text, const dfl_model *model);
static const dfl_declaration *constraint_of(const dfl_equations *eq, int row);
static const char *constraint_name(const dfl_equations *eq, int row);

int cli_check(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_model model = {0};
    dfl_settings settings;
    dfl_diagnosis diagnosis = {0};
    dfl_text text = {.ctx = ctx};
    dfl_status status = cli_load(&model, ctx, arguments, CLI_FOR_SOLVER);
    if (!status)
        status = dfl_settings_resolve(&settings, &arguments->choices, model.run);
    if (!status)
        status = dfl_diagnose(&diagnosis, model.run, &settings.solver, settings.from);
    if (!status && !diagnosis.start)
        status = dfl_study_advise(model.run, settings.from, diagnosis.x, diagnosis.chosen,
                                  add_advice, model.model);
    if (!status)
        status = dfl_diagnose_modes(&diagnosis, model.run, &settings.solver, settings.from);
    if (!status && !diagnosis.start)
        status = dfl_study_stiff_elements(model.run, settings.from, settings.to, diagnosis.x,
                                          add_advice, model.model);
    int exit_status = status ? cli_finish(ctx, status) : verdict(&diagnosis);
    if (!status) {
        if (arguments->json)
            describe_json(&text, &model, &settings, &diagnosis);
        else
            describe(&text, &model, &settings, &diagnosis);
        status = cli_write(NULL, &text, &model);
        if (status)
            exit_status = cli_finish(ctx, status);
    }
    dfl_text_clear(&text);
    dfl_diagnosis_clear(&diagnosis);
    cli_unload(&model);
    return exit_status;
}

/* A direction that nothing determines, not even its balance of forces, makes the model itself
   wrong, whatever the start. */
static int verdict(const dfl_diagnosis *diagnosis)
{
    for (int i = 0; i < diagnosis->ndirections; i++)
        if (!diagnosis->directions[i].balanced || diagnosis->start == DFL_INVALID)
            return CLI_WRONG;
    return diagnosis->start ? CLI_FAILURE : CLI_SUCCESS;
}

static const char *verdict_text(int exit_status)
{
    return exit_status == CLI_SUCCESS   ? "ready to run"
           : exit_status == CLI_FAILURE ? "the initial values cannot be completed"
                                        : "the model does not determine its motion";
}

static void describe(dfl_text *text, const cli_model *model, const dfl_settings *settings,
                     const dfl_diagnosis *diagnosis)
{
    const dfl_equations *eq = model->eq;
    dfl_text_add(text, "%s: %s\n", model->model->name, verdict_text(verdict(diagnosis)));
    describe_sizes(text, eq);
    dfl_text_add(text, "  degrees of freedom  %d", diagnosis->dof_by_rank);
    if (diagnosis->dof_by_rank != diagnosis->dof_by_count)
        dfl_text_add(text, " (%d by count: velocities minus constraints)", diagnosis->dof_by_count);
    dfl_text_add(text, "\n");
    for (int i = 0; i < diagnosis->nsets; i++)
        describe_set(text, eq, &diagnosis->sets[i]);
    for (int i = 0; i < eq->nl; i++)
        describe_joint(text, eq, diagnosis, i);
    for (int i = 0; i < model->model->notes.count; i++)
        dfl_text_add(text, "  note                %s\n", model->model->notes.item[i]);
    for (int i = 0; i < diagnosis->ndirections; i++)
        describe_direction(text, eq, &diagnosis->directions[i]);
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
    dfl_study_list_switches(text, model->run, settings->from, settings->to, false);
    dfl_study_list_modes(text, model->run, diagnosis, false);
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

/* "loop joint 'c': 3 of 5 rows are redundant", for the first redundant row of each joint. */
static void describe_joint(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis,
                           int row)
{
    dfl_redundant_joint joint;
    if (!dfl_redundant_joint_of(&joint, eq, diagnosis, row))
        return;
    dfl_text_add(text, "  redundant           loop joint '%.*s': %d of %d row%s: ", joint.length,
                 joint.name, joint.count, joint.of, joint.of == 1 ? "" : "s");
    dfl_print_motions(text, joint.meaning, joint.count);
    dfl_text_add(text, "\n");
}

static bool is_of_joints(const dfl_equations *eq, const dfl_dependent_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (!constraint_of(eq, set->rows[i])->meaning)
            return false;
    return true;
}

static void describe_set(dfl_text *text, const dfl_equations *eq, const dfl_dependent_set *set)
{
    if (set->contradiction == 0.0 && is_of_joints(eq, set))
        return; /* joint by joint */
    if (set->contradiction > 0.0) {
        describe_contradiction(text, eq, set);
        return;
    }
    if (set->count == 1) {
        dfl_text_add(text,
                     "  redundant           '%s' has no effect here: no coordinate changes it\n",
                     constraint_name(eq, set->rows[0]));
        return;
    }
    dfl_text_add(text, "  redundant           ");
    add_names(text, eq, set);
    dfl_text_add(text, " depend on each other; one may be left out, and their "
                       "multipliers and reactions are not unique\n");
}

static void describe_contradiction(dfl_text *text, const dfl_equations *eq,
                                   const dfl_dependent_set *set)
{
    dfl_text_add(text, "  contradictory       ");
    add_names(text, eq, set);
    dfl_text_add(text,
                 set->count == 1
                     ? " cannot be closed from here: no coordinate changes it at these values, "
                       "and it misses by %.3g; correct it, or guess other values\n"
                     : " hold the same motion at different places: they miss each other "
                       "by %.3g; correct or leave out one\n",
                 set->contradiction);
}

static void add_names(dfl_text *text, const dfl_equations *eq, const dfl_dependent_set *set)
{
    for (int i = 0; i < set->count; i++)
        dfl_text_add(text, "%s'%s'",
                     i == 0               ? ""
                     : i + 1 < set->count ? ", "
                                          : " and ",
                     constraint_name(eq, set->rows[i]));
}

static void describe_direction(dfl_text *text, const dfl_equations *eq,
                               const dfl_free_direction *direction)
{
    dfl_text_add(text, "  %-19s ", direction->balanced ? "massless" : "undetermined");
    dfl_print_combination(text, eq, direction->direction);
    dfl_text_add(text, direction->balanced ? ": its forces balance\n"
                                           : " has neither mass nor constraint; give it one\n");
}

static void describe_json(dfl_text *text, const cli_model *model, const dfl_settings *settings,
                          const dfl_diagnosis *diagnosis)
{
    const dfl_equations *eq = model->eq;
    const int exit_status = verdict(diagnosis);
    dfl_text_add(text, "{\"model\": ");
    dfl_json_string(text, model->model->name);
    dfl_text_add(
        text, ", \"runnable\": %s, \"verdict\": ", exit_status == CLI_SUCCESS ? "true" : "false");
    dfl_json_string(text, verdict_text(exit_status));
    dfl_text_add(text,
                 ",\n  \"sizes\": {\"np\": %d, \"nv\": %d, \"nr\": %d, \"ns\": %d, \"nw\": %d, "
                 "\"nl\": %d, \"nm\": %d, \"ne\": %d, \"nep\": %d, \"n0\": %d},\n",
                 eq->np, eq->nv, eq->nr, eq->ns, eq->nw, eq->nl, eq->nm, eq->ne, eq->nep, eq->n0);
    dfl_text_add(text, "  \"dof_by_count\": %d, \"dof_by_rank\": %d, \"rank\": %d",
                 diagnosis->dof_by_count, diagnosis->dof_by_rank, diagnosis->rank);
    add_sets(text, eq, diagnosis);
    add_joints(text, eq, diagnosis);
    add_directions(text, eq, diagnosis);
    add_residuals(text, diagnosis);
    add_notes(text, model->model);
    dfl_text_add(text, ",\n  \"start\": {\"completed\": %s, \"message\": ",
                 diagnosis->start ? "false" : "true");
    if (diagnosis->start)
        dfl_json_string(text, diagnosis->start_message);
    else
        dfl_text_add(text, "null");
    dfl_text_add(text, "}");
    add_tolerances(text, eq, diagnosis);
    dfl_text_add(text, ",\n  \"switches\": [");
    dfl_study_list_switches(text, model->run, settings->from, settings->to, true);
    dfl_text_add(text, "],\n  \"modes\": [");
    dfl_study_list_modes(text, model->run, diagnosis, true);
    dfl_text_add(text, "]}\n");
}

static void add_tolerances(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis)
{
    dfl_text_add(text, ",\n  \"tolerances\": ");
    if (diagnosis->start) {
        dfl_text_add(text, "null");
        return;
    }
    dfl_text_add(text, "{\"rtol\": ");
    dfl_json_number(text, diagnosis->rtol);
    dfl_text_add(text, ", \"atol\": {");
    for (int i = 0; i < eq->n; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_string(text, eq->x[i].name);
        dfl_text_add(text, ": ");
        dfl_json_number(text, diagnosis->atol[i]);
    }
    dfl_text_add(text, "}}");
}

static void add_sets(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis)
{
    dfl_text_add(text, ",\n  \"dependent\": [");
    for (int i = 0; i < diagnosis->nsets; i++) {
        const dfl_dependent_set *set = &diagnosis->sets[i];
        dfl_text_add(text, i > 0 ? ", {" : "{");
        for (int k = 0; k < set->count; k++) {
            dfl_text_add(text, k > 0 ? ", " : "");
            dfl_json_string(text, constraint_name(eq, set->rows[k]));
            dfl_text_add(text, ": ");
            dfl_json_number(text, set->coefficient[k]);
        }
        dfl_text_add(text, "}");
    }
    dfl_text_add(text, "]");
}

/* Redundant rows joint by joint. */
static void add_joints(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis)
{
    const char *before = "";
    dfl_text_add(text, ",\n  \"redundant\": [");
    for (int i = 0; i < eq->nl; i++) {
        dfl_redundant_joint joint;
        if (!dfl_redundant_joint_of(&joint, eq, diagnosis, i))
            continue;
        dfl_text_add(text, "%s{\"joint\": \"%.*s\", \"rows\": %d, \"of\": %d, \"motions\": [",
                     before, joint.length, joint.name, joint.count, joint.of);
        for (int k = 0; k < joint.count; k++)
            dfl_text_add(text, "%s\"%s\"", k > 0 ? ", " : "", joint.meaning[k]);
        dfl_text_add(text, "]}");
        before = ", ";
    }
    dfl_text_add(text, "]");
}

static void add_directions(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis)
{
    dfl_text_add(text, ",\n  \"directions\": [");
    for (int i = 0; i < diagnosis->ndirections; i++) {
        dfl_text name = {.ctx = text->ctx};
        dfl_print_combination(&name, eq, diagnosis->directions[i].direction);
        dfl_text_add(text, "%s{\"direction\": ", i > 0 ? ", " : "");
        dfl_json_string(text, dfl_text_string(&name));
        dfl_text_add(text, ", \"balanced\": %s}",
                     diagnosis->directions[i].balanced ? "true" : "false");
        dfl_text_clear(&name);
    }
    dfl_text_add(text, "]");
}

static void add_residuals(dfl_text *text, const dfl_diagnosis *diagnosis)
{
    dfl_text_add(text, ",\n  \"given\": {");
    for (int i = 0; i < diagnosis->ngiven; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_string(text, diagnosis->given[i].level);
        dfl_text_add(text, ": {\"residual\": ");
        dfl_json_number(text, diagnosis->given[i].residual);
        dfl_text_add(text, ", \"name\": ");
        dfl_json_string(text, diagnosis->given[i].name);
        dfl_text_add(text, "}");
    }
    dfl_text_add(text, "}");
}

/* If memory runs out, writing the text fails. */
static void add_advice(const char *advice, void *model)
{
    (void)dfl_model_note(model, advice);
}

static void add_notes(dfl_text *text, const dfl_model *model)
{
    dfl_text_add(text, ",\n  \"notes\": [");
    for (int i = 0; i < model->notes.count; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_string(text, model->notes.item[i]);
    }
    dfl_text_add(text, "]");
}

static const dfl_declaration *constraint_of(const dfl_equations *eq, int row)
{
    return &eq->model->declarations.item[eq->declared.row[row]];
}

static const char *constraint_name(const dfl_equations *eq, int row)
{
    return constraint_of(eq, row)->name;
}
