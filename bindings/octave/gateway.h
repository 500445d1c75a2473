/* gateway.h: what the gateways to Octave and Matlab share: the plain MEX interface, nothing of
   Octave alone.

   No gateway raises an error: it returns a failure and the .m file in front of it raises it, so
   that nothing jumps over frames of the solver. All memory comes from the interpreter: should it
   unwind a call by itself (Ctrl-C inside a user's function, no memory for an array) it takes
   everything back. */
#ifndef DFL_OCTAVE_GATEWAY_H
#define DFL_OCTAVE_GATEWAY_H

#include <driftless/driftless.h>

#include <mex.h>
#include <stddef.h>

enum { GATEWAY_TEXT = 1024 };

/* One call of a gateway. */
typedef struct gateway {
    dfl_context *ctx;
    const mxArray *trap;     /* [failure, ...] = trap(n, f, ...) catches errors of f */
    mxArray *error;          /* of a user's function, or NULL; nothing is called after it */
    char text[GATEWAY_TEXT]; /* what is wrong with a result of a user's function, or "" */
} gateway;

/* A context in the interpreter's memory. NULL when there is none. */
dfl_context *gateway_context(void);

/* Calls f(in...) for `nout` results, which the caller destroys; -1: one result if f has any,
   else NULL. False if f fails, now and from now on. */
bool gateway_call(mxArray **out, int nout, gateway *gw, const mxArray *f, int nin, mxArray **in);

/* Whether a user's function has failed. */
bool gateway_failed(const gateway *gw);

/* Notes what is wrong with a result; returns false. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool gateway_wrong(gateway *gw, const char *format, ...);

/* "driftless:invalid" and so on. */
const char *gateway_identifier(dfl_status status);

/* The failure that the .m file raises: the user's own error, or identifier and message; an empty
   array for DFL_OK. */
mxArray *gateway_failure(const gateway *gw, dfl_status status, const char *message);

/* fields.c: a struct of the user by a table of what its fields may be. */
typedef enum gateway_kind {
    GATEWAY_NUMBER,   /* double */
    GATEWAY_COUNT,    /* int */
    GATEWAY_LONG,     /* long */
    GATEWAY_FLAG,     /* bool */
    GATEWAY_CHOICE,   /* int: number of the word in `choices` */
    GATEWAY_FUNCTION, /* const mxArray *, a function handle */
    GATEWAY_VALUE,    /* const mxArray *, looked at later */
    GATEWAY_WORDS     /* const char *, a text that lives as long as the call */
} gateway_kind;

typedef struct gateway_field {
    const char *name;
    gateway_kind kind;
    size_t offset;
    const char *const *choices; /* ended by NULL */
} gateway_field;

/* Reads the struct `given` (called `what` in messages) into the fields of `out`. Fields that are
   absent or empty leave what is there. DFL_INVALID: unknown names, with the nearest; wrong kinds
   and values. */
dfl_status gateway_read(void *out, dfl_context *ctx, const mxArray *given, const char *what,
                        const gateway_field *fields, int count);

/* arrays.c: numbers in and out. */
bool gateway_is_function(const mxArray *value);
/* Whether it is a real matrix of numbers, full or sparse. */
bool gateway_is_numeric(const mxArray *value);
/* Copies a matrix of rows x columns, or a vector of `rows` values of either shape where columns
   is 1. False, with the reason in `why`, if it is something else. */
enum { GATEWAY_WHY = 160 };
bool gateway_copy(double *out, char why[GATEWAY_WHY], const mxArray *value, int rows, int columns);
mxArray *gateway_vector(const double *values, int count);
mxArray *gateway_scalar(double value);

/* A struct under construction. */
void gateway_set(mxArray *record, const char *name, mxArray *value);
mxArray *gateway_record(void);

/* A copy of element i of an array of structs. */
mxArray *gateway_element(const mxArray *array, int i);

/* statistics.c: all counters. */
mxArray *gateway_statistics(const dfl_statistics *s);

#endif
