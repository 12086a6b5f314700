//! The terminal console: the agent's status on one screen.

mod log_tail;
mod screen;
mod snapshot;
mod terminal;

pub use log_tail::LogTail;

use crate::{config::settings::ConsoleColor, context::AgentContext};
use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use snapshot::ConsoleSnapshot;
use std::{sync::Arc, time::Duration};
use terminal::Terminal;
use tokio::sync::mpsc;

/// Redraw interval without events: durations pass and rates fall.
const REFRESH_INTERVAL: Duration = Duration::from_millis(500);
/// Minimum time between two draws.
const MIN_DRAW_INTERVAL: Duration = Duration::from_millis(50);

/// The console of a running agent.
pub struct Console {
    terminal: Terminal,
    color: ConsoleColor,
    log_tail: LogTail,
}

impl Console {
    /// Takes over the terminal. It is restored when the console is dropped, and on a panic.
    ///
    /// # Errors
    /// The terminal cannot be switched.
    pub fn open(color: ConsoleColor, log_tail: LogTail) -> std::io::Result<Self> {
        Ok(Console { terminal: Terminal::take()?, color, log_tail })
    }

    /// Shows the agent until the user presses Ctrl+C or `q`.
    pub async fn show(&mut self, context: &Arc<AgentContext>) {
        let mut feed = context.feed.subscribe();
        let (sender, mut events) = mpsc::channel(16);
        let _reading = terminal::KeyReader::read(sender);
        let mut refresh = tokio::time::interval(REFRESH_INTERVAL);
        loop {
            let size = self.terminal.rows();
            let snapshot = ConsoleSnapshot::take(context, &self.log_tail, usize::from(size));
            if let Err(error) = self.terminal.draw(|frame| screen::draw(frame, &snapshot, self.color)) {
                tracing::warn!(%error, "the terminal cannot be written to");
                return std::future::pending().await;
            }
            tokio::time::sleep(MIN_DRAW_INTERVAL).await;
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) if is_quit_key(&event) => return,
                    Some(_) => {}
                    // There is no keyboard any more.
                    None => return std::future::pending().await,
                },
                _ = feed.recv() => {}
                _ = refresh.tick() => {}
            }
            // A burst of events is drawn once.
            while let Ok(event) = events.try_recv() {
                if is_quit_key(&event) {
                    return;
                }
            }
            feed = feed.resubscribe();
        }
    }
}

/// In raw mode, Ctrl+C is an ordinary key.
fn is_quit_key(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind == KeyEventKind::Press
        && match key.code {
            KeyCode::Char('c' | 'd') => control,
            KeyCode::Char('q') => !control,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyEvent;

    #[test]
    fn only_control_c_control_d_and_q_quit() {
        let key = |code, modifiers| is_quit_key(&Event::Key(KeyEvent::new(KeyCode::Char(code), modifiers)));
        assert!(key('c', KeyModifiers::CONTROL) && key('q', KeyModifiers::NONE));
        assert!(!key('c', KeyModifiers::NONE) && !key('x', KeyModifiers::CONTROL));
        assert!(!is_quit_key(&Event::Resize(80, 24)));
    }
}
