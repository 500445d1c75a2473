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

struct dfl_native {
    dfl_context *ctx;
    void *library;
    dfl_program_fn *function;
};

/* What is to be compiled and where it is looked for. */
typedef struct request {
    dfl_text source, command, cache;
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
static dfl_status write_program(dfl_context *ctx, const char *folder, const dfl_text *source);
static dfl_status open_program(void **library, dfl_context *ctx, const char *folder);
static dfl_status find_functions(dfl_native *native, int ntapes);

dfl_status dfl_native_create(dfl_native **out, dfl_context *ctx, const dfl_tape *const *tapes,
                             int ntapes, const dfl_native_options *options)
{
    request rq = {0};
    *out = NULL;
    dfl_native *native = dfl_alloc(ctx, 1, sizeof *native);
    if (!native)
        return DFL_NO_MEMORY;
    native->ctx = ctx;
    dfl_status status = make_request(&rq, ctx, tapes, ntapes, options);
    if (!status && rq.have_cache)
        status = open_cached(&native->library, ctx, &rq);
    if (!status && !native->library)
        status = open_compiled(&native->library, ctx, &rq);
    if (!status)
        status = find_functions(native, ntapes);
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
    dfl_free(native->ctx, native);
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
    *out = (request){.source.ctx = ctx, .command.ctx = ctx, .cache.ctx = ctx};
    dfl_status status = write_source(&out->source, tapes, ntapes);
    choose_command(&out->command, options);
    out->have_cache = dfl_cache_folder(&out->cache, options ? options->cache : NULL);
    if (!status)
        status = out->command.status ? out->command.status : out->cache.status;
    if (status)
        return status;
    dfl_hash hash = dfl_hash_add((dfl_hash){0}, out->command.data, out->command.length + 1);
    hash = dfl_hash_add(hash, out->source.data, out->source.length);
    snprintf(out->key, sizeof out->key, "%016llx%016llx", (unsigned long long)hash.a,
             (unsigned long long)hash.b);
    return DFL_OK;
}

static void clear_request(request *rq)
{
    dfl_text_clear(&rq->cache);
    dfl_text_clear(&rq->command);
    dfl_text_clear(&rq->source);
}

static dfl_status write_source(dfl_text *source, const dfl_tape *const *tapes, int ntapes)
{
    dfl_status status = dfl_emit_c_preamble(source, tapes, ntapes);
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
    dfl_text folder = {.ctx = ctx};
    const char *cache = rq->have_cache ? rq->cache.data : NULL;
    dfl_status status = dfl_temporary_create(&folder, cache);
    if (status)
        goto done;
    status = write_program(ctx, folder.data, &rq->source);
    if (!status)
        status = dfl_compile(ctx, rq->command.data, folder.data);
    if (!status)
        status = open_program(library, ctx, folder.data);
    if (!status && cache)
        dfl_cache_publish(ctx, cache, rq->key, folder.data);
    dfl_temporary_remove(ctx, folder.data);
done:
    dfl_text_clear(&folder);
    return status;
}

static dfl_status write_program(dfl_context *ctx, const char *folder, const dfl_text *source)
{
    dfl_text path = {.ctx = ctx};
    dfl_text_add(&path, "%s/program.c", folder);
    dfl_status status = path.status;
    if (!status) {
        const int file = open(path.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        FILE *stream = file >= 0 ? fdopen(file, "wb") : NULL;
        bool written = stream && fwrite(source->data, 1, source->length, stream) == source->length;
        if (stream)
            written = fclose(stream) == 0 && written;
        if (!written)
            status =
                dfl_fail(ctx, DFL_INVALID, "cannot write '%s': %s", path.data, strerror(errno));
    }
    dfl_text_clear(&path);
    return status;
}

static dfl_status open_program(void **library, dfl_context *ctx, const char *folder)
{
    dfl_text path = {.ctx = ctx};
    dfl_text_add(&path, "%s/program.so", folder);
    dfl_status status = path.status;
    if (!status)
        *library = dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    if (!status && !*library)
        status = dfl_fail(ctx, DFL_INVALID, "cannot load compiled code: %s", dlerror());
    dfl_text_clear(&path);
    return status;
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
