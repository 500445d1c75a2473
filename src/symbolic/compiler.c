/* compiler.c: which compiler a command starts. */
#define _POSIX_C_SOURCE 200809L
#include "symbolic/native_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* They lead compilers to other programs, libraries or options. */
static const char *const variables[] = {"COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH",
                                        "CCC_OVERRIDE_OPTIONS"};

static void add_program(dfl_text *text, const char *word);
static bool add_file(dfl_text *text, const char *path);

dfl_status dfl_compiler_identity(dfl_text *text, const char *command)
{
    dfl_context *ctx = text->ctx;
    char *copy = dfl_copy_string(ctx, command);
    char **word = dfl_alloc(ctx, strlen(command) + 1, sizeof *word);
    const int count = copy && word ? dfl_split_words(word, copy) : 0;
    for (int i = 0; i < count; i++)
        if (*word[i] != '-')
            add_program(text, word[i]);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        dfl_text_add(text, "%s\n", getenv(variables[i]) ? getenv(variables[i]) : "");
    const bool memory = copy && word && !text->status;
    dfl_free(ctx, word);
    dfl_free(ctx, copy);
    return memory ? DFL_OK : DFL_NO_MEMORY;
}

int dfl_split_words(char **word, char *string)
{
    int n = 0;
    for (char *at = string; *(at += strspn(at, " \t"));) {
        word[n++] = at;
        at += strcspn(at, " \t");
        if (*at)
            *at++ = '\0';
    }
    return n;
}

/* A program is looked for as the system does it. */
static void add_program(dfl_text *text, const char *word)
{
    const char *folders = getenv("PATH");
    if (strchr(word, '/')) {
        add_file(text, word);
        return;
    }
    for (const char *at = folders; at && *at;) {
        const size_t length = strcspn(at, ":");
        dfl_text path = {.ctx = text->ctx};
        dfl_text_bytes(&path, at, length);
        dfl_text_add(&path, "%s%s", length > 0 ? "/" : "./", word);
        const bool found = !path.status && add_file(text, path.data);
        if (path.status)
            text->status = path.status;
        dfl_text_clear(&path);
        if (found)
            return;
        at += length + (at[length] == ':');
    }
}

/* The file behind all links, and what changes when it is replaced. */
static bool add_file(dfl_text *text, const char *path)
{
    struct stat info;
    if (stat(path, &info) || !S_ISREG(info.st_mode) || access(path, X_OK))
        return false;
    dfl_text_add(text, "%s %llu %llu %lld %lld.%09ld\n", path, (unsigned long long)info.st_dev,
                 (unsigned long long)info.st_ino, (long long)info.st_size,
                 (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    return true;
}
