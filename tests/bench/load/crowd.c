#define _GNU_SOURCE
#include "crowd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTING, SHAKING, TALKING };
enum { STANDARD_INPUT = -1, BATCH = 1024 };

static const uint64_t SECOND = 1000000000;

/* What a client behind a narrow line holds, so that a stopped reader is soon felt. */
static const int NARROW_BUFFER = 4096, NARROW_SEGMENT = 536;

typedef struct {
    member who;
    frame incoming;
    int fd;
    uint8_t state;
    bool stopped;
    group *of;
    char *path; /* of the handshake, where it is read from a file */
} connection;

typedef struct {
    connection *player;
    uint64_t sent, accepted;
    int readers;
    uint64_t due[REMEMBERED]; /* when the move was to be sent, ns */
    char name[64];
} room;

counts counted;
faults failed;

static plan *now;
static connection *connections;
static room *rooms;
static int connection_count, room_count, poller, entered;
static int64_t owed; /* messages that have not come yet */
static bool counting, playing, hurried, asked;
static uint64_t from, until; /* moves due in between count */

uint64_t clock_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(2);
}

static void transmit(connection *to, const void *bytes, size_t size) {
    if (send(to->fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size) failed.unsent++;
}

static void transmit_frame(connection *to, int opcode, const void *payload, size_t size) {
    uint8_t bytes[REQUEST_SIZE + 14];
    transmit(to, bytes, frame_write(bytes, opcode, payload, size));
}

static void transmit_request(connection *to, const request *say) {
    if (say->size > 0) transmit_frame(to, say->opcode, say->bytes, (size_t)say->size);
}

/* --- moves --- */

static void move(room *in, uint64_t due) {
    request say = {0};
    in->due[in->sent % REMEMBERED] = due;
    owed += in->readers + 1;
    now->speaks->move(&in->player->who, in->sent++, &say);
    transmit_request(in->player, &say);
}

static void fill_window(room *in) {
    const group *of = in->player->of;
    if (!playing || !of->on || of->rate > 0) return;
    while (in->sent - in->accepted < (uint64_t)of->window) move(in, clock_ns());
}

/* Send what is due in the open loops. Returns when the next move is due. */
static uint64_t move_in_time(uint64_t time) {
    uint64_t next = UINT64_MAX;
    for (group *of = now->groups; of < now->groups + now->group_count; of++) {
        if (!of->on || of->rate <= 0) continue;
        for (; of->due <= time; of->due += of->step) {
            room *in = &rooms[of->first_room + of->turn];
            of->turn = (of->turn + 1) % of->rooms;
            if (in->sent - in->player->who.seen < REMEMBERED)
                move(in, of->due);
            else
                counted.overrun++;
        }
        if (of->due < next) next = of->due;
    }
    return next;
}

/* --- messages --- */

static void note(histogram *in, uint64_t due, uint64_t time) {
    if (due >= from && due < until) histogram_add(in, time - due);
}

static void take_seen(connection *by, uint64_t time) {
    room *in = &rooms[by->who.room];
    uint64_t number = by->who.seen++;
    owed--;
    if (number >= in->sent) failed.refused++;
    note(&by->of->seen, in->due[number % REMEMBERED], time);
    counted.delivered += counting;
}

static void take_accepted(connection *by, uint64_t time) {
    room *in = &rooms[by->who.room];
    owed--;
    note(&by->of->accepted, in->due[in->accepted++ % REMEMBERED], time);
    counted.accepted += counting;
    fill_window(in);
}

static void take_entered(connection *by) {
    by->who.entered = true;
    entered++;
    if (by->stopped) epoll_ctl(poller, EPOLL_CTL_DEL, by->fd, NULL);
}

static void take_refused(const connection *by) {
    if (failed.refused++ == 0 || !by->who.entered)
        fprintf(stderr, "not expected: %.*s\n", (int)by->incoming.kept, by->incoming.payload);
    if (!by->who.entered) exit(3);
}

static void take_message(connection *by, uint64_t time) {
    const frame *message = &by->incoming;
    if (message->opcode == PING) transmit_frame(by, PONG, message->payload, message->kept);
    if (message->opcode != TEXT && message->opcode != BINARY) return;
    request say = {0};
    meaning means = now->speaks->read(&by->who, message, &say);
    transmit_request(by, &say);
    if (means == ENTERED) take_entered(by);
    if (means == REFUSED) take_refused(by);
    if (means == SEEN || means == SEEN_AND_ACCEPTED) take_seen(by, time);
    if (means == ACCEPTED || means == SEEN_AND_ACCEPTED) take_accepted(by, time);
}

static void take_frames(connection *by, const uint8_t *bytes, size_t size, uint64_t time) {
    while (size > 0) {
        bool whole;
        size_t taken = frame_take(&by->incoming, bytes, size, &whole);
        bytes += taken;
        size -= taken;
        if (!whole) return;
        take_message(by, time);
        frame_reset(&by->incoming);
    }
}

/* --- connections --- */

static void start(connection *one) {
    const int yes = 1;
    const struct linger cut = {1, 0}; /* leave no TIME_WAIT behind */
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)now->port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    one->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (one->fd < 0) fail("socket");
    setsockopt(one->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(one->fd, SOL_SOCKET, SO_LINGER, &cut, sizeof cut);
    if (one->stopped) {
        setsockopt(one->fd, SOL_SOCKET, SO_RCVBUF, &NARROW_BUFFER, sizeof NARROW_BUFFER);
        setsockopt(one->fd, IPPROTO_TCP, TCP_MAXSEG, &NARROW_SEGMENT, sizeof NARROW_SEGMENT);
    }
    if (connect(one->fd, (struct sockaddr *)&at, sizeof at) < 0 && errno != EINPROGRESS)
        fail("connect");
    struct epoll_event wanted = {.events = EPOLLOUT, .data.u32 = (uint32_t)(one - connections)};
    epoll_ctl(poller, EPOLL_CTL_ADD, one->fd, &wanted);
}

static void shake(connection *one) {
    char path[512] = "", all[1024];
    if (now->speaks->path != NULL) now->speaks->path(&one->who, path, sizeof path);
    int size = snprintf(all, sizeof all,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s%s\r\n",
                        one->path ? one->path : path, now->port, now->speaks->headers,
                        now->deflate ? "Sec-WebSocket-Extensions: permessage-deflate; "
                                       "client_max_window_bits\r\n"
                                     : "");
    transmit(one, all, (size_t)size);
    one->state = SHAKING;
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = (uint32_t)(one - connections)};
    epoll_ctl(poller, EPOLL_CTL_MOD, one->fd, &wanted);
}

