/* Mechanisms with every kind of loop through the solver: blocks and derivatives by its self-check,
   runs that need no differences, energy, and a screw over many turns. */
#include "failing.h"
#include "trees.h"

#include "multibody/multibody.h"

/* Two free bodies with a loop between them, closed in the drawing. */
typedef struct pair {
    dfl_rigid_body body[2];
    dfl_joint joint[2];
    dfl_loop loop;
    dfl_multibody_description description;
} pair;

static void make_pair(pair *two, dfl_joint_kind kind, bool planar, uint64_t *seed)
{
    memset(two, 0, sizeof *two);
    for (int i = 0; i < 2; i++) {
        random_inertia(&two->body[i], WHOLE, seed);
        two->body[i].name = two->joint[i].name = i ? "b" : "a";
        two->joint[i].kind = planar ? DFL_JOINT_PLANAR : DFL_JOINT_FREE;
        two->joint[i].parent = DFL_GROUND;
        two->joint[i].child = i;
        two->joint[i].axis[2] = 1.0;
        numbers(two->joint[i].at, 3, seed, 1.0);
    }
    two->loop = (dfl_loop){
        .name = "loop", .kind = kind, .a = 0, .b = 1, .lead = 0.3, .axis = {0.6, 0, 0.8}};
    numbers(two->loop.at, 3, seed, 1.0);
    two->loop.axis2[1] = 1.0;
    if (planar)
        two->loop.axis[kind == DFL_JOINT_REVOLUTE ? 0 : 2] = 0.0;
    if (kind == DFL_JOINT_DISTANCE) {
        two->loop.apart = true;
        two->loop.at_b[0] = 2.0;
    }
    two->description = (dfl_multibody_description){.nbodies = 2,
                                                   .njoints = 2,
                                                   .bodies = two->body,
                                                   .joints = two->joint,
                                                   .gravity = {0.5, -9.81, 0},
                                                   .planar = planar,
                                                   .nloops = 1};
    two->description.loops = &two->loop;
}

static dfl_multibody *new_mechanism(dfl_context *ctx, const dfl_multibody_description *d)
{
    dfl_multibody *m = NULL;
    if (dfl_multibody_create(&m, ctx, d))
        fail_msg("%s", dfl_message(ctx));
    return m;
}

/* The start is made consistent by the solver; energy is then that of the motion without its
   loss. */
