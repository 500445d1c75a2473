/* Sparse and dense matrices give the same motion; what sparse ones cannot serve is refused with the
   reason. */
#include "../scripted.h"

/* An example with dense or packed matrices. */
static scripted load_example(const char *name, const char *set, bool packed)
{
    char path[500];
    const char *const sets[] = {set};
    const dfl_script_options options = {
        .dynamics = DFL_DYNAMICS_EXPRESSIONS, .set = sets, .nset = set ? 1 : 0};
    scripted s = {.ctx = dfl_context_create()};
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, name);
    scripted_expect(&s, dfl_script_load(&s.model, s.ctx, path, &options));
    scripted_expect(&s, dfl_equations_create(&s.eq, s.model, true));
    scripted_expect(&s, packed ? dfl_runnable_create_packed(&s.run, s.eq)
                               : dfl_runnable_create(&s.run, s.eq));
    s.x = dfl_alloc(s.ctx, (size_t)s.eq->n, sizeof *s.x);
    return s;
}

static scripted load_text(const char *text, bool packed)
{
    scripted s = scripted_text(text);
    if (packed) {
        dfl_runnable_free(s.run);
        scripted_expect(&s, dfl_runnable_create_packed(&s.run, s.eq));
    }
    return s;
}

/* Runs both; positions and velocities, and with `multipliers` these as well, agree to `close` of
   the largest of their block. */
static void compare(scripted *dense, scripted *sparse, double to, const dfl_solver_options *options,
                    double close, bool multipliers)
{
    scripted *const both[] = {dense, sparse};
    for (int k = 0; k < 2; k++) {
        scripted_start(both[k], options);
        scripted_advance(both[k], to);
    }
    const dfl_equations *eq = dense->eq;
    const int v = eq->n - eq->np - eq->ns - eq->nv;
    const int block[] = {0, v, v + eq->nv, eq->n};
    for (int b = multipliers ? 0 : 1; b < 3; b++) {
        double largest = 0;
        for (int i = block[b]; i < block[b + 1]; i++)
            largest = fmax(largest, fabs(dense->x[i]));
        for (int i = block[b]; i < block[b + 1]; i++)
            if (!(fabs(dense->x[i] - sparse->x[i]) <= close * fmax(largest, 1e-3)))
                fail_msg("%s: %.15g and %.15g", eq->x[i].name, dense->x[i], sparse->x[i]);
    }
    scripted_free(dense);
    scripted_free(sparse);
}

/* Holonomic, nonholonomic, contact, dynamic variables; drawn loops; switches. Errors of both runs
   are a few hundred times the tolerance after times in which errors grow little. */
static void examples_move_alike(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double to;
    } example[] = {{"andrews", 0.01},      {"andrews-bodies", 0.01},
                   {"cam-follower", 1},    {"car-axis", 1},
                   {"chain", 0.7},         {"crane", 3},
                   {"double-pendulum", 1}, {"ellipse", 1},
                   {"flyball", 1},         {"four-bar", 1},
                   {"four-bar-bodies", 1}, {"friction", 1},
                   {"gear-rack", 1},       {"maxwell", 1},
                   {"pendulum", 2},        {"bricard", 2},
                   {"truck", 0.5},         {"suspension", 0.5},
                   {"quarter-car", 0.5},   {"sleigh", 1},
                   {"slider-crank", 0.05}, {"spherical-pendulum", 2}};
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        scripted dense = load_example(example[i].name, NULL, false);
        scripted sparse = load_example(example[i].name, NULL, true);
        const bool determined = strcmp(example[i].name, "four-bar-bodies") != 0 &&
                                strcmp(example[i].name, "bricard") != 0;
        print_message("%s\n", example[i].name);
        compare(&dense, &sparse, example[i].to, &(dfl_solver_options){.rtol = 1e-9}, 1e-6,
                determined);
    }
}

