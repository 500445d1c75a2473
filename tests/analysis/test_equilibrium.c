/* Equilibria and steady motions against closed forms and numbers computed apart from this
   program. */
#include "models.h"
#include "near.h"

/* The equilibrium near `at`. */
static near settle(const char *text, const char *at, const char *steady)
{
    near it = near_load(text);
    const dfl_state_choice choice = {.at = at, .near = true};
    scripted_expect(&it.s, dfl_study_state(&it.state, it.s.run, &it.settings, &choice));
    scripted_expect(&it.s, dfl_study_equilibrium(&it.state.equilibrium, it.state.x, it.s.run,
                                                 it.state.t, steady));
    scripted_expect(&it.s, dfl_linear_model_create(&it.linear, it.s.run, &it.state, NULL, NULL));
    scripted_expect(&it.s,
                    dfl_modes_find(&it.modes, it.s.ctx, it.linear.linear.ny, it.linear.linear.A));
    return it;
}

/* What a failure says. */
static void is_refused(const char *text, const char *steady, const char *message)
{
    near it = near_load(text);
    const dfl_state_choice choice = {0};
    scripted_expect(&it.s, dfl_study_state(&it.state, it.s.run, &it.settings, &choice));
    assert_true(dfl_study_equilibrium(&it.state.equilibrium, it.state.x, it.s.run, it.state.t,
                                      steady) != DFL_OK);
    if (!strstr(dfl_message(it.s.ctx), message))
        fail_msg("'%s' does not contain '%s'", dfl_message(it.s.ctx), message);
    near_free(&it);
}

/* Four equilibria of the one-variable potential, from 0.2 rad away. */
static void slider_crank_has_four_equilibria(void **state)
{
    (void)state;
    static const struct {
        double crank, x;
        int unstable;
    } wanted[] = {{-1.372910056, .290965474610, 0},
                  {.229356654, 0, 1},
                  {1.228331787, .315017006185, 0},
                  {2.566578451, 0, 1}};
    for (int i = 0; i < 4; i++) {
        const double phi = wanted[i].crank + 0.2, y = 0.15 * sin(phi);
        const double x = 0.15 * cos(phi) + sqrt(0.09 - y * y);
        const double alpha = acos(-1) - asin(y / 0.3), beta = phi + acos(-1) - alpha;
        char at[200];
        snprintf(at, sizeof at, "x=%.17g,alpha=%.17g,beta=%.17g", x, alpha, beta);
        near it = settle(slider_crank, at, NULL);
        const double crank = near_value(&it, "alpha") + near_value(&it, "beta") - acos(-1);
        near_close(remainder(crank - wanted[i].crank, 2 * acos(-1)), 0, 1e-9);
        if (wanted[i].x > 0)
            near_close(near_value(&it, "x"), wanted[i].x, 1e-11);
        assert_int_equal(it.modes.unstable, wanted[i].unstable);
        assert_true(it.state.equilibrium.iterations <= 6);
        assert_int_equal(it.linear.linear.kind, DFL_AT_EQUILIBRIUM);
        if (i == 0) {
            near_close(near_value(&it, "lambda(cx)"), .4517262695, 1e-9);
            near_close(near_value(&it, "lambda(cy)"), -4.0186821103, 1e-9);
        }
        near_free(&it);
    }
}

static void double_pendulum_hangs_or_stands_on_a_saddle(void **state)
{
    (void)state;
    near it = settle(double_pendulum, "x1=0.3,y1=-0.9,x2=0.1,y2=-1.8", NULL);
    near_close(near_value(&it, "y1"), -1, 1e-12);
    near_close(near_value(&it, "y2"), -2, 1e-12);
    near_close(near_value(&it, "lambda(upper)"), 9.81, 1e-10);
    near_close(near_value(&it, "lambda(lower)"), 4.905, 1e-10);
    assert_int_equal(it.modes.unstable, 0);
    near_free(&it);
    it = settle(double_pendulum, "x1=0.1,y1=0.99,x2=0.15,y2=0", NULL);
    near_close(near_value(&it, "y1"), 1, 1e-12);
    near_close(near_value(&it, "y2"), 0, 1e-12);
    near_close(near_value(&it, "lambda(upper)"), -9.81, 1e-10);
    near_close(near_value(&it, "lambda(lower)"), 4.905, 1e-10);
    assert_int_equal(it.modes.unstable, 1);
    near_free(&it);
}

