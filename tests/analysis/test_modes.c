/* Eigenvalues against closed forms and published numbers. */
#include "models.h"
#include "near.h"

/* sqrt(g (2 -+ sqrt 2)) hanging, the same real upright; the upper mass up and the lower one down:
   one pair of each, sqrt(g sqrt 2). Rounding of a matrix of order 4 allows 1e-12. */
static void double_pendulum_in_cartesian_coordinates_has_its_exact_frequencies(void **state)
{
    (void)state;
    const double slow = sqrt(9.81 * (2 - sqrt(2))), fast = sqrt(9.81 * (2 + sqrt(2)));
    near it = near_find(double_pendulum, NULL, NULL);
    assert_int_equal(it.modes.count, 4);
    assert_int_equal(it.linear.linear.kind, DFL_AT_EQUILIBRIUM);
    assert_int_equal(it.modes.unstable, 0);
    near_close(slow, 2.3971993979, 1e-10);
    near_has(&it, 0, slow, 1e-12);
    near_has(&it, 0, fast, 1e-12);
    near_free(&it);
    it = near_find(double_pendulum, "x1=0,y1=1,x2=0,y2=2", NULL);
    near_has(&it, slow, 0, 1e-11);
    near_has(&it, -fast, 0, 1e-11);
    assert_int_equal(it.modes.unstable, 2);
    near_free(&it);
    it = near_find(double_pendulum, "x1=0,y1=1,x2=0,y2=0", NULL);
    near_has(&it, 3.7247060350, 0, 1e-10);
    near_has(&it, 0, 3.7247060350, 1e-10);
    assert_int_equal(it.modes.unstable, 1);
    near_free(&it);
}

/* The numbers are those of the projection and of the pencil, computed apart from this program. */
static void slider_crank_with_spring_and_damper_has_the_published_eigenvalue(void **state)
{
    (void)state;
    near it = near_find(slider_crank, "equilibrium", NULL);
    assert_int_equal(it.modes.count, 2);
    near_has(&it, -0.7954214483, 14.1289752163, 1e-9);
    near_close(it.modes.mode[0].damping, 0.7954214483 / hypot(0.7954214483, 14.1289752163), 1e-10);
    near_close(it.modes.mode[0].hz, 14.1289752163 / (2 * acos(-1)), 1e-10);
    near_free(&it);
}

/* Omega sqrt(1 + 3 cos^2 theta), and two zeros of the angle. */
static void circling_pendulum_is_steady_with_its_exact_frequency(void **state)
{
    (void)state;
    near it = near_find(SPHERICAL_PENDULUM("0.5"), NULL, NULL);
    const double omega = sqrt(9.81 / cos(0.5));
    assert_int_equal(it.linear.linear.kind, DFL_AT_STEADY_MOTION);
    near_close(omega, 3.3434167295, 1e-10);
    near_has(&it, 0, omega * sqrt(1 + 3 * cos(0.5) * cos(0.5)), 1e-10);
    assert_int_equal(it.modes.indifferent, 2);
    assert_int_equal(it.modes.unstable, 0);
    near_free(&it);
    it = near_find(SPHERICAL_PENDULUM("1"), NULL, NULL);
    near_has(&it, 0, 5.8358888828, 1e-10);
    near_free(&it);
    it = near_find(SPHERICAL_PENDULUM("1"), "rho=0.6,der(phi)=2,der(rho)=0.3", NULL);
    assert_int_equal(it.linear.linear.kind, DFL_AT_FROZEN);
    near_free(&it);
}

