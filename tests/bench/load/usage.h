/* What a process has used so far. */
#ifndef USAGE_H
#define USAGE_H

#include <sys/types.h>

/* Seconds of processor time of all its threads, user and system. */
double usage_cpu(pid_t pid);

/* Seconds in which its first thread could have run and another process had the core. */
double usage_waited(pid_t pid);

/* Resident memory, KiB. */
long usage_rss(pid_t pid);

#endif
