/* example.h: scripts of examples/, and what is asked of each of them. */
#ifndef DFL_TESTS_EXAMPLE_H
#define DFL_TESTS_EXAMPLE_H

#include "scripted.h"

/* of trajectories that are compared */
static const double tol = 1e-10;

/* Problems drawn as bodies and joints: test_drawn_examples.c. */
static const char *const drawn_examples[] = {
    "andrews-bodies",      "bricard",    "flyball", "four-bar-bodies", "rolling-disk-bodies",
    "slider-crank-bodies", "top-bodies", "truck"};
enum { DRAWN_EXAMPLES = sizeof drawn_examples / sizeof *drawn_examples };

/* Models whose forces or rows switch: test_switching_examples.c. */
static const char *const switching_examples[] = {"backlash",    "ball",   "clutch",    "geneva",
                                                 "quarter-car", "walker", "woodpecker"};
enum { SWITCHING_EXAMPLES = sizeof switching_examples / sizeof *switching_examples };

/* The truck with a seat: test_truck_seat.c. */
static const char truck_seat[] = "truck-seat";

/* The train of many cars: test_train.c. */
static const char train[] = "train";

/* The example `name` with --set texts, ended by NULL. */
static inline scripted load_with(const char *name, const char *const *sets)
{
    char path[512];
    int nset = 0;
    while (sets && sets[nset])
        nset++;
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, name);
    scripted s = {.ctx = dfl_context_create()};
    assert_non_null(s.ctx);
    scripted_expect(&s, dfl_script_load(&s.model, s.ctx, path,
                                        &(dfl_script_options){.nset = nset, .set = sets}));
    scripted_expect(&s, scripted_prepare(&s));
    return s;
}

static inline scripted load(const char *name)
{
    return load_with(name, NULL);
}

/* The self-check compares jacobian, W, gI and bias with differences of what they come from. */
static inline void check_own_settings(const char *name)
{
    scripted s = load(name);
    const double to = dfl_choices_number(&s.model->run, "to");
    const double rtol = dfl_choices_number(&s.model->run, "rtol");
    assert_true(to > 0 && rtol > 0 && dfl_choices_number(&s.model->run, "every") > 0);
    assert_true(s.model->run_line > 0);
    scripted_start(&s, &(dfl_solver_options){.rtol = rtol, .self_check = true});
    scripted_advance(&s, to);
    const dfl_statistics stats = dfl_solver_statistics(s.solver);
    assert_true(stats.max_residual.position < 10 * rtol);
    assert_true(stats.max_residual.invariant < 10 * rtol);
    scripted_free(&s);
}

static inline void check_opening(const char *name)
{
    char path[512], line[512];
    snprintf(path, sizeof path, "%s/examples/%s.lua", DFL_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (int k = 1; k <= 4; k++) {
        assert_non_null(fgets(line, sizeof line, file));
        if ((strncmp(line, "-- ", 3) == 0) != (k <= 3))
            fail_msg("%s:%d: three lines of comment say what one sees, then code", path, k);
    }
    fclose(file);
}

#endif
