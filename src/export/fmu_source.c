/* fmu_source.c: the C source of an exported model: what the engine writes, the start, the settings.
 */
#include "export/fmu_internal.h"

static void write_flags(dfl_text *text, const char *name, const bool *flag, int count)
{
    dfl_text_add(text, "static const bool %s[] = {", name);
    for (int i = 0; i < count; i++)
        dfl_text_add(text, "%d, ", flag[i]);
    dfl_text_add(text, "0};\n");
}

static void write_steps(dfl_text *text, const dfl_solver_options *o)
{
    static const char *const step[] = {"first",        "max",      "fixed",    "accept_unconverged",
                                       "max_attempts", "control",  "safety",   "min_factor",
                                       "max_factor",   "keep_low", "keep_high"};
    const double steps[] = {o->step.first,
                            o->step.max,
                            o->step.fixed,
                            o->step.accept_unconverged,
                            (double)o->step.max_attempts,
                            o->step.control,
                            o->step.safety,
                            o->step.min_factor,
                            o->step.max_factor,
                            o->step.keep_low,
                            o->step.keep_high};
    static const char *const newton[] = {"iterations", "updates",           "tolerance",
                                         "reuse",      "multiplier_weight", "reference",
                                         "prediction", "differential",      "carry_accelerations"};
    const double newtons[] = {
        o->newton.iterations, o->newton.updates,           o->newton.tolerance,
        o->newton.reuse,      o->newton.multiplier_weight, o->newton.reference,
        o->newton.prediction, o->newton.differential,      o->newton.carry_accelerations};
    dfl_text_add(text, "    .step = {");
    for (int i = 0; i < 11; i++)
        dfl_text_add(text, "%s.%s = %.17g", i ? ", " : "", step[i], steps[i]);
    dfl_text_add(text, "},\n    .newton = {");
    for (int i = 0; i < 9; i++)
        dfl_text_add(text, "%s.%s = %.17g", i ? ", " : "", newton[i], newtons[i]);
    dfl_text_add(text, "},\n");
}

/* Without callbacks. */
static void write_options(dfl_text *text, const dfl_solver_options *o, const dfl_equations *eq)
{
    const dfl_constraint_options *c = &o->constraints;
    if (o->error.rtol_each)
        dfl_emit_numbers(text, "model_rtol_each", o->error.rtol_each, (size_t)eq->n);
    if (o->error.atol_each)
        dfl_emit_numbers(text, "model_atol_each", o->error.atol_each, (size_t)eq->n);
    if (c->independent)
        write_flags(text, "model_independent", c->independent, eq->n);
    if (c->ncombinations > 0)
        dfl_emit_numbers(text, "model_combinations", c->combinations,
                         (size_t)(c->ncombinations * eq->np));
    if (c->redundant_each)
        dfl_emit_numbers(text, "model_redundant_each", c->redundant_each,
                         (size_t)(eq->nl + eq->nm));
    dfl_text_add(text, "#define CARRIED_OPTIONS { \\\n");
    dfl_text options = {.ctx = text->ctx};
    dfl_text_add(&options,
                 "    .rtol = %.17g, .atol = %.17g, .form = %d, .integrator = %d, .order = %d,\n",
                 o->rtol, o->atol, (int)o->form, (int)o->integrator, o->order);
    dfl_text_add(&options, "    .error = {.norm = %d, .duration = %.17g, .rounding = %.17g%s%s},\n",
                 (int)o->error.norm, o->error.duration, o->error.rounding,
                 o->error.rtol_each ? ", .rtol_each = model_rtol_each" : "",
                 o->error.atol_each ? ", .atol_each = model_atol_each" : "");
    write_steps(&options, o);
    dfl_text_add(
        &options,
        "    .constraints = {.rank_tolerance = %.17g, .redundant = %.17g, .algebraic = %d, "
        ".selectors = %d, .renewal = %d, .lagged = %d, .turning = %d, "
        ".rigid_invariants = %d%s",
        c->rank_tolerance, c->redundant, (int)c->algebraic, (int)c->selectors, (int)c->renewal,
        c->lagged, c->turning, c->rigid_invariants,
        c->independent ? ", .independent = model_independent" : "");
    if (c->redundant_each)
        dfl_text_add(&options, ", .redundant_each = model_redundant_each");
    if (c->ncombinations > 0)
        dfl_text_add(&options, ", .ncombinations = %d, .combinations = model_combinations",
                     c->ncombinations);
    dfl_text_add(&options, "},\n    .baumgarte = {.alpha = %.17g, .beta = %.17g}}\n",
                 o->baumgarte.alpha, o->baumgarte.beta);
    for (const char *at = dfl_text_string(&options); *at; at++) /* lines of a macro */
        dfl_text_add(text, *at == '\n' && at[1] ? " \\\n" : "%c", *at);
    if (options.status)
        text->status = options.status;
    dfl_text_clear(&options);
}

dfl_status dfl_fmu_source(dfl_text *text, const dfl_fmu_writer *w)
{
    const dfl_fmu_options *o = w->options;
    const dfl_equations *eq = w->eq;
    const dfl_status status = dfl_runnable_carry(text, w->run);
    if (status)
        return status;
    dfl_emit_numbers(text, "model_start", o->x, (size_t)eq->n);
    write_flags(text, "model_held", o->held, eq->n);
    write_options(text, o->solver, eq);
    dfl_text_add(text,
                 "\nconst dfl_carried dfl_carried_model = {\n    CARRIED_PARTS,\n    .name = ");
    dfl_emit_string(text, eq->model->name);
    dfl_text_add(
        text,
        ",\n    .hash = MODEL_HASH,\n    .time = %.17g,\n    .start = model_start,\n    .held = "
        "model_held,\n    .options = CARRIED_OPTIONS,\n    .projection = %.17g};\n",
        o->from, o->projection);
    return text->status;
}
