/* cache.c: compiled code kept in a folder of the user.

   Only what belongs to the user and is writable by nobody else is trusted. Files are made in a
   private folder and renamed, so that others see them whole or not at all. */
#define _POSIX_C_SOURCE 200809L
#include "symbolic/native_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    KEPT = 200,      /* megabytes that stay in the cache */
    FORGOTTEN = 3600 /* seconds after which a temporary folder belongs to nobody */
};

/* The oldest object of a cache, and the bytes of all. */
typedef struct survey {
    double bytes;
    char oldest[64]; /* key, or empty */
    time_t used;
} survey;

static bool is_private(const struct stat *info);
static bool append_choice(dfl_text *path, const char *choice);
static bool make_folders(char *path);
static bool add_trailer(dfl_text *text, const char *object);
static bool append_trailer(dfl_context *ctx, const dfl_temporary *temporary);
static bool rename_into(dfl_context *ctx, const dfl_text *from, const char *cache, const char *key,
                        const char *ending);
static void limit_size(dfl_context *ctx, const char *cache, const char *keep);
static survey look_around(dfl_context *ctx, const char *cache, const char *keep);
static void look_at(survey *s, dfl_context *ctx, const char *cache, const char *name,
                    const char *keep);
static bool remove_file(dfl_context *ctx, const char *folder, const char *name, const char *ending);

dfl_hash dfl_hash_add(dfl_hash hash, const char *bytes, size_t count)
{
    /* FNV-1a (Fowler, Noll, Vo) of 64 bits, twice: with its own offset, and turned after every byte
     */
    uint64_t a = hash.a ^ 0xcbf29ce484222325u, b = hash.b ^ 0x9ae16a3b2f90404fu;
    for (size_t i = 0; i < count; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        a = (a ^ byte) * 0x100000001b3u;
        b = (b ^ byte) * 0x9fb21c651e98df25u;
        b ^= b >> 32;
    }
    return (dfl_hash){a, b};
}

bool dfl_read_file(dfl_text *text, const char *path)
{
    char part[4096];
    struct stat info;
    ssize_t count = -1;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return false;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && is_private(&info))
        while ((count = read(file, part, sizeof part)) > 0)
            dfl_text_bytes(text, part, (size_t)count);
    close(file);
    return count == 0 && !text->status;
}

bool dfl_cache_folder(dfl_text *path, const char *choice)
{
    struct stat info;
    if (!append_choice(path, choice) || path->status || !make_folders(path->data))
        return false;
    return stat(path->data, &info) == 0 && S_ISDIR(info.st_mode) && is_private(&info);
}

bool dfl_cache_find(dfl_text *path, const char *folder, const char *key, const dfl_text *source)
{
    dfl_context *ctx = path->ctx;
    dfl_text file = {.ctx = ctx}, kept = {.ctx = ctx}, trailer = {.ctx = ctx};
    const size_t before = path->length;
    dfl_text_add(path, "%s/%s.so", folder, key);
    dfl_text_add(&file, "%s/%s.c", folder, key);
    bool found = !path->status && !file.status && add_trailer(&trailer, path->data + before) &&
                 dfl_read_file(&kept, file.data);
    found = found && kept.length == source->length + trailer.length &&
            memcmp(kept.data, source->data, source->length) == 0 &&
            memcmp(kept.data + source->length, trailer.data, trailer.length) == 0;
    if (found)
        utimensat(AT_FDCWD, path->data + before, NULL, 0); /* used now */
    if (file.status || kept.status || trailer.status)
        path->status = DFL_NO_MEMORY;
    dfl_text_clear(&trailer);
    dfl_text_clear(&kept);
    dfl_text_clear(&file);
    return found;
}

void dfl_cache_publish(dfl_context *ctx, const char *cache, const char *key,
                       const dfl_temporary *temporary)
{
    if (append_trailer(ctx, temporary) && rename_into(ctx, &temporary->object, cache, key, ".so") &&
        rename_into(ctx, &temporary->source, cache, key, ".c"))
        limit_size(ctx, cache, key);
}

void dfl_cache_remove(dfl_context *ctx, const char *cache, const char *key)
{
    remove_file(ctx, cache, key, ".c");
    remove_file(ctx, cache, key, ".so");
}

