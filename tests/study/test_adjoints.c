/* Gradients by a sweep backwards are those of the direct method on the same steps, to rounding. */
#include "followed.h"

#include <math.h>

/* Both with steps of the same size, and with steps that the tolerances choose. */
static void both_agree(const char *text, const char *const *of, int nof, const char *by, double to,
                       double step)
{
    const found direct = gradient_by(DFL_DERIVATIVES_DIRECT, text, of, nof, by, to, 1e-9, step);
    const found swept = gradient_by(DFL_DERIVATIVES_ADJOINT, text, of, nof, by, to, 1e-9, step);
    const found chosen = gradient_by(DFL_DERIVATIVES_ADJOINT, text, of, nof, by, to, 1e-9, 0);
    assert_string_equal(direct.message, "");
    assert_string_equal(swept.message, "");
    assert_string_equal(chosen.message, "");
    const found fine = gradient_by(DFL_DERIVATIVES_DIRECT, text, of, nof, by, to, 1e-10, 0);
    for (int i = 0; i < nof; i++) {
        double size = fabs(direct.value[i]);
        assert_near(swept.value[i], direct.value[i], 1e-12 * fmax(size, 1));
        for (int j = 0; j < 8; j++)
            size = fmax(size, fabs(direct.gradient[i][j]));
        for (int j = 0; j < 8; j++) {
            assert_near(swept.gradient[i][j], direct.gradient[i][j], 1e-11 * size);
            assert_near(chosen.gradient[i][j], fine.gradient[i][j], 1e-6 * fmax(size, 1));
        }
    }
}

static void constrained_models_agree(void **state)
{
    (void)state;
    static const char pendulum[] =
        "local m, L, g = param('m', 1), param('L', 1), param('g', 13.75)\n"
        "local x, y = position('x', 'y')\n"
        "kinetic(m/2*(velocity(x)^2 + velocity(y)^2)) potential(m*g*y)\n"
        "constraint('rod', x^2 + y^2 - L^2)\n"
        "guess{ x = 1 } initial{ y = 0 }\n";
    both_agree(pendulum, (const char *const[]){"x", "der(y)", "lambda(rod)", NULL}, 3,
               "L,g,m,initial(der(y))", 1.3, 0.02);
    static const char crank[] =
        "local l1, l2 = param('l1', 0.15), param('l2', 0.30)\n"
        "local m1, m2, m3 = param('m1', 0.36), param('m2', 0.151104), param('m3', 0.075552)\n"
        "local x, a, b = position('x', 'alpha', 'beta')\n"
        "local u, v, w = velocity(x, a, b)\n"
        "local rx, ry = u - l2/2*sin(a)*v, l2/2*cos(a)*v\n"
        "local cx = u - l2*sin(a)*v - l1/2*sin(a + b)*(v + w)\n"
        "local cy = l2*cos(a)*v + l1/2*cos(a + b)*(v + w)\n"
        "kinetic(m3/2*u^2 + m2/2*(rx^2 + ry^2) + m2*l2^2/24*v^2 + m1/2*(cx^2 + cy^2)\n"
        "  + m1*l1^2/24*(v + w)^2)\n"
        "potential(9.81*(m2*l2/2*sin(a) + m1*(l2*sin(a) + l1/2*sin(a + b))))\n"
        "constraint('px', x + l2*cos(a) + l1*cos(a + b))\n"
        "constraint('py', l2*sin(a) + l1*sin(a + b))\n"
        "output('acc', acceleration(x)*m1)\n"
        "initial{ x = sqrt(l2^2 - l1^2), alpha = pi - asin(l1/l2), beta = pi/2 + asin(l1/l2),\n"
        "  [u] = -10*l1, [v] = 0, [w] = 10 }\n";
    both_agree(crank, (const char *const[]){"x", "beta", "lambda(px)", "acc", NULL}, 4,
               "l1,l2,m1,m2,m3", 1, 0.004);
    static const char sleigh[] =
        "local m, J, a = param('m', 1), param('J', 0.5), param('a', 0.3)\n"
        "local x, y, phi = position('x', 'y', 'phi') local u, v, w = velocity(x, y, phi)\n"
        "kinetic(m/2*((u - a*w*sin(phi))^2 + (v + a*w*cos(phi))^2) + J/2*w^2)\n"
        "nonholonomic('edge', v*cos(phi) - u*sin(phi))\n"
        "initial{ x = 0, y = 0, phi = 0, [u] = 1, [w] = 1 }\n";
    both_agree(sleigh, (const char *const[]){"x", "y", NULL}, 2, "a,J,m,initial(der(phi))", 2,
               0.02);
    static const char redundant[] =
        "local L, k = param('L', 1), input('k', 3)\n"
        "local x, y, z = position('x', 'y', 'z') mass(x, 1) mass(y, 2) mass(z, 1)\n"
        "potential(9.81*y + k*z^2/2) constraint('rod', x^2 + y^2 - L^2)\n"
        "constraint('same', x^2 + y^2 - L^2) constraint('twice', 2*x^2 + 2*y^2 - 2*L^2)\n"
        "invariant('energy', energy())\n"
        "initial{ x = 0.6*L, z = 0.2, ['der(x)'] = 0.3, ['der(z)'] = 0 } guess{ y = -0.8 }\n";
    both_agree(redundant, (const char *const[]){"x", "y", "z", NULL}, 3, "L,k,initial(der(x))", 2,
               0.02);
}

