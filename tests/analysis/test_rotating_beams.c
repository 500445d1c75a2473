/* Frequencies of rotating cantilevers, in units of sqrt(EI / rho A L^4), against power series of
   the exact mode shapes: centrifugal forces stiffen a beam through its second-order kinematics. */
#include "near.h"

static near turn(bool flapwise, const char *first_order, double speed)
{
    static const char *const chord =
        "planar()\n"
        "local b = elastic('b', { beam = { from = {0, 0}, to = {1, 0}, EI = 1, EA = 1e9,\n"
        "  mass_per_length = 1 }, modes = 8, frame = 'tangent', nodes = { a = 0 },\n"
        "  first_order = %s })\n"
        "revolute('spin', ground, b.a, { at = {0, 0}, motion = %.17g*time })\n";
    static const char *const flap =
        "local b = elastic('b', { beam = { from = {0, 0, 0}, to = {1, 0, 0}, EI = 1e6, EI2 = 1,\n"
        "  EA = 1e9, GJ = 1e6, mass_per_length = 1, section_inertia = 1e-4 }, modes = 8,\n"
        "  frame = 'tangent', nodes = { a = 0 }, first_order = %s })\n"
        "revolute('spin', ground, b.a, { at = {0, 0, 0}, axis = {0, 0, 1}, motion = %.17g*time "
        "})\n";
    char text[2000];
    snprintf(text, sizeof text, flapwise ? flap : chord, first_order, speed);
    return near_find(text, NULL, NULL);
}

/* Eight modes approach the exact values from above. */
static void centrifugal_forces_stiffen_a_beam(void **state)
{
    (void)state;
    static const double speed[] = {1, 2, 6, 12};
    static const double flap[][2] = {{3.68164681, 22.1810112},
                                     {4.13731957, 22.6149220},
                                     {7.36037302, 26.8090817},
                                     {13.1701505, 37.6031123}};
    static const double chord[] = {3.54323627, 3.62179696, 4.26322542, 5.42704928};
    for (int i = 0; i < 4; i++) {
        near it = turn(true, "false", speed[i]);
        near_has(&it, 0, flap[i][0], 1e-4 * flap[i][0]);
        near_has(&it, 0, flap[i][1], 1e-4 * flap[i][1]);
        near_free(&it);
        it = turn(false, "false", speed[i]);
        near_has(&it, 0, chord[i], 5e-4 * chord[i]);
        near_free(&it);
    }
}

/* Twenty modes have five digits. */
static void many_modes_have_more_digits(void **state)
{
    (void)state;
    near it = near_find(
        "planar()\n"
        "local b = elastic('b', { beam = { from = {0, 0}, to = {1, 0}, EI = 1, EA = 1e9,\n"
        "  mass_per_length = 1, elements = 40 }, modes = 20, frame = 'tangent',\n"
        "  nodes = { a = 0 } })\n"
        "revolute('spin', ground, b.a, { at = {0, 0}, motion = 12*time })\n",
        NULL, NULL);
    near_has(&it, 0, 5.42704928, 1e-5 * 5.42704928);
    near_free(&it);
}

/* A table of five polynomials, with the stiffness int (1 - x^2)/2 phi_i' phi_j' by the square of
   the speed; without it the beam would be unstable at 12. */
static void loads_stiffen_tables_of_modes(void **state)
{
    (void)state;
    static const double chord[] = {3.54323627, 3.62179696, 4.26322542, 5.42704928};
    static const double speed[] = {1, 2, 6, 12};
    for (int k = 0; k < 4; k++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "planar()\n"
            "local m = { mass = 1, moment = {1/2, 0}, inertia = 1/3, Me = {}, K = {}, Kw = {},\n"
            "  S = {{}, {}}, C0 = {} }\n"
            "for i = 1, 5 do\n"
            "  m.Me[i], m.K[i], m.Kw[i], m.S[1][i], m.S[2][i], m.C0[i] = {}, {}, {}, 0, 1/(i+2), "
            "1/(i+3)\n"
            "  for j = 1, 5 do\n"
            "    m.Me[i][j], m.K[i][j] = 1/(i+j+3), (i+1)*i*(j+1)*j/(i+j-1)\n"
            "    m.Kw[i][j] = (i+1)*(j+1)/2*(1/(i+j+1) - 1/(i+j+3))\n"
            "  end\nend\n"
            "local b = elastic('b', { modes = m, at = {0, 0}, nodes = { a = { at = {0, 0} } } })\n"
            "revolute('spin', ground, b.a, { at = {0, 0}, motion = %.17g*time })\n",
            speed[k]);
        near it = near_find(text, NULL, NULL);
        near_has(&it, 0, chord[k], (k < 3 ? 2e-4 : 1e-3) * chord[k]); /* from above */
        near_free(&it);
    }
}

