/* The crowd: rooms with a player and spectators each, on raw sockets in one thread. */
#ifndef CROWD_H
#define CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "histogram.h"
#include "protocols.h"

/* Moves of a room of which the time is remembered; as many may be on their way. */
enum { REMEMBERED = 1024, MOST_GROUPS = 4 };

/* Rooms that are alike. */
typedef struct {
    int rooms, spectators;
    int stopped;  /* of the spectators: they never read once they are in the room */
    int window;   /* closed loop: so many moves of a room are on their way */
    double rate;  /* open loop, if not 0: moves a second, of all the rooms in turn */
    int first_room;
    bool on;       /* its players move */
    uint64_t due;  /* open loop: when the next move is due, ns */
    uint64_t step; /* ns between two */
    int turn;      /* whose it is */
    histogram accepted, seen; /* ns from the moment a move was due */
} group;

typedef struct {
    int port, in_flight;
    bool deflate, spin;
    const protocol *speaks;
    FILE *paths; /* of the handshakes, one a line in the order of the connections; or NULL */
    group groups[MOST_GROUPS];
    int group_count;
} plan;

/* What has been counted while counting was on. */
typedef struct {
    uint64_t delivered, accepted, bytes;
    uint64_t overrun; /* moves that were due and not sent: too many were on their way */
    uint64_t idle;    /* ns in which there was nothing to read */
} counts;

/* What went wrong since the start. */
typedef struct {
    uint64_t refused, unsent, closed;
} faults;

extern counts counted;
extern faults failed;

uint64_t clock_ns(void);

/* Make room for the connections of a plan, which stays the caller's. */
void crowd_prepare(plan *of);

/* Connect all players, or all spectators, and wait until they are in their rooms.
   Returns how many, or -1 after ten minutes. */
int crowd_enter(bool players);

/* Let the players of the groups that are on move until `end`; a move due at or after `begin`
   counts, and so does what is delivered after it. */
void crowd_play(uint64_t begin, uint64_t end);

/* Read what comes until `end`, or until standard input has something. */
bool crowd_listen(uint64_t end);

/* Wait until everybody who reads has got everything, `limit` ns at most.
   Returns how many messages have not come. */
int64_t crowd_settle(uint64_t limit);

/* Begin to count. */
void crowd_count(bool on);

#endif
