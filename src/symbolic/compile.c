/* compile.c: one run of the system's C compiler, without a shell. */
#define _POSIX_C_SOURCE 200809L
#include "symbolic/native_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum {
    LONGEST_NAP = 16, /* ms between two looks at the compiler */
    EXTRA = 5,        /* words after the command: -o object source -lm, and the end */
    SHOWN = 600       /* characters of the compiler's messages in ours */
};

static dfl_status run(dfl_context *ctx, char *const *word, const char *messages);
static bool wait_for(int *ended, dfl_context *ctx, pid_t child);
static int spawn(pid_t *child, char *const *word, const char *messages, const sigset_t *mask);
static dfl_status explain(dfl_context *ctx, const char *compiler, int ended, const char *messages);

dfl_status dfl_compile(dfl_context *ctx, const char *command, const dfl_temporary *files)
{
    dfl_status status = DFL_NO_MEMORY;
    char *copy = dfl_copy_string(ctx, command);
    char **word = dfl_alloc(ctx, strlen(command) + EXTRA, sizeof *word);
    if (copy && word) {
        int n = dfl_split_words(word, copy);
        word[n++] = "-o";
        word[n++] = files->object.data;
        word[n++] = files->source.data;
        word[n] = "-lm";
        status = run(ctx, word, files->messages.data);
    }
    dfl_free(ctx, word);
    dfl_free(ctx, copy);
    return status;
}

static dfl_status run(dfl_context *ctx, char *const *word, const char *messages)
{
    pid_t child = 0;
    sigset_t all, usual;
    int leftover = -1;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &usual); /* until a signal knows what to end */
    const int error = spawn(&child, word, messages, &usual);
    if (!error)
        leftover = dfl_leftover_processes(ctx, child);
    pthread_sigmask(SIG_SETMASK, &usual, NULL);
    if (error)
        return dfl_fail(ctx, DFL_INVALID, "cannot run the C compiler '%s': %s; install %s", word[0],
                        strerror(error),
                        strstr(word[0], "mingw") ? "it (mingw-w64)"
                                                 : "one or name it in the environment variable CC");
    int ended = 0;
    const bool done = wait_for(&ended, ctx, child);
    dfl_leftover_drop(ctx, leftover);
    if (!done)
        return dfl_fail(ctx, DFL_STOPPED, "interrupted while compiling");
    return ended == 0 ? DFL_OK : explain(ctx, word[0], ended, messages);
}

/* False: interrupted, and the compiler has been ended. If someone else collects the children of
   this process, the object decides. */
static bool wait_for(int *ended, dfl_context *ctx, pid_t child)
{
    for (int nap = 1;; nap = nap < LONGEST_NAP ? 2 * nap : nap) {
        const pid_t who = waitpid(child, ended, WNOHANG);
        if (who != 0 && !(who < 0 && errno == EINTR)) {
            *ended = who < 0 ? 0 : *ended;
            return true;
        }
        if (dfl_interrupted(ctx)) {
            dfl_end_processes(child);
            return false;
        }
        poll(NULL, 0, nap);
    }
}

/* Starts the compiler in its own group of processes, with nothing to read and its messages in a
   file; returns an errno. */
static int spawn(pid_t *child, char *const *word, const char *messages, const sigset_t *mask)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, 1, messages,
                                                 O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (!error)
        error = posix_spawnp(child, word[0], &actions, &attributes, word, environ);
    posix_spawnattr_destroy(&attributes);
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
