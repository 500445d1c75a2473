/* Derived equations with other values of parameters: what is kept, and that it is what deriving
   anew gives. */
#include "../support.h"

#include "model/model.h"

#include <string.h>

typedef struct revaluing {
    const char *script, *before, *after;
    bool same;
} revaluing;

#define BOB "local m, L = param('m', 2), param('L', 1) local x = position('x') "
#define CRANK                                                                                      \
    "planar() local m, L, J, g = param('m', 2), param('L', 1), param('J', 0.1), param('g', 9.81) " \
    "local lean = param('lean', 0.1) gravity{0, -g} "                                              \
    "local a = body('a', { mass = m, com = {L/2, 0}, inertia = J }) "                              \
    "local b = body('b', { mass = 1, com = {3*L/2, 0}, inertia = 0.1 }) "                          \
    "revolute('j', ground, a, { at = {0, 0} }) local k = revolute('k', a, b, { at = {L, 0} }) "    \
    "point_on_line('line', ground, b, { at = {2*L, 0}, axis = {1, lean} })"
#define TOP                                                                                        \
    "local I = param('I', 1) local b = body('b', { mass = 1, inertia = {I, 1, 1} }) "              \
    "spherical('s', ground, b, { at = {0, 0, 1} })"
#define BALL                                                                                       \
    "local e, mu = param('e', 0.5), param('mu', 0.5) local x, y = position('x'), position('y') "   \
    "mass(x, 1) mass(y, 1) force(y, -9.81) initial{ y = 1, [velocity(y)] = 0 } "                   \
    "unilateral('floor', y, { restitution = e, friction = mu, static = 0.6, slip = velocity(x) })"
#define RELAY                                                                                      \
    BOB "local y = position('y') mass(x, m) mass(y, 1) force(y, -x*x*x) "                          \
        "force(x, -L*sign(velocity(x) + 2*velocity(y)) - velocity(x))"
#define NODE                                                                                       \
    "local m, n, L = param('m', 2), param('n', 0), param('L', 1) local x, y = position('x'), "     \
    "position('y') mass(x, n) mass(y, m) "
#define NODES                                                                                      \
    "planar() local n, m, k = param('n', 0), param('m', 1), param('k', 1e4) "                      \
    "local node = body('node', { mass = n, com = {1, 0} }) "                                       \
    "local block = body('block', { mass = m, com = {2, 0} }) "                                     \
    "local a = prismatic('a', ground, node, { at = {1, 0}, axis = {1, 0} }) "                      \
    "local b = prismatic('b', node, block, { at = {2, 0}, axis = {1, 0} }) "                       \
    "force(a.q, -k*a.q - 2*a.qd) force(b.q, -2*k*b.q - 2*b.qd) "
#define STILL                                                                                      \
    "planar() local n, m, k = param('n', 0), param('m', 1), param('k', 1e4) "                      \
    "local node = body('node', { mass = n, com = {1, 0}, quasistatic = true }) "                   \
    "local block = body('block', { mass = m, com = {2, 0} }) "                                     \
    "local a = prismatic('a', ground, node, { at = {1, 0}, axis = {1, 0} }) "                      \
    "local b = prismatic('b', node, block, { at = {2, 0}, axis = {1, 0} }) "                       \
    "force(a.q, -k*a.q) force(b.q, -2*k*b.q) "
#define CROSS                                                                                      \
    "local lean = param('lean', 0.1) gravity{0, 0, -9.81} "                                        \
    "local a = body('a', { mass = 1, com = {1, 0, 0}, inertia = {1, 1, 1} }) "                     \
    "local b = body('b', { mass = 1, com = {1, 1, 0}, inertia = {1, 1, 1} }) "                     \
    "revolute('j', ground, a, { at = {0, 0, 0}, axis = {lean, 1, 0} }) "                           \
    "universal('u', a, b, { at = {1, 0, 0}, axis = {1, lean, 0}, axis2 = {0, 0, 1} }) "
#define POSE                                                                                       \
    "planar() local L = param('L', 1) local a = body('a', { mass = 1, com = {0, 0} }) "            \
    "joint('j', ground, a, { coordinates = {'s'}, at = {0, 0}, "                                   \
    "pose = function(s) return {L*s, L*s^2}, atan(2*s) end }) "
