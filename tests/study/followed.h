/* followed.h: gradients of runs of texts, for tests. */
#ifndef TESTS_FOLLOWED_H
#define TESTS_FOLLOWED_H

#include "../scripted.h"

#include <math.h>

/* A text with more settings, loaded again and again. */
typedef struct varied {
    dfl_context *ctx;
    const char *text;
    bool recursion; /* bodies in numbers */
} varied;

/* When `over` stops what a context is used for: after `limit` questions, of which `asked` were
   asked; 0: never. */
typedef struct patience {
    long limit, asked;
} patience;

static inline bool is_over(void *user)
{
    patience *it = user;
    it->asked++;
    return it->limit > 0 && it->asked >= it->limit;
}

static patience *waiting; /* of the next gradients, or NULL */

static dfl_status load(dfl_loaded *out, const char *const *settings, int count, void *user)
{
    const varied *it = user;
    const dfl_script_options options = {.nset = count,
                                        .set = settings,
                                        .dynamics = it->recursion ? DFL_DYNAMICS_RECURSION
                                                                  : DFL_DYNAMICS_EXPRESSIONS};
    dfl_status status = dfl_script_load_text(&out->model, it->ctx, "test.lua", it->text,
                                             strlen(it->text), &options);
    if (!status)
        status = dfl_equations_create(&out->eq, out->model, true);
    return status ? status : dfl_runnable_create(&out->run, out->eq);
}

/* The gradient of outputs at the end of a run, or the message of its failure. */
typedef struct found {
    dfl_status status;
    char message[500];
    double value[8], gradient[8][8];
} found;

static found gradient_with(bool recursion, dfl_derivatives_how how, const char *text,
                           const char *const *of, int nof, const char *by, double to, double tol,
                           double step)
{
    found out = {0};
    varied self = {.ctx = dfl_context_create(), .text = text, .recursion = recursion};
    const dfl_variation variation = {.load = load, .user = &self};
    dfl_gradient gradient = {0};
    dfl_settings settings;
    dfl_loaded loaded = {0};
    const dfl_choices choices = dfl_choices_none("test: ");
    out.status = load(&loaded, NULL, 0, &self);
    if (waiting)
        dfl_interrupted_by(self.ctx, is_over, waiting);
    assert_int_equal(out.status, DFL_OK);
    assert_int_equal(dfl_settings_resolve(&settings, &choices, loaded.run), DFL_OK);
    settings.to = to;
    settings.solver.rtol = settings.solver.atol = tol;
    settings.solver.output.every = 0;
    settings.solver.step.fixed = step;
    out.status =
        dfl_study_gradient(&gradient, loaded.run, &settings, by, of, nof, how, &variation, NULL);
    if (out.status)
        snprintf(out.message, sizeof out.message, "%s", dfl_message(self.ctx));
    for (int i = 0; !out.status && i < nof; i++) {
        out.value[i] = gradient.value[i];
        for (int j = 0; j < gradient.count; j++)
            out.gradient[i][j] = gradient.gradient[j * nof + i];
    }
    dfl_gradient_clear(&gradient);
    dfl_loaded_clear(&loaded);
    assert_int_equal(dfl_context_live(self.ctx), 0);
    dfl_context_free(self.ctx);
    return out;
}

static inline found gradient_by(dfl_derivatives_how how, const char *text, const char *const *of,
                                int nof, const char *by, double to, double tol, double step)
{
    return gradient_with(false, how, text, of, nof, by, to, tol, step);
}

static inline found gradient_of(const char *text, const char *const *of, int nof, const char *by,
                                double to, double tol)
{
    return gradient_by(DFL_DERIVATIVES_DIRECT, text, of, nof, by, to, tol, 0);
}

/* The outputs at the end of a run with other values. */
static inline void ends_with(double *value, const char *text, const char *setting,
                             const char *const *of, int nof, double to)
{
    varied it = {.ctx = dfl_context_create(), .text = text};
    dfl_loaded loaded = {0};
    assert_int_equal(load(&loaded, &setting, 1, &it), DFL_OK);
    scripted s = {.ctx = it.ctx, .model = loaded.model, .eq = loaded.eq, .run = loaded.run};
    s.x = dfl_alloc(it.ctx, (size_t)loaded.eq->n, sizeof *s.x);
    assert_non_null(s.x);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-12, .atol = 1e-13});
    scripted_advance(&s, to);
    for (int i = 0; i < nof; i++)
        value[i] = dfl_equations_find(loaded.eq, of[i]) >= 0 ? scripted_value(&s, of[i])
                                                             : scripted_output(&s, of[i]);
    scripted_free(&s);
}

/* Central differences with 2 h and h, extrapolated. */
static inline void compare_with_runs(const char *text, const char *const *of, int nof,
                                     const char *name, double value, double to)
{
    const double h = 5e-4 * (value != 0 ? fabs(value) : 1);
    const found at = gradient_of(text, of, nof, name, to, 1e-10);
    double end[4][8];
    if (at.status)
        fail_msg("%s", at.message);
    for (int k = 0; k < 4; k++) {
        char setting[100];
        snprintf(setting, sizeof setting, "%s=%.17g", name,
                 value + (k % 2 ? -h : h) * (k < 2 ? 2 : 1));
        ends_with(end[k], text, setting, of, nof, to);
    }
    for (int i = 0; i < nof; i++) {
        const double coarse = (end[0][i] - end[1][i]) / (4 * h);
        const double fine = (end[2][i] - end[3][i]) / (2 * h);
        const double want = fine + (fine - coarse) / 3;
        assert_near(at.gradient[i][0], want, 1e-6 * fmax(1, fabs(want)));
    }
}

static inline void refused(const char *text, const char *of, const char *by, const char *message)
{
    const found at = gradient_of(text, &of, 1, by, 1, 1e-6);
    assert_int_not_equal(at.status, DFL_OK);
    if (!strstr(at.message, message))
        fail_msg("'%s' does not contain '%s'", at.message, message);
}

#endif
