//! Mailgun: time and a token in the body are signed, in JSON or in either form encoding.

use super::{Hook, Sending, hex};

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let (second, token) = (sending.second, format!("{:050x}", sending.number));
    let signature = hex(sending.sha256(format!("{second}{token}")));
    let hooks = [
        Hook::post(format!(
            r#"{{"signature":{{"timestamp":"{second}","token":"{token}","signature":"{signature}"}},"event-data":{{}}}}"#
        )),
        Hook::post(format!(
            r#"{{"event-data":{{}},"signature":{{"token":"{token}","signature":"{signature}","timestamp":{second}}}}}"#
        )),
        multipart(second, &token, &signature),
        Hook { body: format!("timestamp={second}&event=x&token={token}&signature={signature}").into(), ..Hook::form() },
    ];
    hooks.map(|hook| hook.uncovered().within(180)).into()
}

fn multipart(second: i64, token: &str, signature: &str) -> Hook {
    let part =
        |name: &str, text: &str| format!("--xYz\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n");
    let file = "--xYz\r\nContent-Disposition: form-data; name=\"attachment-1\"; filename=\"token\"\r\n\
                Content-Type: text/plain\r\n\r\n--x\r\n\r\n";
    let (second, token) = (part("timestamp", &second.to_string()), part("token", token));
    let mut hook = Hook::post(format!("{second}{file}{token}{}--xYz--\r\n", part("signature", signature)));
    hook.headers[0].1 = "multipart/form-data; boundary=xYz".to_owned();
    hook
}
