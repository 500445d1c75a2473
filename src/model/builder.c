/* builder.c: models from calls instead of a script. The calls are those of the language, and become
   one line of a script each: there is one implementation behind both, and the line in a message is
   the number of the call. */
#include "model/run_internal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

struct dfl_builder {
    dfl_context *ctx;
    char *name;
    dfl_text script;
    int calls;
    dfl_rehearsal *rehearsal; /* of all calls, or NULL: it begins with the next one */
    bool checks;
    dfl_script_options options; /* of the rehearsal */
    char **texts;               /* that belong to it: sets, then inputs */
};

enum { DEEPEST_TABLE = 20 };

static dfl_status copy_options(dfl_builder *builder, const dfl_script_options *from);
static void free_options(dfl_builder *builder);
static dfl_status rehearse(dfl_builder *builder, const dfl_text *line);
static dfl_status check_result(const dfl_builder *builder, const char *result);
static dfl_status check_call(const dfl_builder *builder, const char *call);
static dfl_status check_expression(const dfl_builder *builder, const char *text);
static dfl_status add_arguments(dfl_text *line, dfl_builder *builder, int count,
                                const dfl_argument *arguments, int depth);
static dfl_status add_argument(dfl_text *line, dfl_builder *builder, const dfl_argument *it,
                               int depth);
static dfl_status add_key(dfl_text *line, const dfl_builder *builder, const dfl_argument *it);
static void add_quoted(dfl_text *line, const char *text);
static dfl_status wrong(const dfl_builder *builder, const char *what, const char *text);

dfl_status dfl_builder_create(dfl_builder **out, dfl_context *ctx, const char *name)
{
    if (out)
        *out = NULL;
    if (!ctx)
        return DFL_INVALID; /* there is no place for a message */
    if (!out || !name || !*name)
        return dfl_fail(ctx, DFL_INVALID, "a model needs a name");
    dfl_builder *builder = dfl_alloc(ctx, 1, sizeof *builder);
    if (!builder)
        return DFL_NO_MEMORY;
    builder->ctx = builder->script.ctx = ctx;
    builder->name = dfl_copy_string(ctx, name);
    if (!builder->name) {
        dfl_builder_free(builder);
        return DFL_NO_MEMORY;
    }
    *out = builder;
    return DFL_OK;
}

void dfl_builder_free(dfl_builder *builder)
{
    if (!builder)
        return;
    dfl_rehearsal_free(builder->rehearsal);
    free_options(builder);
    dfl_free(builder->ctx, builder->name);
    dfl_text_clear(&builder->script);
    dfl_free(builder->ctx, builder);
}

dfl_status dfl_builder_call(dfl_builder *builder, const char *result, const char *call, int count,
                            const dfl_argument *arguments)
{
    if (!builder)
        return DFL_INVALID; /* there is no place for a message */
    dfl_text line = {.ctx = builder->ctx};
    dfl_status status = result ? check_result(builder, result) : DFL_OK;
    if (!status && (call || !result))
        status = check_call(builder, call);
    if (!status && (count < (call ? 0 : 1) || (count > 0 && !arguments)))
        status = wrong(builder, "the arguments are missing", "");
    if (!status && result)
        dfl_text_add(&line, "%s = ", result);
    if (!status) {
        dfl_text_add(&line, "%s%s", call ? call : "", call ? "(" : "");
        status = add_arguments(&line, builder, count, arguments, 0);
    }
    if (!status) {
        dfl_text_add(&line, call ? ")\n" : "\n");
        status = line.status;
    }
    if (!status && builder->checks)
        status = rehearse(builder, &line);
    if (!status) {
        dfl_text_bytes(&builder->script, dfl_text_string(&line), line.length);
        status = builder->script.status;
    }
    builder->calls += !status;
    dfl_text_clear(&line);
    return status;
}

dfl_status dfl_builder_check_calls(dfl_builder *builder, const dfl_load_options *options)
{
    if (!builder)
        return DFL_INVALID;
    const dfl_script_options from = dfl_script_options_of(options);
    dfl_status status = dfl_check_load(builder->ctx, &from);
    if (status)
        return status;
    dfl_rehearsal_free(builder->rehearsal);
    builder->rehearsal = NULL;
    free_options(builder);
    status = copy_options(builder, &from);
    builder->checks = !status;
    return status ? status : rehearse(builder, NULL);
}

