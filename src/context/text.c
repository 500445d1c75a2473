/* text.c: a text that grows by doubling. */
#include "context/context.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool make_room(dfl_text *text, size_t more);

void dfl_text_add(dfl_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int count = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (count >= 0 && make_room(text, (size_t)count)) {
        vsnprintf(text->data + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    }
    va_end(again);
}

void dfl_text_bytes(dfl_text *text, const char *bytes, size_t count)
{
    if (!make_room(text, count))
        return;
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = 0;
}

const char *dfl_text_string(const dfl_text *text)
{
    return text->data ? text->data : "";
}

void dfl_text_clear(dfl_text *text)
{
    dfl_free(text->ctx, text->data);
    *text = (dfl_text){.ctx = text->ctx};
}

char *dfl_copy_string(dfl_context *ctx, const char *string)
{
    const size_t size = strlen(string) + 1;
    char *copy = dfl_alloc(ctx, size, 1);
    if (copy)
        memcpy(copy, string, size);
    return copy;
}

bool dfl_ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), tail = strlen(ending);
    return length > tail && !strcmp(name + length - tail, ending);
}

/* Room for `more` bytes and the final 0. */
static bool make_room(dfl_text *text, size_t more)
{
    if (text->status)
        return false;
    if (text->length + more < text->room)
        return true;
    const size_t room = 2 * (text->length + more) + 64;
    char *data = dfl_alloc(text->ctx, room, 1);
    if (!data) {
        text->status = DFL_NO_MEMORY;
        return false;
    }
    if (text->data)
        memcpy(data, text->data, text->length);
    dfl_free(text->ctx, text->data);
    text->data = data;
    text->room = room;
    return true;
}
