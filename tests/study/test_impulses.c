/* Impulses, changes of energy and modes that a run reports, against closed forms. */
#include "../simulated.h"

#include "declare/declare.h"

typedef struct told {
    scripted s;
    dfl_settings settings;
    dfl_simulation sim;
    dfl_summary summary;
} told;

static void tell_packed(told *out, const char *text, double to, bool packed)
{
    *out = (told){.s = scripted_text(text)};
    if (packed) {
        dfl_runnable_free(out->s.run);
        scripted_expect(&out->s, dfl_runnable_create_packed(&out->s.run, out->s.eq));
    }
    out->summary = simulate(&out->sim, &out->settings, &out->s, to);
}

static void tell(told *out, const char *text, double to)
{
    tell_packed(out, text, to, false);
}

static void forget(told *it)
{
    dfl_simulation_clear(&it->sim);
    scripted_free(&it->s);
}

/* The record number k of some kind. */
static const dfl_switch_record *record_of(const told *it, dfl_switched kind, int k)
{
    for (int i = 0; i < it->summary.nswitches; i++)
        if (it->summary.switches[i].kind == kind && k-- == 0)
            return &it->summary.switches[i];
    fail_msg("there is no such record");
    return NULL;
}

static double impulse(const told *it, const dfl_switch_record *record, const char *name)
{
    for (int i = 0; i < record->nimpulses; i++)
        if (!strcmp(it->sim.switched.impulses[record->impulses[i].name], name))
            return record->impulses[i].value;
    return 0;
}

/* Mass 2, dropped from 1 m: m (1 + e) v and -(1 - e^2) m v^2 / 2. */
static void a_bouncing_ball(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "unilateral('floor', y, { restitution = 0.8 })\n",
        "event('bounce', y, { direction = 'falling', set = { [velocity(y)] = -0.8*velocity(y) } "
        "})\n"};
    for (int way = 0; way < 2; way++) {
        char text[400];
        told it;
        double v = sqrt(2 * 9.81);
        snprintf(text, sizeof text,
                 "local y = position('y') mass(y, 2) force(y, -2*9.81)\n%s"
                 "initial{ y = 1, ['der(y)'] = 0 } simulate{ rtol = 1e-10 }\n",
                 ways[way]);
        tell(&it, text, 2);
        assert_int_equal(it.summary.nevents, 3);
        for (int k = 0; k < 3; k++, v *= 0.8) {
            const dfl_switch_record *hit =
                record_of(&it, way ? DFL_SWITCHED_EVENT : DFL_SWITCHED_IMPACT, k);
            assert_near(impulse(&it, hit, way ? "der(y)" : "floor"), 2 * 1.8 * v, 1e-8);
            assert_near(hit->energy_change, -0.36 * v * v, 1e-8);
            assert_int_equal(hit->nimpulses, 1);
            assert_ptr_equal(&it.summary.switches[it.summary.events[k].acts], hit);
        }
        forget(&it);
    }
}

/* A point of 2 kg on x^2 + y^2 = 1 gets P = (3, 1): L = W P / (W W^T), and the part of P along the
   path counts: dE = P_t v + P_t^2 / (2 m). */
static void a_constraint_answers_to_an_impulse_in(bool packed)
{
    told it;
    tell_packed(&it,
                "local x, y = position('x', 'y') mass(x, 2) mass(y, 2)\n"
                "constraint('rod', x^2 + y^2 - 1)\n"
                "event('kick', time - 1, { impulse = { [x] = 3, [y] = 1 } })\n"
                "initial{ x = 1, y = 0, ['der(y)'] = 0.5 } simulate{ rtol = 1e-10 }\n",
                1.5, packed);
    const dfl_switch_record *kick = record_of(&it, DFL_SWITCHED_EVENT, 0);
    const double x = cos(0.5), y = sin(0.5), along = -3 * y + x;
    assert_near(impulse(&it, kick, "der(x)"), 3, 1e-12);
    assert_near(impulse(&it, kick, "der(y)"), 1, 1e-12);
    assert_near(impulse(&it, kick, "lambda(rod)"), (3 * x + y) / 2, 1e-8);
    assert_near(kick->energy_change, along * 0.5 + along * along / 4, 1e-8);
    forget(&it);
}

static void a_constraint_answers_to_an_impulse(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++)
        a_constraint_answers_to_an_impulse_in(packed);
}

