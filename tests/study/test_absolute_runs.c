/* Mechanisms with absolute coordinates and sparse matrices move as with joint coordinates and dense
   ones, and show the same variables. */
#include "../scripted.h"

#include "result/result.h"

static scripted prepare(scripted s, bool absolute)
{
    scripted_expect(&s, dfl_equations_create(&s.eq, s.model, true));
    scripted_expect(&s, absolute ? dfl_runnable_create_packed(&s.run, s.eq)
                                 : dfl_runnable_create(&s.run, s.eq));
    s.x = dfl_alloc(s.ctx, (size_t)s.eq->n, sizeof *s.x);
    return s;
}

static scripted load_example(const char *name, bool absolute)
{
    char path[500];
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.dynamics = absolute ? DFL_DYNAMICS_ABSOLUTE
                                                             : DFL_DYNAMICS_EXPRESSIONS};
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, name);
    scripted_expect(&s, dfl_script_load(&s.model, s.ctx, path, &options));
    return prepare(s, absolute);
}

static scripted load_text(const char *text, bool absolute)
{
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.dynamics = absolute ? DFL_DYNAMICS_ABSOLUTE
                                                             : DFL_DYNAMICS_EXPRESSIONS};
    scripted_expect(
        &s, dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), &options));
    return prepare(s, absolute);
}

/* Runs both to `to`: the columns of both have the same names, and agree, with the outputs and
   without multipliers unless they are `determined`, to `close` of the largest of their kind.
   Matrices are factored without pivots unless `pivots`. */
static void compare(scripted *joints, scripted *absolute, double to, double close, bool determined,
                    bool pivots)
{
    scripted *const both[] = {joints, absolute};
    dfl_columns columns[2];
    double *outputs[2], largest[16] = {0};
    const char *kinds[16] = {0};
    for (int k = 0; k < 2; k++) {
        scripted_start(both[k], &(dfl_solver_options){.rtol = 1e-9});
        scripted_advance(both[k], to);
        scripted_expect(both[k], dfl_columns_create(&columns[k], both[k]->eq));
        outputs[k] = dfl_alloc(both[k]->ctx, (size_t)columns[k].m + 1, sizeof(double));
        dfl_runnable_outputs(outputs[k], both[k]->run, to, both[k]->x);
    }
    assert_true(pivots == (dfl_solver_statistics(absolute->solver).pivoted > 0));
    assert_int_equal(columns[0].n, columns[1].n);
    assert_true(absolute->eq->n > joints->eq->n);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < columns[0].n; i++) {
            int kind = 0;
            while (kinds[kind] && strcmp(kinds[kind], columns[0].kinds[i]) != 0)
                kind++;
            kinds[kind] = columns[0].kinds[i];
            const double a = joints->x[columns[0].place[i]], b = absolute->x[columns[1].place[i]];
            largest[kind] = fmax(largest[kind], fabs(a));
            assert_string_equal(columns[0].names[i], columns[1].names[i]);
            if (pass == 1 && (determined || strcmp(kinds[kind], "multiplier") != 0) &&
                !(fabs(a - b) <= close * fmax(largest[kind], 1e-3)))
                fail_msg("%s: %.15g and %.15g", columns[0].names[i], a, b);
        }
    double most = 1;
    for (int i = 0; i < columns[0].m; i++)
        most = fmax(most, fabs(outputs[0][i]));
    for (int i = 0; i < columns[0].m; i++)
        if (!(fabs(outputs[0][i] - outputs[1][i]) <= close * most))
            fail_msg("output %d: %.15g and %.15g", i, outputs[0][i], outputs[1][i]);
    for (int k = 0; k < 2; k++) {
        dfl_columns_clear(&columns[k], both[k]->ctx);
        dfl_free(both[k]->ctx, outputs[k]);
        scripted_free(both[k]);
    }
}

/* In the plane and in space, with loops, springs, motors, gears, reactions, bodies without inertia.
 */
