/* Multipliers of minimum norm for redundant rows of very different size: worked out for rows
   alone, and along the swing of a pendulum with formulas for its multipliers. */
#include "support.h"

#include "formulation/redundancy.h"

/* ---------------------------------------------------------------- rows alone */
/* Rows a, 1e-6 b, 1e6 (a + b), 1e-3 (2 a - 3 b) and one that vanishes. */
static void least_multipliers_have_the_same_force_and_no_part_without_effect(void **state)
{
    (void)state;
    enum { NC = 5, NV = 3 };
    const double a[NV] = {1, 2, -1}, b[NV] = {0.5, -1, 3};
    const double ca[NC] = {1, 0, 1e6, 2e-3, 0}, cb[NC] = {0, 1e-6, 1e6, -3e-3, 0};
    const double least[NC] = {0};
    double W[NV * NC], l[NC] = {3, -2e6, 1e-6, 40, 7}, given[NC], N[NC * NC];
    dfl_context *ctx = dfl_context_create();
    dfl_redundant red;
    for (int j = 0; j < NV; j++)
        for (int i = 0; i < NC; i++)
            W[j * NC + i] = ca[i] * a[j] + cb[i] * b[j];
    memcpy(given, l, sizeof l);
    assert_int_equal(dfl_redundant_init(&red, ctx, NC, NV), DFL_OK);
    dfl_redundant_choose(&red, W, NC, least, 2);
    assert_int_equal(red.rank, 2);
    dfl_redundant_least(l, &red);
    for (int j = 0; j < NV; j++) {
        double force = 0, before = 0, size = 0;
        for (int i = 0; i < NC; i++) {
            before += W[j * NC + i] * given[i];
            force += W[j * NC + i] * l[i];
            size += fabs(W[j * NC + i] * given[i]);
        }
        assert_near(force, before, 1e-14 * size);
    }
    /* orthogonal to the three directions without effect */
    dfl_redundant_kernel(N, NC, &red);
    for (int k = 0; k < 3; k++) {
        double dot = 0, size = 0, square = 0;
        for (int i = 0; i < NC; i++) {
            dot += N[k * NC + i] * l[i];
            size += fabs(N[k * NC + i] * l[i]);
            square += N[k * NC + i] * N[k * NC + i];
        }
        assert_near(square, 1, 1e-14);
        assert_near(dot, 0, 1e-13 * (size + 1));
        for (int j = 0; j < NV; j++) {
            double force = 0;
            for (int i = 0; i < NC; i++)
                force += W[j * NC + i] * N[k * NC + i];
            assert_near(force, 0, 1e-9); /* 1e-15 of the largest row */
        }
    }
    assert_near(l[4], 0, 0);
    dfl_redundant_clear(&red, ctx);
    assert_int_equal(dfl_context_live(ctx), 0);
    dfl_context_free(ctx);
}

/* Two rows at a small angle, and one of rounding size that points elsewhere. */
static void a_row_that_vanishes_does_not_stand_for_weak_ones(void **state)
{
    (void)state;
    enum { N = 3 };
    for (double angle = 0.1; angle > 1e-9; angle /= 10) {
        const double W[N * N] = {1, 1, 0, 0, angle, 0, 0, 0, 1e-17};
        const double least[N] = {1e-4, 1e-4, 1e-4};
        dfl_context *ctx = dfl_context_create();
        dfl_redundant red;
        assert_int_equal(dfl_redundant_init(&red, ctx, N, N), DFL_OK);
        dfl_redundant_choose(&red, W, N, least, 2);
        assert_int_equal(red.rank, 2);
        assert_int_equal(red.order[2], 2);
        dfl_redundant_clear(&red, ctx);
        dfl_context_free(ctx);
    }
}

/* ---------------------------------------------------------------- a swing */
/* A point of mass M on a sphere of radius L, and in the plane z = 0, falls from (L, 0, 0) in a
   field (0, -g, 0.3 g). Row i is (|p|^2 - L^2)/2, or z if `plane`, times `factor`. */
enum { MOST_ROWS = 4 };
typedef struct sphere {
    int rows;
    bool plane[MOST_ROWS];
    double factor[MOST_ROWS];
    double mass, length;
    bool geoms;
} sphere;

static const double gravity = 9.81;

