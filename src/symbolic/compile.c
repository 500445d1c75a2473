/* compile.c: one run of the system's C compiler, without a shell. */
#define _POSIX_C_SOURCE 200809L
#include "symbolic/native_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum {
    EXTRA = 5,  /* words after the command: -o object source -lm, and the end */
    SHOWN = 600 /* characters of the compiler's messages in ours */
};

static int split_words(char **word, char *string);
static dfl_status run(dfl_context *ctx, char *const *word, const char *messages);
static int spawn(pid_t *child, char *const *word, const char *messages);
static dfl_status explain(dfl_context *ctx, const char *compiler, int ended, const char *messages);

dfl_status dfl_compile(dfl_context *ctx, const char *command, const char *folder)
{
    dfl_status status = DFL_NO_MEMORY;
    dfl_text source = {.ctx = ctx}, object = {.ctx = ctx}, messages = {.ctx = ctx};
    char *copy = dfl_copy_string(ctx, command);
    char **word = dfl_alloc(ctx, strlen(command) + EXTRA, sizeof *word);
    dfl_text_add(&source, "%s/program.c", folder);
    dfl_text_add(&object, "%s/program.so", folder);
    dfl_text_add(&messages, "%s/messages", folder);
    if (copy && word && !source.status && !object.status && !messages.status) {
        int n = split_words(word, copy);
        word[n++] = "-o";
        word[n++] = object.data;
        word[n++] = source.data;
        word[n] = "-lm";
        status = run(ctx, word, messages.data);
    }
    dfl_text_clear(&messages);
    dfl_text_clear(&object);
    dfl_text_clear(&source);
    dfl_free(ctx, word);
    dfl_free(ctx, copy);
    return status;
}

/* Ends each word within `string` and returns their number. */
static int split_words(char **word, char *string)
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

static dfl_status run(dfl_context *ctx, char *const *word, const char *messages)
{
    pid_t child = 0;
    const int error = spawn(&child, word, messages);
    if (error)
        return dfl_fail(ctx, DFL_INVALID,
                        "cannot run the C compiler '%s': %s; install one or name it in the "
                        "environment variable CC",
                        word[0], strerror(error));
    int ended = 0;
    pid_t who;
    do
        who = waitpid(child, &ended, 0);
    while (who < 0 && errno == EINTR);
    if (who < 0) /* someone else collects the children of this process; the object decides */
        ended = 0;
    return ended == 0 ? DFL_OK : explain(ctx, word[0], ended, messages);
}

/* Starts the compiler with nothing to read and its messages in a file; returns an errno. */
static int spawn(pid_t *child, char *const *word, const char *messages)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, 1, messages,
                                                 O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (!error)
        error = posix_spawnp(child, word[0], &actions, NULL, word, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static dfl_status explain(dfl_context *ctx, const char *compiler, int ended, const char *messages)
{
    if (WIFSIGNALED(ended))
        return dfl_fail(ctx, DFL_INVALID, "the C compiler '%s' was ended by signal %d", compiler,
                        WTERMSIG(ended));
    dfl_text said = {.ctx = ctx};
    dfl_read_file(&said, messages);
    const dfl_status status =
        said.status ? said.status
                    : dfl_fail(ctx, DFL_INVALID,
                               "the C compiler '%s' failed; choose another one in the environment "
                               "variable CC. It said: %.*s",
                               compiler, SHOWN, dfl_text_string(&said));
    dfl_text_clear(&said);
    return status;
}
