//! Builds on a thread, begun at a preview and shown at the rebuild: settle_worker.h for Rust, beside settle.rs.
//!
//! ```ignore
//! let mut window = settle::Window::with_policy(&settle::Policy::prepared())?;
//! let mut worker = settle_worker::Worker::new(draw, wake).unwrap(); // draw runs on its thread, wake ends the loop's wait
//! window.resize(now, width, height, settle::Drag::Unknown)?;        // at each size
//! worker.resized(&mut window, now, width, height)?;
//! let action = window.poll(now);                                    // at each turn of the loop
//! if let Some((picture, width, height)) = worker.turn(&mut window, now, action)? { present(picture, width, height) }
//! ```
//! A preparation is idle, preparing, kept, and then shown or dropped: docs/guide/embedding.md has its states. Under a
//! policy without a pause share, builds begin at their rebuilds.

use super::settle::{Action, Invalid, Window};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc};
use std::{io, thread, time::Duration};

/// What a `Work` asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Begin a build for this size; what is kept, if anything, is dropped.
    Begin(f64, f64),
    /// Stop the build; `ended` follows as for any other.
    Cancel,
    /// Show what was built for this size.
    Show(f64, f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Idle,
    /// A build runs for a preview.
    Preparing,
    /// It has ended, and is kept.
    Prepared,
    /// A build runs for a rebuild, or for what a rebuild has replaced.
    Building,
    /// It has ended, and is to be shown.
    Built,
}

/// settle_worker.h's machine: when to begin a build, to cancel it and to show it, for a policy such as
/// `Policy::prepared`. It has no thread: after each of its events do what `next` says until it says nothing.
#[derive(Debug)]
pub struct Work {
    phase: Phase,
    /// Of what runs or is kept.
    size: (f64, f64),
    /// What is to be begun next; the rebuild first.
    rebuild: Option<(f64, f64)>,
    preview: Option<(f64, f64)>,
    shown: (f64, f64),
    begun: Duration,
    cost: Duration,
    is_cancelled: bool,
    is_told: bool,
    /// It was begun for a preview, and is for a rebuild now.
    is_taken_over: bool,
}

impl Default for Work {
    fn default() -> Self {
        let (size, zero) = ((0.0, 0.0), Duration::ZERO);
        let (rebuild, preview, is_cancelled, is_told, is_taken_over) = (None, None, false, false, false);
        let (phase, shown, begun, cost) = (Phase::Idle, size, zero, zero);
        Work { phase, size, rebuild, preview, shown, begun, cost, is_cancelled, is_told, is_taken_over }
    }
}

impl Work {
    fn runs(&self) -> bool {
        matches!(self.phase, Phase::Preparing | Phase::Building)
    }

    /// The window has a size: what is being prepared for another one, or was to be, is cancelled.
    pub fn resized(&mut self, window: &mut Window, now: Duration, width: f64, height: f64) -> Result<(), Invalid> {
        let size = (width, height);
        self.is_cancelled |= self.phase == Phase::Preparing && self.size != size;
        if self.preview.is_some_and(|preview| preview != size) { self.forgo(window, now) } else { Ok(()) }
    }

    /// The preview that waits is not begun.
    fn forgo(&mut self, window: &mut Window, now: Duration) -> Result<(), Invalid> {
        self.preview = None;
        window.previewed(now, Duration::ZERO, false)
    }

    /// What `poll` has returned.
    pub fn decided(&mut self, action: Action) {
        let (Action::Preview(width, height) | Action::Rebuild(width, height)) = action;
        let is_same = self.size == (width, height) && !self.is_cancelled;
        let is_begun = is_same && self.phase == Phase::Preparing;
        let is_ready = is_same && self.phase == Phase::Prepared;
        if let Action::Preview(..) = action {
            if is_begun {
                return;
            }
            self.preview = Some((width, height));
            // The last preview is over, by a rebuild that `poll` has dropped: its end is not this one's.
            if self.phase == Phase::Preparing {
                (self.phase, self.is_cancelled) = (Phase::Building, true);
            }
            return;
        }
        // By its size, and not by `is_prepared`: a preview that no turn has seen may have come between.
        let is_prepared = is_begun || is_ready;
        self.preview = None;
        self.rebuild = (!is_prepared).then_some((width, height));
        // The core gets no preview's end any more.
        if self.runs() {
            (self.phase, self.is_cancelled, self.is_taken_over) = (Phase::Building, !is_prepared, is_prepared);
        } else {
            self.phase = if is_prepared { Phase::Built } else { Phase::Idle };
        }
    }

    /// What is prepared, or was, is not what a build would make now: the content has changed, or memory is short.
    pub fn forget(&mut self) {
        match self.phase {
            Phase::Prepared => self.phase = Phase::Idle,
            Phase::Preparing => self.is_cancelled = true,
            _ => {}
        }
    }

