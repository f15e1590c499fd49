/* The load generator: a crowd that does what standard input says and tells what it measured.

   It connects everybody, prints a line of JSON about that, and then for every line
       go SECONDS WARM MASK
   lets the groups of the mask play, WARM seconds uncounted and then SECONDS counted, and prints
   a line of JSON. Both parts end when everything has arrived: what the server has used until then
   is what these moves cost, none of it left out and nothing of others in it. Latency is the time
   from the moment a move was due (open loop: not when it was sent) to its arrival.
   The end of the input ends it. 127.0.0.1 only. */
#include "crowd.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usage.h"

static const uint64_t SECOND = 1000000000, PATIENCE = 6000000000; /* ns */

/* What the server and this process had used at a moment. */
typedef struct {
    uint64_t time;
    double server, own, waited;
} moment;

static moment take_moment(pid_t server) {
    pid_t own = getpid();
    moment at = {clock_ns(), usage_cpu(server), usage_cpu(own), 0};
    at.waited = usage_waited(own) + usage_waited(server);
    return at;
}

static void print_faults(void) {
    printf(",\"refused\":%" PRIu64 ",\"unsent\":%" PRIu64 ",\"closed\":%" PRIu64 "}\n",
           failed.refused, failed.unsent, failed.closed);
    fflush(stdout);
}

/* Connect the players, then the spectators: the joins that count. */
static int enter(pid_t server, double idle) {
    if (crowd_enter(true) < 0) return 3;
    crowd_listen(clock_ns() + SECOND / 2);
    long rss = usage_rss(server);
    moment begin = take_moment(server);
    int joined = crowd_enter(false);
    if (joined < 0) return 3;
    moment end = take_moment(server);
    crowd_listen(clock_ns() + (uint64_t)(idle * 1e9));
    double lasted = (double)(end.time - begin.time) / 1e9;
    printf("{\"joined\":%d,\"seconds\":%.4f,\"joined_a_second\":%.1f,\"cpu\":%.6f,"
           "\"waited\":%.4f,\"kib\":%ld",
           joined, lasted, joined / lasted, end.server - begin.server,
           end.waited - begin.waited, usage_rss(server) - rss);
    print_faults();
    return 0;
}

static void print_groups(const plan *of) {
    printf(",\"groups\":[");
    for (int at = 0; at < of->group_count; at++) {
        printf("%s{\"accepted\":", at ? "," : "");
        histogram_print(&of->groups[at].accepted, stdout);
        printf(",\"seen\":");
        histogram_print(&of->groups[at].seen, stdout);
        printf("}");
    }
    printf("]");
}

static void play(plan *of, pid_t server, double seconds, double warm, unsigned mask) {
    for (int at = 0; at < of->group_count; at++) of->groups[at].on = mask >> at & 1;
    if (warm > 0) {
        crowd_play(UINT64_MAX, clock_ns() + (uint64_t)(warm * 1e9));
        crowd_settle(PATIENCE);
    }
    moment begin = take_moment(server);
    crowd_count(true);
    crowd_play(begin.time, begin.time + (uint64_t)(seconds * 1e9));
    moment end = take_moment(server);
    counts in_time = counted;
    int64_t behind = crowd_settle(PATIENCE);
    crowd_count(false);
    double lasted = (double)(end.time - begin.time) / 1e9;
    double busy = (end.own - begin.own) / lasted;
    if (of->spin) busy = 1 - (double)in_time.idle / 1e9 / lasted;
    printf("{\"seconds\":%.4f,\"delivered_a_second\":%.1f,\"accepted_a_second\":%.1f"
           ",\"busy\":%.3f,\"waited\":%.4f",
           lasted, (double)in_time.delivered / lasted, (double)in_time.accepted / lasted, busy,
           end.waited - begin.waited);
    printf(",\"delivered\":%" PRIu64 ",\"accepted\":%" PRIu64 ",\"bytes\":%" PRIu64
           ",\"overrun\":%" PRIu64 ",\"behind\":%" PRId64 ",\"cpu\":%.6f",
           counted.delivered, counted.accepted, counted.bytes, counted.overrun, behind,
           usage_cpu(server) - begin.server);
    print_groups(of);
    print_faults();
}

static int follow_input(plan *of, pid_t server) {
    char line[128];
    double seconds, warm;
    unsigned mask;
    for (;;) {
        if (!crowd_listen(clock_ns() + 3600 * SECOND)) return 1;
        ssize_t size = read(STDIN_FILENO, line, sizeof line - 1);
        if (size <= 0) return 0;
        line[size] = 0;
        if (sscanf(line, "go %lf %lf %u", &seconds, &warm, &mask) != 3) return 1;
        play(of, server, seconds, warm, mask);
    }
}

static void add_group(plan *to, const char *text) {
    group *one = &to->groups[to->group_count];
    int read = to->group_count == MOST_GROUPS
                   ? 0
                   : sscanf(text, "%d,%d,%d,%d,%lf", &one->rooms, &one->spectators,
                            &one->stopped, &one->window, &one->rate);
    if (read != 5) {
        fprintf(stderr, "a group is ROOMS,SPECTATORS,STOPPED,WINDOW,RATE, not %s\n", text);
        exit(1);
    }
    to->group_count++;
}

int main(int count, char **arguments) {
    static const struct option OPTIONS[] = {
        {"port", 1, NULL, 'p'},     {"server", 1, NULL, 's'}, {"group", 1, NULL, 'g'},
        {"protocol", 1, NULL, 'o'}, {"paths", 1, NULL, 'f'},  {"flight", 1, NULL, 'n'},
        {"idle", 1, NULL, 'i'},     {"deflate", 0, NULL, 'z'}, {"spin", 0, NULL, 'b'},
        {NULL, 0, NULL, 0},
    };
    static plan of = {.in_flight = 64};
    pid_t server = 0;
    double idle = 0.3;
    for (int option; (option = getopt_long(count, arguments, "", OPTIONS, NULL)) != -1;) {
        if (option == 'p') of.port = atoi(optarg);
        else if (option == 's') server = atoi(optarg);
        else if (option == 'g') add_group(&of, optarg);
        else if (option == 'o') of.speaks = protocol_named(optarg);
        else if (option == 'f') of.paths = fopen(optarg, "r");
        else if (option == 'n') of.in_flight = atoi(optarg);
        else if (option == 'i') idle = atof(optarg);
        else if (option == 'z') of.deflate = true;
        else if (option == 'b') of.spin = true;
        else return 1;
    }
    if (of.speaks == NULL || of.group_count == 0 || of.port == 0 || server == 0) {
        fprintf(stderr, "needed: --port --server --protocol --group\n");
        return 1;
    }
    crowd_prepare(&of);
    int result = enter(server, idle);
    return result ? result : follow_input(&of, server);
}
