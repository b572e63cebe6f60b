//! settle.rs: each function decides as settle_window does. settle_worker.rs: builds on its thread; its machine has the cases
//! of preparations.
#[path = "ADAPTERS/settle.rs"]
mod settle;
#[path = "ADAPTERS/settle_worker.rs"]
mod settle_worker;

use settle::{Action, Drag, Invalid, Policy, Window, NEVER};
use settle_worker::{Cancelled, Worker};
use std::sync::mpsc;
use std::time::Duration;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn resize(window: &mut Window, at: u64, width: f64, drag: Drag) -> Option<Action> {
    window.resize(ms(at), width, 600.0, drag).unwrap();
    window.poll(ms(at))
}

fn previews_and_live_builds() {
    let policy = Policy { pause_delay_ns: 300_000_000, ..Policy::live() };
    let mut window = Box::new(Window::with_policy(&policy).unwrap());
    assert_eq!(resize(&mut window, 0, 800.0, Drag::Yes), None);
    assert_eq!(resize(&mut window, 1, 800.0, Drag::No), Some(Action::Rebuild(800.0, 600.0)));
    assert_eq!(resize(&mut window, 1_000, 900.0, Drag::Yes), None);
    assert_eq!(window.timeout(ms(1_000)), Some(ms(300)));
    assert_eq!(window.poll(ms(1_300)), Some(Action::Preview(900.0, 600.0)));
    // The reports of builds pay for live ones: 3 ms of each 10.
    window.finished(ms(1_310), ms(3)).unwrap();
    let mut moved = *window;
    assert_eq!(moved.timeout(ms(1_310)), Some(ms(7)));
    assert_eq!(moved.poll(ms(1_317)), Some(Action::Rebuild(900.0, 600.0)));
    assert_eq!(resize(&mut moved, 1_400, 940.0, Drag::Yes), None);
    moved.finished(ms(1_500), ms(3)).unwrap();
    assert_eq!(moved.poll(ms(1_507)), Some(Action::Rebuild(940.0, 600.0)));
}

fn prepared_builds() {
    let mut window = Window::with_policy(&Policy::prepared()).unwrap();
    assert_eq!(resize(&mut window, 0, 800.0, Drag::Yes), None);
    assert_eq!(resize(&mut window, 1, 800.0, Drag::No), Some(Action::Rebuild(800.0, 600.0)));
    assert!(!window.is_prepared() && !window.is_feedback());
    assert_eq!(resize(&mut window, 1_000, 900.0, Drag::Yes), None);
    assert_eq!(window.poll(ms(1_050)), Some(Action::Preview(900.0, 600.0)));
    // What is given up is asked for again after a pause.
    window.previewed(ms(1_060), ms(10), false).unwrap();
    assert_eq!(window.timeout(ms(1_060)), Some(ms(50)));
    assert_eq!(window.poll(ms(1_110)), Some(Action::Preview(900.0, 600.0)));
    window.previewed(ms(1_120), ms(10), true).unwrap();
    assert_eq!(resize(&mut window, 1_200, 900.0, Drag::No), Some(Action::Rebuild(900.0, 600.0)));
    assert!(window.is_prepared());
}

fn failures() {
    let mut window = Window::new();
    assert_eq!(window.timeout(ms(0)), None);
    assert_eq!(resize(&mut window, 0, 800.0, Drag::Unknown), Some(Action::Rebuild(800.0, 600.0)));
    window.really_built(ms(1), 0.0, 0.0).unwrap();
    assert_eq!(window.poll(ms(2)), None);
    window.flush(ms(3)).unwrap();
    assert_eq!(window.poll(ms(3)), Some(Action::Rebuild(800.0, 600.0)));
    // A size that the program chose itself.
    window.really_built(ms(4), 800.0, 500.0).unwrap();
    window.resize(ms(5), 800.0, 500.0, Drag::Unknown).unwrap();
    assert_eq!(window.poll(ms(9_000)), None);
    // A button that is held.
    window.button(ms(9_001), 1, true).unwrap();
    assert_eq!(resize(&mut window, 9_002, 900.0, Drag::Unknown), None);
    window.button(ms(9_003), 1, false).unwrap();
    assert_eq!(window.poll(ms(9_019)), Some(Action::Rebuild(900.0, 600.0)));
}

fn invalid() {
    let mut window = Window::new();
    assert_eq!(window.resize(ms(0), f64::NAN, 600.0, Drag::No), Err(Invalid));
    assert_eq!(window.resize(Duration::MAX, 800.0, 600.0, Drag::No), Err(Invalid));
    assert_eq!(window.really_built(ms(0), -1.0, 600.0), Err(Invalid));
    assert_eq!(window.finished(Duration::MAX, ms(1)), Err(Invalid));
    assert_eq!(window.previewed(Duration::MAX, ms(1), true), Err(Invalid));
    let policy = Policy { quiet_delay_ns: NEVER, ..Policy::default() };
    assert_eq!(Window::with_policy(&policy).err(), Some(Invalid));
    assert!(Policy::uikit() != Policy::default() && Policy::live() != Policy::default());
    assert!(Policy::prepared() != Policy::default());
    let error: Box<dyn std::error::Error> = Box::new(Invalid);
    assert!(error.to_string().contains("out of range"));
}

