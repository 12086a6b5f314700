//! GraphCMS: a JSON object around the body, the environment and the time is signed.

use super::{Hook, JSON, Sending, b64};

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let body = JSON.replace('\\', "\\\\").replace('"', "\\\"");
    let moment = sending.millisecond();
    let text = format!(r#"{{"Body":"{body}","EnvironmentName":"master","TimeStamp":{moment}}}"#);
    let signature = b64(sending.sha256(text));
    vec![Hook::json("gcms-signature", format!("sign={signature}, env=master, t={moment}")).within(180)]
}
