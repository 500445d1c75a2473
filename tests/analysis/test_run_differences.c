/* Every A against differences of runs: rates of the states at the start of short runs, with other
   values of one state each. Nothing of the linear equations is used but the names of the states. */
#include "near.h"

#include "models.h"

enum { TIMES = 5 };

/* The rates y' of the states at the beginning of a run with the values y: from the states at h, 2
   h, ..., 5 h. */
static void rates(double *out, near *it, const double *y, double h)
{
    static const double weight[TIMES + 1] = {-137 / 60.0, 5, -5, 10 / 3.0, -1.25, 0.2};
    const dfl_linearized *linear = &it->linear.linear;
    dfl_text at = {.ctx = it->s.ctx};
    dfl_state_found state;
    for (int i = 0; i < linear->ny; i++)
        dfl_text_add(&at, "%s%s=%.17g", i ? "," : "", it->linear.states[i], y[i]);
    const dfl_state_choice choice = {.at = dfl_text_string(&at)};
    scripted_expect(&it->s, dfl_study_state(&state, it->s.run, &it->settings, &choice));
    dfl_free(it->s.ctx, state.x);
    dfl_text_clear(&at);
    scripted_start(&it->s, &(dfl_solver_options){.rtol = 1e-13, .step.max = h});
    for (int i = 0; i < linear->ny; i++)
        out[i] = 0;
    for (int k = 0; k <= TIMES; k++) {
        if (k > 0)
            scripted_advance(&it->s, k * h);
        for (int i = 0; i < linear->ny; i++)
            out[i] += weight[k] / h * it->s.x[linear->state[i]];
    }
}

/* A to a part of its largest entry in the row; `h` is short beside the fastest motion. */
static void agrees(const char *text, const char *where, const char *steady, double h)
{
    near it = near_find(text, where, steady);
    const dfl_linearized *linear = &it.linear.linear;
    const int ny = linear->ny;
    double y[40], f[4][40];
    assert_true(ny > 0 && ny <= 40);
    for (int i = 0; i < it.s.model->starts.count; i++)
        it.s.model->starts.item[i].held = false;
    for (int i = it.s.eq->nw + it.s.eq->nl + it.s.eq->nm; i < it.s.eq->n; i++) /* guesses */
        scripted_give(&it.s, it.s.eq->x[i].name, it.state.x[i], false);
    for (int j = 0; j < ny; j++) {
        const double e = 1e-3;
        static const double step[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < ny; i++)
                y[i] = it.state.x[linear->state[i]] + (i == j ? e * step[k] : 0);
            rates(f[k], &it, y, h);
        }
        for (int i = 0; i < ny; i++) {
            double slope = 0, size = 1;
            for (int k = 0; k < 4; k++)
                slope += weight[k] * f[k][i] / (12 * e);
            for (int k = 0; k < ny; k++)
                size = fmax(size, fabs(linear->A[k * ny + i]));
            if (!(fabs(linear->A[j * ny + i] - slope) <= 1e-5 * size))
                fail_msg("%.60s...: the rate of %s changes with %s by %.10g, runs say %.10g", text,
                         it.linear.states[i], it.linear.states[j], linear->A[j * ny + i], slope);
        }
    }
    near_free(&it);
}

