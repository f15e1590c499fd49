/* A log-linear histogram: 64 steps to each power of two, so at most 1.6 % off. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

enum { HISTOGRAM_STEPS = 64, HISTOGRAM_BINS = 60 * HISTOGRAM_STEPS };

typedef struct {
    uint64_t bins[HISTOGRAM_BINS];
} histogram;

void histogram_add(histogram *all, uint64_t value);

/* Print the bins that are not empty as JSON: [[value, count], ...], ascending. */
void histogram_print(const histogram *all, FILE *to);

#endif
