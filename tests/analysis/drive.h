/* drive.h: runs the inverse dynamics of a script and keeps its last row. */
#ifndef DRIVE_H
#define DRIVE_H

#include "near.h"

typedef struct last_row {
    const scripted *s;
    double tau[2], x[RUN_MOST];
    int rows;
} last_row;

static dfl_status keep(const dfl_inverse_row *row, void *user)
{
    last_row *last = user;
    last->rows++;
    const int inputs = last->s->model->count[DFL_AN_INPUT];
    memcpy(last->tau, row->tau, (size_t)(inputs ? inputs : 1) * sizeof *row->tau);
    memcpy(last->x, row->x, (size_t)last->s->eq->n * sizeof *row->x);
    return DFL_OK;
}

/* The drives of a script at the end; what a failure says. */
static dfl_status drive(last_row *last, double *rms, char *message, const char *text)
{
    scripted s = {.ctx = dfl_context_create()};
    const dfl_script_options options = {.prescribe = true};
    const dfl_choices none = dfl_choices_none("--");
    dfl_settings settings;
    dfl_inverse inverse = {0};
    *last = (last_row){.s = &s};
    scripted_expect(
        &s, dfl_script_load_text(&s.model, s.ctx, "test.lua", text, strlen(text), &options));
    scripted_expect(&s, scripted_prepare(&s));
    scripted_expect(&s, dfl_settings_resolve(&settings, &none, s.run));
    const dfl_status status = dfl_study_inverse(&inverse, s.run, &settings, keep, last);
    snprintf(message, 500, "%s", dfl_message(s.ctx));
    if (!status)
        memcpy(rms, inverse.rms, (size_t)inverse.nu * sizeof *rms);
    dfl_inverse_clear(&inverse, s.ctx);
    scripted_free(&s);
    return status;
}

#endif
