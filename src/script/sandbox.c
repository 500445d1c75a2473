/* sandbox.c: a Lua state with limits on memory, instructions and processor time.

   Instructions are counted by a hook. The allocator enforces the memory limit, and looks at the
   clock for large blocks and whenever memory is short: when the time is up it gives no more memory.
   A few instructions on huge strings can take long, so the hook comes more often once there is a
   huge block. The compiler runs no instructions: it gets the script in pieces, and each piece looks
   at the clock. */
#define _POSIX_C_SOURCE 200809L
#include "script/sandbox.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

enum {
    HOOK_INTERVAL = 1000,    /* instructions between two checks of the limits, ... */
    SHORT_INTERVAL = 20,     /* ... and when there are huge blocks */
    LARGE_BLOCK = 64 * 1024, /* bytes */
    HUGE_BLOCK = 1024 * 1024,
    PIECE = 256, /* bytes of a script that the compiler gets at once */
    BYTES = 32   /* that a C function handles in the time of an instruction */
};

/* What the compiler has not seen yet. */
typedef struct dfl_piece {
    const char *text;
    size_t length;
} dfl_piece;

static int line_of_text(lua_State *L);
static void *allocate(void *user, void *block, size_t old_size, size_t size);
static bool time_is_up(dfl_script *script);
static double processor_time(void);
static void count_instructions(lua_State *L, lua_Debug *info);
static const char *next_piece(lua_State *L, void *user, size_t *size);

lua_State *dfl_sandbox_open(dfl_script *script)
{
    script->started = processor_time();
    lua_State *L = lua_newstate(allocate, script);
    if (!L)
        return NULL;
    *(dfl_script **)lua_getextraspace(L) = script;
    script->L = L;
    script->interval = HOOK_INTERVAL;
    lua_sethook(L, count_instructions, LUA_MASKCOUNT, HOOK_INTERVAL);
    return L;
}

dfl_script *dfl_script_of(lua_State *L)
{
    return *(dfl_script **)lua_getextraspace(L);
}

int dfl_script_line(lua_State *L)
{
    const int line = line_of_text(L);
    return line > 0 ? line + dfl_script_of(L)->lines_before : 0;
}

/* Within the text that is being run, or 0. */
static int line_of_text(lua_State *L)
{
    lua_Debug info;
    for (int level = 0; lua_getstack(L, level, &info); level++)
        if (lua_getinfo(L, "l", &info) && info.currentline > 0)
            return info.currentline;
    return 0;
}

int dfl_script_error(lua_State *L, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int line = line_of_text(L); /* as in Lua's own messages */
    if (line > 0)
        lua_pushfstring(L, DFL_CHUNK_NAME ":%d: ", line);
    else
        lua_pushstring(L, DFL_CHUNK_NAME ": ");
    lua_pushvfstring(L, format, args);
    va_end(args);
    lua_concat(L, 2);
    return lua_error(L);
}

void dfl_script_check(lua_State *L, dfl_status status)
{
    if (!status)
        return;
    dfl_script *script = dfl_script_of(L);
    script->status = status;
    dfl_script_error(L, "%s", dfl_message(script->ctx));
}

void dfl_sandbox_charge(lua_State *L, double instructions)
{
    dfl_script *script = dfl_script_of(L);
    script->instructions += instructions;
    if (script->instructions > (double)script->options.max_instructions)
        script->over = DFL_OVER_INSTRUCTIONS;
    if (script->over == DFL_OVER_INSTRUCTIONS)
        dfl_script_error(L,
                         "the script has run more than %I instructions; is this an endless loop?",
                         (LUAI_UACINT)script->options.max_instructions);
    if (time_is_up(script))
        dfl_script_error(L, "the script has run longer than %f s; is this an endless loop?",
                         (lua_Number)script->options.max_seconds);
}

void dfl_sandbox_charge_bytes(lua_State *L, size_t bytes)
{
    if (bytes > LARGE_BLOCK / 16)
        dfl_sandbox_charge(L, (double)bytes / BYTES);
}

int dfl_sandbox_compile(lua_State *L, const char *text, size_t length)
{
    dfl_piece rest = {text, length};
    return lua_load(L, next_piece, &rest, "=" DFL_CHUNK_NAME, "t");
}

static void *allocate(void *user, void *block, size_t old_size, size_t size)
{
    dfl_script *script = user;
    const size_t old = block ? old_size : 0; /* for a new block old_size is a kind of object */
    if (size == 0) {
        free(block);
        script->memory -= old;
        return NULL;
    }
    const bool fits = size <= old || size - old <= script->options.max_memory - script->memory;
    if (size > old && (!fits || size > LARGE_BLOCK) && time_is_up(script))
        return NULL;
    void *result = fits ? realloc(block, size) : NULL;
    if (!result) { /* for now: Lua collects garbage and tries again */
        script->over = fits ? DFL_WITHOUT_MEMORY : DFL_OVER_MEMORY;
        return NULL;
    }
    script->memory = script->memory - old + size;
    if (size > HUGE_BLOCK && script->L && script->interval == HOOK_INTERVAL) {
        script->interval = SHORT_INTERVAL;
        lua_sethook(script->L, count_instructions, LUA_MASKCOUNT, SHORT_INTERVAL);
    }
    if (script->over == DFL_OVER_MEMORY || script->over == DFL_WITHOUT_MEMORY)
        script->over = DFL_WITHIN_LIMITS;
    return result;
}

/* Once it is, it stays so. */
static bool time_is_up(dfl_script *script)
{
    if (processor_time() - script->started > script->options.max_seconds)
        script->over = DFL_OVER_TIME;
    return script->over == DFL_OVER_TIME;
}

/* Of this thread, s. */
static double processor_time(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void count_instructions(lua_State *L, lua_Debug *info)
{
    (void)info;
    dfl_sandbox_charge(L, dfl_script_of(L)->interval);
}

static const char *next_piece(lua_State *L, void *user, size_t *size)
{
    dfl_piece *rest = user;
    const char *piece = rest->text;
    dfl_sandbox_charge(L, 0);
    *size = rest->length < PIECE ? rest->length : PIECE;
    rest->text += *size;
    rest->length -= *size;
    return *size > 0 ? piece : NULL;
}
