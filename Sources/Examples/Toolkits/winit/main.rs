//! winit: builds at the ends of drags. On X11 its device events have the buttons of the whole screen.
#[path = "../../../../CSources/Adapters/settle.rs"]
#[allow(dead_code)]
mod settle;

use settle::{Action, Drag, Window};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use winit::event::{DeviceEvent, ElementState, Event, WindowEvent};
use winit::event_loop::{ControlFlow, DeviceEventFilter, EventLoop};

static ENDED: AtomicBool = AtomicBool::new(false);
extern "C" fn end(_: libc::c_int) { ENDED.store(true, Ordering::Relaxed) }

fn main() {
    unsafe { libc::signal(libc::SIGTERM, end as *const () as usize) };
    let (start, mut window, mut sizes, mut builds) = (Instant::now(), Window::new(), 0, 0);
    let events = EventLoop::new();
    // All, focused or not: on X11, winit 0.27 does the opposite of its documentation (winit's issue 2591).
    events.set_device_event_filter(DeviceEventFilter::Always);
    let size = winit::dpi::PhysicalSize::new(400, 300);
    let shown = winit::window::WindowBuilder::new().with_title("winit").with_inner_size(size).build(&events).unwrap();
    events.run(move |event, _, control| {
        let _ = &shown; // The loop owns the window.
        match event {
            Event::DeviceEvent { event: DeviceEvent::Button { button, state }, .. } => {
                window.button(start.elapsed(), button, state == ElementState::Pressed).unwrap()
            }
            Event::WindowEvent { event: WindowEvent::Resized(size), .. } => {
                sizes += 1;
                window.resize(start.elapsed(), size.width.into(), size.height.into(), Drag::Unknown).unwrap()
            }
            Event::WindowEvent { event: WindowEvent::CloseRequested, .. } => end(0),
            _ => {}
        }
        if let Some(Action::Rebuild(width, height)) = window.poll(start.elapsed()) {
            builds += 1;
            println!("build {width}x{height} at {} ms", start.elapsed().as_millis());
        }
        // At most a tenth of a second: a signal does not end winit's wait.
        let longest = Duration::from_millis(100);
        let wait = window.timeout(start.elapsed()).map_or(longest, |timeout| timeout.min(longest));
        *control = ControlFlow::WaitUntil(Instant::now() + wait);
        if ENDED.load(Ordering::Relaxed) {
            println!("{sizes} sizes, {builds} builds");
            *control = ControlFlow::Exit;
        }
    });
}