/* Masses 1 and 3 meet with 4 m/s and stay together: 3 N s, 6 J are lost. */
static void a_row_that_is_switched_on_in(bool packed)
{
    told it;
    tell_packed(&it,
                "local x, y = position('x', 'y') mass(x, 1) mass(y, 3)\n"
                "local on = discrete('on', 0)\n"
                "constraint('latch', x - y, { active = on })\n"
                "event('close', x - y, { set = { [on] = 1 } })\n"
                "initial{ x = -1, y = 0, ['der(x)'] = 4, ['der(y)'] = 0 }\n",
                1, packed);
    const dfl_switch_record *close = record_of(&it, DFL_SWITCHED_EVENT, 0);
    assert_near(close->time, 0.25, 1e-12);
    assert_near(impulse(&it, close, "lambda(latch)"), 3, 1e-10);
    assert_near(close->energy_change, -6, 1e-10);
    forget(&it);
}

static void a_row_that_is_switched_on(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++)
        a_row_that_is_switched_on_in(packed);
}

/* A slider-crank hits a wall in its first instant; numbers of the saddle system, by another
   program. */
static void an_impact_through_constraints_in(bool packed)
{
    told it;
    tell_packed(&it,
                "local x, y, q = position('x', 'y', 'q')\n"
                "mass(x, 1) mass(y, 1) mass(q, 2)\n"
                "constraint('crank', x^2 + y^2 - 1)\n"
                "constraint('rod', (q - x)^2 + y^2 - 4)\n"
                "unilateral('wall', 2.3027756377319946 - q, { restitution = 0.5 })\n"
                "initial{ x = 0.5, y = sqrt(3)/2, ['der(x)'] = sqrt(3), ['der(y)'] = -1 }\n"
                "guess{ q = 2.3 } simulate{ rtol = 1e-10 }\n",
                0.1, packed);
    const dfl_switch_record *hit = record_of(&it, DFL_SWITCHED_IMPACT, 0);
    assert_near(impulse(&it, hit, "wall"), 9.3492495569519172, 1e-9);
    assert_near(impulse(&it, hit, "lambda(crank)"), -.11386753864618516, 1e-9);
    assert_near(impulse(&it, hit, "lambda(rod)"), -.75215786513825349, 1e-9);
    assert_near(hit->energy_change, 1.7237174548612295 - 6.8948698194449181, 1e-9);
    forget(&it);
}

static void an_impact_through_constraints(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++)
        an_impact_through_constraints_in(packed);
}

/* Three equal balls in a row: every impact of the instant loses (1 - e^2) m_r u^2 / 2. */
static void every_impact_of_an_instant_has_its_energy(void **state)
{
    (void)state;
    static const double closing[] = {1, 0.95, 0.0475 - 0.04725 + 0.00225};
    told it;
    double sum = 0;
    tell(&it,
         "local a, b, c = position('a', 'b', 'c') mass(a, 1) mass(b, 1) mass(c, 1)\n"
         "unilateral('ab', b - a, { restitution = 0.9 })\n"
         "unilateral('bc', c - b, { restitution = 0.9 })\n"
         "initial{ a = 0, b = 0, c = 0, ['der(a)'] = 1, ['der(b)'] = 0, ['der(c)'] = 0 }\n",
         0.1);
    for (int k = 0; k < 3; k++) {
        const dfl_switch_record *hit = record_of(&it, DFL_SWITCHED_IMPACT, k);
        sum += hit->energy_change;
        assert_near(hit->energy_change, -0.19 / 4 * closing[k] * closing[k], 1e-12);
        assert_near(impulse(&it, hit, k == 1 ? "bc" : "ab"), 0.95 * closing[k], 1e-12);
    }
    assert_near(sum, (.047625 * .047625 + .049875 * .049875 + .9025 * .9025 - 1) / 2, 1e-12);
    forget(&it);
}

/* A cart with a pendulum starts with 1 m/s: the bob stays behind, the cart gets m v^2 / 2. */
static void a_kink_of_a_motion(void **state)
{
    (void)state;
    told it;
    tell(
        &it,
        "planar() gravity{0, -9.81}\n"
        "local cart = body('cart', {mass = 1}) local bob = body('bob', {mass = 1, com = {0, -1}})\n"
        "prismatic('rail', ground, cart, {at = {0, 0}, axis = {1, 0}, motion = max(0, time - 1)})\n"
        "revolute('pin', cart, bob, {at = {0, 0}})\n",
        2);
    const dfl_switch_record *kink = record_of(&it, DFL_SWITCHED_KINK, 0);
    assert_near(kink->time, 1, 0);
    assert_near(kink->energy_change, 0.5, 1e-9);
    assert_near(impulse(&it, kink, "rail.drive"), 1, 1e-9); /* the bob stays where it is */
    assert_string_equal(it.sim.switched.names[kink->name], "time - 1 in rail, line 3");
    forget(&it);
}

