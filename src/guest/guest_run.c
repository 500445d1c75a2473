/* guest_run.c: a run of an FMU: rows as CSV, a summary as JSON. */
#include "context/context.h"
#include "guest/guest.h"

#include <driftless/guest.h>
#include <driftless/program.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the command line says, or the FMU. */
typedef struct plan {
    double from, to, every, tolerance;
} plan;

typedef struct rows {
    int count;           /* of variables ... */
    unsigned *reference; /* ... and which */
    const char **name;
    double *value;
    double t;
    long written;
    bool ended; /* the FMU has ended the simulation */
    dfl_text text;
} rows;

static dfl_status take(double *out, dfl_context *ctx, const char *name, const char *text,
                       double otherwise)
{
    char *end = NULL;
    *out = text ? strtod(text, &end) : otherwise;
    return !text || (end != text && !*end && isfinite(*out))
               ? DFL_OK
               : dfl_fail(ctx, DFL_INVALID, "%s '%s': give a number", name, text);
}

/* What the caller says, or the FMU. */
static dfl_status make_plan(plan *out, dfl_context *ctx, const dfl_guest_options *o,
                            const dfl_guest_description *d)
{
    *out = (plan){0};
    dfl_status status = take(&out->from, ctx, "from", o->from, isnan(d->start) ? 0 : d->start);
    if (!status)
        status = take(&out->to, ctx, "to", o->to, d->stop);
    if (!status && isnan(out->to))
        status = dfl_fail(ctx, DFL_INVALID, "the FMU does not say when it ends; give an end (to)");
    if (!status)
        status = take(&out->tolerance, ctx, "rtol", o->rtol, d->tolerance);
    if (!status)
        status = take(&out->every, ctx, "every", o->every,
                      d->step > 0 ? d->step : (out->to - out->from) / 100);
    if (!status && !(out->to > out->from && out->every > 0))
        status = dfl_fail(ctx, DFL_INVALID, "a run from t = %g to %g s with rows every %g s",
                          out->from, out->to, out->every);
    return status;
}

static dfl_status set_values(dfl_guest *guest, dfl_context *ctx, const dfl_guest_options *o)
{
    const dfl_guest_description *d = dfl_guest_describe(guest);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < o->nset; i++) {
        const char *sign = strchr(o->set[i], '=');
        char *end = NULL;
        const double value = sign ? strtod(sign + 1, &end) : 0;
        if (!sign || end == sign + 1 || *end)
            return dfl_fail(ctx, DFL_INVALID, "set '%s': write NAME=VALUE", o->set[i]);
        const size_t length = (size_t)(sign - o->set[i]);
        const int found = dfl_guest_find(d, o->set[i], length);
        if (found < 0)
            return dfl_fail(ctx, DFL_INVALID, "set: the FMU has no variable '%.*s'", (int)length,
                            o->set[i]);
        status = dfl_guest_set(guest, &d->variables[found].reference, 1, &value);
    }
    return status;
}

/* The name as results have it. */
static void add_plain(dfl_text *out, const char *quoted)
{
    dfl_text_clear(out);
    for (; *quoted; quoted++)
        if (*quoted != '\'')
            dfl_text_add(out, "%c", *quoted);
}

/* Outputs and local variables, but not time. */
static dfl_status choose(rows *out, dfl_context *ctx, const dfl_guest_description *d)
{
    const size_t most = (size_t)d->count;
    out->text.ctx = ctx;
    out->reference = dfl_alloc(ctx, most, sizeof *out->reference);
    out->name = dfl_alloc(ctx, most, sizeof *out->name);
    out->value = dfl_alloc(ctx, most, sizeof *out->value);
    if (!out->reference || !out->name || !out->value)
        return DFL_NO_MEMORY;
    dfl_text_add(&out->text, "time");
    for (int i = 0; i < d->count; i++) {
        const dfl_guest_variable *v = &d->variables[i];
        if (v->causality != DFL_GUEST_OUTPUT && v->causality != DFL_GUEST_LOCAL)
            continue;
        out->reference[out->count] = v->reference;
        out->name[out->count++] = v->name;
        const bool quoted = strpbrk(v->name, ",\"\n") != NULL;
        dfl_text_add(&out->text, quoted ? ",\"" : ",");
        for (const char *at = v->name; *at; at++)
            if (*at != '\'')
                dfl_text_add(&out->text, *at == '"' ? "\"\"" : "%c", *at);
        dfl_text_add(&out->text, quoted ? "\"" : "");
    }
    dfl_text_add(&out->text, "\n");
    return out->text.status;
}

