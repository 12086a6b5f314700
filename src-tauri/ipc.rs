//! Commands and events between the app and its windows, with types that also describe them for the web app.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use tauri::{
    Emitter, Runtime,
    ipc::{CommandArg, CommandItem, InvokeBody, InvokeError, InvokeResponseBody, IpcResponse},
};

/// All arguments of a command as one struct.
pub(crate) struct Arguments<T>(pub(crate) T);

impl<'de, R: Runtime, T: Deserialize<'de>> CommandArg<'de, R> for Arguments<T> {
    fn from_command(command: CommandItem<'de, R>) -> Result<Self, InvokeError> {
        let parsed = match command.message.payload() {
            InvokeBody::Json(arguments) => T::deserialize(arguments),
            InvokeBody::Raw(_) => Err(serde::de::Error::custom("the arguments must be JSON")),
        };
        parsed.map(Arguments).map_err(|error| tauri::Error::InvalidArgs(command.name, command.key, error).into())
    }
}

/// The response of a command as bytes: an `ArrayBuffer` in the window.
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl IpcResponse for Bytes {
    fn body(self) -> tauri::Result<InvokeResponseBody> {
        Ok(InvokeResponseBody::Raw(self.0))
    }
}

/// An event that windows listen to.
pub(crate) struct WindowEvent<T> {
    pub(crate) name: &'static str,
    payload: PhantomData<fn(&T)>,
}

impl<T: Serialize + JsonSchema> WindowEvent<T> {
    pub(crate) const fn new(name: &'static str) -> Self {
        WindowEvent { name, payload: PhantomData }
    }

    /// Sends the event to all windows.
    ///
    /// # Errors
    ///
    /// Fails if the payload is no JSON, or if a window has crashed.
    pub(crate) fn emit(&self, sender: &impl Emitter<tauri::Wry>, payload: &T) -> tauri::Result<()> {
        sender.emit(self.name, payload)
    }
}