/* A cart of 1 kg carries 2 kg on a vertical spring: 3 N s, though no velocity jumps. */
static void a_drive_alone_has_an_impulse(void **state)
{
    (void)state;
    told it;
    tell(
        &it,
        "planar() gravity{0, -9.81}\n"
        "local cart = body('cart', {mass = 1}) local load = body('load', {mass = 2})\n"
        "prismatic('rail', ground, cart, {at = {0, 0}, axis = {1, 0}, motion = max(0, time - 1)})\n"
        "local s = prismatic('s', cart, load, {at = {0, 0}, axis = {0, 1}}) force(s.q, -90*s.q)\n",
        2);
    const dfl_switch_record *kink = record_of(&it, DFL_SWITCHED_KINK, 0);
    assert_int_equal(kink->nimpulses, 1);
    assert_near(impulse(&it, kink, "rail.drive"), 3, 1e-12);
    assert_near(kink->energy_change, 1.5, 1e-9);
    forget(&it);
}

/* A motion of a joint, and a drive of its coordinate; a rod leads out of what they move. The
   impulse is that of the multiplier, with the opposite sign. */
static void a_motion_has_the_impulses_of_a_drive(void **state)
{
    (void)state;
    static const char *const kinds[] = {"revolute", "prismatic", "screw"};
    for (int k = 0; k < 3; k++) {
        double found[2][2], energy[2];
        for (int way = 0; way < 2; way++) {
            const char *const motion = "0.4*time + 0.3*abs(time - 0.7)";
            char text[2000];
            told it;
            snprintf(
                text, sizeof text,
                "gravity{0, 0, -9.81} local m = %s\n"
                "local a = body('a', {mass = 2, com = {0.3, 0.1, 0.2}, inertia = {0.25, 0.2, 0.3, "
                "0.01, 0.02, 0.03}})\n"
                "local b = body('b', {mass = 1, com = {1.2, 0.1, -0.2}, inertia = {0.2, 0.1, 0.15, "
                "0.01, 0, 0.03}})\n"
                "local c = body('c', {mass = 0.5, com = {1.5, 0.5, 0.3}, inertia = {0.04, 0.03, "
                "0.05}})\n"
                "local j = %s('j', ground, a, {at = {0.1, 0.2, 0.3}, axis = {0.2, 0.3, 1}%s%s})\n"
                "local u = universal('u', a, b, {at = {1, 0, 0}, axis = {0, 0, 1}, axis2 = {0, 1, "
                "0}})\n"
                "local s = prismatic('s', b, c, {at = {1, 0, 0}, axis = {1, 0.5, 0.2}})\n"
                "%s distance('rod', ground, c, {at = {2, 2, 2}, at_b = {1.5, 0.5, 0.3}})\n"
                "force(s.q, -30*s.q)\n"
                "initial{ [u.q1] = 0.2, [u.q2] = 0.1, ['der(u.q1)'] = 0.5, ['der(u.q2)'] = 0 }\n"
                "simulate{ rtol = 1e-9, atol = 1e-9 }\n",
                motion, kinds[k], k == 2 ? ", lead = 0.1" : "", way == 0 ? ", motion = m" : "",
                way == 0 ? "" : "drive('mot', j, m)");
            tell(&it, text, 1);
            const dfl_switch_record *kink = record_of(&it, DFL_SWITCHED_KINK, 0);
            found[way][0] = impulse(&it, kink, way == 0 ? "j.drive" : "lambda(mot)");
            found[way][1] = impulse(&it, kink, "lambda(rod)");
            energy[way] = kink->energy_change;
            forget(&it);
        }
        assert_near(found[0][0], -found[1][0], 1e-9);
        assert_near(found[0][1], found[1][1], 1e-9);
        assert_near(energy[0], energy[1], 1e-9);
        assert_true(fabs(found[0][0]) > 0.1 && fabs(found[0][1]) > 0.01);
    }
}