static void rods_and_closed_loops(void **state)
{
    (void)state;
    agrees(double_pendulum, "x1=0.6,y1=-0.8,x2=1.2,y2=-1.6,der(x1)=1.5,der(x2)=-0.7", NULL, 2e-3);
    agrees(slider_crank, "alpha=3.6,der(alpha)=2", NULL, 1e-3);
    agrees(slider_crank, "equilibrium", NULL, 1e-3);
    agrees(SPHERICAL_PENDULUM("0.7"), NULL, NULL, 2e-3);
    agrees("local a, b, c = position('phi', 'theta', 'psi')\n" /* a four-bar with a third, redundant
                                                                  row */
           "local u, w, v = velocity(a, b, c)\n"
           "kinetic(u^2/6 + 1/2*(u^2 + 2*u*w*cos(a - b) + 4/3*w^2) + 2.5^3/6*v^2)\n"
           "potential(9.81*(sin(a)/2 + 2*(sin(a) + sin(b)) + 2.5^2/2*sin(c)))\n"
           "local x = cos(a) + 2*cos(b) - 3 - 2.5*cos(c)\n"
           "local y = sin(a) + 2*sin(b) - 2.5*sin(c)\n"
           "constraint('x', x) constraint('y', y) constraint('both', 2*x - y)\n"
           "force(u, -0.3*u) initial{ phi = 0.4, ['der(phi)'] = 2 } guess{ theta = 1, psi = 2 }\n",
           NULL, NULL, 1e-3);
}

static void rolling(void **state)
{
    (void)state;
    agrees("local x, y, q = position('x', 'y', 'q')\n" /* a skate on a slope */
           "kinetic((velocity(x)^2 + velocity(y)^2)/2 + 0.3/2*velocity(q)^2) potential(3*y)\n"
           "nonholonomic('edge', velocity(x)*sin(q) - velocity(y)*cos(q))\n"
           "initial{ x = 0, y = 0, q = 0.4, ['der(x)'] = 1, ['der(q)'] = 0.5 }\n",
           NULL, NULL, 1e-3);
    agrees("local x, y, q, p = position('x', 'y', 'q', 'p')\n" /* a wheel that stays upright */
           "kinetic((velocity(x)^2 + velocity(y)^2)/2 + 0.2*velocity(q)^2 + 0.4*velocity(p)^2)\n"
           "nonholonomic('rx', velocity(x) - velocity(p)*cos(q))\n"
           "nonholonomic('ry', velocity(y) - velocity(p)*sin(q))\n"
           "force(velocity(q), -0.2*velocity(q) - x) force(velocity(p), -0.1*velocity(p)^3)\n"
           "initial{ x = 0.3, y = 0, q = 0.4, p = 0, ['der(p)'] = 1, ['der(q)'] = 0.5 }\n",
           NULL, NULL, 1e-3);
}

static void other_variables(void **state)
{
    (void)state;
    agrees("local x, y = position('x', 'y')\n"
           "kinetic(velocity(x)^2 + velocity(y)^2/2*(1 + x^2))\n"
           "local w = auxiliary('w', function(w) return w^3 + w - x end)\n"
           "local r = dynamic('r', function(r) return w - 2*r + velocity(x) end)\n"
           "force(velocity(x), -3*x - r + w^2) force(velocity(y), -y + w)\n"
           "constraint('path', y - x^2/4)\n"
           "initial{ x = 0.7, ['der(x)'] = 0.4, r = 0.3 }\n",
           NULL, NULL, 2e-3);
    agrees("local x = position('x') mass(x, 1)\n" /* Maxwell's element, and a motor */
           "local s = dynamic('s', function(s) return velocity(x) - 3*s end)\n"
           "local i = dynamic('i', function(i) return 4 - 2*i - velocity(x) end)\n"
           "force(x, -20*s - 5*sin(x) + 3*i) initial{ x = 0.4, ['der(x)'] = 1, s = 0.1, i = 2 }\n",
           NULL, NULL, 2e-3);
}

/* Nodes without mass follow from the balance of their springs and dampers. */
static void massless_directions(void **state)
{
    (void)state;
    agrees("local a, b = position('a', 'b')\n"
           "kinetic(velocity(b)^2/2)\n"
           "force(a, -20*a - 2*velocity(a) - 5*a^3 + 30*(b - a) + 3*(velocity(b) - velocity(a)))\n"
           "force(b, -30*(b - a) - 3*(velocity(b) - velocity(a)))\n"
           "initial{ a = 0.2, b = 0.5, ['der(b)'] = 0.3 }\n",
           NULL, NULL, 2e-3);
}