/* cos theta = g / Omega^2 */
static void pendulum_that_circles_with_a_given_speed_finds_its_angle(void **state)
{
    (void)state;
    near it = settle(SPHERICAL_PENDULUM("0.5"), "rho=0.7,der(phi)=4", "phi");
    near_close(near_value(&it, "z"), -9.81 / 16, 1e-11);
    near_close(near_value(&it, "der(phi)"), 4, 0);
    near_close(near_value(&it, "phi"), 0.3, 1e-12);
    assert_int_equal(it.linear.linear.kind, DFL_AT_STEADY_MOTION);
    near_free(&it);
}

/* A chain between two points, from a coarse sketch. */
static void sketched_chain_comes_to_rest(void **state)
{
    (void)state;
    near it = settle("local V, T, px, py = 0, 0, 0, 0\n"
                     "for i = 1, 8 do\n"
                     "    local x, y = position('x' .. i, 'y' .. i)\n"
                     "    kinetic((velocity(x)^2 + velocity(y)^2)/2)\n"
                     "    potential(9.81*y)\n"
                     "    constraint('rod' .. i, (x - px)^2 + (y - py)^2 - 1)\n"
                     "    px, py = x, y\n"
                     "    guess{ [x] = 0.6*i, [y] = -0.7*math.min(i, 8 - i) }\n"
                     "end\n"
                     "constraint('end-x', px - 5) constraint('end-y', py)\n",
                     NULL, NULL);
    assert_int_equal(it.modes.unstable, 0);
    near_close(near_value(&it, "x4"), 2.5, 1e-9); /* symmetry */
    near_close(near_value(&it, "y1"), near_value(&it, "y7"), 1e-9);
    assert_true(near_value(&it, "y4") < -2);
    near_free(&it);
}

/* With horizontal rods no multiplier carries a load, and Newton's matrix is singular. */
static void horizontal_rods_are_no_obstacle(void **state)
{
    (void)state;
    near it = settle(double_pendulum, "x1=1,y1=0,x2=2,y2=0", NULL);
    near_close(fabs(near_value(&it, "y1")), 1, 1e-9);
    near_close(fabs(near_value(&it, "y2") - near_value(&it, "y1")), 1, 1e-9);
    assert_true(it.state.equilibrium.residual < 1e-7);
    near_free(&it);
}

/* r' = 1 for ever. */
static void rates_that_never_vanish_are_named(void **state)
{
    (void)state;
    is_refused("local x = position('x')\n"
               "kinetic(velocity(x)^2/2) potential(x^2)\n"
               "dynamic('clock', 1)\n",
               NULL, "the rate of clock");
}

static void failures_name_what_is_not_balanced(void **state)
{
    (void)state;
    is_refused("local x, y = position('x', 'y')\n"
               "kinetic((velocity(x)^2 + velocity(y)^2)/2) potential(9.81*y + x^2)\n",
               NULL, "der(y)");
    is_refused("local x = position('x')\n"
               "kinetic(velocity(x)^2/2) constraint('driven', x - time)\n",
               NULL, "driven");
    is_refused(SPHERICAL_PENDULUM("0.5"), "psi", "there is no variable 'psi'");
}

/* r' = 0, w and the positions together. */
static void dynamic_and_auxiliary_variables_come_to_rest(void **state)
{
    (void)state;
    near it = settle("local x = position('x')\n"
                     "kinetic(velocity(x)^2/2)\n"
                     "local w = auxiliary('w', function(w) return w^3 + w - x end)\n"
                     "local r = dynamic('r', function(r) return w - 2*r end)\n"
                     "force(velocity(x), 4 - r - w^3)\n",
                     NULL, NULL);
    /* r = w/2, w^3 + w/2 = 4, x = w^3 + w */
    const double w = near_value(&it, "w");
    near_close(w * w * w + w / 2, 4, 1e-9);
    near_close(near_value(&it, "r"), w / 2, 1e-10);
    near_close(near_value(&it, "x"), w * w * w + w, 1e-9);
    near_free(&it);
}

/* A contact stays as a run starts: a block on the floor is held, one in the air is not; on a slope
   of forces it sticks up to its limit 0.3 m g = 2.943, and slips beyond. */
static void contacts_are_closed_as_a_run_starts(void **state)
{
    (void)state;
    static const char *const block =
        "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
        "force(y, -9.81) force(x, 2 - 3*x)\n"
        "unilateral('floor', y, { friction = 0.3, slip = velocity(x) })\n"
        "initial{ x = 0.2, y = 0, ['der(x)'] = 0, ['der(y)'] = 0 }\n";
    near it = near_find(block, NULL, NULL);
    assert_int_equal(it.linear.linear.kind, DFL_AT_EQUILIBRIUM);
    assert_int_equal(it.linear.linear.ny, 1); /* x may be elsewhere, but does not move */
    near_close(near_value(&it, "lambda(floor)"), -9.81, 1e-12);
    near_free(&it);
    it = near_find(block, "equilibrium", NULL);
    near_close(near_value(&it, "x"), 0.2, 1e-12);
    near_free(&it);
    it = near_find(block, "x=5,y=0", NULL); /* it slips: x'' = 2 - 3 x + 2.943 */
    assert_int_equal(it.linear.linear.kind, DFL_AT_FROZEN);
    assert_int_equal(it.linear.linear.ny, 2);
    near_has(&it, 0, sqrt(3), 1e-9);
    near_free(&it);
    it = near_find(block, "x=0.2,y=1", NULL); /* it falls */
    assert_int_equal(it.linear.linear.ny, 4);
    near_free(&it);
}