static int sphere_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const sphere *s = user;
    const int n = s->rows;
    const double *v = x + n, *p = v + 3;
    double f[3] = {0, -s->mass * gravity, 0.3 * s->mass * gravity};
    (void)t;
    for (int i = 0; i < n; i++) {
        const double c = s->factor[i];
        const bool plane = s->plane[i];
        const double row[3] = {plane ? 0 : c * p[0], plane ? 0 : c * p[1], plane ? c : c * p[2]};
        for (int j = 0; s->geoms && j < 3; j++)
            f[j] -= row[j] * x[i];
        for (int j = 0; need & DFL_DIRECTIONS && j < 3; j++)
            out->W[j * n + i] = row[j];
        if (need & DFL_POSITION)
            out->g[i] =
                plane ? c * p[2]
                      : c * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - s->length * s->length) / 2;
        if (need & DFL_VELOCITY)
            out->gI[i] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
    }
    for (int i = 0; need & DFL_BIAS && i < n; i++) {
        const double c = s->factor[i];
        out->bias[i] = s->plane[i] ? 0 : c * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (s->geoms && s->plane[i])
            out->bias[i] += c * f[2] / s->mass;
        else if (s->geoms)
            out->bias[i] += c * (p[0] * f[0] + p[1] * f[1] + p[2] * f[2]) / s->mass;
    }
    if (need & DFL_KINEMATICS)
        memcpy(out->kin, v, 3 * sizeof *v);
    if (need & DFL_FORCE)
        memcpy(out->f, f, sizeof f);
    return 0;
}

static int sphere_mass(double *M, double t, const double *x, void *user)
{
    const sphere *s = user;
    (void)t, (void)x;
    M[0] = M[1] = M[2] = s->mass;
    return 0;
}

/* Swings for 3 sqrt(L/g): to (-0.968859, -0.247611) L, by the pendulum's equation in its angle.
   Multipliers of the sphere add up to (m v^2 - m g y)/L^2, those of the plane to 0.3 m g. */
static void check_swing(sphere s)
{
    const int n = s.rows;
    const dfl_eom eom = {.np = 3,
                         .nv = 3,
                         .nl = n,
                         .eval = sphere_eval,
                         .mass = sphere_mass,
                         .mass_diagonal = true,
                         .mass_constant = true,
                         .contract = s.geoms ? DFL_GEOMS : DFL_NATIVE,
                         .user = &s};
    const double speed = sqrt(s.length * gravity), L = s.length;
    double x0[MOST_ROWS + 6] = {0}, atol[MOST_ROWS + 6], square[2] = {0, 0};
    x0[n + 3] = L;
    for (int i = 0; i < n; i++)
        square[s.plane[i]] += s.factor[i] * s.factor[i];
    for (int i = 0; i < n; i++)
        atol[i] = 1e-8 * s.mass * gravity / (sqrt(square[s.plane[i]]) * (s.plane[i] ? 1 : L));
    for (int i = 0; i < 3; i++) {
        atol[n + i] = 1e-8 * speed;
        atol[n + 3 + i] = 1e-8 * L;
    }
    const dfl_solver_options options = {.rtol = 1e-8, .error.atol_each = atol, .self_check = true};
    const run r = run_with(&eom, 0, x0, 3 * sqrt(L / gravity), &options, NULL);
    assert_succeeded(&r);
    const double *v = r.x + n, *p = v + 3;
    assert_near(p[0] / L, -0.968859, 1e-6);
    assert_near(p[1] / L, -0.247611, 1e-6);
    assert_near((v[0] * v[0] + v[1] * v[1]) / (2 * gravity * L) + p[1] / L, 0, 1e-7);
    const double total[2] = {s.mass * (v[0] * v[0] + v[1] * v[1] - gravity * p[1]) / (L * L),
                             0.3 * s.mass * gravity};
    for (int i = 0; i < n; i++) {
        const int k = s.plane[i];
        assert_near(r.x[i], total[k] * s.factor[i] / square[k], 1e-7 * total[k] / sqrt(square[k]));
    }
}