static void other_unknowns_agree(void **state)
{
    (void)state;
    static const char maxwell[] =
        "local m, c, d = param('m', 1), param('c', 50), param('d', 5)\n"
        "local x = position('x') local v = velocity(x)\n"
        "kinetic(m/2*v^2) potential(10*x^2)\n"
        "local F = dynamic('F', function(F) return c*(v - F/d) end)\n"
        "local w = auxiliary('w', function(w) return w + w^3/10 - x - c/100 end)\n"
        "force(x, -F - w) output('acc', acceleration(x) + w*c)\n"
        "initial{ x = 0.1, [v] = 0, F = 0 }\n";
    both_agree(maxwell, (const char *const[]){"x", "F", "w", "acc", NULL}, 4, "m,c,d,initial(x)", 1,
               0.01);
    static const char ellipse[] =
        "local a, b, steep = param('a', 0.3), param('b', 0.2), param('steep', 0.3)\n"
        "local x, y, phi = position('x', 'y', 'phi')\n"
        "kinetic((velocity(x)^2 + velocity(y)^2)/2 + (a^2 + b^2)/8*velocity(phi)^2)\n"
        "potential(9.81*y)\n"
        "local function rim(s) return a*cos(s)*cos(phi) - b*sin(s)*sin(phi),\n"
        "  a*cos(s)*sin(phi) + b*sin(s)*cos(phi) end\n"
        "local s = contact('s', function(s) local rx = rim(s) local tx, ty = rim(s + pi/2)\n"
        "  return ty - 2*steep*(x + rx)*tx end)\n"
        "local rx, ry = rim(s)\n"
        "constraint('touch', y + ry - steep*(x + rx)^2)\n"
        "nonholonomic('roll', velocity(x) - velocity(phi)*ry\n"
        "  + 2*steep*(x + rx)*(velocity(y) + velocity(phi)*rx))\n"
        "initial{ x = 1, phi = 0 } guess{ y = 0.5, s = -1.5 }\n";
    both_agree(ellipse, (const char *const[]){"x", "s", NULL}, 2, "a,b,steep", 0.5, 0.005);
    static const char massless[] =
        "local m, L, c, f = param('m', 1.3), param('L', 0.7), param('c', 30), param('f', 2)\n"
        "local x, y, z, p = position('x', 'y', 'z', 'p')\n"
        "kinetic(m/2*(velocity(x)^2 + velocity(y)^2) + m/2*velocity(p)^2*(1 + x^2))\n"
        "potential(m*9.81*y + c/2*(z - x)^2 + c*z^2 + p^2) constraint('rod', x^2 + y^2 - L^2)\n"
        "force(z, -1.5*velocity(z) + f*select(x - 0.2, 1, -1)) force(x, 0.15*velocity(z))\n"
        "initial{ x = 0.5*L, ['der(x)'] = 0.1, z = 0.2, p = 0.3, ['der(p)'] = 0 }\n"
        "guess{ y = -0.5 }\n";
    both_agree(massless, (const char *const[]){"x", "z", "der(z)", "lambda(rod)", NULL}, 4,
               "m,L,c,f,initial(z)", 1, 0.01);
}