static bool is_private(const struct stat *info)
{
    return info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool append_choice(dfl_text *path, const char *choice)
{
    const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (choice && *choice)
        dfl_text_add(path, "%s", choice);
    else if (caches && *caches == '/')
        dfl_text_add(path, "%s/driftless", caches);
    else if (home && *home == '/')
        dfl_text_add(path, "%s/.cache/driftless", home);
    else
        return false;
    return true;
}

/* Makes the folder and those above it, for the user alone. */
static bool make_folders(char *path)
{
    for (char *end = path + 1;; end++) {
        if (*end != '/' && *end != '\0')
            continue;
        const char saved = *end;
        *end = '\0';
        const bool failed = mkdir(path, 0700) != 0 && errno != EEXIST;
        *end = saved;
        if (failed || !saved)
            return !failed;
    }
}

/* The last line of the source, which shows whether the object is whole or damaged. */
static bool add_trailer(dfl_text *text, const char *object)
{
    dfl_text bytes = {.ctx = text->ctx};
    const bool read = dfl_read_file(&bytes, object);
    const dfl_hash hash = dfl_hash_add((dfl_hash){0}, dfl_text_string(&bytes), bytes.length);
    if (read)
        dfl_text_add(text, "/* object: %zu bytes, %016llx%016llx */\n", bytes.length,
                     (unsigned long long)hash.a, (unsigned long long)hash.b);
    if (bytes.status)
        text->status = bytes.status;
    dfl_text_clear(&bytes);
    return read && !text->status;
}

static bool append_trailer(dfl_context *ctx, const dfl_temporary *temporary)
{
    dfl_text trailer = {.ctx = ctx};
    bool done = false;
    if (chmod(temporary->object.data, 0700) == 0 && add_trailer(&trailer, temporary->object.data)) {
        FILE *file = fopen(temporary->source.data, "ab");
        done = file && fwrite(trailer.data, 1, trailer.length, file) == trailer.length;
        if (file)
            done = fclose(file) == 0 && done;
    }
    dfl_text_clear(&trailer);
    return done;
}

static bool rename_into(dfl_context *ctx, const dfl_text *from, const char *cache, const char *key,
                        const char *ending)
{
    dfl_text to = {.ctx = ctx};
    dfl_text_add(&to, "%s/%s%s", cache, key, ending);
    const bool done = !to.status && rename(from->data, to.data) == 0;
    dfl_text_clear(&to);
    return done;
}

/* Removes the oldest objects until the rest fits. */
static void limit_size(dfl_context *ctx, const char *cache, const char *keep)
{
    for (;;) {
        const survey s = look_around(ctx, cache, keep);
        if (s.bytes <= KEPT * 1e6 || !s.oldest[0])
            return;
        remove_file(ctx, cache, s.oldest, ".c");
        if (!remove_file(ctx, cache, s.oldest, ".so"))
            return;
    }
}

static survey look_around(dfl_context *ctx, const char *cache, const char *keep)
{
    survey s = {0};
    DIR *entries = opendir(cache);
    if (!entries)
        return s;
    for (struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            look_at(&s, ctx, cache, entry->d_name, keep);
    closedir(entries);
    return s;
}

/* Counts a file, notes the object that was not used for the longest time, and removes temporary
   folders that a killed process left. */
static void look_at(survey *s, dfl_context *ctx, const char *cache, const char *name,
                    const char *keep)
{
    struct stat info;
    dfl_text path = {.ctx = ctx};
    dfl_text_add(&path, "%s/%s", cache, name);
    const size_t length = strcspn(name, ".");
    if (path.status || lstat(path.data, &info) != 0)
        goto done;
    if (S_ISDIR(info.st_mode)) {
        if (strncmp(name, "tmp-", 4) == 0 && time(NULL) - info.st_mtime > FORGOTTEN)
            dfl_folder_remove(ctx, path.data);
        goto done;
    }
    s->bytes += (double)info.st_size;
    if (strcmp(name + length, ".so") != 0 || length >= sizeof s->oldest ||
        strncmp(name, keep, length) == 0)
        goto done;
    if (!s->oldest[0] || info.st_mtime < s->used) {
        memcpy(s->oldest, name, length);
        s->oldest[length] = '\0';
        s->used = info.st_mtime;
    }
done:
    dfl_text_clear(&path);
}

static bool remove_file(dfl_context *ctx, const char *folder, const char *name, const char *ending)
{
    dfl_text path = {.ctx = ctx};
    dfl_text_add(&path, "%s/%s%s", folder, name, ending);
    const bool done = !path.status && unlink(path.data) == 0;
    dfl_text_clear(&path);
    return done;
}
