/* What a program has drawn on its terminal's screen, by libvterm, which is loaded when it is first used.
 * One thread at a time. */
#ifndef SCREEN_MODEL_H
#define SCREEN_MODEL_H

#include "output_scanner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct screen_model screen_model;

/* A character of two columns must fit, for libvterm 0.1. */
enum { SCREEN_MODEL_ROWS_MIN = 2, SCREEN_MODEL_COLUMNS_MIN = 4 };

/* A blank screen. NULL if libvterm is not there, at build or at run time, if the size is below the
 * least, or if there is no memory. */
screen_model *screen_model_open(int rows, int columns);
void screen_model_close(screen_model *model);

/* Bytes that the program wrote. The rows that scroll away are lost, unless the model is frozen. */
void screen_model_write(screen_model *model, const uint8_t *bytes, size_t count);

/* The program has another size, not below the least. What was below the alternate screen is lost. */
void screen_model_resize(screen_model *model, const output_scanner *scanner, int rows, int columns);
/* A blank screen again. */
void screen_model_clear(screen_model *model);

bool screen_model_is_alternate(const screen_model *model);
/* Whether something was drawn since it was painted last. */
bool screen_model_is_damaged(const screen_model *model);

/* Paints the model's part that fits into a window, the cursor's row included: what has changed since
 * it was painted last, or everything. Nothing else may have been drawn meanwhile. */
void screen_model_paint(screen_model *model, int rows, int columns, bool everything);

/* Sets the terminal's modes, pen and cursor to the program's, after a painting of the whole model.
 * The margins are set only if the terminal kept its size meanwhile. */
void screen_model_restore(screen_model *model, const output_scanner *scanner, bool has_margins);

/* Whether the program goes up to draw some rows of the main screen again, as a progress bar does. */
bool screen_model_has_live_rows(const screen_model *model);

/* From now on nothing is shown, and rows that scroll away are kept. In the terminal, rows are cut to so
 * many columns. */
void screen_model_freeze(screen_model *model, int columns);
/* How many bytes they are. */
size_t screen_model_kept(const screen_model *model);

/* Replaces the live rows in the terminal by those of now, each cut to one row, with what has scrolled
 * away meanwhile above them.
 * rows, columns  the terminal's size
 * wraps          whether the terminal has wrapped rows that were longer than its columns */
void screen_model_thaw(screen_model *model, int rows, int columns, bool wraps);

/* Erases the live rows in the terminal, which shows the model. */
void screen_model_erase_live_rows(screen_model *model);

/* What is to be written to the terminal, and the model's answers for the program, since they were
 * taken last; valid until the next call with the same model. */
const uint8_t *screen_model_take_output(screen_model *model, size_t *count);
const uint8_t *screen_model_take_answers(screen_model *model, size_t *count);

#endif
