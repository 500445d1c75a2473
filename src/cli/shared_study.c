/* shared_study.c: cases for other processes, in chunks that grow while they take little time and
   shrink towards the end of the study; results come back in batches. */
#define _POSIX_C_SOURCE 200809L
#include "cli/shared_study.h"

#include "cli/interrupt.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Kinds of messages. */
enum { HELLO = 1, WANTED, JOBS, RESULTS, LEAVING };

enum { LARGEST_CHUNK = 100000, LARGEST_BATCH = 1 << 22 }; /* cases; bytes */
static const double CHUNK_SECONDS = 0.5, BATCH_SECONDS = 0.2;

/* What the process with the file knows. */
typedef struct master {
    dfl_sweep *sweep;
    const cli_channel *channel;
    dfl_context *ctx;
    char *bytes;
    size_t room;
    int helpers; /* that have not left */
    dfl_status status;
} master;

/* What a helper knows. */
typedef struct helper {
    dfl_sweep *sweep;
    const cli_channel *channel;
    char *bytes, *batch;
    size_t room;
    int most;          /* results in a batch */
    int wanted;        /* jobs that it asks for next */
    bool asked, ended; /* by the process with the file */
    double asked_at, sent_at;
} helper;

static void send(const cli_channel *channel, int to, int tag, const void *bytes, size_t count);
static bool answer(master *it);
static void note(master *it, dfl_status status);
static void hand_out(master *it, int to, int wanted);
static char *make_room(char **bytes, size_t *room, dfl_context *ctx, size_t count);
static void nap(void);
static void work(helper *it, dfl_context *ctx, int threads);
static bool listen(helper *it, dfl_context *ctx);
static void ask(helper *it, int threads);
static void give(helper *it, bool all);
static void leave(const cli_channel *channel, const char *problem);

/* ------------------------------------------------------------------------------- with the file */

dfl_status cli_share(dfl_sweep *sweep, const cli_channel *channel,
                     void (*show)(dfl_sweep *sweep, const cli_arguments *arguments),
                     const cli_arguments *arguments)
{
    dfl_context *ctx = dfl_context_create();
    master it = {.sweep = sweep, .channel = channel, .ctx = ctx, .helpers = channel->size - 1};
    double shown = dfl_clock();
    while (ctx && (it.helpers > 0 || !dfl_sweep_wait(sweep, 0))) {
        if (cli_interrupted())
            dfl_sweep_stop(sweep);
        if (!answer(&it))
            nap();
        if (dfl_clock() - shown > 0.1) {
            show(sweep, arguments);
            shown = dfl_clock();
        }
    }
    if (ctx)
        dfl_free(ctx, it.bytes);
    dfl_context_free(ctx);
    return it.status;
}

/* Answers one message; false: there is none. */
static bool answer(master *it)
{
    const cli_channel *channel = it->channel;
    int from, tag, wanted = 0;
    size_t count;
    if (!channel->peek(&from, &tag, &count))
        return false;
    char *bytes = make_room(&it->bytes, &it->room, it->ctx, count + 1);
    if (!bytes || !channel->read(from, tag, bytes, count)) {
        channel->abort(CLI_FAILURE);
        return false;
    }
    bytes[count] = 0;
    if (tag == HELLO) {
        note(it, dfl_sweep_check_identity(it->sweep, from, bytes, count));
    } else if (tag == WANTED && count == sizeof wanted) {
        memcpy(&wanted, bytes, sizeof wanted);
        hand_out(it, from, wanted);
    } else if (tag == RESULTS) {
        const size_t size = dfl_sweep_result_size(it->sweep);
        note(it, dfl_sweep_store(it->sweep, bytes, (int)(count / size)));
    } else if (tag == LEAVING) {
        it->helpers--;
        dfl_sweep_take_back(it->sweep, from);
        if (bytes[0])
            cli_say("process %d %s", from, bytes);
    }
    return true;
}

/* A failure ends the study. */
static void note(master *it, dfl_status status)
{
    if (!status || it->status)
        return;
    it->status = status;
    dfl_sweep_stop(it->sweep);
}

/* At most half of what is left, shared among all. No jobs: the helper may leave. */
static void hand_out(master *it, int to, int wanted)
{
    const dfl_sweep_progress now = dfl_sweep_so_far(it->sweep);
    const long fair = (now.cases - now.done) / (2L * it->channel->size) + 1;
    const bool over = cli_interrupted() || it->status;
    const int most = over ? 0 : wanted < fair ? wanted : (int)fair;
    const size_t size = dfl_sweep_job_size(it->sweep);
    char *jobs = make_room(&it->bytes, &it->room, it->ctx, size * (size_t)most + 1);
    const int count = jobs ? dfl_sweep_hand_out(jobs, it->sweep, most, to) : 0;
    send(it->channel, to, JOBS, jobs, size * (size_t)count);
}

