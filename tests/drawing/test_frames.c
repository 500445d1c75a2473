/* Frames as `equations --frames` shows them: velocities are the derivatives of positions,
   accelerations those of velocities, Jacobians give the velocities again; all as expressions, at
   random states. */
#include "../multibody/trees.h"
#include "../scripted.h"

#include "export/export.h"

static const char arm[] =
    "local k = param('k', 1.3)\n gravity{0, 0, -9.81}\n"
    "local a = body('a', {mass = 2, com = {k/2, 0.1, 0}, inertia = {0.4, 0.5, 0.6}})\n"
    "local b = body('b', {mass = 1, com = {1.4, 0, 0.2}, inertia = {0.3, 0.3, 0.4}})\n"
    "local c = body('c', {mass = 1.5, com = {2.2, 0.3, 0}, inertia = {0.2, 0.3, 0.4}})\n"
    "local d = body('d', {mass = 1.5, com = {3, 0.3, 0}, inertia = {0.2, 0.3, 0.4}})\n"
    "local ja = revolute('ja', ground, a, {at = {0, 0, 0}, axis = {0.2, 0.3, 1}})\n"
    "local jb = spherical('jb', a, b, {at = {k, 0, 0}})\n"
    "local jc = cylindrical('jc', b, c, {at = {2, 0, 0}, axis = {0, 1, 0.3}})\n"
    "prismatic('jd', c, d, {at = {3, 0, 0}, axis = {1, 0, 0}, motion = k*sin(time)})\n"
    "frame('tip', d, {at = {3*k, 1, 0}, axis = {1, 1, 0}, axis2 = {0, 0, 1}})\n"
    "frame('stand', ground, {at = {1, 2, 3}})\n";

static scripted load_frames(const char *text)
{
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.frames = true, .dynamics = DFL_DYNAMICS_EXPRESSIONS};
    scripted_expect(&s,
                    dfl_script_load_text(&s.model, s.ctx, "arm.lua", text, strlen(text), &options));
    scripted_expect(&s, scripted_prepare(&s));
    return s;
}

/* d/dt of n expressions along p' = kin, v' = a, t' = 1. */
static void rates(dfl_expr *out, const scripted *s, const dfl_expr *exprs, int n)
{
    const dfl_equations *eq = s->eq;
    dfl_expr symbols[60], rate[60];
    int count = 0;
    for (int i = 0; i < eq->np; i++) {
        symbols[count] = eq->x[eq->n - eq->np + i].symbol;
        rate[count++] = eq->rows.kin[i];
    }
    for (int i = 0; i < eq->nv; i++) {
        symbols[count] = eq->x[eq->nw + eq->nl + eq->nm + eq->nr + i].symbol;
        rate[count++] = eq->a[i];
    }
    symbols[count] = dfl_symbol_expr(eq->graph, DFL_SYM_TIME, 0, "time");
    rate[count++] = dfl_constant(eq->graph, 1.0);
    scripted_expect(s, dfl_along_exprs(out, eq->graph, exprs, n, symbols, rate, count));
}

typedef struct spot {
    double t, x[60], a[20];
} spot;

static void values(double *out, const scripted *s, const spot *at, const dfl_expr *exprs, int n)
{
    scripted_expect(s, dfl_runnable_values(out, s->run, exprs, n, at->t, at->x, at->a));
}

static void assert_equal(const scripted *s, const spot *at, const dfl_expr *found,
                         const dfl_expr *expected, int n)
{
    double f[9], e[9];
    values(f, s, at, found, n);
    values(e, s, at, expected, n);
    for (int i = 0; i < n; i++)
        assert_near(f[i], e[i], 1e-12 * (1.0 + fabs(e[i])) * 10.0);
}

/* R' = omega x R and alpha = omega'. */
static void assert_turns(const scripted *s, const spot *at, const dfl_model_frame *frame)
{
    dfl_expr Rd[9], wd[3];
    double R[9], turn[9], w[3], square = 0.0;
    rates(Rd, s, frame->R, 9);
    rates(wd, s, frame->omega, 3);
    values(R, s, at, frame->R, 9);
    values(turn, s, at, Rd, 9);
    values(w, s, at, frame->omega, 3);
    for (int j = 0; j < 3; j++) {
        const double column[3] = {R[j], R[3 + j], R[6 + j]};
        double expected[3];
        cross3(expected, w, column);
        square += dot3(column, column);
        for (int i = 0; i < 3; i++)
            assert_near(turn[3 * i + j], expected[i], 1e-11);
    }
    assert_near(square, 3.0, 1e-12);
    assert_equal(s, at, frame->alpha, wd, 3);
}

