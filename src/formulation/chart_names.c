/* How well local coordinates determine the motion at a point, and their names (see chart.c). */
#include "formulation/chart.h"
#include "formulation/saddle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The selected rows of a level at a point, and the directions T (n x nf) that they measure. */
typedef struct view {
    const double *S;
    int n, nf;
    dfl_chart_level at;
} view;

static double look(view *out, dfl_formulation *form, const dfl_point *point, dfl_chart_level at);

/* The smallest singular value of S T over the size of T; 1 if nothing is selected on this level.
   chart->split keeps the inverse of S T. */
static double look(view *out, dfl_formulation *form, const dfl_point *point, dfl_chart_level at)
{
    dfl_chart *chart = form->chart;
    const dfl_split_rule rule = {.method = DFL_METHOD_SVD, .tolerance = 0, .rank = -1};
    double size = 0;
    bool momentum;
    *out = (view){.at = at, .n = at == DFL_CHART_POSITIONS ? form->sys->eom->np : form->sys->n3};
    const int n = out->n;
    if (!dfl_chart_selected(&out->S, &out->nf, &momentum, form, at))
        return 1;
    const int nf = out->nf;
    if (!dfl_chart_free_velocities(chart->K, form, point, at, nf) ||
        !dfl_chart_directions(chart->T, form, point, chart->K, nf, at, momentum))
        return 0;
    for (int i = 0; i < n * nf; i++)
        size += chart->T[i] * chart->T[i];
    dfl_gemm(nf, nf, n, 1, out->S, nf, chart->T, n, 0, chart->B, nf);
    if (!dfl_split_compute(chart->split, &rule, chart->B, nf, nf, nf) || chart->split->rank < nf)
        return 0;
    return chart->split->smallest * sqrt(nf / size);
}

double dfl_formulation_chart_quality(dfl_formulation *form, const dfl_point *point)
{
    view ignored;
    return fmin(look(&ignored, form, point, DFL_CHART_POSITIONS),
                look(&ignored, form, point, DFL_CHART_VELOCITIES));
}

/* Adds a name to a list; what has no room is left out. */
static void add_name(char *text, size_t size, const dfl_formulation *form, const view *it, int i)
{
    char name[64];
    const size_t used = strlen(text);
    dfl_eom_name(name, sizeof name, form->sys->eom,
                 it->at == DFL_CHART_POSITIONS ? DFL_KIND_P : DFL_KIND_V, i);
    if (used + strlen(name) + 8 < size)
        snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    else if (used > 0 && !strstr(text, ", ..."))
        snprintf(text + used, size - used, ", ...");
}

/* The coordinates that are rows of S by themselves. */
static void name_chosen(char *text, size_t size, const dfl_formulation *form, const view *it)
{
    for (int j = 0; j < it->n; j++)
        for (int i = 0; i < it->nf; i++)
            if (it->S[j * it->nf + i] != 0)
                add_name(text, size, form, it, j);
}

/* Those that move where S T y = 0: y is along the longest column of the inverse of S T. */
static void name_moving(char *text, size_t size, dfl_formulation *form, const view *it)
{
    dfl_chart *chart = form->chart;
    const double *R = chart->split->R, *T = chart->T;
    const int nf = it->nf, n = it->n;
    const bool regular = chart->split->rank == nf;
    double longest = 0, largest = 0, *d = chart->K;
    int column = 0;
    for (int j = 0; regular && j < nf; j++) {
        double square = 0;
        for (int i = 0; i < nf; i++)
            square += R[j * nf + i] * R[j * nf + i];
        if (square > longest)
            longest = square, column = j;
    }
    const double *y = regular ? R + column * nf : chart->split->N;
    for (int i = 0; i < n; i++) {
        d[i] = 0;
        for (int j = 0; j < nf; j++)
            d[i] += T[j * n + i] * y[j];
        largest = fmax(largest, fabs(d[i]));
    }
    for (int i = 0; i < n; i++)
        if (fabs(d[i]) > 0.1 * largest)
            add_name(text, size, form, it, i);
}

/* Those whose rows of T are the most independent ones. */
static void name_better(char *text, size_t size, dfl_formulation *form, const view *it)
{
    dfl_chart *chart = form->chart;
    dfl_choose_vectors(chart->chosen, it->nf, chart->T, it->n, it->nf, 1, it->n, NULL);
    for (int j = 0; j < it->n; j++)
        for (int k = 0; k < it->nf; k++)
            if (chart->chosen[k] == j)
                add_name(text, size, form, it, j);
}

void dfl_formulation_chart_names(dfl_chart_names *out, dfl_formulation *form,
                                 const dfl_point *point)
{
    view it;
    const double velocities = look(&it, form, point, DFL_CHART_VELOCITIES);
    const double positions = look(&it, form, point, DFL_CHART_POSITIONS);
    *out = (dfl_chart_names){.chosen = ""};
    if (positions > velocities)
        look(&it, form, point, DFL_CHART_VELOCITIES);
    if (it.nf == 0 || !it.S)
        return;
    name_chosen(out->chosen, sizeof out->chosen, form, &it);
    name_moving(out->moving, sizeof out->moving, form, &it);
    name_better(out->better, sizeof out->better, form, &it);
}
