//! Turns floods of resize events into the few rebuilds that matter: [`Window`] has one window's sizes in and builds out,
//! under a [`Policy`]; [`Worker`] builds on a thread, begun where the hand rests.
//!
//! ```
//! use settle::{Action, Drag, Window};
//! use std::time::Duration;
//!
//! let (mut window, at) = (Window::new(), Duration::from_millis);
//! window.resize(at(0), 800.0, 600.0, Drag::Unknown)?;
//! assert_eq!(window.poll(at(0)), Some(Action::Rebuild(800.0, 600.0)));
//! window.resize(at(1_000), 900.0, 600.0, Drag::Yes)?; // dragged: nothing to do
//! assert_eq!(window.poll(at(2_000)), None);
//! window.resize(at(2_500), 900.0, 600.0, Drag::No)?;
//! assert_eq!(window.poll(at(2_500)), Some(Action::Rebuild(900.0, 600.0)));
//! # Ok::<(), settle::Invalid>(())
//! ```
mod settle;
mod settle_worker;

pub use settle::*;
pub use settle_worker::*;
