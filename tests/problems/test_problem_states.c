/* test_problem_states.c: starts and references of every benchmark problem are consistent, its
   invariants do not change, its massless rows balance. */
#include "examined.h"

/* Start values and references that are known with fewer digits than the others, which hold to
   1e-12 relative to the size of the terms of a row. */
static const struct {
    const char *name;
    double position, acceleration;
} loose[] = {{"wheelset", 1e-9, 1e-6}};

/* The rate of the energy, against the power of the single forces. */
static void check_energy(fixture *fix, double t, const double *x, const double *a, const double *dx)
{
    const int n = fix->at.n, nv = fix->eom->nv;
    const void *parameters = fix->prob.parameters;
    const double h = 1e-5 / (1.0 + largest(x + fix->at.v, nv));
    double *x1 = allocate(n), *x2 = allocate(n), *inertia = allocate(nv);
    for (int i = 0; i < n; i++) {
        x1[i] = x[i] - h * dx[i];
        x2[i] = x[i] + h * dx[i];
    }
    const double energy = fix->prob.energy(x, parameters);
    const double change = fix->prob.energy(x2, parameters) - fix->prob.energy(x1, parameters);
    double power = 0.0;
    multiply_mass(inertia, fix, t, x, a);
    eval(fix, t, x, DFL_FORCE);
    for (int i = 0; i < nv; i++)
        power += (fabs(inertia[i]) + fabs(fix->blocks.f[i])) * fabs(x[fix->at.v + i]);
    assert_near(fix, "rate of the energy", 0, 0, change / (2.0 * h), 0.0,
                1e-7 * power + 1e-9 * (1.0 + fabs(energy)));
    free(inertia);
    free(x2);
    free(x1);
}

/* e, ep and the energy do not change along the motion. */
static void check_invariants(fixture *fix, double t, const double *x)
{
    const dfl_eom *eom = fix->eom;
    if (eom->n0 > 0 || (!fix->prob.energy && eom->ne + eom->nep == 0))
        return;
    double *a = accelerations(fix, t, x), *dx = flow(fix, t, x, a);
    double *rows = difference(fix, t, x, a, 1.0, dx, 1e-4);
    for (int i = 0; i < eom->ne; i++)
        assert_near(fix, "rate of e", i, 0, rows[fix->row.vel + fix->nc + i], 0.0, 1e-6);
    for (int i = 0; i < eom->nep; i++)
        assert_near(fix, "rate of ep", i, 0, rows[fix->row.pos + eom->ns + eom->nl + i], 0.0, 1e-8);
    if (fix->prob.energy)
        check_energy(fix, t, x, a, dx);
    free(rows);
    free(dx);
    free(a);
}

static void check_consistent_states(fixture *fix)
{
    for (int i = 0; i < fix->nconsistent; i++)
        check_invariants(fix, fix->times[i], fix->states[i]);
}

static void invariants_do_not_change_along_the_motion(void **state)
{
    (void)state;
    for_each_problem(check_consistent_states);
}

static void tolerances(double *position, double *acceleration, const fixture *fix)
{
    *position = 1e-12;
    *acceleration = 1e-10;
    for (size_t i = 0; i < sizeof loose / sizeof *loose; i++)
        if (strcmp(loose[i].name, fix->prob.name) == 0) {
            *position = loose[i].position;
            *acceleration = loose[i].acceleration;
        }
}

/* All rows without a derivative, and the acceleration level with the multipliers of x. Rows that
   contain an unknown number (NAN) are passed over. */
