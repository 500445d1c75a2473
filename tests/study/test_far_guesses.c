/* Guesses far from any solution: what the search finds does not depend on the unit of length. */
#include "../scripted.h"

static const char *const bars =
    "local S = setting('S', 1)\n"
    "local x, y, u, w = position('x', 'y', 'u', 'w')\n"
    "local L = param('L', S, 'm')\n"
    "kinetic((velocity(x)^2 + velocity(y)^2 + velocity(u)^2 + velocity(w)^2)/2)\n"
    "constraint('a', x^2 + y^2 - L^2)\n"
    "constraint('c', (u - x)^2 + (w - y)^2 - (1.5*L)^2)\n"
    "constraint('d', u + 0.3*w - 2*L)\n"
    "guess{x = -0.9*S, y = 0.1*S, u = -S, w = -4*S}\n";

static void units_of_length_change_nothing(void **state)
{
    (void)state;
    static const char *const set[] = {"S=1", "S=1e-6", "S=1e-3", "S=1e3", "S=1e6"};
    double first[4];
    for (int i = 0; i < 5; i++) {
        scripted s = {.ctx = dfl_context_create()};
        const double S = atof(set[i] + 2);
        const dfl_script_options options = {.nset = 1, .set = &set[i]};
        scripted_expect(
            &s, dfl_script_load_text(&s.model, s.ctx, "test.lua", bars, strlen(bars), &options));
        scripted_expect(&s, scripted_prepare(&s));
        scripted_start(&s, &(dfl_solver_options){.rtol = 1e-9});
        const double found[4] = {scripted_value(&s, "x"), scripted_value(&s, "y"),
                                 scripted_value(&s, "u"), scripted_value(&s, "w")};
        assert_near(hypot(found[0], found[1]) / S, 1, 1e-9);
        assert_near(hypot(found[2] - found[0], found[3] - found[1]) / S, 1.5, 1e-9);
        for (int k = 0; k < 4; k++) {
            if (i == 0)
                first[k] = found[k];
            assert_near(found[k] / S, first[k], 1e-6);
        }
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_length_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
