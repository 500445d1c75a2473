/* test_problem_blocks.c: the levels of the constraints and the analytic Jacobian of every benchmark
   problem agree with differences, its mass matrix and its flags say what is true. */
#include "examined.h"

/* ---- levels of the constraints ---- */

static void check_directions(fixture *fix, double t, const double *x)
{
    const int nc = fix->nc;
    double *a = random_accelerations(fix), *dx = allocate(fix->at.n);
    for (int j = 0; j < fix->eom->nv; j++) {
        dx[fix->at.v + j] = 1.0;
        double *rows = difference(fix, t, x, a, 0.0, dx, 1e-3);
        dx[fix->at.v + j] = 0.0;
        eval(fix, t, x, DFL_DIRECTIONS);
        for (int i = 0; i < nc; i++) {
            const double expected = rows[fix->row.vel + i];
            assert_near(fix, "W", i, j, fix->blocks.W[i + nc * j], expected,
                        1e-9 * (1.0 + fabs(expected)));
        }
        free(rows);
    }
    free(dx);
    free(a);
}

static void directions_are_the_velocity_derivatives_of_the_velocity_level(void **state)
{
    (void)state;
    for_each_state(check_directions);
}

/* gI = dg/dt along p' = Z v, with s following c(p,s,t) = 0. */
static void check_velocity_level(fixture *fix, double t, const double *x)
{
    const dfl_eom *eom = fix->eom;
    double *a = random_accelerations(fix), *dx = flow(fix, t, x, a);
    double *rows = difference(fix, t, x, a, 1.0, dx, 1e-4);
    eval(fix, t, x, DFL_VELOCITY);
    const double size = 1.0 + largest(fix->blocks.gI, eom->nl);
    for (int i = 0; i < eom->nl; i++)
        assert_near(fix, "gI", i, 0, fix->blocks.gI[i], rows[fix->row.pos + eom->ns + i],
                    1e-8 * size);
    free(rows);
    free(dx);
    free(a);
}

static void velocity_level_is_the_rate_of_the_position_level(void **state)
{
    (void)state;
    for_each_state(check_velocity_level);
}

/* W a + bias = d(gI,hv)/dt along p' = Z v, v' = a for any a. */
static void check_acceleration_level(fixture *fix, double t, const double *x)
{
    double *a = random_accelerations(fix), *dx = flow(fix, t, x, a);
    double *rows = difference(fix, t, x, a, 1.0, dx, 1e-4), *here = allocate(fix->row.n);
    eval_rows(here, fix, t, x, a);
    const double size = 1.0 + largest(here + fix->row.acc, fix->nc);
    for (int i = 0; i < fix->nc; i++)
        assert_near(fix, "W a + bias", i, 0, here[fix->row.acc + i], rows[fix->row.vel + i],
                    1e-8 * size);
    free(here);
    free(rows);
    free(dx);
    free(a);
}

static void acceleration_level_is_the_rate_of_the_velocity_level(void **state)
{
    (void)state;
    for_each_state(check_acceleration_level);
}

/* ---- Jacobian, mass matrix, flags ---- */

static void create_jacobian(dfl_jacobian *J, const fixture *fix)
{
    const dfl_eom *eom = fix->eom;
    const int n = fix->at.n, nvsp = eom->nv + eom->ns + eom->np;
    *J = (dfl_jacobian){.d = allocate(eom->nw * n),
                        .acc = allocate(fix->nc * n),
                        .vel = allocate((fix->nc + eom->ne) * nvsp),
                        .gam = allocate(eom->n0 * n),
                        .pos = allocate((eom->ns + eom->nl + eom->nep) * (eom->ns + eom->np)),
                        .b = allocate(eom->nr * n),
                        .dyn = allocate(eom->nv * n),
                        .kin = allocate(eom->np * nvsp)};
}

static void free_jacobian(dfl_jacobian *J)
{
    double *blocks[] = {J->d, J->acc, J->vel, J->gam, J->pos, J->b, J->dyn, J->kin};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

/* Column j of x in all blocks, stacked as the rows are; blocks without that column give zeros. */
static double *jacobian_column(const dfl_jacobian *J, const fixture *fix, int j)
{
    const dfl_eom *eom = fix->eom;
    const int npos = eom->ns + eom->nl + eom->nep, nvel = fix->nc + eom->ne;
    const int jv = j - fix->at.v, js = j - fix->at.s;
    const struct {
        const double *block;
        int first, rows, column;
    } part[] = {{J->d, fix->row.d, eom->nw, j},     {J->acc, fix->row.acc, fix->nc, j},
                {J->vel, fix->row.vel, nvel, jv},   {J->gam, fix->row.gam, eom->n0, j},
                {J->pos, fix->row.pos, npos, js},   {J->b, fix->row.b, eom->nr, j},
                {J->dyn, fix->row.dyn, eom->nv, j}, {J->kin, fix->row.kin, eom->np, jv}};
    double *column = allocate(fix->row.n);
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        for (int i = 0; i < part[k].rows && part[k].column >= 0; i++)
            column[part[k].first + i] = part[k].block[i + part[k].rows * part[k].column];
    return column;
}

static void check_jacobian(fixture *fix, double t, const double *x)
{
    const int n = fix->at.n, m = fix->row.n;
    if (!fix->eom->jacobian)
        return;
    dfl_jacobian J;
    double *a = random_accelerations(fix), *dx = allocate(n), *size = allocate(m);
    double **expected = malloc((size_t)n * sizeof *expected);
    assert_non_null(expected);
    create_jacobian(&J, fix);
    assert_int_equal(fix->eom->jacobian(&J, t, x, a, fix->eom->user), 0);
    eval_rows(size, fix, t, x, a);
    for (int i = 0; i < m; i++)
        size[i] = 1e-6 + fabs(size[i]);
    for (int j = 0; j < n; j++) {
        dx[j] = fmax(1.0, fabs(x[j]));
        expected[j] = difference(fix, t, x, a, 0.0, dx, 1e-5);
        for (int i = 0; i < m; i++) {
            expected[j][i] /= dx[j];
            size[i] = fmax(size[i], fabs(expected[j][i]));
        }
        dx[j] = 0.0;
    }
    for (int j = 0; j < n; j++) {
        double *column = jacobian_column(&J, fix, j);
        for (int i = 0; i < m; i++)
            assert_near(fix, "row of the Jacobian", i, j, column[i], expected[j][i],
                        1e-7 * fabs(expected[j][i]) + 1e-9 * size[i]);
        free(column);
        free(expected[j]);
    }
    free_jacobian(&J);
    free(expected);
    free(size);
    free(dx);
    free(a);
}

static void jacobian_agrees_with_differences(void **state)
{
    (void)state;
    for_each_state(check_jacobian);
}

static void check_mass(fixture *fix, double t, const double *x)
{
    const int nv = fix->eom->nv;
    double *M = mass_matrix(fix, t, x), *start = mass_matrix(fix, fix->prob.t0, fix->prob.x0);
    const double size = largest(M, nv * nv);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            assert_near(fix, "M", i, j, M[i + nv * j], M[j + nv * i], 1e-15 * size);
            if (fix->eom->mass_constant)
                assert_near(fix, "constant M", i, j, M[i + nv * j], start[i + nv * j], 0.0);
        }
    free(start);
    free(M);
}

