//! The WebSocket converter module: the payload of WebSocket messages reaches the backend as a plain TCP stream.

use crate::{
    module::{Module, enabled, yes},
    modules::SwitchView,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Turns WebSocket connections into TCP streams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebsocketTcpConverter {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
}

impl Module for WebsocketTcpConverter {
    const NAME: &'static str = "websocket_tcp_converter";
    type View = SwitchView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}
