/* stored_switches.c: what happened at the instants of a stored run. Numbers that name nothing are
   left out: the file may be anyone's. */
#include "report/hdf5_read_internal.h"
#include "report/report_internal.h"

enum { TIME, KIND, NAME, STATE, ENERGY, SWITCH, IMPULSE, VALUE, VECTORS };

/* Whether a number is one of 0, ..., count - 1. */
static bool names(double number, int count)
{
    return number >= 0 && number < count;
}

/* The impulses of row `row`, from *next on, which moves behind them; returns their number. */
static int take_impulses(dfl_impulse *out, int *next, int row, double *const *vector, int count,
                         int nnames)
{
    int n = 0;
    for (; *next < count && vector[SWITCH][*next] <= row; (*next)++)
        if (vector[SWITCH][*next] == row && names(vector[IMPULSE][*next], nnames))
            out[n++] = (dfl_impulse){(int)vector[IMPULSE][*next], vector[VALUE][*next]};
    return n;
}

static void take_switches(dfl_report *report, double *const *vector, int count, int nimpulses,
                          dfl_impulse *impulses)
{
    const dfl_description *about = report->about;
    for (int i = 0, next = 0; i < count; i++) {
        const int n = take_impulses(impulses, &next, i, vector, nimpulses, about->nimpulses);
        const double state = vector[STATE][i];
        if (!names(vector[KIND][i], DFL_SWITCHED_KINDS) ||
            !names(vector[NAME][i], about->nswitches) || !(state > -2e9 && state < 2e9) ||
            (vector[KIND][i] == DFL_SWITCHED_MODE && !names(state, DFL_TOUCHING_MODES)))
            continue;
        dfl_report_switch(report, &(dfl_switch_record){.time = vector[TIME][i],
                                                       .kind = (dfl_switched)vector[KIND][i],
                                                       .name = (int)vector[NAME][i],
                                                       .state = (int)state,
                                                       .energy_change = vector[ENERGY][i],
                                                       .nimpulses = n,
                                                       .impulses = impulses});
    }
}

dfl_status dfl_report_read_switches(dfl_report *report, dfl_h5_file *file)
{
    static const char *const paths[VECTORS] = {
        "switches/time",          "switches/kind",   "switches/name", "switches/state",
        "switches/energy_change", "impulses/switch", "impulses/name", "impulses/value"};
    double *vector[VECTORS];
    int count[VECTORS], rows = 0, nimpulses = 0;
    for (int i = 0; i < VECTORS; i++) {
        int *least = i < SWITCH ? &rows : &nimpulses;
        vector[i] = dfl_h5_get_numbers(&count[i], file, paths[i]);
        if (i == TIME || i == SWITCH || count[i] < *least)
            *least = vector[i] ? count[i] : 0;
    }
    dfl_impulse *impulses = dfl_alloc(report->ctx, (size_t)nimpulses, sizeof *impulses);
    if (impulses && !file->status)
        take_switches(report, vector, rows, nimpulses, impulses);
    const dfl_status status = impulses ? file->status : DFL_NO_MEMORY;
    dfl_free(report->ctx, impulses);
    for (int i = 0; i < VECTORS; i++)
        dfl_free(report->ctx, vector[i]);
    return status;
}
