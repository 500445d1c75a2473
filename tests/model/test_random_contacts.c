/* Random models with contacts, impacts and friction, of the kinds that scripts/contact-models
   writes, in the folder contacts: a run completes at every tolerance, energy does not grow, and
   nothing sinks into anything. */
#include <driftless/model.h>

#include "../support.h"

#include <dirent.h>
#include <math.h>

typedef struct passive {
    dfl_run *run;
    int energy;
    double last, largest; /* energies */
    double growth, depth; /* of the energy between two steps, and of a gap */
    double tolerance;
} passive;

/* Between steps energy falls or stays; at the start it is unknown. */
static int look(double t, double step, void *user)
{
    passive *p = user;
    const double energy = dfl_run_get(p->run, p->energy);
    (void)t, (void)step;
    if (isfinite(p->last))
        p->growth = fmax(p->growth, energy - p->last);
    p->last = energy;
    p->largest = fmax(p->largest, fabs(energy));
    for (int i = 0; i < dfl_run_values(p->run); i++)
        if (!strncmp(dfl_run_value(p->run, i).name, "gap", 3))
            p->depth = fmax(p->depth, -dfl_run_get(p->run, i));
    return 0;
}

static void run_passively(const char *path, double tolerance)
{
    char rtol[40], atol[40];
    snprintf(rtol, sizeof rtol, "rtol=%g", tolerance);
    snprintf(atol, sizeof atol, "atol=%g", tolerance);
    const char *const settings[] = {rtol, atol};
    passive p = {.last = NAN, .tolerance = tolerance};
    dfl_context *ctx = dfl_context_create();
    dfl_model *model = NULL;
    assert_non_null(ctx);
    dfl_status status = dfl_model_load(&model, ctx, path, NULL);
    if (!status)
        status = dfl_run_create(
            &p.run, ctx, model,
            &(dfl_run_options){.nsettings = 2, .settings = settings, .on_step = look, .user = &p});
    p.energy = status ? -1 : dfl_run_find(p.run, "E");
    if (!status)
        status = dfl_run_complete(p.run);
    if (status)
        fail_msg("%s at %g: %s", path, tolerance, dfl_message(ctx));
    /* each step is off by its tolerance, and gaps have ten of them as noise */
    if (!(p.growth <= 100 * tolerance * p.largest) || !(p.depth <= 100 * tolerance))
        fail_msg("%s at %g: energy grows by %.2g of %.2g, depth %.2g", path, tolerance, p.growth,
                 p.largest, p.depth);
    dfl_run_free(p.run);
    dfl_model_free(model);
    dfl_context_free(ctx);
}

static void energy_never_grows(void **state)
{
    (void)state;
    static const char folder[] = DFL_SOURCE_DIR "/tests/model/contacts";
    DIR *scripts = opendir(folder);
    int count = 0;
    assert_non_null(scripts);
    for (const struct dirent *entry; (entry = readdir(scripts));) {
        char path[500];
        if (!strstr(entry->d_name, ".lua"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= 1e-2)
            run_passively(path, tolerance);
        count++;
    }
    closedir(scripts);
    assert_true(count >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_never_grows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