#define BEAM_OF(more)                                                                              \
    "local L, h, E = param('L', 1), param('h', 0.01), param('E', 2e11) "                           \
    "local b = elastic('b', { beam = { from = {0, 0}, to = {L, 0}, width = 0.012, height = h, "    \
    "E = E, density = 7800 }, modes = 3, nodes = { a = 0, b = 1 }" more " }) "                     \
    "revolute('j', ground, b.a, { at = {0, 0} }) "
#define BEAM "planar() gravity{0, -9.81} " BEAM_OF(", damping = 0.01")
#define FAST_BEAM "planar() gravity{0, -9.81} " BEAM_OF(", damping = 0.01, quasistatic = 1000")
#define SPACE_BEAM                                                                                 \
    "local L, h, E = param('L', 1), param('h', 0.01), param('E', 2e11) gravity{0, 0, -9.81} "      \
    "local b = elastic('b', { beam = { from = {0, 0, 0}, to = {L, 0, 0}, width = 0.012, "          \
    "height = h, E = E, density = 7800 }, modes = 4, nodes = { a = 0, b = 1 } }) "                 \
    "revolute('j', ground, b.a, { at = {0, 0, 0}, axis = {0, 1, 0} }) "
#define MODES                                                                                      \
    "planar() local E, m = param('E', 100), param('m', 3) local b = elastic('b', { modes = { "     \
    "mass = m, moment = {3/2, 0}, inertia = 1, Me = {{3/5}}, J2 = {{0.3}}, S = {{0}, {1}}, C0 = "  \
    "{3/4}, "                                                                                      \
    "K = {{E}} }, nodes = { a = { at = {0, 0} } } }) revolute('j', ground, b.a, { at = {0, 0} }) "
