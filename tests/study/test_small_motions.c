/* Motions from rest whose forces are zero at the start: nothing there tells their size, and default
   tolerances still resolve them. Closed forms; sizes from a nanometre to a megametre. */
#include "../scripted.h"

/* Runs for a time D with default tolerances. */
static scripted run_text(const char *text, double D, dfl_solver_options options)
{
    scripted s = scripted_text(text);
    options.error.duration = D;
    scripted_start(&s, &options);
    scripted_advance(&s, D);
    return s;
}

/* m x'' + m w^2 x = m q sin(W t): x = q/(w^2 - W^2) (sin W t - W/w sin w t). */
static void a_driven_oscillator_is_resolved(void **state)
{
    (void)state;
    static const struct {
        double w, W, q, D;
    } cases[] = {{1e3, 500, 0.1, 0.5},    {1e3, 500, 0.1, 5},   {1e3, 500, 1e-6, 0.1},
                 {2e5, 1.9e5, 1e2, 1e-3}, {0.5, 0.3, 1e5, 100}, {30, 1, 1e-3, 30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double w = cases[i].w, W = cases[i].W, q = cases[i].q, D = cases[i].D;
        const double size = q / fabs(w * w - W * W);
        const double exact = q / (w * w - W * W) * (sin(W * D) - W / w * sin(w * D));
        char text[400];
        snprintf(text, sizeof text,
                 "local x = position('x') kinetic(1e-3*velocity(x)^2/2)\n"
                 "potential(1e-3*%.17g^2/2*x^2) force(x, 1e-3*%.17g*sin(%.17g*time))\n",
                 w, q, W);
        scripted s = run_text(text, D, (dfl_solver_options){0});
        assert_near(scripted_value(&s, "x") / size, exact / size, 1e-4); /* 100 rtol */
        scripted_free(&s);
    }
}

/* The same by other methods and forms. */
static void every_method_resolves_it(void **state)
{
    (void)state;
    static const dfl_solver_options methods[] = {
        {.integrator = DFL_RADAU, .order = 5},
        {.integrator = DFL_BDF},
        {.integrator = DFL_EXPLICIT_PAIR},
        {.form = DFL_EOM},
        {.form = DFL_PSI1},
    };
    const double exact = 0.1 / (1e6 - 25e4) * (sin(50) - 0.5 * sin(100)), size = 0.1 / (1e6 - 25e4);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        scripted s = run_text("local x = position('x') kinetic(velocity(x)^2/2)\n"
                              "potential(1e6/2*x^2) force(x, 0.1*sin(500*time))\n",
                              0.1, methods[i]);
        assert_near(scripted_value(&s, "x") / size, exact / size, 1e-3);
        scripted_free(&s);
    }
}

/* A force of 1 uN on 1 kg from 1 s on. */
static void a_force_that_begins_later_is_resolved(void **state)
{
    (void)state;
    scripted s = run_text("local x = position('x') kinetic(velocity(x)^2/2)\n"
                          "potential(1e4/2*x^2) force(x, select(time - 1, 1e-6, 0))\n",
                          3, (dfl_solver_options){0});
    assert_near(scripted_value(&s, "x") / 1e-10, 1 - cos(200), 1e-4);
    scripted_free(&s);
}

/* r' = 1e-9 sin(t) - r, r(0) = 0, beside a pendulum: r = 1e-9 (sin t - cos t + exp(-t))/2. */
static void a_small_dynamic_variable_is_resolved(void **state)
{
    (void)state;
    scripted s = run_text("local x = position('x') kinetic(velocity(x)^2/2) potential(x^2/2)\n"
                          "dynamic('r', function(r) return 1e-9*sin(time) - r end)\n",
                          10, (dfl_solver_options){0});
    assert_near(scripted_value(&s, "r") / 1e-9, (sin(10) - cos(10) + exp(-10)) / 2, 1e-4);
    scripted_free(&s);
}

/* A chain whose expressions are too many to relate units: its angles have one size all the same,
   though accelerations decrease along it by twenty orders of magnitude. */
static void angles_of_a_long_chain_have_one_size(void **state)
{
    (void)state;
    static const char chain[] =
        "gravity{0, 0, -9.81} local last = ground\n"
        "for i = 1, 90 do\n"
        "  local b = body('b'..i, { mass = 1, inertia = {.01, .1, .1}, com = {i - 0.5, 0, 0} })\n"
        "  revolute('j'..i, last, b, { at = {i - 1, 0, 0},\n"
        "    axis = i % 2 == 0 and {0, 1, 0} or {0, 0, 1} })\n"
        "  last = b\n"
        "end\n";
    scripted s = scripted_text(chain);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
    const dfl_layout at = dfl_eom_layout(dfl_runnable_eom(s.run));
    double *atol = dfl_alloc(s.ctx, (size_t)s.eq->n, sizeof *atol);
    assert_non_null(atol);
    dfl_solver_tolerances(atol, s.solver);
    for (int i = at.v; i < at.s; i++)
        assert_true(atol[i] == atol[at.v] && atol[i] > 1e-9);
    dfl_free(s.ctx, atol);
    scripted_advance(&s, 0.1);
    assert_true(dfl_solver_statistics(s.solver).attempts < 50);
    scripted_free(&s);
}

/* The lifter of a cam that begins at its top: where its face touches is zero but for rounding,
   which is not the size of that variable. The face is as high as the ellipse's highest point. */
static void rounding_of_a_contact_variable_is_not_its_size(void **state)
{
    (void)state;
    scripted s = run_text("planar()\n"
                          "local cam = body('cam', { mass = 1, inertia = 0.01 })\n"
                          "local lifter = body('lifter', { mass = 0.2, com = {0, 0.1} })\n"
                          "local axle = revolute('axle', ground, cam, { at = {0, 0} })\n"
                          "prismatic('guide', ground, lifter, { at = {0, 0.1}, axis = {0, 1} })\n"
                          "contact_curves('touch', cam, lifter, { start = {pi/2, 1e-50},\n"
                          "  curve_a = function(s) return 0.05*cos(s), 0.03*sin(s) end,\n"
                          "  curve_b = function(s) return s, 0.03 end })\n"
                          "initial{ [axle.q] = 0, [axle.qd] = 20 }",
                          0.5, (dfl_solver_options){.rtol = 1e-8});
    const double q = scripted_value(&s, "axle.q");
    assert_near(scripted_value(&s, "guide.q"), hypot(0.05 * sin(q), 0.03 * cos(q)) - 0.03, 1e-9);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driven_oscillator_is_resolved),
        cmocka_unit_test(every_method_resolves_it),
        cmocka_unit_test(a_force_that_begins_later_is_resolved),
        cmocka_unit_test(a_small_dynamic_variable_is_resolved),
        cmocka_unit_test(angles_of_a_long_chain_have_one_size),
        cmocka_unit_test(rounding_of_a_contact_variable_is_not_its_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
