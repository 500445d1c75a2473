/* Unknowns that follow from others are completed, but those that are held keep their values. */
#include "solver/packed.h"

#include <driftless/driftless.h>

/* x = [lambda | v | p]: two masses on a line, 0 = p2 - p1 - 1. */
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const double *v = x + 1, *p = x + 3;
    (void)t, (void)need, (void)user;
    out->kin[0] = v[0], out->kin[1] = v[1];
    out->f[0] = out->f[1] = 0;
    out->g[0] = p[1] - p[0] - 1;
    out->gI[0] = v[1] - v[0];
    out->W[0] = -1, out->W[1] = 1;
    out->bias[0] = 0;
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    (void)t, (void)x, (void)user;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
    return 0;
}

static void velocities_that_follow_are_kept_where_they_are_held(void **state)
{
    (void)state;
    static const dfl_eom line = {.np = 2, .nv = 2, .nl = 1, .eval = eval, .mass = mass};
    static const double x0[5] = {0, 0, 3, 0, 1};
    static const bool uncounted[1] = {true}, following[5] = {false, false, true, false, true};
    for (int i = 0; i < 2; i++) {
        const bool held[5] = {[2] = i == 1};
        packed_model it;
        packed_create(&it, &line, 0, x0);
        it.sparsity.uncounted = uncounted;
        it.sparsity.following = following;
        dfl_solver *solver = NULL;
        const dfl_conditions conditions = {.held = held};
        if (dfl_solver_create(&solver, it.ctx, &it.eom, NULL) ||
            dfl_solver_start(solver, 0, x0, &conditions))
            fail_msg("%s", dfl_message(it.ctx));
        for (int j = 1; j <= 2; j++)
            assert_near(dfl_solver_state(solver)[j], i == 1 ? 3 : 0, 1e-15);
        dfl_solver_free(solver);
        packed_free(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_that_follow_are_kept_where_they_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
