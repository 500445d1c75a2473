/* task_lqr.c: as `driftless lqr MODEL`: state feedback near a state. */
#include "task/task_internal.h"

static void write_text(dfl_text *text, const dfl_feedback *it, const dfl_linear_model *model);
static void write_json(dfl_text *text, const dfl_feedback *it, const dfl_linear_model *model);
static void add_left(dfl_text *text, const dfl_feedback *it, const dfl_linear_model *model);
static void add_modes(dfl_text *text, const char *key, const dfl_feedback *it, const double *part);
static dfl_status write_scripts(const dfl_feedback *it, const dfl_task_state *near,
                                const dfl_task_options *options);
static void write_script(dfl_text *text, const dfl_feedback *it, const dfl_task_state *near);
static void add_lua_key(dfl_text *text, const char *name);

dfl_status dfl_task_lqr(dfl_task *task)
{
    const dfl_task_options *options = &task->options;
    dfl_task_state *near = &task->near;
    dfl_feedback it = {0};
    dfl_status status = dfl_task_derive_dense(near, options, ".json .lua");
    if (!status)
        status = dfl_task_find(near, options);
    if (!status)
        status = dfl_task_find_linear(near, options);
    if (!status)
        status = dfl_study_feedback(&it, &near->linear, near->model.runnable, options->state_weight,
                                    options->input_weight);
    if (!status) {
        write_text(&task->text, &it, &near->linear);
        write_json(&task->json, &it, &near->linear);
        status = write_scripts(&it, near, options);
    }
    dfl_feedback_clear(&it);
    return status;
}

static void write_text(dfl_text *text, const dfl_feedback *it, const dfl_linear_model *model)
{
    const int ny = model->linear.ny, nu = model->linear.nu;
    const char *why = model->linear.why;
    dfl_text_add(text, "at t = %.15g (%s)%s%s: u = -K y\n", model->t,
                 dfl_point_kind_name(model->linear.kind), why ? ", " : "", why ? why : "");
    dfl_text_add(text, "modes that no input reaches: %d, that no output shows: %d\n", it->unreached,
                 it->unshown);
    dfl_text_add(text, "%-24s", "K");
    for (int k = 0; k < nu; k++)
        dfl_text_add(text, " %24s", model->inputs[k]);
    dfl_text_add(text, "\n");
    for (int i = 0; i < ny; i++) {
        if (it->left[i])
            continue;
        dfl_text_add(text, "%-24s", model->states[i]);
        for (int k = 0; k < nu; k++)
            dfl_text_add(text, " %24.16g", it->K[i * nu + k]);
        dfl_text_add(text, "\n");
    }
    for (int i = 0; i < ny; i++)
        if (it->left[i])
            dfl_text_add(text, "%-24s is left out: no other state depends on it\n",
                         model->states[i]);
    dfl_text_add(text, "closed-loop poles\n");
    for (int i = 0; i < it->poles.count; i++)
        dfl_text_add(text, "%18.10g %+18.10g i\n", it->poles.mode[i].re, it->poles.mode[i].im);
}

static void write_json(dfl_text *text, const dfl_feedback *it, const dfl_linear_model *model)
{
    const int ny = model->linear.ny, nu = model->linear.nu;
    dfl_task_add_completed(text, model->linear.why);
    dfl_task_add_at(text, model);
    dfl_text_add(text, ",\n ");
    dfl_task_add_names(text, "states", model->states, ny);
    dfl_text_add(text, ",\n ");
    dfl_task_add_names(text, "inputs", model->inputs, nu);
    add_left(text, it, model);
    dfl_text_add(text, ",\n \"uncontrollable\": %d, \"unobservable\": %d,\n ", it->unreached,
                 it->unshown);
    add_modes(text, "uncontrollable_modes", it, it->reached);
    add_modes(text, "unobservable_modes", it, it->shown);
    dfl_task_add_matrix(text, "K", it->K, nu, ny);
    dfl_text_add(text, ",\n ");
    dfl_task_add_eigenvalues(text, "poles", &it->poles);
    dfl_text_add(text, "}\n");
}