static void assert_consistent(fixture *fix, double t, const double *x, double position,
                              double acceleration)
{
    const dfl_eom *eom = fix->eom;
    const struct {
        const char *name;
        double *const *numbers;
        int n;
    } part[] = {{"d", &fix->blocks.d, eom->nw},   {"c", &fix->blocks.c, eom->ns},
                {"g", &fix->blocks.g, eom->nl},   {"ep", &fix->blocks.ep, eom->nep},
                {"gI", &fix->blocks.gI, eom->nl}, {"hv", &fix->blocks.hv, eom->nm},
                {"e", &fix->blocks.e, eom->ne}};
    double size = 1.0;
    for (int i = fix->at.v; i < fix->at.n; i++)
        size = fmax(size, fabs(x[i]));
    if (!eval(fix, t, x, DFL_EVERYTHING))
        return;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        for (int i = 0; i < part[k].n; i++)
            if (isfinite((*part[k].numbers)[i]))
                assert_near(fix, part[k].name, i, 0, (*part[k].numbers)[i], 0.0,
                            position * size * size);
    if (eom->n0 > 0 || !all_finite(x, fix->at.n))
        return;
    double *a = accelerations(fix, t, x), *rows = allocate(fix->row.n);
    eval_rows(rows, fix, t, x, a);
    eval(fix, t, x, DFL_DIRECTIONS | DFL_BIAS);
    for (int i = 0; i < fix->nc; i++) {
        double terms = 1.0 + fabs(fix->blocks.bias[i]);
        for (int j = 0; j < eom->nv; j++)
            terms += fabs(fix->blocks.W[i + fix->nc * j] * a[j]);
        if (isfinite(rows[fix->row.acc + i]))
            assert_near(fix, "W a + bias", i, 0, rows[fix->row.acc + i], 0.0, acceleration * terms);
    }
    free(rows);
    free(a);
}

static void check_start(fixture *fix)
{
    double position, acceleration;
    tolerances(&position, &acceleration, fix);
    assert_consistent(fix, fix->prob.t0, fix->prob.x0, position, acceleration);
}

static void start_is_consistent(void **state)
{
    (void)state;
    for_each_problem(check_start);
}

static void check_references(fixture *fix)
{
    double position, acceleration;
    tolerances(&position, &acceleration, fix);
    for (int k = 0; k < fix->prob.nreferences; k++) {
        const problem_reference *known = &fix->prob.references[k];
        assert_true(k == 0 || known->t > known[-1].t);
        /* an error of the reference counts with |W|, and is divided by M in the accelerations */
        assert_consistent(fix, known->t, known->x, position + 100.0 * known->accuracy,
                          acceleration + 1e6 * known->accuracy);
    }
}

static void references_are_consistent(void **state)
{
    (void)state;
    for_each_problem(check_references);
}

/* gam = K0^T f and M K0 = 0. */
static void check_massless(fixture *fix, double t, const double *x)
{
    const int nv = fix->eom->nv;
    double *product = allocate(nv);
    for (int k = 0; k < fix->eom->n0; k++) {
        eval(fix, t, x, DFL_EVERYTHING);
        const double *direction = fix->blocks.K0 + nv * k;
        double sum = 0.0;
        for (int i = 0; i < nv; i++)
            sum += direction[i] * fix->blocks.f[i];
        assert_near(fix, "gam", k, 0, fix->blocks.gam[k], sum, 1e-12 * (1.0 + fabs(sum)));
        multiply_mass(product, fix, t, x, direction);
        for (int i = 0; i < nv; i++)
            assert_near(fix, "M K0", i, k, product[i], 0.0, 1e-14);
    }
    free(product);
}

static void massless_rows_balance_the_forces(void **state)
{
    (void)state;
    for_each_state(check_massless);
}

static void unknown_names_are_refused(void **state)
{
    problem prob;
    (void)state;
    assert_false(problem_make(&prob, "perpetuum mobile", 0));
    problem_free(NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_do_not_change_along_the_motion),
        cmocka_unit_test(start_is_consistent),
        cmocka_unit_test(references_are_consistent),
        cmocka_unit_test(massless_rows_balance_the_forces),
        cmocka_unit_test(unknown_names_are_refused),
    };
    select_problems(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