/* The same polynomials as a column on a moving foot: Greenhill's weight, Euler's force, and their
   sum with an acceleration of the foot, all by the stiffness of these loads. */
static void loads_let_tables_of_modes_buckle(void **state)
{
    (void)state;
    static const struct {
        const char *loads;
        bool falls;
    } cases[] = {{"gravity{-7.8, 0}", false},
                 {"gravity{-7.88, 0}", true},
                 {"wrench('w', ground, b.b, { at = {1, 0}, force = {-2.455, 0} })", false},
                 {"wrench('w', ground, b.b, { at = {1, 0}, force = {-2.48, 0} })", true},
                 {"gravity{-3.8, 0}", false},
                 {"gravity{-3.9, 0}", true}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[3000];
        snprintf(
            text, sizeof text,
            "planar()\n"
            "local m = { mass = 1, moment = {1/2, 0}, inertia = 1/3, Me = {}, K = {}, Kw = {},\n"
            "  S = {{}, {}}, C0 = {}, Kt = {{}, {}} }\n"
            "local tip, flat = {{}, {}}, {{}, {}}\n"
            "for i = 1, 5 do\n"
            "  m.Me[i], m.K[i], m.Kw[i], m.S[1][i], m.S[2][i], m.C0[i] = {}, {}, {}, 0, 1/(i+2), "
            "1/(i+3)\n"
            "  m.Kt[1][i], m.Kt[2][i], tip[1][i], tip[2][i], flat[1][i], flat[2][i] = {}, {}, {}, "
            "{}, 0, 1\n"
            "  for j = 1, 5 do\n"
            "    m.Me[i][j], m.K[i][j] = 1/(i+j+3), (i+1)*i*(j+1)*j/(i+j-1)\n"
            "    m.Kw[i][j] = (i+1)*(j+1)/2*(1/(i+j+1) - 1/(i+j+3))\n"
            "    m.Kt[1][i][j], m.Kt[2][i][j] = -(i+1)*(j+1)/((i+j+1)*(i+j+2)), 0\n"
            "    tip[1][i][j], tip[2][i][j] = (i+1)*(j+1)/(i+j+1), 0\n"
            "  end\nend\n"
            "local b = elastic('b', { modes = m, at = {0, 0}, nodes = { a = { at = {0, 0} },\n"
            "  b = { at = {1, 0}, phi = flat, Kf = tip } } })\n"
            "if %d == 0 then fixed('foot', ground, b.a)\n"
            "else prismatic('foot', ground, b.a, { at = {0, 0}, axis = {1, 0}, motion = "
            "4*time^2/2 }) end\n%s\n",
            c >= 4, cases[c].loads);
        near it = near_find(text, NULL, NULL);
        double most = 0.0;
        for (int k = 0; k < it.modes.count; k++)
            most = fmax(most, it.modes.mode[k].re);
        assert_true(cases[c].falls ? most > 0.05 : most < 1e-6);
        near_free(&it);
    }
}

/* Without it the beam becomes unstable at its own frequency, 3.516: w^2 = w0^2 - speed^2. */
static void first_order_beams_soften(void **state)
{
    (void)state;
    const double w0 = 3.516015269;
    near it = turn(false, "true", 2);
    near_has(&it, 0, sqrt(w0 * w0 - 4), 1e-4);
    near_free(&it);
    it = turn(false, "true", 4);
    near_has(&it, sqrt(16 - w0 * w0), 0, 1e-4);
    near_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(centrifugal_forces_stiffen_a_beam),
        cmocka_unit_test(many_modes_have_more_digits),
        cmocka_unit_test(loads_stiffen_tables_of_modes),
        cmocka_unit_test(loads_let_tables_of_modes_buckle),
        cmocka_unit_test(first_order_beams_soften),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
