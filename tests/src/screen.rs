//! A program in a pseudo-terminal, with its screen and a keyboard.

use postern_test_kit::eventually;
use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};
use std::{
    fs::File,
    io::{Read, Write},
    num::NonZero,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex},
};

/// A pseudo-terminal with a program in it.
pub struct Screen {
    keys: File,
    /// Held open so that the last output can be read after the end of the program.
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
        // The terminal becomes the controlling terminal, so that the program gets size changes and Ctrl+C.
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
                draws.lock().expect("not poisoned").process(&bytes[..count]);
            }
        });
        Screen { keys, terminal, child, drawn }
    }

    /// The visible text.
    pub fn text(&self) -> String {
        self.drawn.lock().expect("not poisoned").screen().contents()
    }

    /// Whether the alternate screen is shown.
    pub fn is_alternate(&self) -> bool {
        self.drawn.lock().expect("not poisoned").screen().alternate_screen()
    }

    /// Whether the cursor is visible.
    pub fn has_cursor(&self) -> bool {
        !self.drawn.lock().expect("not poisoned").screen().hide_cursor()
    }

    /// Whether the terminal echoes keys and edits lines, as a shell needs it.
    pub fn is_cooked(&self) -> bool {
        let modes = rustix::termios::tcgetattr(&self.terminal).expect("a terminal").local_modes;
        modes.contains(rustix::termios::LocalModes::ECHO | rustix::termios::LocalModes::ICANON)
    }

    /// Waits until the screen shows a text.
    pub async fn shows(&self, text: &str) -> String {
        self.wait_for(&format!("the screen shows `{text}`"), |screen| screen.contains(text)).await
    }

    /// Waits until the text of the screen matches.
    pub async fn wait_for(&self, what: &str, fits: impl Fn(&str) -> bool) -> String {
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

    /// Resizes the window.
    pub fn resize(&self, columns: u16, rows: u16) {
        size(&self.keys, columns, rows);
        self.drawn.lock().expect("not poisoned").screen_mut().set_size(cells(rows), cells(columns));
    }

    /// The process id of the program.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end of the program.
    pub async fn wait_for_exit(&mut self) -> ExitStatus {
        let child = &mut self.child;
        eventually("the program ends", async || child.try_wait().expect("a child has a status")).await
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
    #[expect(clippy::print_stderr, reason = "a failed test shows what was on the screen")]
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
