/* mesh.c: triangles from STL and OBJ files.

   Only what a picture needs is read: corners and faces. Normals, colours, groups and textures are
   passed over; faces with more than three corners become fans. */
#include "script/mesh.h"

#include "context/context.h"
#include "script/model_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIANGLES = 100000, STL_HEAD = 84, STL_TRIANGLE = 50 };

/* Numbers that grow in number: corners of an OBJ file, or triangles. */
typedef struct numbers {
    dfl_context *ctx;
    float *data;
    size_t count, room;
    bool failed; /* without memory */
} numbers;

static bool is_binary_stl(const dfl_text *text);
static void read_binary_stl(numbers *triangles, const dfl_text *text);
static void read_text_stl(numbers *triangles, const char *text);
static void read_obj(numbers *triangles, const char *text);
static void read_face(numbers *triangles, const numbers *corners, const char *line);
static bool read_three(float three[3], const char *text);
static void append(numbers *list, const float *data, size_t count);
static dfl_status check(const numbers *triangles, const char *file);

dfl_status dfl_mesh_read(float **out, int *count, const dfl_model *model, const char *file)
{
    dfl_context *ctx = model->ctx;
    numbers triangles = {.ctx = ctx};
    dfl_text text = {.ctx = ctx};
    if (!dfl_ends_with(file, ".stl") && !dfl_ends_with(file, ".obj"))
        return dfl_fail(ctx, DFL_INVALID, "mesh '%s': give a file that ends in .stl or .obj", file);
    dfl_status status = dfl_model_file_read(&text, model, "mesh", file);
    if (!status) {
        if (dfl_ends_with(file, ".obj"))
            read_obj(&triangles, dfl_text_string(&text));
        else if (is_binary_stl(&text))
            read_binary_stl(&triangles, &text);
        else
            read_text_stl(&triangles, dfl_text_string(&text));
        status = check(&triangles, file);
    }
    dfl_text_clear(&text);
    if (status) {
        dfl_free(ctx, triangles.data);
        return status;
    }
    *out = triangles.data;
    *count = (int)(triangles.count / 9);
    return DFL_OK;
}

/* 80 bytes of any text, the number of triangles, then 50 bytes each: the length shows the
   format. */
static bool is_binary_stl(const dfl_text *text)
{
    if (text->length < STL_HEAD)
        return false;
    const unsigned char *c = (const unsigned char *)text->data + STL_HEAD - 4;
    const uint32_t count = c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
    return text->length == STL_HEAD + (size_t)count * STL_TRIANGLE;
}

/* Normal, three corners, two spare bytes; little-endian. */
static void read_binary_stl(numbers *triangles, const dfl_text *text)
{
    const unsigned char *at = (const unsigned char *)text->data + STL_HEAD;
    const unsigned char *end = (const unsigned char *)text->data + text->length;
    for (; at < end; at += STL_TRIANGLE) {
        float corners[9];
        for (int i = 0; i < 9; i++) {
            const unsigned char *c = at + 12 + 4 * i;
            const uint32_t bits =
                c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
            memcpy(&corners[i], &bits, sizeof bits);
        }
        append(triangles, corners, 9);
    }
}

/* Every three lines "vertex x y z" are a triangle. */
static void read_text_stl(numbers *triangles, const char *text)
{
    float corners[9];
    int filled = 0;
    while ((text = strstr(text, "vertex"))) {
        text += strlen("vertex");
        if (!read_three(corners + 3 * filled, text))
            return;
        filled = (filled + 1) % 3;
        if (filled == 0)
            append(triangles, corners, 9);
    }
}

/* Lines "v x y z" and "f a b c ...". */
static void read_obj(numbers *triangles, const char *text)
{
    numbers corners = {.ctx = triangles->ctx};
    for (const char *line = text; *line;) {
        float three[3];
        if (strncmp(line, "v ", 2) == 0 && read_three(three, line + 2))
            append(&corners, three, 3);
        else if (strncmp(line, "f ", 2) == 0)
            read_face(triangles, &corners, line + 2);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    triangles->failed = triangles->failed || corners.failed;
    dfl_free(corners.ctx, corners.data);
}

/* Corners by number from 1, or from -1 backwards; what follows a slash is about textures. */
static void read_face(numbers *triangles, const numbers *corners, const char *line)
{
    const long known = (long)(corners->count / 3);
    long first = -1, before = -1;
    for (char *end;; line = end) {
        line += strspn(line, " \t");
        if (!*line || strchr("\r\n", *line))
            return;
        long number = strtol(line, &end, 10);
        if (end == line)
            return;
        end += strcspn(end, " \t\r\n");
        number = number < 0 ? known + number : number - 1;
        if (number < 0 || number >= known)
            return;
        if (before >= 0 && first != before) {
            const long corner[3] = {first, before, number};
            for (int i = 0; i < 3; i++)
                append(triangles, corners->data + 3 * corner[i], 3);
        }
        before = number;
        first = first < 0 ? number : first;
    }
}

static bool read_three(float three[3], const char *text)
{
    for (int i = 0; i < 3; i++) {
        char *end;
        three[i] = strtof(text, &end);
        if (end == text)
            return false;
        text = end;
    }
    return true;
}

static void append(numbers *list, const float *data, size_t count)
{
    if (list->failed || list->count > (size_t)9 * (MOST_TRIANGLES + 1))
        return;
    if (list->count + count > list->room) {
        const size_t room = 2 * list->room + 1024;
        float *larger = dfl_alloc(list->ctx, room, sizeof *larger);
        list->failed = !larger;
        if (!larger)
            return;
        if (list->data)
            memcpy(larger, list->data, list->count * sizeof *larger);
        dfl_free(list->ctx, list->data);
        list->data = larger;
        list->room = room;
    }
    memcpy(list->data + list->count, data, count * sizeof *data);
    list->count += count;
}

static dfl_status check(const numbers *triangles, const char *file)
{
    if (triangles->failed)
        return DFL_NO_MEMORY;
    if (triangles->count < 9)
        return dfl_fail(triangles->ctx, DFL_INVALID, "mesh '%s' has no triangles", file);
    if (triangles->count > (size_t)9 * MOST_TRIANGLES)
        return dfl_fail(triangles->ctx, DFL_INVALID,
                        "mesh '%s' has more than %d triangles; simplify it", file, MOST_TRIANGLES);
    for (size_t i = 0; i < triangles->count; i++)
        if (!isfinite(triangles->data[i]))
            return dfl_fail(triangles->ctx, DFL_INVALID,
                            "mesh '%s' has a corner that is not finite", file);
    return DFL_OK;
}
