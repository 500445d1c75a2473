/* Models from calls: the same as from scripts. */
#include "running.h"

static dfl_argument number(double value)
{
    return (dfl_argument){.kind = DFL_ARGUMENT_NUMBER, .number = value};
}

static dfl_argument text(const char *value)
{
    return (dfl_argument){.kind = DFL_ARGUMENT_TEXT, .text = value};
}

static dfl_argument expression(const char *value)
{
    return (dfl_argument){.kind = DFL_ARGUMENT_EXPRESSION, .text = value};
}

static dfl_argument table(int count, const dfl_argument *items)
{
    return (dfl_argument){.kind = DFL_ARGUMENT_TABLE, .count = count, .items = items};
}

static dfl_argument keyed(const char *key, dfl_argument value)
{
    value.key = key;
    return value;
}

#define CALL(result, name, ...)                                                                    \
    do {                                                                                           \
        const dfl_argument arguments[] = {__VA_ARGS__};                                            \
        expect(&f, dfl_builder_call(builder, result, name,                                         \
                                    (int)(sizeof arguments / sizeof *arguments), arguments));      \
    } while (0)

static void assert_message(const fixture *f, const char *begins)
{
    if (strncmp(dfl_message(f->ctx), begins, strlen(begins)))
        fail_msg("'%s' instead of '%s'", dfl_message(f->ctx), begins);
}

static double end_of(const fixture *f, dfl_model *model, const char *name, double t)
{
    dfl_run *it;
    expect(f, dfl_run_create(&it, f->ctx, model, NULL));
    expect(f, dfl_run_start(it));
    expect(f, dfl_run_advance(it, t));
    const double x = dfl_run_get(it, dfl_run_find(it, name));
    dfl_run_free(it);
    return x;
}

/* The pendulum of running.h, call by call: the same bits. */
static void calls_and_scripts_are_the_same(void **state)
{
    (void)state;
    fixture f = {.ctx = dfl_context_create()};
    dfl_builder *builder;
    dfl_model *built;
    expect(&f, dfl_builder_create(&builder, f.ctx, "pendulum"));
    CALL("L", "param", text("L"), number(1));
    CALL("x, y", "position", text("x"), text("y"));
    CALL(NULL, "mass", expression("x"), number(1));
    CALL(NULL, "mass", expression("y"), number(1));
    CALL(NULL, "force", expression("y"), number(-9.81));
    CALL(NULL, "constraint", text("rod"), expression("x^2 + y^2 - L^2"));
    CALL(NULL, "output", text("energy"), expression("energy() + 9.81*y"));
    const dfl_argument initial[] = {keyed("x", number(0.9)), keyed("der(x)", number(0))};
    const dfl_argument guess[] = {keyed("y", number(-0.5))};
    const dfl_argument simulate[] = {keyed("to", number(3)), keyed("rtol", number(1e-8))};
    CALL(NULL, "initial", table(2, initial));
    CALL(NULL, "guess", table(1, guess));
    CALL(NULL, "simulate", table(2, simulate));
    expect(&f, dfl_builder_load(&built, builder, NULL));
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "a", pendulum, strlen(pendulum), NULL));
    assert_true(end_of(&f, built, "x", 2) == end_of(&f, f.model, "x", 2));
    dfl_model_free(built);
    dfl_model_free(f.model);
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "a", dfl_builder_script(builder),
                                   strlen(dfl_builder_script(builder)), NULL));
    dfl_builder_free(builder);
    finished(&f);
}

/* A bar on a hinge, from rest: small oscillations with w^2 = 3 g/(2 L). */
static void mechanisms_are_drawn_by_calls(void **state)
{
    (void)state;
    fixture f = {.ctx = dfl_context_create()};
    dfl_builder *builder;
    const double L = 0.8, w = sqrt(1.5 * 9.81 / L);
    const dfl_argument down[] = {number(0), number(-9.81)};
    const dfl_argument origin[] = {number(0), number(0)}, at[] = {keyed("at", table(2, origin))};
    const dfl_argument centre[] = {number(0), number(-L / 2)};
    const dfl_argument bar[] = {keyed("mass", number(2)), keyed("inertia", number(2 * L * L / 12)),
                                keyed("com", table(2, centre))};
    const dfl_argument initial[] = {keyed("hinge.q", number(1e-4)),
                                    keyed("der(hinge.q)", number(0))};
    expect(&f, dfl_builder_create(&builder, f.ctx, "bar"));
    expect(&f, dfl_builder_call(builder, NULL, "planar", 0, NULL));
    CALL(NULL, "gravity", table(2, down));
    CALL("bar", "body", text("bar"), table(3, bar));
    CALL("hinge", "revolute", text("hinge"), expression("ground"), expression("bar"), table(1, at));
    CALL(NULL, "initial", table(2, initial));
    expect(&f, dfl_builder_load(&f.model, builder, NULL));
    assert_near(end_of(&f, f.model, "hinge.q", 1) / 1e-4, cos(w), 1e-4);
    dfl_builder_free(builder);
    finished(&f);
}

/* An expression with a name is the expression. */
static void expressions_have_names(void **state)
{
    (void)state;
    fixture f = {.ctx = dfl_context_create()};
    dfl_builder *builder;
    const dfl_argument initial[] = {keyed("x", number(3)), keyed("der(x)", number(0))};
    expect(&f, dfl_builder_create(&builder, f.ctx, "named"));
    CALL("x", "position", text("x"));
    CALL(NULL, "mass", expression("x"), number(1));
    CALL("a, b", NULL, expression("x^2"), expression("x + 1"));
    CALL(NULL, "output", text("sum"), expression("a + b"));
    CALL(NULL, "initial", table(2, initial));
    expect(&f, dfl_builder_load(&f.model, builder, NULL));
    assert_true(end_of(&f, f.model, "sum", 1) == 13);
    assert_int_equal(dfl_builder_call(builder, NULL, NULL, 1, initial), DFL_INVALID);
    assert_int_equal(dfl_builder_call(builder, "c", NULL, 0, NULL), DFL_INVALID);
    dfl_builder_free(builder);
    finished(&f);
}