static const revaluing rows[] = {
    {BOB "mass(x, m) force(x, -L*x)", "m=2", "m=3", true},
    {BOB "mass(x, m) force(x, -L*x)", "m=2", "m=0", false}, /* a direction without mass */
    {BOB "mass(x, m) force(x, -L*x)", "m=0", "m=2", false},
    {BOB "mass(x, m) initial{ x = L/2 } simulate{ to = 3*L }", "L=1", "L=2", true},
    {BOB "mass(x, m) initial{ x = L/2 } initial{ x = 7 }", "L=1", "L=2", true},
    {BOB "mass(x, m) simulate{ to = 3*L, rtol = L }", "L=0.1", "L=-1", false}, /* needs a message */
    {BOB "mass(x, m) initial{ x = 1/L }", "L=1", "L=0", false},
    {BOB "mass(x, m) initial{ x = 1 }", "initial(x)=2", "initial(x)=3", true},
    {BOB "mass(x, m) force(x, input('u', 1))", "u=1", "u=5", true},
    {BOB "local n = setting('n', 1) mass(x, m*n)", "n=1", "n=2", false},
    {BOB "local k = param('k', 2*L) mass(x, m) force(x, -k*x)", "L=1", "L=2", true},
    {BOB "local k = param('k', 2*L) local c = param('c', k + 1) mass(x, m) force(x, -c*x)", "L=1",
     "L=2", true},
    {BOB "local k = param('k', 1/L) mass(x, m) force(x, -k*x)", "L=1", "L=0", false},
    {BOB
     "local u = discrete('u', 2*L) mass(x, m) sample('s', { period = 0.1, set = { [u] = u + 1 } }) "
     "force(x, -u*x)",
     "L=1", "L=2", true},
    {BOB "local u = discrete('u', 2*L) mass(x, m) force(x, -u*x - previous(u)) "
         "sample('s', { period = 0.1, set = { [u] = u + 1 } }) force(x, delay('late', u, 's', 2))",
     "L=1", "L=2", true},
    {BOB "set{ k = 3 } local k = param('k', 1/L) mass(x, m) force(x, -k*x)", "L=1", "L=2", true},
    {BOB "set{ k = 3 } local k = param('k', 1/L) mass(x, m) force(x, -k*x)", "L=1", "L=0", false},
    {BOB "mass(x, m) local s = lookup({0, 1, 2}, {0, L, 1}) force(x, -s(x))", "L=1", "L=2", true},
    {BOB "local k = param('k', 2*L) mass(x, m) force(x, -k*x)", "m=1", "m=2", true},
    /* forces that jump with a speed: friction, relays, dampers; with which numbers they jump */
    {BOB "mass(x, m) force(x, -L*sign(velocity(x)))", "L=1", "L=2", true},
    {BOB "mass(x, m) force(x, -L*sign(velocity(x)))", "L=1", "L=-2", false}, /* a relay */
    {BOB "mass(x, m) force(x, -L*sign(velocity(x)))", "L=1", "L=0", false},
    {BOB "mass(x, m) force(x, (L - 2)*sign(velocity(x)))", "L=1", "L=1.5", true},
    {BOB "mass(x, m) force(x, -L*velocity(x)*sign(velocity(x)))", "L=1", "L=2", true},
    {RELAY, "L=1", "L=3", true},
    {RELAY, "m=2", "m=3", true},
    {RELAY, "L=1", "L=0", false},
    /* directions without mass: which, and which of them are held */
    {NODE "force(x, L*(y - x) - velocity(x))", "L=1", "L=2", true},
    {NODE "force(x, L*(y - x) - velocity(x))", "m=2", "m=3", true},
    {NODE "force(x, L*(y - x) - velocity(x))", "n=0", "n=1e-3", false},
    {NODE "force(x, L*(y - x) - velocity(x))", "n=1e-3", "n=0", false},
    {NODE "mass(x, velocity(y), 0) constraint('c', x - L*y)", "L=1", "L=2", true},
    {NODE "constraint('c', y - L*x) force(x, -velocity(x))", "L=1", "L=2", true},
    {NODE "constraint('c', y - L*x) force(x, -velocity(x))", "L=1", "L=0", false}, /* x is free */
    {NODES, "k=1e4", "k=1.1e4", true},
    {NODES, "m=1", "m=2", true},
    {NODES, "n=0", "n=1e-3", false},
    {NODES, "n=1e-3", "n=0", false},
    {STILL, "k=1e4", "k=1.1e4", true},
    {STILL, "k=1e4", "k=4e4", false}, /* another power of two: the row has another unit */
    {STILL, "n=0", "n=1e-3", false},
    {BOB "mass(x, m) local s = spline({0, 1, 2, 3}, {0, L, 1, 2}) force(x, -s(x))", "L=1", "L=2",
     false},
    /* masses, inertias, lengths, gravity and axes of drawn mechanisms, as long as bodies are
       possible */
    {CRANK, "m=2", "m=3", true},
    {CRANK, "m=2", "m=0", false},
    {CRANK, "m=2", "m=-1", false},
    {CRANK, "L=1", "L=1.5", true},
    {CRANK, "J=0.1", "J=0.2", true},
    {CRANK, "J=0.1", "J=-0.1", false},
    {CRANK, "g=9.81", "g=1.62", true},
    {CRANK, "lean=0.1", "lean=0.2", true},
    {CROSS, "lean=0.1", "lean=0.2", true},
    {CROSS, "lean=0.1", "lean=3", false}, /* its frames have another axis */
    {POSE, "L=1", "L=2", true},
    {POSE, "L=1", "L=0", false}, /* singular */
    /* elastic bodies, while their modes keep their order */
    {BEAM, "h=0.01", "h=0.011", true},
    {BEAM, "L=1", "L=1.1", true},
    {BEAM, "E=2e11", "E=1e11", true},
    {BEAM, "h=0.01", "h=0.5", false}, /* it stretches before it bends again */
    {BEAM, "h=0.01", "h=-0.01", false},
    {SPACE_BEAM, "h=0.01", "h=0.011", true},
    {SPACE_BEAM, "h=0.01", "h=0.013", false}, /* the other side is the longer one */
    {SPACE_BEAM, "E=2e11", "E=1e11", true},
    {SPACE_BEAM, "L=1", "L=1.1", true},
    {FAST_BEAM, "L=1", "L=1.01", true},
    {FAST_BEAM, "L=1", "L=2", false}, /* the last mode becomes slow */
    {MODES, "E=100", "E=120", true},
    {MODES, "E=100", "E=-1", true},
    {MODES, "m=3", "m=4", false}, /* a number of its matrices */
    {TOP, "I=1", "I=1.2", true},
    {TOP, "I=1", "I=9", false}, /* more than the sum of the others */
    {BALL, "e=0.5", "e=0.7", true},
    {BALL, "e=0.5", "e=1.5", false},
    {BALL, "mu=0.5", "mu=0.1", true},
    {BALL, "mu=0.5", "mu=0.7", false}, /* more than the static one */
};

