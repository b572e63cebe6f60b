#include "screen_model.h"

#if __has_include(<vterm.h>)

#include "cell_text.h"
#include "loaded_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
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
} vterm;

static int load(void) {
#define FUNCTION(name)                                                                                                 \
    { "vterm_" #name, &vterm.name }
    static const loaded_function functions[] = {
        FUNCTION(new),
        FUNCTION(free),
        FUNCTION(set_utf8),
        FUNCTION(input_write),
        FUNCTION(output_set_callback),
        FUNCTION(obtain_screen),
        FUNCTION(obtain_state),
        FUNCTION(screen_set_callbacks),
        FUNCTION(screen_enable_altscreen),
        FUNCTION(screen_set_damage_merge),
        FUNCTION(screen_flush_damage),
        FUNCTION(screen_reset),
        FUNCTION(screen_get_cell),
        FUNCTION(state_get_cursorpos),
        FUNCTION(state_get_penattr),
    };
#undef FUNCTION
    return loaded_library_open("libvterm.so.0", functions, sizeof functions / sizeof *functions);
}

struct screen_model {
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
    int frozen_top; /* where the first of these rows is now; negative once it has scrolled away */
    bool has_c2;    /* the last byte that was written, which waits for its next one */
    text output, answers, kept, input;
};

/* The row's cells, to be freed. */
static VTermScreenCell *cells_of(const screen_model *model, int row) {
    VTermScreenCell *cells = calloc((size_t)model->columns, sizeof *cells);
    if (!cells) abort();
    for (int column = 0; column < model->columns; column++) {
        vterm.screen_get_cell(model->screen, (VTermPos){.row = row, .col = column}, &cells[column]);
    }
    return cells;
}

static void put_row(const screen_model *model, text *text, int row, int columns) {
    VTermScreenCell *cells = cells_of(model, row);
    int length = cells_length(cells, model->columns);
    text_put_cells(text, cells, length < columns ? length : columns);
    free(cells);
}

/* What libvterm says */

static int damage(VTermRect rect, void *user) {
    screen_model *model = user;
    for (int row = rect.start_row; row < rect.end_row && row < model->rows; row++) model->damaged[row] = true;
    model->is_damaged = true;
    return 1;
}

static int move_cursor(VTermPos now, VTermPos before, int visible, void *user) {
    (void)visible;
    screen_model *model = user;
    model->is_damaged = true;
    if (model->is_alternate || now.row == before.row) return 1;
    bool is_up = now.row < before.row;
    if (is_up && (!model->is_going_up || now.row < model->live_top)) model->live_top = now.row;
    model->is_going_up = is_up;
    return 1;
}

static int set_property(VTermProp property, VTermValue *value, void *user) {
    screen_model *model = user;
    model->is_damaged = true;
    if (property == VTERM_PROP_ALTSCREEN) model->is_alternate = value->boolean;
    if (property == VTERM_PROP_CURSORVISIBLE) model->shows_cursor = value->boolean;
    if (property == VTERM_PROP_REVERSE) model->is_reverse = value->boolean;
    return 1;
}

/* A row scrolls away at the main screen's top. */
static int push_line(int columns, const VTermScreenCell *cells, void *user) {
    screen_model *model = user;
    /* The rows above those are in the terminal. */
    if (model->is_frozen && model->frozen_top-- <= 0) {
        text_put_cells(&model->kept, cells, cells_length(cells, columns));
        text_put(&model->kept, "\r\n");
    }
    if (model->live_top >= 0) model->live_top--;
    return 1;
}

static const VTermScreenCallbacks callbacks = {
    .damage = damage, .movecursor = move_cursor, .settermprop = set_property, .sb_pushline = push_line};

static void answer(const char *bytes, size_t count, void *user) {
    screen_model *model = user;
    text_append(&model->answers, bytes, count);
}

/* The model */

static bool make_screen(screen_model *model, int rows, int columns) {
    VTerm *vt = vterm.new(rows, columns);
    bool *damaged = calloc((size_t)rows, sizeof *damaged);
    if (!vt || !damaged) {
        if (vt) vterm.free(vt);
        free(damaged);
        return false;
    }
    if (model->vt) vterm.free(model->vt);
    free(model->damaged);
    model->vt = vt;
    model->damaged = damaged;
    model->rows = rows;
    model->columns = columns;
    vterm.set_utf8(vt, 1);
    vterm.output_set_callback(vt, answer, model);
    model->state = vterm.obtain_state(vt);
    model->screen = vterm.obtain_screen(vt);
    vterm.screen_set_callbacks(model->screen, &callbacks, model);
    vterm.screen_set_damage_merge(model->screen, VTERM_DAMAGE_SCROLL);
    vterm.screen_enable_altscreen(model->screen, 1);
    screen_model_clear(model);
    return true;
}

screen_model *screen_model_open(int rows, int columns) {
    if (rows < SCREEN_MODEL_ROWS_MIN || columns < SCREEN_MODEL_COLUMNS_MIN || load() != 0) return NULL;
    screen_model *model = calloc(1, sizeof *model);
    if (!model || make_screen(model, rows, columns)) return model;
    free(model);
    return NULL;
}

void screen_model_close(screen_model *model) {
    if (!model) return;
    vterm.free(model->vt);
    free(model->damaged);
    free(model->frozen_lengths);
    free(model->output.bytes);
    free(model->answers.bytes);
    free(model->kept.bytes);
    free(model->input.bytes);
    free(model);
}

/* Without the control characters of C1 in UTF-8, to which libvterm 0.1 gives a width of -1. */
void screen_model_write(screen_model *model, const uint8_t *bytes, size_t count) {
    text *input = &model->input;
    input->count = 0;
    for (size_t i = 0; i < count; i++) {
        bool was_c2 = model->has_c2;
        model->has_c2 = bytes[i] == 0xC2;
        if (was_c2 && bytes[i] >= 0x80 && bytes[i] <= 0x9F) continue;
        if (was_c2) text_append(input, "\xC2", 1);
        if (!model->has_c2) text_append(input, &bytes[i], 1);
    }
    if (input->count > 0) vterm.input_write(model->vt, (const char *)input->bytes, input->count);
    vterm.screen_flush_damage(model->screen);
}

static VTermPos cursor_of(const screen_model *model) {
    VTermPos position;
    vterm.state_get_cursorpos(model->state, &position);
    return position;
}

void screen_model_clear(screen_model *model) {
    model->is_alternate = model->is_reverse = false;
    model->shows_cursor = true;
    vterm.screen_reset(model->screen, 1);
    vterm.screen_flush_damage(model->screen);
    model->live_top = -1;
}

bool screen_model_is_alternate(const screen_model *model) { return model->is_alternate; }
bool screen_model_is_damaged(const screen_model *model) { return model->is_damaged; }
bool screen_model_has_live_rows(const screen_model *model) { return !model->is_alternate && model->live_top >= 0; }

/* Painting */

void screen_model_paint(screen_model *model, int rows, int columns, bool everything) {
    text *out = &model->output;
    VTermPos cursor = cursor_of(model);
    int offset = model->shows_cursor && cursor.row >= rows ? cursor.row - rows + 1 : 0;
    if (offset != model->offset) everything = true;
    model->offset = offset;
    /* Everything that moves characters is off: the program's modes come back in the end. */
    text_put(out, "\033[?2026h\033[?25l\033[?5%c\033[?6l\033[?7l\033[4l\017\033(B\033[0m",
             model->is_reverse ? 'h' : 'l');
    for (int row = 0; row < rows; row++) {
        if (!everything && (row + offset >= model->rows || !model->damaged[row + offset])) continue;
        text_put(out, "\033[%d;1H", row + 1);
        /* A row that fills the window is not erased after its last cell. */
        text_put(out, "\033[2K");
        if (row + offset < model->rows) put_row(model, out, row + offset, columns);
    }
    memset(model->damaged, 0, (size_t)model->rows * sizeof *model->damaged);
    model->is_damaged = false;
    if (model->shows_cursor && cursor.col < columns) {
        text_put(out, "\033[%d;%dH\033[?25h", cursor.row - offset + 1, cursor.col + 1);
    }
    text_put(out, "\033[?2026l");
}

static int number_of(const screen_model *model, VTermAttr attribute) {
    VTermValue value = {0};
    vterm.state_get_penattr(model->state, attribute, &value);
    return value.number;
}

static VTermColor color_of(const screen_model *model, VTermAttr attribute) {
    VTermValue value = {0};
    vterm.state_get_penattr(model->state, attribute, &value);
    return value.color;
}

/* Sets the pen of the program. */
static void put_program_pen(const screen_model *model, text *text) {
    VTermScreenCell pen = {.fg = color_of(model, VTERM_ATTR_FOREGROUND), .bg = color_of(model, VTERM_ATTR_BACKGROUND)};
    pen.attrs.bold = number_of(model, VTERM_ATTR_BOLD) != 0;
    pen.attrs.underline = number_of(model, VTERM_ATTR_UNDERLINE) & 3;
    pen.attrs.italic = number_of(model, VTERM_ATTR_ITALIC) != 0;
    pen.attrs.blink = number_of(model, VTERM_ATTR_BLINK) != 0;
    pen.attrs.reverse = number_of(model, VTERM_ATTR_REVERSE) != 0;
    pen.attrs.strike = number_of(model, VTERM_ATTR_STRIKE) != 0;
    text_put_pen(text, &pen);
}

void screen_model_restore(screen_model *model, const output_scanner *scanner, bool has_margins) {
    text *out = &model->output;
    VTermPos cursor = cursor_of(model);
    has_margins = has_margins && scanner->margin_top + scanner->margin_bottom > 0;
    if (has_margins) {
        text_put(out, "\033[%d;%dr", scanner->margin_top > 0 ? scanner->margin_top : 1,
                 scanner->margin_bottom > 0 ? scanner->margin_bottom : model->rows);
    }
    int first = has_margins && scanner->has_origin && scanner->margin_top > 0 ? scanner->margin_top - 1 : 0;
    text_put(out, "\033[?7%c\033[?6%c\033[4%c", scanner->has_no_wrap ? 'l' : 'h', scanner->has_origin ? 'h' : 'l',
             scanner->has_insert ? 'h' : 'l');
    text_put(out, "\033[%d;%dH", cursor.row - first + 1, cursor.col + 1);
    text_put(out, "\033(%c\033)%c%c", scanner->charsets[0], scanner->charsets[1], scanner->is_shifted ? 0x0E : 0x0F);
    put_program_pen(model, out);
    text_put(out, "\033[?25%c", model->shows_cursor ? 'h' : 'l');
}

/* libvterm 0.1 writes outside of its memory after a change of size: a new screen gets what fits of the old one. */
void screen_model_resize(screen_model *model, const output_scanner *scanner, int rows, int columns) {
    if (rows == model->rows && columns == model->columns) return;
    int live_top = model->live_top;
    text waiting = model->output;
    model->output = (text){0};
    if (model->is_alternate) text_put(&model->output, "\033[?1049h");
    screen_model_paint(model, rows, columns, true);
    screen_model_restore(model, scanner, false);
    text shown = model->output;
    model->output = waiting;
    int offset = model->offset;
    if (!make_screen(model, rows, columns)) abort();
    screen_model_write(model, shown.bytes, shown.count);
    free(shown.bytes);
    model->answers.count = 0;
    model->live_top = live_top >= offset ? live_top - offset : -1;
    model->is_going_up = false;
}

/* The main screen, of which the model knows no more than the program's own rows */

void screen_model_freeze(screen_model *model, int columns) {
    VTermPos cursor = cursor_of(model);
    int top = model->live_top < cursor.row ? model->live_top : cursor.row;
    free(model->frozen_lengths);
    model->frozen_count = cursor.row - top;
    model->frozen_column = cursor.col < columns ? cursor.col : columns - 1;
    model->frozen_lengths = calloc((size_t)model->frozen_count + 1, sizeof(int));
    if (!model->frozen_lengths) abort();
    for (int i = 0; i < model->frozen_count; i++) {
        VTermScreenCell *cells = cells_of(model, top + i);
        model->frozen_lengths[i] = cells_length(cells, columns < model->columns ? columns : model->columns);
        free(cells);
    }
    model->kept.count = 0;
    model->is_frozen = true;
    model->is_damaged = false;
    model->frozen_top = top;
}

size_t screen_model_kept(const screen_model *model) { return model->kept.count; }

void screen_model_thaw(screen_model *model, int rows, int columns, bool wraps) {
    text *out = &model->output;
    int up = wraps ? model->frozen_column / columns : 0;
    for (int i = 0; i < model->frozen_count; i++) {
        up += wraps && model->frozen_lengths[i] > columns ? (model->frozen_lengths[i] - 1) / columns + 1 : 1;
    }
    text_put(out, "\033[?2026h\r");
    if (up > 0) text_put(out, "\033[%dA", up);
    text_put(out, "\033[0m\033[J");
    text_append(out, model->kept.bytes ? model->kept.bytes : (const uint8_t *)"", model->kept.count);
    VTermPos cursor = cursor_of(model);
    int top = model->frozen_top > 0 ? model->frozen_top : 0;
    if (top > cursor.row) top = cursor.row;
    /* Rows below the cursor as far as there is something, and as all of them fit. */
    int last = cursor.row;
    for (int row = cursor.row + 1; row < model->rows && row - top < rows; row++) {
        VTermScreenCell *cells = cells_of(model, row);
        if (cells_length(cells, model->columns) > 0) last = row;
        free(cells);
    }
    for (int row = top; row <= last; row++) {
        put_row(model, out, row, row < model->live_top ? model->columns : columns);
        if (row < last) text_put(out, "\r\n");
    }
    text_put(out, "\r");
    if (last > cursor.row) text_put(out, "\033[%dA", last - cursor.row);
    if (cursor.col > 0) text_put(out, "\033[%dC", cursor.col);
    put_program_pen(model, out);
    text_put(out, "\033[?2026l");
    model->kept.count = 0;
    model->is_frozen = false;
}

void screen_model_erase_live_rows(screen_model *model) {
    VTermPos cursor = cursor_of(model);
    int up = cursor.row - (model->live_top < cursor.row ? model->live_top : cursor.row);
    text_put(&model->output, "\r");
    if (up > 0) text_put(&model->output, "\033[%dA", up);
    text_put(&model->output, "\033[0m\033[J");
    if (up > 0) text_put(&model->output, "\033[%dB", up);
    if (cursor.col > 0) text_put(&model->output, "\033[%dC", cursor.col);
    put_program_pen(model, &model->output);
}

/* What it has for others */

static const uint8_t *take(text *text, size_t *count) {
    *count = text->count;
    text->count = 0;
    return text->bytes;
}

const uint8_t *screen_model_take_output(screen_model *model, size_t *count) { return take(&model->output, count); }
const uint8_t *screen_model_take_answers(screen_model *model, size_t *count) { return take(&model->answers, count); }

#else

screen_model *screen_model_open(int rows, int columns) {
    (void)rows, (void)columns;
    return 0;
}
void screen_model_close(screen_model *model) { (void)model; }
void screen_model_write(screen_model *model, const uint8_t *bytes, size_t count) {
    (void)model, (void)bytes, (void)count;
}
void screen_model_resize(screen_model *model, const output_scanner *scanner, int rows, int columns) {
    (void)model, (void)scanner, (void)rows, (void)columns;
}
void screen_model_clear(screen_model *model) { (void)model; }
bool screen_model_is_alternate(const screen_model *model) { return (void)model, false; }
bool screen_model_is_damaged(const screen_model *model) { return (void)model, false; }
bool screen_model_has_live_rows(const screen_model *model) { return (void)model, false; }
void screen_model_paint(screen_model *model, int rows, int columns, bool everything) {
    (void)model, (void)rows, (void)columns, (void)everything;
}
void screen_model_restore(screen_model *model, const output_scanner *scanner, bool has_margins) {
    (void)model, (void)scanner, (void)has_margins;
}
void screen_model_freeze(screen_model *model, int columns) { (void)model, (void)columns; }
size_t screen_model_kept(const screen_model *model) { return (void)model, (size_t)0; }
void screen_model_thaw(screen_model *model, int rows, int columns, bool wraps) {
    (void)model, (void)rows, (void)columns, (void)wraps;
}
void screen_model_erase_live_rows(screen_model *model) { (void)model; }
const uint8_t *screen_model_take_output(screen_model *model, size_t *count) { return (void)model, *count = 0, NULL; }
const uint8_t *screen_model_take_answers(screen_model *model, size_t *count) { return (void)model, *count = 0, NULL; }

#endif