/* Who waits for a message that cannot be sent waits for ever. */
static void send(const cli_channel *channel, int to, int tag, const void *bytes, size_t count)
{
    if (!channel->send(channel, to, tag, bytes, count))
        channel->abort(CLI_FAILURE);
}

static char *make_room(char **bytes, size_t *room, dfl_context *ctx, size_t count)
{
    if (count <= *room)
        return *bytes;
    dfl_free(ctx, *bytes);
    *bytes = dfl_alloc(ctx, 2 * count, 1);
    *room = *bytes ? 2 * count : 0;
    return *bytes;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

/* ------------------------------------------------------------------------------- the others */

void cli_help(dfl_sweep *sweep, const cli_channel *channel, int threads, const char *problem)
{
    dfl_context *ctx = dfl_context_create();
    helper it = {.sweep = sweep, .channel = channel, .wanted = threads};
    const size_t size = sweep ? dfl_sweep_result_size(sweep) : 1;
    it.most = size < LARGEST_BATCH ? (int)(LARGEST_BATCH / size) : 1;
    it.batch = ctx && !problem ? dfl_alloc(ctx, (size_t)it.most, size) : NULL;
    if (!problem && !it.batch)
        problem = "no memory";
    if (!problem && dfl_sweep_start(sweep, threads))
        problem = "no thread can be started";
    if (!problem)
        work(&it, ctx, threads);
    leave(channel, problem);
    if (ctx) {
        dfl_free(ctx, it.bytes);
        dfl_free(ctx, it.batch);
    }
    dfl_context_free(ctx);
}

/* Until its threads have ended, because there are no more cases or because it is interrupted, and
   nobody sends it cases any more: those that it has not run are taken back. */
static void work(helper *it, dfl_context *ctx, int threads)
{
    char identity[DFL_SWEEP_IDENTITY];
    dfl_sweep_identity(identity, it->sweep);
    send(it->channel, 0, HELLO, identity, sizeof identity);
    bool over = false;
    while (!over || it->asked) {
        if (cli_interrupted())
            dfl_sweep_stop(it->sweep);
        over = dfl_sweep_wait(it->sweep, 0);
        if (!over && !cli_interrupted())
            ask(it, threads);
        if (!listen(it, ctx))
            nap();
        give(it, false);
    }
    give(it, true);
}

static void leave(const cli_channel *channel, const char *problem)
{
    char text[1000] = "";
    if (problem)
        snprintf(text, sizeof text, "cannot help: %s", problem);
    else if (cli_interrupted())
        snprintf(text, sizeof text, "was interrupted; others do its cases");
    send(channel, 0, LEAVING, text, strlen(text));
}

/* Asks for more while its threads have half of the last cases before them: the answer may take a
   while. */
static void ask(helper *it, int threads)
{
    if (it->asked || it->ended || dfl_sweep_waiting(it->sweep) > threads + it->wanted / 2)
        return;
    const double now = dfl_clock();
    if (it->asked_at > 0 && now - it->asked_at < CHUNK_SECONDS / 2)
        it->wanted = it->wanted < LARGEST_CHUNK ? 2 * it->wanted : LARGEST_CHUNK;
    else if (it->asked_at > 0 && now - it->asked_at > 2 * CHUNK_SECONDS)
        it->wanted = it->wanted > 2 * threads ? it->wanted / 2 : threads;
    it->asked_at = now;
    send(it->channel, 0, WANTED, &it->wanted, sizeof it->wanted);
    it->asked = true;
}

static bool listen(helper *it, dfl_context *ctx)
{
    int from, tag;
    size_t count;
    if (!it->channel->peek(&from, &tag, &count))
        return false;
    char *jobs = make_room(&it->bytes, &it->room, ctx, count + 1);
    const size_t size = dfl_sweep_job_size(it->sweep);
    if (!jobs || !it->channel->read(from, tag, jobs, count) ||
        dfl_sweep_add_jobs(it->sweep, jobs, (int)(count / size)))
        it->channel->abort(CLI_FAILURE);
    it->asked = false;
    it->ended = count == 0;
    return true;
}

/* Results in batches; `all`: at once. */
static void give(helper *it, bool all)
{
    const double now = dfl_clock();
    if (!all && now - it->sent_at < BATCH_SECONDS)
        return;
    it->sent_at = now;
    const size_t size = dfl_sweep_result_size(it->sweep);
    int count;
    while ((count = dfl_sweep_collect(it->batch, it->sweep, it->most)) > 0)
        send(it->channel, 0, RESULTS, it->batch, size * (size_t)count);
}