/// A worker whose builds wait for the test, and what it has begun.
struct Builds {
    /// Dropped first: the worker waits for its build's end.
    lets: mpsc::Sender<bool>,
    worker: Worker<(f64, f64)>,
    begun: mpsc::Receiver<(f64, f64, Cancelled)>,
    ended: mpsc::Receiver<()>,
}

impl Builds {
    fn new() -> Self {
        let ((begins, begun), (lets, waits), (ends, ended)) = (mpsc::channel(), mpsc::channel::<bool>(), mpsc::channel());
        let build = move |width: f64, height: f64, cancelled: &Cancelled| {
            begins.send((width, height, cancelled.clone())).unwrap();
            assert!(waits.recv().unwrap(), "a build that panics has failed");
            Some((width, height))
        };
        Builds { lets, worker: Worker::new(build, move || ends.send(()).unwrap_or(())).unwrap(), begun, ended }
    }

    /// The build that has begun ends, and the loop takes a turn.
    fn end(&mut self, window: &mut Window, at: u64, is_done: bool) -> Option<(f64, f64)> {
        self.lets.send(is_done).unwrap();
        self.ended.recv().unwrap();
        self.turn(window, at)
    }

    fn turn(&mut self, window: &mut Window, at: u64) -> Option<(f64, f64)> {
        let action = window.poll(ms(at));
        let shown = self.worker.turn(window, ms(at), action).unwrap();
        shown.map(|(built, width, height)| {
            assert_eq!(built, (width, height));
            built
        })
    }

    fn resize(&mut self, window: &mut Window, at: u64, width: f64, drag: Drag) -> Option<(f64, f64)> {
        window.resize(ms(at), width, 600.0, drag).unwrap();
        self.worker.resized(window, ms(at), width, 600.0).unwrap();
        self.turn(window, at)
    }

    fn has_begun(&self, width: f64) -> Cancelled {
        let (begun, _, cancelled) = self.begun.recv().unwrap();
        assert_eq!(begun, width);
        cancelled
    }
}

fn builds_on_a_thread() {
    let (mut window, mut builds) = (Window::with_policy(&Policy::prepared()).unwrap(), Builds::new());
    builds.resize(&mut window, 0, 800.0, Drag::Yes);
    builds.resize(&mut window, 1, 800.0, Drag::No);
    builds.has_begun(800.0);
    assert_eq!(builds.end(&mut window, 100, true), Some((800.0, 600.0)));
    // Cancelled by a change of size, and begun for the next one: shown when the hand lets go.
    builds.resize(&mut window, 1_000, 900.0, Drag::Yes);
    assert_eq!(builds.turn(&mut window, 1_050), None);
    let cancelled = builds.has_begun(900.0);
    assert!(!cancelled.is_set());
    builds.resize(&mut window, 1_060, 910.0, Drag::Yes);
    assert!(cancelled.is_set());
    assert_eq!(builds.end(&mut window, 1_061, true), None);
    assert_eq!(builds.turn(&mut window, 1_110), None);
    assert_eq!(builds.turn(&mut window, 1_111), None);
    assert!(!builds.has_begun(910.0).is_set());
    assert_eq!(builds.end(&mut window, 1_200, true), None);
    assert_eq!(builds.resize(&mut window, 1_300, 910.0, Drag::No), Some((910.0, 600.0)));
    // Under way at the end of a drag; a build that panics has failed, and is decided again.
    builds.resize(&mut window, 2_000, 920.0, Drag::Yes);
    builds.turn(&mut window, 2_050);
    assert_eq!(builds.resize(&mut window, 2_060, 920.0, Drag::No), None);
    builds.has_begun(920.0);
    std::panic::set_hook(Box::new(|_| {}));
    assert_eq!(builds.end(&mut window, 2_100, false), None);
    let _ = std::panic::take_hook();
    window.flush(ms(2_200)).unwrap();
    builds.turn(&mut window, 2_200);
    builds.has_begun(920.0);
    assert_eq!(builds.end(&mut window, 2_300, true), Some((920.0, 600.0)));
    // What is forgotten is built anew.
    builds.resize(&mut window, 3_000, 930.0, Drag::Yes);
    builds.turn(&mut window, 3_050);
    builds.has_begun(930.0);
    builds.end(&mut window, 3_100, true);
    builds.worker.forget(&mut window, ms(3_110)).unwrap();
    assert_eq!(builds.resize(&mut window, 3_200, 930.0, Drag::No), None);
    builds.has_begun(930.0);
    assert_eq!(builds.end(&mut window, 3_300, true), Some((930.0, 600.0)));
    // Dropped while a build runs, which is cancelled.
    builds.resize(&mut window, 4_000, 940.0, Drag::Yes);
    builds.turn(&mut window, 4_050);
    let cancelled = builds.has_begun(940.0);
    builds.lets.send(true).unwrap();
    drop(builds.worker);
    assert!(cancelled.is_set());
}

fn main() {
    previews_and_live_builds();
    prepared_builds();
    builds_on_a_thread();
    failures();
    invalid();
}