static dfl_derived derive(dfl_context *ctx, const dfl_model *model, const char *const *set)
{
    dfl_derived derived;
    const dfl_derivation how = {.purpose = DFL_TO_RUN, .nmore = 1, .more = set};
    if (dfl_derived_create(&derived, ctx, model, &how))
        dfl_derived_clear(&derived);
    return derived;
}

/* Numbers that the values reach. */
static void compare(const dfl_derived *a, const dfl_derived *b)
{
    const dfl_model *left = a->model, *right = b->model;
    assert_int_equal(a->eq->n, b->eq->n);
    assert_int_equal(left->declarations.count, right->declarations.count);
    for (int i = 0; i < left->declarations.count; i++)
        assert_true(left->declarations.item[i].value == right->declarations.item[i].value);
    assert_int_equal(left->starts.count, right->starts.count);
    for (int i = 0; i < left->starts.count; i++)
        assert_true(left->starts.item[i].value == right->starts.item[i].value);
    for (int i = 0; i < DFL_MOST_SETTINGS; i++)
        assert_memory_equal(&left->run.number[i], &right->run.number[i], sizeof(double));
    double x[2][16] = {{0}};
    dfl_equations_given(x[0], NULL, a->eq);
    dfl_equations_given(x[1], NULL, b->eq);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    double value[2][16] = {{0}};
    const dfl_numbers numbers[2] = {dfl_runnable_numbers(a->runnable, 0, x[0], NULL),
                                    dfl_runnable_numbers(b->runnable, 0, x[1], NULL)};
    assert_int_equal(dfl_numbers_values(value[0], &numbers[0], a->eq, a->eq->rows.f, a->eq->nv), 0);
    assert_int_equal(dfl_numbers_values(value[1], &numbers[1], b->eq, b->eq->rows.f, b->eq->nv), 0);
    assert_memory_equal(value[0], value[1], sizeof value[0]);
    bool same = false;
    assert_int_equal(dfl_equations_same(&same, a->eq, b->eq), DFL_OK);
    assert_true(same);
    const dfl_actions *kept = &left->actions, *fresh = &right->actions;
    assert_int_equal(kept->discretes.count, fresh->discretes.count);
    for (int i = 0; i < kept->discretes.count; i++)
        assert_true(kept->discretes.item[i].value == fresh->discretes.item[i].value);
}

static void equations_are_kept_where_only_values_change(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const revaluing *row = &rows[i];
        dfl_context *ctx = dfl_context_create();
        dfl_model *model;
        if (dfl_model_load_text(&model, ctx, "test.lua", row->script, strlen(row->script), NULL))
            fail_msg("%s", dfl_message(ctx));
        dfl_derived kept = derive(ctx, model, &row->before);
        assert_non_null(kept.ctx);
        bool same;
        const dfl_derivation how = {.purpose = DFL_TO_RUN, .nmore = 1, .more = &row->after};
        const dfl_status status = dfl_derived_revalue(&same, &kept, &how);
        if (status || same != row->same)
            fail_msg("%s with %s, then %s: %s", row->script, row->before, row->after,
                     status ? dfl_message(ctx)
                     : same ? "kept"
                            : "not kept");
        dfl_derived fresh = derive(ctx, model, &row->after);
        if (same)
            compare(&kept, &fresh);
        if (fresh.ctx)
            dfl_derived_clear(&fresh);
        dfl_derived_clear(&kept);
        dfl_model_free(model);
        dfl_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_are_kept_where_only_values_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
