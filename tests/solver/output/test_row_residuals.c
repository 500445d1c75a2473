/* test_row_residuals.c: residuals of interpolated rows are those of their own states. */
#include "scripted.h"

typedef struct rows {
    scripted *s;
    int count;
    double largest;
} rows;

/* The rod of length 1: g = x^2 + y^2 - 1, gI = 2 (x x' + y y'). */
static int on_output(double t, const double *x, void *user)
{
    rows *r = user;
    const dfl_equations *eq = r->s->eq;
    const double px = x[dfl_equations_find(eq, "x")], py = x[dfl_equations_find(eq, "y")];
    const double vx = x[dfl_equations_find(eq, "der(x)")], vy = x[dfl_equations_find(eq, "der(y)")];
    if (t == 0)
        return 0;
    const dfl_residuals found = dfl_solver_residuals_at(r->s->solver, t, x);
    assert_near(found.position, fabs(px * px + py * py - 1), 1e-15);
    assert_near(found.velocity, fabs(2 * (px * vx + py * vy)), 1e-14);
    r->largest = fmax(r->largest, found.position);
    r->count++;
    return 0;
}

static void interpolated_rows_have_their_own_residuals(void **state)
{
    (void)state;
    scripted s = scripted_text("local x, y = position(\"x\", \"y\")\n"
                               "kinetic((velocity(x)^2 + velocity(y)^2)/2) potential(9.81*y)\n"
                               "constraint(\"rod\", x^2 + y^2 - 1) initial{x = 1, y = 0}\n");
    rows r = {.s = &s};
    scripted_start(
        &s, &(dfl_solver_options){.output.every = 0.01, .output.on_output = on_output, .user = &r});
    scripted_advance(&s, 2);
    assert_int_equal(r.count, 200);
    /* the rows leave the constraint by the error of the interpolation, the steps do not */
    assert_true(r.largest > 100 * dfl_solver_statistics(s.solver).max_residual.position);
    scripted_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpolated_rows_have_their_own_residuals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
