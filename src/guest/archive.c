/* archive.c: files of a ZIP archive, stored or deflated. */
#define _POSIX_C_SOURCE 200809L
#include "guest/guest_internal.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { LARGEST = 1 << 30 }; /* bytes of an unpacked file, and of all together */

typedef struct entry {
    const char *name;
    size_t length; /* of the name */
    unsigned method;
    size_t packed, size;
    const unsigned char *data;
} entry;

dfl_status dfl_archive_read(dfl_text *bytes, const char *path)
{
    char part[65536];
    FILE *file = fopen(path, "rb");
    if (!file)
        return dfl_fail(bytes->ctx, DFL_IO, "cannot open '%s': %s", path, strerror(errno));
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
        dfl_text_bytes(bytes, part, n);
    const bool failed = ferror(file) != 0;
    fclose(file);
    return failed ? dfl_fail(bytes->ctx, DFL_IO, "cannot read '%s'", path) : bytes->status;
}

static unsigned two(const unsigned char *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

static size_t four(const unsigned char *at)
{
    return two(at) | (size_t)two(at + 2) << 16;
}

static dfl_status damaged(const dfl_text *archive)
{
    return dfl_fail(archive->ctx, DFL_INVALID, "the file is no FMU: its ZIP archive is damaged");
}

/* Where the directory begins and how many entries it has, from the record at the end. */
static bool find_directory(size_t *at, unsigned *count, const dfl_text *archive)
{
    const unsigned char *bytes = (const unsigned char *)archive->data;
    for (size_t back = 22; back <= archive->length && back < 22 + 65536; back++) {
        const unsigned char *end = bytes + archive->length - back;
        if (!memcmp(end, "PK\5\6", 4)) {
            *count = two(end + 10);
            *at = four(end + 16);
            return true;
        }
    }
    return false;
}

/* The entry at *at of the directory; *at moves on. */
static bool next_entry(entry *out, size_t *at, const dfl_text *archive)
{
    const unsigned char *bytes = (const unsigned char *)archive->data, *e = bytes + *at;
    if (*at + 46 > archive->length || memcmp(e, "PK\1\2", 4))
        return false;
    const size_t local = four(e + 42);
    *out = (entry){.name = (const char *)e + 46,
                   .length = two(e + 28),
                   .method = two(e + 10),
                   .packed = four(e + 20),
                   .size = four(e + 24)};
    *at += 46 + out->length + two(e + 30) + two(e + 32);
    if (*at > archive->length || local + 30 > archive->length || out->size > LARGEST)
        return false;
    const size_t begin = local + 30 + two(bytes + local + 26) + two(bytes + local + 28);
    out->data = bytes + begin;
    return begin <= archive->length && out->packed <= archive->length - begin;
}

static dfl_status unpack(dfl_text *out, const dfl_text *archive, const entry *item)
{
    if (item->method == 0 && item->packed == item->size) {
        dfl_text_bytes(out, (const char *)item->data, item->size);
        return out->status;
    }
    z_stream stream = {.next_in = (Bytef *)item->data, .avail_in = (uInt)item->packed};
    if (item->method != 8 || inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return damaged(archive);
    unsigned char part[65536];
    size_t total = 0;
    int state = Z_OK;
    while (state == Z_OK && total <= item->size) {
        stream.next_out = part;
        stream.avail_out = sizeof part;
        state = inflate(&stream, Z_NO_FLUSH);
        total += sizeof part - stream.avail_out;
        dfl_text_bytes(out, (const char *)part, sizeof part - stream.avail_out);
    }
    inflateEnd(&stream);
    return state != Z_STREAM_END || total != item->size ? damaged(archive) : out->status;
}

dfl_status dfl_archive_file(dfl_text *out, const dfl_text *archive, const char *name)
{
    size_t at = 0;
    unsigned count = 0;
    entry item;
    if (!find_directory(&at, &count, archive))
        return damaged(archive);
    for (unsigned i = 0; i < count; i++) {
        if (!next_entry(&item, &at, archive))
            return damaged(archive);
        if (item.length == strlen(name) && !memcmp(item.name, name, item.length))
            return unpack(out, archive, &item);
    }
    return dfl_fail(archive->ctx, DFL_INVALID, "there is no '%s' in the FMU", name);
}

/* A name that leads out of the folder, or is longer than any. */
static bool is_outside(const char *name)
{
    return name[0] == '/' || strstr(name, "..") || strchr(name, '\\') || strlen(name) > 400;
}

static dfl_status write_file(const dfl_text *bytes, char *path, size_t folder)
{
    for (char *slash = strchr(path + folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700); /* it may be there */
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    const bool written =
        file && fwrite(dfl_text_string(bytes), 1, bytes->length, file) == bytes->length;
    if (file && fclose(file) == 0 && written)
        return DFL_OK;
    return dfl_fail(bytes->ctx, DFL_IO, "cannot write '%s': %s", path, strerror(errno));
}

dfl_status dfl_archive_unpack(const dfl_text *archive, const char *prefix, const char *folder)
{
    size_t at = 0, total = 0;
    unsigned count = 0;
    entry item;
    dfl_status status = find_directory(&at, &count, archive) ? DFL_OK : damaged(archive);
    for (unsigned i = 0; !status && i < count; i++) {
        dfl_text bytes = {.ctx = archive->ctx}, path = {.ctx = archive->ctx};
        if (!next_entry(&item, &at, archive))
            return damaged(archive);
        if (item.length < strlen(prefix) || memcmp(item.name, prefix, strlen(prefix)) ||
            item.name[item.length - 1] == '/')
            continue;
        dfl_text_add(&path, "%s/", folder);
        const size_t length = path.length;
        dfl_text_bytes(&path, item.name, item.length);
        status = path.status;
        total += item.size;
        if (!status && is_outside(path.data + length))
            status = damaged(archive);
        if (!status && total > LARGEST)
            status = dfl_fail(archive->ctx, DFL_INVALID,
                              "the files of the FMU have more than 1 GiB together");
        if (!status)
            status = unpack(&bytes, archive, &item);
        if (!status)
            status = write_file(&bytes, path.data, length - 1);
        dfl_text_clear(&bytes);
        dfl_text_clear(&path);
    }
    return status;
}
