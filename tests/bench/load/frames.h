/* WebSocket frames as a client reads and writes them (RFC 6455). */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

/* Bytes of a payload that are kept; of a longer one only the size is known. */
enum { FRAME_KEPT = 192 };

/* One frame, put together from whatever pieces arrive. */
typedef struct {
    uint8_t header[10];
    uint8_t have, need; /* bytes of the header */
    uint8_t opcode;
    bool compressed;
    uint64_t size, missing;
    uint32_t kept;
    uint8_t payload[FRAME_KEPT];
} frame;

void frame_reset(frame *to);

/* Take bytes from data up to the end of one frame.
   Returns how many were taken; *whole tells whether the frame is complete. */
size_t frame_take(frame *to, const uint8_t *data, size_t size, bool *whole);

/* Write a masked frame into out, which has room for size + 14 bytes. Returns its length. */
size_t frame_write(uint8_t *out, int opcode, const void *payload, size_t size);

#endif
