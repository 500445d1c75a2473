/* Loops are closed from rough guesses, not mirrored, and a message says what stays open and why. */
#include "script/scripts.h"
#include "scripted.h"

#include "study/study.h"

#include <math.h>

/* A four-bar linkage in the plane, crank 1, coupler 2, rocker 2.5, frame 3, drawn stretched along
   x: nothing of the drawing fits. */
#define LINKAGE                                                                                    \
    "planar()\n"                                                                                   \
    "local a = body('a', { mass = 1, inertia = 0.1, com = {0.5, 0} })\n"                           \
    "local b = body('b', { mass = 1, inertia = 0.1, com = {2, 0} })\n"                             \
    "local c = body('c', { mass = 1, inertia = 0.1, com = {4, 0} })\n"                             \
    "local j1 = revolute('j1', ground, a, { at = {0, 0} })\n"                                      \
    "local j2 = revolute('j2', a, b, { at = {1, 0} })\n"                                           \
    "local j3 = revolute('j3', b, c, { at = {3, 0} })\n"                                           \
    "local j4 = revolute('j4', c, ground, { at = {5.5, 0}, at_b = {3, 0} })\n"

static void a_linkage_closes_from_guesses_all_over_the_place(void **state)
{
    (void)state;
    for (int i = -3; i <= 3; i++)
        for (int k = -3; k <= 3; k++) {
            char text[1200];
            snprintf(text, sizeof text,
                     LINKAGE "initial{ [j1.q] = 0.4 } guess{ [j2.q] = %d, [j3.q] = %d }\n", i, k);
            scripted s = scripted_text(text);
            scripted_start(&s, NULL);
            const double q1 = 0.4, q2 = q1 + scripted_value(&s, "j2.q"),
                         q3 = q2 + scripted_value(&s, "j3.q");
            assert_near(cos(q1) + 2 * cos(q2) + 2.5 * cos(q3), 3.0, 1e-10);
            assert_near(sin(q1) + 2 * sin(q2) + 2.5 * sin(q3), 0.0, 1e-10);
            assert_true(fabs(scripted_value(&s, "j2.q") - i) < 7 &&
                        fabs(scripted_value(&s, "j3.q") - k) < 7); /* no leap of many turns */
            scripted_free(&s);
        }
}

/* Crank 1 and rod 2, drawn stretched: pulled back by 1/2, the crank is at cos(q) = (1 + 2.5^2 -
   2^2) / (2 * 2.5). */
#define DEAD_CENTRE                                                                                \
    "planar()\n"                                                                                   \
    "local crank = body('crank', { mass = 1, inertia = 0.1, com = {0.5, 0} })\n"                   \
    "local rod = body('rod', { mass = 1, inertia = 0.1, com = {2, 0} })\n"                         \
    "local slider = body('slider', { mass = 1, com = {3, 0} })\n"                                  \
    "local a = revolute('a', ground, crank, { at = {0, 0} })\n"                                    \
    "local b = revolute('b', crank, rod, { at = {1, 0} })\n"                                       \
    "local s = prismatic('s', ground, slider, { at = {3, 0}, axis = {1, 0} })\n"                   \
    "revolute('d', rod, slider, { at = {3, 0} })\n"                                                \
    "initial{ [s.q] = -0.5 }\n"

static void keep(const char *text, void *user)
{
    snprintf(user, 400, "%s", text);
}

static void a_crank_drawn_at_its_dead_centre_is_assembled_and_the_choice_is_told(void **state)
{
    (void)state;
    const double angle = acos(0.65);
    char said[400] = "";
    scripted s = scripted_text(DEAD_CENTRE);
    scripted_start(&s, NULL);
    assert_near(fabs(scripted_value(&s, "a.q")), angle, 1e-10);
    scripted_expect(&s, dfl_study_advise(s.run, 0, s.x, s.chosen, keep, said));
    assert_non_null(strstr(said, "singular position"));
    assert_non_null(strstr(said, "a.q = "));
    scripted_free(&s);
    for (int sign = -1; sign <= 1; sign += 2) { /* a guess chooses, and nothing is told */
        scripted other = scripted_text(DEAD_CENTRE);
        said[0] = 0;
        scripted_give(&other, "a.q", 0.1 * sign, false);
        scripted_start(&other, NULL);
        assert_near(scripted_value(&other, "a.q"), sign * angle, 1e-10);
        scripted_expect(&other, dfl_study_advise(other.run, 0, other.x, other.chosen, keep, said));
        assert_string_equal(said, "");
        scripted_free(&other);
    }
}

