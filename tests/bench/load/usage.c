#include "usage.h"

#include <stdio.h>
#include <time.h>

double usage_cpu(pid_t pid) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

double usage_waited(pid_t pid) {
    char path[64];
    unsigned long long ran, waited = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%llu %llu", &ran, &waited) != 2) waited = 0;
    fclose(file);
    return (double)waited / 1e9;
}

long usage_rss(pid_t pid) {
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmRSS: %ld", &kib) == 1) break;
    fclose(file);
    return kib;
}
