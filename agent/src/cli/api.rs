//! `postern api …`: the management API from the shell, generated from the API description.

mod commands;
mod description;
mod groups;
mod values;

use super::{flags, write_result};
use crate::config::{Sources, paths, tree::ConfigNode};
use clap::ArgMatches;
use commands::ApiCall;
use postern_api::{Code, Error, Secret, client::Client};
use serde_json::Value;
use std::{
    io::{self, Write},
    path::PathBuf,
};

pub(super) use commands::{command, stub_command};

/// The API of a server on this machine.
const DEFAULT_API_URL: &str = "http://127.0.0.1:4041";

/// Makes the chosen call and prints the response as JSON.
pub(super) fn run(matches: &ArgMatches) -> Result<(), Error> {
    let call = commands::parse_call(matches)?;
    let client = client(matches)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("The program could not start: {error}.")))?;
    let response = runtime.block_on(perform(&client, call))?;
    response.map_or(Ok(()), |response| write_result(writeln!(io::stdout(), "{response:#}")))
}

/// Makes a call; with `--all`, fetches all pages of a list and joins them.
async fn perform(client: &Client, call: ApiCall) -> Result<Option<Value>, Error> {
    let (mut response, warning) = client.json_and_warning(call.method, &call.path, call.body.as_ref()).await?;
    if let Some(warning) = warning {
        write_result(writeln!(io::stderr(), "Warning: {warning}"))?;
    }
    let Some(Value::Object(list)) = response.as_mut().filter(|_| call.all) else { return Ok(response) };
    while let Some(next) = list.get("next_page_uri").and_then(Value::as_str) {
        let query = next.split_once('?').map_or("", |(_, query)| query);
        let path = call.path.split('?').next().unwrap_or_default();
        let page = client.json(http::Method::GET, &format!("{path}?{query}"), None).await?;
        let Some(Value::Object(mut page)) = page else { break };
        for (name, value) in &mut *list {
            if let (Value::Array(all), Some(Value::Array(more))) = (value, page.get_mut(name)) {
                all.append(more);
            }
        }
        list.insert("next_page_uri".to_owned(), page.remove("next_page_uri").unwrap_or_default());
    }
    Ok(response)
}

fn client(matches: &ArgMatches) -> Result<Client, Error> {
    let key = match matches.get_one::<Secret>(commands::API_KEY_ARG) {
        Some(key) => flags::from_stdin(key)?,
        None => configured_key(matches)?,
    };
    if key.is_empty() || key.reveal().chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return Err(Error::new(Code::KeyShape, "The API key must be one word; copy it again from where it was shown."));
    }
    let url = matches.get_one::<String>(commands::API_URL_ARG).map_or(DEFAULT_API_URL, String::as_str);
    let mut http = reqwest::Client::builder()
        .timeout(std::time::Duration::from_secs(60))
        .redirect(reqwest::redirect::Policy::none());
    let given = matches.get_one::<PathBuf>(commands::ROOT_CAS_ARG).cloned();
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

/// The API key of the configuration file.
fn configured_key(matches: &ArgMatches) -> Result<Secret, Error> {
    let given: Vec<PathBuf> =
        matches.get_many(commands::CONFIG_ARG).map(|files| files.cloned().collect()).unwrap_or_default();
    let (files, may_be_missing) = flags::files(&given)?;
    let sources = Sources { files, may_be_missing, overlay: ConfigNode::empty() };
    let config = sources.load().map_err(|problems| problems.to_error())?;
    config.settings.api_key.ok_or_else(|| {
        Error::new(
            Code::KeyMissing,
            "There is no API key. Set POSTERN_API_KEY, or store one: `postern config add-api-key -`.",
        )
    })
}
