/* test_declare.c: the declarations of a model, without a script: numbers of symbols, names,
   refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "context/context.h"
#include "declare/declare.h"

typedef struct fixture {
    dfl_context *ctx;
    dfl_model *model;
} fixture;

static fixture open_model(void)
{
    fixture f = {.ctx = dfl_context_create()};
    assert_int_equal(dfl_model_create(&f.model, f.ctx, "models/two.parts.lua"), DFL_OK);
    return f;
}

static void close_model(fixture *f)
{
    dfl_model_free(f->model);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
}

static dfl_expr position(dfl_model *model, const char *name)
{
    dfl_expr x;
    assert_int_equal(dfl_model_position(&x, model, 0, name), DFL_OK);
    return x;
}

static dfl_expr speed(dfl_model *model, const char *name)
{
    dfl_expr u;
    assert_int_equal(dfl_model_speed(&u, model, 0, name), DFL_OK);
    return u;
}

static dfl_expr velocity(dfl_model *model, dfl_expr x)
{
    dfl_expr v;
    assert_int_equal(dfl_model_velocity(&v, model, x), DFL_OK);
    return v;
}

static const dfl_symbol *symbol_of(const dfl_model *model, dfl_expr e)
{
    return &model->graph->symbols[dfl_node_of(model->graph, e)->a];
}

static void assert_invalid(const dfl_model *model, dfl_status status, const char *piece)
{
    assert_int_equal(status, DFL_INVALID);
    if (!strstr(dfl_message(model->ctx), piece))
        fail_msg("expected '%s', found '%s'", piece, dfl_message(model->ctx));
}

static void a_new_model_is_silent(void **state)
{
    (void)state;
    fixture f = open_model();
    assert_string_equal(f.model->name, "two.parts");
    assert_string_equal(f.model->path, "models/two.parts.lua");
    assert_true(f.model->energy.kinetic == DFL_NO_EXPR && f.model->energy.potential == DFL_NO_EXPR);
    assert_true(isnan(dfl_choices_number(&f.model->run, "to")) &&
                isnan(dfl_choices_number(&f.model->run, "max_steps")) &&
                !dfl_choices_text(&f.model->run, "form"));
    assert_null(dfl_model_find(f.model, "x"));
    assert_true(dfl_model_variable_named(f.model, "x") == DFL_NO_EXPR);
    close_model(&f);
    dfl_model_free(NULL);
}

static void velocities_and_speeds_are_numbered_in_one_sequence(void **state)
{
    (void)state;
    fixture f = open_model();
    const dfl_expr x = position(f.model, "x"), u = speed(f.model, "u"), y = position(f.model, "y");
    const dfl_expr vx = velocity(f.model, x), vy = velocity(f.model, y);
    assert_int_equal(symbol_of(f.model, x)->index, 0);
    assert_int_equal(symbol_of(f.model, y)->index, 1);
    assert_int_equal(symbol_of(f.model, vx)->index, 0);
    assert_int_equal(symbol_of(f.model, u)->index, 1);
    assert_int_equal(symbol_of(f.model, vy)->index, 2);
    assert_int_equal(symbol_of(f.model, vy)->kind, DFL_SYM_V);
    assert_string_equal(symbol_of(f.model, vy)->name, "der(y)");
    assert_string_equal(symbol_of(f.model, u)->name, "u");
    assert_ptr_equal(dfl_model_owner(f.model, vy), dfl_model_find(f.model, "y"));
    assert_ptr_equal(dfl_model_owner(f.model, u), dfl_model_find(f.model, "u"));
    assert_null(dfl_model_owner(f.model, dfl_add(f.model->graph, x, y)));
    close_model(&f);
}

static void multipliers_are_numbered_by_kind(void **state)
{
    (void)state;
    fixture f = open_model();
    const dfl_expr x = position(f.model, "x"), v = velocity(f.model, x);
    int a, b, c;
    assert_int_equal(dfl_model_constraint(&a, f.model, 0, "a", x), DFL_OK);
    assert_int_equal(dfl_model_nonholonomic(&b, f.model, 0, "b", v), DFL_OK);
    assert_int_equal(dfl_model_constraint(&c, f.model, 0, "c", x), DFL_OK);
    const dfl_declaration *d = f.model->declarations.item;
    assert_string_equal(symbol_of(f.model, d[b].symbol)->name, "mu(b)");
    assert_int_equal(symbol_of(f.model, d[b].symbol)->index, 0);
    assert_string_equal(symbol_of(f.model, d[c].symbol)->name, "lambda(c)");
    assert_int_equal(symbol_of(f.model, d[c].symbol)->kind, DFL_SYM_LAMBDA);
    assert_int_equal(symbol_of(f.model, d[c].symbol)->index, 1);
    close_model(&f);
}

static void variables_are_found_by_their_names_in_results(void **state)
{
    (void)state;
    fixture f = open_model();
    const dfl_expr x = position(f.model, "x"), z = position(f.model, "z"), u = speed(f.model, "u");
    int c;
    dfl_expr m, r;
    assert_int_equal(dfl_model_kinematics(f.model, z, u), DFL_OK);
    assert_int_equal(dfl_model_constraint(&c, f.model, 0, "rod", x), DFL_OK);
    assert_int_equal(dfl_model_param(&m, f.model, 0, "m", 1, "kg"), DFL_OK);
    assert_int_equal(dfl_model_variable(&r, f.model, 0, DFL_A_DYNAMIC, "r"), DFL_OK);
    const dfl_model *model = f.model;
    assert_int_equal(dfl_model_variable_named(model, "x"), x);
    assert_int_equal(dfl_model_variable_named(model, "der(x)"), velocity(f.model, x));
    assert_int_equal(dfl_model_variable_named(model, "u"), u);
    assert_int_equal(dfl_model_variable_named(model, "r"), r);
    assert_int_equal(dfl_model_variable_named(model, "lambda(rod)"),
                     model->declarations.item[c].symbol);
    static const char *const none[] = {"m",       "rod",       "y",     "der(z)", "der(u)",
                                       "mu(rod)", "lambda(x)", "der(x", "der",    "der()",
                                       "",        "time",      "(x)",   "der(x)x"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(dfl_model_variable_named(model, none[i]) == DFL_NO_EXPR);
    close_model(&f);
}

static void names_must_be_plain_and_unique(void **state)
{
    (void)state;
    fixture f = open_model();
    dfl_expr e;
    static const struct {
        const char *name, *piece;
    } wrong[] = {
        {"", "empty"},          {"1x", "start with a letter"}, {"-x", "start with a letter"},
        {"a b", "may consist"}, {"der(x)", "may consist"},     {"a,b", "may consist"},
        {"\xc3\xa4", "start"},  {"time", "symbol of time"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_invalid(f.model, dfl_model_position(&e, f.model, 0, wrong[i].name), wrong[i].piece);
    assert_int_equal(f.model->declarations.count, 0);
    static const char *const right[] = {"x", "_x", "j1.q", "crank-pin", "q[3]", "A9"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        position(f.model, right[i]);
    assert_int_equal(dfl_model_setting(f.model, 7, "n", 3), DFL_OK);
    assert_invalid(f.model, dfl_model_output(f.model, 0, "n", 0),
                   "already used by the setting of line 7");
    close_model(&f);
}

static void thousands_of_names_are_found_again(void **state)
{
    (void)state;
    fixture f = open_model();
    char name[20];
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "q%d", i);
        position(f.model, name);
    }
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "q%d", i);
        assert_int_equal(dfl_model_find(f.model, name)->index, i);
    }
    assert_null(dfl_model_find(f.model, "q20000"));
    close_model(&f);
}

static void the_nearest_name_is_near(void **state)
{
    (void)state;
    static const char *const words[] = {"position", "potential", "kinetic", "sin"};
    assert_string_equal(dfl_nearest_word("positoin", words, 4), "position"); /* two swapped */
    assert_string_equal(dfl_nearest_word("postion", words, 4), "position");
    assert_string_equal(dfl_nearest_word("kinetics", words, 4), "kinetic");
    assert_string_equal(dfl_nearest_word("sni", words, 4), "sin");
    assert_null(dfl_nearest_word("cos", words, 4));
    assert_null(dfl_nearest_word("", words, 4));
    assert_null(dfl_nearest_word("x", (const char *const[]){"y"}, 1)); /* all letters are wrong */
    fixture f = open_model();
    dfl_expr m;
    position(f.model, "angle");
    assert_int_equal(dfl_model_param(&m, f.model, 0, "angles", 1, NULL), DFL_OK);
    assert_string_equal(dfl_model_nearest(f.model, "angl", 1u << DFL_A_PARAM), "angles");
    assert_string_equal(dfl_model_nearest(f.model, "angl", ~0u), "angle");
    assert_null(dfl_model_nearest(f.model, "angl", 1u << DFL_AN_INPUT));
    close_model(&f);
}