    /// The build that was begun has ended; not `is_done`: it was stopped, or failed.
    pub fn ended(&mut self, window: &mut Window, now: Duration, is_done: bool) -> Result<(), Invalid> {
        let (is_preparation, is_cancelled) = (self.phase == Phase::Preparing, self.is_cancelled);
        self.cost = now.saturating_sub(self.begun);
        let is_taken_over = self.is_taken_over;
        (self.is_cancelled, self.is_told, self.is_taken_over) = (false, false, false);
        self.phase = match is_done && !is_cancelled {
            true if is_preparation => Phase::Prepared,
            true => Phase::Built,
            false => Phase::Idle,
        };
        if is_preparation {
            // One that failed counts as kept: the rebuild tries again, and no other preview of its size.
            return window.previewed(now, self.cost, !is_cancelled);
        }
        if is_cancelled || is_done {
            return Ok(());
        }
        if is_taken_over {
            // A preparation that failed: the rebuild builds anew.
            self.rebuild = Some(self.size);
            return Ok(());
        }
        window.finished(now, self.cost)?;
        window.really_built(now, self.shown.0, self.shown.1)?;
        // The size that is shown is not owed any more.
        if self.preview == Some(self.shown) { self.forgo(window, now) } else { Ok(()) }
    }

    /// What to do now, if anything: once for each.
    pub fn next(&mut self, window: &mut Window, now: Duration) -> Result<Option<Step>, Invalid> {
        if self.phase == Phase::Built {
            (self.phase, self.shown) = (Phase::Idle, self.size);
            window.finished(now, self.cost)?;
            return Ok(Some(Step::Show(self.size.0, self.size.1)));
        }
        if self.runs() {
            let must_say = self.is_cancelled && !self.is_told;
            self.is_told |= must_say;
            return Ok(must_say.then_some(Step::Cancel));
        }
        if self.phase == Phase::Prepared && self.preview == Some(self.size) {
            // Made already, and kept since.
            self.preview = None;
            window.previewed(now, Duration::ZERO, true)?;
            return Ok(None);
        }
        self.phase = if self.rebuild.is_some() { Phase::Building } else if self.preview.is_some() { Phase::Preparing } else { return Ok(None) };
        self.size = self.rebuild.take().or_else(|| self.preview.take()).unwrap();
        self.begun = now;
        Ok(Some(Step::Begin(self.size.0, self.size.1)))
    }
}

/// Whether a build is to stop: it returns `None` then, soon.
#[derive(Clone, Debug, Default)]
pub struct Cancelled(Arc<AtomicBool>);

impl Cancelled {
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Builds on a thread of its own, begun at a preview and shown at the rebuild, one at a time. What it builds is of any
/// type; one is kept, for one size. When it is dropped, it cancels what runs and waits for its end.
pub struct Worker<T> {
    work: Work,
    kept: Option<T>,
    cancelled: Cancelled,
    orders: Option<mpsc::Sender<(f64, f64, Cancelled)>>,
    ends: mpsc::Receiver<Option<T>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl<T: Send + 'static> Worker<T> {
    /// `build` runs on the thread, and returns `None` if it was cancelled or has failed. `wake` is called there at the end
    /// of each build: it ends the loop's wait, as by winit's `EventLoopProxy`.
    pub fn new(
        mut build: impl FnMut(f64, f64, &Cancelled) -> Option<T> + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> io::Result<Self> {
        let (orders, ordered) = mpsc::channel::<(f64, f64, Cancelled)>();
        let (sender, ends) = mpsc::channel();
        let thread = thread::Builder::new().name("builds".into()).spawn(move || {
            for (width, height, cancelled) in ordered {
                // A build that panics has failed, and has said so.
                let built = panic::catch_unwind(AssertUnwindSafe(|| build(width, height, &cancelled)));
                if sender.send(built.unwrap_or(None)).is_err() {
                    return;
                }
                wake();
            }
        })?;
        let (work, cancelled) = (Work::default(), Cancelled::default());
        Ok(Worker { work, kept: None, cancelled, orders: Some(orders), ends, thread: Some(thread) })
    }

    /// The window has a size; after `Window::resize`.
    pub fn resized(&mut self, window: &mut Window, now: Duration, width: f64, height: f64) -> Result<(), Invalid> {
        self.work.resized(window, now, width, height)?;
        self.act(window, now).map(|_| ())
    }

    /// At each turn of the loop, with what `Window::poll` has returned, also nothing: a build may have ended. What is to be
    /// shown now, and for which size. Ask `Window::timeout` after it.
    pub fn turn(&mut self, window: &mut Window, now: Duration, action: Option<Action>) -> Result<Option<(T, f64, f64)>, Invalid> {
        if let Some(action) = action {
            self.work.decided(action);
        }
        if let Ok(built) = self.ends.try_recv() {
            self.work.ended(window, now, built.is_some())?;
            self.kept = built;
        }
        if self.work.phase == Phase::Idle {
            self.kept = None;
        }
        self.act(window, now)
    }

    /// What is kept is dropped, and built anew at its rebuild: the content has changed, or memory is short.
    pub fn forget(&mut self, window: &mut Window, now: Duration) -> Result<(), Invalid> {
        self.work.forget();
        if !self.work.runs() {
            self.kept = None;
        }
        self.act(window, now).map(|_| ())
    }

    fn act(&mut self, window: &mut Window, now: Duration) -> Result<Option<(T, f64, f64)>, Invalid> {
        let mut shown = None;
        while let Some(step) = self.work.next(window, now)? {
            match step {
                Step::Cancel => self.cancelled.0.store(true, Ordering::Relaxed),
                Step::Show(width, height) => shown = self.kept.take().map(|built| (built, width, height)),
                Step::Begin(width, height) => {
                    self.kept = None;
                    self.cancelled = Cancelled::default();
                    let orders = self.orders.as_ref().expect("it is not dropped");
                    orders.send((width, height, self.cancelled.clone())).expect("the thread runs");
                }
            }
        }
        Ok(shown)
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        self.cancelled.0.store(true, Ordering::Relaxed);
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