static void examples_move_alike(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double to;
        bool redundant, pivots;
    } example[] = {{"andrews-bodies", 0.01, false, false},
                   {"bricard", 1, true, false},
                   {"flyball", 0.5, false, true},
                   {"four-bar-bodies", 1, false, false},
                   {"slider-crank-bodies", 1, false, false},
                   {"suspension", 0.5, false, true},
                   {"truck", 0.5, false, false}};
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        scripted joints = load_example(example[i].name, false);
        scripted absolute = load_example(example[i].name, true);
        print_message("%s\n", example[i].name);
        compare(&joints, &absolute, example[i].to, 1e-6, !example[i].redundant, example[i].pivots);
    }
}

/* A chain of two bodies with each kind of joint between them; axes that no axis of coordinates is.
 */
static void all_joints_move_alike(void **state)
{
    (void)state;
    static const char *const joint[] = {
        "revolute('j', a, b, {at = {1, 0, 0}, axis = {1, 2, 2}}) "
        "initial{['j.q'] = 0.4, ['der(j.q)'] = 1}\n",
        "prismatic('j', a, b, {at = {1, 0, 0}, axis = {1, 2, 2}}) "
        "initial{['j.q'] = 0.4, ['der(j.q)'] = 1}\n",
        "screw('j', a, b, {at = {1, 0, 0}, axis = {1, 2, 2}, lead = 0.3}) "
        "initial{['j.q'] = 0.4, ['der(j.q)'] = 1}\n",
        "cylindrical('j', a, b, {at = {1, 0, 0}, axis = {1, 2, 2}}) initial{['j.q1'] = 0.4}\n",
        "universal('j', a, b, {at = {1, 0, 0}, axis = {1, 2, 2}, axis2 = {0, 1, -1}}) "
        "initial{['j.q1'] = 0.4, ['der(j.q2)'] = 2}\n",
        "planar_joint('j', a, b, {at = {1, 0, 0}, axis = {1, 2, 2}}) initial{['j.q3'] = 0.4}\n",
        "translation('j', a, b) initial{['der(j.q2)'] = 0.4}\n",
        "revolute('j', a, b, {at = {1, 0, 0}, axis = {1, 2, 2}, motion = sin(3*time)})\n",
        "spherical('j', a, b, {at = {1, 0, 0}}) initial{['j.w1'] = 1, ['j.w3'] = 0.5}\n",
        "free('j', a, b, {at = {1, 0, 0}}) initial{['j.w1'] = 1, ['j.v2'] = 0.5}\n",
        "joint('j', a, b, {at = {1, 0, 0}, coordinates = {'u', 'w'}, "
        "pose = function(u, w) return {u, u*w, 0}, {axis = {0, 0, 1}, angle = u + w} end})\n"};
    for (size_t i = 0; i < sizeof joint / sizeof *joint; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "gravity{0, -9.81, 3}\n"
                 "local a = body('a', {mass = 2, com = {0.5, 0.1, 0}, inertia = {0.1, 0.3, 0.4}})\n"
                 "local b = body('b', {mass = 1, com = {1.5, 0, 0.2}, inertia = {0.1, 0.2, 0.2}})\n"
                 "local base = revolute('base', ground, a, {at = {0, 0, 0}, axis = {0, 1, 3}})\n"
                 "%s"
                 "initial{['base.q'] = 0.3, ['der(base.q)'] = 0.5}\n"
                 "spring('s', ground, b, {from = {1, 1, 1}, to = {2, 0, 0}, stiffness = 5, "
                 "damping = 0.5, length = 0.5})\n"
                 "output('tip', point(b, {2, 0, 0}), 'position', 'velocity', 'acceleration')\n"
                 "output('turn', acceleration(base.q))\n",
                 joint[i]);
        print_message("%s", joint[i]);
        scripted joints = load_text(text, false), absolute = load_text(text, true);
        compare(&joints, &absolute, 0.5, 1e-6, true, false);
    }
}

/* Springs and dampers in hinges, which act on velocities without mass; strong dampers, which need a
   second pass; couplings of joints; a spinning body, whose matrix is not symmetric. */
