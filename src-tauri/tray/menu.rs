//! The tray menu. It is rebuilt only when tunnels are added or removed, because some tray hosts lose a replaced menu.

use super::wording;
use crate::agent_view::AgentView;
use postern_api::local::ConfiguredTunnel;
use tauri::{
    AppHandle, Wry,
    menu::{
        CheckMenuItem, CheckMenuItemBuilder, IsMenuItem, Menu, MenuItem, MenuItemBuilder, PredefinedMenuItem, Submenu,
        SubmenuBuilder,
    },
};

pub(crate) const OPEN: &str = "open";
pub(crate) const CONSOLE: &str = "console";
pub(crate) const INSPECTOR: &str = "inspector";
pub(crate) const RESTART: &str = "restart";
pub(crate) const LOGS: &str = "logs";
pub(crate) const QUIT: &str = "quit";
pub(crate) const PAUSE_ITEM: &str = "pause";
const TUNNEL: &str = "tunnel:";
const COPY: &str = "copy:";

/// The action of a menu item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MenuAction {
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

impl MenuAction {
    /// The action of the menu item with this id.
    pub(crate) fn from_id(id: &str) -> Option<MenuAction> {
        if let Some(name) = id.strip_prefix(TUNNEL) {
            return Some(MenuAction::Tunnel(name.to_owned()));
        }
        if let Some(name) = id.strip_prefix(COPY) {
            return Some(MenuAction::Copy(name.to_owned()));
        }
        match id {
            OPEN => Some(MenuAction::Open),
            CONSOLE => Some(MenuAction::Console),
            INSPECTOR => Some(MenuAction::Inspector),
            RESTART => Some(MenuAction::Restart),
            LOGS => Some(MenuAction::Logs),
            QUIT => Some(MenuAction::Quit),
            PAUSE_ITEM => Some(MenuAction::Pause),
            _ => None,
        }
    }
}

/// The menu and the items whose text or check mark changes.
pub(crate) struct TrayMenu {
    pub(crate) menu: Menu<Wry>,
    names: Vec<String>,
    headline: MenuItem<Wry>,
    tunnels: Vec<CheckMenuItem<Wry>>,
    copy: Submenu<Wry>,
    copy_items: Vec<MenuItem<Wry>>,
    pause: MenuItem<Wry>,
}

impl TrayMenu {
    /// Builds a menu with one check item for each tunnel.
    pub(crate) fn build(app: &AppHandle, view: &AgentView) -> tauri::Result<TrayMenu> {
        let headline = MenuItemBuilder::with_id("headline", "Starting…").enabled(false).build(app)?;
        let tunnels = view.tunnels.iter().map(|tunnel| tunnel_item(app, tunnel)).collect::<tauri::Result<Vec<_>>>()?;
        let copy_items = view.tunnels.iter().map(|tunnel| copy_item(app, tunnel)).collect::<tauri::Result<Vec<_>>>()?;
        let copy = SubmenuBuilder::with_id(app, "copy", "Copy address").build()?;
        for item in &copy_items {
            copy.append(item)?;
        }
        let pause = MenuItemBuilder::with_id(PAUSE_ITEM, "Pause all tunnels").build(app)?;
        let menu = Menu::new(app)?;
        let separator = || PredefinedMenuItem::separator(app);
        let item = |id: &str, text: &str| MenuItemBuilder::with_id(id, text).build(app);
        menu.append_items(&[&headline, &separator()?])?;
        if tunnels.is_empty() {
            menu.append(
                &MenuItemBuilder::with_id("none", "No tunnels yet. Add one in Postern").enabled(false).build(app)?,
            )?;
        }
        for tunnel in &tunnels {
            menu.append(tunnel as &dyn IsMenuItem<Wry>)?;
        }
        menu.append_items(&[&separator()?, &copy, &pause, &separator()?])?;
        menu.append_items(&[&item(OPEN, "Open Postern")?, &item(CONSOLE, "Open console")?])?;
        menu.append_items(&[&item(INSPECTOR, "Open inspector")?, &separator()?])?;
        menu.append_items(&[&item(LOGS, "Show logs")?, &item(RESTART, "Restart the agent")?, &separator()?])?;
        let version = concat!("Postern ", env!("CARGO_PKG_VERSION"));
        menu.append(&MenuItemBuilder::with_id("version", version).enabled(false).build(app)?)?;
        menu.append(&item(QUIT, "Quit Postern")?)?;
        let names = view.tunnels.iter().map(|tunnel| tunnel.name.clone()).collect();
        Ok(TrayMenu { menu, names, headline, tunnels, copy, copy_items, pause })
    }

    /// Whether the menu has items for exactly these tunnels, in this order.
    pub(crate) fn matches(&self, view: &AgentView) -> bool {
        self.names.iter().eq(view.tunnels.iter().map(|tunnel| &tunnel.name))
    }

    /// Updates texts and check marks.
    pub(crate) fn update(&self, headline: &str, view: &AgentView, paused: bool) -> tauri::Result<()> {
        self.headline.set_text(wording::label(headline))?;
        for (tunnel, item) in view.tunnels.iter().zip(&self.tunnels) {
            item.set_checked(tunnel.is_on())?;
            item.set_text(wording::label(&wording::tunnel_label(tunnel)))?;
        }
        let mut has_address = false;
        for (tunnel, item) in view.tunnels.iter().zip(&self.copy_items) {
            let label = wording::address_label(tunnel);
            has_address |= label.is_some();
            item.set_enabled(label.is_some())?;
            item.set_text(wording::label(&label.unwrap_or_else(|| format!("{}: off", tunnel.name))))?;
        }
        self.copy.set_enabled(has_address)?;
        self.pause.set_text(if paused { "Resume tunnels" } else { "Pause all tunnels" })?;
        self.pause.set_enabled(paused || view.tunnels.iter().any(ConfiguredTunnel::is_on))
    }
}

fn tunnel_item(app: &AppHandle, tunnel: &ConfiguredTunnel) -> tauri::Result<CheckMenuItem<Wry>> {
    CheckMenuItemBuilder::with_id(format!("{TUNNEL}{}", tunnel.name), wording::label(&tunnel.name))
        .checked(tunnel.is_on())
        .build(app)
}

fn copy_item(app: &AppHandle, tunnel: &ConfiguredTunnel) -> tauri::Result<MenuItem<Wry>> {
    MenuItemBuilder::with_id(format!("{COPY}{}", tunnel.name), wording::label(&tunnel.name)).enabled(false).build(app)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_menu_id_gives_its_action_for_any_tunnel_name() {
        assert_eq!(MenuAction::from_id("tunnel:quit"), Some(MenuAction::Tunnel("quit".to_owned())));
        assert_eq!(MenuAction::from_id("copy:copy:x"), Some(MenuAction::Copy("copy:x".to_owned())));
        assert_eq!(MenuAction::from_id(QUIT), Some(MenuAction::Quit));
        assert_eq!(MenuAction::from_id("headline"), None);
    }
}