static void a_linkage_drawn_stretched_and_too_long_closes_without_guesses(void **state)
{
    (void)state;
    scripted s = scripted_text(LINKAGE);
    scripted_start(&s, NULL);
    const double q1 = scripted_value(&s, "j1.q"), q2 = q1 + scripted_value(&s, "j2.q"),
                 q3 = q2 + scripted_value(&s, "j3.q");
    assert_near(cos(q1) + 2 * cos(q2) + 2.5 * cos(q3), 3.0, 1e-10);
    assert_near(sin(q1) + 2 * sin(q2) + 2.5 * sin(q3), 0.0, 1e-10);
    scripted_free(&s);
}

/* Four bars that lie on one line and fit there: from a parallelogram two motions branch; with 1 + 2
   + 1 = 4 there is no other position at all. */
static void a_linkage_that_is_drawn_flat_says_what_to_set(void **state)
{
    (void)state;
    static const char *const said[] = {"hold or guess another a.q, b.q, c.q",
                                       "nothing near it satisfies them"};
    for (int k = 0; k < 2; k++) {
        dfl_status status;
        char text[800];
        snprintf(text, sizeof text,
                 "planar()\n"
                 "local x = body('x', { mass = 1, inertia = 0.1, com = {0.5, 0} })\n"
                 "local y = body('y', { mass = 1, inertia = 0.1, com = {2, 0} })\n"
                 "local z = body('z', { mass = 1, inertia = 0.1, com = {2.5, 0} })\n"
                 "revolute('a', ground, x, { at = {0, 0} })\n"
                 "revolute('b', x, y, { at = {1, 0} })\n"
                 "revolute('c', ground, z, { at = {%d, 0} })\n"
                 "revolute('d', y, z, { at = {3, 0} })\n",
                 k == 0 ? 2 : 4);
        scripted s = scripted_try(&status, text);
        scripted_expect(&s, status);
        assert_int_equal(scripted_try_start(&s, NULL), DFL_SINGULAR);
        assert_non_null(strstr(dfl_message(s.ctx), "the start at t = 0 is a singular position"));
        if (!strstr(dfl_message(s.ctx), said[k]))
            fail_msg("%s", dfl_message(s.ctx));
        scripted_free(&s);
    }
}

/* The slider of a crank may not be turned over, although the rows of its guide allow it. */
static void a_slider_is_not_assembled_upside_down(void **state)
{
    (void)state;
    for (int k = 0; k < 9; k++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "planar()\n"
                 "local a = body('a', { mass = 1, inertia = 0.1, com = {0.5, 0} })\n"
                 "local b = body('b', { mass = 1, inertia = 0.1, com = {2, 0} })\n"
                 "local c = body('c', { mass = 1, inertia = 0.1, com = {3, 0} })\n"
                 "local j1 = revolute('j1', ground, a, { at = {0, 0} })\n"
                 "local j2 = revolute('j2', a, b, { at = {1, 0} })\n"
                 "local j3 = revolute('j3', b, c, { at = {3, 0} })\n"
                 "prismatic('guide', ground, c, { at = {3, 0}, axis = {1, 0} })\n"
                 "initial{ [j1.q] = 0.7 } guess{ [j2.q] = -1, [j3.q] = %.1f }\n",
                 0.5 + 0.5 * k);
        scripted s = scripted_text(text);
        scripted_start(&s, NULL);
        const double turn =
            0.7 + scripted_value(&s, "j2.q") + scripted_value(&s, "j3.q"); /* of the slider */
        assert_near(cos(turn), 1.0, 1e-12);
        scripted_free(&s);
    }
}

/* In space: a slider-crank with a spherical joint, cut at the crank's bearing, which the first body
   reaches only after a long way. */
static void a_loop_in_space_closes_the_right_way_round(void **state)
{
    (void)state;
    for (int k = -2; k <= 3; k++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "local c = body('c', { mass = 1, inertia = {0.1, 0.1, 0.1}, com = {3, 0, 0} })\n"
            "local b = body('b', { mass = 1, inertia = {0.1, 0.1, 0.1}, com = {2, 0, 0} })\n"
            "local a = body('a', { mass = 1, inertia = {0.1, 0.1, 0.1}, com = {0.5, 0, 0} })\n"
            "local x = prismatic('x', ground, c, { at = {3, 0, 0}, axis = {1, 0, 0} })\n"
            "local u = universal('u', c, b, { at = {3, 0, 0}, axis = {0, 0, 1},"
            " axis2 = {0, 1, 0} })\n"
            "local s = spherical('s', b, a, { at = {1, 0, 0} })\n"
            "revolute('z', ground, a, { at = {0, 0, 0}, axis = {0, 0, 1} })\n"
            "output('axis', point(a, {0, 0, 1}).z - point(a, {0, 0, 0}).z)\n"
            "guess{ [u.q1] = %d, [u.q2] = %.1f, [s.q1] = %.1f, [s.q2] = 0.6, [s.q3] = %.1f }\n",
            k, 0.4 * k, 0.3 * k, 0.3 * k);
        scripted s = scripted_text(text);
        scripted_start(&s, NULL);
        assert_near(scripted_output(&s, "axis"), 1.0, 1e-10);
        scripted_free(&s);
    }
}

