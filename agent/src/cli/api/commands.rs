//! The commands below `postern api`, one for each operation, and the call that was chosen.

use super::{
    description::{self, ApiField, ApiOperation, FieldFormat},
    groups, values,
};
use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use postern_api::{Code, Error, Secret};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, path::PathBuf};
use url::form_urlencoded;

pub(super) const API_KEY_ARG: &str = "postern-api-key";
pub(super) const API_URL_ARG: &str = "postern-api-url";
pub(super) const ROOT_CAS_ARG: &str = "postern-root-cas";
pub(super) const CONFIG_ARG: &str = "config";
const ALL_PAGES_ARG: &str = "postern-all";
const BODY_ARG: &str = "postern-body";

/// A call to the API.
#[derive(Debug)]
pub(super) struct ApiCall {
    pub(super) method: http::Method,
    /// The path with its query.
    pub(super) path: String,
    pub(super) body: Option<Value>,
    /// Whether to fetch all pages of a list.
    pub(super) all: bool,
}

/// The command `api` without subcommands.
pub(in crate::cli) fn stub_command() -> Command {
    Command::new("api").about("Use the server's management API: every resource, with responses as JSON")
}

/// The command `api` with all subcommands.
pub(in crate::cli) fn command() -> Command {
    let mut tree = CommandTree::default();
    for operation in description::operations() {
        tree.add(&operation.words.clone(), operation);
    }
    let api = stub_command()
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new(API_KEY_ARG)
                .long("api-key")
                .value_name("KEY")
                .env("POSTERN_API_KEY")
                .hide_env_values(true)
                .global(true)
                .value_parser(value_parser!(Secret))
                .help("The API key, or `-` to read it from standard input. Other users of this machine can see command lines: prefer the environment or the configuration file"),
        )
        .arg(
            Arg::new(API_URL_ARG)
                .long("api-url")
                .value_name("URL")
                .env("POSTERN_API_URL")
                .global(true)
                .help("URL of the API; default: http://127.0.0.1:4041"),
        )
        .arg(
            Arg::new(ROOT_CAS_ARG)
                .long("root-cas")
                .value_name("FILE")
                .global(true)
                .value_parser(value_parser!(PathBuf))
                .help("Trust only the authorities in this PEM file"),
        )
        .arg(
            Arg::new(CONFIG_ARG)
                .long("config")
                .value_name("FILE")
                .env("POSTERN_CONFIG")
                .global(true)
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(value_parser!(PathBuf))
                .help("Configuration file that holds the API key"),
        );
    tree.commands(api, "")
}

/// Operations as a tree of command words.
#[derive(Default)]
struct CommandTree {
    below: BTreeMap<String, CommandTree>,
    operations: Vec<ApiOperation>,
}

impl CommandTree {
    fn add(&mut self, words: &[String], operation: ApiOperation) {
        match words {
            [] => self.operations.push(operation),
            [word, rest @ ..] => self.below.entry(word.clone()).or_default().add(rest, operation),
        }
    }

    /// `words` are those of the command itself.
    fn commands(self, mut command: Command, words: &str) -> Command {
        for operation in self.operations {
            command = command.subcommand(leaf(operation));
        }
        for (word, tree) in self.below {
            let words = format!("{words} {word}").trim_start().to_owned();
            let about = groups::about(&words).map_or_else(|| tree.subject(), str::to_owned);
            let below = Command::new(word).about(about).subcommand_required(true).arg_required_else_help(true);
            command = command.subcommand(tree.commands(below, &words));
        }
        command
    }

    /// What the operations are about: their summary without its verb.
    fn subject(&self) -> String {
        let summary = self.operations.first().map_or("", |operation| operation.summary.as_str());
        let subject = summary.split_once(' ').map_or(summary, |(_, subject)| subject);
        let mut letters = subject.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }
}

fn leaf(operation: ApiOperation) -> Command {
    let mut command = Command::new(operation.verb).about(operation.summary.clone());
    if operation.verb == "replace" {
        command = command.visible_alias("put");
    }
    for parameter in &operation.parameters {
        let shown = parameter.to_uppercase();
        command = command.arg(Arg::new(parameter.clone()).value_name(shown).required(true).help("The id"));
    }
    for field in operation.query.iter().chain(operation.body.iter().flatten()) {
        command = command.arg(flag(field));
    }
    if operation.verb == "list" {
        let help = "Fetch all pages";
        command = command.arg(Arg::new(ALL_PAGES_ARG).long("all").action(ArgAction::SetTrue).help(help));
    }
    if operation.body.is_some() {
        let help = "The whole body; flags override its members";
        command = command.arg(Arg::new(BODY_ARG).long("data").short('d').value_name("JSON|@FILE").help(help));
    }
    command
}

fn flag(field: &ApiField) -> Arg {
    let shown = if field.choices.is_empty() { description::example(field).to_owned() } else { field.choices.join("|") };
    let mut flag = Arg::new(argument_id(field))
        .long(field.name.replace('_', "-"))
        .value_name(shown)
        .help(field.help.clone())
        .allow_hyphen_values(true);
    flag = match field.format {
        FieldFormat::Switch => flag
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(PossibleValuesParser::new(["true", "false"])),
        FieldFormat::Texts | FieldFormat::Pairs | FieldFormat::NumberedPairs => flag.action(ArgAction::Append),
        FieldFormat::Text | FieldFormat::Number | FieldFormat::Json => flag,
    };
    flag
}

/// The id of an argument: a field may have the same name as a path parameter.
fn argument_id(field: &ApiField) -> String {
    format!("field-{}", field.name)
}