/* Every rod three times, once scaled: the rank is that of two rods. */
static void redundant_rows_change_no_eigenvalue(void **state)
{
    (void)state;
    char text[4000];
    snprintf(text, sizeof text, "%s%s", double_pendulum,
             "constraint('again', 3*(x1^2 + y1^2 - 1))\n"
             "constraint('sum', x1^2 + y1^2 + (x2 - x1)^2 + (y2 - y1)^2 - 2)\n");
    near it = near_find(text, NULL, NULL);
    assert_int_equal(it.modes.count, 4);
    near_has(&it, 0, sqrt(9.81 * (2 - sqrt(2))), 1e-11);
    near_has(&it, 0, sqrt(9.81 * (2 + sqrt(2))), 1e-11);
    near_free(&it);
}

/* m x1'' = -k (x1 - x2), c x2' = k (x1 - x2): s (m c s^2 / k + m s + c) = 0 without a second
   spring; with k2 at x1: (m s^2 + k2)(c s + k) + k c s = 0. */
static void massless_point_behind_a_damper_gives_a_state_of_first_order(void **state)
{
    (void)state;
    near it = near_find("local x1, x2 = position('x1', 'x2')\n"
                        "kinetic(2/2*velocity(x1)^2)\n"
                        "local k, k2, c = 30, 20, 4\n"
                        "potential(k/2*(x1 - x2)^2 + k2/2*x1^2)\n"
                        "force(velocity(x2), -c*velocity(x2))\n",
                        NULL, NULL);
    assert_int_equal(it.modes.count, 3);
    for (int i = 0; i < 3; i++) { /* s is a root of 8 s^3 + 60 s^2 + 200 s + 600 */
        const double a = it.modes.mode[i].re, b = it.modes.mode[i].im;
        const double re = 8 * (a * a * a - 3 * a * b * b) + 60 * (a * a - b * b) + 200 * a + 600;
        const double im = 8 * (3 * a * a * b - b * b * b) + 120 * a * b + 200 * b;
        near_close(re, 0, 1e-10);
        near_close(im, 0, 1e-10);
    }
    near_free(&it);
}

/* The same with a direction without mass that is no coordinate: a = x1, b = x1 - x2. */
static void massless_direction_across_coordinates_gives_the_same_eigenvalues(void **state)
{
    (void)state;
    near it = near_find("local a, b = position('a', 'b')\n"
                        "kinetic(2/2*(velocity(a) + velocity(b))^2)\n"
                        "local k, k2, c = 30, 20, 4\n"
                        "potential(k/2*b^2 + k2/2*(a + b)^2)\n"
                        "force(velocity(a), -c*velocity(a))\n",
                        NULL, NULL);
    assert_int_equal(it.modes.count, 3);
    for (int i = 0; i < 3; i++) {
        const double a = it.modes.mode[i].re, b = it.modes.mode[i].im;
        const double re = 8 * (a * a * a - 3 * a * b * b) + 60 * (a * a - b * b) + 200 * a + 600;
        near_close(re, 0, 1e-9);
    }
    near_free(&it);
}

/* 2 sqrt(k/m) sin(i pi / (2 (N + 1))), fixed at both ends. */
static void chain_of_masses_has_its_closed_form(void **state)
{
    (void)state;
    near it = near_find("local n, V, before = 12, 0, nil\n"
                        "for i = 1, n do\n"
                        "    local x = position('x' .. i)\n"
                        "    kinetic(velocity(x)^2/2)\n"
                        "    V = V + 50*(before and (x - before)^2 or x^2)\n"
                        "    before = x\n"
                        "end\n"
                        "potential(V + 50*before^2)\n",
                        NULL, NULL);
    assert_int_equal(it.modes.count, 24);
    for (int i = 1; i <= 12; i++)
        near_has(&it, 0, 20 * sin(i * acos(-1) / 26), 1e-11);
    near_free(&it);
}

/* A thin disk rolling upright: 5/4 phi'' + (3 Omega^2 - g) phi = 0 for m = r = 1; it stays upright
   above Omega^2 = g/3. */
