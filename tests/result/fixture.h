/* fixture.h: a model with everything that a result names, for the tests of the files. */
#ifndef DFL_TESTS_OUTPUT_FIXTURE_H
#define DFL_TESTS_OUTPUT_FIXTURE_H

#include "support.h"

#include "result/result.h"
#include "script/script.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <unistd.h>

/* x = [lambda(rod) | r | der(x) der(y) | x y], one output, one event, two parameters. */
static const char fixture_script[] = "local m = param('m', 2, 'kg')\n"
                                     "local g = param('g', 9.81)\n"
                                     "local x, y = position('x', 'y')\n"
                                     "kinetic(m/2 * (velocity(x)^2 + velocity(y)^2))\n"
                                     "potential(m*g*y)\n"
                                     "constraint('rod', x^2 + y^2 - 1)\n"
                                     "dynamic('r', function(r) return x - r end)\n"
                                     "output('height', y + 1)\n"
                                     "event('bottom', x)\n"
                                     "initial{ x = 1 }\n"
                                     "-- π\n";

typedef struct fixture {
    dfl_context *ctx;
    dfl_model *model;
    dfl_equations *eq;
    dfl_runnable *run;
    char folder[64];
} fixture;

static inline void fixture_check(dfl_status status, const dfl_context *ctx)
{
    if (status)
        fail_msg("%s", dfl_message(ctx));
}

static inline int fixture_open(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = dfl_context_create();
    fixture_check(dfl_script_load_text(&f->model, f->ctx, "swing.lua", fixture_script,
                                       strlen(fixture_script), NULL),
                  f->ctx);
    fixture_check(dfl_equations_create(&f->eq, f->model, true), f->ctx);
    fixture_check(dfl_runnable_create(&f->run, f->eq), f->ctx);
    snprintf(f->folder, sizeof f->folder, "/tmp/driftless-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

static inline int fixture_close(void **state)
{
    fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    assert_int_equal(system(command), 0);
    dfl_runnable_free(f->run);
    dfl_equations_free(f->eq);
    dfl_model_free(f->model);
    assert_int_equal(dfl_context_live(f->ctx), 0);
    dfl_context_free(f->ctx);
    free(f);
    return 0;
}

/* A record of the fixture's model with one file, "" for none; NULL after a failure. */
static inline dfl_status fixture_record(dfl_record **out, const fixture *f, const char *path)
{
    static const dfl_fact options[] = {{"form", "psf", 0}, {"rtol", NULL, 1e-8}};
    dfl_status status = dfl_record_create(out, f->eq, options, 2);
    if (!status && *path)
        status = dfl_record_open(*out, path);
    if (status) {
        dfl_record_free(*out);
        *out = NULL;
    }
    return status;
}

/* The path of a file in the fixture's folder; valid until the next call with this `text`. */
static inline const char *fixture_path(char text[128], const fixture *f, const char *name)
{
    snprintf(text, 128, "%s/%s", f->folder, name);
    return text;
}

/* Runs a command and expects it to succeed. */
static inline void fixture_command(const char *format, const char *a, const char *b)
{
    char command[1024];
    snprintf(command, sizeof command, format, DFL_SOURCE_DIR, a, b);
    if (system(command))
        fail_msg("failed: %s", command);
}

#endif