/* Bodies with joints, a spinning top with quaternions, the contact of a ball that rolls in a
   groove. */
static void drawn_bodies(void **state)
{
    (void)state;
    agrees("gravity{0, 0, -9.81}\n"
           "local a = body('a', { mass = 2, com = {0.5, 0, 0}, inertia = {0.1, 0.2, 0.25} })\n"
           "local b = body('b', { mass = 1, com = {1.4, 0.1, 0}, inertia = {0.05, 0.1, 0.12} })\n"
           "local j = revolute('j', ground, a, { at = {0, 0, 0}, axis = {0, 1, 0} })\n"
           "local k = revolute('k', a, b, { at = {1, 0, 0}, axis = {0, 0.6, 0.8} })\n"
           "force(k.q, -0.5*k.qd - 2*k.q)\n"
           "initial{ [j.q] = 0.3, [j.qd] = 1, [k.q] = -0.4, [k.qd] = 0.7 }\n",
           NULL, NULL, 1e-3);
}

/* A file of examples/. */
static const char *example(const char *name)
{
    static char text[20000];
    char path[400];
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void examples(void **state)
{
    (void)state;
    agrees(example("truck"), NULL, NULL, 2e-4);
    agrees(example("maxwell"), NULL, NULL, 1e-3);
    agrees(example("rolling-disk-bodies"), NULL, NULL, 1e-3);
    agrees(example("suspension"), NULL, NULL, 1e-4);
    agrees(example("spherical-pendulum"), NULL, NULL, 1e-3);
    agrees(example("slider-crank-bodies"), NULL, NULL, 2e-4);
    agrees(example("four-bar-bodies"), NULL, NULL, 2e-4);
}

/* The truck at rest, by numbers of an independent program with the digits that are known. */
static void truck_has_its_eigenvalues(void **state)
{
    (void)state;
    near it = near_find(example("truck"), NULL, NULL);
    assert_int_equal(it.modes.count, 14);
    assert_int_equal(it.linear.linear.kind, DFL_AT_EQUILIBRIUM);
    assert_int_equal(it.modes.unstable, 0);
    near_has(&it, -76.8, 0, 0.05);
    near_has(&it, -8.0, 59.4, 0.07);
    near_has(&it, -21.6, 48.1, 0.07);
    near_has(&it, -0.9, 7.1, 0.07);
    near_free(&it);
}

/* They start at rest, where forces of tons cancel to rounding, and forces of a contact vanish to
   rounding. */
static void rounding_of_forces_that_cancel_is_balanced(void **state)
{
    (void)state;
    near truck = near_find(example("truck"), "equilibrium", NULL);
    near cam = near_find(example("cam-follower"), "equilibrium", NULL);
    assert_string_equal(dfl_study_stability(&truck.linear, &truck.modes), "stable");
    near_close(near_value(&cam, "axle.q"), 0, 1e-12);
    near_free(&truck);
    near_free(&cam);
}

/* Carrousel: a mass on a turning arm, with a given speed of the arm. */
static void steady_turning(void **state)
{
    (void)state;
    agrees("local q, r = position('q', 'r')\n"
           "kinetic((velocity(r)^2 + r^2*velocity(q)^2)/2 + 2*velocity(q)^2)\n"
           "potential(40*(r - 1)^2)\n"
           "initial{ q = 0, r = 1.1, ['der(q)'] = 2, ['der(r)'] = 0 }\n",
           NULL, "q", 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_and_closed_loops),
        cmocka_unit_test(rolling),
        cmocka_unit_test(other_variables),
        cmocka_unit_test(massless_directions),
        cmocka_unit_test(drawn_bodies),
        cmocka_unit_test(examples),
        cmocka_unit_test(truck_has_its_eigenvalues),
        cmocka_unit_test(steady_turning),
        cmocka_unit_test(rounding_of_forces_that_cancel_is_balanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