static void rolling_disk_falls_below_its_critical_speed(void **state)
{
    (void)state;
    static const char *const disk =
        "local x, y, psi, th, roll = position('x', 'y', 'psi', 'th', 'roll')\n"
        "local xd, yd, pd, td, rd = velocity(x), velocity(y), velocity(psi), velocity(th), "
        "velocity(roll)\n"
        "-- contact at (x, y), lean th from upright, centre above it\n"
        "local cx, cy, cz = x - sin(th)*sin(psi), y + sin(th)*cos(psi), cos(th)\n"
        "local vx = xd - cos(th)*td*sin(psi) - sin(th)*cos(psi)*pd\n"
        "local vy = yd + cos(th)*td*cos(psi) - sin(th)*sin(psi)*pd\n"
        "local vz = -sin(th)*td\n"
        "local spin = rd - pd*sin(th)\n"
        "kinetic((vx^2 + vy^2 + vz^2)/2 + (td^2 + (pd*cos(th))^2)/8 + spin^2/4)\n"
        "potential(9.81*cz)\n"
        "nonholonomic('ahead', xd - cos(psi)*rd)\n"
        "nonholonomic('aside', yd - sin(psi)*rd)\n"
        "local w = setting('w', 3)\n"
        "initial{ x = 0, y = 0, psi = 0.4, th = 0, roll = 0, ['der(roll)'] = w, ['der(psi)'] = 0,\n"
        "         ['der(th)'] = 0 }\n";
    near it = near_find(disk, NULL, NULL);
    assert_int_equal(it.linear.linear.kind, DFL_AT_STEADY_MOTION);
    near_has(&it, 0, sqrt((3 * 9 - 9.81) / 1.25), 1e-9);
    assert_int_equal(it.modes.unstable, 0);
    near_free(&it);
    it = near_find(disk, "der(roll)=1,th=0,psi=0.4", NULL);
    near_has(&it, sqrt((9.81 - 3) / 1.25), 0, 1e-9);
    assert_int_equal(it.modes.unstable, 1);
    near_free(&it);
}

/* All forces are balanced at t = 0, but not a little later. */
static void an_instant_of_balance_is_no_equilibrium(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        dfl_point_kind kind;
    } cases[] = {
        {"local x = position('x') mass(x, 1) force(x, -4*x + sin(3*time))", DFL_AT_FROZEN},
        {"local x = position('x') mass(x, 1) force(x, -4*x + max(time - 100, 0))",
         DFL_AT_EQUILIBRIUM},
        {"local x, y = position('x', 'y') mass(x, 1) mass(y, 1) force(y, -y)\n"
         "constraint('moved', x - 1 + cos(time)) initial{ x = 0 }",
         DFL_AT_FROZEN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        near it = near_find(cases[i].text, NULL, NULL);
        assert_int_equal(it.linear.linear.kind, cases[i].kind);
        near_free(&it);
    }
}

static void values_of_a_point_may_have_spaces(void **state)
{
    (void)state;
    near it = near_find("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                        "force(x, -x) force(y, -y) simulate{ to = 1 }",
                        "x = 0.25, y =0.5 ", NULL);
    near_close(near_value(&it, "x"), 0.25, 0);
    near_close(near_value(&it, "y"), 0.5, 0);
    near_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum_in_cartesian_coordinates_has_its_exact_frequencies),
        cmocka_unit_test(slider_crank_with_spring_and_damper_has_the_published_eigenvalue),
        cmocka_unit_test(circling_pendulum_is_steady_with_its_exact_frequency),
        cmocka_unit_test(redundant_rows_change_no_eigenvalue),
        cmocka_unit_test(massless_point_behind_a_damper_gives_a_state_of_first_order),
        cmocka_unit_test(massless_direction_across_coordinates_gives_the_same_eigenvalues),
        cmocka_unit_test(chain_of_masses_has_its_closed_form),
        cmocka_unit_test(rolling_disk_falls_below_its_critical_speed),
        cmocka_unit_test(an_instant_of_balance_is_no_equilibrium),
        cmocka_unit_test(values_of_a_point_may_have_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
