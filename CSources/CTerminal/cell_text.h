/* Cells of libvterm as what a terminal is sent to draw them. Private. */
#ifndef CELL_TEXT_H
#define CELL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <vterm.h>

/* Bytes that grow; all zero is an empty one, and whoever owns it frees `bytes`. */
typedef struct text {
    uint8_t *bytes;
    size_t count, room;
} text;

/* Makes room for so many bytes more. */
void text_reserve(text *text, size_t count);
void text_append(text *text, const void *bytes, size_t count);
/* As printf, of at most 127 bytes. */
void text_put(text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the cell's colours and attributes, whatever the terminal had before. */
void text_put_pen(text *text, const VTermScreenCell *cell);

/* Writes the cells with the pen that each has, and leaves the default pen. */
void text_put_cells(text *text, const VTermScreenCell *cells, int count);

/* How many of the cells there are up to the last that looks different from what erasing leaves. */
int cells_length(const VTermScreenCell *cells, int count);

#endif