/* Branches change, bodies meet, events act, friction sticks, controllers remember. */
static void instants_agree(void **state)
{
    (void)state;
    static const char kinks[] = "local k, f = param('k', 40), param('f', 3)\n"
                                "local x = position('x') mass(x, 1)\n"
                                "force(x, -k*max(x - 0.1, 0) - 5*x + abs(sin(f*time)))\n"
                                "initial{ x = 0, ['der(x)'] = 1 }\n";
    both_agree(kinks, (const char *const[]){"x", "der(x)", NULL}, 2, "k,f,initial(x)", 3, 0.02);
    static const char swing[] = "local L, u = param('L', 1), param('u', 5)\n"
                                "local x, y = position('x', 'y') mass(x, 1) mass(y, 2)\n"
                                "constraint('rod', x^2 + y^2 - L^2) potential(9.81*3*y)\n"
                                "force(x, u*select(x - 0.2*L, -1, 1))\n"
                                "initial{ x = 0.9*L, ['der(x)'] = 0.1 } guess{ y = -0.4 }\n";
    both_agree(swing, (const char *const[]){"x", "y", "lambda(rod)", NULL}, 3, "L,u", 1.9, 0.02);
    static const char ball[] = "local e, g = param('e', 0.8), param('g', 9.81)\n"
                               "local x = position('x') mass(x, 1) force(x, -g)\n"
                               "unilateral('floor', x, { restitution = e })\n"
                               "initial{ x = 1, ['der(x)'] = 0 }\n";
    both_agree(ball, (const char *const[]){"x", "der(x)", NULL}, 2, "e,g,initial(x)", 1.7, 0.02);
    static const char servo[] =
        "local k, d = param('k', 20), param('d', 3)\n"
        "local x = position('x') local u = discrete('u', 0) mass(x, 1) force(x, u)\n"
        "sample('control', { period = 0.05, set = { [u] = -k*x - d*velocity(x) } })\n"
        "unilateral('stop', x + 0.1, { restitution = 0.5 })\n"
        "initial{ x = 1, ['der(x)'] = 0 }\n";
    both_agree(servo, (const char *const[]){"x", "u", NULL}, 2, "k,d,initial(x)", 1, 0.01);
    static const char block[] =
        "local m, k, v = param('m', 1), param('k', 20), param('v', 0.3)\n"
        "local x = position('x') mass(x, m) force(x, -k*(x - v*time))\n"
        "friction('floor', x, { coefficient = 0.3, static = 0.4, load = m*9.81 })\n"
        "initial{ x = 0, ['der(x)'] = 0 }\n";
    both_agree(block, (const char *const[]){"x", "der(x)", NULL}, 2, "m,k,v", 1.6, 0.02);
}

/* Nothing moves, but everything would. */
static void derivatives_of_a_rest_are_swept(void **state)
{
    (void)state;
    static const char rest[] = "local u, k = input('u', 0), param('k', 4)\n"
                               "local x = position('x') mass(x, 1) force(x, u - k*x)\n"
                               "initial{ x = 0, ['der(x)'] = 0 }\n";
    static const char *const of[] = {"x", NULL};
    const found at = gradient_by(DFL_DERIVATIVES_ADJOINT, rest, of, 1,
                                 "u, initial(x),initial(der(x)),k", 10, 1e-8, 0);
    assert_string_equal(at.message, "");
    assert_near(at.gradient[0][0], (1 - cos(20)) / 4, 1e-7);
    assert_near(at.gradient[0][1], cos(20), 1e-7);
    assert_near(at.gradient[0][2], sin(20) / 2, 1e-7);
    assert_near(at.gradient[0][3], 0, 1e-12);
}

/* A signal is noticed during the sweep, at every stage, and ends it. */
static void a_sweep_can_be_stopped(void **state)
{
    (void)state;
    static const char text[] = "local k = param('k', 4) local x = position('x') mass(x, 1)\n"
                               "force(x, -k*sin(x)) initial{ x = 1, ['der(x)'] = 0 }\n";
    static const char *const of[] = {"x", NULL};
    patience forwards = {0}, both = {0};
    waiting = &forwards;
    gradient_by(DFL_DERIVATIVES_DIRECT, text, of, 1, "k", 20, 1e-8, 0.05);
    waiting = &both;
    gradient_by(DFL_DERIVATIVES_ADJOINT, text, of, 1, "k", 20, 1e-8, 0.05);
    assert_true(both.asked > 2 * forwards.asked);
    patience late = {.limit = both.asked - 10};
    waiting = &late;
    const found at = gradient_by(DFL_DERIVATIVES_ADJOINT, text, of, 1, "k", 20, 1e-8, 0.05);
    waiting = NULL;
    assert_int_equal(at.status, DFL_STOPPED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constrained_models_agree), cmocka_unit_test(other_unknowns_agree),
        cmocka_unit_test(instants_agree), cmocka_unit_test(derivatives_of_a_rest_are_swept),
        cmocka_unit_test(a_sweep_can_be_stopped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
