#if __has_include(<vterm.h>)

#include "vterm_model.h"

#include "loaded_library.h"

#include <stdlib.h>
#include <string.h>

vterm_functions vterm;

int vterm_model_load(void) {
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

VTermScreenCell *vterm_model_cells(const vterm_model *model, int row) {
    VTermScreenCell *cells = calloc((size_t)model->columns, sizeof *cells);
    if (!cells) abort();
    for (int column = 0; column < model->columns; column++) {
        vterm.screen_get_cell(model->screen, (VTermPos){.row = row, .col = column}, &cells[column]);
    }
    return cells;
}

/* What libvterm says */

static int damage(VTermRect rect, void *user) {
    vterm_model *model = user;
    for (int row = rect.start_row; row < rect.end_row && row < model->rows; row++) model->damaged[row] = true;
    model->is_damaged = true;
    return 1;
}

static int move_cursor(VTermPos now, VTermPos before, int visible, void *user) {
    (void)visible;
    vterm_model *model = user;
    model->is_damaged = true;
    if (model->is_alternate || now.row == before.row) return 1;
    bool is_up = now.row < before.row;
    if (is_up && (!model->is_going_up || now.row < model->live_top)) model->live_top = now.row;
    model->is_going_up = is_up;
    return 1;
}

static int set_property(VTermProp property, VTermValue *value, void *user) {
    vterm_model *model = user;
    model->is_damaged = true;
    if (property == VTERM_PROP_ALTSCREEN) model->is_alternate = value->boolean;
    if (property == VTERM_PROP_CURSORVISIBLE) model->shows_cursor = value->boolean;
    if (property == VTERM_PROP_REVERSE) model->is_reverse = value->boolean;
    return 1;
}

/* A row scrolls away at the main screen's top. */
static int push_line(int columns, const VTermScreenCell *cells, void *user) {
    vterm_model *model = user;
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
    vterm_model *model = user;
    text_append(&model->answers, bytes, count);
}

/* The model */

static void make_screen(vterm_model *model, int rows, int columns) {
    VTerm *vt = vterm.new(rows, columns);
    bool *damaged = calloc((size_t)rows, sizeof *damaged);
    if (!vt || !damaged) abort();
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
    vterm_model_clear(model);
}

vterm_model *vterm_model_open(int rows, int columns) {
    vterm_model *model = calloc(1, sizeof *model);
    if (!model) abort();
    make_screen(model, rows, columns);
    return model;
}

/* Without the control characters of C1 in UTF-8, to which libvterm 0.1 gives a width of -1. */
static void put(vterm_model *model, const uint8_t *bytes, size_t count) {
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
}

static VTermPos position_in(const VTerm *vt) {
    VTermPos position;
    vterm.state_get_cursorpos(vterm.obtain_state((VTerm *)vt), &position);
    return position;
}

VTermPos vterm_model_cursor(const vterm_model *model) { return position_in(model->vt); }

/* How many columns the character has that was written last, by libvterm itself. */
static int last_width(const vterm_model *model) {
    VTerm *vt = vterm.new(1, 8);
    if (!vt) abort();
    vterm.set_utf8(vt, 1);
    vterm.screen_reset(vterm.obtain_screen(vt), 1);
    vterm.input_write(vt, (const char *)model->last, model->last_length);
    int width = position_in(vt).col;
    vterm.free(vt);
    return width;
}

/* Writes the last character, once it is whole. Without wrapping, one of two columns is not drawn where one column is
 * left, as in a terminal; libvterm 0.1 would begin the next row. */
static void put_last(vterm_model *model) {
    bool is_at_end = model->scanner.modes.has_no_wrap && vterm_model_cursor(model).col == model->columns - 1;
    if (is_at_end && model->last[0] >= 0xE1 && last_width(model) > 1) return;
    put(model, model->last, model->last_length);
}

static size_t character_length(uint8_t lead) { return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4; }

/* Text without wrapping, by characters of which each may meet the end of the row. */
static void put_characters(vterm_model *model, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool is_rest = (bytes[i] & 0xC0) == 0x80 && model->last_length > 0 && !model->is_last_whole;
        if (!is_rest) model->last_length = 0;
        model->last[model->last_length++] = bytes[i];
        model->is_last_whole = model->last_length >= character_length(model->last[0]);
        if (model->is_last_whole) put_last(model);
    }
}

