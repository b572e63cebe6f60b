/* Sebastiano Vigna's SplitMix64, for the C programs of the checks and benchmarks: the same
 * numbers from the same seed everywhere. */
#ifndef SPLITMIX64_H
#define SPLITMIX64_H

#include <stdint.h>

static inline uint64_t splitmix64_mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

static inline uint64_t splitmix64_next(uint64_t *state) {
    *state += 0x9E3779B97F4A7C15u;
    return splitmix64_mix(*state);
}

#endif
