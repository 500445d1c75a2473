/* fmu_internal.h: what the files of the FMU export share. */
#ifndef DFL_FMU_INTERNAL_H
#define DFL_FMU_INTERNAL_H

#include "export/export.h"

#include "context/context.h"
#include "fmu/fmu.h"

/* What is written; `hash` names it. */
typedef struct dfl_fmu_writer {
    dfl_runnable *run;
    const dfl_equations *eq;
    const dfl_fmu_options *options;
    char identifier[64];
    char hash[40];
    dfl_reference_counts counts;
    bool exchange; /* model exchange is part of it */
} dfl_fmu_writer;

/* fmu_names.c: a name as the standard wants it: segments that are no identifiers in quotes. */
void dfl_fmu_name(dfl_text *text, const char *name);
/* The derivative of unknown i: der(x), or der(x,2) of der(x). */
void dfl_fmu_rate_name(dfl_text *text, const dfl_equations *eq, int i);
/* The velocity whose name says that it is the derivative of position `p` (places in x), or -1. */
int dfl_fmu_velocity_of(const dfl_equations *eq, int p);
/* Text of an attribute or element. */
void dfl_xml_words(dfl_text *text, const char *words);
/* The unit of an unknown into `unit`, "" if it has none; of its derivative. */
void dfl_fmu_unit(char *unit, size_t size, const dfl_equations *eq, int i, bool rate);

/* base_units.c: the factor and the exponents of kg, m, s, A, K, mol, cd, rad; false: not known. */
enum { DFL_BASE_UNITS = 8 };
typedef struct dfl_base_unit {
    double factor;
    int exponent[DFL_BASE_UNITS];
} dfl_base_unit;
bool dfl_fmu_base_unit(dfl_base_unit *out, const char *unit);

/* fmu_source.c: the C source of the model. */
dfl_status dfl_fmu_source(dfl_text *text, const dfl_fmu_writer *w);

/* fmu_binaries.c: this source as shared library for this machine, and for Windows. DFL_INVALID: the
   compiler fails, or there is none. */
dfl_status dfl_fmu_build(dfl_text *binary, const dfl_fmu_writer *w, const dfl_text *source);
dfl_status dfl_fmu_build_windows(dfl_text *binary, const dfl_fmu_writer *w, const dfl_text *source);
/* The two files of the same library: the source with the declarations that it needs; the solver. */
void dfl_fmu_program(dfl_text *text, const dfl_text *source);
void dfl_fmu_solver(dfl_text *text, int version);

/* fmu_description.c: modelDescription.xml; documentation/index.html. */
void dfl_fmu_description(dfl_text *text, const dfl_fmu_writer *w);
void dfl_fmu_documentation(dfl_text *text, const dfl_fmu_writer *w);
/* resources/model.json: name, hash, and all variables with their units. */
void dfl_fmu_resources(dfl_text *text, const dfl_fmu_writer *w);

/* The callbacks of an S-function; '$' is its name. */
extern const char dfl_template_sfunction_c[];

/* The parts of every FMU, embedded when Driftless is built. */
extern const char dfl_fmu_archive[], dfl_fmu_archive_end[], dfl_fmu_header[], dfl_fmu_header_end[],
    dfl_fmu_code[], dfl_fmu_code_end[], dfl_fmu_license[], dfl_fmu_license_end[];

#endif