/* The states without gains. */
static void add_left(dfl_text *text, const dfl_feedback *it, const dfl_linear_model *model)
{
    int count = 0;
    dfl_text_add(text, ",\n \"left_out\": [");
    for (int i = 0; i < model->linear.ny; i++)
        if (it->left[i]) {
            dfl_text_add(text, count++ ? ", " : "");
            dfl_json_string(text, model->states[i]);
        }
    dfl_text_add(text, "]");
}

/* The eigenvalues of open modes that no input reaches, or no output shows. */
static void add_modes(dfl_text *text, const char *key, const dfl_feedback *it, const double *part)
{
    int count = 0;
    dfl_text_add(text, "\"%s\": [", key);
    for (int i = 0; i < it->open.count; i++) {
        if (part[i] > DFL_HIDDEN_PART)
            continue;
        dfl_text_add(text, count++ ? ", {\"re\": " : "{\"re\": ");
        dfl_json_number(text, it->open.mode[i].re);
        dfl_text_add(text, ", \"im\": ");
        dfl_json_number(text, it->open.mode[i].im);
        dfl_text_add(text, "}");
    }
    dfl_text_add(text, "],\n ");
}

static dfl_status write_scripts(const dfl_feedback *it, const dfl_task_state *near,
                                const dfl_task_options *options)
{
    dfl_text text = {.ctx = near->linear.linear.ctx};
    dfl_status status = DFL_OK;
    write_script(&text, it, near);
    for (int i = 0; !status && i < options->noutput; i++)
        if (dfl_ends_with(options->output[i], ".lua") && near->linear.linear.turns)
            status = dfl_fail(text.ctx, DFL_INVALID,
                              "--output '%s': states such as %s are small turns from the steady "
                              "motion, which a script does not have",
                              options->output[i], near->linear.states[0]);
        else if (dfl_ends_with(options->output[i], ".lua"))
            status = dfl_task_write(options->output[i], &text, &near->model);
    dfl_text_clear(&text);
    return status;
}

/* The feedback as a function for the model's script, about the state and the inputs there. */
static void write_script(dfl_text *text, const dfl_feedback *it, const dfl_task_state *near)
{
    const dfl_linear_model *model = &near->linear;
    const int ny = model->linear.ny, nu = model->linear.nu;
    dfl_text_add(
        text, "-- State feedback u = u0 - K (y - y0), made by driftless lqr. Put it into the model "
              "in place\n-- of its inputs, with the symbols of the states by their names:\n"
              "--   local u = feedback{");
    for (int i = 0, count = 0; i < ny; i++) {
        if (it->left[i])
            continue;
        dfl_text_add(text, count++ > 0 ? ", " : " ");
        add_lua_key(text, model->states[i]);
        dfl_text_add(text, " = ...");
    }
    dfl_text_add(text, " }\nfunction feedback(y)\n  return {\n");
    for (int k = 0; k < nu; k++) {
        const dfl_declaration *input = dfl_model_find(near->model.model, model->inputs[k]);
        dfl_text_add(text, "    ");
        add_lua_key(text, model->inputs[k]);
        dfl_text_add(text, " = %.17g", input->value);
        for (int i = 0; i < ny; i++) {
            if (it->left[i])
                continue;
            dfl_text_add(text, "\n      - (%.17g)*(y", it->K[i * nu + k]);
            add_lua_key(text, model->states[i]);
            dfl_text_add(text, " - (%.17g))", near->state.x[model->linear.state[i]]);
        }
        dfl_text_add(text, ",\n");
    }
    dfl_text_add(text, "  }\nend\n");
}

/* ["name"]; a name has neither quotes nor control characters, but may have a backslash. */
static void add_lua_key(dfl_text *text, const char *name)
{
    dfl_text_add(text, "[\"");
    for (; *name; name++)
        dfl_text_add(text, *name == '\\' || *name == '"' ? "\\%c" : "%c", *name);
    dfl_text_add(text, "\"]");
}
