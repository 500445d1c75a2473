/* test_end_selectors.c: the trapezoidal rule with the selectors of each end of a step, (44) of
   Steinbrecher (2002), against a direct solution of its equations: unknowns p, v, lambda of the
   end, Newton's iteration with differences, selectors of both ends as the user writes them. The
   model is a pendulum with different masses along x and y, so that S f and S M v' differ. */
#include "forms.h"

enum { LAMBDA, VX, VY, X, Y, N };
static const double start[N] = {0, 3, 0, 0, -1};
static const double length = 0.24;

/* The rows that a user selects at a state. */
typedef void (*select_at)(double *Sp, double *Sv, const double *x);

/* As in the paper: one row up to p1 = 1/2, the other one beyond; the border lies between steps. */
static void switching(double *Sp, double *Sv, const double *x)
{
    const int row = x[X] > 0.3031;
    Sp[row] = Sv[row] = 1;
    Sp[1 - row] = Sv[1 - row] = 0;
}

/* Rows that turn with the pendulum: they change in every step. */
static void turning(double *Sp, double *Sv, const double *x)
{
    Sp[0] = -x[Y], Sp[1] = 0.5 + x[X];
    Sv[0] = 1 + x[X] * x[X], Sv[1] = x[X];
}

static int select_rows(double *Sp, double *Sv, int nfp, int nfv, double t, const double *x,
                       void *user)
{
    const select_at *rule = user;
    (void)t;
    assert_int_equal(nfp, 1);
    assert_int_equal(nfv, 1);
    (*rule)(Sp, Sv, x);
    return 0;
}

static void force(double *f, const double *x)
{
    f[0] = -2 * x[X] * x[LAMBDA];
    f[1] = -10 * uneven_weight[1] - 2 * x[Y] * x[LAMBDA];
}

/* The five equations (44). */
static void equations(double *F, const double *x0, const double *x1, double h, select_at rule)
{
    double Sp0[2], Sv0[2], Sp1[2], Sv1[2], f0[2], f1[2];
    rule(Sp0, Sv0, x0);
    rule(Sp1, Sv1, x1);
    force(f0, x0);
    force(f1, x1);
    F[0] = F[1] = 0;
    F[4] = 2 * (x1[VX] * x1[VX] + x1[VY] * x1[VY]);
    for (int i = 0; i < 2; i++) {
        F[0] += (Sp0[i] + Sp1[i]) / 2 * (x1[X + i] - x0[X + i]) -
                h / 2 * (Sp1[i] * x1[VX + i] + Sp0[i] * x0[VX + i]);
        F[1] += (Sv0[i] + Sv1[i]) / 2 * uneven_weight[i] * (x1[VX + i] - x0[VX + i]) -
                h / 2 * (Sv1[i] * f1[i] + Sv0[i] * f0[i]);
        F[4] += 2 * x1[X + i] * f1[i] / uneven_weight[i];
    }
    F[2] = x1[X] * x1[X] + x1[Y] * x1[Y] - 1;
    F[3] = 2 * (x1[X] * x1[VX] + x1[Y] * x1[VY]);
}

/* x -= A^-1 b by elimination with pivoting */
static void correct(double *x, double A[N][N], double *b)
{
    for (int k = 0; k < N; k++) {
        int pivot = k;
        for (int i = k; i < N; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k]))
                pivot = i;
        for (int j = 0; j < N; j++) {
            const double swap = A[k][j];
            A[k][j] = A[pivot][j], A[pivot][j] = swap;
        }
        const double swap = b[k];
        b[k] = b[pivot], b[pivot] = swap;
        for (int i = k + 1; i < N; i++) {
            const double factor = A[i][k] / A[k][k];
            for (int j = k; j < N; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++)
            b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
        x[i] -= b[i];
    }
}

static void step_directly(double *x, double h, select_at rule)
{
    double x0[N], F[N], moved[N], A[N][N];
    memcpy(x0, x, sizeof x0);
    for (int it = 0; it < 12; it++) {
        equations(F, x0, x, h, rule);
        for (int j = 0; j < N; j++) {
            double y[N];
            memcpy(y, x, sizeof y);
            y[j] += 1e-7;
            equations(moved, x0, y, h, rule);
            for (int i = 0; i < N; i++)
                A[i][j] = (moved[i] - F[i]) / 1e-7;
        }
        correct(x, A, F);
    }
}

/* Both after the same fixed steps, far enough to pass the border. */
static double difference(select_at rule, double h)
{
    const int steps = (int)(length / h + 0.5);
    dfl_solver_options options = to_rounding(DFL_PSF, DFL_TRAPEZOIDAL, 0, h);
    double x[N];
    options.constraints.selectors = DFL_USER;
    options.constraints.select = select_rows;
    options.user = &rule;
    const run consistent =
        run_with(&uneven_pendulum, 0, start, 1e-9, &(dfl_solver_options){.rtol = 1e-12}, NULL);
    const run r = run_with(&uneven_pendulum, 0, start, length, &options, NULL);

    assert_succeeded(&r);
    memcpy(x, start, sizeof x);
    x[LAMBDA] = consistent.x[LAMBDA];
    for (int k = 0; k < steps; k++)
        step_directly(x, h, rule);
    assert_true(x[X] > 0.4);
    return distance(r.x, x, N);
}

static void a_step_that_switches_uses_the_selectors_of_each_end(void **state)
{
    (void)state;
    assert_near(difference(switching, 0.01), 0, 1e-11);
    assert_near(difference(switching, 0.004), 0, 1e-11);
}

/* The solver asks for the selectors of a predicted end, which is off by h^2 or more. */
static void rows_that_turn_belong_to_their_ends(void **state)
{
    (void)state;
    const double coarse = difference(turning, 0.02), fine = difference(turning, 0.01);
    assert_true(coarse < 1e-3 && fine < coarse / 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_switches_uses_the_selectors_of_each_end),
        cmocka_unit_test(rows_that_turn_belong_to_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
