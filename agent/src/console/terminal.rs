//! The terminal itself: taken over, and given back whatever happens.

use crossterm::{
    ExecutableCommand,
    cursor::Show,
    event::{Event, poll, read},
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use ratatui::{DefaultTerminal, Frame};
use std::{
    io::{self, stdout},
    sync::{
        Arc, Once,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::sync::mpsc;

/// How long the reader of keys may take to notice that nobody listens any more.
const LOOK: Duration = Duration::from_millis(200);

/// A terminal that shows a screen of ours.
pub(super) struct Terminal(DefaultTerminal);

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);

impl Terminal {
    pub(super) fn take() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                // What a panic says must be readable, on a terminal that works.
                give_back();
                before(panic);
            }));
        });
        enable_raw_mode()?;
        TAKEN.store(true, Relaxed);
        let made = stdout()
            .execute(EnterAlternateScreen)
            .and_then(|_| ratatui::Terminal::new(ratatui::backend::CrosstermBackend::new(stdout())));
        made.map(Terminal).inspect_err(|_| give_back())
    }

    /// How many lines there are.
    pub(super) fn rows(&self) -> u16 {
        self.0.size().map_or(24, |size| size.height)
    }

    /// Draws; a terminal whose size has changed is drawn anew as a whole.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        // Somebody has printed a panic over it.
        if !TAKEN.load(Relaxed) {
            return Ok(());
        }
        self.0.draw(draw).map(|_| ())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

fn give_back() {
    if TAKEN.swap(false, Relaxed) {
        let _ = disable_raw_mode();
        let _ = stdout().execute(LeaveAlternateScreen).and_then(|out| out.execute(Show).map(|_| ()));
    }
}

/// Reads keys and changes of size on a thread of its own, until it is dropped.
pub(super) struct Events(Arc<AtomicBool>);

impl Events {
    pub(super) fn read(tell: mpsc::Sender<Event>) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let ended = over.clone();
        std::thread::spawn(move || {
            while !ended.load(Relaxed) {
                let event = match poll(LOOK) {
                    Ok(false) => continue,
                    Ok(true) => read(),
                    Err(error) => Err(error),
                };
                let told = event.map(|event| tell.blocking_send(event).is_ok());
                if !told.unwrap_or(false) {
                    return;
                }
            }
        });
        Events(over)
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}