/* The same equations, so also the same numbers of steps, in every order and with BDF. */
static void methods_take_the_same_steps(void **state)
{
    (void)state;
    static const struct {
        dfl_integrator integrator;
        int order;
    } method[] = {{DFL_RADAU, 5}, {DFL_RADAU, 9}, {DFL_RADAU, 13}, {DFL_BDF, 0}};
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
        long steps[2];
        for (int packed = 0; packed < 2; packed++) {
            scripted s = load_example("chain", "N=6", packed);
            scripted_start(&s, &(dfl_solver_options){.integrator = method[i].integrator,
                                                     .order = method[i].order,
                                                     .rtol = 1e-7,
                                                     .newton.carry_accelerations = true});
            scripted_advance(&s, 0.5);
            steps[packed] = dfl_solver_statistics(s.solver).accepted;
            scripted_free(&s);
        }
        assert_true(labs(steps[0] - steps[1]) <= 1 + steps[0] / 50);
    }
}

/* A net of points, two rods to each; k damps the velocity of each point relative to the
   one below. */
static const char *const net =
    "local N, k, x, y, z = 4, %s, {}, {}, {}\n"
    "for i = 1, N do for j = 1, N do\n"
    "  local n = i .. '_' .. j\n"
    "  x[n], y[n], z[n] = position('x' .. n, 'y' .. n, 'z' .. n)\n"
    "  for _, c in ipairs{x[n], y[n], z[n]} do mass(c, 1) end\n"
    "  force(z[n], -9.81)\n"
    "  initial{ [x[n]] = j, [y[n]] = i, [z[n]] = 0 }\n"
    "  local left, below = i .. '_' .. j - 1, i - 1 .. '_' .. j\n"
    "  if j > 1 then constraint('h' .. n, (x[n]-x[left])^2 + (y[n]-y[left])^2 + "
    "(z[n]-z[left])^2 - 1)\n"
    "  else constraint('w' .. n, x[n]^2 + (y[n]-i)^2 + z[n]^2 - 1) end\n"
    "  if i > 1 and (i + j) %% 2 == 0 then constraint('v' .. n, (x[n]-x[below])^2 + "
    "(y[n]-y[below])^2 + (z[n]-z[below])^2 - 1) end\n"
    "  for _, c in ipairs{x, y, z} do if i > 1 then\n"
    "    local f = k*(velocity(c[n]) - velocity(c[below]))\n"
    "    force(c[n], -f) force(c[below], f)\n"
    "  end end\n"
    "end end\n";

/* Newton's iterations converge as fast with the lumped matrix and its sweeps as with the dense one,
   so steps are the same; where dampers couple points too strongly for it, it is not used. */
static void the_lumped_matrix_serves_where_bodies_are_weakly_coupled(void **state)
{
    (void)state;
    static const char *const stiffness[] = {"0", "5", "1e4"};
    for (size_t i = 0; i < sizeof stiffness / sizeof *stiffness; i++) {
        const dfl_solver_options options = {.rtol = 1e-7, .newton.carry_accelerations = true};
        char text[2000];
        snprintf(text, sizeof text, net, stiffness[i]);
        long steps[2], iterations[2], matrices = 0, lumped = 0;
        for (int packed = 0; packed < 2; packed++) {
            scripted s = load_text(text, packed);
            scripted_start(&s, &options);
            scripted_advance(&s, 0.3);
            const dfl_statistics stats = dfl_solver_statistics(s.solver);
            steps[packed] = stats.accepted;
            iterations[packed] = stats.back_substitutions;
            matrices = stats.differential_decompositions;
            lumped = stats.lumped;
            assert_int_equal(stats.pivoted, 0);
            scripted_free(&s);
        }
        print_message("k = %s: steps %ld %ld, iterations %ld %ld, lumped %ld of %ld\n",
                      stiffness[i], steps[0], steps[1], iterations[0], iterations[1], lumped,
                      matrices);
        assert_true(labs(steps[0] - steps[1]) <= 1 + steps[0] / 50);
        assert_true(labs(iterations[0] - iterations[1]) <= 1 + iterations[0] / 20);
        assert_true(i == 0 ? 2 * lumped > matrices : i == 2 ? 2 * lumped < matrices : true);
        scripted dense = load_text(text, false), sparse = load_text(text, true);
        compare(&dense, &sparse, 0.3, &options, 1e-5, true);
    }
}

/* A row of squares, hinged to each other, with both diagonals: one row of each square is redundant.
 */