static void mass_matrix_is_symmetric_and_constant_if_it_says_so(void **state)
{
    (void)state;
    for_each_state(check_mass);
}

/* Compares all blocks with those at another time and state. */
static void assert_same_blocks(fixture *fix, const char *what, double t, const double *x,
                               unsigned need)
{
    dfl_blocks other;
    block here[NBLOCKS], there[NBLOCKS];
    create_blocks(&other, fix->eom);
    list_blocks(here, &fix->blocks, fix->eom);
    list_blocks(there, &other, fix->eom);
    assert_int_equal(fix->eom->eval(&other, t, x, DFL_EVERYTHING, fix->eom->user), 0);
    for (int k = 0; k < NBLOCKS; k++)
        for (int i = 0; here[k].bit & need && i < here[k].n; i++)
            assert_near(fix, what, k, i, (*there[k].numbers)[i], (*here[k].numbers)[i], 0.0);
    free_blocks(&other, fix->eom);
}

static void check_flags(fixture *fix, double t, const double *x)
{
    assert_true(eval(fix, t, x, DFL_EVERYTHING));
    if (fix->eom->autonomous)
        assert_same_blocks(fix, "autonomous: block, number", t + 0.37, x, DFL_EVERYTHING);
    if (fix->eom->forces_free_of_multipliers) {
        double *y = allocate(fix->at.n);
        memcpy(y, x, (size_t)fix->at.n * sizeof *y);
        for (int i = 0; i < fix->nc; i++)
            y[fix->at.lambda + i] += 1.0 + fabs(x[fix->at.lambda + i]);
        assert_same_blocks(fix, "free of multipliers: block, number", t, y,
                           DFL_FORCE | DFL_DYNAMIC | DFL_AUXILIARY);
        free(y);
    }
}

static void flags_are_true(void **state)
{
    (void)state;
    for_each_state(check_flags);
}

/* Each bit of `need` alone writes its blocks, as an evaluation of everything does, and no others.
 */
static void check_need(fixture *fix, double t, const double *x)
{
    const double untouched = -1.2345e87;
    dfl_blocks only;
    block all[NBLOCKS], some[NBLOCKS];
    create_blocks(&only, fix->eom);
    list_blocks(all, &fix->blocks, fix->eom);
    list_blocks(some, &only, fix->eom);
    assert_true(eval(fix, t, x, DFL_EVERYTHING));
    for (unsigned bit = 1; bit & DFL_EVERYTHING; bit <<= 1) {
        for (int k = 0; k < NBLOCKS; k++) {
            const bool zeroed = some[k].bit == DFL_DIRECTIONS && bit == DFL_DIRECTIONS;
            for (int i = 0; i < some[k].n; i++)
                (*some[k].numbers)[i] = zeroed ? 0.0 : untouched;
        }
        assert_int_equal(fix->eom->eval(&only, t, x, bit, fix->eom->user), 0);
        for (int k = 0; k < NBLOCKS; k++)
            for (int i = 0; i < some[k].n; i++)
                assert_near(fix, some[k].name, (int)bit, i, (*some[k].numbers)[i],
                            some[k].bit == bit ? (*all[k].numbers)[i] : untouched, 0.0);
    }
    free_blocks(&only, fix->eom);
}

static void exactly_the_needed_blocks_are_written(void **state)
{
    (void)state;
    for_each_state(check_need);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_the_velocity_derivatives_of_the_velocity_level),
        cmocka_unit_test(velocity_level_is_the_rate_of_the_position_level),
        cmocka_unit_test(acceleration_level_is_the_rate_of_the_velocity_level),
        cmocka_unit_test(jacobian_agrees_with_differences),
        cmocka_unit_test(mass_matrix_is_symmetric_and_constant_if_it_says_so),
        cmocka_unit_test(flags_are_true),
        cmocka_unit_test(exactly_the_needed_blocks_are_written),
    };
    select_problems(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
