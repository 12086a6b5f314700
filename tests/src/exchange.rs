//! One call of a JSON API. The caller interprets errors.

use reqwest::RequestBuilder;
use serde_json::Value;

/// Status, body and text of a response. A null body is not sent; a body that is not JSON is returned as null.
pub(crate) async fn exchange(request: RequestBuilder, body: Value) -> (u16, Value, String) {
    try_exchange(request, body).await.expect("the API responds")
}

/// Like `exchange`, with a server that may end at any moment. Fails unless the complete response arrived.
pub(crate) async fn try_exchange(request: RequestBuilder, body: Value) -> reqwest::Result<(u16, Value, String)> {
    let request = if body.is_null() { request } else { request.json(&body) };
    let answer = request.send().await?;
    let status = answer.status().as_u16();
    let text = answer.text().await?;
    Ok((status, serde_json::from_str(&text).unwrap_or_default(), text))
}
