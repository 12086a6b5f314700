//! Draws a snapshot, line by line, as far as it fits.

use super::snapshot::{ConsoleSnapshot, RequestRow, TunnelRow};
use crate::{config::settings::ConsoleColor, session::SessionState};
use ratatui::{
    Frame,
    layout::Rect,
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Paragraph},
};

/// Width of the label column.
const LABEL_COLUMNS: usize = 16;
/// Maximum width of tunnel names in the table.
const MAX_NAME_COLUMNS: usize = 24;
/// Request rows that stay visible before the tunnel tables are cut.
const MIN_REQUEST_ROWS: usize = 4;

/// Draws the console.
pub(super) fn draw(frame: &mut Frame<'_>, snapshot: &ConsoleSnapshot, color: ConsoleColor) {
    let area = frame.area();
    let ground = match color {
        ConsoleColor::Black => Style::new().bg(Color::Black).fg(Color::White),
        ConsoleColor::Transparent => Style::new(),
    };
    frame.render_widget(Block::new().style(ground), area);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let lines = lines(snapshot, inner.width.into(), inner.height.into());
    frame.render_widget(Paragraph::new(lines).style(ground), inner);
}

/// The lines for a screen of this size.
fn lines(snapshot: &ConsoleSnapshot, width: usize, height: usize) -> Vec<Line<'static>> {
    let mut lines = head(snapshot, width);
    let request_rows = snapshot.requests.len().min(MIN_REQUEST_ROWS);
    let room = height.saturating_sub(lines.len() + 2 + request_rows);
    lines.extend(cut(forwardings(snapshot, width), room));
    if snapshot.tunnels.iter().any(|tunnel| tunnel.counts.is_some()) {
        let room = height.saturating_sub(lines.len() + 2 + request_rows);
        lines.extend(cut(counts(&snapshot.tunnels), room));
    }
    if !snapshot.requests.is_empty() && lines.len() + 3 <= height {
        lines.push(Line::default());
        lines.push(Line::styled("Requests", Modifier::BOLD));
        let room = height - lines.len();
        lines.extend(snapshot.requests.iter().take(room).map(|request| self::request(request, width)));
    }
    lines.truncate(height);
    lines
}

fn head(snapshot: &ConsoleSnapshot, width: usize) -> Vec<Line<'static>> {
    let title = format!("Postern {}", env!("CARGO_PKG_VERSION"));
    let hint = "(Ctrl+C to quit)";
    let gap = width.saturating_sub(title.len() + hint.len()).max(1);
    let mut lines = vec![
        Line::from(vec![
            Span::styled(title, Modifier::BOLD),
            " ".repeat(gap).into(),
            Span::styled(hint, Modifier::DIM),
        ]),
        Line::default(),
    ];
    let colour = match snapshot.state {
        SessionState::Online => Color::Green,
        SessionState::Connecting => Color::Yellow,
        SessionState::Waiting | SessionState::Refused => Color::Red,
    };
    let mut session = vec![label("Session"), Span::styled(snapshot.state.as_str(), Style::new().fg(colour).bold())];
    if let Some(next) = &snapshot.next_try {
        session.push(format!(", next attempt in {next}").into());
    }
    lines.push(Line::from(session));
    if let Some(reason) = snapshot.reason.as_ref().filter(|_| snapshot.state != SessionState::Online) {
        lines.extend(wrapped(reason, width, Style::new().fg(Color::Yellow)));
    }
    lines.push(value("Server", snapshot.server.clone()));
    if snapshot.state == SessionState::Online {
        lines.push(value("Latency", snapshot.latency.clone().unwrap_or_else(|| "being measured".into())));
    }
    lines.push(value("Web interface", snapshot.web.clone().unwrap_or_else(|| "off".into())));
    if let Some(problem) = &snapshot.config_problem {
        lines.push(value("Configuration", "invalid; the previous one is in use".into()));
        lines.extend(wrapped(problem, width, Style::new().fg(Color::Yellow)));
    }
    if let Some(message) = &snapshot.message {
        let mut rows = wrapped(message, width, Style::new().fg(Color::Yellow));
        rows[0].spans[0] = label("Last warning");
        lines.extend(rows);
    }
    lines
}

