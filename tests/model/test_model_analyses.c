/* Analyses of scripts from a program: driftless/model.h. */
#include <driftless/model.h>

#include "../support.h"

#include <math.h>
#include <string.h>

/* Trolley 2 kg, load 1 kg on a rope of 1 m. */
static const char *const crane =
    "local M = param('M', 2)\n"
    "local s, x, y = position('s', 'x', 'y')\n"
    "kinetic(M/2*velocity(s)^2 + 1/2*(velocity(x)^2 + velocity(y)^2)) potential(9.81*y)\n"
    "constraint('rope', (x - s)^2 + y^2 - 1)\n"
    "force(velocity(s), input('drive', 0))\n"
    "output('load', x)\n"
    "guess{ s = 0, x = 0.3, y = -0.9 }\n";

typedef struct fixture {
    dfl_context *ctx;
    dfl_model *model;
} fixture;

static void expect(const fixture *f, dfl_status status)
{
    if (status)
        fail_msg("%s: %s", dfl_status_name(status), dfl_message(f->ctx));
}

static fixture loaded(const char *text)
{
    fixture f = {.ctx = dfl_context_create()};
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "test.lua", text, strlen(text), NULL));
    return f;
}

static void finished(fixture *f)
{
    dfl_model_free(f->model);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
}

static double value(const dfl_near_report *about, const char *name)
{
    for (int i = 0; i < about->nvalues; i++)
        if (!strcmp(about->names[i], name))
            return about->values[i];
    fail_msg("there is no value %s", name);
    return NAN;
}

static void linear_equations_have_names(void **state)
{
    (void)state;
    fixture f = loaded(crane);
    dfl_near *near;
    expect(&f, dfl_model_linearize(&near, f.ctx, f.model,
                                   &(dfl_near_options){.at = "s=0,x=0,y=-1", .outputs = "load,s"}));
    const dfl_near_report *about = dfl_near_about(near);
    static const char *const names[] = {"s", "x", "der(s)", "der(x)"};
    const double A[] = {0, 0, -4.905, 9.81, 0, 0, 4.905, -9.81, 1, 0, 0, 0, 0, 1, 0, 0};
    assert_int_equal(about->equations.ny, 4);
    assert_int_equal(about->kind, DFL_AT_EQUILIBRIUM);
    for (int i = 0; i < 4; i++)
        assert_string_equal(about->states[i], names[i]);
    for (int i = 0; i < 16; i++)
        assert_near(about->equations.A[i], A[i], 1e-12);
    assert_near(about->equations.B[2], 0.5, 1e-12);
    assert_string_equal(about->inputs[0], "drive");
    assert_string_equal(about->outputs[1], "s");
    assert_near(about->equations.C[1], 1, 1e-12);
    assert_near(value(about, "lambda(rope)"), 4.905, 1e-12);
    dfl_near_free(near);
    finished(&f);
}

static void modes_and_their_shapes(void **state)
{
    (void)state;
    fixture f = loaded(crane);
    dfl_near *near;
    dfl_modes modes;
    double re[3], im[3], G[2];
    expect(&f, dfl_model_equilibrium(&near, f.ctx, f.model, NULL));
    const dfl_near_report *about = dfl_near_about(near);
    assert_near(value(about, "y"), -1, 1e-10);
    expect(&f, dfl_near_modes(&modes, near));
    assert_near(modes.mode[2].im, sqrt(9.81 * 3 / 2), 1e-7);
    assert_int_equal(about->npositions, 3);
    dfl_near_shape(re, im, near, &modes, 2);
    assert_near(re[0], -0.5, 1e-7); /* the trolley moves against the load, by m/M */
    assert_near(re[1], 1, 1e-12);
    const double omega = 2;
    expect(&f, dfl_frequency_response(&G[0], &G[1], NULL, f.ctx, &about->equations, &omega, 1));
    assert_near(G[0], 9.81 / (2 * (omega * omega * omega * omega - 9.81 * 1.5 * omega * omega)),
                1e-9);
    dfl_modes_clear(&modes);
    dfl_near_free(near);
    finished(&f);
}

