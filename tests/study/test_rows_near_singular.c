/* A crank of length 1 with a rod of 1 + eps passes close to a singular position where both are
   upright: rows of 3e-5 s there cut every step, and the run goes on as without them. */
#include "../scripted.h"

static const char *const crank =
    "local eps = setting('eps', 1e-3)\n"
    "local a, b, c = position('a', 'b', 'c')\n"
    "kinetic((velocity(a)^2 + velocity(b)^2 + velocity(c)^2)/2)\n"
    "constraint('x', cos(a) + (1 + eps)*cos(b) - c)\n"
    "constraint('y', sin(a) - (1 + eps)*sin(b))\n"
    "initial{a = 0.5, b = math.asin(math.sin(0.5)/(1 + eps)), ['der(a)'] = 2}\n";

/* To t = 2, with rows for 0.18 s from a = 1.4 on, past a = pi/2, if `rows`. */
static void run_to_end(double *a, const char *set, double rtol, bool rows)
{
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.nset = 1, .set = &set};
    scripted_expect(
        &s, dfl_script_load_text(&s.model, s.ctx, "test.lua", crank, strlen(crank), &options));
    scripted_expect(&s, scripted_prepare(&s));
    scripted_start(&s, &(dfl_solver_options){.rtol = rtol});
    scripted_advance(&s, 0.1);
    while (scripted_value(&s, "a") < 1.4)
        scripted_advance(&s, dfl_solver_time(s.solver) + 0.01);
    const double begin = dfl_solver_time(s.solver);
    for (int k = 1; rows && k <= 6000; k++)
        scripted_advance(&s, begin + 3e-5 * k);
    scripted_advance(&s, 2);
    *a = scripted_value(&s, "a");
    scripted_free(&s);
}

static void rows_change_nothing(void **state)
{
    (void)state;
    static const char *const set[] = {"eps=1e-2", "eps=1e-3", "eps=1e-4"};
    for (int i = 0; i < 3; i++)
        for (double rtol = 1e-6; rtol > 1e-9; rtol *= 1e-2) {
            double alone, rows;
            run_to_end(&alone, set[i], rtol, false);
            run_to_end(&rows, set[i], rtol, true);
            print_message("%s rtol %g: %.9g, %.9g with rows\n", set[i], rtol, alone, rows);
            assert_near(rows, alone, 1e3 * rtol);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
