/* What a program has drawn on its terminal's screen, by libvterm, which is loaded when it is first used. It runs in
 * a process of its own, so that hostile output which crashes it, or keeps it busy, costs the model and nothing else.
 * One thread at a time. */
#ifndef SCREEN_MODEL_H
#define SCREEN_MODEL_H

#include "output_scanner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct screen_model screen_model;

/* A character of two columns must fit, for libvterm 0.1. A cell costs about 100 bytes: more than a window has, at most
 * a screen of 8K pixels with a small font. */
enum { SCREEN_MODEL_ROWS_MIN = 2, SCREEN_MODEL_COLUMNS_MIN = 4, SCREEN_MODEL_CELLS_MAX = 1 << 19 };

/* Whether a screen of this size can be modelled. */
bool screen_model_fits(int rows, int columns);

/* A blank screen of a size that fits. NULL with errno if there is none: ENOSYS if libvterm is not there, at build or at
 * run time, else what the system lacks for a process. */
screen_model *screen_model_open(int rows, int columns);
void screen_model_close(screen_model *model);

/* Whether the process has ended, or not answered within seconds. It has no rows, damage or output then. */
bool screen_model_has_failed(const screen_model *model);
/* The process, to test what its end costs. */
int screen_model_process(const screen_model *model);

/* Bytes that the program wrote, in which no character is inserted (mode 4): libvterm 0.1 writes outside of its memory
 * then. The rows that scroll away are lost, unless the model is frozen. */
void screen_model_write(screen_model *model, const uint8_t *bytes, size_t count);

/* The program has another size, which fits. What was below the alternate screen is lost. */
void screen_model_resize(screen_model *model, const output_modes *modes, int rows, int columns);
/* A blank screen again. */
void screen_model_clear(screen_model *model);

bool screen_model_is_alternate(screen_model *model);
/* Whether something was drawn since it was painted last. */
bool screen_model_is_damaged(screen_model *model);

/* Paints the model's part that fits into a window, the cursor's row included: what has changed since
 * it was painted last, or everything. Nothing else may have been drawn meanwhile. */
void screen_model_paint(screen_model *model, int rows, int columns, bool everything);

/* Sets the terminal's modes, pen and cursor to the program's, after a painting of the whole model.
 * The margins are set only if the terminal kept its size meanwhile. */
void screen_model_restore(screen_model *model, const output_modes *modes, bool has_margins);

/* Whether the program goes up to draw some rows of the main screen again, as a progress bar does. */
bool screen_model_has_live_rows(screen_model *model);

/* From now on nothing is shown, and rows that scroll away are kept. In the terminal, rows are cut to so
 * many columns. */
void screen_model_freeze(screen_model *model, int columns);

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
