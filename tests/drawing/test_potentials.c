/* Conservative elements: their forces are minus the gradient of their energy, and a run keeps
   it. */
#include "../scripted.h"

enum { MOST = 40 };

/* Two bodies in space, on joints of different kinds; `a` hangs on a hinge, `b` is free. */
#define SPACE                                                                                      \
    "gravity{0.3, 0.1, -9.81}\n"                                                                   \
    "local k = param('k', 70)\n"                                                                   \
    "local a = body('a', {mass = 2, com = {1, 0.1, 0}, inertia = {0.3, 0.25, 0.2}})\n"             \
    "local b = body('b', {mass = 1, com = {2, 0, 0.2},"                                            \
    " inertia = {0.2, 0.25, 0.3, 0.01, 0.02, 0.03}})\n"                                            \
    "local h = universal('h', ground, a, {at = {0, 0, 0}, axis = {0, 0, 1}, axis2 = {1, 0, 0}})\n" \
    "local f = free('f', ground, b, {at = {2, 0, 0}})\n"

#define PLANE                                                                                      \
    "planar()\n"                                                                                   \
    "gravity{0, -9.81}\n"                                                                          \
    "local a = body('a', {mass = 2, com = {1, 0.1}, inertia = 0.3})\n"                             \
    "local b = body('b', {mass = 1, com = {2, 0}, inertia = 0.2})\n"                               \
    "local h = revolute('h', ground, a, {at = {0, 0}})\n"                                          \
    "local f = free('f', ground, b, {at = {2, 0}})\n"

static const char *const elements[] = {
    SPACE "spring('s', a, b, {from = {1, 0, 1}, to = {3, 0.5, 0}, stiffness = k, length = 1})\n",
    SPACE "spring('s', a, b, {from = {2, 0, 0}, to = {2, 0, 0}, stiffness = k, delta = 0.1})\n",
    SPACE "torsion('t', h, {stiffness = k, rest = 0.2, coordinate = 2})\n",
    SPACE "bushing('u', a, b, {at = {2, 0, 0}, stiffness = {k, 50, 60},"
          " turn_stiffness = {5, 6, 7}})\n",
    SPACE "bushing('u', b, a, {at = {1, 1, 1}, axis = {1, 2, 3}, axis2 = {1, 0, 0},"
          " stiffness = {k, 50, 60}, turn_stiffness = {5, 6, 7}})\n",
    SPACE "bushing('u', ground, b, {at = {2, 0, 0}, turn_stiffness = 5})\n",
    SPACE "impact('i', ground, b, {at = {2, 0, 0}, radius = 0.5, plane = {0, 0, 1},"
          " normal = {0.3, 0, 1}, stiffness = k, exponent = 2})\n",
    SPACE "impact('i', a, b, {at = {2, 0.1, 0}, radius = 2, center = {0.5, 0, 0},"
          " center_radius = 1.5, stiffness = k})\n",
    SPACE "attraction('g', b, {center = {-2, 1, 0.5}, mu = k, gradient = true})\n",
    SPACE "attraction('g', a, {center = {-2, 1, 0.5}, mu = k})\n",
    PLANE "spring('s', a, b, {from = {1, 0}, to = {3, 0.5}, stiffness = 40})\n",
    PLANE "torsion('t', a, b, {stiffness = 7, rest = 0.3})\n",
    PLANE "bushing('u', a, b, {at = {2, 0}, stiffness = 50, turn_stiffness = 7})\n",
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static scripted with_energy(const char *model)
{
    char text[4000];
    snprintf(text, sizeof text, "%soutput('V', potential_energy())\n", model);
    return scripted_text(text);
}

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
}

/* At rest f is the force alone: f_j = -dV along p' = Z e_j. */
static void check_gradient(scripted *s, unsigned *seed)
{
    const dfl_eom *eom = dfl_runnable_eom(s->run);
    const dfl_layout at = dfl_eom_layout(eom);
    double f[MOST], kin[MOST] = {0}, x[MOST] = {0};
    const double h = 1e-6;
    assert_true(s->eq->n <= MOST);
    for (int i = 0; i < eom->np; i++)
        s->x[at.p + i] = 0.6 * uniform(seed) + (strcmp(s->eq->x[at.p + i].name, "f.q4") == 0);
    dfl_blocks out = {.f = f, .kin = kin};
    assert_int_equal(eom->eval(&out, 0.0, s->x, DFL_FORCE, eom->user), 0);
    for (int j = 0; j < eom->nv; j++) {
        double V[2];
        memcpy(x, s->x, (size_t)s->eq->n * sizeof *x);
        x[at.v + j] = 1.0;
        kin[j] = 1.0; /* where p' = v */
        if (!eom->trivial_kinematics)
            assert_int_equal(eom->eval(&out, 0.0, x, DFL_KINEMATICS, eom->user), 0);
        for (int side = 0; side < 2; side++) {
            memcpy(x, s->x, (size_t)s->eq->n * sizeof *x);
            for (int i = 0; i < eom->np; i++)
                x[at.p + i] += (side ? h : -h) * kin[i];
            dfl_runnable_outputs(&V[side], s->run, 0.0, x);
        }
        kin[j] = 0.0;
        assert_near(f[j], -(V[1] - V[0]) / (2 * h), 1e-6 * (1 + fabs(f[j]))); /* V is about 100 */
    }
}

static void forces_are_minus_the_gradient_of_the_energy(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int e = 0; e < ELEMENTS; e++) {
        scripted s = with_energy(elements[e]);
        for (int trial = 0; trial < 3; trial++)
            check_gradient(&s, &seed);
        scripted_free(&s);
    }
}

static void a_run_keeps_the_energy(void **state)
{
    (void)state;
    for (int e = 0; e < ELEMENTS; e++) {
        scripted s = with_energy(elements[e]);
        const bool space = dfl_model_variable_named(s.model, "f.w1") != DFL_NO_EXPR;
        assert_true(dfl_model_conservative(s.model));
        scripted_give(&s, space ? "h.q1" : "h.q", 0.2, true);
        scripted_give(&s, space ? "f.w1" : "der(f.q3)", 0.5, true);
        scripted_give(&s, space ? "f.v2" : "der(f.q1)", 0.3, true);
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-9, .atol = 1e-9});
        const double before = dfl_runnable_energy(s.run, 0.0, s.x);
        scripted_advance(&s, 1.0);
        /* 1e-9 of about 100 J; steps across the kink of an impact are less accurate */
        const bool kink = strstr(elements[e], "impact") != NULL;
        assert_near(dfl_runnable_energy(s.run, 1.0, s.x), before, kink ? 1e-4 : 1e-7);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_minus_the_gradient_of_the_energy),
        cmocka_unit_test(a_run_keeps_the_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