/* The floor would have to pull: no equilibrium. */
static void contacts_do_not_pull_at_an_equilibrium(void **state)
{
    (void)state;
    near it = near_load("local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                        "force(y, -9.81 + 20*x) force(x, -x + 1 - velocity(x))\n"
                        "unilateral('floor', y)\n"
                        "initial{ x = 0, y = 0, ['der(x)'] = 0, ['der(y)'] = 0 }\n");
    const dfl_state_choice rest = {.at = "equilibrium"};
    assert_int_equal(dfl_study_state(&it.state, it.s.run, &it.settings, &rest), DFL_NOT_CONVERGED);
    assert_non_null(strstr(dfl_message(it.s.ctx), "only if it pulls with 10.19"));
    near_free(&it);
}

/* One force, so that nothing else is there to compare it with; and a start of another size and
   sign. */
static void one_mass_on_a_spring_finds_its_rest(void **state)
{
    (void)state;
    static const char *const starts[] = {"0.1", "-3", "1e-3", "50", "0"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "local y = position('y') mass(y, 1) force(y, -9.81 - 20*y) initial{ y = %s }",
                 starts[i]);
        near it = near_find(text, "equilibrium", NULL);
        near_close(near_value(&it, "y"), -0.4905, 1e-10);
        assert_int_equal(it.linear.linear.kind, DFL_AT_EQUILIBRIUM);
        near_free(&it);
    }
}

/* A bar of 2 kg on three massless links, at its ends and its middle: of the forces in two of them,
   which the third one, a part of the tree, leaves open, e + g/2 = 9.81, the shortest have e = 2 g.
 */
static void redundant_reactions_are_the_shortest(void **state)
{
    (void)state;
    static const char *const at[] = {NULL, "a.q=0.3", "a.q=0"};
    for (int i = 0; i < 3; i++) {
        near it = settle("planar() gravity{0, -9.81}\n"
                         "local A, B = body('A', { mass = 0 }), body('B', { mass = 0 })\n"
                         "local C = body('C', { mass = 2, com = { 0.5, -1 }, inertia = 0.1 })\n"
                         "local D = body('D', { mass = 0 })\n"
                         "local a = revolute('a', ground, A, { at = { 0, 0 } })\n"
                         "revolute('b', ground, B, { at = { 1, 0 } })\n"
                         "revolute('d', ground, D, { at = { 0.5, 0 } })\n"
                         "revolute('c', A, C, { at = { 0, -1 } })\n"
                         "revolute('e', B, C, { at = { 1, -1 } })\n"
                         "revolute('g', D, C, { at = { 0.5, -1 } })\n"
                         "force(a.q, -0.2*a.qd)\n"
                         "initial{ [a.q] = 0.4 } simulate{ to = 1 }\n",
                         at[i], NULL);
        near_close(near_value(&it, "lambda(e.2)"), -0.8 * 9.81, 1e-9);
        near_close(near_value(&it, "lambda(g.2)"), -0.4 * 9.81, 1e-9);
        near_free(&it);
    }
}

/* Large forces elsewhere excuse no force that is out of balance, nor does a place far away. */
static void small_forces_count_beside_large_ones(void **state)
{
    (void)state;
    is_refused("local y, q = position('y', 'q')\nmass(y, 1) mass(q, 1)\n"
               "force(y, 2) force(q, -4*q + y)\nsimulate{ to = 1 }",
               NULL, "the force along der(y) is still 2");
    is_refused("local y, z = position('y', 'z')\nmass(y, 1e-3) mass(z, 1e9)\n"
               "force(y, -9.81e-3) force(z, -9.81e9 - 1e12*z)\nsimulate{ to = 1 }",
               NULL, "der(y) is still 0.00981");
    is_refused("local s, x, y = position('s', 'x', 'y')\n"
               "kinetic((velocity(s)^2 + velocity(x)^2 + velocity(y)^2)/2) potential(9.81*y)\n"
               "constraint('rope', (x - s)^2 + y^2 - 1) force(s, 1)\n"
               "initial{ s = 0, x = 0.3 } guess{ y = -0.9 } simulate{ to = 1 }",
               NULL, "no equilibrium was found");
    near it = settle("local y, q = position('y', 'q') mass(y, 1) mass(q, 1)\n"
                     "force(y, 1 - 1e-3*y - 1e-3*(y - q)) force(q, 1e12*(1 - q) - 1e-3*(q - y))\n"
                     "initial{ q = 0.5 } simulate{ to = 1 }",
                     NULL, NULL);
    near_close(near_value(&it, "y"), 500.5, 1e-6);
    near_free(&it);
}

