/* nchain.c: a chain of n point masses of 1 kg on massless rods of length 1 m, hung at the origin.

       g_i = |p_i - p_{i-1}|^2 - 1,  f_i = (0, -9.81),  M = identity

   Start: horizontal (x_i = i) and at rest; gravity is then perpendicular to all rods, so lambda =
   0. The energy is zero. The motion is chaotic in the long run: compare up to t = 2. References for
   n = 2 and n = 5 (last mass): own, computed with two independent integrators and checked in
   absolute angles to 4e-13. */
#include "linkage.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_SIZE = 2, NREFERENCES = 3 };

static void fill_references(linkage *link, const double *numbers, int n);

static const double times[NREFERENCES] = {0.5, 1.0, 2.0};

/* lambda, v, p */
static const double two[NREFERENCES][10] = {
    {14.9109302467, 8.55017464814, -2.347894611695367, -1.506490754391615, -3.491590723101136,
     -4.482344124660482, 0.5400294089888501, -0.8416461473963707, 1.473465670052015,
     -1.200389435183641},
    {20.8180394363, 9.97292984825, -3.180622802160462, 2.295194030636892, -3.846353609858095,
     3.415403896525958, -0.5851683919988752, -0.8109118034690646, -1.444818849943476,
     -1.321794461381465},
    {13.4891817086, 6.67090179990, 2.714676899593075, -1.423559282671556, 3.435040543820017,
     -4.283503142503697, -0.4644128686995140, -0.8856188160751147, -1.434124817464277,
     -1.129870195647158},
};

static const double five[NREFERENCES][25] = {
    {22.7185214959,
     19.2868927380,
     14.0383464858,
     9.33332817152,
     4.66657960386,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     -2.364775349142433,
     -4.904944999818809,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     4.608005079912523,
     -1.226248320087935},
    {61.8161819346,
     56.5884840375,
     49.7724726072,
     43.0397792490,
     36.8701348772,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     -13.32874618323514,
     -6.274173428852596,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     1.444697024099681,
     -4.709659601240902},
    {1.42062040595,
     1.41014864731,
     1.09930003677,
     0.734582727246,
     0.358377028608,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     -0.05728819831013388,
     2.494935726665575,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     NAN,
     -4.704707350296315,
     -0.9649491810538918},
};

bool problem_nchain(problem *out, int size)
{
    const int n = size > 0 ? size : DEFAULT_SIZE;
    const linkage data = {.npoints = n, .nbars = n, .point_mass = 1.0, .gravity = 9.81};
    *out = (problem){.name = "nchain", .about = "chain of n point masses", .t_end = 2.0};
    if (!linkage_create(out, &data, n == 2 || n == 5 ? NREFERENCES : 0))
        return false;

    linkage *link = out->parameters;
    for (int i = 0; i < n; i++) {
        link->bars[i] = (linkage_bar){.ends = {i - 1, i}};
        out->x0[3 * n + 2 * i] = i + 1;
    }
    if (n == 2)
        fill_references(link, &two[0][0], 5 * n);
    if (n == 5)
        fill_references(link, &five[0][0], 5 * n);
    linkage_finish(out);
    return true;
}

static void fill_references(linkage *link, const double *numbers, int n)
{
    memcpy(link->reference_x, numbers, (size_t)(NREFERENCES * n) * sizeof *numbers);
    for (int i = 0; i < NREFERENCES; i++) {
        link->references[i].t = times[i];
        link->references[i].accuracy = 1e-11; /* the multipliers are printed with 12 digits */
    }
}
