/* What `driftless check` is told about a model: degrees of freedom, constraints that depend on each
   other, directions without mass, and how consistent the given values are. */
#include "failing.h"
#include "scripted.h"

#include "study/study.h"

/* A rod's end on a circle, held twice; two more rows of which one follows from the other. */
static const char doubled[] = "local x, y, z = position('x', 'y', 'z')\n"
                              "kinetic(velocity(x)^2 + velocity(y)^2 + velocity(z)^2)\n"
                              "constraint('rod', x^2 + y^2 - 1)\n"
                              "constraint('plane', z)\n"
                              "constraint('again', 2*(x^2 + y^2 - 1) + 3*z)\n"
                              "initial{ x = 0.6 } guess{ y = 0.5, ['der(x)'] = 1 }\n";

static const dfl_level_residual *level_of(const dfl_diagnosis *d, const char *level)
{
    for (int i = 0; i < d->ngiven; i++)
        if (strcmp(d->given[i].level, level) == 0)
            return &d->given[i];
    fail_msg("there is no level %s", level);
    return NULL;
}

static const char *row_name(const scripted *s, int row)
{
    return s->model->declarations.item[s->eq->declared.row[row]].name;
}

static void degrees_of_freedom_are_counted_twice(void **state)
{
    (void)state;
    dfl_diagnosis d;
    scripted s = scripted_text(doubled);
    scripted_expect(&s, dfl_diagnose(&d, s.run, NULL, 0.0));
    assert_int_equal(d.dof_by_count, 0);
    assert_int_equal(d.rank, 2);
    assert_int_equal(d.dof_by_rank, 1);
    dfl_diagnosis_clear(&d);
    scripted_free(&s);
}

/* Rows that are 0 = 0 at the start are neither constraints nor redundant; closed ones count. */
static void open_contacts_are_not_redundant(void **state)
{
    static const char text[] = "local x, y = position('x', 'y') mass(x, 1) mass(y, 1)\n"
                               "force(y, -9.81)\n"
                               "unilateral('floor', y) unilateral('roof', 2 - y)\n"
                               "local on = discrete('on', 0)\n"
                               "constraint('latch', x - 1, {active = on})\n"
                               "constraint('guide', x) constraint('again', 2*x)\n"
                               "initial{ x = 0, y = 0 }\n";
    (void)state;
    dfl_diagnosis d;
    scripted s = scripted_text(text);
    scripted_expect(&s, dfl_diagnose(&d, s.run, NULL, 0.0));
    assert_int_equal(d.dof_by_count, 0); /* guide, again */
    assert_int_equal(d.nsets, 1);
    scripted_expect(&s, dfl_diagnose_modes(&d, s.run, &(dfl_solver_options){0}, 0.0));
    assert_int_equal(d.dof_by_count, 2 - 3); /* and floor */
    assert_int_equal(d.rank, 2);
    assert_int_equal(d.nsets, 1);
    assert_int_equal(d.sets[0].count, 2);
    assert_string_equal(row_name(&s, d.sets[0].rows[0]), "guide");
    assert_string_equal(row_name(&s, d.sets[0].rows[1]), "again");
    assert_near(d.sets[0].coefficient[0], -2.0, 1e-12);
    dfl_diagnosis_clear(&d);
    scripted_free(&s);
}

/* again = 2 rod + 3 plane, so the rows are dependent: again - 2 rod - 3 plane = 0. */
static void dependent_constraints_are_found_by_name(void **state)
{
    (void)state;
    dfl_diagnosis d;
    scripted s = scripted_text(doubled);
    scripted_expect(&s, dfl_diagnose(&d, s.run, NULL, 0.0));
    assert_int_equal(d.nsets, 1);
    const dfl_dependent_set *set = &d.sets[0];
    assert_int_equal(set->count, 3);
    assert_string_equal(row_name(&s, set->rows[0]), "rod");
    assert_string_equal(row_name(&s, set->rows[1]), "plane");
    assert_string_equal(row_name(&s, set->rows[2]), "again");
    assert_near(set->coefficient[0], -2.0, 1e-9);
    assert_near(set->coefficient[1], -3.0, 1e-9);
    assert_near(set->coefficient[2], 1.0, 0.0);
    dfl_diagnosis_clear(&d);
    scripted_free(&s);
}

/* y is massless and damped: balanced; u and w have no mass along u - 2 w. */
static void directions_without_mass_are_found(void **state)
{
    (void)state;
    dfl_diagnosis d;
    scripted s = scripted_text("local x, y, u, w = position('x', 'y', 'u', 'w')\n"
                               "kinetic(velocity(x)^2 + (2*velocity(u) + velocity(w))^2)\n"
                               "force(y, x - velocity(y))\n");
    scripted_expect(&s, dfl_diagnose(&d, s.run, NULL, 0.0));
    assert_int_equal(d.ndirections, 2);
    assert_int_equal(d.start, DFL_INVALID);
    assert_non_null(strstr(d.start_message, "no mass along"));
    assert_true(isnan(d.x[0]));
    for (int k = 0; k < 2; k++) {
        dfl_text text = {.ctx = s.ctx};
        dfl_print_combination(&text, s.eq, d.directions[k].direction);
        assert_string_equal(dfl_text_string(&text),
                            d.directions[k].balanced ? "der(y)" : "-0.5 der(u) + der(w)");
        dfl_text_clear(&text);
    }
    assert_true(d.directions[0].balanced != d.directions[1].balanced);
    dfl_diagnosis_clear(&d);
    scripted_free(&s);
}

