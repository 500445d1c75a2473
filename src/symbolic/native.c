/* native.c: from tapes to functions: write the source, look it up in the cache or compile it, load.
 */
#define _POSIX_C_SOURCE 200809L
#include "symbolic/native.h"

#include "symbolic/emit.h"
#include "symbolic/native_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every bit is kept: no contraction, and no replacing of pow(x, 2) or pow(2, x) by something else.
 */
#define FLAGS "-std=c17 -O1 -fno-math-errno -ffp-contract=off -fno-builtin-pow -w -fPIC -shared"

/* What math.h would declare. Without any include, the variables CPATH, C_INCLUDE_PATH and the like
   do not change the program. */
static const char declarations[] =
    "double sqrt(double), cbrt(double), exp(double), log(double), sin(double), cos(double),\n"
    "    tan(double), asin(double), acos(double), atan(double), sinh(double), cosh(double),\n"
    "    tanh(double), asinh(double), acosh(double), atanh(double), fabs(double), floor(double),\n"
    "    ceil(double), round(double), trunc(double), erf(double), exp2(double), expm1(double),\n"
    "    log10(double), log1p(double), log2(double), pow(double, double), atan2(double, double),\n"
    "    fmod(double, double), hypot(double, double), fmin(double, double), fmax(double, double);\n"
    "#define INFINITY (1e308 * 10)\n"
    "#define NAN (INFINITY - INFINITY)\n\n";

struct dfl_native {
    dfl_context *ctx;
    void *library;
    dfl_program_fn *function;
    dfl_text cache; /* the folder, empty if there is none */
    char key[33];
};

/* What is to be compiled and where it is looked for. */
typedef struct request {
    dfl_text source, command, cache;
    dfl_text identity; /* of the compiler */
    bool have_cache;
    char key[33];
} request;

static dfl_status make_request(request *out, dfl_context *ctx, const dfl_tape *const *tapes,
                               int ntapes, const dfl_native_options *options);
static void clear_request(request *rq);
static dfl_status write_source(dfl_text *source, const dfl_tape *const *tapes, int ntapes);
static void choose_command(dfl_text *command, const dfl_native_options *options);
static dfl_status open_cached(void **library, dfl_context *ctx, const request *rq);
static dfl_status open_compiled(void **library, dfl_context *ctx, const request *rq);
static dfl_status write_program(dfl_context *ctx, const char *path, const dfl_text *source);
static dfl_status open_program(void **library, dfl_context *ctx, const char *path);
static dfl_status find_functions(dfl_native *native, int ntapes);

dfl_status dfl_native_create(dfl_native **out, dfl_context *ctx, const dfl_tape *const *tapes,
                             int ntapes, const dfl_native_options *options)
{
    request rq = {0};
    *out = NULL;
    dfl_native *native = dfl_alloc(ctx, 1, sizeof *native);
    if (!native)
        return DFL_NO_MEMORY;
    native->ctx = native->cache.ctx = ctx;
    dfl_status status = make_request(&rq, ctx, tapes, ntapes, options);
    if (!status && rq.have_cache)
        status = open_cached(&native->library, ctx, &rq);
    if (!status && !native->library)
        status = open_compiled(&native->library, ctx, &rq);
    if (!status)
        status = find_functions(native, ntapes);
    if (rq.have_cache) {
        native->cache = rq.cache;
        rq.cache = (dfl_text){.ctx = ctx};
        memcpy(native->key, rq.key, sizeof native->key);
    }
    clear_request(&rq);
    if (status)
        dfl_native_free(native);
    else
        *out = native;
    return status;
}

void dfl_native_free(dfl_native *native)
{
    if (!native)
        return;
    if (native->library)
        dlclose(native->library);
    dfl_free(native->ctx, native->function);
    dfl_text_clear(&native->cache);
    dfl_free(native->ctx, native);
}

void dfl_native_reject(dfl_native *native)
{
    if (native->cache.data)
        dfl_cache_remove(native->ctx, native->cache.data, native->key);
}

dfl_program_fn dfl_native_function(const dfl_native *native, int i)
{
    return native->function[i];
}

bool dfl_native_cached(dfl_context *ctx, const dfl_tape *const *tapes, int ntapes,
                       const dfl_native_options *options)
{
    request rq = {0};
    dfl_text path = {.ctx = ctx};
    const bool cached = make_request(&rq, ctx, tapes, ntapes, options) == DFL_OK && rq.have_cache &&
                        dfl_cache_find(&path, rq.cache.data, rq.key, &rq.source);
    dfl_text_clear(&path);
    clear_request(&rq);
    return cached;
}

