/* The physical limit: a WebSocket room server in C that does the least a room server can do.

       cserver send     one send() of the ready frame to each member, for every event
       cserver batch    the events of one round of epoll are joined: one send() to each member

   It checks, numbers and keeps every move (rooms.h), in memory; prints its port. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "handshake.h"
#include "rooms.h"

enum { MOST = 32768, INPUT_SIZE = 1024, FRAME_SIZE = 2 + EVENT_SIZE, BATCH = 512, MASKED = 6 };

typedef struct {
    uint8_t *bytes;
    size_t size, space;
} bytes;

typedef struct {
    int fd;
    bool open;
    int room, place;
    int have;
    uint8_t input[INPUT_SIZE];
    bytes waiting;
} client;

typedef struct {
    client **members;
    int count, space;
    uint32_t number;
    bytes log, pending;
} room;

static client *clients[MOST];
static room rooms[MOST];
static int dirty[MOST], dirty_count, poller;
static bool batching;

static void append(bytes *to, const uint8_t *what, size_t size) {
    if (to->size + size > to->space) {
        to->space = 2 * (to->size + size);
        to->bytes = realloc(to->bytes, to->space);
        if (to->bytes == NULL) abort();
    }
    memcpy(to->bytes + to->size, what, size);
    to->size += size;
}

/* --- out --- */

static void want_output(const client *from, bool on) {
    struct epoll_event wanted = {.events = EPOLLIN | (on ? EPOLLOUT : 0), .data.fd = from->fd};
    epoll_ctl(poller, EPOLL_CTL_MOD, from->fd, &wanted);
}

static void transmit(client *to, const uint8_t *what, size_t size) {
    ssize_t sent = 0;
    if (to->waiting.size == 0) sent = send(to->fd, what, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == (ssize_t)size || (sent < 0 && errno != EAGAIN)) return;
    if (sent < 0) sent = 0;
    if (to->waiting.size == 0) want_output(to, true);
    append(&to->waiting, what + sent, size - (size_t)sent);
}

static void transmit_waiting(client *to) {
    bytes *all = &to->waiting;
    ssize_t sent = send(to->fd, all->bytes, all->size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;
    all->size -= (size_t)sent;
    memmove(all->bytes, all->bytes + sent, all->size);
    if (all->size == 0) want_output(to, false);
}

static void transmit_all(const room *in, const uint8_t *what, size_t size) {
    for (int at = 0; at < in->count; at++) transmit(in->members[at], what, size);
}

static void transmit_pending(void) {
    for (int at = 0; at < dirty_count; at++) {
        room *in = &rooms[dirty[at]];
        transmit_all(in, in->pending.bytes, in->pending.size);
        in->pending.size = 0;
    }
    dirty_count = 0;
}

/* --- rooms --- */

static void move(int number, const uint8_t *what, int size) {
    bool legal = size == MOVE_SIZE && what[0] == MOVE && what[5] < PILES && what[6] < PILES &&
                 what[5] != what[6] && what[7] > 0;
    if (!legal) return;
    room *in = &rooms[number];
    uint8_t frame[FRAME_SIZE] = {0x82, EVENT_SIZE, EVENT};
    in->number++;
    memcpy(frame + 3, &in->number, sizeof in->number);
    memcpy(frame + 7, what + 1, MOVE_SIZE - 1);
    append(&in->log, frame + 2, EVENT_SIZE);
    if (!batching) {
        transmit_all(in, frame, sizeof frame);
        return;
    }
    if (in->pending.size == 0) dirty[dirty_count++] = number;
    append(&in->pending, frame, sizeof frame);
}

static void enter(client *who, int number) {
    room *in = &rooms[number % MOST];
    if (in->count == in->space) {
        in->space = in->space ? 2 * in->space : 4;
        in->members = realloc(in->members, (size_t)in->space * sizeof *in->members);
        if (in->members == NULL) abort();
    }
    who->room = number % MOST;
    who->place = in->count;
    in->members[in->count++] = who;
}

static void drop(client *who) {
    if (who->open) {
        room *in = &rooms[who->room];
        in->members[who->place] = in->members[--in->count];
        in->members[who->place]->place = who->place;
    }
    close(who->fd);
    clients[who->fd] = NULL;
    free(who->waiting.bytes);
    free(who);
}

/* --- in --- */

static bool take_handshake(client *who) {
    static const uint8_t entered[] = {0x82, 1, 0};
    const char name[] = "Sec-WebSocket-Key: ";
    uint8_t *end = memmem(who->input, (size_t)who->have, "\r\n\r\n", 4);
    if (end == NULL) return true;
    *end = 0;
    char answer[256], *key = strcasestr((char *)who->input, name);
    char *number = strstr((char *)who->input, "room=");
    if (key == NULL || number == NULL) return false;
    int size = handshake_answer(key + sizeof name - 1, answer);
    enter(who, atoi(number + 5));
    who->open = true;
    memcpy(answer + size, entered, sizeof entered);
    transmit(who, (uint8_t *)answer, (size_t)size + sizeof entered);
    who->have -= (int)(end + 4 - who->input);
    memmove(who->input, end + 4, (size_t)who->have);
    return true;
}

/* Returns whether the client may stay. */
static bool take_input(client *who) {
    ssize_t got = recv(who->fd, who->input + who->have, (size_t)(INPUT_SIZE - who->have), 0);
    if (got <= 0) return got < 0 && errno == EAGAIN;
    who->have += (int)got;
    if (!who->open && !take_handshake(who)) return false;
    if (!who->open) return true;
    int at = 0;
    while (who->have - at >= MASKED) {
        uint8_t *frame = who->input + at, *body = frame + MASKED;
        int size = frame[1] & 127, opcode = frame[0] & 15;
        if (size > 125 || !(frame[1] & 128) || opcode == 8) return false;
        if (who->have - at < MASKED + size) break;
        for (int i = 0; i < size; i++) body[i] ^= frame[2 + (i & 3)];
        if (opcode == 2) move(who->room, body, size);
        at += MASKED + size;
    }
    who->have -= at;
    memmove(who->input, who->input + at, (size_t)who->have);
    return true;
}

static void accept_all(int listener) {
    const int yes = 1;
    for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
        if (fd >= MOST) {
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        clients[fd] = calloc(1, sizeof *clients[fd]);
        if (clients[fd] == NULL) abort();
        clients[fd]->fd = fd;
        struct epoll_event wanted = {.events = EPOLLIN, .data.fd = fd};
        epoll_ctl(poller, EPOLL_CTL_ADD, fd, &wanted);
    }
}

static int listen_anywhere(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 4096) != 0 ||
        getsockname(listener, (struct sockaddr *)&at, &size) != 0) {
        perror("listen");
        exit(1);
    }
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    return listener;
}

int main(int count, char **arguments) {
    static struct epoll_event events[BATCH];
    batching = count > 1 && strcmp(arguments[1], "batch") == 0;
    int listener = listen_anywhere();
    poller = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &wanted);
    for (;;) {
        int ready = epoll_wait(poller, events, BATCH, -1);
        for (int at = 0; at < ready; at++) {
            int fd = events[at].data.fd;
            if (fd == listener) {
                accept_all(listener);
                continue;
            }
            client *who = clients[fd];
            if (who == NULL) continue;
            if (events[at].events & EPOLLOUT && who->waiting.size > 0) transmit_waiting(who);
            if (events[at].events & ~(uint32_t)EPOLLOUT && !take_input(who)) drop(who);
        }
        transmit_pending();
    }
}
