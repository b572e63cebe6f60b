#if __has_include(<vterm.h>)

#include "cell_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_reserve(text *text, size_t count) {
    if (text->count + count <= text->room) return;
    size_t room = (text->count + count) * 2;
    uint8_t *more = realloc(text->bytes, room);
    if (!more) abort();
    text->bytes = more;
    text->room = room;
}

void text_append(text *text, const void *bytes, size_t count) {
    if (count == 0) return;
    text_reserve(text, count);
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

void text_put(text *text, const char *format, ...) {
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_append(text, line, (size_t)length);
}

static void put_character(text *text, uint32_t c) {
    uint8_t bytes[4];
    size_t count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = count; i-- > 1; c >>= 6) bytes[i] = (uint8_t)(0x80 | (c & 0x3F));
    bytes[0] = (uint8_t)(leads[count] | c);
    text_append(text, bytes, count);
}

static void put_color(text *text, const VTermColor *color, int ground) {
    if (ground == 30 ? VTERM_COLOR_IS_DEFAULT_FG(color) : VTERM_COLOR_IS_DEFAULT_BG(color)) return;
    if (VTERM_COLOR_IS_RGB(color)) {
        text_put(text, ";%d;2;%d;%d;%d", ground + 8, color->rgb.red, color->rgb.green, color->rgb.blue);
    } else if (color->indexed.idx < 8) {
        text_put(text, ";%d", ground + color->indexed.idx);
    } else if (color->indexed.idx < 16) {
        text_put(text, ";%d", ground + 60 + color->indexed.idx - 8);
    } else {
        text_put(text, ";%d;5;%d", ground + 8, color->indexed.idx);
    }
}

void text_put_pen(text *text, const VTermScreenCell *cell) {
    text_put(text, "\033[0");
    if (cell->attrs.bold) text_put(text, ";1");
    if (cell->attrs.italic) text_put(text, ";3");
    if (cell->attrs.underline == VTERM_UNDERLINE_SINGLE) text_put(text, ";4");
    if (cell->attrs.underline == VTERM_UNDERLINE_DOUBLE) text_put(text, ";21");
    if (cell->attrs.underline == VTERM_UNDERLINE_CURLY) text_put(text, ";4:3");
    if (cell->attrs.blink) text_put(text, ";5");
    if (cell->attrs.reverse) text_put(text, ";7");
    if (cell->attrs.strike) text_put(text, ";9");
    put_color(text, &cell->fg, 30);
    put_color(text, &cell->bg, 40);
    text_put(text, "m");
}

static bool color_is_same(const VTermColor *one, const VTermColor *other) {
    if (one->type != other->type) return false;
    if (VTERM_COLOR_IS_INDEXED(one)) return one->indexed.idx == other->indexed.idx;
    return one->rgb.red == other->rgb.red && one->rgb.green == other->rgb.green && one->rgb.blue == other->rgb.blue;
}

static bool pen_is_same(const VTermScreenCell *one, const VTermScreenCell *other) {
    return one->attrs.bold == other->attrs.bold && one->attrs.italic == other->attrs.italic &&
           one->attrs.underline == other->attrs.underline && one->attrs.blink == other->attrs.blink &&
           one->attrs.reverse == other->attrs.reverse && one->attrs.strike == other->attrs.strike &&
           color_is_same(&one->fg, &other->fg) && color_is_same(&one->bg, &other->bg);
}

/* Whether a cell looks different from what erasing leaves. */
static bool is_blank(const VTermScreenCell *cell) {
    return cell->chars[0] == 0 && !cell->attrs.reverse && VTERM_COLOR_IS_DEFAULT_BG(&cell->bg);
}

int cells_length(const VTermScreenCell *cells, int count) {
    while (count > 0 && is_blank(&cells[count - 1])) count--;
    return count;
}

void text_put_cells(text *text, const VTermScreenCell *cells, int count) {
    const VTermScreenCell *pen = NULL;
    for (int i = 0; i < count;) {
        const VTermScreenCell *cell = &cells[i];
        int width = cell->width > 1 ? cell->width : 1;
        if (!pen || !pen_is_same(pen, cell)) text_put_pen(text, cell);
        pen = cell;
        if (cell->chars[0] == 0 || i + width > count) put_character(text, ' ');
        else
            for (int c = 0; c < VTERM_MAX_CHARS_PER_CELL && cell->chars[c]; c++) put_character(text, cell->chars[c]);
        i += width;
    }
    if (pen) text_put(text, "\033[0m");
}

#else

typedef int cell_text_is_absent;

#endif