/* It slips at the start and rests at the end: there it sticks. */
static void friction_that_slips_without_speed_is_not_judged(void **state)
{
    (void)state;
    near it = settle("local x = position('x') mass(x, 1) force(x, -10*x)\n"
                     "friction('f', x, { load = 5, coefficient = 0.4 })\n"
                     "initial{ x = 1 } simulate{ to = 1 }",
                     NULL, NULL);
    assert_true(it.linear.linear.changing);
    assert_non_null(strstr(it.linear.linear.why, "would stick"));
    near_free(&it);
}

/* A shallow arch under a little more than the load at which it snaps, 200 (l0 - l) y/l with l^3 =
   l0: the search passes where it nearly rests, and ends on the other side, where 200 (l0 - l) y/l
   is the load again. */
static void arch_beyond_its_fold_snaps_through(void **state)
{
    (void)state;
    const double l0 = sqrt(1.09), l = cbrt(l0), limit = 200 * (l0 - l) * sqrt(l * l - 1) / l;
    const double beyond[] = {1e-9, 1e-6, 1e-4, 1e-3, 1e-2};
    for (int i = 0; i < 5; i++) {
        char text[400];
        const double load = limit * (1 + beyond[i]);
        snprintf(text, sizeof text,
                 "local y = position('y')\nmass(y, 1)\n"
                 "potential(100*(sqrt(1 + y^2) - sqrt(1.09))^2)\n"
                 "force(y, -0.1*velocity(y) - %.17g)\ninitial{ y = 0.2 }\nsimulate{ to = 1 }",
                 load);
        near it = near_find(text, "equilibrium", NULL);
        const double y = near_value(&it, "y"), length = sqrt(1 + y * y);
        assert_true(y < -0.3);
        near_close(200 * (l0 - length) * y / length, load, 1e-9);
        near_free(&it);
    }
}

/* An inverted pendulum on a spring that is hardly stiff enough, or hardly too weak: across it only
   the rounding of its weight is left, which no step removes, and stiffness is nearly zero. */
static void balance_is_found_close_to_a_load_that_buckles(void **state)
{
    (void)state;
    static const double margin[] = {1e-4, -4.5e-5, 1.6e-5, -1.3e-6};
    for (int i = 0; i < 40; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "planar()\nlocal c, s = cos(%.17g), sin(%.17g)\ngravity{-10*c, -10*s}\n"
                 "local b = body('b', { mass = 1, com = {c, s}, inertia = 1 })\n"
                 "local j = revolute('j', ground, b, { at = {0, 0} })\n"
                 "torsion('k', j, { stiffness = 10*(1 + %g), damping = 1 })\n",
                 0.1 + 0.15 * i, 0.1 + 0.15 * i, margin[i % 4]);
        near it = settle(text, NULL, NULL);
        near_close(near_value(&it, "j.q"), 0, 1e-9);
        assert_int_equal(it.modes.unstable, margin[i % 4] < 0);
        near_free(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank_has_four_equilibria),
        cmocka_unit_test(double_pendulum_hangs_or_stands_on_a_saddle),
        cmocka_unit_test(pendulum_that_circles_with_a_given_speed_finds_its_angle),
        cmocka_unit_test(sketched_chain_comes_to_rest),
        cmocka_unit_test(horizontal_rods_are_no_obstacle),
        cmocka_unit_test(rates_that_never_vanish_are_named),
        cmocka_unit_test(failures_name_what_is_not_balanced),
        cmocka_unit_test(dynamic_and_auxiliary_variables_come_to_rest),
        cmocka_unit_test(contacts_are_closed_as_a_run_starts),
        cmocka_unit_test(contacts_do_not_pull_at_an_equilibrium),
        cmocka_unit_test(one_mass_on_a_spring_finds_its_rest),
        cmocka_unit_test(redundant_reactions_are_the_shortest),
        cmocka_unit_test(small_forces_count_beside_large_ones),
        cmocka_unit_test(friction_that_slips_without_speed_is_not_judged),
        cmocka_unit_test(arch_beyond_its_fold_snaps_through),
        cmocka_unit_test(balance_is_found_close_to_a_load_that_buckles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
