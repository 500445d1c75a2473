/* zip_writer.c: PKWARE's APPNOTE 6.3: a head and the bytes of each file, a directory, its end. All
   files have the same time, so that equal contents give equal archives. */
#include "export/zip_writer.h"

#include <stdint.h>
#include <string.h>

enum { VERSION = 20, DATE = 0x21 }; /* 2.0; 1 January 1980 */

static void add_number(dfl_text *text, uint32_t value, int bytes)
{
    char out[4];
    for (int i = 0; i < bytes; i++)
        out[i] = (char)(value >> (8 * i) & 0xff);
    dfl_text_bytes(text, out, (size_t)bytes);
}

static uint32_t checksum(const char *bytes, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

/* What head and directory share. */
static void add_facts(dfl_text *text, const char *name, uint32_t crc, uint32_t size)
{
    add_number(text, VERSION, 2);
    add_number(text, 0, 2); /* flags */
    add_number(text, 0, 2); /* stored */
    add_number(text, 0, 2); /* time */
    add_number(text, DATE, 2);
    add_number(text, crc, 4);
    add_number(text, size, 4);
    add_number(text, size, 4);
    add_number(text, (uint32_t)strlen(name), 2);
    add_number(text, 0, 2); /* extra field */
}

void dfl_zip_add(dfl_zip *zip, const char *name, const char *bytes, size_t size)
{
    const uint32_t crc = checksum(bytes, size), place = (uint32_t)zip->bytes.length;
    add_number(&zip->bytes, 0x04034b50, 4);
    add_facts(&zip->bytes, name, crc, (uint32_t)size);
    dfl_text_bytes(&zip->bytes, name, strlen(name));
    dfl_text_bytes(&zip->bytes, bytes, size);
    add_number(&zip->directory, 0x02014b50, 4);
    add_number(&zip->directory, 3u << 8 | VERSION, 2); /* made on Unix */
    add_facts(&zip->directory, name, crc, (uint32_t)size);
    add_number(&zip->directory, 0, 2); /* comment */
    add_number(&zip->directory, 0, 2); /* disk */
    add_number(&zip->directory, 0, 2); /* attributes within */
    add_number(&zip->directory, 0100644u << 16, 4);
    add_number(&zip->directory, place, 4);
    dfl_text_bytes(&zip->directory, name, strlen(name));
    zip->count++;
    if (zip->directory.status && !zip->bytes.status)
        zip->bytes.status = zip->directory.status;
}

void dfl_zip_finish(dfl_zip *zip)
{
    const uint32_t place = (uint32_t)zip->bytes.length, size = (uint32_t)zip->directory.length;
    dfl_text_bytes(&zip->bytes, dfl_text_string(&zip->directory), zip->directory.length);
    add_number(&zip->bytes, 0x06054b50, 4);
    add_number(&zip->bytes, 0, 4); /* disks */
    add_number(&zip->bytes, zip->count, 2);
    add_number(&zip->bytes, zip->count, 2);
    add_number(&zip->bytes, size, 4);
    add_number(&zip->bytes, place, 4);
    add_number(&zip->bytes, 0, 2);
    dfl_text_clear(&zip->directory);
}
