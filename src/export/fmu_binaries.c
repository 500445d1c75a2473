/* fmu_binaries.c: the shared libraries of an FMU: for this machine by its compiler, with the solver
   from an archive that is part of this program; for Windows by a cross compiler, from the sources.
 */
#include "export/fmu_internal.h"

#include <stdio.h>
#include <string.h>

#define FLAGS "-std=c17 -O2 -fno-math-errno -ffp-contract=off -fno-builtin-pow -w -shared -s "

void dfl_fmu_program(dfl_text *text, const dfl_text *source)
{
    dfl_text_bytes(text, dfl_fmu_header, (size_t)(dfl_fmu_header_end - dfl_fmu_header));
    dfl_text_bytes(text, dfl_text_string(source), source->length);
}

void dfl_fmu_solver(dfl_text *text, int version)
{
    dfl_text_add(text, "#define DFL_FMI %d\n", version);
    dfl_text_bytes(text, dfl_fmu_code, (size_t)(dfl_fmu_code_end - dfl_fmu_code));
}

dfl_status dfl_fmu_build(dfl_text *binary, const dfl_fmu_writer *w, const dfl_text *source)
{
    char map[80], flags[400];
    dfl_text program = {.ctx = binary->ctx};
    const int version = w->options->version;
    snprintf(map, sizeof map, "{ global: fmi%d*; local: *; };\n", version);
    snprintf(flags, sizeof flags,
             FLAGS "-fPIC -Wl,--version-script=@/names.map -Wl,-u,fmi%dGetVersion%s "
                   "-Wl,--gc-sections @/parts.a",
             version, version == 3 ? " -Wl,-u,fmi3GetClock" : "");
    const dfl_build_file files[] = {
        {"names.map", map, strlen(map)},
        {"parts.a", dfl_fmu_archive, (size_t)(dfl_fmu_archive_end - dfl_fmu_archive)}};
    dfl_fmu_program(&program, source);
    dfl_status status = program.status;
    if (!status)
        status = dfl_build_library(
            binary, binary->ctx,
            &(dfl_build){.source = program.data, .flags = flags, .files = files, .nfiles = 2});
    dfl_text_clear(&program);
    return status;
}

dfl_status dfl_fmu_build_windows(dfl_text *binary, const dfl_fmu_writer *w, const dfl_text *source)
{
    dfl_text program = {.ctx = binary->ctx}, solver = {.ctx = binary->ctx};
    dfl_fmu_program(&program, source);
    dfl_fmu_solver(&solver, w->options->version);
    dfl_status status = program.status ? program.status : solver.status;
    if (!status) {
        const dfl_build_file file = {"solver.c", solver.data, solver.length};
        status = dfl_build_library(
            binary, binary->ctx,
            &(dfl_build){.compiler = "x86_64-w64-mingw32-gcc",
                         .source = program.data,
                         .flags = FLAGS "-static-libgcc -Wl,--no-insert-timestamp @/solver.c",
                         .files = &file,
                         .nfiles = 1});
    }
    dfl_text_clear(&program);
    dfl_text_clear(&solver);
    return status;
}
