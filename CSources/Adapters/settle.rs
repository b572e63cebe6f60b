//! `settle_window` for Rust: one window's sizes in, builds out. Times are any clock's that does not go back,
//! such as `Instant::elapsed` of one start.
//!
//! ```ignore
//! let (start, mut window) = (Instant::now(), settle::Window::new());
//! window.resize(start.elapsed(), 800.0, 600.0, settle::Drag::Unknown)?; // at each size
//! window.button(start.elapsed(), 1, true)?;                             // at each button, if you see them
//! if let Some(settle::Action::Rebuild(width, height)) = window.poll(start.elapsed()) { rebuild(width, height) }
//! ```
//! Rust 1.82 or later. Compile `settle.c` beside it, as by the crate `cc` in build.rs: `cc::Build::new().file("settle.c").compile("settle")`.

use std::{ffi::c_int, time::Duration};

/// A window, which may be moved; sizes and times are as in settle.h.
#[repr(C, align(8))]
pub struct Window([u64; 192]);

/// A duration that never ends, where a policy allows it.
pub const NEVER: u64 = u64::MAX;

/// settle.h's `settle_policy`, field by field: nanoseconds, and two percentages. docs/reference/contract.md says what each
/// is for. `Policy { pause_delay_ns: 300_000_000, ..Policy::live() }` previews a pause of 300 ms.
#[repr(C)]
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Of this struct in bytes, which `default` sets.
    pub size: u64,
    pub first_delay_ns: u64,
    pub reported_end_delay_ns: u64,
    pub released_end_delay_ns: u64,
    pub discrete_delay_ns: u64,
    pub quiet_delay_ns: u64,
    pub jump_delay_ns: u64,
    pub calm_delay_ns: u64,
    pub lock_delay_ns: u64,
    pub pause_delay_ns: u64,
    pub pause_share_percent: u64,
    pub maximum_wait_ns: u64,
    pub interaction_timeout_ns: u64,
    pub live_share_percent: u64,
    pub live_limit_ns: u64,
    pub live_interval_ns: u64,
    pub live_pause_ns: u64,
}

/// What a size's source says of a drag.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drag {
    Unknown = 0,
    Yes = 1,
    No = 2,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// The size stands still, under a policy with a pause delay: something cheaper than a rebuild, or its work begun.
    Preview(f64, f64),
    Rebuild(f64, f64),
}

/// The event or the policy was invalid, and changed nothing: settle.h states when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Invalid;

impl std::fmt::Display for Invalid {
    fn fmt(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
        to.write_str("a size, a time, a button or a policy is out of range; settle.h states the ranges")
    }
}

impl std::error::Error for Invalid {}

#[repr(C)]
struct Size(f64, f64);

unsafe extern "C" {
    fn settle_policy_init_default(policy: *mut Policy, size: usize) -> c_int;
    fn settle_policy_init_prepared(policy: *mut Policy, size: usize) -> c_int;
    fn settle_policy_init_live(policy: *mut Policy, size: usize) -> c_int;
    fn settle_policy_init_uikit(policy: *mut Policy, size: usize) -> c_int;
    fn settle_window_init(window: *mut Window, policy: *const Policy) -> c_int;
    fn settle_window_resize(window: *mut Window, now_ns: u64, width: f64, height: f64, drag: Drag) -> c_int;
    fn settle_window_button(window: *mut Window, now_ns: u64, button: u32, is_pressed: bool) -> c_int;
    fn settle_window_poll(window: *mut Window, now_ns: u64, size: *mut Size) -> c_int;
    fn settle_window_timeout_ns(window: *mut Window, now_ns: u64) -> u64;
    fn settle_window_finished(window: *mut Window, now_ns: u64, cost_ns: u64) -> c_int;
    fn settle_window_previewed(window: *mut Window, now_ns: u64, cost_ns: u64, is_kept: bool) -> c_int;
    fn settle_window_is_prepared(window: *const Window) -> bool;
    fn settle_window_is_feedback(window: *const Window) -> bool;
    fn settle_window_really_built(window: *mut Window, now_ns: u64, width: f64, height: f64) -> c_int;
    fn settle_window_flush(window: *mut Window, now_ns: u64) -> c_int;
}

fn ns(now: Duration) -> u64 {
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

fn result(code: c_int) -> Result<(), Invalid> {
    if code == 0 { Ok(()) } else { Err(Invalid) }
}

impl Policy {
    fn made(init: unsafe extern "C" fn(*mut Policy, usize) -> c_int) -> Self {
        let mut policy = std::mem::MaybeUninit::<Policy>::zeroed();
        // All zero is a policy; C writes no more than it is given the size of.
        unsafe {
            let code = init(policy.as_mut_ptr(), size_of::<Policy>());
            assert_eq!(code, 0, "settle.c is older than settle.rs");
            policy.assume_init()
        }
    }

    /// The policy with previews, for builds that are worth preparing while the hand rests.
    pub fn prepared() -> Self {
        Self::made(settle_policy_init_prepared)
    }

    /// The policy with live rebuilds, for cheap builds.
    pub fn live() -> Self {
        Self::made(settle_policy_init_live)
    }

    /// No delay at all.
    pub fn uikit() -> Self {
        Self::made(settle_policy_init_uikit)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::made(settle_policy_init_default)
    }
}

impl Default for Window {
    fn default() -> Self {
        Self::new()
    }
}

// Each call has the only reference to a window that C has made, and C keeps none of it.
impl Window {
    /// With the default policy.
    pub fn new() -> Self {
        let mut window = Window([0; 192]);
        unsafe { settle_window_init(&mut window, std::ptr::null()) };
        window
    }

    pub fn with_policy(policy: &Policy) -> Result<Self, Invalid> {
        let mut window = Window([0; 192]);
        result(unsafe { settle_window_init(&mut window, policy) })?;
        Ok(window)
    }

    /// A zero width or height keeps the size.
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
        (timeout_ns != NEVER).then(|| Duration::from_nanos(timeout_ns))
    }

    /// The last build is done, and took so long: live rebuilds need it.
    pub fn finished(&mut self, now: Duration, cost: Duration) -> Result<(), Invalid> {
        result(unsafe { settle_window_finished(self, ns(now), ns(cost)) })
    }

    /// The work for the last preview is done and kept, or was cancelled, and took so long: with a pause share the next
    /// preview waits for it. Cancel work as soon as the window has another size.
    pub fn previewed(&mut self, now: Duration, cost: Duration, is_kept: bool) -> Result<(), Invalid> {
        result(unsafe { settle_window_previewed(self, ns(now), ns(cost), is_kept) })
    }

    /// Whether work for the last rebuild is done or under way since its preview: show it now, or when it is done, and
    /// say `finished` then.
    pub fn is_prepared(&self) -> bool {
        unsafe { settle_window_is_prepared(self) }
    }

    /// Whether the last rebuilds are feedback: builds give the window other sizes, each of which asks for the next build.
    /// `really_built` with the new size, within the build, ends it.
    pub fn is_feedback(&self) -> bool {
        unsafe { settle_window_is_feedback(self) }
    }

    /// What is really built has this size, zero by zero for nothing: the last build failed, or gave the window a size of
    /// its own.
    pub fn really_built(&mut self, now: Duration, width: f64, height: f64) -> Result<(), Invalid> {
        result(unsafe { settle_window_really_built(self, ns(now), width, height) })
    }

    /// Decides now what is still to be built, unless the window is dragged.
    pub fn flush(&mut self, now: Duration) -> Result<(), Invalid> {
        result(unsafe { settle_window_flush(self, ns(now)) })
    }
}
