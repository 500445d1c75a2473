/* declare_internal.h: what the files of this module share. */
#ifndef DFL_DECLARE_INTERNAL_H
#define DFL_DECLARE_INTERNAL_H

#include "declare/declare.h"

/* The velocity that `u` means: a speed, an own velocity, or a position for its own velocity. */
dfl_status dfl_model_velocity_of(dfl_expr *out, dfl_model *model, const char *call, dfl_expr u);

/* Stops a script with an endless loop of declarations before it uses up the memory. */
dfl_status dfl_model_check_count(const dfl_model *model, int count);

/* A new declaration with a name; *out is its number. DFL_INVALID: the name is bad or in use. */
dfl_status dfl_model_declare(int *out, dfl_model *model, int line, dfl_declared kind,
                             const char *name);

/* Gives declaration `number` the symbol of its name. */
dfl_status dfl_model_own_symbol(dfl_expr *out, dfl_model *model, int number, dfl_symbol_kind kind,
                                int index);

/* The numbers of expressions of parameters and inputs, which are not checked (value.c). */
dfl_status dfl_model_numbers(double *out, const dfl_model *model, const dfl_expr *exprs, int count);

/* Frees what actions and touches own (actions.c). */
void dfl_model_clear_actions(dfl_model *model);
void dfl_model_clear_foreigns(dfl_model *model);

/* Makes the declaration `number` findable by its name. */
dfl_status dfl_model_enter_name(dfl_model *model, int number);

/* Frees what the shape owns. */
void dfl_shape_clear(dfl_shape *shape, dfl_context *ctx);

/* contents.c: which symbols the expressions of a model may contain. */

/* Where an expression is used. */
typedef enum dfl_role {
    DFL_FOR_KINEMATICS,
    DFL_FOR_KINETIC,
    DFL_FOR_POTENTIAL,
    DFL_FOR_MASS,
    DFL_FOR_FORCE,
    DFL_FOR_CONSTRAINT,
    DFL_FOR_NONHOLONOMIC,
    DFL_FOR_DYNAMIC,
    DFL_FOR_AUXILIARY,
    DFL_FOR_CONTACT,
    DFL_FOR_INVARIANT,
    DFL_FOR_OUTPUT,
    DFL_FOR_EVENT,
    DFL_FOR_ACTION,
    DFL_FOR_DRAW,
    DFL_PLACES
} dfl_role;

/* DFL_OK if `expr` may be used there. Otherwise the message names the symbol that is not allowed,
   or what is missing; `name` (may be NULL) is the name of the declaration. Also passes on a failure
   of the graph. */
dfl_status dfl_model_check_contents(const dfl_model *model, dfl_role role, const char *name,
                                    dfl_expr expr);

#endif