/* x'' = u with weights 1 of x and u: K = (1, sqrt 2). */
static void feedback_of_a_double_integrator(void **state)
{
    (void)state;
    fixture f = loaded("local x = position('x') mass(x, 1) force(x, input('u', 0))\n"
                       "initial{ x = 0, ['der(x)'] = 0 }\n");
    dfl_near *near;
    dfl_modes poles;
    double K[2];
    int unreached, unshown;
    expect(&f, dfl_model_linearize(&near, f.ctx, f.model, NULL));
    expect(&f, dfl_near_lqr(K, &poles, &unreached, &unshown, near, "x=1", NULL));
    assert_near(K[0], 1, 1e-12);
    assert_near(K[1], sqrt(2), 1e-12);
    assert_int_equal(unreached + unshown, 0);
    assert_near(poles.mode[0].re, -sqrt(0.5), 1e-12);
    dfl_modes_clear(&poles);
    assert_int_equal(dfl_near_lqr(K, &poles, NULL, NULL, near, "z=1", NULL), DFL_INVALID);
    dfl_near_free(near);
    finished(&f);
}

static void drives_of_a_motion(void **state)
{
    (void)state;
    fixture f = loaded("local x = position('x') kinetic(2/2*velocity(x)^2)\n"
                       "force(x, input('push', 0) - 3*x) motion(x, sin(2*time))\n"
                       "simulate{ to = 1 }\n");
    static const char *const settings[] = {"every=0.1"};
    dfl_followed *followed;
    expect(&f, dfl_model_inverse(&followed, f.ctx, f.model, 1, settings));
    const dfl_followed_report *about = dfl_followed_about(followed);
    assert_int_equal(about->rows, 11);
    assert_int_equal(about->ndrives, 1);
    assert_string_equal(about->names[about->first_drive], "push");
    assert_string_equal(about->names[about->first_drive + 1], "power(push)");
    for (int i = 0; i < about->rows; i++) {
        const double *row = about->values + i * about->columns;
        assert_near(row[1 + about->first_drive], -5 * sin(2 * row[0]), 1e-12);
    }
    assert_near(about->peak[0], 5 * sin(1.6), 1e-2);
    dfl_followed_free(followed);
    finished(&f);
}

static void wrong_choices_are_explained(void **state)
{
    (void)state;
    fixture f = loaded(crane);
    dfl_near *near;
    dfl_followed *followed;
    static const struct {
        dfl_near_options options;
        const char *message;
    } wrong[] = {{{.at = "z=1"}, "at: there is no variable 'z'"},
                 {{.at = "t=soon"}, "at t=soon: give a time"},
                 {{.steady = "z"}, "steady: there is no variable 'z'"},
                 {{.inputs = "u"}, "inputs: there is no input 'u'"},
                 {{.outputs = "u"}, "outputs: there is no variable 'u'"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(dfl_model_linearize(&near, f.ctx, f.model, &wrong[i].options),
                         DFL_INVALID);
        assert_null(near);
        if (strncmp(dfl_message(f.ctx), wrong[i].message, strlen(wrong[i].message)) != 0)
            fail_msg("%s", dfl_message(f.ctx));
    }
    assert_int_equal(dfl_model_linearize(&near, f.ctx, NULL, NULL), DFL_INVALID);
    assert_int_equal(dfl_model_inverse(&followed, f.ctx, f.model, 0, NULL), DFL_INVALID);
    dfl_near_free(NULL);
    dfl_followed_free(NULL);
    finished(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_equations_have_names),     cmocka_unit_test(modes_and_their_shapes),
        cmocka_unit_test(feedback_of_a_double_integrator), cmocka_unit_test(drives_of_a_motion),
        cmocka_unit_test(wrong_choices_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