static void kinematics_replaces_the_own_velocity(void **state)
{
    (void)state;
    fixture f = open_model();
    const dfl_expr x = position(f.model, "x"), y = position(f.model, "y"), u = speed(f.model, "u");
    const dfl_expr rate = dfl_mul(f.model->graph, x, u);
    assert_int_equal(dfl_model_kinematics(f.model, x, rate), DFL_OK);
    assert_int_equal(velocity(f.model, x), rate);
    assert_invalid(f.model, dfl_model_kinematics(f.model, x, u), "already has kinematics");
    assert_invalid(f.model, dfl_model_force(f.model, 0, x, u), "use the speeds");
    assert_invalid(f.model, dfl_model_mass(f.model, 0, u, x, x), "use the speeds");
    /* every use of y's own velocity comes too late for kinematics */
    assert_int_equal(dfl_model_force(f.model, 0, y, x), DFL_OK);
    assert_invalid(f.model, dfl_model_kinematics(f.model, y, u), "declare kinematics first");
    const dfl_expr z = position(f.model, "z");
    assert_int_equal(
        dfl_model_start(f.model, 0, dfl_model_variable_named(f.model, "der(z)"), 1, true), DFL_OK);
    assert_invalid(f.model, dfl_model_kinematics(f.model, z, u), "declare kinematics first");
    close_model(&f);
}

