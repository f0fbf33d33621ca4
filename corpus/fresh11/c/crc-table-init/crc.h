#ifndef CRC_H
#define CRC_H
#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const char *data, size_t len);

#endif