/* Jacobians times velocities, where no motion is prescribed. */
static void assert_columns(const scripted *s, const spot *at, const dfl_model_frame *frame)
{
    double sum[6] = {0}, v[3], w[3];
    for (int k = 0; k < frame->ncolumns; k++) {
        double column[6], u;
        values(&u, s, at, &frame->columns[k].u, 1);
        values(column, s, at, frame->columns[k].v, 3);
        values(column + 3, s, at, frame->columns[k].omega, 3);
        for (int i = 0; i < 6; i++)
            sum[i] += column[i] * u;
    }
    values(v, s, at, frame->v, 3);
    values(w, s, at, frame->omega, 3);
    for (int i = 0; i < 3; i++) {
        assert_near(sum[i], v[i], 1e-12 * 10.0);
        assert_near(sum[3 + i], w[i], 1e-12 * 10.0);
    }
}

static void frames_move_as_their_derivatives_say(void **state)
{
    (void)state;
    uint64_t seed = 12;
    scripted s = load_frames(arm);
    assert_int_equal(s.model->frames.count, 6);
    assert_string_equal(s.model->frames.item[4].name, "tip");
    for (int trial = 0; trial < 3; trial++) {
        spot at = {.t = number(&seed, 1.0)};
        numbers(at.x, s.eq->n, &seed, 1.0);
        numbers(at.a, s.eq->nv, &seed, 1.0);
        for (int i = 0; i < s.model->frames.count; i++) {
            const dfl_model_frame *frame = &s.model->frames.item[i];
            dfl_expr rd[3], vd[3];
            rates(rd, &s, frame->r, 3);
            rates(vd, &s, frame->v, 3);
            assert_equal(&s, &at, frame->v, rd, 3);
            assert_equal(&s, &at, frame->a, vd, 3);
            assert_turns(&s, &at, frame);
            if (i < 3) /* before the prescribed motion */
                assert_columns(&s, &at, frame);
        }
    }
    scripted_free(&s);
}

static void frames_are_written_as_text_and_latex(void **state)
{
    (void)state;
    static const char pendulum[] = "planar()\n gravity{0, -9.81}\n local L = param('L', 2)\n"
                                   "local r = body('rod', {mass = 1, com = {L/2, 0}})\n"
                                   "revolute('pin', ground, r, {at = {0, 0}})\n"
                                   "frame('tip', r, {at = {L, 0}})\n";
    static const char *const lines[] = {"pendulum: motion of bodies and frames",
                                        "  r[tip, x] = L*cos(pin.q)\n",
                                        "  r[tip, y] = L*sin(pin.q)\n",
                                        "  phi[tip] = pin.q\n",
                                        "  z3 = L*der(pin.q)*cos(pin.q)\n",
                                        "  v[rod, y] = 0.5*z3\n",
                                        "  omega[tip, z] = der(pin.q)\n",
                                        "  alpha[tip, z] = der(der(pin.q))\n",
                                        "  Jv[rod, x, der(pin.q)] = -0.5*L*sin(pin.q)\n",
                                        "  Jw[rod, z, der(pin.q)] = 1\n"};
    static const char *const latex[] = {
        "\\section*{Motion of bodies and frames: ", "r_{\\mathrm{tip},\\,x} &= L\\,\\cos",
        "J_v{}_{\\mathrm{tip},\\,x,\\,", "\\omega_{\\mathrm{rod},"};
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.frames = true};
    scripted_expect(&s, dfl_script_load_text(&s.model, s.ctx, "pendulum.lua", pendulum,
                                             strlen(pendulum), &options));
    scripted_expect(&s, dfl_equations_create(&s.eq, s.model, false));
    for (int k = 0; k < 2; k++) {
        dfl_text text = {.ctx = s.ctx};
        scripted_expect(&s, dfl_export_frames(&text, s.eq, k ? DFL_LATEX : DFL_TEXT));
        for (int i = 0; i < (k ? 4 : 10); i++)
            if (!strstr(dfl_text_string(&text), (k ? latex : lines)[i]))
                fail_msg("'%s' is missing in\n%s", (k ? latex : lines)[i], dfl_text_string(&text));
        dfl_text_clear(&text);
    }
    scripted_free(&s);
}