const char *dfl_builder_script(const dfl_builder *builder)
{
    return builder ? dfl_text_string(&builder->script) : NULL;
}

dfl_status dfl_builder_load(dfl_model **out, const dfl_builder *builder,
                            const dfl_load_options *options)
{
    if (!builder)
        return DFL_INVALID;
    return dfl_model_load_text(out, builder->ctx, builder->name, dfl_text_string(&builder->script),
                               builder->script.length, options);
}

dfl_status dfl_language_names(char **out, dfl_context *ctx)
{
    dfl_text names = {.ctx = ctx};
    const dfl_status status = ctx && out ? dfl_script_names(&names, ctx) : DFL_INVALID;
    if (!out)
        return status;
    *out = status ? NULL : dfl_copy_string(ctx, dfl_text_string(&names));
    dfl_text_clear(&names);
    return status || *out ? status : DFL_NO_MEMORY;
}

/* ------------------------------------------------------------------------------- rehearsal */

static dfl_status copy_options(dfl_builder *builder, const dfl_script_options *from)
{
    const int nset = from->nset, ninput = from->ninput;
    builder->texts = dfl_alloc(builder->ctx, (size_t)(nset + ninput) + 2, sizeof *builder->texts);
    builder->options = (dfl_script_options){
        .prefix = "", .unlimited = from->unlimited, .allow_fmu = from->allow_fmu, .goals = true};
    if (!builder->texts)
        return DFL_NO_MEMORY;
    for (int i = 0; i < nset + ninput; i++) {
        builder->texts[i] =
            dfl_copy_string(builder->ctx, i < nset ? from->set[i] : from->input[i - nset]);
        if (!builder->texts[i])
            return DFL_NO_MEMORY;
    }
    char *prefix = dfl_copy_string(builder->ctx, from->prefix);
    if (!prefix)
        return DFL_NO_MEMORY;
    builder->texts[nset + ninput] = prefix;
    builder->options.prefix = prefix;
    builder->options.nset = nset;
    builder->options.set = (const char *const *)builder->texts;
    builder->options.ninput = ninput;
    builder->options.input = (const char *const *)builder->texts + nset;
    return DFL_OK;
}

static void free_options(dfl_builder *builder)
{
    for (char **text = builder->texts; text && *text; text++)
        dfl_free(builder->ctx, *text);
    dfl_free(builder->ctx, builder->texts);
    builder->texts = NULL;
}

/* Makes a call (NULL: none) after all others, which are repeated after a failure has left its
   traces. */
static dfl_status rehearse(dfl_builder *builder, const dfl_text *line)
{
    dfl_status status = DFL_OK;
    if (!builder->rehearsal) {
        status = dfl_rehearsal_create(&builder->rehearsal, builder->ctx, builder->name,
                                      &builder->options);
        if (!status)
            status = dfl_rehearsal_run(builder->rehearsal, dfl_text_string(&builder->script),
                                       builder->script.length);
    }
    if (!status && line)
        status = dfl_rehearsal_run(builder->rehearsal, dfl_text_string(line), line->length);
    if (status) {
        dfl_rehearsal_free(builder->rehearsal);
        builder->rehearsal = NULL;
    }
    return status;
}

/* ------------------------------------------------------------------------------- checks */

static dfl_status wrong(const dfl_builder *builder, const char *what, const char *text)
{
    return dfl_fail(builder->ctx, DFL_INVALID, "%s:%d: %s%s%s%s", builder->name, builder->calls + 1,
                    what, *text ? ": '" : "", text, *text ? "'" : "");
}

/* Letters, digits and _, beginning with a letter; where it ends. */
static const char *after_name(const char *at)
{
    if (!isalpha((unsigned char)*at) && *at != '_')
        return NULL;
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    return at;
}

static dfl_status check_result(const dfl_builder *builder, const char *result)
{
    const char *at = result;
    do {
        at += strspn(at, ", ");
        at = after_name(at);
    } while (at && *at == ',');
    return at && !*at ? DFL_OK
                      : wrong(builder, "results are names, separated by commas, not", result);
}

