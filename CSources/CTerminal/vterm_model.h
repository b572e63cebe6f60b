/* What a program has drawn on its terminal's screen, by libvterm. In a process of its own: hostile output may crash
 * libvterm 0.1, or keep it busy for ever. Private; screen_model.h says what the functions do. */
#ifndef VTERM_MODEL_H
#define VTERM_MODEL_H

#include "cell_text.h"
#include "output_scanner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libvterm's functions, once it is loaded. */
typedef struct vterm_functions {
    __typeof__(vterm_new) *new;
    __typeof__(vterm_free) *free;
    __typeof__(vterm_set_utf8) *set_utf8;
    __typeof__(vterm_input_write) *input_write;
    __typeof__(vterm_output_set_callback) *output_set_callback;
    __typeof__(vterm_obtain_screen) *obtain_screen;
    __typeof__(vterm_obtain_state) *obtain_state;
    __typeof__(vterm_screen_set_callbacks) *screen_set_callbacks;
    __typeof__(vterm_screen_enable_altscreen) *screen_enable_altscreen;
    __typeof__(vterm_screen_set_damage_merge) *screen_set_damage_merge;
    __typeof__(vterm_screen_flush_damage) *screen_flush_damage;
    __typeof__(vterm_screen_reset) *screen_reset;
    __typeof__(vterm_screen_get_cell) *screen_get_cell;
    __typeof__(vterm_state_get_cursorpos) *state_get_cursorpos;
    __typeof__(vterm_state_get_penattr) *state_get_penattr;
} vterm_functions;
extern vterm_functions vterm;

/* The longest character of UTF-8. */
enum { CHARACTER_MAX = 4 };

typedef struct vterm_model {
    VTerm *vt;
    VTermScreen *screen;
    VTermState *state;
    int rows, columns;
    bool *damaged; /* by row */
    bool is_damaged, is_alternate, is_reverse, shows_cursor;
    int offset; /* the first row that is painted */
    /* The first row of those that the program goes up to, on the main screen; -1 for none. */
    int live_top;
    bool is_going_up;
    bool is_frozen;
    int *frozen_lengths; /* of the live rows up to the cursor's, in cells, when they were frozen */
    int frozen_count, frozen_column;
    int frozen_top;              /* where the first of these rows is now; negative once it has scrolled away */
    output_scanner scanner;      /* of what is written */
    bool has_c2;                 /* the last byte that was written, which waits for its next one */
    uint8_t last[CHARACTER_MAX]; /* the character that was written last, or its bytes so far */
    size_t last_length;
    bool is_last_whole;
    text output, answers, kept, input;
} vterm_model;

/* Loads libvterm. 0, or -1 if it is missing. */
int vterm_model_load(void);

/* The row's cells, to be freed. */
VTermScreenCell *vterm_model_cells(const vterm_model *model, int row);
VTermPos vterm_model_cursor(const vterm_model *model);

/* As screen_model.h says; where memory is missing they abort. */
vterm_model *vterm_model_open(int rows, int columns);
void vterm_model_write(vterm_model *model, const uint8_t *bytes, size_t count);
void vterm_model_resize(vterm_model *model, const output_modes *modes, int rows, int columns);
void vterm_model_clear(vterm_model *model);
bool vterm_model_is_alternate(const vterm_model *model);
bool vterm_model_is_damaged(const vterm_model *model);
bool vterm_model_has_live_rows(const vterm_model *model);
void vterm_model_paint(vterm_model *model, int rows, int columns, bool everything);
void vterm_model_restore(vterm_model *model, const output_modes *modes, bool has_margins);
void vterm_model_freeze(vterm_model *model, int columns);
void vterm_model_thaw(vterm_model *model, int rows, int columns, bool wraps);
void vterm_model_erase_live_rows(vterm_model *model);
const uint8_t *vterm_model_take_output(vterm_model *model, size_t *count);
const uint8_t *vterm_model_take_answers(vterm_model *model, size_t *count);

#endif
