//! Takes over the terminal, and restores it in any case.

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

/// Interval at which the key reader checks whether it should stop.
const KEY_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A terminal in raw mode with an alternate screen.
pub(super) struct Terminal(DefaultTerminal);

/// Whether the terminal is taken over.
static IN_USE: AtomicBool = AtomicBool::new(false);

impl Terminal {
    pub(super) fn take() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                // A panic message must be readable, on a restored terminal.
                restore();
                before(panic);
            }));
        });
        enable_raw_mode()?;
        IN_USE.store(true, Relaxed);
        let made = stdout()
            .execute(EnterAlternateScreen)
            .and_then(|_| ratatui::Terminal::new(ratatui::backend::CrosstermBackend::new(stdout())));
        made.map(Terminal).inspect_err(|_| restore())
    }

    /// Number of lines.
    pub(super) fn rows(&self) -> u16 {
        self.0.size().map_or(24, |size| size.height)
    }

    /// Draws a frame; after a resize, everything is drawn again.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        // A panic has restored the terminal.
        if !IN_USE.load(Relaxed) {
            return Ok(());
        }
        self.0.draw(draw).map(|_| ())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

fn restore() {
    if IN_USE.swap(false, Relaxed) {
        let _ = disable_raw_mode();
        let _ = stdout().execute(LeaveAlternateScreen).and_then(|out| out.execute(Show).map(|_| ()));
    }
}

/// Reads keys and resizes in a thread of its own until it is dropped.
pub(super) struct KeyReader(Arc<AtomicBool>);

impl KeyReader {
    pub(super) fn read(sender: mpsc::Sender<Event>) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = stopped.clone();
        std::thread::spawn(move || {
            while !stop.load(Relaxed) {
                let event = match poll(KEY_POLL_INTERVAL) {
                    Ok(false) => continue,
                    Ok(true) => read(),
                    Err(error) => Err(error),
                };
                let sent = event.map(|event| sender.blocking_send(event).is_ok());
                if !sent.unwrap_or(false) {
                    return;
                }
            }
        });
        KeyReader(stopped)
    }
}

impl Drop for KeyReader {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}
