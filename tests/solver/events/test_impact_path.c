/* Impacts with friction in two directions, against closed forms, plane impacts and small steps. */
#include "../../support.h"

#include "solver/impact_path.h"

/* Numbers in (0, 1). */
static double number(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return ((*seed >> 8) + 0.5) / 16777216.0;
}

/* D = L L' with random L: mass of a body with any shape. */
static dfl_collision random_impact(unsigned *seed)
{
    dfl_collision hit = {.directions = 2, .u = -0.1 - number(seed)};
    double L[3][3];
    for (int i = 0; i < 9; i++)
        L[i / 3][i % 3] = (i % 4 == 0 ? 0.5 : 0) + 1.2 * (number(seed) - 0.5);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++)
            hit.D[i / 3][i % 3] += L[i / 3][k] * L[i % 3][k];
    hit.h[0] = 4 * (number(seed) - 0.5);
    hit.h[1] = 4 * (number(seed) - 0.5);
    return hit;
}

/* Change of the kinetic energy: sum of impulses times mean speeds. */
static double energy(const dfl_collision *before, const dfl_collision *after)
{
    double sum = after->impulse[0] * (before->u + after->u) / 2;
    for (int k = 0; k < 2; k++)
        sum += after->impulse[k + 1] * (before->h[k] + after->h[k]) / 2;
    return sum;
}

static void energy_is_never_created(void **state)
{
    (void)state;
    unsigned seed = 1;
    int ended = 0;
    for (int i = 0; i < 400; i++) {
        const dfl_collision start = random_impact(&seed);
        const double e = number(&seed), friction = 1.5 * number(&seed);
        dfl_collision hit = start;
        if (!dfl_impact_path(&hit, e, friction))
            continue; /* it jams */
        assert_true(energy(&start, &hit) <= 1e-10);
        assert_true(hit.u >= -1e-10);
        assert_true(hypot(hit.impulse[1], hit.impulse[2]) <=
                    friction * hit.impulse[0] * (1 + 1e-9));
        for (int k = 0; k < 3; k++) { /* speeds follow from the impulses */
            double speed = k ? start.h[k - 1] : start.u;
            for (int l = 0; l < 3; l++)
                speed += start.D[k][l] * hit.impulse[l];
            assert_near(k ? hit.h[k - 1] : hit.u, speed, 1e-9);
        }
        ended++;
    }
    assert_true(ended > 300);
}

/* The law itself with many small steps of the normal impulse. */
static dfl_collision small_steps(dfl_collision hit, double e, double friction, int count)
{
    double end = INFINITY;
    const double dP = -hit.u / hit.D[0][0] / count;
    while (hit.impulse[0] < end) {
        const double r = hypot(hit.h[0], hit.h[1]);
        const double k[2] = {-friction * hit.h[0] / r, -friction * hit.h[1] / r};
        const double step = fmin(dP, end - hit.impulse[0]);
        hit.u += step * (hit.D[0][0] + k[0] * hit.D[0][1] + k[1] * hit.D[0][2]);
        for (int i = 0; i < 2; i++) {
            hit.h[i] += step * (hit.D[0][i + 1] + k[0] * hit.D[1][i + 1] + k[1] * hit.D[2][i + 1]);
            hit.impulse[i + 1] += step * k[i];
        }
        hit.impulse[0] += step;
        if (isinf(end) && hit.u >= 0)
            end = (1 + e) * hit.impulse[0];
    }
    return hit;
}

static void curved_paths_follow_the_law(void **state)
{
    (void)state;
    unsigned seed = 7;
    int compared = 0;
    for (int i = 0; i < 40; i++) {
        dfl_collision hit = random_impact(&seed);
        const double e = number(&seed), friction = 0.1 + 0.4 * number(&seed);
        const dfl_collision slow = small_steps(hit, e, friction, 20000);
        assert_true(dfl_impact_path(&hit, e, friction));
        if (hypot(hit.h[0], hit.h[1]) < 0.05)
            continue; /* small steps rattle about h = 0 */
        compared++;
        for (int k = 0; k < 2; k++)
            assert_near(hit.h[k], slow.h[k], 1e-3);
        assert_near(hit.u, slow.u, 1e-3);
    }
    assert_true(compared > 15);
}

/* Slip along one of two directions that are not coupled is slip in one. */
static void one_direction_of_two(void **state)
{
    (void)state;
    unsigned seed = 3;
    for (int i = 0; i < 100; i++) {
        dfl_collision plane = random_impact(&seed);
        const double e = number(&seed), friction = number(&seed), angle = 6 * number(&seed);
        const double c = cos(angle), s = sin(angle), nt = plane.D[0][1], tt = plane.D[1][1];
        dfl_collision space = {
            .directions = 2, .u = plane.u, .h = {c * plane.h[0], s * plane.h[0]}};
        const double across = 0.3; /* turned by the angle */
        space.D[0][0] = plane.D[0][0];
        space.D[0][1] = space.D[1][0] = c * nt;
        space.D[0][2] = space.D[2][0] = s * nt;
        space.D[1][1] = c * c * tt + s * s * across;
        space.D[2][2] = s * s * tt + c * c * across;
        space.D[1][2] = space.D[2][1] = c * s * (tt - across);
        plane.directions = 1;
        const bool ends = dfl_impact_path(&plane, e, friction);
        assert_int_equal(dfl_impact_path(&space, e, friction), ends);
        if (!ends)
            continue;
        assert_near(space.u, plane.u, 1e-9);
        assert_near(space.h[0], c * plane.h[0], 1e-9);
        assert_near(space.h[1], s * plane.h[0], 1e-9);
    }
}

/* A sphere of mass 1: D_tt = 7/2. It rolls after the impact, with 5/7 of its speed, or slips all
   along. */
static void a_sphere_rolls_or_slips(void **state)
{
    (void)state;
    for (int slips = 0; slips < 2; slips++) {
        dfl_collision hit = {.directions = 2,
                             .D = {{1, 0, 0}, {0, 3.5, 0}, {0, 0, 3.5}},
                             .u = -3,
                             .h = {slips ? 6 : 0.6, slips ? 8 : 0.8}};
        assert_true(dfl_impact_path(&hit, 0.8, 0.3));
        assert_near(hit.u, 2.4, 1e-12);
        const double push = slips ? 0.3 * 5.4 : 2.0 / 7;
        assert_near(hit.impulse[1], -0.6 * push, 1e-12);
        assert_near(hit.impulse[2], -0.8 * push, 1e-12);
        assert_near(hit.h[0], slips ? 0.6 * (10 - 3.5 * push) : 0, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_never_created),
        cmocka_unit_test(curved_paths_follow_the_law),
        cmocka_unit_test(one_direction_of_two),
        cmocka_unit_test(a_sphere_rolls_or_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