/* Returns what follows the handshake. */
static const uint8_t *shaken(connection *one, const uint8_t *bytes, size_t size) {
    const uint8_t *end = memmem(bytes, size, "\r\n\r\n", 4);
    bool granted = end != NULL && memcmp(bytes, "HTTP/1.1 101", 12) == 0;
    if (granted && now->deflate) granted = memmem(bytes, size, "permessage-deflate", 18) != NULL;
    if (!granted) {
        fprintf(stderr, "handshake: %.*s\n", size > 300 ? 300 : (int)size, bytes);
        exit(3);
    }
    one->state = TALKING;
    request say = {0};
    if (now->speaks->greet != NULL) now->speaks->greet(&one->who, &say);
    transmit_request(one, &say);
    return end + 4;
}

static void lose(connection *one) {
    epoll_ctl(poller, EPOLL_CTL_DEL, one->fd, NULL);
    if (failed.closed++ == 0) fprintf(stderr, "the server closed a connection\n");
}

static void hear(connection *one) {
    static uint8_t buffer[1 << 18];
    if (one->state == CONNECTING) {
        socklen_t size = sizeof errno;
        getsockopt(one->fd, SOL_SOCKET, SO_ERROR, &errno, &size);
        if (errno != 0) fail("connect");
        shake(one);
        return;
    }
    ssize_t size = recv(one->fd, buffer, sizeof buffer, 0);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
        lose(one);
        return;
    }
    const uint8_t *bytes = buffer;
    if (one->state == SHAKING) bytes = shaken(one, buffer, (size_t)size);
    if (counting) counted.bytes += (uint64_t)size;
    take_frames(one, bytes, (size_t)(buffer + size - bytes), clock_ns());
}