/* The crank's end is at most 4.5 from the rocker's bearing, which is 5 away. */
static void what_stays_open_is_named(void **state)
{
    (void)state;
    scripted s = scripted_text(LINKAGE "constraint('far', j1.q - 0.1)\n"
                                       "constraint('wide', j2.q - 0.1)\n"
                                       "constraint('flat', j3.q - 0.1)\n");
    assert_int_equal(scripted_try_start(&s, NULL), DFL_INCONSISTENT);
    assert_non_null(strstr(dfl_message(s.ctx), "on position level"));
    assert_non_null(strstr(dfl_message(s.ctx), "nothing near the guess satisfies all of them"));
    scripted_free(&s);
}

/* Held values: j1 = 0 and j2 = 0 stretch crank and coupler to 3; the rocker's end cannot be at its
   start. Letting j1 or j2 go helps. */
static void held_values_in_conflict_are_found(void **state)
{
    (void)state;
    scripted s = scripted_text(LINKAGE "initial{ [j1.q] = 0.3, [j2.q] = 0.2, [j3.q] = 2.0 }\n");
    assert_int_equal(scripted_try_start(&s, NULL), DFL_INCONSISTENT);
    assert_non_null(strstr(dfl_message(s.ctx), "j4."));
    assert_non_null(strstr(dfl_message(s.ctx), "held values in conflict: "));
    scripted_free(&s);
    s = scripted_text(LINKAGE "initial{ [j1.q] = 0.3, [j3.q] = 0.1 }\n");
    assert_int_equal(scripted_try_start(&s, NULL), DFL_INCONSISTENT);
    assert_non_null(strstr(dfl_message(s.ctx), "held values in conflict: j3.q"));
    assert_null(strstr(dfl_message(s.ctx), "conflict: j1.q"));
    scripted_free(&s);
}

/* ------------------------------------------------------------------ driftless check */

static dfl_diagnosis diagnose(scripted *s)
{
    dfl_diagnosis diagnosis;
    scripted_expect(s, dfl_diagnose(&diagnosis, s->run, NULL, 0.0));
    return diagnosis;
}

#define FOUR_BAR_IN_SPACE(third, fourth)                                                           \
    "local a = body('a', { mass = 1, inertia = {0.1, 0.1, 0.1}, com = {0, 0.5, 0} })\n"            \
    "local b = body('b', { mass = 1, inertia = {0.1, 0.1, 0.1}, com = {1, 1, 0} })\n"              \
    "local d = body('d', { mass = 1, inertia = {0.1, 0.1, 0.1}, com = {2, 0.5, 0} })\n"            \
    "local t, u = setting('tilt', 0.3), 0\n"                                                       \
    "local function P(x, y) return {x, cos(t)*y, sin(t)*y} end\n"                                  \
    "local z = {0, -sin(t), cos(t)}\n"                                                             \
    "revolute('j1', ground, a, { at = P(0, 0), axis = z })\n"                                      \
    "revolute('j2', a, b, { at = P(0, 1), axis = z })\n" third                                     \
    "('j3', b, d, { at = P(2, 1.2)" fourth " })\n"                                                 \
    "revolute('c', ground, d, { at = P(2, 0), axis = z })\n"

/* All axes are parallel: three of five rows of the cut say nothing. They contain coordinates, which
   cancel. */
static void rows_that_no_motion_changes_are_left_out(void **state)
{
    (void)state;
    scripted s = scripted_text(FOUR_BAR_IN_SPACE("revolute", ", axis = z"));
    assert_int_equal(s.eq->nl, 2);
    assert_int_equal(s.model->notes.count, 1);
    assert_non_null(strstr(s.model->notes.item[0],
                           "revolute 'c': 3 of 5 rows are left out, since no joint moves them"));
    dfl_diagnosis diagnosis = diagnose(&s);
    assert_int_equal(diagnosis.dof_by_rank, 1);
    assert_int_equal(diagnosis.nsets, 0);
    dfl_diagnosis_clear(&diagnosis);
    scripted_run(&s, 0.5, 1e-8);
    scripted_free(&s);
}

/* Bodies hang at (1, 0): the first without `com`, the second where it says, the third on a slide,
   the last at the origin. */