static void the_language_lists_its_names(void **state)
{
    (void)state;
    dfl_context *ctx = dfl_context_create();
    char *names;
    assert_int_equal(dfl_language_names(&names, ctx), DFL_OK);
    assert_int_equal(strncmp(names, "abs acceleration ", 17), 0);
    assert_non_null(strstr(names, " position "));
    assert_non_null(strstr(names, " revolute "));
    assert_null(strstr(names, " print "));
    dfl_free(ctx, names);
    dfl_context_free(ctx);
}

static void refused(const char *result, const char *call, dfl_argument argument,
                    const char *message)
{
    fixture f = {.ctx = dfl_context_create()};
    dfl_builder *builder;
    expect(&f, dfl_builder_create(&builder, f.ctx, "wrong"));
    assert_int_equal(dfl_builder_call(builder, result, call, 1, &argument), DFL_INVALID);
    if (!strstr(dfl_message(f.ctx), message) || strncmp(dfl_message(f.ctx), "wrong:1: ", 9) != 0)
        fail_msg("'%s' does not contain '%s'", dfl_message(f.ctx), message);
    assert_string_equal(dfl_builder_script(builder), "");
    dfl_builder_free(builder);
    finished(&f);
}

static void wrong_calls_get_a_message(void **state)
{
    (void)state;
    refused("x y", "position", text("x"), "results are names");
    refused("x,", "position", text("x"), "results are names");
    refused(NULL, "print(1) position", text("x"), "no such call");
    refused(NULL, "force", expression("x) force(y"), "has not opened");
    refused(NULL, "force", expression("(x"), "open");
    refused(NULL, "force", expression("'x"), "open");
    refused(NULL, "force", expression("x -- y"), "without comments");
    refused(NULL, "force", expression("x\n"), "one line");
    refused(NULL, "force", expression(" "), "empty");
    refused(NULL, "force", number(NAN), "not finite");
    refused(NULL, "force", keyed("x", number(1)), "inside a table");
    fixture f = {.ctx = dfl_context_create()};
    dfl_builder *builder;
    assert_int_equal(dfl_builder_create(&builder, f.ctx, ""), DFL_INVALID);
    expect(&f, dfl_builder_create(&builder, f.ctx, "late"));
    CALL("x", "position", text("x \"\\\n"));
    CALL(NULL, "mass", expression("x"), text("heavy"));
    assert_int_equal(dfl_builder_load(&f.model, builder, NULL), DFL_INVALID);
    assert_non_null(strstr(dfl_message(f.ctx), "late:"));
    dfl_builder_free(builder);
    finished(&f);
}

/* With checks, a wrong call fails where it is made, is left out, and leaves no trace. */
static void wrong_calls_fail_at_once(void **state)
{
    (void)state;
    fixture f = {.ctx = dfl_context_create()};
    dfl_builder *builder;
    const char *const set[] = {"L=2"};
    const dfl_load_options options = {.nset = 1, .set = set};
    const dfl_argument missing[] = {expression("y"), number(1)}, twice[] = {text("L"), number(1)};
    expect(&f, dfl_builder_create(&builder, f.ctx, "checked"));
    CALL("x", "position", text("x"));
    expect(&f, dfl_builder_check_calls(builder, &options));
    assert_int_equal(dfl_builder_call(builder, NULL, "mass", 2, missing), DFL_INVALID);
    assert_message(&f, "checked:2: ");
    CALL("L", "param", text("L"), number(1));
    assert_int_equal(dfl_builder_call(builder, "M", "param", 2, twice), DFL_INVALID);
    assert_message(&f, "checked:3: the name 'L' is already used");
    CALL(NULL, "mass", expression("x"), expression("L"));
    assert_int_equal(dfl_builder_call(builder, NULL, "mas", 2, missing), DFL_INVALID);
    assert_message(&f, "checked:4: ");
    expect(&f, dfl_builder_load(&f.model, builder, &options));
    assert_true(end_of(&f, f.model, "L", 1) == 2);
    dfl_builder_free(builder);
    finished(&f);
}

/* The length of scripts and the memory of Lua are limited, unless the caller says that the script
   is its own. */
static void own_scripts_have_no_limits(void **state)
{
    (void)state;
    fixture f = {.ctx = dfl_context_create()};
    const size_t length = 17 << 20;
    char *script = malloc(length);
    assert_non_null(script);
    memset(script, '\n', length);
    memcpy(script, pendulum, strlen(pendulum));
    const dfl_load_options own = {.unlimited = true};
    assert_int_equal(dfl_model_load_text(&f.model, f.ctx, "a", script, length, NULL), DFL_INVALID);
    expect(&f, dfl_model_load_text(&f.model, f.ctx, "a", script, length, &own));
    assert_true(end_of(&f, f.model, "L", 0.1) == 1); /* a run derives the model again */
    free(script);
    finished(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_fail_at_once),
        cmocka_unit_test(own_scripts_have_no_limits),
        cmocka_unit_test(calls_and_scripts_are_the_same),
        cmocka_unit_test(mechanisms_are_drawn_by_calls),
        cmocka_unit_test(expressions_have_names),
        cmocka_unit_test(the_language_lists_its_names),
        cmocka_unit_test(wrong_calls_get_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
