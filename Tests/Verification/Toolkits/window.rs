//! settle.rs: each function decides as settle_window does.
#[path = "SETTLE_RS"]
mod settle;

use settle::{Action, Drag, Invalid, Policy, Window, NEVER};
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
    assert!(!window.is_prepared());
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

fn main() {
    previews_and_live_builds();
    prepared_builds();
    failures();
    invalid();
}
