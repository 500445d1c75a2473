/* elastic_beams.h: straight beams as elastic bodies, with expressions for all their numbers. */
#ifndef DFL_DRAWING_ELASTIC_BEAMS_H
#define DFL_DRAWING_ELASTIC_BEAMS_H

#include "drawing/elastic_bodies.h"

enum { DFL_MOST_NODES = 200, DFL_MOST_TAPER = 100 };

/* What a taper changes. */
typedef enum dfl_taper {
    DFL_TAPER_MASS,
    DFL_TAPER_EA,
    DFL_TAPER_EI,
    DFL_TAPER_EI2,
    DFL_TAPER_GJ,
    DFL_TAPERS
} dfl_taper;

typedef struct dfl_drawn_beam {
    int line;
    const char *name, *color;
    bool hidden, smooth;
    double magnify;           /* as of dfl_drawn_elastic */
    dfl_vec from, to;         /* of the drawing */
    dfl_vec up;               /* in space: its y axis, made perpendicular; zero: chosen */
    dfl_expr EA, EI, EI2, GJ; /* EI: against deflections along y (in the plane); EI2: along z */
    dfl_expr rhoA;            /* mass per length */
    dfl_expr rhoJ;            /* in space: inertia of the section about the axis, per length */
    int elements, modes;
    bool interface, first_order;
    bool frame_given;
    dfl_beam_frame frame;
    double quasistatic;          /* rad/s: modes above have no inertia; 0: none */
    dfl_expr ratio, alpha, beta; /* damping: modal ratio, alpha M + beta K */
    int nnodes;
    const char *node_name[DFL_MOST_NODES];
    double station[DFL_MOST_NODES];
    /* factors along the beam, linear between `ntaper` places from 0 to 1; 0: none */
    int ntaper;
    double taper_place[DFL_MOST_TAPER], taper[DFL_TAPERS][DFL_MOST_TAPER];
} dfl_drawn_beam;

/* *out: the number of the body that is its frame of reference. */
dfl_status dfl_drawing_beam(int *out, dfl_drawing *drawing, const dfl_drawn_beam *beam);

#endif