static const char *const ladder =
    "local N = 4\n"
    "local x, y = {}, {}\n"
    "local function point(name, px, py)\n"
    "  local a, b = position('x' .. name, 'y' .. name)\n"
    "  kinetic((velocity(a)^2 + velocity(b)^2)/2) potential(9.81*b)\n"
    "  guess{ [a] = px, [b] = py }\n"
    "  return {a, b}\n"
    "end\n"
    "local function rod(name, p, q, L)\n"
    "  constraint(name, (p[1] - q[1])^2 + (p[2] - q[2])^2 - L^2)\n"
    "end\n"
    "local p = {0, 0}\n"
    "for i = 1, N do\n"
    "  local b, c, d = point(i .. 'b', i, 0), point(i .. 'c', i, 1), point(i .. 'd', i - 1, 1)\n"
    "  rod('pb' .. i, p, b, 1) rod('bc' .. i, b, c, 1) rod('cd' .. i, c, d, 1)\n"
    "  rod('dp' .. i, d, p, 1) rod('pc' .. i, p, c, 2^0.5) rod('bd' .. i, b, d, 2^0.5)\n"
    "  p = b\n"
    "end\n";

static void redundant_rows_are_found(void **state)
{
    (void)state;
    scripted dense = load_text(ladder, false), sparse = load_text(ladder, true);
    scripted_start(&sparse, &(dfl_solver_options){.rtol = 1e-9});
    assert_int_equal(dfl_solver_statistics(sparse.solver).rank_velocity, 5 * 4);
    compare(&dense, &sparse, 0.5, &(dfl_solver_options){.rtol = 1e-9}, 1e-6, false);
}

/* Three masses on rods: forces that have no potential, dampers, masses that differ or change. The
   first model is condensed, with different masses; the others take the whole matrix. */
static void all_kinds_of_matrices_move_alike(void **state)
{
    (void)state;
    static const char *const rods = "local X, Y = 0, 0\n"
                                    "p, w = {}, {}\n"
                                    "for i = 1, 3 do\n"
                                    "  local x, y = position('x' .. i, 'y' .. i)\n"
                                    "  kinetic(i^2*(velocity(x)^2 + velocity(y)^2)/2)\n"
                                    "  potential(9.81*i^2*y + 20*(x - 1)^2)\n"
                                    "  constraint('rod' .. i, (x - X)^2 + (y - Y)^2 - 1)\n"
                                    "  guess{ [x] = i, [y] = 0 }\n"
                                    "  p[i], w[i], X, Y = x, y, x, y\n"
                                    "end\n";
    static const char *const more[] = {"", "force(p[3], 5*w[1]) force(w[2], p[3]^2)\n",
                                       "force(p[2], -3*velocity(p[2]) + velocity(w[1]))\n",
                                       "kinetic((1 + p[2]^2)*velocity(w[3])^2/2)\n",
                                       "force(w[3], 10*sin(5*time)*p[1])\n"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", rods, more[i]);
        scripted dense = load_text(text, false), sparse = load_text(text, true);
        compare(&dense, &sparse, 1, &(dfl_solver_options){.rtol = 1e-9}, 1e-6, true);
    }
}

/* The energy of a chain, a row that contains all unknowns; lengths of positions and momenta of
   speeds, one of each for every rotor. Steps and decompositions are those of dense matrices. */
