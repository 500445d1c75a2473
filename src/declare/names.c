/* names.c: names within a model: which are allowed, and finding them.

   A hash table (open addressing, FNV-1a) leads from a name to its declaration, so that families of
   thousands of coordinates are declared in linear time. Derived names, der(x), lambda(c), mu(c),
   are taken apart: the name in the brackets is looked up. */
#include "declare/declare_internal.h"

#include "context/context.h"

#include <string.h>

enum { LONGEST_NAME = 100, FIRST_SIZE = 64 };

/* The names that are made of others. */
static const struct {
    const char *prefix;
    dfl_declared kind;
} derived[] = {{"der", DFL_A_POSITION}, {"lambda", DFL_A_CONSTRAINT}, {"mu", DFL_A_NONHOLONOMIC}};

static dfl_status check_letters(dfl_context *ctx, const char *name);
static bool is_letter(char c);
static dfl_status rehash(dfl_model *model);
static dfl_declaration *find_part(const dfl_model *model, const char *name, size_t length);

dfl_status dfl_model_check_name(const dfl_model *model, const char *name)
{
    dfl_context *ctx = model->ctx;
    if (!*name)
        return dfl_fail(ctx, DFL_INVALID, "the name is empty; give a name in quotes");
    if (strlen(name) > LONGEST_NAME)
        return dfl_fail(ctx, DFL_INVALID, "the name '%.20s...' is longer than %d characters", name,
                        LONGEST_NAME);
    dfl_status status = check_letters(ctx, name);
    if (status)
        return status;
    if (strcmp(name, "time") == 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "the name 'time' belongs to the symbol of time; choose another");
    const dfl_declaration *other = dfl_model_find(model, name);
    if (other && other->line > 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "the name '%s' is already used by the %s of line %d; choose another", name,
                        dfl_declared_name(other->kind), other->line);
    if (other)
        return dfl_fail(ctx, DFL_INVALID, "the name '%s' is already used by a %s; choose another",
                        name, dfl_declared_name(other->kind));
    return DFL_OK;
}

dfl_status dfl_model_enter_name(dfl_model *model, int number)
{
    if (2 * (number + 1) > model->index.size) {
        dfl_status status = rehash(model);
        if (status)
            return status;
    }
    const uint32_t mask = (uint32_t)model->index.size - 1;
    const char *name = model->declarations.item[number].name;
    uint32_t place = dfl_name_hash(name, strlen(name)) & mask;
    while (model->index.by_name[place])
        place = (place + 1) & mask;
    model->index.by_name[place] = number + 1;
    return DFL_OK;
}

const char *dfl_declared_name(dfl_declared kind)
{
    static const char *const names[DFL_DECLARED_KINDS] = {
        [DFL_A_PARAM] = "parameter",
        [DFL_AN_INPUT] = "input",
        [DFL_A_SETTING] = "setting",
        [DFL_A_POSITION] = "position",
        [DFL_A_SPEED] = "speed",
        [DFL_A_CONSTRAINT] = "constraint",
        [DFL_A_NONHOLONOMIC] = "nonholonomic constraint",
        [DFL_A_DYNAMIC] = "dynamic variable",
        [DFL_AN_AUXILIARY] = "auxiliary variable",
        [DFL_A_CONTACT] = "contact variable",
        [DFL_AN_INVARIANT] = "invariant",
        [DFL_AN_OUTPUT] = "output",
        [DFL_AN_EVENT] = "event",
        [DFL_A_SAMPLE] = "sample",
    };
    return names[kind];
}

dfl_declaration *dfl_model_find(const dfl_model *model, const char *name)
{
    return find_part(model, name, strlen(name));
}