/* Keeps the last character of text, of which a part may have come before. */
static void note_last(vterm_model *model, const uint8_t *bytes, size_t count) {
    for (size_t i = count > CHARACTER_MAX ? count - CHARACTER_MAX : 0; i < count; i++) {
        bool is_rest = (bytes[i] & 0xC0) == 0x80;
        if (!is_rest || model->last_length == CHARACTER_MAX) model->last_length = 0;
        model->last[model->last_length++] = bytes[i];
    }
    model->is_last_whole = model->last_length >= character_length(model->last[0]);
}

/* CSI b, of which libvterm 0.1 writes outside of its memory, or never ends. */
static void repeat(vterm_model *model) {
    const output_scanner *scanner = &model->scanner;
    if (model->last_length == 0 || !model->is_last_whole || model->last[0] < 0x20) return;
    long most = (long)model->rows * model->columns, count = strtol((const char *)scanner->bytes + 2, NULL, 10);
    if (count < 1) count = 1;
    for (long i = 0; i < count && i < most; i++) put_last(model);
}

void vterm_model_write(vterm_model *model, const uint8_t *bytes, size_t count) {
    output_scanner *scanner = &model->scanner;
    for (size_t at = 0, taken; at < count; at += taken) {
        taken = output_scanner_next(scanner, bytes + at, count - at);
        bool is_repeat = scanner->kind == OUTPUT_DRAWS && scanner->length > 2 && scanner->bytes[1] == '[' &&
                         scanner->bytes[scanner->length - 1] == 'b';
        if (scanner->kind == OUTPUT_PART) continue;
        if (scanner->kind != OUTPUT_TEXT) {
            if (is_repeat) repeat(model);
            else if (scanner->length < OUTPUT_SEQUENCE_MAX) put(model, scanner->bytes, scanner->length);
        } else if (scanner->modes.has_no_wrap) {
            put_characters(model, bytes + at, taken);
        } else {
            note_last(model, bytes + at, taken);
            put(model, bytes + at, taken);
        }
    }
    vterm.screen_flush_damage(model->screen);
}

void vterm_model_clear(vterm_model *model) {
    output_scanner_init(&model->scanner);
    model->last_length = 0;
    model->is_alternate = model->is_reverse = false;
    vterm.screen_reset(model->screen, 1);
    vterm.screen_flush_damage(model->screen);
    model->live_top = -1;
}

bool vterm_model_is_alternate(const vterm_model *model) { return model->is_alternate; }
bool vterm_model_is_damaged(const vterm_model *model) { return model->is_damaged; }
bool vterm_model_has_live_rows(const vterm_model *model) { return !model->is_alternate && model->live_top >= 0; }

/* libvterm 0.1 writes outside of its memory after a change of size: a new screen gets what fits of the old one. */
void vterm_model_resize(vterm_model *model, const output_modes *modes, int rows, int columns) {
    if (rows == model->rows && columns == model->columns) return;
    int live_top = model->live_top;
    if (model->is_alternate) text_put(&model->output, "\033[?1049h");
    vterm_model_paint(model, rows, columns, true);
    vterm_model_restore(model, modes, false);
    text shown = model->output;
    model->output = (text){0};
    int offset = model->offset;
    /* A sequence may be under way. */
    output_scanner scanner = model->scanner;
    make_screen(model, rows, columns);
    vterm_model_write(model, shown.bytes, shown.count);
    model->scanner = scanner;
    free(shown.bytes);
    model->live_top = live_top >= offset ? live_top - offset : -1;
    model->is_going_up = false;
}

/* What it has for others */

static const uint8_t *take(text *text, size_t *count) {
    *count = text->count;
    text->count = 0;
    return text->bytes;
}

const uint8_t *vterm_model_take_output(vterm_model *model, size_t *count) { return take(&model->output, count); }
const uint8_t *vterm_model_take_answers(vterm_model *model, size_t *count) { return take(&model->answers, count); }

#else

typedef int vterm_model_is_absent;

#endif
