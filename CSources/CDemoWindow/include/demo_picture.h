/* Pictures as PNG files, compressed by zlib, which is loaded when it is used. */
#ifndef DEMO_PICTURE_H
#define DEMO_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#include "demo_window.h"

/* Encodes width × height pixels, 0x00RRGGBB each. Returns 0 with bytes that the caller frees, or
 * -1 with the cause in message, without a full stop. Any thread, one at a time. */
int demo_picture_encode(const uint32_t *pixels, int width_px, int height_px, uint8_t **bytes, size_t *count,
                        char message[DEMO_WINDOW_MESSAGE_MAX]);

#endif
