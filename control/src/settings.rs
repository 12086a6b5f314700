//! What the control side must be told.

use postern_api::host::HostName;
use std::{
    net::{IpAddr, Ipv4Addr},
    ops::RangeInclusive,
    path::PathBuf,
};

/// The settings of a [`Control`](crate::Control).
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder that holds all state. Made with mode 0700 if it does not exist.
    pub data_dir: PathBuf,
    /// How resource addresses begin, without a trailing slash.
    pub base_url: String,
    /// The domain under which endpoints are published.
    pub domain: HostName,
    /// Names that belong to the server itself, such as the login host: no edge can take them.
    pub own_names: Vec<HostName>,
    /// The address TCP edges listen on.
    pub tcp_addr: IpAddr,
    /// The ports TCP edges may have.
    pub tcp_ports: RangeInclusive<u16>,
    /// Further names of the header `Service-Version`, so that existing clients run unchanged.
    pub version_aliases: Vec<String>,
}

impl Settings {
    /// The defaults, with all state below one folder.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Settings {
            data_dir: data_dir.into(),
            base_url: "http://127.0.0.1:4041".to_owned(),
            domain: HostName::parse("localhost").expect("`localhost` is a host name"),
            own_names: Vec::new(),
            tcp_addr: IpAddr::V4(Ipv4Addr::LOCALHOST),
            tcp_ports: 24000..=24999,
            version_aliases: vec!["ngrok-version".to_owned()],
        }
    }
}
