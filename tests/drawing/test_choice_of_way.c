/* Which mechanisms are left to recursions: those that can be, if they are deep enough or if it is
   asked for. */
#include "two_ways.h"

#include "study/study.h"

/* What recursions cannot do is done by expressions, and said. */
static void expressions_stand_in_for_recursions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {MASSLESS "mass(j.q, 2)\n", "masses other than those of bodies"},
        {MASSLESS "local r = constraint('r', j.q + h.q^2)\n"
                  "force(h.q, -0.1*multiplier(r)*velocity(h.q))\n",
         "forces contain multipliers"},
        {"local a = body('a', {mass = 1, inertia = {1, 1, 1}})\n"
         "local b = body('b', {quasistatic = true})\n"
         "local j = revolute('j', ground, a, {at = {0, 0, 0}, axis = {0, 0, 1}})\n"
         "local h = revolute('h', a, b, {at = {0, 0, 0}, axis = {0, 1, 0}})\n"
         "torsion('t', h, {stiffness = 3})\n",
         "quasistatic bodies"},
        {PLANE "local x = position('x') mass(x, 2)\n", "coordinates other than those of joints"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scripted s = load(cases[i].text, DFL_DYNAMICS_RECURSION, NULL);
        assert_null(s.model->tree);
        assert_non_null(strstr(s.model->no_tree, cases[i].why));
        assert_non_null(strstr(s.model->notes.item[s.model->notes.count - 1], cases[i].why));
        scripted_free(&s);
    }
}

/* Coordinates that follow energy() cannot have mass: that is said. */
static void later_coordinates_are_refused(void **state)
{
    (void)state;
    static const char text[] = PLANE "output('E', energy())\n"
                                     "local x = position('x') force(x, -velocity(x))\n";
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.dynamics = DFL_DYNAMICS_RECURSION};
    scripted_expect(
        &s, dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), &options));
    assert_int_equal(scripted_prepare(&s), DFL_INVALID);
    assert_non_null(strstr(dfl_message(s.ctx), "choose the evaluation 'tape'"));
    scripted_free(&s);
}

/* Its masses fall with the third power of its length, and are no less masses. */
static void a_long_chain_is_determined(void **state)
{
    (void)state;
    static const char chain[] = "planar() gravity{0, -9.81}\n local before = ground\n"
                                "for i = 1, 200 do\n"
                                "  local b = body('b' .. i, {mass = 1, com = {i - 0.5, 0},\n"
                                "    inertia = 1/12})\n"
                                "  revolute('j' .. i, before, b, {at = {i - 1, 0}})\n"
                                "  before = b\n"
                                "end\n";
    scripted s = load(chain, DFL_DYNAMICS_AUTO, NULL);
    dfl_diagnosis diagnosis;
    scripted_expect(&s, dfl_diagnose(&diagnosis, s.run, NULL, 0.0));
    assert_int_equal(diagnosis.ndirections, 0);
    assert_int_equal(diagnosis.dof_by_rank, 200);
    assert_int_equal(diagnosis.start, DFL_OK);
    dfl_diagnosis_clear(&diagnosis);
    scripted_free(&s);
}

/* What was chosen for a mechanism. */
static bool left_to_recursion(const char *text, dfl_dynamics dynamics, const char *set)
{
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.dynamics = dynamics, .nset = 1, .set = &set};
    scripted_expect(
        &s, dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), &options));
    const bool recursion = s.model->tree != NULL;
    scripted_free(&s);
    return recursion;
}

