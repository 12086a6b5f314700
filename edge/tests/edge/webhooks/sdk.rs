//! Webhooks that the providers' own libraries signed or accepted; `tests/webhooks/make.mjs` generates them.

use super::{
    field::{Field, route},
    senders::HOST,
};
use bytes::Bytes;
use futures::future::BoxFuture;
use http_body_util::Full;
use hyper::{Request, StatusCode};
use postern_edge::SigningCertificates;
use serde::Deserialize;
use std::{collections::HashMap, io};

#[derive(Deserialize)]
struct Vectors {
    second: i64,
    certificates: HashMap<String, String>,
    vectors: Vec<Vector>,
}

#[derive(Clone, Deserialize)]
struct Vector {
    provider: String,
    library: String,
    secret: String,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: String,
}

struct FixedCertificates(HashMap<String, String>);

impl SigningCertificates for FixedCertificates {
    fn fetch<'a>(&'a self, host: &'a str, path: &'a str) -> BoxFuture<'a, io::Result<Vec<u8>>> {
        let pem = self.0.get(&format!("https://{host}{path}")).cloned();
        Box::pin(async move { pem.map(String::into_bytes).ok_or_else(|| io::Error::other("not there")) })
    }
}

impl Vector {
    fn request(&self) -> Request<Full<Bytes>> {
        let mut request = Request::builder().method(&*self.method).uri(format!("https://{HOST}{}", self.target));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.body(Full::from(self.body.clone())).expect("a request")
    }

    /// The path of its route.
    fn path(&self) -> &str {
        let end = self.target.find('?').unwrap_or(self.target.len());
        self.target[..end].trim_end_matches("/a%20b")
    }
}

#[tokio::test]
async fn webhooks_signed_by_the_providers_libraries_pass_only_unchanged() {
    let text = include_str!("../../../../tests/webhooks/vectors.json");
    let Vectors { second, certificates, vectors } = serde_json::from_str(text).expect("vectors");
    let routes: Vec<_> = vectors.iter().map(|one| route(one.path(), &one.provider, &one.secret)).collect();
    let field = Field::of(&routes, FixedCertificates(certificates)).await;
    field.pass(second - field.second());
    for vector in &vectors {
        let Vector { provider, library, .. } = vector;
        let response = field.request(vector.request()).await;
        assert_eq!(response.status, StatusCode::OK, "{provider} of {library}: {}", response.text());
        assert_eq!(response.body, vector.body, "{provider} of {library}");
        for at in 0..vector.headers.len() {
            let (name, value) = &vector.headers[at];
            if !name.to_ascii_lowercase().contains("signature") || value.len() < 20 {
                continue;
            }
            let mut changed = vector.clone();
            let other = if value.ends_with("A=") { "B=" } else { "A=" };
            changed.headers[at].1.replace_range(value.len() - 2.., other);
            let response = field.request(changed.request()).await;
            assert_eq!(response.code(), "ERR_POSTERN_3204", "{provider} of {library}: `{name}` changed");
        }
        if provider != "plivo" || !vector.headers.iter().any(|(name, _)| name.ends_with("V2")) {
            let letter =
                if provider == "sns" { vector.body.replacen("break", "brake", 1) } else { vector.body.clone() + "!" };
            let changed = Vector { body: letter, ..vector.clone() };
            let response = field.request(changed.request()).await;
            assert_eq!(response.code(), "ERR_POSTERN_3204", "{provider} of {library}: the body changed");
        }
    }
    assert_eq!(field.received(), vectors.len());
}