static void a_forgotten_centre_of_mass_is_noted(void **state)
{
    (void)state;
    scripted s = scripted_text("planar()\n"
                               "local a = body('a', { mass = 1, inertia = 1 })\n"
                               "local b = body('b', { mass = 1, inertia = 1, com = {0, 0} })\n"
                               "local c = body('c', { mass = 1 })\n"
                               "local d = body('d', { mass = 1, inertia = 1 })\n"
                               "revolute('ja', ground, a, { at = {1, 0} })\n"
                               "revolute('jb', ground, b, { at = {1, 0} })\n"
                               "prismatic('jc', ground, c, { at = {1, 0}, axis = {1, 0} })\n"
                               "revolute('jd', ground, d, { at = {0, 0} })\n");
    assert_int_equal(s.model->notes.count, 1);
    assert_non_null(strstr(s.model->notes.item[0], "body 'a' has mass but no com"));
    scripted_free(&s);
}

/* With a spherical joint in the loop one row of the cut is redundant, and another cut is better. */
static void redundant_rows_are_named_by_joint_and_another_cut_is_advised(void **state)
{
    (void)state;
    scripted s = scripted_text(FOUR_BAR_IN_SPACE("spherical", ""));
    dfl_diagnosis diagnosis = diagnose(&s);
    dfl_redundant_joint joint = {0};
    int found = 0;
    for (int row = 0; row < s.eq->nl; row++)
        found += dfl_redundant_joint_of(&joint, s.eq, &diagnosis, row);
    assert_int_equal(found, 1);
    assert_int_equal(joint.length, 1);
    assert_true(joint.name[0] == 'c' && joint.count == 1 && joint.of == 5);
    assert_int_equal(diagnosis.dof_by_rank, 1);
    assert_int_equal(s.model->notes.count, 1);
    assert_non_null(strstr(s.model->notes.item[0],
                           "the loop through 'c' (revolute, 5 rows) would have 3 rows if 'j3' "
                           "(spherical) closed it"));
    dfl_diagnosis_clear(&diagnosis);
    scripted_free(&s);
}

static void contradictions_are_not_called_redundant(void **state)
{
    (void)state;
    scripted s = scripted_text("planar()\n"
                               "local a = body('a', { mass = 1, inertia = 0.1 })\n"
                               "local j = revolute('j', ground, a, { at = {0, 0} })\n"
                               "coupling('one', j.q - 0.1)\n"
                               "coupling('two', 2*j.q - 0.6)\n");
    dfl_diagnosis diagnosis = diagnose(&s);
    assert_int_equal(diagnosis.start, DFL_INCONSISTENT);
    assert_int_equal(diagnosis.nsets, 1);
    assert_near(diagnosis.sets[0].contradiction, 0.4, 1e-12); /* of two - 2 one */
    dfl_diagnosis_clear(&diagnosis);
    scripted_free(&s);
}

/* Everything that closes a mechanism, with every allocation failing in turn. */
static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    static const char text[] =
        "local a = body('a', { mass = 1, inertia = {1, 1, 1} })\n"
        "local b = body('b', { mass = 1, inertia = {1, 1, 1} })\n"
        "local u = joint('u', ground, a, { at = {0, 0, 0}, coordinates = {'p', 's'},\n"
        "  pose = function(p, s) return {0, 0, s}, { axis = {0, 0, 1}, angle = p } end })\n"
        "local r = cylindrical('r', a, b, { at = {1, 0, 0}, axis = {0, 0, 1} })\n"
        "screw('t', ground, b, { at = {1, 0, 0}, axis = {0, 0, 1}, lead = 0.1 })\n"
        "contact_curves('c', b, ground, { at = {2, 0, 0}, start = {0},\n"
        "  curve_b = function(s) return s, s^2, 0 end })\n"
        "knife_edge('k', b, { at = {1, 0, 0}, lateral = {0, 1, 0} })\n";
    assert_survives_failed_allocations(text, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linkage_closes_from_guesses_all_over_the_place),
        cmocka_unit_test(a_crank_drawn_at_its_dead_centre_is_assembled_and_the_choice_is_told),
        cmocka_unit_test(a_linkage_drawn_stretched_and_too_long_closes_without_guesses),
        cmocka_unit_test(a_linkage_that_is_drawn_flat_says_what_to_set),
        cmocka_unit_test(a_slider_is_not_assembled_upside_down),
        cmocka_unit_test(a_loop_in_space_closes_the_right_way_round),
        cmocka_unit_test(what_stays_open_is_named),
        cmocka_unit_test(held_values_in_conflict_are_found),
        cmocka_unit_test(rows_that_no_motion_changes_are_left_out),
        cmocka_unit_test(a_forgotten_centre_of_mass_is_noted),
        cmocka_unit_test(redundant_rows_are_named_by_joint_and_another_cut_is_advised),
        cmocka_unit_test(contradictions_are_not_called_redundant),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
