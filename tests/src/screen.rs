//! A program in a terminal: what it draws is kept as a screen, and keys can be pressed.

use crate::condition::eventually;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

/// A terminal of the kernel's, with a program in it that thinks somebody sits there.
pub struct Screen {
    keys: File,
    /// Held open so that what was drawn last can be read after the program's end.
    terminal: File,
    child: Child,
    drawn: Arc<Mutex<vt100::Parser>>,
}

impl Screen {
    /// Starts a program in a terminal of 100 columns and 30 rows.
    pub fn start(command: &[String], environment: &[(&str, &str)]) -> Screen {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
        grantpt(&master).expect("ours");
        unlockpt(&master).expect("usable");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let terminal = File::from(rustix::fs::open(name.as_c_str(), flags, Mode::empty()).expect("opened"));
        let keys = File::from(master);
        size(&keys, 100, 30);
        let side = || Stdio::from(terminal.try_clone().expect("another handle"));
        // The terminal becomes the program's own, so that it hears of its size and of Ctrl+C.
        let mut program = Command::new("setsid");
        program.arg("--ctty").args(command).stdin(side()).stdout(side()).stderr(side());
        for (variable, _) in std::env::vars_os() {
            if variable.to_string_lossy().starts_with("POSTERN_") {
                program.env_remove(variable);
            }
        }
        let child = program.env("TERM", "xterm-256color").envs(environment.iter().copied()).spawn().expect("it starts");
        let drawn = Arc::new(Mutex::new(vt100::Parser::new(cells(30), cells(100), 0)));
        let (mut output, draws) = (keys.try_clone().expect("another handle"), drawn.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                draws.lock().expect("nobody panics").process(&bytes[..count]);
            }
        });
        Screen { keys, terminal, child, drawn }
    }

    /// What can be read at the moment.
    pub fn text(&self) -> String {
        self.drawn.lock().expect("nobody panics").screen().contents()
    }

    /// Whether a screen of the program's own is shown, in place of the lines before.
    pub fn is_taken(&self) -> bool {
        self.drawn.lock().expect("nobody panics").screen().alternate_screen()
    }

    /// Whether a cursor is to be seen.
    pub fn has_cursor(&self) -> bool {
        !self.drawn.lock().expect("nobody panics").screen().hide_cursor()
    }

    /// Whether the terminal echoes keys and makes lines of them, as a shell needs it.
    pub fn is_cooked(&self) -> bool {
        let modes = rustix::termios::tcgetattr(&self.terminal).expect("a terminal").local_modes;
        modes.contains(rustix::termios::LocalModes::ECHO | rustix::termios::LocalModes::ICANON)
    }

    /// Waits until a text can be read.
    pub async fn shows(&self, text: &str) -> String {
        self.comes_to(&format!("the screen shows `{text}`"), |screen| screen.contains(text)).await
    }

    /// Waits until the screen fits.
    pub async fn comes_to(&self, what: &str, fits: impl Fn(&str) -> bool) -> String {
        let last = std::cell::RefCell::new(String::new());
        let _show = ShowOnPanic(&last);
        eventually(what, async || {
            let text = self.text();
            last.replace(text.clone());
            fits(&text).then_some(text)
        })
        .await
    }

    /// Presses keys.
    pub fn press(&self, keys: &str) {
        (&self.keys).write_all(keys.as_bytes()).expect("a terminal takes keys");
    }

    /// The window is made larger or smaller.
    pub fn is_resized(&self, columns: u16, rows: u16) {
        size(&self.keys, columns, rows);
        self.drawn.lock().expect("nobody panics").screen_mut().set_size(cells(rows), cells(columns));
    }

    /// The process id of the program.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the program's end.
    pub async fn ended(&mut self) -> ExitStatus {
        let child = &mut self.child;
        eventually("the program ends", async || child.try_wait().expect("it can be asked")).await
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct ShowOnPanic<'a>(&'a std::cell::RefCell<String>);

impl Drop for ShowOnPanic<'_> {
    #[allow(clippy::print_stderr, reason = "a failed test shows what was on the screen")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- the screen:\n{}\n---", self.0.borrow());
        }
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a window has some")
}

fn size(terminal: &File, columns: u16, rows: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).expect("a terminal has a size");
}