/// The call for parsed arguments.
pub(super) fn parse_call(matches: &ArgMatches) -> Result<ApiCall, Error> {
    let (mut words, mut command_matches) = (Vec::new(), matches);
    while let Some((word, below)) = command_matches.subcommand() {
        words.push(word.to_owned());
        command_matches = below;
    }
    let verb = words.pop().unwrap_or_default();
    let operation = description::operations()
        .into_iter()
        .find(|operation| operation.words == words && operation.verb == verb)
        .ok_or_else(|| Error::new(Code::Internal, "There is no such operation."))?;
    let mut path = operation.path.clone();
    for parameter in &operation.parameters {
        let given = command_matches.get_one::<String>(parameter).map(String::as_str).unwrap_or_default();
        let escaped: String = form_urlencoded::byte_serialize(given.as_bytes()).collect();
        path = path.replace(&format!("{{{parameter}}}"), &escaped);
    }
    let query = filled(command_matches, &operation.query)?;
    if !query.is_empty() {
        let mut text = form_urlencoded::Serializer::new(String::new());
        for (name, value) in &query {
            text.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        path = format!("{path}?{}", text.finish());
    }
    let body = operation.body.as_ref().map(|fields| body(command_matches, fields)).transpose()?;
    let all = operation.verb == "list" && command_matches.get_flag(ALL_PAGES_ARG);
    Ok(ApiCall { method: operation.method, path, body, all })
}

fn body(command_matches: &ArgMatches, fields: &[ApiField]) -> Result<Value, Error> {
    let mut body = match command_matches.get_one::<String>(BODY_ARG).map(|text| values::json(text)).transpose()? {
        None => Map::new(),
        Some(Value::Object(body)) => body,
        Some(_) => return Err(Error::new(Code::BodyMalformed, "--data must be a JSON object, `{…}`.")),
    };
    body.extend(filled(command_matches, fields)?);
    Ok(Value::Object(body))
}

/// The fields that were given.
fn filled(command_matches: &ArgMatches, fields: &[ApiField]) -> Result<Map<String, Value>, Error> {
    let mut filled = Map::new();
    for field in fields {
        let Some(given) = command_matches.get_many::<String>(&argument_id(field)) else { continue };
        let given: Vec<String> = given.cloned().collect();
        filled.insert(field.name.clone(), values::value(field, &given)?);
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn typed(words: &[&str]) -> Result<ApiCall, Error> {
        let line = std::iter::once("api").chain(words.iter().copied());
        parse_call(&command().try_get_matches_from(line).expect("a command line"))
    }

    #[test]
    fn every_operation_has_a_well_formed_command() {
        command().debug_assert();
        let operations = description::operations();
        assert!(operations.len() > 20, "the description has operations");
        for operation in operations {
            let mut command = command();
            for word in operation.words.iter().map(String::as_str).chain([operation.verb]) {
                command = command.find_subcommand(word).unwrap_or_else(|| panic!("no `{word}`: {operation:?}")).clone();
            }
        }
    }

    #[test]
    fn every_group_says_what_it_is_for() {
        fn check(command: &Command, words: &str) {
            for group in command.get_subcommands().filter(|command| command.has_subcommands()) {
                let (name, about) = (group.get_name(), group.get_about().map(ToString::to_string).unwrap_or_default());
                assert!(!about.is_empty(), "{words} {name} says nothing");
                assert_ne!(about.to_lowercase(), name.replace('-', " "), "{words} {name} repeats its name");
                check(group, &format!("{words} {name}"));
            }
        }
        let command = command();
        check(&command, "api");
        for group in groups::all() {
            let find = |command: &Command, word: &str| command.find_subcommand(word).cloned();
            assert!(
                group.split(' ').try_fold(command.clone(), |command, word| find(&command, word)).is_some(),
                "{group}"
            );
        }
    }

    #[test]
    fn flags_become_the_fields_of_the_body() {
        let call = typed(&[
            "edges",
            "tcp",
            "create",
            "--description=-x",
            "--hostports",
            "a:1",
            "--hostports",
            "b:2",
            "--backend",
            r#"{"backend_id":"bkdtg_1"}"#,
        ])
        .expect("a call");
        assert_eq!((call.method.as_str(), call.path.as_str()), ("POST", "/edges/tcp"));
        let body = json!({"description": "-x", "hostports": ["a:1", "b:2"], "backend": {"backend_id": "bkdtg_1"}});
        assert_eq!(call.body, Some(body));
    }

    #[test]
    fn modules_lists_and_items_have_their_own_verbs() {
        let put = typed(&["edges", "tcp", "backend", "replace", "edgtcp_1", "--backend-id", "b", "--enabled=false"]);
        let put = put.expect("a call");
        assert_eq!((put.method.as_str(), put.path.as_str()), ("PUT", "/edges/tcp/edgtcp_1/backend"));
        assert_eq!(put.body, Some(json!({"enabled": false, "backend_id": "b"})));
        let list = typed(&["ip-policies", "list", "--limit", "7", "--all"]).expect("a call");
        assert_eq!((list.path.as_str(), list.all, list.body), ("/ip_policies?limit=7", true, None));
        let item = typed(&["ip-policies", "delete", "a/../b"]).expect("a call");
        assert_eq!((item.method.as_str(), item.path.as_str()), ("DELETE", "/ip_policies/a%2F..%2Fb"));
    }

    #[test]
    fn flags_override_a_given_body() {
        let call = typed(&[
            "ip-policies",
            "update",
            "ipp_1",
            "--data",
            r#"{"metadata":"m","description":"a"}"#,
            "--description",
            "b",
        ]);
        assert_eq!(call.expect("a call").body, Some(json!({"metadata": "m", "description": "b"})));
    }
}