static void listen_once(uint64_t time, uint64_t end) {
    static struct epoll_event events[BATCH];
    uint64_t wait = end > time ? end - time : 0;
    if (wait > SECOND / 20) wait = SECOND / 20;
    if (hurried) wait = 0;
    struct timespec timeout = {0, (long)wait};
    long count = syscall(SYS_epoll_pwait2, poller, events, BATCH, &timeout, NULL, 8);
    if (count <= 0) counted.idle += clock_ns() - time;
    for (long at = 0; at < count; at++) {
        if (events[at].data.u32 == (uint32_t)STANDARD_INPUT)
            asked = true;
        else
            hear(&connections[events[at].data.u32]);
    }
}

/* --- the crowd as a whole --- */

static char *read_path(void) {
    char path[512];
    if (now->paths == NULL || fgets(path, sizeof path, now->paths) == NULL) fail("paths");
    path[strcspn(path, "\n")] = 0;
    return strdup(path);
}

static void prepare_group(group *of, int first_room, connection *first) {
    of->first_room = first_room;
    if (of->rate > 0) of->step = (uint64_t)(1e9 / of->rate);
    for (int number = 0; number < of->rooms * (of->spectators + 1); number++) {
        connection *one = first + number;
        int place = number % (of->spectators + 1);
        one->of = of;
        one->stopped = place > of->spectators - of->stopped;
        one->who.room = (uint32_t)(first_room + number / (of->spectators + 1));
        one->who.player = place == 0;
        one->who.room_name = rooms[one->who.room].name;
        if (one->who.player) rooms[one->who.room].player = one;
        if (!one->stopped) rooms[one->who.room].readers++;
        if (now->speaks->path == NULL) one->path = read_path();
        frame_reset(&one->incoming);
    }
}

void crowd_prepare(plan *of) {
    now = of;
    for (int at = 0; at < of->group_count; at++) {
        room_count += of->groups[at].rooms;
        connection_count += of->groups[at].rooms * (of->groups[at].spectators + 1);
    }
    connections = calloc((size_t)connection_count, sizeof *connections);
    rooms = calloc((size_t)room_count, sizeof *rooms);
    if (connections == NULL || rooms == NULL) fail("calloc");
    connection *next = connections;
    int first_room = 0;
    for (group *one = of->groups; one < of->groups + of->group_count; one++) {
        prepare_group(one, first_room, next);
        first_room += one->rooms;
        next += one->rooms * (one->spectators + 1);
    }
    poller = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = (uint32_t)STANDARD_INPUT};
    epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &wanted);
}

int crowd_enter(bool players) {
    uint64_t limit = clock_ns() + 600 * SECOND;
    int started = 0, at = 0;
    entered = 0;
    while (at < connection_count || entered < started) {
        for (; at < connection_count && started - entered < now->in_flight; at++) {
            if (connections[at].who.player != players) continue;
            start(&connections[at]);
            started++;
        }
        uint64_t time = clock_ns();
        if (time > limit) return -1;
        if (entered < started) listen_once(time, time + SECOND);
    }
    return entered;
}

void crowd_count(bool on) {
    if (on) memset(&counted, 0, sizeof counted);
    counting = on;
}

void crowd_play(uint64_t begin, uint64_t end) {
    uint64_t time = clock_ns();
    if (!playing) {
        playing = true;
        hurried = now->spin;
        for (group *of = now->groups; of < now->groups + now->group_count; of++) {
            of->due = time;
            memset(&of->accepted, 0, sizeof of->accepted);
            memset(&of->seen, 0, sizeof of->seen);
            for (int at = 0; at < of->rooms; at++) fill_window(&rooms[of->first_room + at]);
        }
    }
    from = begin;
    until = end;
    while ((time = clock_ns()) < end) {
        uint64_t next = move_in_time(time);
        listen_once(time, next < end ? next : end);
    }
}

bool crowd_listen(uint64_t end) {
    asked = false;
    for (uint64_t time; !asked && (time = clock_ns()) < end;) listen_once(time, end);
    return asked;
}

int64_t crowd_settle(uint64_t limit) {
    uint64_t time = clock_ns(), end = time + limit;
    playing = false;
    while (owed > 0 && (time = clock_ns()) < end) listen_once(time, time + SECOND / 200);
    hurried = false;
    return owed;
}
