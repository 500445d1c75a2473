/* channel.c: finds driftless_mpi.so where mpirun has started the program. */
#define _POSIX_C_SOURCE 200809L
#include "cli/channel.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool started_by_mpirun(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE",
                                            "PMI_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return true;
    return false;
}

/* Beside the program, where it was built; or where it was installed. */
static void *load(char *problem, size_t room)
{
    static const char *const places[] = {"", "../lib/driftless/",
                                         "../" DFL_LIBRARY_FOLDER "/driftless/"};
    char program[4000], path[4200];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    char *slash = strrchr(program, '/');
    if (slash)
        slash[1] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%sdriftless_mpi.so", program, places[i]);
        if (access(path, R_OK))
            continue;
        void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (library)
            return library;
        snprintf(problem, room, "MPI cannot be used: %s", dlerror());
        return NULL;
    }
    snprintf(problem, room,
             "this driftless was built without MPI and cannot share a study; build it where MPI is "
             "installed (-DDFL_MPI=ON), or start it without mpirun");
    return NULL;
}

bool cli_channel_find(cli_channel *out, const char **problem)
{
    static char text[500];
    *problem = NULL;
    if (!started_by_mpirun())
        return false;
    void *library = load(text, sizeof text);
    cli_channel_open_fn opened = NULL;
    if (library) {
        void *symbol = dlsym(library, "driftless_channel_open");
        memcpy(&opened, &symbol, sizeof opened); /* ISO C has no such conversion */
        snprintf(text, sizeof text, "MPI cannot be started");
    }
    if (opened && opened(out))
        return out->size > 1;
    *problem = text;
    return false;
}
