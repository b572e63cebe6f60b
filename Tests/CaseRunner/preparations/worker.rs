//! Plays drawings of preparations, as run.py passes them, by settle_worker.rs's machine.
#[allow(dead_code)]
#[path = "ADAPTERS/settle.rs"]
mod adapter;
#[allow(dead_code)]
#[path = "ADAPTERS/settle_worker.rs"]
mod settle_worker;

use std::time::Duration;

/// What the machine sees: a window that notes what is reported.
mod settle {
    pub use super::adapter::{Action, Invalid};
    use std::time::Duration;

    pub struct Window {
        pub window: super::adapter::Window,
        pub reports: Vec<String>,
    }

    impl Window {
        pub fn previewed(&mut self, now: Duration, cost: Duration, is_kept: bool) -> Result<(), Invalid> {
            self.reports.push(format!("previewed {}ms{}", cost.as_millis(), if is_kept { "" } else { " givenUp" }));
            self.window.previewed(now, cost, is_kept)
        }
        pub fn finished(&mut self, now: Duration, cost: Duration) -> Result<(), Invalid> {
            self.reports.push(format!("finished {}ms", cost.as_millis()));
            self.window.finished(now, cost)
        }
        pub fn really_built(&mut self, now: Duration, width: f64, height: f64) -> Result<(), Invalid> {
            self.window.really_built(now, width, height)
        }
    }
}

const DECIDED: [&str; 4] = ["begin", "cancel", "show", "drop"];
const COLUMN_NS: u64 = 10_000_000;

struct Player {
    window: settle::Window,
    work: settle_worker::Work,
    now: Duration,
    /// The build that runs, whether it was cancelled, and what is kept.
    running: Option<f64>,
    is_cancelled: bool,
    kept: Option<f64>,
    /// What was decided in this column.
    decided: Vec<(&'static str, f64)>,
}

impl Player {
    fn act(&mut self) {
        while let Some(step) = self.work.next(&mut self.window, self.now).unwrap() {
            match step {
                settle_worker::Step::Begin(width, _) => {
                    assert_eq!(self.running.replace(width), None, "two builds at a time");
                    self.is_cancelled = false;
                    self.drop_kept();
                    self.decided.push(("begin", width));
                }
                settle_worker::Step::Cancel => {
                    self.is_cancelled = true;
                    self.decided.push(("cancel", self.running.unwrap()));
                }
                settle_worker::Step::Show(width, _) => {
                    assert_eq!(self.kept.take(), Some(width), "what is shown was built for another size");
                    self.decided.push(("show", width));
                }
            }
        }
    }

    fn drop_kept(&mut self) {
        self.decided.extend(self.kept.take().map(|width| ("drop", width)));
    }

    /// A column, whose cells are those of `button`, `size`, `call` and `end`.
    fn play(&mut self, [button, size, call, end]: [u8; 4]) {
        if button != b'.' {
            self.window.window.button(self.now, 1, button == b'v').unwrap();
        }
        if size != b'.' {
            let width = 100.0 + 10.0 * f64::from(size - b'a');
            self.window.window.resize(self.now, width, 100.0, adapter::Drag::Unknown).unwrap();
            self.work.resized(&mut self.window, self.now, width, 100.0).unwrap();
            self.act();
        }
        if call == b'f' {
            self.window.window.flush(self.now).unwrap();
        } else if call == b'd' {
            self.work.forget();
            self.drop_kept();
            self.act();
        }
        if call == b'z' {
            return;
        }
        if let Some(action) = self.window.window.poll(self.now) {
            self.work.decided(action);
        }
        if end != b'.' {
            let width = self.running.take();
            self.kept = width.filter(|_| end == b'1' && !self.is_cancelled);
            self.work.ended(&mut self.window, self.now, end == b'1').unwrap();
        }
        self.act();
    }
}

/// What is decided of the rows of a drawing, and the reports.
fn play(rows: &[&[u8]]) -> String {
    let policy = adapter::Policy {
        pause_delay_ns: 3 * COLUMN_NS,
        released_end_delay_ns: 2 * COLUMN_NS,
        discrete_delay_ns: 4 * COLUMN_NS,
        quiet_delay_ns: 8 * COLUMN_NS,
        jump_delay_ns: adapter::NEVER,
        interaction_timeout_ns: adapter::NEVER,
        ..adapter::Policy::prepared()
    };
    let window = settle::Window { window: adapter::Window::with_policy(&policy).unwrap(), reports: vec![] };
    let (work, now, decided) = (settle_worker::Work::default(), Duration::ZERO, vec![]);
    let mut player = Player { window, work, now, running: None, is_cancelled: false, kept: None, decided };
    // The size a is built and shown long before.
    for cells in [b".a..", b"....", b"...1"] {
        player.play(*cells);
        player.now += Duration::from_secs(1);
    }
    player.window.reports.clear();
    let mut seen = DECIDED.map(|_| String::new());
    for column in 0..rows[0].len() {
        player.decided.clear();
        player.play([0, 1, 2, 3].map(|row| rows[row][column]));
        player.now += Duration::from_nanos(COLUMN_NS);
        for (row, name) in DECIDED.iter().enumerate() {
            let width = player.decided.iter().find(|(decided, _)| decided == name).map(|(_, width)| *width);
            seen[row].push(width.map_or('.', |width| (b'a' + ((width - 100.0) / 10.0) as u8) as char));
        }
    }
    format!("{}|{}", seen.join("|"), player.window.reports.join("; "))
}

fn main() {
    for line in std::io::stdin().lines() {
        println!("{}", play(&line.unwrap().split(' ').map(str::as_bytes).collect::<Vec<_>>()));
    }
}