static void every_loop_runs_without_differences(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    uint64_t seed = 7;
    for (int i = 0; i < 2 * DFL_JOINT_KINDS; i++) {
        const dfl_joint_kind kind = (dfl_joint_kind)(i / 2);
        const bool planar = i % 2;
        pair two;
        double x0[RUN_MOST] = {0}, e[2];
        if (dfl_joint_rows_of(kind, planar)->count == 0)
            continue;
        make_pair(&two, kind, planar, &seed);
        dfl_multibody *m = new_mechanism(ctx, &two.description);
        const dfl_eom *eom = eom_of(m);
        const int at_v = eom->nl, at_p = at_v + eom->nv;
        assert_non_null(eom->jacobian);
        numbers(x0 + at_v, eom->nv, &seed, 1.0);
        dfl_multibody_reference(x0 + at_p, m);
        dfl_tree *tree = new_tree(ctx, &two.description);
        dfl_solver_options options = {.rtol = 1e-9, .atol = 1e-9, .self_check = true};
        const run start = run_with(eom, 0, x0, 0, &options, NULL);
        assert_succeeded(&start);
        options.self_check = false;
        const run end = run_with(eom, 0, start.x, 0.5, &options, NULL);
        assert_succeeded(&end);
        assert_true(end.stats.accepted > 0);
        assert_int_equal(end.stats.difference_evaluations, 0);
        /* Newton's iteration ends at the tolerance: 1e-9 of positions and speeds of up to 5 */
        assert_true(end.stats.max_residual.position < 5e-9);
        assert_true(end.stats.max_residual.velocity < 1e-8);
        for (int k = 0; k < 2; k++)
            e[k] = tree_energy(tree, &two.description, (k ? end.x : start.x) + at_p,
                               (k ? end.x : start.x) + at_v);
        assert_near(e[1], e[0], 1e-6); /* some 10 J, tolerance 1e-9 over some 30 steps */
        dfl_tree_free(tree);
        dfl_multibody_free(m);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* A nut on a spindle under its own weight: (J + m h^2) phi'' = m g h; after 6 s it has turned 11
   times, and its row never saw a counter. */
static void a_nut_runs_down_its_spindle_over_many_turns(void **state)
{
    (void)state;
    const double mass = 2, J = 0.1, h = -0.02, g = 9.81, t_end = 6;
    const dfl_rigid_body nut = {.name = "nut", .mass = mass, .inertia = {0.1, 0.1, J}};
    const dfl_joint slide = {.name = "spindle",
                             .kind = DFL_JOINT_CYLINDRICAL,
                             .parent = DFL_GROUND,
                             .child = 0,
                             .axis = {0, 0, 1}};
    const dfl_loop thread = {.name = "thread",
                             .kind = DFL_JOINT_SCREW,
                             .a = DFL_GROUND,
                             .b = 0,
                             .axis = {0, 0, 1},
                             .lead = h};
    const dfl_multibody_description d = {.nbodies = 1,
                                         .njoints = 1,
                                         .bodies = &nut,
                                         .joints = &slide,
                                         .gravity = {0, 0, -g},
                                         .planar = false,
                                         .nloops = 1,
                                         .loops = &thread};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_mechanism(ctx, &d);
    const dfl_eom *eom = eom_of(m);
    const dfl_solver_options options = {.rtol = 1e-9, .atol = 1e-9};
    double x0[RUN_MOST] = {0};
    const run r = run_with(eom, 0, x0, t_end, &options, NULL);
    assert_succeeded(&r);
    const double phi = -0.5 * mass * g * h / (J + mass * h * h) * t_end * t_end;
    assert_true(phi > 11 * 2 * 3.14159265358979);
    assert_near(r.x[eom->nl + 2], phi, 1e-7);
    assert_near(r.x[eom->nl + 3], h * phi, 1e-8);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

static void a_screw_without_lead_is_refused(void **state)
{
    (void)state;
    uint64_t seed = 3;
    pair two;
    dfl_multibody *m = NULL;
    dfl_context *ctx = dfl_context_create();
    make_pair(&two, DFL_JOINT_SCREW, false, &seed);
    two.loop.lead = 0.0;
    assert_int_equal(dfl_multibody_create(&m, ctx, &two.description), DFL_INVALID);
    assert_non_null(strstr(dfl_message(ctx), "loop 'loop': a screw needs a lead"));
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* Slider, rod (1 m) and crank (0.5 m) in a chain whose end is pinned to the origin, without forces.
   Numbers of prototypes: the crank turns 26 times in 40 s, from 60 degrees to 167.1991 rad; forms
   of index 1 leave the pin by 5 mm in that time and by 0.3 m in 300 s. Here it is closed as in the
   first step. */
static void a_slider_crank_stays_closed_over_many_turns(void **state)
{
    (void)state;
    const dfl_rigid_body bodies[3] = {
        {.name = "slider", .mass = 1},
        {.name = "rod", .mass = 0.8, .com = {0.5, 0, 0}, .inertia = {0, 0, 0.8 / 12}},
        {.name = "crank", .mass = 0.6, .com = {1.25, 0, 0}, .inertia = {0, 0, 0.15 / 12}}};
    const dfl_joint joints[3] = {
        {.name = "x",
         .kind = DFL_JOINT_PRISMATIC,
         .parent = DFL_GROUND,
         .child = 0,
         .axis = {1, 0, 0}},
        {.name = "alpha", .kind = DFL_JOINT_REVOLUTE, .parent = 0, .child = 1, .axis = {0, 0, 1}},
        {.name = "beta",
         .kind = DFL_JOINT_REVOLUTE,
         .parent = 1,
         .child = 2,
         .at = {1, 0, 0},
         .axis = {0, 0, 1}}};
    const dfl_loop pin = {.name = "pin",
                          .kind = DFL_JOINT_REVOLUTE,
                          .a = DFL_GROUND,
                          .b = 2,
                          .apart = true,
                          .at_b = {1.5, 0, 0}};
    const dfl_multibody_description d = {.nbodies = 3,
                                         .njoints = 3,
                                         .bodies = bodies,
                                         .joints = joints,
                                         .gravity = {0},
                                         .planar = true,
                                         .nloops = 1,
                                         .loops = &pin};
    const double x0[8] = {0,
                          0,
                          -1.659326451738,
                          -0.832050294338,
                          3.832050294338,
                          1.151387818866,
                          2.693760256661,
                          1.495029948126};
    const double pi = 3.14159265358979;
    const dfl_solver_options options = {.rtol = 1e-9, .atol = 1e-9};
    dfl_context *ctx = dfl_context_create();
    dfl_multibody *m = new_mechanism(ctx, &d);
    const dfl_eom *eom = eom_of(m);
    const run r = run_with(eom, 0, x0, 40, &options, NULL);
    assert_succeeded(&r);
    assert_near(r.x[6] + r.x[7] - pi, 167.1991, 1e-4); /* all digits that are known */
    dfl_tree *tree = new_tree(ctx, &d);
    assert_near(tree_energy(tree, &d, r.x + 5, r.x + 2), 2.556201145253, 1e-6);
    const run longer = run_with(eom, 0, x0, 300, &options, NULL);
    assert_succeeded(&longer);
    assert_true(longer.stats.max_residual.position < 1e-11);
    assert_true(longer.stats.max_residual.velocity < 1e-9);
    assert_near(tree_energy(tree, &d, longer.x + 5, longer.x + 2), 2.556201145253, 1e-5);
    dfl_tree_free(tree);
    dfl_multibody_free(m);
    dfl_context_free(ctx);
}

/* Springs from a massless cross to the rest: several massless directions, some of which a loop
   holds, some not; every derivative is compared with differences by the self-check. */
static void loops_leave_massless_directions_with_derivatives(void **state)
{
    (void)state;
    const dfl_rigid_body bodies[3] = {{.name = "node"},
                                      {.name = "mass", .mass = 1, .inertia = {0.1, 0.2, 0.2}},
                                      {.name = "bob", .mass = 2, .com = {2, 0, -1}}};
    const dfl_joint joints[3] = {
        {.name = "node", .kind = DFL_JOINT_TRANSLATION, .parent = DFL_GROUND, .child = 0},
        {.name = "mass", .kind = DFL_JOINT_TRANSLATION, .parent = 0, .child = 1},
        {.name = "bob",
         .kind = DFL_JOINT_REVOLUTE,
         .parent = 1,
         .child = 2,
         .at = {2, 0, 0},
         .axis = {0.1, 1, 0}}};
    dfl_joint_spring springs[6];
    for (int i = 0; i < 6; i++)
        springs[i] = (dfl_joint_spring){i / 3, i % 3, 40 + 10 * i, 3 + i, 0.05 * i};
    const dfl_loop loops[2] = {
        {.name = "rod",
         .kind = DFL_JOINT_DISTANCE,
         .a = 2,
         .b = 0,
         .at = {2, 0, -1},
         .apart = true,
         .at_b = {0, 0.2, 0}},
        {.name = "sphere", .kind = DFL_JOINT_DISTANCE, .a = DFL_GROUND, .b = 0, .at = {0, 0, 1}}};
    dfl_loop far = loops[1];
    far.apart = true;
    const dfl_loop both[2] = {loops[0], far};
    dfl_context *ctx = dfl_context_create();
    for (int nloops = 1; nloops <= 2; nloops++) {
        const dfl_multibody_description d = {.nbodies = 3,
                                             .njoints = 3,
                                             .bodies = bodies,
                                             .joints = joints,
                                             .gravity = {0, 0, -9.81},
                                             .planar = false,
                                             .nloops = nloops,
                                             .loops = both,
                                             .nsprings = 6,
                                             .springs = springs};
        dfl_multibody *m = new_mechanism(ctx, &d);
        const dfl_eom *eom = eom_of(m);
        double x0[RUN_MOST] = {0};
        assert_int_equal(eom->n0, 3 - nloops);
        assert_non_null(eom->jacobian);
        dfl_solver_options options = {.rtol = 1e-8, .atol = 1e-8, .self_check = true};
        const run start = run_with(eom, 0, x0, 0.1, &options, NULL);
        assert_succeeded(&start);
        const run end = run_with(eom, 0, start.x, 0.2, &options, NULL); /* a check in motion */
        assert_succeeded(&end);
        options.self_check = false;
        const run plain = run_with(eom, 0, start.x, 0.2, &options, NULL);
        assert_int_equal(plain.stats.difference_evaluations, 0);
        dfl_multibody_free(m);
    }
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

static void creation_survives_every_failed_allocation(void **state)
{
    (void)state;
    const dfl_rigid_body bodies[2] = {{.name = "node"}, {.name = "mass", .mass = 1}};
    const dfl_joint joints[2] = {
        {.name = "node", .kind = DFL_JOINT_TRANSLATION, .parent = DFL_GROUND, .child = 0},
        {.name = "mass", .kind = DFL_JOINT_TRANSLATION, .parent = 0, .child = 1}};
    const dfl_loop rod = {.name = "rod",
                          .kind = DFL_JOINT_DISTANCE,
                          .a = DFL_GROUND,
                          .b = 0,
                          .at = {0, 0, 1},
                          .apart = true};
    const dfl_multibody_description d = {
        .nbodies = 2, .njoints = 2, .bodies = bodies, .joints = joints, .nloops = 1, .loops = &rod};
    dfl_context *ctx = dfl_context_create();
    dfl_status status;
    WHILE_ALLOCATIONS_FAIL(status, ctx) {
        dfl_multibody *m = NULL;
        status = dfl_multibody_create(&m, ctx, &d);
        dfl_multibody_free(m);
    }
    dfl_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loop_runs_without_differences),
        cmocka_unit_test(a_nut_runs_down_its_spindle_over_many_turns),
        cmocka_unit_test(a_screw_without_lead_is_refused),
        cmocka_unit_test(a_slider_crank_stays_closed_over_many_turns),
        cmocka_unit_test(loops_leave_massless_directions_with_derivatives),
        cmocka_unit_test(creation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
