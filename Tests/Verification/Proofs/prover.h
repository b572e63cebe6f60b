/* The prover's operations for the harnesses: any value, an assumption, an obligation. */
#ifndef SETTLE_PROVER_H
#define SETTLE_PROVER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(PROVER_ABSENT)
#define assume(condition) ((void)(condition))
#define prove(condition, text) ((void)(condition))
#define nondet_bool() false
#define nondet_u64() ((uint64_t)0)
#else
#define assume(condition) __ESBMC_assume(condition)
#define prove(condition, text) __ESBMC_assert(condition, text)

uint8_t nondet_u8(void);
uint16_t nondet_u16(void);
uint32_t nondet_u32(void);
uint64_t nondet_u64(void);
#endif
#define any_bool nondet_bool
#define any_u8 nondet_u8
#define any_u16 nondet_u16
#define any_u32 nondet_u32
#define any_u64 nondet_u64

/* The core copies one number or two at a time, between numbers and doubles, and clears
 * whole structs; the prover's own functions go byte by byte. */
#define memcpy(to, from, size) \
    do { \
        _Static_assert((size) == 8 || (size) == 16, "only whole words are copied"); \
        ((uint64_t *)(void *)(to))[0] = ((const uint64_t *)(const void *)(from))[0]; \
        if ((size) == 16) ((uint64_t *)(void *)(to))[1] = ((const uint64_t *)(const void *)(from))[1]; \
    } while (0)
#define memset(to, value, size) \
    do { \
        _Static_assert((value) == 0 && (size) == sizeof *(to), "only whole structs are cleared"); \
        *(to) = (__typeof__(*(to))){0}; \
    } while (0)

/* A scene, policy or decision by its number. The prover is hundreds of times faster with
 * one object each than with arrays, so scripts/checks/proofs gives it a copy of the
 * sources that say at_hot(i) for core->hot[i], and so on. */
struct scene_hot;
struct scene_cold;
struct scene_preview;
struct scene_live;
struct policy_row;
static inline struct scene_hot *at_hot(uint32_t slot);
static inline struct scene_cold *at_cold(uint32_t slot);
static inline struct scene_preview *at_previews(uint32_t slot);
static inline struct scene_live *at_lives(uint32_t slot);
static inline struct policy_row *at_policies(uint32_t number);
static inline struct settle_decision *at_decisions(uint32_t index);
static inline uint32_t *at_buttons(uint32_t index);
static inline uint64_t *at_pressed_ns(uint32_t index);

#define __builtin_prefetch(...) ((void)0)

#endif
