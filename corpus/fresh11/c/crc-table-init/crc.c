#include "crc.h"

static uint32_t table[256];
static int ready;

static void fill(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

uint32_t crc32_of(const char *data, size_t len)
{
    if (!ready) {
        fill();
        ready = 1;
    }
    uint32_t crc = ~0u;
    while (len--)
        crc = table[(crc ^ (unsigned char)*data++) & 0xff] ^ (crc >> 8);
    return ~crc;
}