static void invariants_are_kept_alike(void **state)
{
    (void)state;
    static const char *const text[] = {
        "local px, py = 0, 0\n"
        "for i = 1, 8 do\n"
        "  local x, y = position('x' .. i, 'y' .. i)\n"
        "  kinetic((velocity(x)^2 + velocity(y)^2)/2) potential(9.81*y)\n"
        "  constraint('rod' .. i, (x - px)^2 + (y - py)^2 - 1)\n"
        "  initial{ [x] = i } guess{ [y] = 0, [velocity(y)] = 0.3*i }\n"
        "  px, py = x, y\n"
        "end\n"
        "invariant('E', energy())\n",
        "for i = 1, 8 do\n"
        "  local c, s = position('c' .. i, 's' .. i)\n"
        "  local w, u = speed('w' .. i, 'u' .. i)\n"
        "  kinematics(c, -s*w) kinematics(s, c*w)\n"
        "  mass(w, 1) mass(u, 2) force(w, u - c) force(u, -w)\n"
        "  invariant('length' .. i, c^2 + s^2) invariant('E' .. i, w^2/2 + u^2 + s)\n"
        "  initial{ [c] = 0.6, [s] = 0.8, [w] = i, [u] = 1 }\n"
        "end\n"};
    for (int i = 0; i < 2; i++) {
        dfl_statistics found[2];
        for (int packed = 0; packed < 2; packed++) {
            scripted s = load_text(text[i], packed);
            scripted_start(&s, &(dfl_solver_options){.rtol = 1e-6});
            scripted_advance(&s, 1);
            found[packed] = dfl_solver_statistics(s.solver);
            assert_true(dfl_solver_residuals(s.solver).invariant < 1e-6);
            scripted_free(&s);
        }
        assert_true(labs(found[0].accepted - found[1].accepted) <= 1);
        assert_int_equal(found[0].steps_without_invariants, found[1].steps_without_invariants);
        scripted dense = load_text(text[i], false), sparse = load_text(text[i], true);
        compare(&dense, &sparse, 1, &(dfl_solver_options){.rtol = 1e-9}, 1e-7, true);
    }
}

/* 300 bodies: rods keep their length on all levels, and energy is conserved. */
static void a_long_chain_does_not_drift(void **state)
{
    (void)state;
    scripted s = load_example("chain", "N=300", true);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-7});
    const double energy = dfl_runnable_energy(s.run, 0, s.x);
    scripted_advance(&s, 0.5);
    const dfl_residuals residuals = dfl_solver_residuals(s.solver);
    assert_true(residuals.position < 1e-8 && residuals.velocity < 1e-6);
    /* of 300 kg falling by about 1 m */
    assert_true(fabs(dfl_runnable_energy(s.run, 0.5, s.x) - energy) < 1e-6 * 300 * 9.81);
    scripted_free(&s);
}

static void refuse(const char *text, const char *message)
{
    scripted s = scripted_text(text);
    dfl_choices choices = dfl_choices_none("--");
    choices.text[dfl_setting_find("linear")] = "sparse";
    dfl_runnable *made = NULL;
    assert_int_equal(dfl_study_runnable(&made, s.eq, &choices), DFL_INVALID);
    assert_null(made);
    if (!strstr(dfl_message(s.ctx), message))
        fail_msg("'%s' does not contain '%s'", dfl_message(s.ctx), message);
    scripted_free(&s);
}

static void what_sparse_matrices_cannot_serve_is_refused(void **state)
{
    (void)state;
    refuse("local x, y = position('x', 'y') kinetic(velocity(x)^2/2)\n"
           "force(y, x - y - velocity(y)) output('a', acceleration(y))\n",
           "it has directions without mass, and outputs");
}

/* 150 masses with nodes without mass between springs and dampers; an impulse on a mass acts, one on
   a node is refused. */
static void nodes_without_mass_move_alike(void **state)
{
    (void)state;
    static const char *const chain = "local prev = 0\n"
                                     "for i = 1, 150 do\n"
                                     "  local n, x = position('n' .. i, 'x' .. i)\n"
                                     "  local stretch, rate = n - prev, velocity(n)\n"
                                     "  if i > 1 then rate = rate - velocity(prev) end\n"
                                     "  local f = 100*stretch + 5*rate\n"
                                     "  local g = 80*(x - n) + 3*(velocity(x) - velocity(n))\n"
                                     "  mass(x, 1) force(x, -g) force(n, g - f)\n"
                                     "  if i > 1 then force(prev, f) end\n"
                                     "  initial{ [x] = 0.01*(i % 7), [n] = 0.02*(i % 3) }\n"
                                     "  prev = x\n"
                                     "end\n";
    scripted dense = load_text(chain, false), sparse = load_text(chain, true);
    compare(&dense, &sparse, 0.5, &(dfl_solver_options){.rtol = 1e-8}, 1e-6, false);
    for (int on_node = 0; on_node < 2; on_node++) {
        char text[2000];
        snprintf(text, sizeof text, "%sevent('kick', time - 0.1, {impulse = {['%s'] = 0.5}})\n",
                 chain, on_node ? "n2" : "x2");
        scripted s = load_text(text, true);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8});
        const dfl_status status = dfl_solver_advance(s.solver, 0.2);
        if (status && !strstr(dfl_message(s.ctx), "impulses act on directions without mass"))
            fail_msg("%s", dfl_message(s.ctx));
        assert_int_equal(status != DFL_OK, on_node);
        scripted_free(&s);
    }
}

