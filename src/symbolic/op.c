/* op.c: what each operation is: its name, its operands, its value.

   The values are plain expressions, so that a compiler gives the same bits wherever they are
   written again: in the interpreter of tapes, in generated C. Floating-point contraction must be
   off. */
#include "symbolic/graph.h"

#include <math.h>

static double unary_value(dfl_op op, double a);

int dfl_op_operands(dfl_op op)
{
    if (op <= DFL_OP_SYMBOL)
        return 0;
    if (op <= DFL_OP_SPLINE)
        return 1;
    return op <= DFL_OP_MAX ? 2 : 3;
}

const char *dfl_op_name(dfl_op op)
{
    static const char *const name[DFL_OPS] = {
        "constant", "symbol", "-",    "sq",   "sqrt", "exp",  "log",   "sin",  "cos",   "tan",
        "asin",     "acos",   "atan", "sinh", "cosh", "tanh", "abs",   "sign", "floor", "noevent",
        "spline",   "+",      "-",    "*",    "/",    "^",    "atan2", "min",  "max",   "select"};
    return name[op];
}

/* A plain switch. min and max take the second operand when one of them is NaN; sign(NaN) is 0. */
double dfl_op_value(const dfl_graph *graph, const dfl_node *node, double a, double b, double c)
{
    switch ((dfl_op)node->op) {
    case DFL_OP_CONSTANT:
        return graph->constants[node->a];
    case DFL_OP_SPLINE:
        return dfl_spline_value(&graph->splines[node->b], (int)node->c, a);
    case DFL_OP_ADD:
        return a + b;
    case DFL_OP_SUB:
        return a - b;
    case DFL_OP_MUL:
        return a * b;
    case DFL_OP_DIV:
        return a / b;
    case DFL_OP_POW:
        return pow(a, b);
    case DFL_OP_ATAN2:
        return atan2(a, b);
    case DFL_OP_MIN:
        return a < b ? a : b;
    case DFL_OP_MAX:
        return a > b ? a : b;
    case DFL_OP_SELECT:
        return a > 0 ? b : c;
    default:
        return unary_value((dfl_op)node->op, a);
    }
}

/* A plain switch as well. */
static double unary_value(dfl_op op, double a)
{
    switch (op) {
    case DFL_OP_NEG:
        return -a;
    case DFL_OP_SQ:
        return a * a;
    case DFL_OP_SQRT:
        return sqrt(a);
    case DFL_OP_EXP:
        return exp(a);
    case DFL_OP_LOG:
        return log(a);
    case DFL_OP_SIN:
        return sin(a);
    case DFL_OP_COS:
        return cos(a);
    case DFL_OP_TAN:
        return tan(a);
    case DFL_OP_ASIN:
        return asin(a);
    case DFL_OP_ACOS:
        return acos(a);
    case DFL_OP_ATAN:
        return atan(a);
    case DFL_OP_SINH:
        return sinh(a);
    case DFL_OP_COSH:
        return cosh(a);
    case DFL_OP_TANH:
        return tanh(a);
    case DFL_OP_ABS:
        return fabs(a);
    case DFL_OP_SIGN:
        return (double)((a > 0) - (a < 0));
    case DFL_OP_FLOOR:
        return floor(a);
    case DFL_OP_NOEVENT:
        return a;
    default:
        return NAN; /* a symbol has no value of its own */
    }
}
