/* settle_window for C++17: times of std::chrono, and exceptions for what is out of range. Nothing is allocated.
 *
 *     settle::window window;                                                   // a value, which may be copied
 *     window.resize(settle::now(), width, height);                             // at each size
 *     window.button(settle::now(), button, is_pressed);                        // at each button, if you see them
 *     window.run([](settle::size size) { rebuild(size.width, size.height); }); // at each turn of the loop
 *
 * Include settle_x11.h before it for settle::x11. The functions of settle.h and the adapters take window.c(). */
#ifndef SETTLE_HPP
#define SETTLE_HPP

#include "settle.h"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

namespace settle {

/* Of any one clock, from 0 on. */
using time = std::chrono::nanoseconds;

template <class Clock = std::chrono::steady_clock> time now() {
    return std::chrono::duration_cast<time>(Clock::now().time_since_epoch());
}

/* A size, a time, a button or a policy is out of range, and nothing has changed: settle_window.h states the ranges. */
struct invalid : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

using size = settle_window_size;

enum class drag { unknown = SETTLE_DRAG_UNKNOWN, yes = SETTLE_DRAG_YES, no = SETTLE_DRAG_NO };

enum class action { nothing = SETTLE_WINDOW_NOTHING, preview = SETTLE_WINDOW_PREVIEW, rebuild = SETTLE_WINDOW_REBUILD };

class window {
  public:
    window() noexcept { settle_window_init(&own, nullptr); }
    explicit window(const settle_policy &policy) {
        check(settle_window_init(&own, &policy), "settle: a policy is out of range");
    }

    /* A zero width or height keeps the size. */
    void resize(time now, double width, double height, drag of = drag::unknown) {
        check(settle_window_resize(&own, ns(now), width, height, static_cast<settle_drag>(of)),
              "settle: a size or a time is out of range");
    }
    void button(time now, std::uint32_t button, bool is_pressed) {
        check(settle_window_button(&own, ns(now), button, is_pressed),
              "settle: too many buttons, or a time out of range");
    }

    /* What to do now, once for each decision, and for which size. */
    action poll(time now, size &of) noexcept { return static_cast<action>(settle_window_poll(&own, ns(now), &of)); }

    /* How long `poll` has nothing unless something is sent; none: it never will. */
    std::optional<time> timeout(time now) noexcept {
        const std::uint64_t timeout_ns = settle_window_timeout_ns(&own, ns(now));
        if (timeout_ns > static_cast<std::uint64_t>(time::max().count())) return std::nullopt;
        return time(static_cast<time::rep>(timeout_ns));
    }

    /* Polls, calls `build` for a rebuild and `preview` for a preview, each with the size, and reports a build's end. What
     * `build` throws goes on, after the window has learnt that the size before it is what is built: so it is decided again,
     * as settle_window_really_built says. Whether something was built. Under a policy with a pause share, say `previewed` when
     * the work for a preview has ended. */
    template <class Clock = std::chrono::steady_clock, class Build, class Preview>
    bool run(Build &&build, Preview &&preview) {
        size due = {};
        const time begun = settle::now<Clock>();
        const action what = poll(begun, due);
        if (what == action::preview) preview(due);
        if (what != action::rebuild) return false;
        try {
            build(due);
        } catch (...) {
            const time end = settle::now<Clock>();
            settle_window_finished(&own, ns(end), ns(end - begun));
            settle_window_really_built(&own, ns(end), built.width, built.height);
            throw;
        }
        built = due;
        const time end = settle::now<Clock>();
        settle_window_finished(&own, ns(end), ns(end - begun));
        return true;
    }
    template <class Clock = std::chrono::steady_clock, class Build> bool run(Build &&build) {
        return run<Clock>(std::forward<Build>(build), [](size) {});
    }

    /* For who polls: as the functions of settle_window.h. */
    void finished(time now, time cost) {
        check(settle_window_finished(&own, ns(now), ns(cost)), "settle: a time is out of range");
    }
    void previewed(time now, time cost, bool is_kept) {
        check(settle_window_previewed(&own, ns(now), ns(cost), is_kept), "settle: a time is out of range");
    }
    bool is_prepared() const noexcept { return settle_window_is_prepared(&own); }
    bool is_feedback() const noexcept { return settle_window_is_feedback(&own); }
    void really_built(time now, size of) {
        check(settle_window_really_built(&own, ns(now), of.width, of.height),
              "settle: a size or a time is out of range");
        built = of;
    }
    void flush(time now) { check(settle_window_flush(&own, ns(now)), "settle: a time is out of range"); }

    settle_window *c() noexcept { return &own; }

  private:
    /* A time before the clock's beginning is none. */
    static std::uint64_t ns(time at) noexcept {
        return at.count() < 0 ? UINT64_MAX : static_cast<std::uint64_t>(at.count());
    }
    static void check(int result, const char *what) {
        if (result != SETTLE_OK) throw invalid(what);
    }

    settle_window own;
    size built = {}; /* by `run` */
};

#ifdef SETTLE_X11_H
/* The pointer's buttons of an X11 display; without any where no X server reports them. */
class x11 {
  public:
    explicit x11(const char *display = nullptr) noexcept : descriptor(settle_x11_open(&own, display)) {}
    ~x11() { settle_x11_close(&own); }
    x11(const x11 &) = delete;
    x11 &operator=(const x11 &) = delete;

    /* When it is readable, and before each size. */
    void poll(window &to) noexcept { settle_x11_poll(&own, to.c()); }

  private:
    settle_x11 own = {};

  public:
    /* To poll; -1 for none. */
    const int descriptor;
};
#endif

} // namespace settle
#endif
