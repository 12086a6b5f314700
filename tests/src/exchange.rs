//! One call of a JSON API: sent, answered, read. What an error looks like there is the caller's to know.

use reqwest::RequestBuilder;
use serde_json::Value;

/// Status, body and text of an answer. A body of null is not sent; one that is no JSON is read as null.
pub(crate) async fn exchange(request: RequestBuilder, body: Value) -> (u16, Value, String) {
    try_exchange(request, body).await.expect("the API answers")
}

/// The same with somebody who may end at any moment: the answer counts only if all of it came.
pub(crate) async fn try_exchange(request: RequestBuilder, body: Value) -> reqwest::Result<(u16, Value, String)> {
    let request = if body.is_null() { request } else { request.json(&body) };
    let answer = request.send().await?;
    let status = answer.status().as_u16();
    let text = answer.text().await?;
    Ok((status, serde_json::from_str(&text).unwrap_or_default(), text))
}
