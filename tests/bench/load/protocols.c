#define _GNU_SOURCE
#include "protocols.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rooms.h"

static void say_text(request *say, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    say->opcode = TEXT;
    say->size = vsnprintf((char *)say->bytes, sizeof say->bytes, format, rest);
    va_end(rest);
}

static bool starts(const frame *message, int at, const char *with) {
    size_t size = strlen(with);
    return message->kept >= at + size && memcmp(message->payload + at, with, size) == 0;
}

/* --- native: the room work of cserver.c and of the peers (rooms.h) --- */

static void native_path(const member *who, char *to, int size) {
    snprintf(to, size, "/?room=%u&role=%c", who->room, who->player ? 'p' : 's');
}

static meaning native_read(member *who, const frame *message, request *say) {
    (void)say;
    if (!who->entered) return ENTERED;
    if (!message->compressed) {
        uint32_t number;
        if (message->size != EVENT_SIZE || message->payload[0] != EVENT) return REFUSED;
        memcpy(&number, message->payload + 1, sizeof number);
        if (number != (uint32_t)who->seen + 1) return REFUSED;
    }
    return who->player ? SEEN_AND_ACCEPTED : SEEN;
}

static void native_move(const member *who, uint64_t number, request *say) {
    (void)who;
    say->opcode = BINARY;
    say->size = write_move(say->bytes, number);
}

/* --- kibitz: msgpack, written and read by hand --- */

static int put_text(uint8_t *to, const char *text) {
    size_t size = strlen(text);
    to[0] = 0xa0 | size;
    memcpy(to + 1, text, size);
    return 1 + (int)size;
}

/* A map of so many keys that begins with `t` and `i`. */
static void begin_map(request *say, int keys, const char *t, uint32_t i) {
    uint8_t *to = say->bytes;
    int at = 0;
    say->opcode = BINARY;
    to[at++] = 0x80 | keys;
    at += put_text(to + at, "t");
    at += put_text(to + at, t);
    at += put_text(to + at, "i");
    to[at++] = 0xce;
    for (int shift = 24; shift >= 0; shift -= 8) to[at++] = i >> shift & 255;
    say->size = at;
}

static void add_pair(request *say, const char *key, const char *value) {
    say->size += put_text(say->bytes + say->size, key);
    say->size += put_text(say->bytes + say->size, value);
}

static void kibitz_path(const member *who, char *to, int size) {
    (void)who;
    snprintf(to, size, "/ws");
}

static void kibitz_greet(member *who, request *say) {
    begin_map(say, 3, "hello", 0);
    add_pair(say, "name", who->player ? "player" : "spectator");
}

static void kibitz_enter(const member *who, request *say) {
    if (who->player) {
        begin_map(say, 4, "create", 1);
        add_pair(say, "game", "klondike-single");
        add_pair(say, "deal", "1");
    } else {
        begin_map(say, 3, "join", 1);
        add_pair(say, "room", who->room_name);
    }
}

static bool kibitz_says(const frame *message, const char *t) {
    uint8_t begin[16] = {0xa1, 't'};
    int size = 2 + put_text(begin + 2, t);
    return message->kept > (uint32_t)size && memcmp(message->payload + 1, begin, size) == 0;
}

static void kibitz_learn_room(const member *who, const frame *message) {
    const uint8_t *key = memmem(message->payload, message->kept, "\xa4room", 5);
    if (key == NULL || !who->player) return;
    memcpy(who->room_name, key + 6, key[5] & 31);
    who->room_name[key[5] & 31] = 0;
}

static meaning kibitz_read(member *who, const frame *message, request *say) {
    if (kibitz_says(message, "event")) {
        bool moved = memmem(message->payload, message->kept, "\xa4kind\xa4move", 10) != NULL;
        return moved ? SEEN : NOTHING;
    }
    if (kibitz_says(message, "ok")) return ACCEPTED;
    if (kibitz_says(message, "presence")) return NOTHING;
    if (kibitz_says(message, "welcome")) {
        kibitz_enter(who, say);
        return NOTHING;
    }
    if (kibitz_says(message, "joined")) {
        kibitz_learn_room(who, message);
        return ENTERED;
    }
    return REFUSED; /* an error, or a view because it read too slowly */
}