dfl_expr dfl_model_variable_named(const dfl_model *model, const char *name)
{
    const char *bracket = strchr(name, '(');
    const size_t length = strlen(name);
    if (!bracket) {
        const dfl_declaration *d = dfl_model_find(model, name);
        const bool variable =
            d && (d->kind == DFL_A_POSITION || d->kind == DFL_A_SPEED || d->kind == DFL_A_DYNAMIC ||
                  d->kind == DFL_AN_AUXILIARY || d->kind == DFL_A_CONTACT);
        return variable ? d->symbol : DFL_NO_EXPR;
    }
    const size_t before = (size_t)(bracket - name);
    if (name[length - 1] != ')')
        return DFL_NO_EXPR;
    const dfl_declaration *d = find_part(model, bracket + 1, length - before - 2);
    for (size_t i = 0; d && i < sizeof derived / sizeof *derived; i++)
        if (d->kind == derived[i].kind && before == strlen(derived[i].prefix) &&
            memcmp(name, derived[i].prefix, before) == 0) {
            if (d->kind != DFL_A_POSITION)
                return d->symbol;
            return d->expr == DFL_NO_EXPR ? d->velocity : DFL_NO_EXPR;
        }
    return DFL_NO_EXPR;
}

dfl_declaration *dfl_model_owner(const dfl_model *model, dfl_expr symbol)
{
    const dfl_node *node = dfl_node_of(model->graph, symbol);
    if (node->op != DFL_OP_SYMBOL || node->a >= (uint32_t)model->index.room)
        return NULL;
    const int number = model->index.by_symbol[node->a].declaration;
    return number > 0 ? &model->declarations.item[number - 1] : NULL;
}

bool dfl_model_mentioned(const dfl_model *model, dfl_expr symbol)
{
    return model->index.by_symbol[dfl_node_of(model->graph, symbol)->a].start > 0;
}

const char *dfl_model_nearest(const dfl_model *model, const char *name, unsigned kinds)
{
    const char *nearest = NULL;
    int best = 0;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *d = &model->declarations.item[i];
        if (kinds >> d->kind & 1 && dfl_nearer_word(&best, name, d->name))
            nearest = d->name;
    }
    return nearest;
}

static dfl_status check_letters(dfl_context *ctx, const char *name)
{
    if (!is_letter(*name) && *name != '_')
        return dfl_fail(ctx, DFL_INVALID,
                        "the name '%s' must start with a letter (a-z, A-Z) or '_'", name);
    for (const char *c = name; *c; c++)
        if (!is_letter(*c) && !(*c >= '0' && *c <= '9') && !strchr("_.-[]", *c))
            return dfl_fail(ctx, DFL_INVALID,
                            "the name '%s' may consist of letters (a-z, A-Z), digits and '_', '.', "
                            "'-', '[', ']' "
                            "only",
                            name);
    return DFL_OK;
}

/* Independent of the locale. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

uint32_t dfl_name_hash(const char *name, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h;
}

/* A table of twice the size with all names entered so far. */
static dfl_status rehash(dfl_model *model)
{
    const int size = model->index.size ? 2 * model->index.size : FIRST_SIZE;
    int *names = dfl_alloc(model->ctx, (size_t)size, sizeof *names);
    if (!names)
        return DFL_NO_MEMORY;
    int *old = model->index.by_name;
    const int old_size = model->index.size;
    model->index.by_name = names;
    model->index.size = size;
    for (int i = 0; i < old_size; i++) /* cannot fail: there is room */
        if (old[i])
            dfl_model_enter_name(model, old[i] - 1);
    dfl_free(model->ctx, old);
    return DFL_OK;
}

/* The declaration whose name is the `length` characters at `name`, or NULL. */
static dfl_declaration *find_part(const dfl_model *model, const char *name, size_t length)
{
    if (model->index.size == 0)
        return NULL;
    const uint32_t mask = (uint32_t)model->index.size - 1;
    for (uint32_t place = dfl_name_hash(name, length) & mask; model->index.by_name[place];
         place = (place + 1) & mask) {
        dfl_declaration *d = &model->declarations.item[model->index.by_name[place] - 1];
        if (strlen(d->name) == length && memcmp(d->name, name, length) == 0)
            return d;
    }
    return NULL;
}

int dfl_list_add(dfl_text *text, size_t from, const char *list)
{
    int added = 0;
    while (*list) {
        const size_t length = strcspn(list, ",");
        const char *at = dfl_text_string(text) + from;
        while (at && strncmp(at, list, length) != 0) {
            at = strchr(at, ',');
            at = at ? at + strspn(at, ", ") : NULL;
        }
        if (!at) {
            const bool first = text->length == from;
            dfl_text_add(text, "%s%.*s", first ? "" : ", ", (int)length, list);
            added++;
        }
        list += length;
        list += strspn(list, ", ");
    }
    return added;
}
