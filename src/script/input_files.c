/* input_files.c: inputs that follow columns of files: NAME=FILE.csv:COLUMN, then :hold or :cubic;
   without them linear. The points of the table are instants that steps end at, like those of
   `signal`. */
#include "script/input_files.h"

#include "script/lookup.h"
#include "script/model_file.h"
#include "script/separated_values.h"
#include "script/symbol.h"
#include "script/language.h"

#include <lauxlib.h>
#include <string.h>

enum { LONGEST = 1000 };

/* The parts of an assignment. */
typedef struct assignment {
    char name[LONGEST], file[LONGEST], column[LONGEST];
    dfl_table_kind kind;
    bool hold;
} assignment;

static bool read_assignment(assignment *out, const char *text);
static bool cut_ending(char *text, const char *ending);
static const char *read_text(lua_State *L, const char *file);
static int double_points(double *time, double *value, int n);
static void push_function(lua_State *L, const assignment *from);

bool dfl_input_file(dfl_expr *out, lua_State *L, const char *name)
{
    dfl_script *script = dfl_script_of(L);
    assignment from;
    int found = -1;
    for (int i = 0; i < script->options.ninput; i++)
        if (read_assignment(&from, script->options.input[i]) && !strcmp(from.name, name))
            found = i;
    if (found < 0)
        return false;
    for (int i = 0; i < script->nset; i++)
        if (script->set[i].text && !strcmp(script->set[i].name, name))
            dfl_script_error(L, "input '%s' has a value and a file; give %sset or %sinput", name,
                             script->options.prefix, script->options.prefix);
    read_assignment(&from, script->options.input[found]);
    push_function(L, &from);
    dfl_symbol_push(L, dfl_symbol_expr(script->model->graph, DFL_SYM_TIME, 0, "time"));
    lua_call(L, 1, 1);
    *out = *(const dfl_expr *)luaL_checkudata(L, -1, DFL_SYMBOL);
    dfl_script_check(L, dfl_model_note(script->model,
                                       lua_pushfstring(L, "input '%s' follows column '%s' of '%s'",
                                                       name, from.column, from.file)));
    return true;
}

dfl_status dfl_input_files_check(const dfl_script *script, bool has_run)
{
    const char *prefix = script->options.prefix;
    for (int i = 0; i < script->options.ninput; i++) {
        const char *text = script->options.input[i];
        assignment from;
        if (!read_assignment(&from, text))
            return dfl_fail(script->ctx, DFL_INVALID,
                            "%sinput %s: write %sinput NAME=FILE.csv:COLUMN, and :hold or :cubic "
                            "behind it",
                            prefix, text, prefix);
        const char *kind = strstr(from.file, ".csv:");
        if (kind)
            return dfl_fail(script->ctx, DFL_INVALID,
                            "%sinput %s: '%s' is no kind of interpolation; write :hold, :cubic or "
                            ":linear behind the column '%s'",
                            prefix, text, from.column, kind + 5);
        const dfl_declaration *decl = has_run ? dfl_model_find(script->model, from.name) : NULL;
        if (has_run && (!decl || decl->kind != DFL_AN_INPUT)) {
            const char *nearest = dfl_model_nearest(script->model, from.name, 1U << DFL_AN_INPUT);
            return dfl_fail(script->ctx, DFL_INVALID, "%sinput %s: %s has no input '%s'%s%s%s",
                            prefix, text, script->model->path, from.name,
                            nearest ? "; did you mean '" : "", nearest ? nearest : "",
                            nearest ? "'?" : "");
        }
    }
    return DFL_OK;
}

static bool read_assignment(assignment *out, const char *text)
{
    const char *equal = strchr(text, '=');
    if (!equal || equal == text || strlen(text) >= LONGEST)
        return false;
    memcpy(out->name, text, (size_t)(equal - text));
    out->name[equal - text] = 0;
    strcpy(out->file, equal + 1);
    out->hold = cut_ending(out->file, ":hold");
    const bool cubic = !out->hold && cut_ending(out->file, ":cubic");
    if (!out->hold && !cubic)
        cut_ending(out->file, ":linear");
    out->kind = cubic ? DFL_TABLE_CUBIC : DFL_TABLE_LINEAR;
    char *colon = strrchr(out->file, ':');
    if (!colon || colon == out->file || !colon[1])
        return false;
    strcpy(out->column, colon + 1);
    *colon = 0;
    return true;
}

static bool cut_ending(char *text, const char *ending)
{
    if (!dfl_ends_with(text, ending))
        return false;
    text[strlen(text) - strlen(ending)] = 0;
    return strchr(text, ':') != NULL;
}

/* Pushes the function through the points of the file. */
static void push_function(lua_State *L, const assignment *from)
{
    dfl_script *script = dfl_script_of(L);
    int n = 0;
    const dfl_csv csv = {.file = from->file,
                         .text = read_text(L, from->file),
                         .column = from->column,
                         .jumps = from->kind == DFL_TABLE_LINEAR && !from->hold};
    const size_t room = 2 * dfl_csv_rows(csv.text);
    double *time = lua_newuserdatauv(L, 2 * room * sizeof *time, 0), *value = time + room;
    dfl_script_check(L, dfl_csv_read(time, value, &n, script->ctx, &csv));
    if (from->hold)
        n = double_points(time, value, n);
    dfl_expr *y = lua_newuserdatauv(L, (size_t)n * sizeof *y, 0);
    for (int i = 0; i < n; i++)
        y[i] = dfl_constant(script->model->graph, value[i]);
    const dfl_lookup_options options = {
        .kind = from->kind, .outside = DFL_OUTSIDE_HOLD, .free_ends = true};
    const char *label =
        lua_pushfstring(L, "input '%s', column '%s' of '%s'", from->name, from->column, from->file);
    dfl_lookup_push(L, DFL_SIGNAL, label, time, y, n, &options);
}

/* Each value until the next point, where the table jumps. */
static int double_points(double *time, double *value, int n)
{
    for (int i = n - 1; i > 0; i--) {
        time[2 * i] = time[2 * i - 1] = time[i];
        value[2 * i] = value[i];
        value[2 * i - 1] = value[i - 1];
    }
    return 2 * n - 1;
}

/* The text of the file, which then belongs to the model. */
static const char *read_text(lua_State *L, const char *file)
{
    dfl_script *script = dfl_script_of(L);
    const char *known = dfl_model_file_text(script->model, file);
    if (known)
        return known;
    dfl_text *text = &script->scratch;
    dfl_text_clear(text);
    const char *what = lua_pushfstring(L, "%sinput", script->options.prefix);
    dfl_script_check(L, dfl_plain_file_read(text, what, file));
    if (strlen(dfl_text_string(text)) != text->length)
        dfl_script_error(L, "%s '%s' contains a zero byte; it is not a text", what, file);
    char *copy = dfl_copy_string(script->ctx, dfl_text_string(text));
    dfl_text_clear(text);
    dfl_script_check(L, copy ? dfl_model_add_file(script->model, file, copy) : DFL_NO_MEMORY);
    lua_pop(L, 1);
    return dfl_model_file_text(script->model, file);
}
