/* A, B, C, D against differences of the equations themselves, also while everything moves. */
#include "models.h"
#include "near.h"

/* The rates of all states where these have the values y and the inputs the values u; all other
   unknowns are completed by a start, the rates are those of the equations there. */
static void rates(double *out, near *it, const double *y, double *outputs)
{
    const dfl_linearized *linear = &it->linear.linear;
    const dfl_eom *eom = dfl_runnable_eom(it->s.run);
    const dfl_layout at = dfl_eom_layout(eom);
    bool held[RUN_MOST] = {false};
    double x[RUN_MOST];
    dfl_solver *solver = NULL;
    dfl_linearized there;
    memcpy(x, it->state.x, (size_t)linear->n * sizeof *x);
    for (int i = 0; i < linear->ny; i++) {
        x[linear->state[i]] = y[i];
        held[linear->state[i]] = true;
    }
    scripted_expect(&it->s, dfl_solver_create(&solver, it->s.ctx, eom,
                                              &(dfl_solver_options){.rtol = 1e-12, .atol = 1e-13}));
    scripted_expect(&it->s,
                    dfl_solver_start(solver, it->state.t, x, &(dfl_conditions){.held = held}));
    memcpy(x, dfl_solver_state(solver), (size_t)linear->n * sizeof *x);
    dfl_solver_free(solver);
    scripted_expect(&it->s, dfl_linearize(&there, it->s.ctx, eom, it->state.t, x, NULL));
    dfl_blocks blocks;
    scripted_expect(&it->s,
                    dfl_state_blocks_create(&blocks, it->s.run, DFL_EVERYTHING, it->state.t, x));
    for (int i = 0; i < linear->ny; i++) {
        const int k = linear->state[i];
        out[i] = k >= at.p   ? (eom->trivial_kinematics ? x[at.v + k - at.p] : blocks.kin[k - at.p])
                 : k >= at.v ? there.a[k - at.v]
                             : blocks.b[k - at.r];
    }
    dfl_runnable_outputs(outputs, it->s.run, it->state.t, x);
    dfl_state_blocks_free(&blocks, it->s.run);
    dfl_linearized_clear(&there);
}

/* Central differences with h and h/2, extrapolated. */
static void richardson(double *slope, const double *wide, const double *narrow, int n, double h)
{
    for (int i = 0; i < n; i++) {
        const double coarse = (wide[i] - wide[n + i]) / (2 * h);
        const double fine = (narrow[i] - narrow[n + i]) / h;
        slope[i] = (4 * fine - coarse) / 3;
    }
}

/* Compares all columns; `tolerance` is relative to the largest entry of A, with differences of
   h = 1e-3 in all units. */
static void agree_with_differences(const char *text, const char *at, double tolerance)
{
    near it = near_find(text, at, NULL);
    const dfl_linearized *linear = &it.linear.linear;
    const int ny = linear->ny, nu = linear->nu, no = it.s.model->count[DFL_AN_OUTPUT];
    const double h = 1e-3;
    double y[RUN_MOST], r[4][2 * RUN_MOST], o[4][2 * RUN_MOST], slope[RUN_MOST];
    double size = 1;
    for (int i = 0; i < ny * ny; i++)
        size = fmax(size, fabs(linear->A[i]));
    for (int i = 0; i < ny; i++)
        y[i] = it.state.x[linear->state[i]];
    for (int j = 0; j < ny + nu; j++) {
        const dfl_declaration *input =
            j < ny ? NULL : dfl_model_find(it.s.model, it.linear.inputs[j - ny]);
        for (int k = 0; k < 4; k++) { /* h, -h, h/2, -h/2 */
            const double move = (k % 2 ? -h : h) / (k < 2 ? 1 : 2);
            if (j < ny)
                y[j] += move;
            else
                dfl_runnable_set(it.s.run, DFL_AN_INPUT, input->index, input->value + move);
            rates(r[k / 2 * 2] + (k % 2) * ny, &it, y, o[k / 2 * 2] + (k % 2) * no);
            if (j < ny)
                y[j] -= move;
            else
                dfl_runnable_set(it.s.run, DFL_AN_INPUT, input->index, input->value);
        }
        richardson(slope, r[0], r[2], ny, h);
        for (int i = 0; i < ny; i++)
            near_close(j < ny ? linear->A[j * ny + i] : linear->B[(j - ny) * ny + i], slope[i],
                       tolerance * size);
        richardson(slope, o[0], o[2], no, h);
        for (int i = 0; i < no; i++)
            near_close(j < ny ? it.linear.C[j * no + i] : it.linear.D[(j - ny) * no + i], slope[i],
                       tolerance * size);
    }
    near_free(&it);
}

static void matrices_of_moving_linkages_are_derivatives_of_their_rates(void **state)
{
    (void)state;
    agree_with_differences(double_pendulum, "x1=0.6,y1=-0.8,x2=1.2,der(x1)=1.5,der(x2)=-0.7", 1e-7);
    char text[4000];
    snprintf(text, sizeof text, "%soutput('force', multiplier(gx) + acceleration(x))\n",
             slider_crank);
    agree_with_differences(text, "alpha=3.6,der(alpha)=2", 1e-7);
    agree_with_differences(SPHERICAL_PENDULUM("0.7"), "rho=0.6,der(phi)=2,der(rho)=0.3", 1e-7);
}

/* Dynamic and auxiliary variables, a mass that depends on an input, constraints of time. */
static void all_kinds_of_unknowns_take_part(void **state)
{
    (void)state;
    agree_with_differences(
        "local x, y = position('x', 'y')\n"
        "local m, F = input('m', 2), input('F', 1)\n"
        "kinetic(m/2*velocity(x)^2 + velocity(y)^2/2*(1 + x^2))\n"
        "local w = auxiliary('w', function(w) return w^3 + w - x - F end)\n"
        "local r = dynamic('r', function(r) return w - 2*r + velocity(x)*F end)\n"
        "force(velocity(x), -3*x - r + w^2) force(velocity(y), -y + F*w)\n"
        "local path = constraint('path', y - x^2/4 - sin(time)/8)\n"
        "output('both', w*r + F*x + multiplier(path))\n"
        "initial{ x = 0.7, ['der(x)'] = 0.4, r = 0.3 }\n",
        NULL, 1e-6);
}

/* Speeds instead of velocities, nonholonomic rows, a quaternion with its length. */
static void speeds_and_rolling_take_part(void **state)
{
    (void)state;
    agree_with_differences("gravity{0, 0, -9.81}\n"
                           "local coin = body('coin', { mass = 1, com = {0, 0, 1},\n"
                           "    inertia = {0.25, 0.25, 0.5} })\n"
                           "local f = free('f', ground, coin, { at = {0, 0, 1} })\n"
                           "rolling_disk('table', coin, { at = {0, 0, 1}, axis = {0, 0, 1}, "
                           "radius = 1 })\n"
                           "initial{ [f.q1] = 0, [f.q2] = 0, [f.q4] = cos(0.6), [f.q5] = sin(0.6), "
                           "[f.q6] = 0, [f.q7] = 0 }\n"
                           "output('height', f.q3)\n"
                           "initial{ [f.w1] = 0.2, [f.w2] = 1.5, [f.w3] = -4 }\n",
                           NULL, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_of_moving_linkages_are_derivatives_of_their_rates),
        cmocka_unit_test(all_kinds_of_unknowns_take_part),
        cmocka_unit_test(speeds_and_rolling_take_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
