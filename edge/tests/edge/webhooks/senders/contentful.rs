//! Contentful: method, target and a list of headers are signed too.

use super::{Hook, JSON, Sending, hex};

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let (names, moment) = ("x-contentful-signed-headers", sending.millisecond());
    let list = "content-type,x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic";
    let headers =
        format!("content-type:application/json;{names}:{list};x-contentful-timestamp:{moment};x-contentful-topic:a.b");
    let text = format!("POST\n{}/x?a%253D1\n{headers}\n{JSON}", sending.path);
    let hook = Hook::json("x-contentful-topic", "a.b")
        .with(names, list)
        .with("x-contentful-timestamp", moment.to_string())
        .with("x-contentful-signature", hex(sending.sha256(text)))
        .at("/x?a=1")
        .within(180);
    vec![hook]
}
