/* What each server speaks: how to enter a room, how to move, what a message means. */
#ifndef PROTOCOLS_H
#define PROTOCOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "frames.h"

/* The longest request, bytes. */
enum { REQUEST_SIZE = 512 };

/* What a message means for the connection that got it. */
typedef enum {
    NOTHING,
    ENTERED, /* it is in the room now */
    SEEN,    /* a move of the room, for everybody in it */
    ACCEPTED, /* the player's move counts (durable, where the server has a disk) */
    SEEN_AND_ACCEPTED,
    REFUSED
} meaning;

/* A member of a room as its protocol sees it. */
typedef struct {
    uint32_t room;      /* its number, from 0 */
    bool player;        /* or a spectator */
    bool entered;
    uint8_t step;       /* of entering; 0 at first */
    uint64_t seen;      /* moves told so far */
    char *room_name;    /* 64 bytes that all in the room share; empty until the server named it */
} member;

/* Something to send. */
typedef struct {
    int opcode;
    int size; /* 0: nothing */
    uint8_t bytes[REQUEST_SIZE];
} request;

typedef struct {
    const char *name;
    const char *headers; /* of the handshake, besides the usual ones */
    /* The path of the handshake; NULL: it is read from a file. */
    void (*path)(const member *who, char *to, int size);
    /* What to send once the handshake is done; NULL: nothing. */
    void (*greet)(member *who, request *say);
    /* Read a message, maybe answer it. */
    meaning (*read)(member *who, const frame *message, request *say);
    /* Move number `number` (from 0) of the room. */
    void (*move)(const member *who, uint64_t number, request *say);
} protocol;

/* The protocol of that name, or NULL. */
const protocol *protocol_named(const char *name);

#endif
