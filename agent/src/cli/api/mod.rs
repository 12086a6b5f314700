//! `postern api …`: the management API from the shell, made from the API's own description.

mod commands;
mod description;
mod values;

use super::{flags, heard};
use crate::config::{Sources, paths, tree::Node};
use clap::ArgMatches;
use commands::Chosen;
use postern_api::{Code, Error, Secret, client::Client};
use serde_json::Value;
use std::{
    io::{self, Write},
    path::PathBuf,
};

pub(super) use commands::{command, outline};

/// Where the API of a server on this machine is.
const LOCAL: &str = "http://127.0.0.1:4041";

/// Carries out what was typed and prints the answer as JSON.
pub(super) fn run(matches: &ArgMatches) -> Result<(), Error> {
    let chosen = commands::chosen(matches)?;
    let client = client(matches)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("The program could not start: {error}.")))?;
    let answer = runtime.block_on(perform(&client, chosen))?;
    answer.map_or(Ok(()), |answer| heard(writeln!(io::stdout(), "{answer:#}")))
}

/// Makes the call; with `--all` follows a list to its end and gives it as one page.
async fn perform(client: &Client, chosen: Chosen) -> Result<Option<Value>, Error> {
    let mut answer = client.json(chosen.method, &chosen.path, chosen.body.as_ref()).await?;
    let Some(Value::Object(list)) = answer.as_mut().filter(|_| chosen.all) else { return Ok(answer) };
    while let Some(next) = list.get("next_page_uri").and_then(Value::as_str) {
        let query = next.split_once('?').map_or("", |(_, query)| query);
        let path = chosen.path.split('?').next().unwrap_or_default();
        let page = client.json(http::Method::GET, &format!("{path}?{query}"), None).await?;
        let Some(Value::Object(mut page)) = page else { break };
        for (name, value) in &mut *list {
            if let (Value::Array(all), Some(Value::Array(more))) = (value, page.get_mut(name)) {
                all.append(more);
            }
        }
        list.insert("next_page_uri".to_owned(), page.remove("next_page_uri").unwrap_or_default());
    }
    Ok(answer)
}

fn client(matches: &ArgMatches) -> Result<Client, Error> {
    let key = match matches.get_one::<Secret>(commands::KEY) {
        Some(key) => flags::from_stdin(key)?,
        None => configured_key(matches)?,
    };
    if key.is_empty() || key.reveal().chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return Err(Error::new(Code::KeyShape, "The API key must be one word; copy it again from where it was shown."));
    }
    let url = matches.get_one::<String>(commands::URL).map_or(LOCAL, String::as_str);
    let mut http = reqwest::Client::builder()
        .timeout(std::time::Duration::from_secs(60))
        .redirect(reqwest::redirect::Policy::none());
    let given = matches.get_one::<PathBuf>(commands::CAS).cloned();
    if let Some(file) = given.clone().or_else(paths::local_authority) {
        let refuse = |why: String| {
            let shown = file.display();
            Error::new(
                Code::ServerUntrusted,
                format!("The authority `{shown}` cannot be used: {why}. Give a PEM file."),
            )
        };
        let pem = std::fs::read(&file).map_err(|error| refuse(error.to_string()))?;
        let authority = reqwest::Certificate::from_pem(&pem).map_err(|error| refuse(error.to_string()))?;
        http = if given.is_some() { http.tls_certs_only([authority]) } else { http.tls_certs_merge([authority]) };
    }
    let http = http
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("The HTTP client could not be set up: {error}.")))?;
    Ok(Client::with_http(http, url, key))
}

/// The key of the configuration file.
fn configured_key(matches: &ArgMatches) -> Result<Secret, Error> {
    let given: Vec<PathBuf> =
        matches.get_many(commands::CONFIG).map(|files| files.cloned().collect()).unwrap_or_default();
    let (files, may_be_missing) = flags::files(&given)?;
    let sources = Sources { files, may_be_missing, overlay: Node::empty() };
    let config = sources.load().map_err(|problems| problems.to_error())?;
    config.settings.api_key.ok_or_else(|| {
        Error::new(
            Code::KeyMissing,
            "There is no API key. Set POSTERN_API_KEY, or store one: `postern config add-api-key -`.",
        )
    })
}
