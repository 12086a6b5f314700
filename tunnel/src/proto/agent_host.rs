//! The machine that an agent runs on, as the agent tells it.

use serde::{Deserialize, Serialize};

/// Characters of a host name at most (RFC 1035, section 2.3.4).
const MAX_NAME_CHARS: usize = 253;
/// Characters of the name of an account at most.
const MAX_ACCOUNT_CHARS: usize = 64;

/// The machine that an agent runs on. Only for display: nothing is decided by it, because an agent can tell anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentHost {
    /// Host name; empty if the system has none.
    #[serde(default)]
    pub name: String,
    /// Account of the operating system that runs the agent; empty if it is not known.
    #[serde(default)]
    pub account: String,
}

impl AgentHost {
    /// The same with short texts that are safe to show: one line, without characters that control a terminal or the direction
    /// of text.
    #[must_use]
    pub fn cleaned(&self) -> AgentHost {
        AgentHost { name: cleaned(&self.name, MAX_NAME_CHARS), account: cleaned(&self.account, MAX_ACCOUNT_CHARS) }
    }
}

/// The shown characters of a text, at most `limit`.
fn cleaned(text: &str, limit: usize) -> String {
    let shown = text.chars().filter(|char| !char.is_control() && !is_format(*char)).take(limit);
    shown.collect::<String>().trim().to_owned()
}

/// Whether a character is invisible and changes how others are shown (UAX #9, and line separators).
fn is_format(char: char) -> bool {
    matches!(
        char,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_tells_is_short_and_has_no_control_characters() {
        let host = AgentHost { name: "  web-\u{1b}[31m1\n\u{202e}x ".to_owned(), account: "a".repeat(1_000) };
        let cleaned = host.cleaned();
        assert_eq!(cleaned.name, "web-[31m1x");
        assert_eq!(cleaned.account.len(), MAX_ACCOUNT_CHARS);
        let long = AgentHost { name: "\u{e9}".repeat(1_000), account: "Zo\u{eb}".to_owned() };
        assert_eq!(long.cleaned().name.chars().count(), MAX_NAME_CHARS);
        assert_eq!(long.cleaned().account, "Zo\u{eb}");
    }
}
