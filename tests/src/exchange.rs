//! One call of a JSON API: sent, answered, read. What an error looks like there is the caller's to know.

use reqwest::RequestBuilder;
use serde_json::Value;

/// Status, body and text of an answer. A body of null is not sent; one that is no JSON is read as null.
pub(crate) async fn exchange(request: RequestBuilder, body: Value) -> (u16, Value, String) {
    let request = if body.is_null() { request } else { request.json(&body) };
    let answer = request.send().await.expect("the API answers");
    let status = answer.status().as_u16();
    let text = answer.text().await.expect("a body");
    (status, serde_json::from_str(&text).unwrap_or_default(), text)
}
