#include "frames.h"

#include <string.h>

void frame_reset(frame *to) {
    to->have = to->kept = 0;
    to->need = 2;
}

static void read_header(frame *to) {
    int length = to->header[1] & 127;
    int bytes = length == 126 ? 2 : length == 127 ? 8 : 0;
    uint64_t size = bytes ? 0 : (uint64_t)length;
    for (int at = 0; at < bytes; at++) size = size << 8 | to->header[2 + at];
    to->opcode = to->header[0] & 15;
    to->compressed = to->header[0] & 0x40;
    to->size = to->missing = size;
}

size_t frame_take(frame *to, const uint8_t *data, size_t size, bool *whole) {
    size_t at = 0;
    *whole = false;
    while (to->have < to->need) {
        if (at == size) return at;
        to->header[to->have++] = data[at++];
        if (to->have == 2) {
            int length = to->header[1] & 127;
            to->need = length < 126 ? 2 : length == 126 ? 4 : 10;
        }
        if (to->have == to->need) read_header(to);
    }
    size_t take = size - at < to->missing ? size - at : to->missing;
    size_t keep = FRAME_KEPT - to->kept < take ? FRAME_KEPT - to->kept : take;
    memcpy(to->payload + to->kept, data + at, keep);
    to->kept += keep;
    to->missing -= take;
    *whole = to->missing == 0;
    return at + take;
}

size_t frame_write(uint8_t *out, int opcode, const void *payload, size_t size) {
    static const uint8_t mask[4] = {0x5a, 0x17, 0xc3, 0x2e};
    const uint8_t *bytes = payload;
    size_t at = 0;
    out[at++] = 0x80 | opcode;
    if (size < 126) {
        out[at++] = 0x80 | size;
    } else {
        out[at++] = 0x80 | 126;
        out[at++] = size >> 8;
        out[at++] = size & 255;
    }
    memcpy(out + at, mask, sizeof mask);
    at += sizeof mask;
    for (size_t i = 0; i < size; i++) out[at + i] = bytes[i] ^ mask[i & 3];
    return at + size;
}
