/* mode_shapes.c: how the positions of a model move in each mode, as parts of JSON. */
#include "cli/cli.h"

#include "result/result.h"

#include <math.h>

enum { MOST_SHAPES = 400 }; /* modes of a model whose shapes are written */

/* The change of unknown `k` of x in a mode: real and imaginary part. */
static void change_of(double *re, double *im, const dfl_linearized *linear, const dfl_modes *modes,
                      const dfl_mode *mode, int k)
{
    *re = *im = 0;
    for (int j = 0; j < linear->ny; j++) {
        const double x = linear->X[(size_t)j * (size_t)linear->n + (size_t)k];
        *re += x * modes->shape[(size_t)mode->vector * (size_t)linear->ny + (size_t)j];
        if (mode->imaginary >= 0)
            *im += x * modes->shape[(size_t)mode->imaginary * (size_t)linear->ny + (size_t)j];
    }
    *im = mode->conjugate ? -*im : *im;
}

/* One mode, with 1 for the position that moves most. */
static void add_shape(dfl_text *json, const dfl_linearized *linear, const dfl_modes *modes,
                      const dfl_mode *mode, int np)
{
    double most[2] = {0, 0}, re, im;
    for (int i = 0; i < np; i++) {
        change_of(&re, &im, linear, modes, mode, linear->n - np + i);
        if (hypot(re, im) > hypot(most[0], most[1]) * (1 + 1e-12)) {
            most[0] = re;
            most[1] = im;
        }
    }
    const double square = most[0] * most[0] + most[1] * most[1];
    for (int part = 0; part < 2; part++) {
        dfl_text_add(json, part == 0 ? "{\"re\": [" : "], \"im\": [");
        for (int i = 0; i < np; i++) {
            change_of(&re, &im, linear, modes, mode, linear->n - np + i);
            const double value =
                part == 0 ? re * most[0] + im * most[1] : im * most[0] - re * most[1];
            dfl_text_add(json, i > 0 ? ", " : "");
            dfl_json_number(json, square > 0 ? value / square : 0);
        }
    }
    dfl_text_add(json, "]}");
}

void cli_add_shapes(dfl_text *json, const cli_near *near, const dfl_modes *modes)
{
    const dfl_equations *eq = near->model.eq;
    dfl_text_add(json, "\"coordinates\": [");
    for (int i = 0; i < eq->np; i++) {
        dfl_text_add(json, i > 0 ? ", " : "");
        dfl_json_string(json, dfl_equations_p(eq)[i].name);
    }
    if (modes->count > MOST_SHAPES) {
        dfl_text_add(json, "], \"shapes\": null");
        return;
    }
    dfl_text_add(json, "],\n \"shapes\": [");
    for (int i = 0; i < modes->count; i++) {
        dfl_text_add(json, i > 0 ? ",\n  " : "\n  ");
        add_shape(json, &near->linear.linear, modes, &modes->mode[i], eq->np);
    }
    dfl_text_add(json, "]");
}
