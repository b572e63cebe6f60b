#if __has_include(<vterm.h>)

#include "vterm_model.h"

#include <stdlib.h>
#include <string.h>

static void put_row(const vterm_model *model, text *text, int row, int columns) {
    VTermScreenCell *cells = vterm_model_cells(model, row);
    int length = cells_length(cells, model->columns);
    text_put_cells(text, cells, length < columns ? length : columns);
    free(cells);
}

/* Painting */

void vterm_model_paint(vterm_model *model, int rows, int columns, bool everything) {
    text *out = &model->output;
    VTermPos cursor = vterm_model_cursor(model);
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

static int number_of(const vterm_model *model, VTermAttr attribute) {
    VTermValue value = {0};
    vterm.state_get_penattr(model->state, attribute, &value);
    return value.number;
}

static VTermColor color_of(const vterm_model *model, VTermAttr attribute) {
    VTermValue value = {0};
    vterm.state_get_penattr(model->state, attribute, &value);
    return value.color;
}

/* Sets the pen of the program. */
static void put_program_pen(const vterm_model *model, text *text) {
    VTermScreenCell pen = {.fg = color_of(model, VTERM_ATTR_FOREGROUND), .bg = color_of(model, VTERM_ATTR_BACKGROUND)};
    pen.attrs.bold = number_of(model, VTERM_ATTR_BOLD) != 0;
    pen.attrs.underline = number_of(model, VTERM_ATTR_UNDERLINE) & 3;
    pen.attrs.italic = number_of(model, VTERM_ATTR_ITALIC) != 0;
    pen.attrs.blink = number_of(model, VTERM_ATTR_BLINK) != 0;
    pen.attrs.reverse = number_of(model, VTERM_ATTR_REVERSE) != 0;
    pen.attrs.strike = number_of(model, VTERM_ATTR_STRIKE) != 0;
    text_put_pen(text, &pen);
}

void vterm_model_restore(vterm_model *model, const output_modes *modes, bool has_margins) {
    text *out = &model->output;
    VTermPos cursor = vterm_model_cursor(model);
    has_margins = has_margins && modes->margin_top + modes->margin_bottom > 0;
    if (has_margins) {
        text_put(out, "\033[%d;%dr", modes->margin_top > 0 ? modes->margin_top : 1,
                 modes->margin_bottom > 0 ? modes->margin_bottom : model->rows);
    }
    int first = has_margins && modes->has_origin && modes->margin_top > 0 ? modes->margin_top - 1 : 0;
    text_put(out, "\033[?7%c\033[?6%c\033[4%c", modes->has_no_wrap ? 'l' : 'h', modes->has_origin ? 'h' : 'l',
             modes->has_insert ? 'h' : 'l');
    text_put(out, "\033[%d;%dH", cursor.row - first + 1, cursor.col + 1);
    text_put(out, "\033(%c\033)%c%c", modes->charsets[0], modes->charsets[1], modes->is_shifted ? 0x0E : 0x0F);
    put_program_pen(model, out);
    text_put(out, "\033[?25%c", model->shows_cursor ? 'h' : 'l');
}

/* The main screen, of which the model knows no more than the program's own rows */

void vterm_model_freeze(vterm_model *model, int columns) {
    VTermPos cursor = vterm_model_cursor(model);
    int top = model->live_top < cursor.row ? model->live_top : cursor.row;
    free(model->frozen_lengths);
    model->frozen_count = cursor.row - top;
    model->frozen_column = cursor.col < columns ? cursor.col : columns - 1;
    model->frozen_lengths = calloc((size_t)model->frozen_count + 1, sizeof(int));
    if (!model->frozen_lengths) abort();
    for (int i = 0; i < model->frozen_count; i++) {
        VTermScreenCell *cells = vterm_model_cells(model, top + i);
        model->frozen_lengths[i] = cells_length(cells, columns < model->columns ? columns : model->columns);
        free(cells);
    }
    model->kept.count = 0;
    model->is_frozen = true;
    model->is_damaged = false;
    model->frozen_top = top;
}

void vterm_model_thaw(vterm_model *model, int rows, int columns, bool wraps) {
    text *out = &model->output;
    int up = wraps ? model->frozen_column / columns : 0;
    for (int i = 0; i < model->frozen_count; i++) {
        up += wraps && model->frozen_lengths[i] > columns ? (model->frozen_lengths[i] - 1) / columns + 1 : 1;
    }
    text_put(out, "\033[?2026h\r");
    if (up > 0) text_put(out, "\033[%dA", up);
    text_put(out, "\033[0m\033[J");
    text_append(out, model->kept.bytes ? model->kept.bytes : (const uint8_t *)"", model->kept.count);
    VTermPos cursor = vterm_model_cursor(model);
    int top = model->frozen_top > 0 ? model->frozen_top : 0;
    if (top > cursor.row) top = cursor.row;
    /* Rows below the cursor as far as there is something, and as all of them fit. */
    int last = cursor.row;
    for (int row = cursor.row + 1; row < model->rows && row - top < rows; row++) {
        VTermScreenCell *cells = vterm_model_cells(model, row);
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

void vterm_model_erase_live_rows(vterm_model *model) {
    VTermPos cursor = vterm_model_cursor(model);
    int up = cursor.row - (model->live_top < cursor.row ? model->live_top : cursor.row);
    text_put(&model->output, "\r");
    if (up > 0) text_put(&model->output, "\033[%dA", up);
    text_put(&model->output, "\033[0m\033[J");
    if (up > 0) text_put(&model->output, "\033[%dB", up);
    if (cursor.col > 0) text_put(&model->output, "\033[%dC", cursor.col);
    put_program_pen(model, &model->output);
}

#else

typedef int vterm_painting_is_absent;

#endif
