/* IDID for what the solver says, and the lines on unit IOPT(2). */
#include "geoms.h"

#include <stdio.h>
#include <string.h>

static int rank_idid(const geoms_run *run, dfl_status status, dfl_failure failure);

/* How initial values failed. */
static int start_idid(const geoms_run *run, dfl_failure failure)
{
    if (run->call.nivcond == 0 || geoms_iopt(&run->call, GEOMS_IVCNSST) == 1)
        return GEOMS_INCONSISTENT;
    switch (failure) {
    case DFL_FAILURE_UNDETERMINED:
        return GEOMS_UNDETERMINED;
    case DFL_FAILURE_ITERATIONS:
        return GEOMS_NO_CONVERGENCE;
    default:
        return GEOMS_CONTRADICTION;
    }
}

int geoms_idid(const geoms_run *run, dfl_status status)
{
    const dfl_failure failure = run->solver ? dfl_solver_failure(run->solver) : DFL_FAILURE_OTHER;
    if (run->stopped)
        return run->stopped;
    switch (status) {
    case DFL_OK:
        return 0;
    case DFL_NO_MEMORY:
        return GEOMS_NO_MEMORY;
    case DFL_INVALID: /* while advancing: a step that cannot move the time */
        return run->starting ? GEOMS_WRONG_DATA : GEOMS_STEP_TOO_SMALL;
    case DFL_INCONSISTENT:
        return start_idid(run, failure);
    case DFL_NOT_FINITE:
        return run->starting ? start_idid(run, DFL_FAILURE_CONTRADICTION) : GEOMS_STEP_TOO_SMALL;
    case DFL_SINGULAR:
    case DFL_RANK_CHANGED:
        return rank_idid(run, status, failure);
    case DFL_TOO_MANY_STEPS:
        return GEOMS_TOO_MANY_STEPS;
    default:
        return GEOMS_STEP_TOO_SMALL;
    }
}

/* Whether position and velocity constraints have equally many dependent rows, as redundant
   holonomic constraints have. */
static bool equal_defects(const geoms_run *run)
{
    const dfl_statistics s = dfl_solver_statistics(run->solver);
    return run->call.nl - s.rank_position == run->call.nl + run->call.nm - s.rank_velocity;
}

/* Position rows are FX3, velocity rows FX2, those of multipliers and auxiliary variables FX1. */
static int rank_idid(const geoms_run *run, dfl_status status, dfl_failure failure)
{
    const int decompc = geoms_decompc(&run->call),
              base = decompc == 1 ? GEOMS_LU_RANK : GEOMS_QR_RANK;
    if (failure == DFL_FAILURE_NEWTON_MATRIX)
        return geoms_iopt(&run->call, GEOMS_DECOMPD) == 1 ? GEOMS_SINGULAR_QR : GEOMS_SINGULAR_LU;
    if (failure == DFL_FAILURE_OTHER)
        return GEOMS_SVD;
    if (decompc != 3)
        return base - (failure == DFL_FAILURE_POSITION   ? 3
                       : failure == DFL_FAILURE_VELOCITY ? 2
                                                         : 1);
    if (status == DFL_RANK_CHANGED)
        return GEOMS_RANK_CHANGED;
    if (failure == DFL_FAILURE_MULTIPLIERS)
        return GEOMS_DEFECT_FX2;
    return failure == DFL_FAILURE_VELOCITY && equal_defects(run) ? GEOMS_RANK_CHANGED
                                                                 : GEOMS_DEFECT_FX3;
}

/* A few words for every code that can be returned. */
static const char *meaning(int idid)
{
    static const struct {
        int idid;
        const char *text;
    } table[] = {
        {GEOMS_WRONG_DATA, "an argument or option is wrong"},
        {GEOMS_WRONG_IDID, "IDID is negative on entry"},
        {GEOMS_NO_MEMORY, "not enough memory"},
        {GEOMS_STOP_SOLOUT, "SOLOUT set IERR negative"},
        {GEOMS_STOP_EOM, "EOM set IERR negative"},
        {GEOMS_STOP_MAS, "MAS set IERR negative"},
        {GEOMS_STOP_JAC, "JAC set IERR negative"},
        {GEOMS_INCONSISTENT, "the initial values are not consistent"},
        {GEOMS_BACKWARD, "TEND lies before T"},
        {GEOMS_SINGULAR_QR, "E1 or E2 is singular (QR)"},
        {GEOMS_SINGULAR_LU, "E1 or E2 is singular for every step size"},
        {GEOMS_TOO_MANY_STEPS, "NMAX steps are not enough, see IOPT(6)"},
        {GEOMS_STEP_TOO_SMALL, "the step size became too small"},
        {GEOMS_STOP_EOM_DIFFERENCES, "EOM set IERR negative while it was differenced"},
        {GEOMS_QR_RANK - 1, "FX1 has dependent rows; try IOPT(11)=3"},
        {GEOMS_QR_RANK - 2, "FX2 has dependent rows; try IOPT(11)=3"},
        {GEOMS_QR_RANK - 3, "FX3 has dependent rows; try IOPT(11)=3"},
        {GEOMS_STOP_EOM_START, "EOM set IERR negative at the initial values"},
        {GEOMS_STOP_IVCOND, "IVCOND set IERR negative"},
        {GEOMS_CONTRADICTION, "the conditions contradict each other or the constraints"},
        {GEOMS_NO_CONVERGENCE, "the initial values do not converge"},
        {GEOMS_UNDETERMINED, "the conditions leave initial values undetermined"},
        {GEOMS_RANK_CHANGED, "the rank of the constraints changes"},
        {GEOMS_DEFECT_FX2, "FX1 and FX2 have different defects"},
        {GEOMS_DEFECT_FX3, "FX1 and FX3 have different defects"},
        {GEOMS_SVD, "a singular value decomposition failed"},
        {GEOMS_LU_RANK - 1, "FX1 has dependent rows; try IOPT(11)=3"},
        {GEOMS_LU_RANK - 2, "FX2 has dependent rows; try IOPT(11)=3"},
        {GEOMS_LU_RANK - 3, "FX3 has dependent rows; try IOPT(11)=3"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].idid == idid)
            return table[i].text;
    return "";
}

void geoms_report(const geoms_call *call, int idid, const char *message)
{
    char line[640];
    snprintf(line, sizeof line, "GEOMS: IDID = %d: %s", idid, meaning(idid));
    geoms_write(call, line);
    if (!message[0])
        return;
    snprintf(line, sizeof line, "       %s", message);
    geoms_write(call, line);
}

/* The manual numbers DECOMPC in two ways: a program that means the other one should hear it. */
void geoms_name_decomposition(const geoms_call *call)
{
    static const char *const name[] = {"", "LU", "QR", "SVD"};
    const int given = geoms_iopt(call, GEOMS_DECOMPC);
    char line[160];
    if (given == 0 || given == 3 || geoms_iopt(call, GEOMS_NUMBERING) == 1)
        return;
    snprintf(
        line, sizeof line,
        "GEOMS: IOPT(11) = %d is %s, as in the text of the manual; its option list calls it %s, "
        "for which set IOPT(7) = 1",
        given, name[given], name[given + 1]);
    geoms_write(call, line);
}

void geoms_write(const geoms_call *call, const char *text)
{
    int codes[512], lun = geoms_iopt(call, GEOMS_LUN), n = 0;
    if (lun <= 0)
        return;
    for (; text[n] && n < (int)(sizeof codes / sizeof *codes); n++)
        codes[n] = (unsigned char)text[n];
    dflmsg_(&lun, &n, codes);
}