static void forces_in_joints_act_alike(void **state)
{
    (void)state;
    static const char *const text[] = {
        "planar() gravity{0, -9.81} local last, before = ground, nil\n"
        "for i = 1, 6 do local b = body('b' .. i, {mass = 1, com = {i - 0.5, 0}, inertia = 1/12})\n"
        "  local j = revolute('j' .. i, last, b, {at = {i - 1, 0}})\n"
        "  torsion('t' .. i, j, {stiffness = 20, damping = 0.1*10^(i - 2)})\n"
        "  if i > 1 then spring('s' .. i, ground, b, {from = {i, 1}, to = {i, 0}, stiffness = 3,\n"
        "    damping = 40}) end\n"
        "  last = b end\n",
        "planar() gravity{0, -9.81} local last, first = ground, nil\n"
        "for i = 1, 4 do local b = body('b' .. i, {mass = 1, com = {i - 0.5, 0}, inertia = 1/12})\n"
        "  local j = revolute('j' .. i, last, b, {at = {i - 1, 0}})\n"
        "  if i == 2 then first = j elseif i == 4 then "
        "constraint('gear', j.q - 2*first.q) end\n"
        "  last = b end\n",
        "gravity{0, 0, -9.81}\n"
        "local fork = body('fork', {mass = 1, com = {0, 0, 1}, inertia = {0.1, 0.1, 0.05}})\n"
        "local wheel = body('wheel', {mass = 2, com = {0.5, 0, 1}, inertia = {0.5, 0.25, 0.25}})\n"
        "revolute('mast', ground, fork, {at = {0, 0, 0}, axis = {0, 0.6, 0.8}})\n"
        "revolute('axle', fork, wheel, {at = {0.5, 0, 1}, axis = {1, 0, 0}})\n"
        "initial{['der(axle.q)'] = 30}\n"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        scripted joints = load_text(text[i], false), absolute = load_text(text[i], true);
        print_message("model %d\n", (int)i);
        compare(&joints, &absolute, 0.3, 1e-6, true, false);
    }
}

/* A hinge that locks where it is straight, opens again, and another that brakes: velocities jump by
   momenta. */
static void rows_are_switched_alike(void **state)
{
    (void)state;
    for (int brake = 0; brake < 2; brake++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "planar() gravity{0, -9.81} local last, joint = ground, {}\n"
                 "for i = 1, 4 do local b = body('b' .. i, {mass = 1, com = {i - 0.5, 0}, "
                 "inertia = 1/12})\n"
                 "  joint[i] = revolute('j' .. i, last, b, {at = {i - 1, 0}}) last = b end\n"
                 "local locked, braked = discrete('locked', 0), discrete('braked', 0)\n"
                 "local armed = discrete('armed', 1)\n"
                 "constraint('lock', joint[3].q, {active = locked})\n"
                 "event('locks', joint[3].q, {direction = 'rising', set = {[locked] = armed}})\n"
                 "%s"
                 "event('opens', time - 0.8, {set = {[locked] = 0, [armed] = 0}})\n",
                 brake ? "nonholonomic('brake', joint[4].qd, {active = braked})\n"
                         "event('brakes', time - 0.6, {set = {[braked] = 1}})\n"
                       : "");
        scripted joints = load_text(text, false), absolute = load_text(text, true);
        compare(&joints, &absolute, 0.9, 1e-6, true, brake);
    }
}

/* 200 hinged bodies: rows hold on all levels, and energy is conserved. */
static void a_long_chain_does_not_drift(void **state)
{
    (void)state;
    scripted s = load_text("planar() gravity{0, -9.81}\n"
                           "local last = ground\n"
                           "for i = 1, 200 do\n"
                           "  local b = body('b' .. i, {mass = 1, com = {i - 0.5, 0}, "
                           "inertia = 1/12})\n"
                           "  revolute('j' .. i, last, b, {at = {i - 1, 0}})\n"
                           "  last = b\n"
                           "end\n",
                           true);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-7});
    const double energy = dfl_runnable_energy(s.run, 0, s.x);
    scripted_advance(&s, 0.3);
    const dfl_residuals residuals = dfl_solver_residuals(s.solver);
    assert_true(residuals.position < 1e-8 && residuals.velocity < 1e-6);
    assert_true(fabs(dfl_runnable_energy(s.run, 0.3, s.x) - energy) < 1e-6 * 200 * 9.81);
    scripted_free(&s);
}