/* With x = 0.6 held and y guessed as 0.5: g = 0.36 + 0.25 - 1, gI = 2 x x' = 1.2. */
static void residuals_of_the_given_values_are_listed_by_level(void **state)
{
    (void)state;
    dfl_diagnosis d;
    scripted s = scripted_text(doubled);
    scripted_expect(&s, dfl_diagnose(&d, s.run, NULL, 0.0));
    const dfl_level_residual *position = level_of(&d, "position"),
                             *velocity = level_of(&d, "velocity");
    assert_near(position->residual, 2 * 0.39, 1e-15);
    assert_string_equal(position->name, "again");
    assert_int_equal(position->row, 2);
    assert_near(velocity->residual, 2.4, 1e-15);
    assert_int_equal(d.ngiven, 2);
    assert_int_equal(d.start, DFL_OK);
    const int x = dfl_equations_find(s.eq, "x"), y = dfl_equations_find(s.eq, "y");
    assert_near(d.x_given[y], 0.5, 0.0);
    assert_near(d.x[x], 0.6, 0.0); /* held */
    assert_near(d.x[y], 0.8, 1e-9);
    dfl_diagnosis_clear(&d);
    scripted_free(&s);
}

static void other_levels_have_their_rows(void **state)
{
    (void)state;
    dfl_diagnosis d;
    scripted s = scripted_text("local x, y, m = position('x', 'y', 'm')\n"
                               "kinetic(velocity(x)^2 + velocity(y)^2)\n"
                               "nonholonomic('edge', velocity(x) - velocity(y))\n"
                               "auxiliary('w', function(w) return w - 2 end)\n"
                               "contact('s', function(s) return s - x - 3 end)\n"
                               "force(m, 4 - velocity(m))\n"
                               "guess{ ['der(x)'] = 5 }\n");
    scripted_expect(&s, dfl_diagnose(&d, s.run, NULL, 0.0));
    assert_near(level_of(&d, "nonholonomic")->residual, 5.0, 0.0);
    assert_string_equal(level_of(&d, "nonholonomic")->name, "edge");
    assert_near(level_of(&d, "auxiliary")->residual, 2.0, 0.0);
    assert_near(level_of(&d, "contact")->residual, 3.0, 0.0);
    assert_near(level_of(&d, "massless")->residual, 4.0, 0.0);
    assert_string_equal(level_of(&d, "massless")->name, "der(m)");
    assert_near(d.x[dfl_equations_find(s.eq, "der(m)")], 4.0, 1e-9);
    dfl_diagnosis_clear(&d);
    scripted_free(&s);
}

static void a_start_that_fails_is_part_of_the_diagnosis(void **state)
{
    (void)state;
    dfl_diagnosis d;
    scripted s = scripted_text("local x, y = position('x', 'y')\n"
                               "kinetic(velocity(x)^2 + velocity(y)^2)\n"
                               "constraint('rod', x^2 + y^2 - 1)\n"
                               "initial{ x = 1, y = 1 }\n");
    scripted_expect(&s, dfl_diagnose(&d, s.run, NULL, 0.0));
    assert_int_equal(d.start, DFL_INCONSISTENT);
    assert_non_null(strstr(d.start_message, "rod"));
    assert_int_equal(d.dof_by_rank, 1);
    dfl_diagnosis_clear(&d);
    scripted_free(&s);
}

static void every_failed_allocation_of_the_diagnosis_is_clean(void **state)
{
    (void)state;
    dfl_status status;
    scripted s = scripted_text(doubled);
    WHILE_ALLOCATIONS_FAIL(status, s.ctx) {
        dfl_diagnosis d;
        status = dfl_diagnose(&d, s.run, NULL, 0.0);
        if (!status)
            dfl_diagnosis_clear(&d);
    }
    scripted_free(&s);
}

/* A constraint that is not finite at the start: the message of the start, for any number of
   coordinates, and no wrong verdict about masses and constraints. */
static void a_constraint_that_is_not_finite_ends_the_diagnosis(void **state)
{
    (void)state;
    for (int n = 1; n <= 6; n++) {
        char text[300];
        dfl_diagnosis d;
        snprintf(text, sizeof text,
                 "local x, T, others = position('x'), 0, 0\n"
                 "for i = 2, %d do\n"
                 "  local y = position('y' .. i)\n"
                 "  T, others = T + velocity(y)^2/2, others + y\n"
                 "end\n"
                 "kinetic(velocity(x)^2/2 + T)\n"
                 "constraint('c', 1/x + others - 2)\n",
                 n);
        scripted s = scripted_text(text);
        assert_int_equal(dfl_diagnose(&d, s.run, NULL, 0.0), DFL_NOT_FINITE);
        char *said = dfl_copy_string(s.ctx, dfl_message(s.ctx));
        assert_int_equal(scripted_try_start(&s, NULL), DFL_NOT_FINITE);
        assert_string_equal(said, dfl_message(s.ctx));
        assert_non_null(strstr(said, "'c' cannot be evaluated at t = 0: in 1/x"));
        dfl_free(s.ctx, said);
        scripted_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degrees_of_freedom_are_counted_twice),
        cmocka_unit_test(open_contacts_are_not_redundant),
        cmocka_unit_test(dependent_constraints_are_found_by_name),
        cmocka_unit_test(directions_without_mass_are_found),
        cmocka_unit_test(residuals_of_the_given_values_are_listed_by_level),
        cmocka_unit_test(other_levels_have_their_rows),
        cmocka_unit_test(a_start_that_fails_is_part_of_the_diagnosis),
        cmocka_unit_test(a_constraint_that_is_not_finite_ends_the_diagnosis),
        cmocka_unit_test(every_failed_allocation_of_the_diagnosis_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
