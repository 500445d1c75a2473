/* Few modes of large models, with sparse matrices, against closed forms and dense matrices. */
#include "near.h"

#include "engine/engine.h"
#include "linalg/linalg.h"

/* A script with sparse matrices at a state. */
typedef struct sparse_near {
    scripted s;
    dfl_settings settings;
    dfl_state_found state;
    dfl_modes modes;
    dfl_point_kind kind;
} sparse_near;

static sparse_near sparse_load(const char *text)
{
    sparse_near it = {.s = {.ctx = dfl_context_create()}};
    const dfl_choices none = dfl_choices_none("--");
    scripted_expect(
        &it.s, dfl_script_load_text(&it.s.model, it.s.ctx, "test.lua", text, strlen(text), NULL));
    scripted_expect(&it.s, dfl_equations_create(&it.s.eq, it.s.model, true));
    assert_null(dfl_runnable_unpackable(it.s.eq));
    scripted_expect(&it.s, dfl_runnable_create_packed(&it.s.run, it.s.eq));
    scripted_expect(&it.s, dfl_settings_resolve(&it.settings, &none, it.s.run));
    return it;
}

static sparse_near sparse_find(const char *text, const char *at, int count)
{
    sparse_near it = sparse_load(text);
    const dfl_state_choice choice = {.at = at};
    scripted_expect(&it.s, dfl_study_state(&it.state, it.s.run, &it.settings, &choice));
    scripted_expect(&it.s, dfl_modes_few(&it.modes, &it.kind, it.s.ctx, dfl_runnable_eom(it.s.run),
                                         it.state.t, it.state.x, count));
    return it;
}

static void sparse_free(sparse_near *it)
{
    dfl_modes_clear(&it->modes);
    dfl_free(it->s.ctx, it->state.x);
    scripted_free(&it->s);
}

/* N masses between two walls. */
static const char *const chain = "local N, q, T, V = 150, {}, 0, 0\n"
                                 "for i = 1, N do q[i] = position('x'..i)\n"
                                 "  T = T + velocity(q[i])^2/2 end\n"
                                 "V = q[1]^2/2 + q[N]^2/2\n"
                                 "for i = 2, N do V = V + (q[i] - q[i-1])^2/2 end\n"
                                 "kinetic(T) potential(V)\n";

static void chain_of_masses_has_its_closed_form(void **state)
{
    (void)state;
    enum { N = 150, COUNT = 10 };
    const double pi = 3.14159265358979323846;
    sparse_near it = sparse_find(chain, NULL, COUNT);
    assert_int_equal(it.modes.count, COUNT);
    assert_int_equal(it.kind, DFL_AT_EQUILIBRIUM);
    assert_int_equal(it.modes.unstable, 0);
    for (int k = 0; k < COUNT; k++) {
        const dfl_mode *mode = &it.modes.mode[k];
        const int i = k / 2 + 1;
        near_close(fabs(mode->im), 2 * sin(i * pi / (2 * (N + 1))), 1e-10);
        near_close(mode->re, 0, 1e-10);
        const double *x = it.modes.shape + mode->vector * it.modes.rows + it.modes.rows - N;
        const double *y = it.modes.shape + mode->imaginary * it.modes.rows + it.modes.rows - N;
        for (int j = 1; j < N; j++) { /* sin(i j pi/(N+1)), times one complex number */
            const double a = sin(i * j * pi / (N + 1)), b = sin(i * (j + 1) * pi / (N + 1));
            near_close(x[j - 1] * b - x[j] * a, 0, 1e-8 * dfl_max_abs(x, N));
            near_close(y[j - 1] * b - y[j] * a, 0, 1e-8 * dfl_max_abs(y, N));
        }
    }
    sparse_free(&it);
}

/* All modes that were found, against those of the dense linear equations: the smallest, each as
   often. */