/* Slides have constant masses, and a slide on a hinge not. */
static void recursions_know_constant_masses(void **state)
{
    (void)state;
    static const char text[] =
        "local c, kind = param('c', 0), setting('kind', 1)\n"
        "local a = body('a', {mass = param('m', 2), com = {c, 0, 0}, inertia = {1, 1, 1}})\n"
        "local b = body('b', {mass = 1, com = {1 + c, 0, 0}, inertia = {1, 1, 1}})\n"
        "local first = kind == 1 and prismatic or revolute\n"
        "local j = first('j', ground, a, {at = {0, 0, 0}, axis = {0, 0, 1}})\n"
        "prismatic('k', kind == 3 and ground or a, b, {at = {1, 0, 0}, axis = {1, 1, 0}})\n"
        "spring('s', ground, b, {from = {-1, 0, 0}, to = {1, 0, 0}, stiffness = 10})\n"
        "initial{[velocity(j.q)] = 1}\n";
    const char *const kinds[] = {"kind=1", "kind=2", "kind=3"};
    for (int k = 0; k < 3; k++) {
        double end[2];
        for (int way = 0; way < 2; way++) {
            scripted s =
                load(text, way == 0 ? DFL_DYNAMICS_RECURSION : DFL_DYNAMICS_EXPRESSIONS, kinds[k]);
            if (way == 0) /* a hinge alone has a constant moment of inertia */
                assert_int_equal(s.eq->flags.mass_constant, k == 0 || k == 2);
            scripted_start(&s, &(dfl_solver_options){.rtol = 1e-9});
            scripted_advance(&s, 2);
            end[way] = scripted_value(&s, "j.q");
            scripted_free(&s);
        }
        assert_near(end[0], end[1], 1e-7);
    }
}

/* Deep mechanisms are evaluated by recursion unless they are told otherwise; sizes far from those
   at which both ways take the same time. */
static void deep_mechanisms_are_left_to_recursions(void **state)
{
    (void)state;
    static const char chain[] =
        "local before, n = ground, setting('n', 40) -- negative: in the plane\n"
        "for i = 1, n > 0 and n or -n do\n"
        "  local b = body('b' .. i, {mass = 1, com = {i, 0, 0}, inertia = {1, 1, 1}})\n"
        "  local axis = (n < 0 or i%2 == 0) and {0, 0, 1} or {0, 1, 0}\n"
        "  revolute('j' .. i, before, b, {at = {i - 1, 0, 0}, axis = axis})\n"
        "  before = b\n"
        "end\n";
    assert_false(left_to_recursion(chain, DFL_DYNAMICS_AUTO, "n=-5"));
    assert_true(left_to_recursion(chain, DFL_DYNAMICS_AUTO, "n=-41"));
    assert_false(left_to_recursion(chain, DFL_DYNAMICS_AUTO, "n=2"));
    assert_true(left_to_recursion(chain, DFL_DYNAMICS_AUTO, "n=12"));
    assert_false(left_to_recursion(chain, DFL_DYNAMICS_EXPRESSIONS, "n=12"));
    assert_true(left_to_recursion(chain, DFL_DYNAMICS_RECURSION, "n=2"));
}

/* Expressions of many bodies stay short where few of them hang on each other, with loops or
   without. */
static void shallow_mechanisms_stay_expressions(void **state)
{
    (void)state;
    static const char comb[] =
        "local last, loops = nil, setting('loops', 1)\n"
        "for i = 1, 30 do\n"
        "  local a = body('a' .. i, {mass = 1, com = {i, -0.5, 0}, inertia = {1, 1, 1}})\n"
        "  local b = body('b' .. i, {mass = 1, com = {i, -1.5, 0}, inertia = {1, 1, 1}})\n"
        "  revolute('j' .. i, ground, a, {at = {i, 0, 0}, axis = {0, 0, 1}})\n"
        "  revolute('k' .. i, a, b, {at = {i, -1, 0}, axis = {0, 0, 1}})\n"
        "  if last and loops == 1 then\n"
        "    revolute('l' .. i, last, b, {at = {i, -2, 0}, axis = {0, 0, 1}})\n"
        "  end\n"
        "  last = a\n"
        "end\n";
    assert_false(left_to_recursion(comb, DFL_DYNAMICS_AUTO, "loops=0"));
    assert_false(left_to_recursion(comb, DFL_DYNAMICS_AUTO, "loops=1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_stand_in_for_recursions),
        cmocka_unit_test(later_coordinates_are_refused),
        cmocka_unit_test(a_long_chain_is_determined),
        cmocka_unit_test(recursions_know_constant_masses),
        cmocka_unit_test(deep_mechanisms_are_left_to_recursions),
        cmocka_unit_test(shallow_mechanisms_stay_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