/* draw.point, too */
static dfl_status check_call(const dfl_builder *builder, const char *call)
{
    const char *at = call ? after_name(call) : NULL;
    if (at && *at == '.')
        at = after_name(at + 1);
    return at && !*at ? DFL_OK
                      : wrong(builder, "there is no such call of the language", call ? call : "");
}

/* One line whose brackets are closed, so that it ends where its argument ends. */
static dfl_status check_expression(const dfl_builder *builder, const char *text)
{
    int depth = 0;
    char quote = 0;
    if (!text || !text[strspn(text, " ")])
        return wrong(builder, "an expression is empty", "");
    for (const char *at = text; *at; at++) {
        if (quote && *at == '\\' && at[1])
            at++;
        else if (*at == quote)
            quote = 0;
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (!quote && strchr("([{", *at))
            depth++;
        else if (!quote && strchr(")]}", *at) && --depth < 0)
            return wrong(builder, "an expression closes a bracket that it has not opened", text);
        if (*at == '\n' || *at == '\r' || (!quote && at[0] == '-' && at[1] == '-') ||
            (!quote && at[0] == '[' && (at[1] == '[' || at[1] == '=')))
            return wrong(builder,
                         "an expression is one line, without comments (a - -b has a blank)", text);
    }
    return depth == 0 && !quote
               ? DFL_OK
               : wrong(builder, "an expression leaves a bracket or a quotation open", text);
}

/* ------------------------------------------------------------------------------- arguments */

static dfl_status add_arguments(dfl_text *line, dfl_builder *builder, int count,
                                const dfl_argument *arguments, int depth)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < count; i++) {
        if (i > 0)
            dfl_text_add(line, ", ");
        if (depth == 0 && arguments[i].key)
            return wrong(builder, "only what is inside a table has a key", arguments[i].key);
        status = add_key(line, builder, &arguments[i]);
        if (!status)
            status = add_argument(line, builder, &arguments[i], depth);
    }
    return status;
}

static dfl_status add_key(dfl_text *line, const dfl_builder *builder, const dfl_argument *it)
{
    if (!it->key)
        return DFL_OK;
    const dfl_status status = it->key_is_expression ? check_expression(builder, it->key) : DFL_OK;
    dfl_text_add(line, "[");
    if (it->key_is_expression)
        dfl_text_add(line, "%s", it->key);
    else
        add_quoted(line, it->key);
    dfl_text_add(line, "] = ");
    return status;
}

static dfl_status add_argument(dfl_text *line, dfl_builder *builder, const dfl_argument *it,
                               int depth)
{
    dfl_status status = DFL_OK;
    switch (it->kind) {
    case DFL_ARGUMENT_NUMBER:
        if (!isfinite(it->number))
            return wrong(builder, "a number is not finite", "");
        dfl_text_add(line, it->number < 0 ? "(%.17g)" : "%.17g", it->number);
        return DFL_OK;
    case DFL_ARGUMENT_FLAG:
        dfl_text_add(line, "%s", it->number != 0 ? "true" : "false");
        return DFL_OK;
    case DFL_ARGUMENT_TEXT:
        if (!it->text)
            return wrong(builder, "a text is NULL", "");
        add_quoted(line, it->text);
        return DFL_OK;
    case DFL_ARGUMENT_EXPRESSION:
        status = check_expression(builder, it->text);
        dfl_text_add(line, "%s", status ? "" : it->text);
        return status;
    case DFL_ARGUMENT_TABLE:
        if (depth == DEEPEST_TABLE || it->count < 0 || (it->count > 0 && !it->items))
            return wrong(builder, "a table is too deep, or its items are missing", "");
        dfl_text_add(line, "{");
        status = add_arguments(line, builder, it->count, it->items, depth + 1);
        dfl_text_add(line, "}");
        return status;
    }
    return wrong(builder, "an argument has no such kind", "");
}

static void add_quoted(dfl_text *line, const char *text)
{
    dfl_text_add(line, "\"");
    for (; *text; text++)
        if (isalnum((unsigned char)*text) || (*text != '"' && *text != '\\' && *text >= ' '))
            dfl_text_bytes(line, text, 1);
        else
            dfl_text_add(line, "\\%03d", (unsigned char)*text);
    dfl_text_add(line, "\"");
}