static dfl_status make_request(request *out, dfl_context *ctx, const dfl_tape *const *tapes,
                               int ntapes, const dfl_native_options *options)
{
    *out = (request){.source.ctx = ctx, .command.ctx = ctx, .cache.ctx = ctx, .identity.ctx = ctx};
    dfl_status status = write_source(&out->source, tapes, ntapes);
    choose_command(&out->command, options);
    out->have_cache = dfl_cache_folder(&out->cache, options ? options->cache : NULL);
    if (!status)
        status = out->command.status ? out->command.status : out->cache.status;
    if (!status)
        status = dfl_compiler_identity(&out->identity, out->command.data);
    if (status)
        return status;
    dfl_hash hash = dfl_hash_add((dfl_hash){0}, out->command.data, out->command.length + 1);
    hash = dfl_hash_add(hash, dfl_text_string(&out->identity), out->identity.length + 1);
    hash = dfl_hash_add(hash, out->source.data, out->source.length);
    snprintf(out->key, sizeof out->key, "%016llx%016llx", (unsigned long long)hash.a,
             (unsigned long long)hash.b);
    return DFL_OK;
}

static void clear_request(request *rq)
{
    dfl_text_clear(&rq->identity);
    dfl_text_clear(&rq->cache);
    dfl_text_clear(&rq->command);
    dfl_text_clear(&rq->source);
}

static dfl_status write_source(dfl_text *source, const dfl_tape *const *tapes, int ntapes)
{
    dfl_text_add(source, "%s", declarations);
    dfl_status status = dfl_emit_c_helpers(source, tapes, ntapes);
    for (int i = 0; i < ntapes && !status; i++) {
        char name[32];
        snprintf(name, sizeof name, "dfl_program_%d", i);
        status = dfl_emit_c(source, tapes[i], &(dfl_emit_options){.name = name});
    }
    return status;
}

static void choose_command(dfl_text *command, const dfl_native_options *options)
{
    const char *compiler = options && options->compiler ? options->compiler : getenv("CC");
    if (!compiler || !compiler[strspn(compiler, " \t")])
        compiler = "cc";
    dfl_text_add(command, "%s " FLAGS, compiler);
}

/* *library stays NULL if the cache has nothing to offer. */
static dfl_status open_cached(void **library, dfl_context *ctx, const request *rq)
{
    dfl_text path = {.ctx = ctx};
    if (dfl_cache_find(&path, rq->cache.data, rq->key, &rq->source))
        *library = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    const dfl_status status = path.status;
    dfl_text_clear(&path);
    return status;
}

/* Compiles in a private folder and loads from there, so that nobody can interfere. Loaded code
   stays when its file is removed. */
static dfl_status open_compiled(void **library, dfl_context *ctx, const request *rq)
{
    dfl_temporary temporary;
    const char *cache = rq->have_cache ? rq->cache.data : NULL;
    dfl_status status = dfl_temporary_create(&temporary, ctx, cache);
    if (!status)
        status = write_program(ctx, temporary.source.data, &rq->source);
    if (!status)
        status = dfl_compile(ctx, rq->command.data, &temporary);
    if (!status)
        status = open_program(library, ctx, temporary.object.data);
    if (!status && cache)
        dfl_cache_publish(ctx, cache, rq->key, &temporary);
    dfl_temporary_remove(&temporary);
    return status;
}

static dfl_status write_program(dfl_context *ctx, const char *path, const dfl_text *source)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *stream = file >= 0 ? fdopen(file, "wb") : NULL;
    bool written = stream && fwrite(source->data, 1, source->length, stream) == source->length;
    if (stream)
        written = fclose(stream) == 0 && written;
    return written ? DFL_OK
                   : dfl_fail(ctx, DFL_INVALID, "cannot write '%s': %s", path, strerror(errno));
}

static dfl_status open_program(void **library, dfl_context *ctx, const char *path)
{
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return *library ? DFL_OK
                    : dfl_fail(ctx, DFL_INVALID, "cannot load compiled code: %s", dlerror());
}

static dfl_status find_functions(dfl_native *native, int ntapes)
{
    native->function = dfl_alloc(native->ctx, (size_t)ntapes, sizeof *native->function);
    if (!native->function)
        return DFL_NO_MEMORY;
    for (int i = 0; i < ntapes; i++) {
        char name[32];
        snprintf(name, sizeof name, "dfl_program_%d", i);
        void *symbol = dlsym(native->library, name);
        if (!symbol)
            return dfl_fail(native->ctx, DFL_INVALID, "compiled code has no function %s", name);
        memcpy(&native->function[i], &symbol, sizeof symbol); /* POSIX: they have one size */
    }
    return DFL_OK;
}
