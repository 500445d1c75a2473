/* fmu_export.c: an FMU: description, binary, sources and documentation in one ZIP archive.

   The binaries are the model's source with the solver and the functions of the standard. The
   sources are the same in two files. */
#include "export/fmu_internal.h"

#include "export/zip_writer.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static dfl_status check(const dfl_fmu_writer *w);
static dfl_status find_hash(dfl_fmu_writer *w, const dfl_text *model);
static dfl_status add_binaries(dfl_zip *zip, const dfl_fmu_writer *w, const dfl_text *source);
static void add_files(dfl_zip *zip, const dfl_fmu_writer *w, const dfl_text *source);
static void make_identifier(char *out, size_t size, const char *name);

dfl_status dfl_export_fmu(dfl_text *bytes, dfl_runnable *run, const dfl_fmu_options *options)
{
    const dfl_equations *eq = dfl_runnable_equations(run);
    dfl_context *ctx = dfl_runnable_context(run);
    dfl_fmu_writer w = {.run = run, .eq = eq, .options = options};
    dfl_text model = {.ctx = ctx}, source = {.ctx = ctx};
    dfl_zip zip = {.bytes.ctx = ctx, .directory.ctx = ctx};
    const int *count = eq->model->count;
    w.counts = (dfl_reference_counts){count[DFL_A_PARAM], count[DFL_AN_INPUT], count[DFL_AN_OUTPUT],
                                      eq->n, dfl_runnable_functions(run) + count[DFL_AN_EVENT]};
    w.exchange = options->exchange;
    make_identifier(w.identifier, sizeof w.identifier, eq->model->name);
    dfl_status status = check(&w);
    if (!status)
        status = dfl_fmu_source(&model, &w);
    if (!status)
        status = find_hash(&w, &model);
    if (!status) {
        dfl_text_add(&source, "#define MODEL_HASH \"%s\"\n", w.hash);
        dfl_text_bytes(&source, dfl_text_string(&model), model.length);
        status = source.status;
    }
    if (!status)
        status = add_binaries(&zip, &w, &source);
    if (!status) {
        add_files(&zip, &w, &source);
        status = zip.bytes.status;
    }
    if (!status)
        dfl_text_bytes(bytes, dfl_text_string(&zip.bytes), zip.bytes.length);
    dfl_text_clear(&zip.bytes);
    dfl_text_clear(&zip.directory);
    dfl_text_clear(&source);
    dfl_text_clear(&model);
    return status ? status : bytes->status;
}

static dfl_status check(const dfl_fmu_writer *w)
{
    dfl_context *ctx = dfl_runnable_context(w->run);
    if (w->eq->n == 0)
        return dfl_fail(ctx, DFL_INVALID, "the model has no unknowns: there is nothing to export");
    return DFL_OK;
}

/* FNV-1a of everything that is exported, twice. */
static dfl_status find_hash(dfl_fmu_writer *w, const dfl_text *model)
{
    uint64_t a = 0xcbf29ce484222325u, b = 0x84222325cbf29ce4u;
    dfl_text all = {.ctx = model->ctx};
    dfl_text_bytes(&all, dfl_text_string(model), model->length);
    dfl_text_add(&all, "%d %d %d " DFL_VERSION, w->options->version, w->options->exchange,
                 w->options->cosimulation);
    for (size_t i = 0; i < all.length; i++) {
        a = (a ^ (unsigned char)all.data[i]) * 0x100000001b3u;
        b = (b ^ (unsigned char)all.data[i]) * 0x100000001b3u + (a >> 7);
    }
    snprintf(w->hash, sizeof w->hash, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(a >> 32),
             (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xffff), (unsigned)(b >> 48),
             (unsigned long long)(b & 0xffffffffffffu));
    const dfl_status status = all.status;
    dfl_text_clear(&all);
    return status;
}

/* ------------------------------------------------------------------------------- contents */

static const char *platform(int version)
{
#if defined(__x86_64__) && defined(__linux__)
    return version == 3 ? "x86_64-linux" : "linux64";
#elif defined(__aarch64__) && defined(__linux__)
    return version == 3 ? "aarch64-linux" : "linux-aarch64";
#else
    return version == 3 ? "unknown" : "unknown";
#endif
}

