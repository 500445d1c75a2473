/* fmu_saved.c: an instance as bytes. */
#include "fmu/fmu.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 2 };

/* What comes first; then the caller's states, events and lifts, and the bytes of the run. */
typedef struct head {
    char magic[4], hash[44];
    uint32_t version, phase;
    uint64_t size; /* of everything */
    double t, tolerance;
} head;

static size_t size_of(const dfl_fmu *fmu)
{
    const size_t numbers = (size_t)(fmu->model->n + fmu->counts.indicators);
    return sizeof(head) + numbers * sizeof(double) + dfl_carried_saved_size(fmu->run);
}

static void write_head(head *out, const dfl_fmu *fmu)
{
    memset(out, 0, sizeof *out); /* with its padding: equal states have equal bytes */
    memcpy(out->magic, "DFLS", 4);
    strncpy(out->hash, fmu->model->hash, sizeof out->hash - 1);
    out->version = VERSION;
    out->phase = (uint32_t)fmu->phase;
    out->size = size_of(fmu);
    out->t = fmu->t;
    out->tolerance = fmu->tolerance;
}

/* A saved state that the caller frees; an older one of the same size is used again. */
static dfl_fmu_saved *make_saved(dfl_fmu_saved *old, size_t size)
{
    if (old && old->size == size)
        return old;
    free(old);
    dfl_fmu_saved *saved = calloc(1, sizeof *saved + size);
    if (saved)
        saved->size = size;
    return saved;
}

dfl_fmu_status dfl_fmu_save(dfl_fmu *fmu, dfl_fmu_saved **saved)
{
    const unsigned reference = dfl_value_reference(&fmu->counts, DFL_REF_UNKNOWN, 0);
    double value;
    if (fmu->model->n > 0 && dfl_fmu_get(fmu, &reference, 1, &value)) /* it is consistent now */
        return DFL_FMU_ERROR;
    *saved = make_saved(*saved, size_of(fmu));
    if (!*saved)
        return dfl_fmu_refuse(fmu, "there is no memory for a saved state");
    head first;
    unsigned char *to = (*saved)->bytes;
    write_head(&first, fmu);
    memcpy(to, &first, sizeof first);
    to += sizeof first;
    memcpy(to, fmu->state, (size_t)fmu->model->n * sizeof(double));
    to += (size_t)fmu->model->n * sizeof(double);
    memcpy(to, fmu->event, (size_t)fmu->counts.indicators * sizeof(double));
    to += (size_t)fmu->counts.indicators * sizeof(double);
    const dfl_status status = dfl_carried_save(to, fmu->run);
    fmu->known = false;
    return dfl_fmu_report(fmu, status);
}

dfl_fmu_status dfl_fmu_restore(dfl_fmu *fmu, const dfl_fmu_saved *saved)
{
    head first;
    if (!saved || saved->size < sizeof first)
        return dfl_fmu_refuse(fmu, "there is no saved state");
    const unsigned char *from = saved->bytes;
    memcpy(&first, from, sizeof first);
    if (fmu->phase < DFL_FMU_RUNNING) { /* a fresh instance has no solver yet */
        const dfl_status started = dfl_carried_start(fmu->run, first.t, first.tolerance);
        if (started)
            return dfl_fmu_report(fmu, started);
    }
    if (size_of(fmu) != saved->size)
        return dfl_fmu_refuse(fmu, "the saved state has another size than this model's");
    from += sizeof first;
    memcpy(fmu->state, from, (size_t)fmu->model->n * sizeof(double));
    from += (size_t)fmu->model->n * sizeof(double);
    memcpy(fmu->event, from, (size_t)fmu->counts.indicators * sizeof(double));
    from += (size_t)fmu->counts.indicators * sizeof(double);
    fmu->phase = (dfl_fmu_phase)first.phase;
    fmu->t = first.t;
    fmu->tolerance = first.tolerance;
    fmu->fresh = true;
    fmu->known = fmu->reported = false;
    return dfl_fmu_report(fmu, dfl_carried_restore(fmu->run, from));
}

dfl_fmu_status dfl_fmu_adopt(dfl_fmu *fmu, const void *bytes, size_t size, dfl_fmu_saved **saved)
{
    head first;
    if (size < sizeof first)
        return dfl_fmu_refuse(fmu, "these bytes are too few for a saved state");
    memcpy(&first, bytes, sizeof first);
    if (memcmp(first.magic, "DFLS", 4) != 0 || first.version != VERSION)
        return dfl_fmu_refuse(fmu, "these bytes are no saved state of this version");
    if (strncmp(first.hash, fmu->model->hash, sizeof first.hash) != 0)
        return dfl_fmu_refuse(fmu, "these bytes are the state of another model");
    if (first.size != size || first.phase > DFL_FMU_TERMINATED)
        return dfl_fmu_refuse(fmu, "these bytes are not a whole saved state");
    *saved = make_saved(*saved, size);
    if (!*saved)
        return dfl_fmu_refuse(fmu, "there is no memory for a saved state");
    memcpy((*saved)->bytes, bytes, size);
    return DFL_FMU_OK;
}
