//! The display of the desktop session, with which the started programs end.

use std::path::PathBuf;

/// The socket of the Wayland compositor or the X server, if the display is on this computer.
pub(super) fn socket() -> Option<PathBuf> {
    socket_from(|name| std::env::var(name).ok().filter(|value| !value.is_empty())).filter(|socket| socket.exists())
}

fn socket_from(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    if let Some(wayland) = variable("WAYLAND_DISPLAY") {
        let wayland = PathBuf::from(wayland);
        if wayland.is_absolute() {
            return Some(wayland);
        }
        return Some(PathBuf::from(variable("XDG_RUNTIME_DIR")?).join(wayland));
    }
    let display = variable("DISPLAY")?;
    let number = display.strip_prefix(':').or_else(|| display.strip_prefix("unix:"))?;
    let number: u32 = number.split('.').next()?.parse().ok()?;
    Some(PathBuf::from(format!("/tmp/.X11-unix/X{number}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)]) -> Option<PathBuf> {
        socket_from(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_local_display_is_found() {
        assert_eq!(found(&[("DISPLAY", ":7.0")]), Some("/tmp/.X11-unix/X7".into()));
        let wayland = [("WAYLAND_DISPLAY", "wayland-0"), ("XDG_RUNTIME_DIR", "/run/user/1"), ("DISPLAY", ":0")];
        assert_eq!(found(&wayland), Some("/run/user/1/wayland-0".into()));
        assert_eq!(found(&[("DISPLAY", "elsewhere:0")]), None, "a display over the network is not watched");
        assert_eq!(found(&[]), None);
    }
}
