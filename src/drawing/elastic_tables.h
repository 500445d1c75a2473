/* elastic_tables.h: elastic bodies given by their modes: matrices in numbers. */
#ifndef DFL_DRAWING_ELASTIC_TABLES_H
#define DFL_DRAWING_ELASTIC_TABLES_H

#include "drawing/elastic_bodies.h"

enum { DFL_MOST_TABLE_NODES = 64 };

/* Blocks by rows, as a script gives them; a row of a field is one axis (in the plane x, y, or z for
   turns), a column one mode. The names are those of elastic/elastic.h. */
typedef struct dfl_drawn_modes {
    int line;
    const char *name, *color;
    bool hidden, smooth;
    double magnify;
    dfl_vec at, axis, axis2; /* origin and axes: in the plane `axis` is x, in space as of frames */
    int n;
    double mass, moment[3], inertia[6];
    double S[3 * DFL_MOST_MODES], J1[6 * DFL_MOST_MODES], C0[3 * DFL_MOST_MODES];
    double C1[3 * DFL_MOST_MODES * DFL_MOST_MODES], Me[DFL_MOST_MODES * DFL_MOST_MODES];
    double J2[6 * DFL_MOST_MODES * DFL_MOST_MODES];
    double Kw[6 * DFL_MOST_MODES * DFL_MOST_MODES]; /* in the plane the first n n: zz */
    bool Kw_given;
    bool stiffened; /* there are fields of second order: S2, C2, phi2, psi2, as of dfl_sid */
    double S2[3 * DFL_MOST_PAIRS], C2[3 * DFL_MOST_PAIRS]; /* in space and in the plane x, y, z */
    const dfl_sid *affine; /* body whose affine fields add to these; NULL: none */
    bool J2_given;         /* else, in the plane, Me, and in space 0 */
    dfl_expr K[DFL_MOST_MODES * DFL_MOST_MODES], D[DFL_MOST_MODES * DFL_MOST_MODES];
    int noutline;
    const dfl_outline_point *outline;
    int nnodes;
    const char *node_name[DFL_MOST_TABLE_NODES];
    struct {
        int id; /* as of dfl_sid_node */
        double at[3], phi[3 * DFL_MOST_MODES], psi[3 * DFL_MOST_MODES];
        double phi2[3 * DFL_MOST_PAIRS], psi2[3 * DFL_MOST_PAIRS];
    } node[DFL_MOST_TABLE_NODES];
} dfl_drawn_modes;

/* *out: the number of the body that is its frame of reference. */
dfl_status dfl_drawing_modes(int *out, dfl_drawing *drawing, const dfl_drawn_modes *modes);

/* A run warns where displacements of second order without squares leave no positive masses.
   (elastic_squares.c) */
dfl_status dfl_elastic_doubt_squares(dfl_drawing *drawing, const dfl_drawn_modes *modes,
                                     const dfl_modal_body *body);

#endif
