/* Takes a program's output apart into text and control sequences (ECMA-48, UTF-8), and says which
 * sequences draw. Nothing is allocated; one thread at a time. */
#ifndef OUTPUT_SCANNER_H
#define OUTPUT_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum output_kind {
    OUTPUT_TEXT,         /* characters and control characters; of these only BEL is a kind of its own */
    OUTPUT_PART,         /* of a sequence that goes on in the next bytes */
    OUTPUT_DRAWS,        /* a sequence, now whole, that changes cells, the pen or the cursor */
    OUTPUT_PASSES,       /* one that does not: a title, a mode of keys, a question to the terminal */
    OUTPUT_ASKS_CURSOR,  /* the question where the cursor is */
    OUTPUT_ALTERNATE_ON, /* to the alternate screen, and back; other modes may be in the sequence */
    OUTPUT_ALTERNATE_OFF,
    OUTPUT_CLEARS, /* erases the whole screen */
    OUTPUT_RESETS, /* the terminal's full reset */
} output_kind;

enum { OUTPUT_SEQUENCE_MAX = 1 << 16 };

/* What a program has set, and a terminal that was drawn upon has to get again. */
typedef struct output_modes {
    bool is_alternate, has_no_wrap, has_origin, has_insert, is_shifted, hides_cursor;
    uint8_t charsets[2];           /* G0 and G1 as the last byte of their designation: 'B' is ASCII */
    int margin_top, margin_bottom; /* rows from 1 on; 0 for none */
} output_modes;

typedef struct output_scanner {
    output_kind kind; /* of the bytes that output_scanner_next consumed last */
    /* The sequence so far, or the whole one; a longer one than fits is cut, and is OUTPUT_DRAWS. */
    size_t length;
    /* What of an OUTPUT_DRAWS sequence that sets several modes does not draw, as a sequence. */
    size_t rest_length;

    output_modes modes;
    uint32_t synchronized_ends; /* how often mode 2026 was switched off */

    int phase;
    uint8_t bytes[OUTPUT_SEQUENCE_MAX];
    uint8_t rest[128];
} output_scanner;

void output_scanner_init(output_scanner *scanner);

/* Consumes bytes of one kind, at least one of them, and returns how many. `count` is not 0. */
size_t output_scanner_next(output_scanner *scanner, const uint8_t *bytes, size_t count);

/* Whether no sequence is under way. */
static inline bool output_scanner_is_between(const output_scanner *scanner) { return scanner->phase == 0; }

static inline const uint8_t *output_scanner_bytes(const output_scanner *scanner) { return scanner->bytes; }
static inline const uint8_t *output_scanner_rest(const output_scanner *scanner) { return scanner->rest; }

#endif
