/* The plain room work that the limit and the peers do, as bytes.

   move:  1 | u32 number, from 1 | u8 from | u8 to | u8 cards          8 bytes
   event: 2 | u32 number in the room, from 1 | the move without its 1  118 bytes with padding,
          which is what an event of kibitz takes on average
   All numbers little-endian. A member gets one byte, 0, when it is in the room. */
#ifndef ROOMS_H
#define ROOMS_H

#include <stdint.h>
#include <string.h>

enum { MOVE = 1, EVENT = 2, PILES = 13, MOVE_SIZE = 8, EVENT_SIZE = 118 };

/* Write move number `number` (from 0). Returns its size. */
static inline int write_move(uint8_t *to, uint64_t number) {
    uint32_t from_one = (uint32_t)number + 1;
    to[0] = MOVE;
    memcpy(to + 1, &from_one, sizeof from_one);
    to[5] = number % 7;
    to[6] = 7 + number % 6;
    to[7] = 1 + number % 3;
    return MOVE_SIZE;
}

#endif
