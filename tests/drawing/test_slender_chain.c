/* Chains of slender rods on spherical joints, whose mass matrix changes much within a step: the
   steps must be those of the motion, not those in which one mass matrix serves all stages. The
   right-hand side of the underlying ordinary differential equation, which has no such matrix, is
   what they are compared with. */
#include "scripted.h"

#include <stdio.h>

static scripted rods(int n)
{
    char text[600];
    snprintf(text, sizeof text,
             "gravity{0, 0, -9.81}\n"
             "local parent = ground\n"
             "for i = 1, %d do\n"
             "  local rod = body('rod'..i, {mass = 1, com = {i - 0.5, 0, 0}, inertia = {0.01, 0.1, "
             "0.1}})\n"
             "  spherical('joint'..i, parent, rod, {at = {i - 1, 0, 0}})\n"
             "  parent = rod\n"
             "end\n",
             n);
    return scripted_text(text);
}

static dfl_statistics run_rods(scripted *s, dfl_form form, dfl_integrator integrator, double tol)
{
    scripted_start(s, &(dfl_solver_options){.form = form, .integrator = integrator, .rtol = tol});
    scripted_advance(s, 0.5);
    return dfl_solver_statistics(s->solver);
}

static void newton_converges_in_steps_of_the_motion(void **state)
{
    (void)state;
    for (int n = 3; n <= 12; n *= 2) {
        scripted s = rods(n);
        const dfl_statistics psf = run_rods(&s, DFL_PSF, DFL_RADAU, 1e-6),
                             ode = run_rods(&s, DFL_UODE, DFL_RADAU, 1e-6);
        assert_true(psf.rejected_newton <= 1);
        assert_true(psf.accepted <= 2 * ode.accepted);
        scripted_free(&s);
    }
}

static void psf_and_tangent_follow_the_underlying_equation(void **state)
{
    (void)state;
    const double tol = 1e-8;
    scripted s = rods(4);
    double reference[64];
    run_rods(&s, DFL_UODE, DFL_EXPLICIT_PAIR, 1e-11);
    assert_true(s.eq->n <= 64);
    memcpy(reference, s.x, (size_t)s.eq->n * sizeof *s.x);
    const dfl_form forms[] = {DFL_PSF, DFL_TANGENT};
    for (int k = 0; k < 4; k++) {
        const dfl_integrator by = k % 2 ? DFL_BDF : DFL_RADAU;
        run_rods(&s, forms[k / 2], by, tol);
        for (int i = 0; i < s.eq->n; i++)
            assert_near(s.x[i], reference[i], (by == DFL_BDF ? 1000 : 10) * tol);
    }
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_converges_in_steps_of_the_motion),
        cmocka_unit_test(psf_and_tangent_follow_the_underlying_equation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