/* A ball of 1 kg falls 1 m onto a plate of 2 kg that a drive holds: the drive gives what the floor
   would. */
static void a_drive_answers_to_an_impact(void **state)
{
    (void)state;
    told it;
    tell(&it,
         "planar() gravity{0, -9.81}\n"
         "local plate = body('plate', {mass = 2}) local ball = body('ball', {mass = 1, com = {0, "
         "1}})\n"
         "prismatic('lift', ground, plate, {at = {0, 0}, axis = {0, 1}, motion = 0.1*time})\n"
         "prismatic('fall', ground, ball, {at = {0, 1}, axis = {0, 1}})\n"
         "impact('hit', plate, ball, {at = {0, 1}, plane = {0, 0}, normal = {0, 1}, restitution = "
         "0.5})\n"
         "simulate{ rtol = 1e-10 }\n",
         0.6);
    const double t = (-0.1 + sqrt(0.01 + 2 * 9.81)) / 9.81, P = 1.5 * (9.81 * t + 0.1);
    const dfl_switch_record *hit = record_of(&it, DFL_SWITCHED_IMPACT, 0);
    assert_near(hit->time, t, 1e-9);
    assert_near(impulse(&it, hit, "hit"), P, 1e-8);
    assert_near(impulse(&it, hit, "lift.drive"), P, 1e-8);
    forget(&it);
}

/* A node without mass follows the force on it: its speed jumps by 5/2 where that does, without
   impulse. */
static void a_direction_without_mass_has_no_kink(void **state)
{
    (void)state;
    told it;
    tell(&it,
         "local x, n = position('x', 'n') mass(x, 1)\n"
         "local pull = 2*(velocity(n) - velocity(x))\n"
         "force(x, pull)\n"
         "force(n, -pull - n + select(time - 1, 5, 0))\n"
         "initial{ x = 0, n = 0, ['der(x)'] = 0 }\n",
         2);
    assert_int_equal(it.summary.nswitches, 1);
    const dfl_switch_record *step = record_of(&it, DFL_SWITCHED_BRANCH, 0);
    assert_near(step->time, 1, 0);
    assert_int_equal(step->nimpulses, 0);
    assert_true(isnan(step->energy_change));
    forget(&it);
}

/* Locks at 60/11 s and slips from 12 s on, without any impulse. */
static void modes_of_a_clutch(void **state)
{
    (void)state;
    static const double times[] = {0, 60.0 / 11, 12};
    static const int states[] = {DFL_TOUCHING_SLIPS, DFL_TOUCHING_STICKS, DFL_TOUCHING_SLIPS};
    told it;
    tell(&it,
         "local a, b = position('a', 'b') mass(a, 2) mass(b, 3)\n"
         "force(a, 40) force(b, -10 - 20*max(0, time - 8))\n"
         "friction('clutch', a - b, { load = 50, coefficient = 1, static = 1.2 })\n"
         "initial{ a = 0, b = 0, ['der(a)'] = 100, ['der(b)'] = 0 } simulate{ rtol = 1e-8 }\n",
         13);
    for (int k = 0; k < 3; k++) {
        const dfl_switch_record *mode = record_of(&it, DFL_SWITCHED_MODE, k);
        assert_near(mode->time, times[k], 1e-6);
        assert_int_equal(mode->state, states[k]);
        assert_int_equal(mode->nimpulses, 0);
        assert_string_equal(it.sim.switched.names[mode->name], "clutch");
    }
    const dfl_switch_record *load = record_of(&it, DFL_SWITCHED_BRANCH, 0);
    assert_near(load->time, 8, 0);
    assert_string_equal(it.sim.switched.names[load->name], "time - 8 in force, line 2");
    forget(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bouncing_ball),
        cmocka_unit_test(a_constraint_answers_to_an_impulse),
        cmocka_unit_test(a_row_that_is_switched_on),
        cmocka_unit_test(an_impact_through_constraints),
        cmocka_unit_test(every_impact_of_an_instant_has_its_energy),
        cmocka_unit_test(a_kink_of_a_motion),
        cmocka_unit_test(a_drive_alone_has_an_impulse),
        cmocka_unit_test(a_motion_has_the_impulses_of_a_drive),
        cmocka_unit_test(a_drive_answers_to_an_impact),
        cmocka_unit_test(a_direction_without_mass_has_no_kink),
        cmocka_unit_test(modes_of_a_clutch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