static void agrees(const char *text, const char *at, int count, double tolerance)
{
    sparse_near it = sparse_find(text, at, count);
    near dense = near_find(text, at, NULL);
    double largest = 0;
    assert_true(it.modes.count >= count && it.modes.count <= count + 1);
    for (int i = 0; i < it.modes.count; i++) {
        const dfl_mode *mode = &it.modes.mode[i];
        int there = 0, here = 0;
        for (int k = 0; k < dense.modes.count; k++)
            there += hypot(dense.modes.mode[k].re - mode->re, dense.modes.mode[k].im - mode->im) <=
                     tolerance;
        for (int k = 0; k < it.modes.count; k++)
            here +=
                hypot(it.modes.mode[k].re - mode->re, it.modes.mode[k].im - mode->im) <= tolerance;
        if (here > there || here == 0)
            fail_msg("%.12g %+.12g i is found %d times, not %d", mode->re, mode->im, here, there);
        largest = fmax(largest, hypot(mode->re, mode->im));
    }
    int smaller = 0;
    for (int k = 0; k < dense.modes.count; k++)
        smaller += hypot(dense.modes.mode[k].re, dense.modes.mode[k].im) < largest - tolerance;
    assert_true(smaller <= it.modes.count);
    assert_int_equal(it.kind, dense.linear.linear.kind);
    near_free(&dense);
    sparse_free(&it);
}

/* A rope of rods in space: pairs of modes in two planes, equal but for a damper. */
static const char *const rope =
    "local N, px, py, pz, T, V = 25, 0, 0, 0, 0, 0\n"
    "for i = 1, N do\n"
    "  local x, y, z = position('x'..i, 'y'..i, 'z'..i)\n"
    "  T = T + (velocity(x)^2 + velocity(y)^2 + velocity(z)^2)/2/N\n"
    "  V = V + 9.81*y/N\n"
    "  constraint('rod'..i, (x - px)^2 + (y - py)^2 + (z - pz)^2 - 1/N^2)\n"
    "  guess{ ['x'..i] = 0, ['y'..i] = -i/N, ['z'..i] = 0 }\n"
    "  px, py, pz = x, y, z\n"
    "end\n"
    "kinetic(T) potential(V)\n";

static void constraints_and_equal_modes(void **state)
{
    (void)state;
    char damped[2000];
    agrees(rope, NULL, 8, 1e-8);
    snprintf(damped, sizeof damped, "%s force(velocity(px), -0.02*velocity(px))\n", rope);
    agrees(damped, NULL, 9, 1e-8);
}

/* Three equal free chains in the plane, one with redundant rods: many zero eigenvalues. */
static void free_bodies_and_redundant_rows(void **state)
{
    (void)state;
    agrees("local T, V = 0, 0\n"
           "for part = 1, 3 do\n"
           "  local px, py\n"
           "  for i = 1, 10 do\n"
           "    local n = part..'_'..i\n"
           "    local x, y = position('x'..n, 'y'..n)\n"
           "    T = T + (velocity(x)^2 + velocity(y)^2)/2\n"
           "    if px then V = V + ((x - px - 1)^2 + 2*(y - py)^2)/2 end\n"
           "    guess{ ['x'..n] = i, ['y'..n] = 0 }\n"
           "    if part == 3 and i > 8 then\n"
           "      constraint('rod'..i, x - px - 1) constraint('again'..i, 2*(x - px - 1)) end\n"
           "    px, py = x, y\n"
           "  end\n"
           "end\n"
           "kinetic(T) potential(V)\n",
           NULL, 20, 1e-6);
}

/* First-order and auxiliary variables, a mass matrix, gyroscopic and nonholonomic rows. */
static void other_unknowns(void **state)
{
    (void)state;
    agrees("local N, q, T, V = 40, {}, 0, 0\n"
           "for i = 1, N do q[i] = position('x'..i)\n"
           "  T = T + velocity(q[i])^2/2 + (i > 1 and 0.3*velocity(q[i])*velocity(q[i-1]) or 0)\n"
           "  V = V + q[i]^2/50 + (i > 1 and (q[i] - q[i-1])^2/2 or 0)\n"
           "  local w = auxiliary('w'..i, function(w) return w + 0.1*w^3 - q[i] end)\n"
           "  local r = dynamic('r'..i, function(r) return -i*r/3 + velocity(q[i]) end)\n"
           "  force(velocity(q[i]), -0.2*r + 0.05*w)\n"
           "  if i % 2 == 0 then force(velocity(q[i]), 0.4*velocity(q[i-1]))\n"
           "    force(velocity(q[i-1]), -0.4*velocity(q[i])) end\n"
           "end\n"
           "nonholonomic('knife', velocity(q[3]) - 2*velocity(q[7])*(1 + q[3]))\n"
           "kinetic(T) potential(V)\n",
           NULL, 12, 1e-7);
}

