//! Parts of unit files.

use std::path::Path;

/// Restrictions that user managers can set too.
pub const COMMON_RESTRICTIONS: &[&str] = &[
    "UMask=0077",
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "MemoryDenyWriteExecute=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "RestrictNamespaces=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service",
    "SystemCallFilter=~@privileged @resources",
    "SystemCallErrorNumber=EPERM",
];

/// Restrictions that only the system manager can set.
pub const SYSTEM_RESTRICTIONS: &[&str] = &[
    "ProtectSystem=strict",
    "PrivateDevices=yes",
    "PrivateTmp=yes",
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectProc=invisible",
    "RemoveIPC=yes",
    "KeyringMode=private",
];

/// Quotes a path for systemd: one word, without specifiers or variables.
pub fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy().replace('%', "%%").replace('$', "$$");
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '%' | '$' | '@' | '+' | ':');
    if text.chars().all(plain) {
        return text;
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