static void a_start_that_contradicts_itself_is_refused(void **state)
{
    (void)state;
    scripted s =
        load_text("local x, y = position('x', 'y') kinetic(velocity(x)^2 + velocity(y)^2)\n"
                  "constraint('rod', x^2 + y^2 - 1) initial{x = 2}\n",
                  true);
    assert_int_equal(scripted_try_start(&s, NULL), DFL_INCONSISTENT);
    assert_non_null(strstr(dfl_message(s.ctx), "rod"));
    scripted_free(&s);
}

/* A chain that hangs at rest: rows whose terms all vanish hold to rounding. */
static void what_hangs_still_starts(void **state)
{
    (void)state;
    scripted s = load_text("local px, py = 0, 0\n"
                           "for i = 1, 100 do\n"
                           "  local x, y = position('x'..i, 'y'..i) mass(x, 1) mass(y, 1)\n"
                           "  force(y, -9.81) constraint('c'..i, (x - px)^2 + (y - py)^2 - 1)\n"
                           "  initial{ [x] = 0, [y] = -i } px, py = x, y\n"
                           "end\n",
                           true);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-8});
    scripted_advance(&s, 1);
    assert_near(scripted_value(&s, "y100"), -100, 1e-10);
    assert_near(scripted_value(&s, "x50"), 0, 1e-10);
    assert_near(2 * fabs(scripted_value(&s, "lambda(c1)")), 981, 1e-6);
    scripted_free(&s);
}

/* x'' = -x against a wall at x = 0, where no force acts: half the speed after every half period. */
static void an_impact_where_no_force_acts(void **state)
{
    (void)state;
    const double half = 3.14159265358979323846;
    scripted s = load_text("local x = position('x') mass(x, 1) force(x, -x)\n"
                           "unilateral('wall', x, { restitution = 0.5 }) initial{ x = 1 }\n",
                           true);
    scripted_start(&s, &(dfl_solver_options){.rtol = 1e-9, .atol = 1e-9});
    scripted_advance(&s, 2.5 * half + 0.5);
    assert_near(scripted_value(&s, "x"), 0.125 * sin(0.5), 1e-7);
    assert_near(scripted_value(&s, "der(x)"), 0.125 * cos(0.5), 1e-7);
    scripted_free(&s);
}

/* The root has a value, 0, beyond x = 0 where the fall leads, but no slope: in the first row of the
   velocities, an invariant. */
static void rows_without_a_number_are_named(void **state)
{
    (void)state;
    scripted s = load_text("local c, x = param('c', 0), position('x') mass(x, 1) force(x, -1)\n"
                           "invariant('level', velocity(x) + time + c*sqrt(noevent(max(0, x))))\n"
                           "initial{ x = 0.5, [velocity(x)] = 0 }\n",
                           true);
    scripted_start(&s, &(dfl_solver_options){.step.max = 0.1, .newton.reuse = -1});
    assert_int_equal(dfl_solver_advance(s.solver, 3), DFL_NOT_FINITE);
    assert_non_null(strstr(dfl_message(s.ctx), "jacobian returns NaN or Inf in level"));
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_move_alike),
        cmocka_unit_test(methods_take_the_same_steps),
        cmocka_unit_test(the_lumped_matrix_serves_where_bodies_are_weakly_coupled),
        cmocka_unit_test(redundant_rows_are_found),
        cmocka_unit_test(all_kinds_of_matrices_move_alike),
        cmocka_unit_test(invariants_are_kept_alike),
        cmocka_unit_test(nodes_without_mass_move_alike),
        cmocka_unit_test(a_long_chain_does_not_drift),
        cmocka_unit_test(what_sparse_matrices_cannot_serve_is_refused),
        cmocka_unit_test(a_start_that_contradicts_itself_is_refused),
        cmocka_unit_test(what_hangs_still_starts),
        cmocka_unit_test(an_impact_where_no_force_acts),
        cmocka_unit_test(rows_without_a_number_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
