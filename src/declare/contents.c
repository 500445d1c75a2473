/* contents.c: which symbols the expressions of a model may contain; one table of rules.

   A node stores the kinds of symbols below it, so a rule is checked at once; only a message has to
   look for the symbol that breaks it. Own velocities and speeds are of one kind: a walk over the
   nodes distinguishes them, only in models that have speeds. */
#include "declare/declare_internal.h"

#include "symbolic/symbolic.h"

#include <math.h>
#include <string.h>

#define BIT(kind) (1u << (kind))

enum {
    FREE = BIT(DFL_SYM_TIME) | BIT(DFL_SYM_PARAM) | BIT(DFL_SYM_INPUT),
    PLACE = FREE | BIT(DFL_SYM_P),
    HELD = PLACE | BIT(DFL_SYM_DISCRETE),
    MOTION = HELD | BIT(DFL_SYM_V) | BIT(DFL_SYM_S),
    STATE = MOTION | BIT(DFL_SYM_R) | BIT(DFL_SYM_W) | BIT(DFL_SYM_LAMBDA) | BIT(DFL_SYM_MU),
    VARYING = STATE & ~(BIT(DFL_SYM_PARAM) | BIT(DFL_SYM_INPUT))
};

typedef struct rule {
    const char *call;
    unsigned allowed;
    const char *allows;   /* what the message says may be used */
    const char *velocity; /* advice where a velocity is not allowed; NULL: none */
    unsigned needed;      /* at least one of these kinds; 0: none */
    const char *needs;    /* what is wrong without them, and the remedy */
} rule;

static const rule rules[DFL_PLACES] = {
    [DFL_FOR_KINEMATICS] = {"kinematics", PLACE | BIT(DFL_SYM_V),
                            "positions, speeds, time, parameters and inputs", NULL, BIT(DFL_SYM_V),
                            "contains no speed; give an expression that is linear in the speeds"},
    [DFL_FOR_KINETIC] = {"kinetic", PLACE | BIT(DFL_SYM_V),
                         "positions, their velocities, time, parameters and inputs", NULL, 0, NULL},
    [DFL_FOR_POTENTIAL] = {"potential", HELD, "positions, time, parameters and inputs",
                           "what depends on velocities is a force: use force", 0, NULL},
    [DFL_FOR_MASS] = {"mass", PLACE, "positions, time, parameters and inputs", NULL, 0, NULL},
    [DFL_FOR_FORCE] = {"force", STATE, "all variables", NULL, 0, NULL},
    [DFL_FOR_CONSTRAINT] =
        {"constraint", HELD | BIT(DFL_SYM_S),
         "positions, contact variables, time, parameters and inputs",
         "use nonholonomic for a constraint on velocities", BIT(DFL_SYM_P) | BIT(DFL_SYM_S),
         "depends on no coordinate, so it constrains nothing; check the expression"},
    [DFL_FOR_NONHOLONOMIC] =
        {"nonholonomic", MOTION,
         "positions, velocities, contact variables, time, parameters and inputs", NULL,
         BIT(DFL_SYM_V), "contains no velocity; use constraint"},
    [DFL_FOR_DYNAMIC] = {"dynamic", STATE, "all variables", NULL, 0, NULL},
    [DFL_FOR_AUXILIARY] = {"auxiliary", STATE, "all variables", NULL, VARYING,
                           "is a number; give an equation for the variable"},
    [DFL_FOR_CONTACT] = {"contact", PLACE | BIT(DFL_SYM_S),
                         "positions, contact variables, time, parameters and inputs",
                         "use auxiliary for an equation with velocities", BIT(DFL_SYM_S),
                         "contains no contact variable; give a function of the new variable"},
    [DFL_FOR_INVARIANT] = {"invariant", MOTION,
                           "positions, velocities, contact variables, time, parameters and inputs",
                           NULL, BIT(DFL_SYM_P) | BIT(DFL_SYM_V) | BIT(DFL_SYM_S),
                           "depends on no coordinate, so it keeps nothing; check the expression"},
    [DFL_FOR_OUTPUT] = {"output", STATE | BIT(DFL_SYM_A) | BIT(DFL_SYM_PENDING), "all variables",
                        NULL, 0, NULL},
    [DFL_FOR_EVENT] = {"event", STATE, "all variables", NULL, VARYING,
                       "depends neither on time nor on a variable; check the expression"},
    [DFL_FOR_ACTION] = {"set", STATE, "all variables", NULL, 0, NULL},
    [DFL_FOR_DRAW] = {"draw", STATE, "all variables", NULL, 0, NULL},
};

static dfl_status fail_contents(const dfl_model *model, const rule *r, const char *name,
                                dfl_expr expr);
static dfl_expr symbol_among(const dfl_graph *graph, dfl_expr expr, unsigned kinds);
static const char *kind_name(dfl_symbol_kind kind);
static dfl_status check_velocities(const dfl_model *model, dfl_expr expr, dfl_declared kind,
                                   const char *message);
static const dfl_declaration *first_velocity(const dfl_model *model, const dfl_part *part,
                                             dfl_declared kind);

