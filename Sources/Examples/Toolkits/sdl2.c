/* A viewer over SDL 2: builds its picture at the ends of drags. Within them SDL scales the old one.
 * cc sdl2.c settle.c $(pkg-config --cflags --libs sdl2 xcb xcb-xinput) */
#include "settle_sdl2.h"
#include "counts.h"

#include <SDL.h>

static SDL_Renderer *renderer;
static SDL_Texture *picture;

static void rebuild(int width, int height) {
    counts_build(width, height);
    SDL_Surface *surface = SDL_CreateRGBSurfaceWithFormat(0, width, height, 32, SDL_PIXELFORMAT_ARGB8888);
    if (!surface) return;
    for (int x = 0; x < width; x++)
        SDL_FillRect(surface, &(SDL_Rect){x, 0, 1, height}, 0xffff6600u + (Uint32)(x * 255 / width));
    if (picture) SDL_DestroyTexture(picture);
    picture = SDL_CreateTextureFromSurface(renderer, surface);
    SDL_FreeSurface(surface);
}

static void draw(void) {
    SDL_RenderCopy(renderer, picture, NULL, NULL);
    SDL_RenderPresent(renderer);
}

int main(void) {
    if (SDL_Init(SDL_INIT_VIDEO)) return fprintf(stderr, "%s\n", SDL_GetError()), 1;
    counts_begin();
    SDL_Window *window = SDL_CreateWindow("sdl2", 100, 100, 400, 300, SDL_WINDOW_RESIZABLE);
    renderer = window ? SDL_CreateRenderer(window, -1, 0) : NULL;
    if (!renderer) return fprintf(stderr, "%s\n", SDL_GetError()), 1;
    SDL_Event event;
    int width, height;
    settle_sdl2 settle;
    settle_sdl2_open(&settle, window, NULL);
    for (;;) {
        bool is_new = SDL_WaitEventTimeout(&event, settle_sdl2_timeout_ms(&settle));
        if (is_new && event.type == SDL_QUIT) break;
        if (is_new) settle_sdl2_event(&settle, &event);
        bool is_due = settle_sdl2_poll(&settle, &width, &height) == SETTLE_WINDOW_REBUILD;
        if (is_due) rebuild(width, height);
        if (is_new || is_due) draw();
    }
    settle_sdl2_close(&settle);
    SDL_Quit();
    return counts_print();
}