/* A chain on a steady motion: it slides along a straight line. */
static void steady_motion(void **state)
{
    (void)state;
    agrees("local N, T, V, q = 30, 0, 0, {}\n"
           "for i = 1, N do q[i] = position('x'..i) T = T + velocity(q[i])^2/2\n"
           "  if i > 1 then V = V + (q[i] - q[i-1] - 1)^2/2 end\n"
           "  initial{ ['x'..i] = i, ['der(x'..i..')'] = 2 } end\n"
           "kinetic(T) potential(V)\n",
           NULL, 8, 1e-6);
}

/* An elastic rope between two points, far from where it hangs. */
static const char *const hanging =
    "local N, px, py, T, V = 30, 0, 0, 0, 0\n"
    "local function spring(ax, ay, bx, by)\n"
    "  V = V + 1e3*N/2*(sqrt((ax - bx)^2 + (ay - by)^2) - 0.9/N)^2 end\n"
    "for i = 1, N do\n"
    "  local x, y = position('x'..i, 'y'..i)\n"
    "  T = T + (velocity(x)^2 + velocity(y)^2)/2/N V = V + 9.81*y/N\n"
    "  spring(px, py, x, y)\n"
    "  guess{ ['x'..i] = i/(N + 1), ['y'..i] = 0.2 }\n"
    "  px, py = x, y\n"
    "end\n"
    "spring(px, py, 1, 0) kinetic(T) potential(V)\n";

static void equilibria_of_both_agree(void **state)
{
    (void)state;
    sparse_near it = sparse_find(hanging, "equilibrium", 6);
    near dense = near_find(hanging, "equilibrium", NULL);
    for (int i = 0; i < it.s.eq->n; i++)
        near_close(it.state.x[i], dense.state.x[i], 1e-9);
    near_free(&dense);
    sparse_free(&it);
    agrees(hanging, "equilibrium", 6, 1e-8);
}

static void wrong_states_are_refused(void **state)
{
    (void)state;
    char text[2000];
    snprintf(text, sizeof text, "%s initial{ ['der(x1)'] = 2, ['der(x9)'] = 1 }\n", rope);
    sparse_near it = sparse_load(text);
    const dfl_state_choice start = {0};
    scripted_expect(&it.s, dfl_study_state(&it.state, it.s.run, &it.settings, &start));
    assert_int_equal(
        dfl_modes_few(&it.modes, NULL, it.s.ctx, dfl_runnable_eom(it.s.run), 0, it.state.x, 4),
        DFL_INVALID);
    assert_non_null(strstr(dfl_message(it.s.ctx), "neither"));
    dfl_linearized linear;
    assert_int_equal(
        dfl_linearize(&linear, it.s.ctx, dfl_runnable_eom(it.s.run), 0, it.state.x, NULL),
        DFL_INVALID);
    assert_non_null(strstr(dfl_message(it.s.ctx), "without sparsity"));
    dfl_linearized_clear(&linear);
    sparse_free(&it);
    near dense = near_load(chain); /* no sparsity */
    dfl_modes modes;
    double x[1] = {0};
    assert_int_equal(
        dfl_modes_few(&modes, NULL, dense.s.ctx, dfl_runnable_eom(dense.s.run), 0, x, 4),
        DFL_INVALID);
    dfl_modes_clear(&modes);
    near_free(&dense);
    /* nothing holds the mass: there is no equilibrium */
    it = sparse_load("local q = {} for i = 1, 20 do q[i] = position('x'..i) mass(q[i], 1)\n"
                     "force(q[i], i == 7 and 1 or -q[i]) end\n");
    const dfl_state_choice rest = {.at = "equilibrium"};
    assert_int_equal(dfl_study_state(&it.state, it.s.run, &it.settings, &rest), DFL_NOT_CONVERGED);
    assert_non_null(strstr(dfl_message(it.s.ctx), "der(x7) is still 1 out of balance"));
    sparse_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_of_masses_has_its_closed_form),
        cmocka_unit_test(constraints_and_equal_modes),
        cmocka_unit_test(free_bodies_and_redundant_rows),
        cmocka_unit_test(other_unknowns),
        cmocka_unit_test(steady_motion),
        cmocka_unit_test(equilibria_of_both_agree),
        cmocka_unit_test(wrong_states_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
