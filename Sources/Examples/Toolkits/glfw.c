/* GLFW: builds at the ends of drags.
 * cc glfw.c settle.c $(pkg-config --cflags --libs glfw3 gl xcb xcb-xinput) */
#include "settle_glfw.h"
#include "counts.h"

static settle_glfw settle;

static void resized(GLFWwindow *window, int width, int height) {
    (void)window;
    counts_size();
    settle_glfw_size(&settle, width, height);
}

int main(void) {
    if (!glfwInit()) return fprintf(stderr, "GLFW does not start\n"), 1;
    counts_begin();
    counts_catch_end();
    GLFWwindow *window = glfwCreateWindow(400, 300, "glfw", NULL, NULL);
    if (!window) return fprintf(stderr, "GLFW makes no window\n"), 1;
    glfwMakeContextCurrent(window);
    settle_glfw_open(&settle, window, NULL);
    glfwSetFramebufferSizeCallback(window, resized);
    int width, height;
    while (!glfwWindowShouldClose(window) && !counts_ended) {
        glfwWaitEventsTimeout(settle_glfw_timeout_s(&settle));
        if (settle_glfw_poll(&settle, &width, &height) == SETTLE_WINDOW_REBUILD) {
            counts_build(width, height);
            /* The work of a build: here one color. */
            glViewport(0, 0, width, height);
            glClearColor(1.0f, 0.8f, 0.4f, 1.0f);
            glClear(GL_COLOR_BUFFER_BIT);
            glfwSwapBuffers(window);
        }
    }
    settle_glfw_close(&settle);
    glfwTerminate();
    return counts_print();
}