dfl_status dfl_model_check_contents(const dfl_model *model, dfl_role role, const char *name,
                                    dfl_expr expr)
{
    const rule *r = &rules[role];
    dfl_graph *graph = model->graph;
    const dfl_status status = dfl_graph_status(graph);
    if (status)
        return status;
    if (dfl_is_constant(graph, expr) && !isfinite(dfl_constant_value(graph, expr)))
        return dfl_fail(
            model->ctx, DFL_INVALID, "%s%s%s%s: the expression is %g; give finite numbers", r->call,
            name ? " '" : "", name ? name : "", name ? "'" : "", dfl_constant_value(graph, expr));
    const unsigned depends = dfl_node_of(graph, expr)->depends;
    if (depends & ~r->allowed || (r->needed && !(depends & r->needed)))
        return fail_contents(model, r, name, expr);
    if (role == DFL_FOR_KINETIC && depends & BIT(DFL_SYM_V) && model->count[DFL_A_SPEED] > 0)
        return check_velocities(model, expr, DFL_A_SPEED,
                                "kinetic: the expression contains the speed %s; Lagrange's "
                                "equations need the velocities of coordinates: use mass and force "
                                "for speeds");
    if (role == DFL_FOR_KINEMATICS)
        return check_velocities(model, expr, DFL_A_POSITION,
                                "kinematics: the expression contains the velocity of %s; it may "
                                "contain speeds only: declare a speed, or use constraint or "
                                "nonholonomic for a relation between velocities");
    return DFL_OK;
}

static dfl_status fail_contents(const dfl_model *model, const rule *r, const char *name,
                                dfl_expr expr)
{
    const dfl_graph *graph = model->graph;
    const char *open = name ? " '" : "", *close = name ? "'" : "";
    name = name ? name : "";
    const dfl_expr wrong = symbol_among(graph, expr, ~r->allowed);
    if (wrong == DFL_NO_EXPR)
        return dfl_fail(model->ctx, DFL_INVALID, "%s%s%s%s: the expression %s", r->call, open, name,
                        close, r->needs);
    const dfl_symbol *symbol = &graph->symbols[dfl_node_of(graph, wrong)->a];
    const char *advice = symbol->kind == DFL_SYM_V ? r->velocity : NULL;
    return dfl_fail(model->ctx, DFL_INVALID,
                    "%s%s%s%s: the expression contains the %s %s; it may contain %s%s%s", r->call,
                    open, name, close, kind_name(symbol->kind), symbol->name, r->allows,
                    advice ? "; " : "", advice ? advice : "");
}

/* A symbol of one of these kinds in `expr`, or DFL_NO_EXPR. */
static dfl_expr symbol_among(const dfl_graph *graph, dfl_expr expr, unsigned kinds)
{
    if (!(dfl_node_of(graph, expr)->depends & kinds))
        return DFL_NO_EXPR;
    for (;;) {
        const dfl_node *node = dfl_node_of(graph, expr);
        if (node->op == DFL_OP_SYMBOL)
            return expr;
        const int n = dfl_op_operands((dfl_op)node->op);
        if (dfl_node_of(graph, node->a)->depends & kinds)
            expr = node->a;
        else if (n < 3 || dfl_node_of(graph, node->b)->depends & kinds)
            expr = node->b;
        else
            expr = node->c;
    }
}

static const char *kind_name(dfl_symbol_kind kind)
{
    static const char *const names[DFL_SYM_KINDS] = {
        [DFL_SYM_TIME] = "symbol",          [DFL_SYM_PARAM] = "parameter",
        [DFL_SYM_INPUT] = "input",          [DFL_SYM_LEVEL] = "level of an invariant",
        [DFL_SYM_W] = "auxiliary variable", [DFL_SYM_LAMBDA] = "multiplier",
        [DFL_SYM_MU] = "multiplier",        [DFL_SYM_R] = "dynamic variable",
        [DFL_SYM_V] = "velocity",           [DFL_SYM_S] = "contact variable",
        [DFL_SYM_P] = "position",           [DFL_SYM_A] = "acceleration",
        [DFL_SYM_PENDING] = "reaction",     [DFL_SYM_DISCRETE] = "discrete variable",
    };
    return names[kind];
}

/* Refuses speeds in a kinetic energy, since Lagrange's equations hold for own velocities only, and
   own velocities in kinematics, since such a relation would be nonholonomic. `message` takes a
   name. */
static dfl_status check_velocities(const dfl_model *model, dfl_expr expr, dfl_declared kind,
                                   const char *message)
{
    dfl_part part;
    const dfl_status status = dfl_part_create(&part, model->graph, &expr, 1);
    if (status)
        return status;
    const dfl_declaration *found = first_velocity(model, &part, kind);
    dfl_part_clear(&part);
    if (!found)
        return DFL_OK;
    const char *name = strstr(message, "%s");
    return dfl_fail(model->ctx, DFL_INVALID, "%.*s%s%s", (int)(name - message), message,
                    found->name, name + 2);
}

/* A velocity in the part that belongs to a declaration of `kind`, or NULL. */
static const dfl_declaration *first_velocity(const dfl_model *model, const dfl_part *part,
                                             dfl_declared kind)
{
    for (uint32_t i = part->count; i-- > 0;) {
        const bool velocity = part->node[i].op == DFL_OP_SYMBOL &&
                              dfl_depends(model->graph, part->expr[i], DFL_SYM_V);
        const dfl_declaration *d = velocity ? dfl_model_owner(model, part->expr[i]) : NULL;
        if (d && d->kind == kind)
            return d;
    }
    return NULL;
}
