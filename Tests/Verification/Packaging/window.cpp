// The drag of Sources/Examples/Embedding/window.c by settle.hpp; then what C has not: a build that throws, and what is out
// of range. The status is the number of what failed, and nothing is allocated meanwhile.
#include "settle.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>

using namespace std::chrono_literals;

static int allocations;
void *operator new(std::size_t size) {
    ++allocations;
    if (void *made = std::malloc(size)) return made;
    throw std::bad_alloc();
}
void operator delete(void *made) noexcept { std::free(made); }
void operator delete(void *made, std::size_t) noexcept { std::free(made); }

// A clock that stands still but for `set`.
struct made_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<made_clock>;
    static inline duration at{};
    static time_point now() { return time_point(at); }
};

static bool run_at(settle::window &window, settle::time at, bool fails = false) {
    made_clock::at = at;
    return window.run<made_clock>([&](settle::size size) {
        if (fails) throw 1;
        std::printf("build %gx%g at %g ms\n", size.width, size.height,
                    std::chrono::duration<double, std::milli>(at).count());
    });
}

static void drag() {
    settle::window window;
    window.resize(0ms, 800, 600);
    run_at(window, 0ms);
    for (int ms = 0; ms <= 3000; ms++) {
        const settle::time at = std::chrono::milliseconds(ms);
        if (ms == 10) window.button(at, 1, true);
        if (ms > 10 && ms <= 110) window.resize(at, 790 + ms, 600);
        if (ms == 2100) window.button(at, 1, false);
        run_at(window, at);
    }
}

// A build that throws is decided again by flush, also in a copy, and once.
static bool fails_and_recovers() {
    settle::window window;
    window.resize(0ms, 800, 600);
    try {
        run_at(window, 0ms, true);
        return false;
    } catch (int) {}
    int built = 0;
    const auto count = [&](settle::size size) { built += size.width == 800; };
    if (window.run<made_clock>(count)) return false;
    window.flush(1s);
    made_clock::at = 1s;
    settle::window copy = window;
    return copy.run<made_clock>(count) && !copy.run<made_clock>(count) && window.run<made_clock>(count) && built == 2 &&
           !window.timeout(1s);
}

// What is built stays so where a build throws, also what was really built by others: its size owes nothing.
static bool knows_what_is_built() {
    settle::window window;
    window.resize(0ms, 800, 600);
    run_at(window, 0ms);
    for (const double width : {800.0, 850.0}) {
        const settle::time at = std::chrono::seconds(static_cast<int>(width) - 700);
        if (width == 850) window.really_built(at, {850, 600});
        window.resize(at, 900, 600);
        window.flush(at);
        try {
            run_at(window, at, true);
            return false;
        } catch (int) {}
        window.resize(at, width, 600);
        window.flush(at);
        settle::size size;
        if (window.poll(at, size) != settle::action::nothing) return false;
    }
    return true;
}

template <class Call> static bool is_invalid(Call call) {
    try {
        call();
        return false;
    } catch (const settle::invalid &) {
        return true;
    }
}

int main() {
    drag();
    if (!fails_and_recovers()) return 1;
    if (!knows_what_is_built()) return 6;
    // What is thrown by now is an int, which no operator new makes.
    if (allocations) return 2;
    settle::window window;
    if (!is_invalid([&] { window.resize(0ms, -1, 600); })) return 3;
    if (!is_invalid([&] { window.resize(-1ms, 800, 600); })) return 4;
    settle_policy policy = settle_policy_default();
    policy.quiet_delay_ns = SETTLE_NEVER - 1;
    return is_invalid([&] { settle::window other(policy); }) ? 0 : 5;
}
