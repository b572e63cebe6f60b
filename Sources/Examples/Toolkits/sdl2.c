/* SDL 2: builds at the ends of drags.
 * cc sdl2.c settle.c $(pkg-config --cflags --libs sdl2 xcb xcb-xinput) */
#include "settle_sdl2.h"
#include "counts.h"

int main(void) {
    if (SDL_Init(SDL_INIT_VIDEO)) return fprintf(stderr, "%s\n", SDL_GetError()), 1;
    counts_begin();
    SDL_Window *window = SDL_CreateWindow("sdl2", 100, 100, 400, 300, SDL_WINDOW_RESIZABLE);
    if (!window) return fprintf(stderr, "%s\n", SDL_GetError()), 1;
    settle_sdl2 settle;
    settle_sdl2_open(&settle, window, NULL);
    int width, height;
    while (!counts_ended) {
        SDL_Event event;
        if (SDL_WaitEventTimeout(&event, settle_sdl2_timeout_ms(&settle))) {
            settle_sdl2_event(&settle, &event);
            if (event.type == SDL_QUIT) counts_ended = 1;
            if (event.type == SDL_WINDOWEVENT && event.window.event == SDL_WINDOWEVENT_SIZE_CHANGED) counts_size();
        }
        if (settle_sdl2_poll(&settle, &width, &height) == SETTLE_WINDOW_REBUILD) {
            counts_build(width, height);
            /* The work of a build: here one color. */
            SDL_FillRect(SDL_GetWindowSurface(window), NULL, 0xffcc66);
            SDL_UpdateWindowSurface(window);
        }
    }
    settle_sdl2_close(&settle);
    SDL_Quit();
    return counts_print();
}