static void kibitz_move(const member *who, uint64_t number, request *say) {
    begin_map(say, 4, "move", (uint32_t)number + 2);
    add_pair(say, "room", who->room_name);
    add_pair(say, "move", "sw"); /* the pack turns for ever */
}

/* --- Colyseus 0.18: a code byte, then its own encoding; seats are reserved beforehand --- */

enum { COLYSEUS_JOIN = 10, COLYSEUS_DATA = 13, COLYSEUS_BYTES = 17 };

static meaning colyseus_read(member *who, const frame *message, request *say) {
    uint8_t code = message->payload[0];
    if (!who->entered && code == COLYSEUS_JOIN) {
        say->opcode = BINARY;
        say->size = 1;
        say->bytes[0] = COLYSEUS_JOIN;
        return ENTERED;
    }
    if (code != COLYSEUS_DATA && code != COLYSEUS_BYTES) return NOTHING;
    return who->player ? SEEN_AND_ACCEPTED : SEEN;
}

static void colyseus_move(const member *who, uint64_t number, request *say) {
    static const uint8_t begin[] = {COLYSEUS_DATA, 0xa2, 'm', 'v', 0xc4, MOVE_SIZE};
    (void)who;
    say->opcode = BINARY;
    memcpy(say->bytes, begin, sizeof begin);
    say->size = (int)sizeof begin + write_move(say->bytes + sizeof begin, number);
}

/* --- boardgame.io 0.50: its messages on socket.io 4, in a namespace named after the game --- */

#define GAME "/solo,"

static void boardgame_path(const member *who, char *to, int size) {
    (void)who;
    snprintf(to, size, "/socket.io/?EIO=4&transport=websocket");
}

static meaning boardgame_read(member *who, const frame *message, request *say) {
    const char *seat = who->player ? "\"0\"" : "null";
    if (message->size == 1 && starts(message, 0, "2")) {
        say_text(say, "3");
    } else if (who->step == 0 && starts(message, 0, "0")) {
        who->step = 1;
        say_text(say, "40" GAME);
    } else if (who->step == 1 && starts(message, 0, "40")) {
        who->step = 2;
        say_text(say, "42" GAME "[\"sync\",\"m%u\",%s,null,1]", who->room, seat);
    } else if (starts(message, 0, "42" GAME "[\"sync\"")) {
        return who->entered ? NOTHING : ENTERED;
    } else if (starts(message, 0, "42" GAME "[\"update\"")) {
        return who->player ? SEEN_AND_ACCEPTED : SEEN;
    }
    return NOTHING;
}

static void boardgame_move(const member *who, uint64_t number, request *say) {
    uint8_t move[MOVE_SIZE];
    write_move(move, number);
    say_text(say,
             "42" GAME "[\"update\",{\"type\":\"MAKE_MOVE\",\"payload\":{\"type\":\"move\","
             "\"args\":[%d,%d,%d],\"playerID\":\"0\",\"credentials\":null}},%" PRIu64
             ",\"m%u\",\"0\"]",
             move[5], move[6], move[7], number, who->room);
}

static const protocol ALL[] = {
    {"native", "", native_path, NULL, native_read, native_move},
    {"kibitz", "Sec-WebSocket-Protocol: kibitz.v1.msgpack\r\n", kibitz_path, kibitz_greet,
     kibitz_read, kibitz_move},
    {"colyseus", "", NULL, NULL, colyseus_read, colyseus_move},
    {"boardgame", "", boardgame_path, NULL, boardgame_read, boardgame_move},
};

const protocol *protocol_named(const char *name) {
    for (size_t at = 0; at < sizeof ALL / sizeof *ALL; at++)
        if (strcmp(ALL[at].name, name) == 0) return &ALL[at];
    return NULL;
}