fn forwardings(snapshot: &ConsoleSnapshot, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (index, tunnel) in snapshot.tunnels.iter().enumerate() {
        let head = label(if index == 0 { "Forwarding" } else { "" });
        let text = fitted(&format!("{} -> {}", tunnel.public, tunnel.local), width.saturating_sub(LABEL_COLUMNS));
        match &tunnel.failure {
            None => lines.push(Line::from(vec![head, text.into()])),
            Some(why) => {
                lines.push(Line::from(vec![head, Span::styled(format!("{}: {text}", tunnel.name), Color::Red)]));
                lines.extend(wrapped(why, width, Style::new().fg(Color::Yellow)));
            }
        }
    }
    if lines.is_empty() {
        lines.push(value("Forwarding", "no tunnels started".into()));
    }
    lines
}

fn counts(tunnels: &[TunnelRow]) -> Vec<Line<'static>> {
    let name = tunnels
        .iter()
        .map(|tunnel| tunnel.name.chars().count())
        .max()
        .unwrap_or(0)
        .clamp(LABEL_COLUMNS - 1, MAX_NAME_COLUMNS);
    let row = |first: &str, cells: &[&str]| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>8}")).collect();
        format!("{:<name$}{cells}", fitted(first, name))
    };
    let mut lines = vec![
        Line::default(),
        Line::styled(row("Traffic", &["total", "open", "1m/s", "5m/s", "p50", "p90"]), Modifier::BOLD),
    ];
    for tunnel in tunnels {
        if let Some(counts) = &tunnel.counts {
            lines.push(row(&tunnel.name, &counts.each_ref().map(String::as_str)).into());
        }
    }
    lines
}

fn request(request: &RequestRow, width: usize) -> Line<'static> {
    let colour = match request.code {
        0 => Color::Yellow,
        500.. => Color::Red,
        400.. => Color::Yellow,
        300.. => Color::Cyan,
        _ => Color::Green,
    };
    let outcome = fitted(&request.outcome, (width / 3).max(12));
    let took = &request.took;
    let left = format!("{}  {:<7} ", request.time, fitted(&request.method, 7));
    let right = outcome.chars().count() + took.chars().count() + 3;
    let room = width.saturating_sub(left.chars().count() + right);
    Line::from(vec![
        left.into(),
        format!("{:<room$}  ", fitted(&request.path, room)).into(),
        Span::styled(outcome, colour),
        format!(" {took}").into(),
    ])
}

/// Cuts lines and says how many are hidden.
fn cut(mut lines: Vec<Line<'static>>, room: usize) -> Vec<Line<'static>> {
    if lines.len() > room && room > 0 {
        let hidden = lines.len() - (room - 1);
        lines.truncate(room - 1);
        lines.push(Line::styled(format!("… and {hidden} more lines"), Modifier::DIM));
    } else if room == 0 {
        lines.clear();
    }
    lines
}

fn label(text: &str) -> Span<'static> {
    format!("{text:<LABEL_COLUMNS$}").into()
}

fn value(name: &str, text: String) -> Line<'static> {
    Line::from(vec![label(name), text.into()])
}

/// Wraps a text in the value column.
fn wrapped(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let room = width.saturating_sub(LABEL_COLUMNS).max(20);
    let mut rows: Vec<String> = vec![String::new()];
    for word in clean(text).split(' ') {
        let row = rows.last_mut().expect("there is one");
        if !row.is_empty() && row.chars().count() + 1 + word.chars().count() > room {
            rows.push(word.to_owned());
        } else {
            if !row.is_empty() {
                row.push(' ');
            }
            row.push_str(word);
        }
    }
    rows.into_iter().map(|row| Line::from(vec![label(""), Span::styled(row, style)])).collect()
}

/// Shortens a text to a number of characters; control characters of visitors must not reach the terminal.
fn fitted(text: &str, room: usize) -> String {
    let text = clean(text);
    if text.chars().count() <= room {
        return text;
    }
    let mut short: String = text.chars().take(room.saturating_sub(1)).collect();
    if room > 0 {
        short.push('…');
    }
    short
}

fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{Terminal, backend::TestBackend};

    fn tunnel(number: usize) -> TunnelRow {
        TunnelRow {
            name: format!("site{number}"),
            public: format!("https://quiet-river-{number}.localhost:4443"),
            local: "http://localhost:8080".into(),
            failure: None,
            counts: Some(["12", "1", "0.46", "0.10", "1.5 ms", "2.0 s"].map(Into::into)),
        }
    }

    fn request(path: &str, code: u16) -> RequestRow {
        let outcome = if code == 0 { "The local service is down.".into() } else { format!("{code} Said") };
        let (time, method, took) = ("14:02:11".into(), "GET".into(), "3.9 ms".into());
        RequestRow { time, method, path: path.into(), outcome, code, took }
    }

    fn snapshot() -> ConsoleSnapshot {
        ConsoleSnapshot {
            state: SessionState::Online,
            reason: None,
            next_try: None,
            server: "localhost:4443 (version 0.1.0, region local)".into(),
            latency: Some("0.4 ms".into()),
            web: Some("http://127.0.0.1:4040".into()),
            config_problem: None,
            tunnels: vec![tunnel(1)],
            requests: vec![request("/order?n=1", 200), request("/gone", 404)],
            message: None,
        }
    }

    fn drawn(snapshot: &ConsoleSnapshot, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
        terminal.draw(|frame| draw(frame, snapshot, ConsoleColor::Black)).expect("drawn");
        terminal.backend().to_string()
    }

    #[test]
    fn an_online_agent_is_drawn() {
        let screen = drawn(&snapshot(), 80, 24);
        for part in [
            "Session         online",
            "Server          localhost:4443 (version 0.1.0, region local)",
            "Latency         0.4 ms",
            "Web interface   http://127.0.0.1:4040",
            "Forwarding      https://quiet-river-1.localhost:4443 -> http://localhost:8080",
            "Traffic           total    open    1m/s    5m/s     p50     p90",
            "site1                12       1    0.46    0.10  1.5 ms   2.0 s",
            "14:02:11  GET     /order?n=1",
            "200 Said 3.9 ms",
        ] {
            assert!(screen.contains(part), "`{part}` is not in\n{screen}");
        }
    }

    #[test]
    fn a_lost_session_shows_the_reason_and_the_next_attempt() {
        let mut snapshot = snapshot();
        snapshot.state = SessionState::Waiting;
        snapshot.reason = Some("The server at localhost:4443 cannot be reached: nothing listens there. Is it running, and is server_addr right?".into());
        snapshot.next_try = Some("2 s".into());
        let screen = drawn(&snapshot, 80, 24);
        assert!(screen.contains("Session         waiting, next attempt in 2 s"), "{screen}");
        assert!(screen.contains("The server at localhost:4443 cannot be reached: nothing"), "{screen}");
        assert!(!screen.contains("Latency"), "there is none to be measured");
    }

    #[test]
    fn any_terminal_size_works_and_requests_stay_visible() {
        let mut snapshot = snapshot();
        snapshot.tunnels = (0..50).map(tunnel).collect();
        snapshot.tunnels[0].failure = Some("The name is in use by another agent. Choose another name.".into());
        snapshot.requests =
            (0..50).map(|_| request("/a/very/long/path/with/many/parts/that/cannot/fit/anywhere", 0)).collect();
        snapshot.message = Some("WARN a long line of the log that cannot fit into a narrow terminal at all".into());
        for (width, height) in [(80, 24), (200, 60), (40, 10), (20, 5), (3, 2), (1, 1)] {
            drawn(&snapshot, width, height);
        }
        let screen = drawn(&snapshot, 80, 30);
        assert!(screen.contains("more lines") && screen.contains("14:02:11"), "{screen}");
    }

    #[test]
    fn control_characters_of_visitors_do_not_reach_the_terminal() {
        let mut snapshot = snapshot();
        snapshot.requests = vec![request("/\u{1b}[2J\u{7}evil", 200)];
        let screen = drawn(&snapshot, 80, 24);
        assert!(screen.contains("/\u{fffd}[2J\u{fffd}evil") && !screen.contains('\u{1b}'), "{screen}");
    }
}