static void wrong_frames_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {{"local a = body('a', {mass = 1})\n frame('f', a, {}) frame('f', a, {})\n",
                  "test.lua:2: frame: the name 'f' is taken by the frame of line 2"},
                 {"local a = body('a', {mass = 1})\n frame('a', a, {})\n",
                  "frame: the name 'a' is taken by the body of line 1"},
                 {"body('a', {mass = 1, frame = ground})\n",
                  "body 'a': frame is a body; give what frame(...) or point(...) returned"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dfl_status status;
        scripted s = scripted_try(&status, cases[i].text);
        assert_int_equal(status, DFL_INVALID);
        if (!strstr(dfl_message(s.ctx), cases[i].message))
            fail_msg("found: %s", dfl_message(s.ctx));
        scripted_free(&s);
    }
    scripted s = load_frames("local x = position('x') kinetic(velocity(x)^2/2)\n");
    dfl_text text = {.ctx = s.ctx};
    assert_int_equal(dfl_export_frames(&text, s.eq, DFL_TEXT), DFL_INVALID);
    assert_non_null(strstr(dfl_message(s.ctx), "has no bodies"));
    dfl_text_clear(&text);
    scripted_free(&s);
}

/* Numbers of a frame and those of the drawing are the same body. */
static void bodies_take_numbers_of_frames(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"local b = body('b', {mass = 2, com = {1, 0, 0}, inertia = {0.1, 0.3, 0.4, 0.02, 0, "
         "0}})\n",
         "local f = frame('f', ground, {at = {0.5, 0, 0}, axis = {2, 0, 0}, axis2 = {0, 1, 0}})\n"
         "local b = body('b', {frame = f, mass = 2, com = {0, 0, 0.5},\n"
         "  inertia = {0.3, 0.4, 0.1, 0, 0.02, 0}})\n"},
        {"planar() local b = body('b', {mass = 2, com = {1, 2}, inertia = 0.3})\n",
         "planar() local f = frame('f', ground, {at = {1, 0}, axis2 = {0, 1}})\n"
         "local b = body('b', {frame = f, mass = 2, com = {2, 0}, inertia = 0.3})\n"},
        {"planar() local b = body('b', {mass = 2, com = {1, 2}, inertia = 0.3})\n",
         "planar() local b = body('b', {frame = point(ground, {1, 1}), mass = 2, com = {0, 1},\n"
         "  inertia = 0.3})\n"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double M[2][36] = {{0}}, f[2][6] = {{0}};
        for (int k = 0; k < 2; k++) {
            char text[1000];
            snprintf(text, sizeof text, "%s gravity{0, -9.81%s}\n%s", pairs[i][k],
                     i == 0 ? ", 1" : "",
                     i == 0 ? "free('j', ground, b, {at = {0, 0, 0}})\n"
                            : "free('j', ground, b, {at = {0, 0}})\n");
            scripted s = scripted_text(text);
            const dfl_eom *eom = dfl_runnable_eom(s.run);
            double x[40] = {0}, K0[36] = {0};
            bool held[40];
            dfl_study_given(x, held, s.run);
            for (int j = 0; j < s.eq->nv; j++)
                x[j] = 0.1 * (j + 1); /* no constraints: velocities come first */
            eom->mass(M[k], 0.0, x, eom->user);
            eom->eval(&(dfl_blocks){.f = f[k], .K0 = K0}, 0.0, x, DFL_FORCE, eom->user);
            scripted_free(&s);
        }
        for (int j = 0; j < 36; j++)
            assert_near(M[0][j], M[1][j], 1e-14);
        for (int j = 0; j < 6; j++)
            assert_near(f[0][j], f[1][j], 1e-13);
    }
}

/* Fails the first, second, third ... allocation until everything succeeds. */
static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    dfl_status status = DFL_NO_MEMORY;
    for (int n = 0; status; n++) {
        static const char text[] = "planar()\n local r = body('rod', {mass = 1, com = {1, 0}})\n"
                                   "revolute('pin', ground, r, {at = {0, 0}})\n"
                                   "frame('tip', r, {at = {2, 0}})\n";
        scripted s = {.ctx = dfl_context_create()};
        const dfl_script_options options = {.frames = true};
        dfl_text written = {.ctx = s.ctx};
        dfl_context_fail_after(s.ctx, n);
        status = dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), &options);
        if (!status)
            status = dfl_equations_create(&s.eq, s.model, false);
        if (!status)
            status = dfl_export_frames(&written, s.eq, DFL_TEXT);
        assert_true(status == DFL_OK || status == DFL_NO_MEMORY);
        dfl_text_clear(&written);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_move_as_their_derivatives_say),
        cmocka_unit_test(frames_are_written_as_text_and_latex),
        cmocka_unit_test(wrong_frames_are_refused),
        cmocka_unit_test(bodies_take_numbers_of_frames),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