static int places_of(const char *text)
{
    dfl_model *model = NULL;
    dfl_context *ctx = dfl_context_create();
    const dfl_script_options options = {.dynamics = DFL_DYNAMICS_CHEAPEST};
    if (dfl_script_load_text(&model, ctx, "test.lua", text, strlen(text), &options))
        fail_msg("%s", dfl_message(ctx));
    const int count = model->places.count;
    dfl_model_free(model);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
    return count;
}

/* Few bodies keep joint coordinates, many get absolute ones, unless the script wants something else
   or has what sparse matrices cannot serve. */
static void coordinates_are_chosen(void **state)
{
    (void)state;
    static const struct {
        int bodies;
        const char *more;
        int expected;
    } chain[] = {{20, "", 0},
                 {300, "", 300},
                 {600, "", 600},
                 {600, "local x = position('x') kinetic(velocity(x)^2) invariant('E', x)\n", 600},
                 {300, "simulate{to = 1, form = 'partition'}\n", 0},
                 {300, "simulate{to = 1, linear = 'dense'}\n", 0},
                 {20, "simulate{to = 1, linear = 'sparse'}\n", 20}};
    for (size_t i = 0; i < sizeof chain / sizeof *chain; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "planar() gravity{0, -9.81}\n"
                 "local last = ground\n"
                 "for i = 1, %d do\n"
                 "  local b = body('b' .. i, {mass = 1, com = {i - 0.5, 0}, inertia = 1/12})\n"
                 "  revolute('j' .. i, last, b, {at = {i - 1, 0}})\n"
                 "  last = b\n"
                 "end\n%s",
                 chain[i].bodies, chain[i].more);
        assert_int_equal(places_of(text), chain[i].expected);
    }
}

static scripted load_many(const char *example, const char *count, const char *more)
{
    const char *const sets[] = {count, more};
    char path[500];
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {
        .dynamics = DFL_DYNAMICS_ABSOLUTE, .set = sets, .nset = more ? 2 : 1};
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, example);
    scripted_expect(&s, dfl_script_load(&s.model, s.ctx, path, &options));
    return prepare(s, true);
}

/* Absolute coordinates that are zero but for rounding have the sizes of others. */
static void many_loops_start(void **state)
{
    (void)state;
    scripted s = load_many("four-bar-bodies", "N=35", NULL);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
    scripted_advance(&s, 0.01);
    assert_true(dfl_solver_statistics(s.solver).rejected_newton == 0);
    scripted_free(&s);
}

/* Rows of long trains are nearly dependent: steps are not refused as passages of singular
   positions. */
static void long_trains_take_long_steps(void **state)
{
    (void)state;
    long steps[2];
    for (int k = 0; k < 2; k++) {
        scripted s = load_many("train", k == 0 ? "N=5" : "N=80", NULL);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
        scripted_advance(&s, 3);
        steps[k] = dfl_solver_statistics(s.solver).attempts;
        assert_true(5 * dfl_solver_statistics(s.solver).rejected_newton < steps[k]);
        scripted_free(&s);
    }
    assert_true(steps[1] < 2 * steps[0]);
}

/* Dividing the way of a step hides no passage: bars that go round stop where they lie on a line. */
static void singular_positions_are_not_passed(void **state)
{
    (void)state;
    static const char *const count[] = {"N=2", "N=12", "N=30"};
    for (int k = 0; k < 3; k++) {
        scripted s = load_many("four-bar-bodies", count[k], "turn=12");
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
        const dfl_status status = dfl_solver_advance(s.solver, 1);
        assert_true(status == DFL_SINGULAR || status == DFL_RANK_CHANGED);
        assert_true(fabs(dfl_solver_time(s.solver) - 0.0485) < 2e-3);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_move_alike),
        cmocka_unit_test(all_joints_move_alike),
        cmocka_unit_test(forces_in_joints_act_alike),
        cmocka_unit_test(rows_are_switched_alike),
        cmocka_unit_test(a_long_chain_does_not_drift),
        cmocka_unit_test(coordinates_are_chosen),
        cmocka_unit_test(many_loops_start),
        cmocka_unit_test(long_trains_take_long_steps),
        cmocka_unit_test(singular_positions_are_not_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
