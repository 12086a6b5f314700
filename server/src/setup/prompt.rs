//! Questions in a terminal, one line each.

use postern_api::{Code, Error, Result};
use std::io::{BufRead, IsTerminal, Write};

/// Asks a person, if one is there.
pub(super) struct Prompt {
    interactive: bool,
}

/// One question.
pub(super) struct Question<'a> {
    /// What a person has to know before; may be empty.
    pub(super) about: &'a str,
    /// What is asked, without a question mark or a colon.
    pub(super) text: &'a str,
    /// The flag that answers it, without its hyphens.
    pub(super) flag: &'a str,
    /// The answer that was given on the command line.
    pub(super) given: Option<&'a str>,
    /// The answer of an empty line; `None` if there must be one.
    pub(super) default: Option<&'a str>,
}

impl Prompt {
    /// Asks in the terminal that the program was started in. Without one, nothing is asked.
    pub(super) fn of_terminal() -> Self {
        Prompt { interactive: std::io::stdin().is_terminal() && std::io::stdout().is_terminal() }
    }

    /// Whether a person is there.
    pub(super) fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// Prints a line.
    pub(super) fn say(&self, text: &str) -> Result<()> {
        print(&format!("{text}\n"))
    }

    /// The answer to a question: as it was given, else typed, else the default. A typed one that is not valid is asked for
    /// again. The parser's error continues a sentence that begins with the answer.
    ///
    /// # Errors
    /// If a given answer is not valid, or if there is none and no person to ask.
    pub(super) fn ask<T>(&self, question: &Question<'_>, parse: impl Fn(&str) -> Result<T, String>) -> Result<T> {
        let refuse = |message: String| Error::new(Code::ConfigInvalid, message);
        if let Some(given) = question.given {
            return parse(given.trim()).map_err(|why| refuse(format!("--{}: `{given}` {why}.", question.flag)));
        }
        let default = question.default.unwrap_or_default();
        if !self.interactive {
            return match question.default {
                Some(default) => parse(default).map_err(refuse),
                None => Err(refuse(format!("There is no terminal to ask in: give --{}.", question.flag))),
            };
        }
        if !question.about.is_empty() {
            print(&format!("\n{}\n", question.about))?;
        }
        loop {
            let shown = match question.default {
                Some("") => " [none]".to_owned(),
                Some(default) => format!(" [{default}]"),
                None => String::new(),
            };
            print(&format!("{}{shown}: ", question.text))?;
            let typed = read_line()?;
            let answer = if typed.is_empty() { default } else { typed.as_str() };
            match parse(answer) {
                Ok(value) => return Ok(value),
                Err(_) if answer.is_empty() => print("  An answer is needed.\n")?,
                Err(why) => print(&format!("  `{answer}` {why}.\n"))?,
            }
        }
    }

    /// Whether a person agrees; never without one.
    pub(super) fn confirms(&self, text: &str) -> Result<bool> {
        if !self.interactive {
            return Ok(false);
        }
        print(&format!("{text} [y/N]: "))?;
        Ok(matches!(read_line()?.to_ascii_lowercase().as_str(), "y" | "yes"))
    }
}

fn read_line() -> Result<String> {
    let mut line = String::new();
    let ended = || Error::new(Code::ConfigInvalid, "The input ended, so nothing was written.");
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(1..) => Ok(line.trim().to_owned()),
        Ok(0) | Err(_) => Err(ended()),
    }
}

fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout();
    write!(stdout, "{text}")
        .and_then(|()| stdout.flush())
        .map_err(|error| Error::new(Code::Internal, format!("The terminal cannot be written to: {error}.")))
}