static dfl_status add_row(rows *out, dfl_guest *guest)
{
    const dfl_status status = dfl_guest_get(guest, out->reference, out->count, out->value);
    if (status)
        return status;
    dfl_text_add(&out->text, "%.17g", out->t);
    for (int i = 0; i < out->count; i++)
        dfl_text_add(&out->text, ",%.17g", out->value[i]);
    dfl_text_add(&out->text, "\n");
    out->written++;
    return out->text.status;
}

static dfl_status simulate(rows *out, dfl_guest *guest, dfl_context *ctx, const plan *p)
{
    dfl_status status = dfl_guest_start(guest, p->from, p->to, p->tolerance);
    out->t = p->from;
    if (!status)
        status = add_row(out, guest);
    for (long k = 1; !status && !out->ended && out->t < p->to; k++) {
        double next = p->from + (double)k * p->every;
        if (next > p->to - 1e-9 * p->every)
            next = p->to;
        double reached;
        if (dfl_interrupted(ctx))
            return dfl_fail(ctx, DFL_STOPPED, "interrupted at t = %.10g s", out->t);
        status = dfl_guest_step(guest, out->t, next - out->t, &reached, &out->ended);
        if (status)
            return status;
        if (out->ended && reached <= out->t)
            break; /* there is a row of this time */
        out->t = out->ended ? reached : next;
        status = add_row(out, guest);
    }
    return status;
}

static char *summarize(const rows *it, dfl_context *ctx, const dfl_guest_description *d,
                       dfl_status how)
{
    dfl_text text = {.ctx = ctx}, plain = {.ctx = ctx};
    dfl_text_add(&text, "{\"model\": ");
    dfl_json_string(&text, d->model ? d->model : "");
    dfl_text_add(&text, ", \"fmi\": %d, \"status\": \"%s\", \"message\": ", d->version,
                 how ? "failed" : "completed");
    if (how)
        dfl_json_string(&text, dfl_message(ctx));
    else
        dfl_text_add(&text, "null");
    dfl_text_add(&text, ", \"t\": ");
    dfl_json_number(&text, it->t);
    dfl_text_add(&text, ", \"rows\": %ld, \"final\": {", it->written);
    for (int i = 0; it->written > 0 && i < it->count; i++) {
        add_plain(&plain, it->name[i]);
        dfl_text_add(&text, i ? ", " : "");
        dfl_json_string(&text, dfl_text_string(&plain));
        dfl_text_add(&text, ": ");
        dfl_json_number(&text, it->value[i]);
    }
    dfl_text_add(&text, "}}\n");
    char *out = text.status ? NULL : dfl_copy_string(ctx, text.data);
    dfl_text_clear(&text);
    dfl_text_clear(&plain);
    return out;
}

dfl_status dfl_guest_run(dfl_guest_result *out, dfl_context *ctx, const char *path,
                         const dfl_guest_options *options)
{
    dfl_guest *guest = NULL;
    rows it = {.t = NAN};
    plan p;
    *out = (dfl_guest_result){.t = NAN};
    dfl_status status = dfl_guest_create(&guest, ctx, path);
    if (!status)
        status = make_plan(&p, ctx, options, dfl_guest_describe(guest));
    if (!status)
        status = set_values(guest, ctx, options);
    if (!status)
        status = choose(&it, ctx, dfl_guest_describe(guest));
    if (!status) {
        status = simulate(&it, guest, ctx, &p);
        out->json = summarize(&it, ctx, dfl_guest_describe(guest), status);
        out->csv = it.written > 0 ? dfl_copy_string(ctx, dfl_text_string(&it.text)) : NULL;
        out->t = it.t;
        out->rows = it.written;
        out->ended = it.ended;
        if (!status && (!out->json || !out->csv))
            status = DFL_NO_MEMORY;
    }
    dfl_text_clear(&it.text);
    dfl_free(ctx, it.reference);
    dfl_free(ctx, (void *)it.name);
    dfl_free(ctx, it.value);
    dfl_guest_free(guest);
    return status;
}

void dfl_guest_result_clear(dfl_guest_result *result, dfl_context *ctx)
{
    dfl_free(ctx, result->csv);
    dfl_free(ctx, result->json);
    result->csv = result->json = NULL;
}
