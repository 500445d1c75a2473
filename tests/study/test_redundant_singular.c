/* Singular positions of mechanisms with redundant rows: a parallelogram, each of its two rows given
   twice in combinations, whose bars lie on one line at a = pi. There it may go on as an
   antiparallelogram: a run must not pass without a word. */
#include "../scripted.h"

static const char *const parallelogram =
    "local a, b, c = position('a', 'b', 'c')\n"
    "kinetic((velocity(a)^2 + velocity(b)^2 + velocity(c)^2)/2) potential(0.1*sin(a))\n"
    "local x, y = cos(a) + 2*cos(b) - cos(c) - 2, sin(a) + 2*sin(b) - sin(c)\n"
    "constraint('x', x) constraint('y', y) constraint('sum', x + y) constraint('again', 3*x - y)\n"
    "initial{a = 1, b = 0, c = 1, ['der(a)'] = 1}\n";

static void a_singular_position_ends_the_run(void **state)
{
    (void)state;
    static const dfl_solver_options methods[] = {
        {.rtol = 1e-3},
        {.rtol = 1e-5},
        {.rtol = 1e-7},
        {.integrator = DFL_BDF, .rtol = 1e-3},
        {.integrator = DFL_BDF, .rtol = 1e-6},
        {.integrator = DFL_TRAPEZOIDAL, .rtol = 1e-4},
        {.integrator = DFL_HALF_EXPLICIT, .rtol = 1e-6},
        {.integrator = DFL_EXTRAPOLATION, .rtol = 1e-6},
        {.integrator = DFL_EXPLICIT_PAIR, .rtol = 1e-6},
        {.integrator = DFL_MIDPOINT, .step = {.fixed = 0.02}},
        {.integrator = DFL_TRAPEZOIDAL, .step = {.fixed = 0.03}},
        {.form = DFL_GGL, .rtol = 1e-5},
        {.form = DFL_TANGENT, .rtol = 1e-5},
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        scripted s = scripted_text(parallelogram);
        scripted_start(&s, &methods[i]);
        assert_int_equal(dfl_solver_statistics(s.solver).rank_velocity, 2);
        const dfl_status status = dfl_solver_advance(s.solver, 10);
        if (status != DFL_RANK_CHANGED)
            fail_msg("method %zu: %s: %s", i, dfl_status_name(status), dfl_message(s.ctx));
        assert_near(dfl_solver_state(s.solver)[s.eq->n - 3], acos(-1), 0.1);
        scripted_free(&s);
    }
}

/* Slower, it does not come there in 10 s. */
static void elsewhere_it_runs(void **state)
{
    (void)state;
    scripted s = scripted_text(parallelogram);
    scripted_give(&s, "der(a)", 0.2, true);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
    scripted_advance(&s, 10);
    assert_near(scripted_value(&s, "a"), scripted_value(&s, "c"), 1e-6);
    scripted_free(&s);
}

/* The edge goes along x at the start, whichever way the prescribed path bends afterwards. */
static void a_nonholonomic_row_that_stops_being_redundant_ends_the_run(void **state)
{
    (void)state;
    static const dfl_form forms[] = {DFL_PSF, DFL_PSI1, DFL_GGL};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        scripted s = scripted_text("local x, y, h = position('x', 'y', 'h') local v = velocity\n"
                                   "mass(x, 1) mass(y, 1) mass(h, 0.3)\n"
                                   "nonholonomic('edge', v(y)*cos(h) - v(x)*sin(h))\n"
                                   "constraint('px', x - time)\n"
                                   "constraint('py', y - 0.5*time^4)\n"
                                   "initial{ h = 0, ['der(h)'] = 0 }\n");
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6, .form = forms[i]});
        const dfl_status status = dfl_solver_advance(s.solver, 1);
        if (!status)
            fail_msg("form %d goes on", (int)forms[i]);
        if (forms[i] == DFL_PSF)
            assert_non_null(strstr(dfl_message(s.ctx), "constraint edge, redundant at the start"));
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_singular_position_ends_the_run),
        cmocka_unit_test(elsewhere_it_runs),
        cmocka_unit_test(a_nonholonomic_row_that_stops_being_redundant_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