static void add_text(dfl_zip *zip, const char *name, const dfl_text *text)
{
    if (text->status)
        zip->bytes.status = text->status;
    else
        dfl_zip_add(zip, name, dfl_text_string(text), text->length);
}

/* For this machine, and for Windows if that is wanted. */
static dfl_status add_binaries(dfl_zip *zip, const dfl_fmu_writer *w, const dfl_text *source)
{
    char name[160];
    dfl_text binary = {.ctx = source->ctx}, windows = {.ctx = source->ctx};
    const int version = w->options->version;
    dfl_status status = dfl_fmu_build(&binary, w, source);
    if (!status) {
        snprintf(name, sizeof name, "binaries/%s/%s.so", platform(version), w->identifier);
        add_text(zip, name, &binary);
    }
    if (!status && w->options->windows) {
        status = dfl_fmu_build_windows(&windows, w, source);
        snprintf(name, sizeof name, "binaries/%s/%s.dll", version == 3 ? "x86_64-windows" : "win64",
                 w->identifier);
        if (!status)
            add_text(zip, name, &windows);
    }
    dfl_text_clear(&binary);
    dfl_text_clear(&windows);
    return status ? status : zip->bytes.status;
}

static void add_sources(dfl_zip *zip, const dfl_fmu_writer *w, const dfl_text *source)
{
    dfl_text model = {.ctx = source->ctx}, solver = {.ctx = source->ctx};
    dfl_text_add(&model, "/* The model of this FMU. Build the shared library with\n   cc -O2 -fPIC "
                         "-shared model.c solver.c -lm */\n");
    dfl_fmu_program(&model, source);
    add_text(zip, "sources/model.c", &model);
    dfl_fmu_solver(&solver, w->options->version);
    add_text(zip, "sources/solver.c", &solver);
    dfl_text_clear(&model);
    dfl_text_clear(&solver);
    if (w->options->version == 3) {
        dfl_text description = {.ctx = source->ctx};
        dfl_text_add(
            &description,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription "
            "fmiVersion=\"3.0\">\n  <BuildConfiguration modelIdentifier=\"%s\">\n    "
            "<SourceFileSet language=\"C99\">\n      <SourceFile name=\"model.c\"/>\n      "
            "<SourceFile name=\"solver.c\"/>\n    "
            "</SourceFileSet>\n    <Library name=\"m\"/>\n  "
            "</BuildConfiguration>\n</fmiBuildDescription>\n",
            w->identifier);
        add_text(zip, "sources/buildDescription.xml", &description);
        dfl_text_clear(&description);
    }
}

static void add_files(dfl_zip *zip, const dfl_fmu_writer *w, const dfl_text *source)
{
    dfl_text description = {.ctx = source->ctx}, documentation = {.ctx = source->ctx},
             resources = {.ctx = source->ctx};
    dfl_fmu_description(&description, w);
    add_text(zip, "modelDescription.xml", &description);
    dfl_fmu_documentation(&documentation, w);
    add_text(zip, "documentation/index.html", &documentation);
    dfl_zip_add(zip, "documentation/licenses/license.txt", dfl_fmu_license,
                (size_t)(dfl_fmu_license_end - dfl_fmu_license));
    dfl_fmu_resources(&resources, w);
    add_text(zip, "resources/model.json", &resources);
    dfl_text_clear(&resources);
    if (w->options->sources)
        add_sources(zip, w, source);
    dfl_zip_finish(zip);
    dfl_text_clear(&documentation);
    dfl_text_clear(&description);
}

static void make_identifier(char *out, size_t size, const char *name)
{
    size_t n = 0;
    const char *given = name && *name ? name : "model";
    if (!isalpha((unsigned char)given[0]) || (unsigned char)given[0] > 127)
        n = (size_t)snprintf(out, size, "model_");
    for (; *given && n + 1 < size; given++) {
        const unsigned char c = (unsigned char)*given;
        out[n++] = c < 128 && isalnum(c) ? (char)c : '_';
    }
    out[n] = 0;
}