static void factors_of_redundant_rows_change_nothing_but_their_multipliers(void **state)
{
    (void)state;
    const sphere all[] = {
        {2, {0, 1}, {1, 1}, 1, 1, false},
        {3, {0, 1, 0}, {1, 1, 1}, 1, 1, false},
        {3, {0, 1, 0}, {1e6, 1e-6, 1e6}, 1, 1, false},
        {3, {0, 1, 0}, {1e-6, 1e6, 1e-6}, 1, 1, false},
        {4, {0, 1, 0, 1}, {1e-6, 1, 1e6, 1e-3}, 1, 1, false},
        {3, {0, 1, 0}, {1, 1, 1}, 1e-6, 1, false},
        {3, {0, 1, 0}, {1, 1, 1}, 1e6, 1, false},
        {2, {0, 1}, {1e6, 1e-6}, 1e6, 1, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_swing(all[i]);
}

static void redundant_rows_keep_their_multipliers_at_any_size(void **state)
{
    (void)state;
    const double length[] = {1e-10, 1e-6, 1e6, 1e11};
    for (int i = 0; i < 4; i++)
        for (int geoms = 0; geoms < 2; geoms++)
            check_swing((sphere){3, {0, 1, 0}, {1, 1, 1}, 1, length[i], geoms});
}

static void the_geoms_contract_gives_the_same_multipliers(void **state)
{
    (void)state;
    check_swing((sphere){3, {0, 1, 0}, {1, 1, 1}, 1, 1, true});
    check_swing((sphere){3, {0, 1, 0}, {1e-6, 1e6, 1e-6}, 1, 1, true});
    check_swing((sphere){4, {0, 1, 0, 1}, {1e-6, 1, 1e6, 1e-3}, 1, 1, true});
    check_swing((sphere){3, {0, 1, 0}, {1, 1, 1}, 1e-6, 1, true});
    check_swing((sphere){3, {0, 1, 0}, {1, 1, 1}, 1e6, 1, true});
}

/* ---------------------------------------------------------------- a kernel that turns */
/* A pendulum of length 1 with the rows g and k(t) g, k = 1 + 0.9 sin 3t: l = L (1, k)/(1 + k^2),
   L = v^2 - g y. */
static int turning_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const bool geoms = *(const bool *)user;
    const double *v = x + 2, *p = x + 4;
    const double k = 1 + 0.9 * sin(3 * t), k1 = 2.7 * cos(3 * t), k2 = -8.1 * sin(3 * t);
    const double g = (p[0] * p[0] + p[1] * p[1] - 1) / 2, gI = p[0] * v[0] + p[1] * v[1];
    const double bias = v[0] * v[0] + v[1] * v[1], load = geoms ? x[0] + k * x[1] : 0;
    const double f[2] = {-p[0] * load, -gravity - p[1] * load};
    const double force = geoms ? p[0] * f[0] + p[1] * f[1] : 0;
    if (need & DFL_FORCE)
        memcpy(out->f, f, sizeof f);
    if (need & DFL_POSITION) {
        out->g[0] = g;
        out->g[1] = k * g;
    }
    if (need & DFL_VELOCITY) {
        out->gI[0] = gI;
        out->gI[1] = k * gI + k1 * g;
    }
    for (int j = 0; need & DFL_DIRECTIONS && j < 2; j++) {
        out->W[2 * j] = p[j];
        out->W[2 * j + 1] = k * p[j];
    }
    if (need & DFL_BIAS) {
        out->bias[0] = bias + force;
        out->bias[1] = k * (bias + force) + 2 * k1 * gI + k2 * g;
    }
    return 0;
}

static void multipliers_stay_those_of_minimum_norm_while_the_kernel_turns(void **state)
{
    (void)state;
    for (int geoms = 0; geoms < 2; geoms++)
        for (int form = DFL_PSF; form <= DFL_PSI1; form++)
            for (int method = DFL_RADAU; method <= DFL_BDF; method++) {
                bool contract = geoms;
                const dfl_eom eom = {.np = 2,
                                     .nv = 2,
                                     .nl = 2,
                                     .eval = turning_eval,
                                     .contract = geoms ? DFL_GEOMS : DFL_NATIVE,
                                     .trivial_kinematics = true,
                                     .user = &contract};
                const double x0[6] = {0, 0, 0, 0, 0.6, -0.8};
                const dfl_solver_options options = {
                    .rtol = 1e-7, .form = (dfl_form)form, .integrator = (dfl_integrator)method};
                const run r = run_with(&eom, 0, x0, 4, &options, NULL);
                assert_succeeded(&r);
                const double *v = r.x + 2, *p = r.x + 4, k = 1 + 0.9 * sin(12);
                const double load = v[0] * v[0] + v[1] * v[1] - gravity * p[1];
                /* psi1 knows its multipliers less well, but none leaves the minimum */
                const double tol = form == DFL_PSI1 ? 1e-3 : 1e-5;
                assert_near(r.x[0], load / (1 + k * k), tol);
                assert_near(r.x[1], load * k / (1 + k * k), tol);
                assert_near(r.x[1] - k * r.x[0], 0, 1e-6);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_multipliers_have_the_same_force_and_no_part_without_effect),
        cmocka_unit_test(a_row_that_vanishes_does_not_stand_for_weak_ones),
        cmocka_unit_test(factors_of_redundant_rows_change_nothing_but_their_multipliers),
        cmocka_unit_test(redundant_rows_keep_their_multipliers_at_any_size),
        cmocka_unit_test(the_geoms_contract_gives_the_same_multipliers),
        cmocka_unit_test(multipliers_stay_those_of_minimum_norm_while_the_kernel_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
