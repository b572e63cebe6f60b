#include "window_message.h"
#include "demo_window.h"

#include <stdarg.h>
#include <stdio.h>

int window_failure(char *message, const char *format, ...) {
    va_list values;
    va_start(values, format);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the analyzer forgets va_start.
    vsnprintf(message, DEMO_WINDOW_MESSAGE_MAX, format, values);
    va_end(values);
    return -1;
}
