//! The commands below `postern api`, one for each operation, and what was chosen of them.

use super::{
    description::{self, Field, Form, Operation},
    values,
};
use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use postern_api::{Code, Error, Secret};
use serde_json::{Map, Value};
use std::{collections::BTreeMap, path::PathBuf};
use url::form_urlencoded;

pub(super) const KEY: &str = "postern-api-key";
pub(super) const URL: &str = "postern-api-url";
pub(super) const CAS: &str = "postern-root-cas";
pub(super) const CONFIG: &str = "postern-config";
const ALL: &str = "postern-all";
const BODY: &str = "postern-body";

/// A call to be made.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) method: http::Method,
    /// The path with its query.
    pub(super) path: String,
    pub(super) body: Option<Value>,
    /// Whether to follow a list to its end.
    pub(super) all: bool,
}

/// The command `api` without what is below it.
pub(in crate::cli) fn outline() -> Command {
    Command::new("api").about("Use the server's management API: every resource, answers as JSON")
}

/// The command `api` with everything below it.
pub(in crate::cli) fn command() -> Command {
    let mut tree = Tree::default();
    for operation in description::operations() {
        tree.add(&operation.words.clone(), operation);
    }
    let api = outline()
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new(KEY)
                .long("api-key")
                .value_name("KEY")
                .env("POSTERN_API_KEY")
                .hide_env_values(true)
                .global(true)
                .value_parser(value_parser!(Secret))
                .help("The API key, or `-` to read it from standard input. Other users of this machine can see command lines: better use the environment or the configuration file"),
        )
        .arg(
            Arg::new(URL)
                .long("api-url")
                .value_name("URL")
                .env("POSTERN_API_URL")
                .global(true)
                .help("Where the API is; http://127.0.0.1:4041 if not said"),
        )
        .arg(
            Arg::new(CAS)
                .long("root-cas")
                .value_name("FILE")
                .global(true)
                .value_parser(value_parser!(PathBuf))
                .help("Trust only the authorities in this PEM file"),
        )
        .arg(
            Arg::new(CONFIG)
                .long("config")
                .value_name("FILE")
                .env("POSTERN_CONFIG")
                .global(true)
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(value_parser!(PathBuf))
                .help("Configuration file that holds the API key"),
        );
    tree.commands(api)
}

/// Commands by their words.
#[derive(Default)]
struct Tree {
    below: BTreeMap<String, Tree>,
    operations: Vec<Operation>,
}

impl Tree {
    fn add(&mut self, words: &[String], operation: Operation) {
        match words {
            [] => self.operations.push(operation),
            [word, rest @ ..] => self.below.entry(word.clone()).or_default().add(rest, operation),
        }
    }

    fn commands(self, mut command: Command) -> Command {
        for operation in self.operations {
            command = command.subcommand(leaf(operation));
        }
        for (word, tree) in self.below {
            let about = word.replace('-', " ");
            let below = Command::new(word).about(about).subcommand_required(true).arg_required_else_help(true);
            command = command.subcommand(tree.commands(below));
        }
        command
    }
}

fn leaf(operation: Operation) -> Command {
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
        let help = "All pages, not only one";
        command = command.arg(Arg::new(ALL).long("all").action(ArgAction::SetTrue).help(help));
    }
    if operation.body.is_some() {
        let help = "The whole body; flags are laid over it";
        command = command.arg(Arg::new(BODY).long("data").short('d').value_name("JSON|@FILE").help(help));
    }
    command
}

fn flag(field: &Field) -> Arg {
    let shown = if field.choices.is_empty() { description::example(field).to_owned() } else { field.choices.join("|") };
    let mut flag = Arg::new(of_field(field))
        .long(field.name.replace('_', "-"))
        .value_name(shown)
        .help(field.help.clone())
        .allow_hyphen_values(true);
    flag = match field.form {
        Form::Switch => flag
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(PossibleValuesParser::new(["true", "false"])),
        Form::Texts | Form::Pairs | Form::NumberedPairs => flag.action(ArgAction::Append),
        Form::Text | Form::Number | Form::Json => flag,
    };
    flag
}

/// The name of a flag inside the program: a field may be called like a parameter of the path.
fn of_field(field: &Field) -> String {
    format!("field-{}", field.name)
}

/// What was chosen.
pub(super) fn chosen(matches: &ArgMatches) -> Result<Chosen, Error> {
    let (mut words, mut leaf) = (Vec::new(), matches);
    while let Some((word, below)) = leaf.subcommand() {
        words.push(word.to_owned());
        leaf = below;
    }
    let verb = words.pop().unwrap_or_default();
    let operation = description::operations()
        .into_iter()
        .find(|operation| operation.words == words && operation.verb == verb)
        .ok_or_else(|| Error::new(Code::Internal, "There is no such operation."))?;
    let mut path = operation.path.clone();
    for parameter in &operation.parameters {
        let given = leaf.get_one::<String>(parameter).map(String::as_str).unwrap_or_default();
        let escaped: String = form_urlencoded::byte_serialize(given.as_bytes()).collect();
        path = path.replace(&format!("{{{parameter}}}"), &escaped);
    }
    let query = filled(leaf, &operation.query)?;
    if !query.is_empty() {
        let mut text = form_urlencoded::Serializer::new(String::new());
        for (name, value) in &query {
            text.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        path = format!("{path}?{}", text.finish());
    }
    let body = operation.body.as_ref().map(|fields| body(leaf, fields)).transpose()?;
    let all = operation.verb == "list" && leaf.get_flag(ALL);
    Ok(Chosen { method: operation.method, path, body, all })
}

fn body(leaf: &ArgMatches, fields: &[Field]) -> Result<Value, Error> {
    let mut body = match leaf.get_one::<String>(BODY).map(|text| values::json(text)).transpose()? {
        None => Map::new(),
        Some(Value::Object(body)) => body,
        Some(_) => return Err(Error::new(Code::BodyMalformed, "--data must be a JSON object, `{…}`.")),
    };
    body.extend(filled(leaf, fields)?);
    Ok(Value::Object(body))
}

/// The fields that were given.
fn filled(leaf: &ArgMatches, fields: &[Field]) -> Result<Map<String, Value>, Error> {
    let mut filled = Map::new();
    for field in fields {
        let Some(given) = leaf.get_many::<String>(&of_field(field)) else { continue };
        let given: Vec<String> = given.cloned().collect();
        filled.insert(field.name.clone(), values::value(field, &given)?);
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn typed(words: &[&str]) -> Result<Chosen, Error> {
        let line = std::iter::once("api").chain(words.iter().copied());
        chosen(&command().try_get_matches_from(line).expect("a command line"))
    }

    #[test]
    fn every_operation_has_a_command_that_is_well_formed() {
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
    fn flags_become_the_fields_of_the_body() {
        let chosen = typed(&[
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
        assert_eq!((chosen.method.as_str(), chosen.path.as_str()), ("POST", "/edges/tcp"));
        let body = json!({"description": "-x", "hostports": ["a:1", "b:2"], "backend": {"backend_id": "bkdtg_1"}});
        assert_eq!(chosen.body, Some(body));
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
    fn a_whole_body_may_be_given_and_flags_win() {
        let chosen = typed(&[
            "ip-policies",
            "update",
            "ipp_1",
            "--data",
            r#"{"metadata":"m","description":"a"}"#,
            "--description",
            "b",
        ]);
        assert_eq!(chosen.expect("a call").body, Some(json!({"metadata": "m", "description": "b"})));
    }
}
