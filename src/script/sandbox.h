/* sandbox.h: one script being run: its limits, its errors, and what all calls of the language
   share.

   Everything that may raise a Lua error runs inside the one lua_pcall of script.c. A C function
   called from a script owns nothing: memory lives in Lua, in the model, or in the dfl_script. */
#ifndef DFL_SANDBOX_H
#define DFL_SANDBOX_H

#include "context/context.h"
#include "drawing/drawing.h"
#include "script/script.h"

#include <lua.h>

/* One NAME=VALUE of the command line. */
typedef struct dfl_script_set {
    char *name;
    const char *text; /* as the caller gave it; NULL: by set{} of the script, in this line: */
    int line;
    double value;
    bool used;
} dfl_script_set;

/* Which limit stopped the script. */
typedef enum dfl_script_limit {
    DFL_WITHIN_LIMITS,
    DFL_WITHOUT_MEMORY, /* the computer has no more, within the limit of the script */
    DFL_OVER_MEMORY,
    DFL_OVER_INSTRUCTIONS,
    DFL_OVER_TIME
} dfl_script_limit;

typedef struct dfl_script {
    dfl_context *ctx;
    dfl_model *model;
    dfl_drawing *drawing;       /* bodies and joints; NULL: none */
    dfl_script_options options; /* with the defaults filled in */
    const char *text;           /* of the script, or of the calls that are being made ... */
    size_t length;
    int lines_before;    /* ... and how many lines precede them */
    dfl_script_set *set; /* of set{}, then of the caller: the last one of a name is used */
    int nset, set_room;
    dfl_text scratch;  /* for one call at a time */
    dfl_status status; /* of the call that failed, DFL_OK if Lua itself raised the error */
    dfl_script_limit over;
    size_t memory;       /* bytes that Lua holds */
    double instructions; /* so far */
    lua_State *L;        /* NULL until it is open */
    int interval;        /* instructions between two checks of the limits */
    double started;      /* processor time, s */
    int motion_line;     /* of the first motion(...) that is ignored, or 0 */
} dfl_script;

/* A new state with limits and nothing in it, or NULL. Close it with lua_close. */
lua_State *dfl_sandbox_open(dfl_script *script);

dfl_script *dfl_script_of(lua_State *L);

/* set_values.c: a text NAME=VALUE of the caller; a value that set{} in this line gives; *value by
   this name, if it is set; after the script: DFL_INVALID if a value has no meaning; frees them. */
dfl_status dfl_set_values_read(dfl_script *script, const char *text);
dfl_status dfl_set_values_add(dfl_script *script, int line, const char *name, double value);
bool dfl_set_values_apply(double *value, dfl_script *script, const char *name);
dfl_status dfl_set_values_check(const dfl_script *script);
void dfl_set_values_clear(dfl_script *script);

/* The line of the script that is being run, or 0. */
int dfl_script_line(lua_State *L);

/* Raises an error at that line (formats of lua_pushfstring). Never returns. */
int dfl_script_error(lua_State *L, const char *format, ...);

/* Raises the error of a status that is not DFL_OK. */
void dfl_script_check(lua_State *L, dfl_status status);

/* Counts the work of a C function as this number of instructions, so that the limits apply to it,
   too. */
void dfl_sandbox_charge(lua_State *L, double instructions);

/* The same for a C function that handles this number of bytes. */
void dfl_sandbox_charge_bytes(lua_State *L, size_t bytes);

/* Compiles the text, within the limits, and pushes the function or an error as luaL_loadbuffer
   does.
 */
int dfl_sandbox_compile(lua_State *L, const char *text, size_t length);

/* The name of the chunk in Lua's own messages: "model:12: ..."; script.c puts the path there. */
#define DFL_CHUNK_NAME "model"

#endif
