/* saved_run.c: a run as bytes, to go on from there later: in the same run, in another one, or in
   another process. The bytes begin with a word that nothing else begins with, then the version and
   what the model must be. */
#include "study/study_internal.h"

#include <math.h>
#include <string.h>

static const char word[8] = "DFLSTATE";

/* What must agree. */
typedef struct label {
    char word[8], version[16];
    uint64_t model, settings; /* hashes */
    uint64_t size;            /* of all */
    uint64_t check;           /* a hash of what follows */
} label;

/* The run's own part. */
typedef struct progress {
    double rows, row_time, energy, energy_drift;
    long rejections;
} progress;

static const uint64_t no_hash = 14695981039346656037u;

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? hash_bytes(hash, text, strlen(text) + 1) : hash;
}

static label label_of(const dfl_simulation *sim)
{
    label it = {.model = dfl_model_hash(sim->eq->model), .size = dfl_simulation_saved_size(sim)};
    uint64_t hash = hash_text(no_hash, sim->settings->form);
    hash = hash_text(hash, sim->settings->method);
    hash = hash_text(hash, sim->settings->solver.step.fixed > 0 ? "fixed" : "");
    hash = hash_bytes(hash, &sim->settings->from, sizeof sim->settings->from);
    for (int i = 0; i < sim->eq->model->sets.count; i++)
        hash = hash_text(hash, sim->eq->model->sets.item[i]);
    it.settings = hash;
    memcpy(it.word, word, sizeof word);
    strncpy(it.version, DFL_VERSION, sizeof it.version - 1);
    return it;
}

bool dfl_is_saved_run(const void *bytes, size_t size)
{
    return size >= sizeof word && !memcmp(bytes, word, sizeof word);
}

size_t dfl_simulation_saved_size(const dfl_simulation *sim)
{
    return sizeof(label) + sizeof(progress) + dfl_runnable_saved_size(sim->run) +
           dfl_solver_saved_size(sim->solver);
}

dfl_status dfl_simulation_save(void *bytes, dfl_simulation *sim)
{
    unsigned char *to = bytes;
    if (sim->eq->model->actions.foreigns.count > 0)
        return dfl_fail(sim->ctx, DFL_INVALID,
                        "the run cannot be saved: the state of the FMU in the model is not known");
    label it = label_of(sim);
    const progress done = {sim->rows, sim->row_time, sim->energy, sim->energy_drift,
                           sim->rejections};
    memcpy(to, &it, sizeof it);
    memcpy(to + sizeof it, &done, sizeof done);
    to += sizeof it + sizeof done;
    dfl_runnable_save(to, sim->run);
    const dfl_status status = dfl_solver_save(to + dfl_runnable_saved_size(sim->run), sim->solver);
    it.check = hash_bytes(no_hash, (unsigned char *)bytes + sizeof it, it.size - sizeof it);
    memcpy(bytes, &it, sizeof it);
    return status;
}

static dfl_status check_label(const dfl_simulation *sim, const void *bytes, size_t size)
{
    const label want = label_of(sim);
    label is;
    if (!dfl_is_saved_run(bytes, size) || size < sizeof is)
        return dfl_fail(sim->ctx, DFL_INVALID, "these bytes are not a saved run");
    memcpy(&is, bytes, sizeof is);
    if (strncmp(is.version, want.version, sizeof is.version) != 0)
        return dfl_fail(sim->ctx, DFL_INVALID,
                        "the run was saved by version %.16s, this is %s; run it again", is.version,
                        want.version);
    if (memcmp(is.version, want.version, sizeof is.version) != 0) /* what follows the text */
        return dfl_fail(sim->ctx, DFL_INVALID, "the saved run is damaged");
    if (is.model != want.model)
        return dfl_fail(sim->ctx, DFL_INVALID,
                        "the run was saved with another model than '%s'; restore it with that one",
                        sim->eq->model->name);
    if (is.settings != want.settings || is.size != want.size)
        return dfl_fail(sim->ctx, DFL_INVALID,
                        "the run was saved with other settings; form, method, kind of steps, from "
                        "and set must be the same");
    if (size != want.size)
        return dfl_fail(sim->ctx, DFL_INVALID, "the saved run has %zu bytes instead of %llu", size,
                        (unsigned long long)want.size);
    if (is.check != hash_bytes(no_hash, (const unsigned char *)bytes + sizeof is, size - sizeof is))
        return dfl_fail(sim->ctx, DFL_INVALID, "the saved run is damaged");
    return DFL_OK;
}

dfl_status dfl_simulation_restore(dfl_simulation *sim, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    progress done;
    dfl_status status = check_label(sim, bytes, size);
    if (status)
        return status;
    memcpy(&done, from + sizeof(label), sizeof done);
    from += sizeof(label) + sizeof done;
    status = dfl_runnable_restore(sim->run, from);
    if (!status)
        status = dfl_solver_restore(sim->solver, from + dfl_runnable_saved_size(sim->run));
    if (status)
        return status;
    sim->rows = done.rows;
    sim->row_time = done.row_time;
    sim->energy = done.energy;
    sim->energy_drift = done.energy_drift;
    sim->rejections = done.rejections;
    return DFL_OK;
}
