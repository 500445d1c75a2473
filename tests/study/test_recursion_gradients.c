/* Gradients of mechanisms whose bodies are evaluated in numbers are those of their equations as
   expressions. */
#include "followed.h"

/* Both methods, on the same steps; masses, lengths, axes and prescribed motions are parameters. */
static void both_evaluations_agree(const char *text, const char *const *of, int nof, const char *by,
                                   double to)
{
    const found want =
        gradient_with(false, DFL_DERIVATIVES_DIRECT, text, of, nof, by, to, 1e-9, 0.01);
    assert_string_equal(want.message, "");
    for (int k = 0; k < 2; k++) {
        const found at = gradient_with(true, k ? DFL_DERIVATIVES_ADJOINT : DFL_DERIVATIVES_DIRECT,
                                       text, of, nof, by, to, 1e-9, 0.01);
        assert_string_equal(at.message, "");
        for (int i = 0; i < nof; i++) {
            double size = fabs(want.value[i]);
            for (int j = 0; j < 8; j++)
                size = fmax(size, fabs(want.gradient[i][j]));
            for (int j = 0; j < 8; j++)
                assert_near(at.gradient[i][j], want.gradient[i][j], 1e-10 * size);
        }
    }
}

static void chains_and_loops_agree(void **state)
{
    (void)state;
    static const char chain[] =
        "gravity{0.3, -0.2, -9.81}\n"
        "local m, L, th, J = param('m', 1.2), param('L', 0.5), param('th', 0.3), param('J', 0.05)\n"
        "local amp, k = param('amp', 0.2), param('k', 20)\n"
        "local a = body('a', { mass = m, com = {L, 0.2, L}, inertia = {J, J, 1.2*J, 0.1*J, 0, 0} "
        "})\n"
        "local b = body('b', { mass = 2*m, com = {2*L, 0.3, 0.1}, inertia = {J, 1.1*J, J} })\n"
        "local c = body('c', { mass = m, com = {3*L, L, 0.2}, inertia = {J, J, J} })\n"
        "local i = spherical('i', ground, a, { at = {0.1, 0, L} })\n"
        "local j = revolute('j', a, b, { at = {L, 0.1, 0}, axis = {cos(th), sin(th), 0.4} })\n"
        "revolute('driven', b, c, { at = {2*L, 0, 0}, axis = {0, 1, th}, motion = amp*sin(3*time) "
        "})\n"
        "force(j.q, -k*j.q - 0.5*j.qd)\n"
        "local p = point(c, {L, 0.2, 0.1}) output('o', p.x + 0.3*p.z*p.vy) initial{ [j.q] = 0.2 "
        "}\n";
    both_evaluations_agree(chain, (const char *const[]){"j.q", "o", NULL}, 2, "m,L,th,J,amp,k",
                           0.4);
    static const char loop[] =
        "planar() gravity{0, -9.81}\n"
        "local l, m, r = param('l', 0.6), param('m', 2), param('r', 0.3)\n"
        "local a = body('a', { mass = m, com = {r/2, 0}, inertia = m*r^2/12 })\n"
        "local b = body('b', { mass = 2*m, com = {r, l/2}, inertia = m*l^2/6 })\n"
        "local c = body('c', { mass = 1, com = {r + 0.3, l/2}, inertia = 0.1 })\n"
        "local p = revolute('p', ground, a, { at = {0, 0} })\n"
        "revolute('q', a, b, { at = {r, 0} }) revolute('s', b, c, { at = {r, l} })\n"
        "local e = revolute('e', ground, c, { at = {r + 0.6, 0.1} })\n"
        "output('e', e.fx) output('acc', acceleration(p.qd))\n"
        "initial{ [p.q] = 0, [p.qd] = 3 }\n";
    both_evaluations_agree(loop, (const char *const[]){"p.q", "q.q", "acc", NULL}, 3, "l,m,r", 0.5);
}

/* What a tree does not know as expressions is refused. */
static void massless_bodies_are_refused(void **state)
{
    (void)state;
    static const char node[] =
        "planar() local c = param('c', 100)\n"
        "local n = body('n', { mass = 0, com = {1, 0} })\n"
        "local b = body('b', { mass = 1, com = {2, 0} })\n"
        "local i = prismatic('i', ground, n, { at = {1, 0}, axis = {1, 0} })\n"
        "local j = prismatic('j', n, b, { at = {2, 0}, axis = {1, 0} })\n"
        "force(i.q, -c*i.q - i.qd) force(j.q, -c*j.q - j.qd) initial{ [i.q] = 0.1, [j.q] = 0.1 }\n";
    static const char *const of[] = {"j.q", NULL};
    const found at = gradient_with(true, DFL_DERIVATIVES_DIRECT, node, of, 1, "c", 0.5, 1e-8, 0);
    assert_non_null(strstr(at.message, "--evaluation tape"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_and_loops_agree),
                                       cmocka_unit_test(massless_bodies_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
