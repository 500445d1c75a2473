/* contents.h: which symbols the expressions of a model may contain. */
#ifndef DFL_MODEL_CONTENTS_H
#define DFL_MODEL_CONTENTS_H

#include "declare/model.h"

/* Where an expression stands. */
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
    DFL_FOR_DRAW,
    DFL_PLACES
} dfl_role;

/* DFL_OK if `expr` may stand there. Otherwise the message names the symbol that may not, or what is
   missing; `name` (may be NULL) is that of the declaration. Also passes on a failure of the graph.
   */
dfl_status dfl_model_check_contents(const dfl_model *model, dfl_role role, const char *name,
                                    dfl_expr expr);

#endif