static void a_speed_hidden_deep_in_a_kinetic_energy_is_found(void **state)
{
    (void)state;
    fixture f = open_model();
    dfl_graph *g = f.model->graph;
    const dfl_expr x = position(f.model, "x"), u = speed(f.model, "u");
    const dfl_expr v = velocity(f.model, x);
    dfl_expr T = dfl_unary(g, DFL_OP_SQ, v);
    assert_int_equal(dfl_model_kinetic(f.model, 0, T), DFL_OK);
    for (int i = 0; i < 50; i++) /* 2^50 paths lead to it */
        T = dfl_mul(g, dfl_add(g, T, u), dfl_sub(g, T, x));
    assert_invalid(f.model, dfl_model_kinetic(f.model, 0, T), "contains the speed u");
    close_model(&f);
}

static void sums_of_energies_and_the_last_starting_value_count(void **state)
{
    (void)state;
    fixture f = open_model();
    dfl_graph *g = f.model->graph;
    const dfl_expr x = position(f.model, "x"), y = position(f.model, "y");
    const dfl_expr a = dfl_unary(g, DFL_OP_SQ, velocity(f.model, x)),
                   b = dfl_unary(g, DFL_OP_COS, y);
    dfl_expr E;
    assert_invalid(f.model, dfl_model_energy(&E, f.model), "no energy has been given");
    assert_int_equal(dfl_model_kinetic(f.model, 0, a), DFL_OK);
    assert_int_equal(dfl_model_energy(&E, f.model), DFL_OK);
    assert_int_equal(E, a);
    assert_int_equal(dfl_model_potential(f.model, 0, b), DFL_OK);
    assert_int_equal(dfl_model_potential(f.model, 0, x), DFL_OK);
    assert_int_equal(dfl_model_energy(&E, f.model), DFL_OK);
    assert_int_equal(E, dfl_add(g, a, dfl_add(g, b, x)));

    assert_int_equal(dfl_model_start(f.model, 0, x, 1, true), DFL_OK);
    assert_int_equal(dfl_model_start(f.model, 0, y, 2, true), DFL_OK);
    assert_int_equal(dfl_model_start(f.model, 0, x, 3, true), DFL_OK);
    assert_invalid(f.model, dfl_model_start(f.model, 0, x, 4, false), "x is held by initial{}");
    assert_int_equal(f.model->starts.count, 2);
    assert_int_equal(f.model->starts.item[0].symbol, x);
    assert_true(f.model->starts.item[0].value == 3 && f.model->starts.item[0].held);
    close_model(&f);
}

static void values_must_be_finite(void **state)
{
    (void)state;
    fixture f = open_model();
    const dfl_expr x = position(f.model, "x");
    dfl_expr e;
    assert_invalid(f.model, dfl_model_param(&e, f.model, 0, "m", NAN, NULL), "finite");
    assert_invalid(f.model, dfl_model_input(&e, f.model, 0, "F", INFINITY), "finite");
    assert_invalid(f.model, dfl_model_setting(f.model, 0, "n", -INFINITY), "finite");
    assert_invalid(f.model, dfl_model_start(f.model, 0, x, NAN, true), "finite");
    assert_invalid(f.model,
                   dfl_model_output(f.model, 0, "o", dfl_constant(f.model->graph, INFINITY)),
                   "finite");
    close_model(&f);
}

static void an_equation_is_given_once_and_to_its_own_kind(void **state)
{
    (void)state;
    fixture f = open_model();
    const dfl_expr x = position(f.model, "x");
    dfl_expr w;
    assert_int_equal(dfl_model_variable(&w, f.model, 0, DFL_AN_AUXILIARY, "w"), DFL_OK);
    assert_invalid(f.model, dfl_model_equation(f.model, x, w), "belongs to");
    assert_int_equal(dfl_model_equation(f.model, w, dfl_sub(f.model->graph, w, x)), DFL_OK);
    assert_invalid(f.model, dfl_model_equation(f.model, w, x), "already has an equation");
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_model_is_silent),
        cmocka_unit_test(velocities_and_speeds_are_numbered_in_one_sequence),
        cmocka_unit_test(multipliers_are_numbered_by_kind),
        cmocka_unit_test(variables_are_found_by_their_names_in_results),
        cmocka_unit_test(names_must_be_plain_and_unique),
        cmocka_unit_test(thousands_of_names_are_found_again),
        cmocka_unit_test(the_nearest_name_is_near),
        cmocka_unit_test(kinematics_replaces_the_own_velocity),
        cmocka_unit_test(a_speed_hidden_deep_in_a_kinetic_energy_is_found),
        cmocka_unit_test(sums_of_energies_and_the_last_starting_value_count),
        cmocka_unit_test(values_must_be_finite),
        cmocka_unit_test(an_equation_is_given_once_and_to_its_own_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
