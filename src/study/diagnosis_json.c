/* diagnosis_json.c: a diagnosis as JSON, as `driftless check --json` prints it. */
#include "study/study_internal.h"

static void add_tolerances(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis);
static void add_sets(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis);
static void add_joints(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis);
static void add_directions(dfl_text *text, const dfl_equations *eq, const dfl_diagnosis *diagnosis);
static void add_residuals(dfl_text *text, const dfl_diagnosis *diagnosis);
static void add_notes(dfl_text *text, const dfl_model *model);

void dfl_diagnosis_json(dfl_text *text, dfl_runnable *run, const dfl_settings *settings,
                        const dfl_diagnosis *diagnosis)
{
    const dfl_equations *eq = eq_of(run);
    const int verdict = dfl_diagnosis_verdict(diagnosis);
    dfl_text_add(text, "{\"model\": ");
    dfl_json_string(text, eq->model->name);
    dfl_text_add(text, ", \"runnable\": %s, \"verdict\": ", verdict == 0 ? "true" : "false");
    dfl_json_string(text, dfl_verdict_text(verdict));
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
    dfl_text_add(text, ",\n  \"inputs\": [");
    dfl_study_list_inputs(text, eq, true);
    dfl_text_add(text, "]");
    add_notes(text, eq->model);
    dfl_text_add(text, ",\n  \"start\": {\"completed\": %s, \"message\": ",
                 diagnosis->start ? "false" : "true");
    if (diagnosis->start)
        dfl_json_string(text, diagnosis->start_message);
    else
        dfl_text_add(text, "null");
    dfl_text_add(text, "}");
    add_tolerances(text, eq, diagnosis);
    dfl_text_add(text, ",\n  \"switches\": [");
    dfl_study_list_switches(text, run, settings->from, settings->to, true);
    dfl_text_add(text, "],\n  \"modes\": [");
    dfl_study_list_modes(text, run, diagnosis, true);
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
            dfl_json_string(text, dfl_constraint_name(eq, set->rows[k]));
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

static void add_notes(dfl_text *text, const dfl_model *model)
{
    dfl_text_add(text, ",\n  \"notes\": [");
    for (int i = 0; i < model->notes.count; i++) {
        dfl_text_add(text, i > 0 ? ", " : "");
        dfl_json_string(text, model->notes.item[i]);
    }
    dfl_text_add(text, "]");
}
