//! `settle_window` for Rust: one window's sizes in, builds out. Times are any clock's that does not go back,
//! such as `Instant::elapsed` of one start.
//!
//! ```ignore
//! let (start, mut window) = (Instant::now(), settle::Window::new());
//! window.resize(start.elapsed(), 800.0, 600.0, settle::Drag::Unknown); // at each size
//! window.button(start.elapsed(), 1, true);                             // at each button, if you see them
//! if let Some(settle::Action::Rebuild(width, height)) = window.poll(start.elapsed()) { … }
//! ```
//! Compile `settle.c` beside it, as by the crate `cc` in build.rs: `cc::Build::new().file("settle.c").compile("settle")`.

use std::{ffi::c_int, time::Duration};

/// A window with the default policy. It may be moved; sizes and times are as in settle.h.
#[repr(C, align(8))]
pub struct Window([u64; 128]);

/// What a size's source says of a drag.
#[repr(C)]
pub enum Drag {
    Unknown = 0,
    Yes = 1,
    No = 2,
}

#[derive(Debug, PartialEq)]
pub enum Action {
    /// The size is held within a drag, under a policy with a pause delay.
    Preview(f64, f64),
    Rebuild(f64, f64),
}

/// The event was invalid, and changed nothing: settle.h states when.
#[derive(Debug)]
pub struct Invalid;

#[repr(C)]
struct Size(f64, f64);

extern "C" {
    fn settle_window_init(window: *mut Window, policy: *const u8) -> c_int;
    fn settle_window_resize(window: *mut Window, now_ns: u64, width: f64, height: f64, drag: Drag) -> c_int;
    fn settle_window_button(window: *mut Window, now_ns: u64, button: u32, is_pressed: bool) -> c_int;
    fn settle_window_poll(window: *mut Window, now_ns: u64, size: *mut Size) -> c_int;
    fn settle_window_timeout_ns(window: *mut Window, now_ns: u64) -> u64;
    fn settle_window_built(window: *mut Window, now_ns: u64, width: f64, height: f64) -> c_int;
}

fn ns(now: Duration) -> u64 {
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

fn result(code: c_int) -> Result<(), Invalid> {
    if code == 0 { Ok(()) } else { Err(Invalid) }
}

// Each call has the only reference to a window that `new` has made, and C keeps none of it.
impl Window {
    pub fn new() -> Self {
        let mut window = Window([0; 128]);
        unsafe { settle_window_init(&mut window, std::ptr::null()) };
        window
    }

    pub fn resize(&mut self, now: Duration, width: f64, height: f64, drag: Drag) -> Result<(), Invalid> {
        result(unsafe { settle_window_resize(self, ns(now), width, height, drag) })
    }

    pub fn button(&mut self, now: Duration, button: u32, is_pressed: bool) -> Result<(), Invalid> {
        result(unsafe { settle_window_button(self, ns(now), button, is_pressed) })
    }

    /// What to do now, once for each decision.
    pub fn poll(&mut self, now: Duration) -> Option<Action> {
        let mut size = Size(0.0, 0.0);
        match unsafe { settle_window_poll(self, ns(now), &mut size) } {
            0 => None,
            1 => Some(Action::Preview(size.0, size.1)),
            _ => Some(Action::Rebuild(size.0, size.1)),
        }
    }

    /// How long `poll` has nothing unless something is sent; `None`: it never will.
    pub fn timeout(&mut self, now: Duration) -> Option<Duration> {
        let timeout_ns = unsafe { settle_window_timeout_ns(self, ns(now)) };
        (timeout_ns != u64::MAX).then(|| Duration::from_nanos(timeout_ns))
    }

    /// The last build failed: this size is really built, zero by zero for nothing.
    pub fn built(&mut self, now: Duration, width: f64, height: f64) -> Result<(), Invalid> {
        result(unsafe { settle_window_built(self, ns(now), width, height) })
    }
}
