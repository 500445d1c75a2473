/* json_text.c: strings and numbers of JSON (RFC 8259). */
#include "context/context.h"

#include <math.h>

static size_t character(const unsigned char *s);

void dfl_json_string(dfl_text *text, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    dfl_text_bytes(text, "\"", 1);
    while (*s) {
        const size_t bytes = character(s);
        if (bytes == 0)
            dfl_text_add(text, "\\ufffd");
        else if (*s == '"' || *s == '\\')
            dfl_text_add(text, "\\%c", *s);
        else if (*s == '\n')
            dfl_text_add(text, "\\n");
        else if (*s < 0x20 || *s == 0x7f)
            dfl_text_add(text, "\\u%04x", *s);
        else
            dfl_text_bytes(text, (const char *)s, bytes);
        s += bytes > 0 ? bytes : 1;
    }
    dfl_text_bytes(text, "\"", 1);
}

void dfl_json_number(dfl_text *text, double number)
{
    if (isfinite(number))
        dfl_text_add(text, "%.17g", number);
    else
        dfl_text_add(text, "null");
}

/* The length of the UTF-8 character at s; 0 if the bytes are not one (RFC 3629: no surrogates, only
   the shortest form). */
static size_t character(const unsigned char *s)
{
    const size_t bytes = s[0] < 0x80                   ? 1
                         : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                         : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                         : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                       : 0;
    for (size_t i = 1; i < bytes; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    const bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    const bool too_large = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : bytes;
}
