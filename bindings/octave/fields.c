/* fields.c: a struct of the user by a table of what its fields may be. */
#include "gateway.h"

#include "context/context.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MOST_FIELDS = 64, LONGEST_WORD = 32 };

/* A field that is being read: options.rtol. */
typedef struct reading {
    dfl_context *ctx;
    const char *what;
    const gateway_field *field;
    const mxArray *value;
} reading;

static const gateway_field *find(const gateway_field *fields, int count, const char *name);
static dfl_status unknown(dfl_context *ctx, const char *what, const char *name,
                          const gateway_field *fields, int count);
static dfl_status read_value(void *place, const reading *r);
static dfl_status read_number(double *out, const reading *r);
static dfl_status read_whole(double *out, const reading *r, double most);
static dfl_status read_flag(bool *out, const reading *r);
static dfl_status read_choice(int *out, const reading *r);
static dfl_status read_function(const mxArray **out, const reading *r);
static dfl_status read_text(const char **out, const reading *r);

dfl_status gateway_read(void *out, dfl_context *ctx, const mxArray *given, const char *what,
                        const gateway_field *fields, int count)
{
    if (!mxIsStruct(given) || mxGetNumberOfElements(given) != 1)
        return dfl_fail(ctx, DFL_INVALID, "%s must be one struct, not %s", what,
                        mxIsStruct(given) ? "an array of structs" : mxGetClassName(given));
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < mxGetNumberOfFields(given); i++) {
        const char *name = mxGetFieldNameByNumber(given, i);
        const mxArray *value = mxGetFieldByNumber(given, 0, i);
        const gateway_field *field = find(fields, count, name);
        if (!field)
            status = unknown(ctx, what, name, fields, count);
        else if (value && !(mxIsEmpty(value) && !mxIsStruct(value)))
            status = read_value((char *)out + field->offset, &(reading){ctx, what, field, value});
    }
    return status;
}

static const gateway_field *find(const gateway_field *fields, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(fields[i].name, name))
            return &fields[i];
    return NULL;
}

static dfl_status unknown(dfl_context *ctx, const char *what, const char *name,
                          const gateway_field *fields, int count)
{
    const char *names[MOST_FIELDS];
    for (int i = 0; i < count && i < MOST_FIELDS; i++)
        names[i] = fields[i].name;
    const char *nearest = dfl_nearest_word(name, names, count < MOST_FIELDS ? count : MOST_FIELDS);
    if (nearest)
        return dfl_fail(ctx, DFL_INVALID, "there is no %s.%s; did you mean %s.%s?", what, name,
                        what, nearest);
    return dfl_fail(ctx, DFL_INVALID, "there is no %s.%s; the help lists what there is", what,
                    name);
}

static dfl_status read_value(void *place, const reading *r)
{
    dfl_status status = DFL_OK;
    double whole = 0;
    switch (r->field->kind) {
    case GATEWAY_NUMBER:
        return read_number(place, r);
    case GATEWAY_COUNT:
        status = read_whole(&whole, r, INT_MAX);
        if (!status)
            *(int *)place = (int)whole;
        return status;
    case GATEWAY_LONG:
        status = read_whole(&whole, r, LONG_MAX > INT_MAX ? 9e15 : INT_MAX);
        if (!status)
            *(long *)place = (long)whole;
        return status;
    case GATEWAY_FLAG:
        return read_flag(place, r);
    case GATEWAY_CHOICE:
        return read_choice(place, r);
    case GATEWAY_FUNCTION:
        return read_function(place, r);
    case GATEWAY_WORDS:
        return read_text(place, r);
    case GATEWAY_VALUE:
        break;
    }
    *(const mxArray **)place = r->value;
    return status;
}

static dfl_status read_number(double *out, const reading *r)
{
    char why[GATEWAY_WHY];
    double number = 0;
    if (!gateway_copy(&number, why, r->value, 1, 1))
        return dfl_fail(r->ctx, DFL_INVALID, "%s.%s %s", r->what, r->field->name, why);
    if (isnan(number))
        return dfl_fail(r->ctx, DFL_INVALID, "%s.%s is NaN; give a number", r->what,
                        r->field->name);
    *out = number;
    return DFL_OK;
}

static dfl_status read_whole(double *out, const reading *r, double most)
{
    const dfl_status status = read_number(out, r);
    if (!status && (floor(*out) != *out || fabs(*out) > most))
        return dfl_fail(r->ctx, DFL_INVALID, "%s.%s is %g; give a whole number", r->what,
                        r->field->name, *out);
    return status;
}

static dfl_status read_flag(bool *out, const reading *r)
{
    double number = 0;
    const dfl_status status = read_number(&number, r);
    if (!status && number != 0 && number != 1)
        return dfl_fail(r->ctx, DFL_INVALID, "%s.%s is %g; give true or false", r->what,
                        r->field->name, number);
    if (!status)
        *out = number != 0;
    return status;
}

static dfl_status read_choice(int *out, const reading *r)
{
    const char *const *choices = r->field->choices;
    char word[LONGEST_WORD] = "";
    dfl_text list = {.ctx = r->ctx};
    if (mxIsChar(r->value) && !mxGetString(r->value, word, sizeof word))
        for (int i = 0; choices[i]; i++)
            if (!strcmp(choices[i], word)) {
                *out = i;
                return DFL_OK;
            }
    for (int i = 0; choices[i]; i++)
        dfl_text_add(&list, "%s'%s'", i == 0 ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
    const dfl_status status = dfl_fail(r->ctx, DFL_INVALID, "%s.%s has no value '%s'; choose %s",
                                       r->what, r->field->name, word, dfl_text_string(&list));
    dfl_text_clear(&list);
    return status;
}

static dfl_status read_function(const mxArray **out, const reading *r)
{
    if (!gateway_is_function(r->value))
        return dfl_fail(r->ctx, DFL_INVALID, "%s.%s is %s; give a function handle, @name", r->what,
                        r->field->name, mxGetClassName(r->value));
    *out = r->value;
    return DFL_OK;
}

static dfl_status read_text(const char **out, const reading *r)
{
    *out = mxIsChar(r->value) ? mxArrayToString(r->value) : NULL;
    if (!*out)
        return dfl_fail(r->ctx, DFL_INVALID, "%s.%s is %s; give a text", r->what, r->field->name,
                        mxGetClassName(r->value));
    return DFL_OK;
}
