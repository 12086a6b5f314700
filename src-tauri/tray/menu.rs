//! The tray's menu: made again only when tunnels come or go, otherwise changed in place so that no host loses it.

use super::wording;
use crate::agent_view::{AgentView, Tunnel};
use tauri::menu::{
    CheckMenuItem, CheckMenuItemBuilder, IsMenuItem, Menu, MenuItem, MenuItemBuilder, PredefinedMenuItem, Submenu,
    SubmenuBuilder,
};
use tauri::{AppHandle, Wry};

pub(crate) const OPEN: &str = "open";
pub(crate) const CONSOLE: &str = "console";
pub(crate) const INSPECTOR: &str = "inspector";
pub(crate) const RESTART: &str = "restart";
pub(crate) const LOGS: &str = "logs";
pub(crate) const QUIT: &str = "quit";
pub(crate) const PAUSE: &str = "pause";
const TUNNEL: &str = "tunnel:";
const COPY: &str = "copy:";

/// What a click means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Click {
    Open,
    Console,
    Inspector,
    Restart,
    Logs,
    Quit,
    Pause,
    Tunnel(String),
    Copy(String),
}

impl Click {
    /// Reads the id of a menu item.
    pub(crate) fn of(id: &str) -> Option<Click> {
        if let Some(name) = id.strip_prefix(TUNNEL) {
            return Some(Click::Tunnel(name.to_owned()));
        }
        if let Some(name) = id.strip_prefix(COPY) {
            return Some(Click::Copy(name.to_owned()));
        }
        match id {
            OPEN => Some(Click::Open),
            CONSOLE => Some(Click::Console),
            INSPECTOR => Some(Click::Inspector),
            RESTART => Some(Click::Restart),
            LOGS => Some(Click::Logs),
            QUIT => Some(Click::Quit),
            PAUSE => Some(Click::Pause),
            _ => None,
        }
    }
}

/// The menu and the items whose text or mark changes.
pub(crate) struct TrayMenu {
    pub(crate) menu: Menu<Wry>,
    names: Vec<String>,
    headline: MenuItem<Wry>,
    tunnels: Vec<CheckMenuItem<Wry>>,
    copy: Submenu<Wry>,
    copies: Vec<MenuItem<Wry>>,
    pause: MenuItem<Wry>,
}

impl TrayMenu {
    /// Builds a menu with one check item for each tunnel.
    pub(crate) fn build(app: &AppHandle, view: &AgentView) -> tauri::Result<TrayMenu> {
        let headline = MenuItemBuilder::with_id("headline", "Starting…").enabled(false).build(app)?;
        let tunnels = view.tunnels.iter().map(|tunnel| tunnel_item(app, tunnel)).collect::<tauri::Result<Vec<_>>>()?;
        let copies = view.tunnels.iter().map(|tunnel| copy_item(app, tunnel)).collect::<tauri::Result<Vec<_>>>()?;
        let copy = SubmenuBuilder::with_id(app, "copy", "Copy address").build()?;
        for item in &copies {
            copy.append(item)?;
        }
        let pause = MenuItemBuilder::with_id(PAUSE, "Pause all tunnels").build(app)?;
        let menu = Menu::new(app)?;
        let line = || PredefinedMenuItem::separator(app);
        let item = |id: &str, text: &str| MenuItemBuilder::with_id(id, text).build(app);
        menu.append_items(&[&headline, &line()?])?;
        if tunnels.is_empty() {
            menu.append(
                &MenuItemBuilder::with_id("none", "No tunnels yet: add one in Postern").enabled(false).build(app)?,
            )?;
        }
        for tunnel in &tunnels {
            menu.append(tunnel as &dyn IsMenuItem<Wry>)?;
        }
        menu.append_items(&[&line()?, &copy, &pause, &line()?])?;
        menu.append_items(&[&item(OPEN, "Open Postern")?, &item(CONSOLE, "Open console")?])?;
        menu.append_items(&[&item(INSPECTOR, "Open inspector")?, &line()?])?;
        menu.append_items(&[&item(LOGS, "Show logs")?, &item(RESTART, "Restart the agent")?, &line()?])?;
        let version = concat!("Postern ", env!("CARGO_PKG_VERSION"));
        menu.append(&MenuItemBuilder::with_id("version", version).enabled(false).build(app)?)?;
        menu.append(&item(QUIT, "Quit Postern")?)?;
        let names = view.tunnels.iter().map(|tunnel| tunnel.name.clone()).collect();
        Ok(TrayMenu { menu, names, headline, tunnels, copy, copies, pause })
    }

    /// Whether this menu has an item for each of these tunnels, in their order.
    pub(crate) fn fits(&self, view: &AgentView) -> bool {
        self.names.iter().eq(view.tunnels.iter().map(|tunnel| &tunnel.name))
    }

    /// Changes texts and marks to what is true now.
    pub(crate) fn update(&self, headline: &str, view: &AgentView, paused: bool) -> tauri::Result<()> {
        self.headline.set_text(wording::label(headline))?;
        for (tunnel, item) in view.tunnels.iter().zip(&self.tunnels) {
            item.set_checked(tunnel.is_on())?;
            item.set_text(wording::label(&wording::tunnel_label(tunnel)))?;
        }
        let mut any_address = false;
        for (tunnel, item) in view.tunnels.iter().zip(&self.copies) {
            let label = wording::address_label(tunnel);
            any_address |= label.is_some();
            item.set_enabled(label.is_some())?;
            item.set_text(wording::label(&label.unwrap_or_else(|| format!("{}: not on", tunnel.name))))?;
        }
        self.copy.set_enabled(any_address)?;
        self.pause.set_text(if paused { "Resume tunnels" } else { "Pause all tunnels" })?;
        self.pause.set_enabled(paused || view.tunnels.iter().any(Tunnel::is_on))
    }
}

fn tunnel_item(app: &AppHandle, tunnel: &Tunnel) -> tauri::Result<CheckMenuItem<Wry>> {
    CheckMenuItemBuilder::with_id(format!("{TUNNEL}{}", tunnel.name), wording::label(&tunnel.name))
        .checked(tunnel.is_on())
        .build(app)
}

fn copy_item(app: &AppHandle, tunnel: &Tunnel) -> tauri::Result<MenuItem<Wry>> {
    MenuItemBuilder::with_id(format!("{COPY}{}", tunnel.name), wording::label(&tunnel.name)).enabled(false).build(app)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_is_known_by_its_id_whatever_a_tunnel_is_called() {
        assert_eq!(Click::of("tunnel:quit"), Some(Click::Tunnel("quit".to_owned())));
        assert_eq!(Click::of("copy:copy:x"), Some(Click::Copy("copy:x".to_owned())));
        assert_eq!(Click::of(QUIT), Some(Click::Quit));
        assert_eq!(Click::of("headline"), None);
    }
}
