/* The linear equations of all unknowns against those of the independent ones. */
#include "near.h"

#include "linalg/linalg.h"
#include "models.h"

#include <driftless/linear.h>

/* Changes of all unknowns and accelerations with the state and the inputs satisfy every row of E x'
   = A x + B u: E's rows of constraints are zero, those of velocities are M. */
static void agrees(const char *text, const char *at)
{
    near it = near_find(text, at, NULL);
    scripted_expect(&it.s, dfl_linear_model_add_all(&it.linear, it.s.run, &it.state, NULL));
    const dfl_equations *eq = it.s.eq;
    const dfl_linearized *linear = &it.linear.linear;
    const double *E = it.linear.all.E, *A = it.linear.all.A, *B = it.linear.all.B;
    const int n = eq->n, v = n - eq->np - eq->ns - eq->nv, end = v + eq->nv;
    int checked = 0;
    for (int j = 0; j < linear->ny + linear->nu; j++)
        for (int i = 0; i < n; i++) {
            double left = 0, right = j < linear->ny ? 0 : B[(j - linear->ny) * n + i], size = 1e-3;
            const bool rate =
                i >= v - eq->nr && !(i >= v && i < end) && !(i >= end && i < end + eq->ns);
            if (rate) /* of r and p: the states move along */
                continue;
            for (int k = 0; k < n; k++) {
                right += A[k * n + i] * linear->X[j * n + k];
                size += fabs(A[k * n + i] * linear->X[j * n + k]);
            }
            for (int k = 0; i >= v && i < end && k < eq->nv; k++)
                left += E[(v + k) * n + i] * linear->X_a[j * eq->nv + k];
            near_close(left, right, 1e-10 * size);
            checked++;
        }
    assert_true(checked > 0);
    near_free(&it);
}

static void every_row_holds_for_changes_of_the_state(void **state)
{
    (void)state;
    agrees(double_pendulum, "x1=0.6,y1=-0.8,x2=1.2,der(x1)=1.5,der(x2)=-0.7");
    agrees(slider_crank, "alpha=3.6,der(alpha)=2");
    agrees("local x, y = position('x', 'y')\n"
           "local F = input('F', 1)\n"
           "kinetic(velocity(x)^2 + velocity(y)^2/2*(1 + x^2))\n"
           "local w = auxiliary('w', function(w) return w^3 + w - x - F end)\n"
           "local r = dynamic('r', function(r) return w - 2*r + velocity(x)*F end)\n"
           "force(velocity(x), -3*x - r + w^2) force(velocity(y), -y + F*w)\n"
           "constraint('path', y - x^2/4)\n"
           "initial{ x = 0.7, ['der(x)'] = 0.4, r = 0.3 }\n",
           NULL);
    agrees("local x, y, q = position('x', 'y', 'q')\n" /* a skate */
           "kinetic((velocity(x)^2 + velocity(y)^2)/2 + 0.3/2*velocity(q)^2) potential(3*y)\n"
           "nonholonomic('edge', velocity(x)*sin(q) - velocity(y)*cos(q))\n"
           "force(velocity(q), input('turn', 0))\n"
           "initial{ q = 0.4, ['der(x)'] = 1, ['der(q)'] = 0.5 }\n",
           NULL);
}

/* At an equilibrium the finite eigenvalues of the pencil are those of A. */
static void pencil_has_the_same_eigenvalues(void **state)
{
    (void)state;
    near it = near_find(slider_crank, "equilibrium", NULL);
    scripted_expect(&it.s, dfl_linear_model_add_all(&it.linear, it.s.run, &it.state, NULL));
    const int n = it.s.eq->n;
    double re[RUN_MOST], im[RUN_MOST];
    int count = 0;
    scripted_expect(&it.s, dfl_pencil_eigenvalues(re, im, &count, it.s.ctx, n, it.linear.all.A,
                                                  it.linear.all.E));
    assert_int_equal(count, it.modes.count);
    for (int i = 0; i < it.modes.count; i++) {
        double nearest = INFINITY;
        for (int k = 0; k < count; k++)
            nearest =
                fmin(nearest, hypot(re[k] - it.modes.mode[i].re, im[k] - it.modes.mode[i].im));
        near_close(nearest, 0, 1e-8);
    }
    near_free(&it);
}

/* The blocks of E and A as linear.h takes them. */
static int take_blocks(dfl_linear_matrices *out, double t, void *user)
{
    const near *it = user;
    const double *E = it->linear.all.E, *A = it->linear.all.A;
    const int nl = it->s.eq->nl, nv = it->s.eq->nv, np = it->s.eq->np, n = it->s.eq->n;
    const int v = nl, p = nl + nv;
    (void)t;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++) {
            out->M[j * nv + i] = E[(v + j) * n + v + i];
            out->D[j * nv + i] = A[(v + j) * n + v + i];
        }
    for (int j = 0; j < np; j++) {
        for (int i = 0; i < nv; i++)
            out->C[j * nv + i] = A[(p + j) * n + v + i];
        for (int i = 0; i < nl; i++)
            out->G[j * nl + i] = A[(p + j) * n + i];
    }
    return 0;
}

/* A linear model of these blocks has the eigenvalues of the model that they come from. */
static void blocks_are_those_of_the_linear_form(void **state)
{
    (void)state;
    near it = near_find(slider_crank, "equilibrium", NULL);
    scripted_expect(&it.s, dfl_linear_model_add_all(&it.linear, it.s.run, &it.state, NULL));
    const dfl_linear_system system = {.np = it.s.eq->np,
                                      .nv = it.s.eq->nv,
                                      .nl = it.s.eq->nl,
                                      .trivial_kinematics = true,
                                      .mass_constant = true,
                                      .matrices = take_blocks,
                                      .user = &it};
    dfl_linear *form = NULL;
    dfl_linearized again = {0};
    dfl_modes modes = {0};
    double zero[RUN_MOST] = {0};
    scripted_expect(&it.s, dfl_linear_create(&form, it.s.ctx, &system));
    scripted_expect(&it.s, dfl_linearize(&again, it.s.ctx, dfl_linear_eom(form), 0, zero, NULL));
    scripted_expect(&it.s, dfl_modes_find(&modes, it.s.ctx, again.ny, again.A));
    assert_int_equal(modes.count, it.modes.count);
    for (int i = 0; i < modes.count; i++) {
        near_close(modes.mode[i].re, it.modes.mode[i].re, 1e-11);
        near_close(modes.mode[i].im, it.modes.mode[i].im, 1e-11);
    }
    dfl_modes_clear(&modes);
    dfl_linearized_clear(&again);
    dfl_linear_free(form);
    near_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_holds_for_changes_of_the_state),
        cmocka_unit_test(pencil_has_the_same_eigenvalues),
        cmocka_unit_test(blocks_are_those_of_the_linear_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
