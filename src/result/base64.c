/* base64.c: numbers as text (RFC 4648), the way a browser reads them back: IEEE 754, lowest byte
   first. */
#include "result/result.h"

#include <stdint.h>
#include <string.h>

enum { MOST_AT_ONCE = 24 };

static size_t put_bytes(unsigned char *out, double number, bool single);
static size_t encode(char *out, const unsigned char *bytes, size_t size);

/* Three numbers are a multiple of three bytes and can be encoded separately. */
size_t dfl_base64(char *out, const double *numbers, int count, bool single)
{
    size_t length = 0;
    for (int i = 0; i < count; i += 3) {
        unsigned char bytes[MOST_AT_ONCE];
        size_t size = 0;
        for (int k = i; k < count && k < i + 3; k++)
            size += put_bytes(bytes + size, numbers[k], single);
        length += encode(out + length, bytes, size);
    }
    return length;
}

static size_t put_bytes(unsigned char *out, double number, bool single)
{
    const float narrow = (float)number;
    uint32_t narrow_bits;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    const size_t size = single ? sizeof narrow_bits : sizeof bits;
    for (size_t i = 0; i < size; i++)
        out[i] = (unsigned char)((single ? narrow_bits : bits) >> (8 * i) & 0xff);
    return size;
}

static size_t encode(char *out, const unsigned char *bytes, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = 0;
    for (size_t i = 0; i < size; i += 3) {
        const unsigned b = i + 1 < size ? bytes[i + 1] : 0, c = i + 2 < size ? bytes[i + 2] : 0;
        const unsigned bits = (unsigned)bytes[i] << 16 | b << 8 | c;
        out[length++] = digit[bits >> 18];
        out[length++] = digit[bits >> 12 & 63];
        out[length++] = i + 1 < size ? digit[bits >> 6 & 63] : '=';
        out[length++] = i + 2 < size ? digit[bits & 63] : '=';
    }
    return length;
}
