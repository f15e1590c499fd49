#include "histogram.h"

#include <inttypes.h>

void histogram_add(histogram *all, uint64_t value) {
    int shift = 0;
    if (value >= HISTOGRAM_STEPS) shift = 63 - __builtin_clzll(value) - 5;
    int bin = shift * HISTOGRAM_STEPS + (int)(value >> shift);
    all->bins[bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1]++;
}

void histogram_print(const histogram *all, FILE *to) {
    const char *comma = "";
    fputc('[', to);
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        if (all->bins[bin] == 0) continue;
        int shift = bin / HISTOGRAM_STEPS;
        uint64_t value = (uint64_t)(bin % HISTOGRAM_STEPS) << shift;
        fprintf(to, "%s[%" PRIu64 ",%" PRIu64 "]", comma, value, all->bins[bin]);
        comma = ",";
    }
    fputc(']', to);
}
