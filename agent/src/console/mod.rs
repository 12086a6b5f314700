//! The terminal console: what the agent does, on one screen, for as long as somebody watches.

mod journal;
mod picture;
mod screen;
mod terminal;

pub use journal::Journal;

use crate::{config::settings::ConsoleColor, context::AgentContext};
use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use picture::Picture;
use std::{sync::Arc, time::Duration};
use terminal::Terminal;
use tokio::sync::mpsc;

/// Times pass and rates fall even when nothing happens.
const REFRESH: Duration = Duration::from_millis(500);
/// Whatever happens, the screen is drawn no more often than this.
const CALM: Duration = Duration::from_millis(50);

/// The console of a running agent.
pub struct Console {
    terminal: Terminal,
    color: ConsoleColor,
    journal: Journal,
}

impl Console {
    /// Takes the terminal over. It is given back when the console is dropped, and by a panic.
    ///
    /// # Errors
    /// The terminal cannot do it.
    pub fn open(color: ConsoleColor, journal: Journal) -> std::io::Result<Self> {
        Ok(Console { terminal: Terminal::take()?, color, journal })
    }

    /// Shows the agent until somebody presses Ctrl+C or `q`.
    pub async fn show(&mut self, context: &Arc<AgentContext>) {
        let mut feed = context.feed.subscribe();
        let (tell, mut events) = mpsc::channel(16);
        let _reading = terminal::Events::read(tell);
        let mut refresh = tokio::time::interval(REFRESH);
        loop {
            let size = self.terminal.rows();
            let picture = Picture::take(context, &self.journal, usize::from(size));
            if let Err(error) = self.terminal.draw(|frame| screen::draw(frame, &picture, self.color)) {
                tracing::warn!(%error, "the terminal cannot be written to");
                return std::future::pending().await;
            }
            tokio::time::sleep(CALM).await;
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) if ends(&event) => return,
                    Some(_) => {}
                    // Nobody can press anything any more.
                    None => return std::future::pending().await,
                },
                _ = feed.recv() => {}
                _ = refresh.tick() => {}
            }
            // A burst is drawn once.
            while let Ok(event) = events.try_recv() {
                if ends(&event) {
                    return;
                }
            }
            feed = feed.resubscribe();
        }
    }
}

/// In this state of the terminal Ctrl+C is a key like any other.
fn ends(event: &Event) -> bool {
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
    fn control_c_and_q_end_it_and_other_keys_do_not() {
        let key = |code, modifiers| ends(&Event::Key(KeyEvent::new(KeyCode::Char(code), modifiers)));
        assert!(key('c', KeyModifiers::CONTROL) && key('q', KeyModifiers::NONE));
        assert!(!key('c', KeyModifiers::NONE) && !key('x', KeyModifiers::CONTROL));
        assert!(!ends(&Event::Resize(80, 24)));
    }
}
