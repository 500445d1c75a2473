/* visible.c: texts of others as a terminal may show them.

   A terminal obeys control characters: ESC and its relatives move the cursor, change its title or
   type for the user. They are U+0000 to U+001F, U+007F and U+0080 to U+009F. */
#include "context/context.h"

#include <stdio.h>
#include <string.h>

static int plain_bytes(const unsigned char *at);

const char *dfl_visible(char *out, size_t room, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    size_t length = 0;
    while (*at) {
        char escape[8];
        const int plain = plain_bytes(at);
        const size_t count =
            plain > 0 ? (size_t)plain : (size_t)snprintf(escape, sizeof escape, "\\x%02x", *at);
        if (length + count >= room)
            break;
        memcpy(out + length, plain > 0 ? (const char *)at : escape, count);
        length += count;
        at += plain > 0 ? plain : 1;
    }
    out[length] = '\0';
    return (const char *)at;
}

/* The length of a character of UTF-8 that may be shown as it is; 0: a control character or not
   UTF-8. Line feeds and tabs stay. */
static int plain_bytes(const unsigned char *at)
{
    if (*at < 0x80)
        return (*at >= 0x20 && *at != 0x7f) || *at == '\n' || *at == '\t';
    const int count = *at >= 0xf0 && *at < 0xf8 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;
    if (count == 0 || *at >= 0xf8)
        return 0;
    for (int i = 1; i < count; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return count == 2 && at[0] == 0xc2 && at[1] < 0xa0 ? 0 : count;
}
