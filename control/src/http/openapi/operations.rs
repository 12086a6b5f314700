//! The operations of kinds and modules.

use super::{Description, parts, words};
use http::{Method, StatusCode};
use postern_api::{
    id::Kind,
    module::Module,
    resource::{
        Dependent, Parent, Record, RefusedVisit, Removable, Resource, ServerFacts, ServerStatus, SessionCommand,
        SessionCommandBody, TunnelSession, View,
    },
    schema::pattern,
    traffic::Traffic,
};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use std::any::TypeId;

/// How ids of what is counted begin.
const TRAFFIC: &str = "(edghts|edghtsrt|edgtls|edgtcp|tn)";

/// A path, and what its parameters are.
struct Place {
    path: String,
    /// How ids of the kind begin.
    prefix: &'static str,
    parent: Option<Parent>,
}

/// What is said about one operation.
struct Operation {
    method: Method,
    id: String,
    summary: String,
    /// Parameters beside those of the path and the version.
    query: Vec<Value>,
    body: Option<Value>,
    /// Whether the body may be left away.
    silent: bool,
    status: StatusCode,
    about: &'static str,
    answer: Option<Value>,
}

impl Description {
    /// The five operations of a kind; a nested kind has no list.
    pub(in crate::http) fn resource<R: Resource>(&mut self) {
        let (name, words) = (Record::<R>::schema_name().into_owned(), words::words(R::KIND));
        let about = self.schemas.about::<R>();
        let record = self.schemas.answer::<Record<R>>(&name, about);
        let create = self.schemas.body::<R::Create>(&format!("{name}Create"), None);
        // The words of a type that serves for both are about creating.
        let both = TypeId::of::<R::Create>() == TypeId::of::<R::Update>();
        let about = both.then(|| "What is to change. What is absent or null stays as it is.".to_owned());
        let update = self.schemas.body::<R::Update>(&format!("{name}Update"), about);
        let collection = Place { path: R::PATH.to_owned(), prefix: R::PREFIX, parent: R::PARENT };
        let item = Place { path: format!("{}/{{id}}", R::PATH), ..collection };
        if R::PARENT.is_none() {
            self.list(&name, R::KIND, &collection, R::LIST, &record, true);
        }
        let create = Operation {
            body: Some(create),
            ..Operation::new(Method::POST, format!("create_{}", R::KIND), format!("Create {words}")).answers(
                StatusCode::CREATED,
                "It was made.",
                Some(record.clone()),
            )
        };
        let get = Operation::new(Method::GET, format!("get_{}", R::KIND), format!("Get {words}")).answers(
            StatusCode::OK,
            "Here it is.",
            Some(record.clone()),
        );
        let update = Operation {
            body: Some(update),
            ..Operation::new(Method::PATCH, format!("update_{}", R::KIND), format!("Update {words}")).answers(
                StatusCode::OK,
                "As it is now.",
                Some(record),
            )
        };
        let delete = Operation::new(Method::DELETE, format!("delete_{}", R::KIND), format!("Delete {words}"));
        self.add(&collection, create);
        for operation in [get, update, delete] {
            self.add(&item, operation);
        }
    }

    /// List and get of what nobody can change.
    pub(in crate::http) fn view<V: View>(&mut self) {
        let name = V::schema_name().into_owned();
        let record = self.schemas.answer::<V>(&name, None);
        let collection = Place { path: V::PATH.to_owned(), prefix: V::PREFIX, parent: None };
        self.list(&name, V::KIND, &collection, V::LIST, &record, false);
        let get = Operation::new(Method::GET, format!("get_{}", V::KIND), format!("Get {}", words::words(V::KIND)))
            .answers(StatusCode::OK, "Here it is.", Some(record));
        self.add(&Place { path: format!("{}/{{id}}", V::PATH), ..collection }, get);
    }

    /// List, get and delete of what nobody can make or change.
    pub(in crate::http) fn removable<V: Removable>(&mut self) {
        self.view::<V>();
        let place = Place { path: format!("{}/{{id}}", V::PATH), prefix: V::PREFIX, parent: None };
        let summary = format!("Delete {}", words::words(V::KIND));
        self.add(&place, Operation::new(Method::DELETE, format!("delete_{}", V::KIND), summary));
    }

    /// The last requests and connections that an edge turned away.
    pub(in crate::http) fn decisions<R: Resource>(&mut self) {
        let refused = self.schemas.answer::<RefusedVisit>("RefusedVisit", None);
        let list = page(
            "decisions",
            "Those who were turned away last, the newest first. There are no further pages.",
            &refused,
        );
        let list = self.schemas.composed("RefusedVisitList", list);
        let place = Place { path: format!("{}/{{id}}/decisions", R::PATH), prefix: R::PREFIX, parent: None };
        let summary = format!("List whom {} has turned away", words::words(R::KIND));
        let operation = Operation::new(Method::GET, format!("list_{}_decisions", R::KIND), summary);
        self.add(&place, operation.answers(StatusCode::OK, "Here they are.", Some(list)));
    }

    /// What refers to a record of a kind.
    pub(in crate::http) fn dependents<R: Resource>(&mut self) {
        let dependent = self.schemas.answer::<Dependent>("Dependent", None);
        let list = page("dependents", "At most a hundred of them. There are no further pages.", &dependent);
        let list = self.schemas.composed("DependentList", list);
        let place = Place { path: format!("{}/{{id}}/dependents", R::PATH), prefix: R::PREFIX, parent: None };
        let summary = format!("List what refers to {}", words::words(R::KIND));
        let operation = Operation::new(Method::GET, format!("list_{}_dependents", R::KIND), summary);
        self.add(&place, operation.answers(StatusCode::OK, "Here they are.", Some(list)));
    }

    /// What there is to know about the server.
    pub(in crate::http) fn facts(&mut self) {
        let facts = self.schemas.answer::<ServerFacts>("ServerFacts", None);
        let place = Place { path: ServerFacts::PATH.to_owned(), prefix: "", parent: None };
        let operation = Operation::new(Method::GET, "get_server".to_owned(), "Get facts about the server".to_owned());
        self.add(&place, operation.answers(StatusCode::OK, "Here they are.", Some(facts)));
    }

    /// What passes, and the server at a glance.
    pub(in crate::http) fn watching(&mut self) {
        let place = |path: &str| Place { path: path.to_owned(), prefix: TRAFFIC, parent: None };
        let get = |id: &str, summary: &str| Operation::new(Method::GET, id.to_owned(), summary.to_owned());
        let status = self.schemas.answer::<ServerStatus>("ServerStatus", None);
        let operation = get("get_status", "Get the server at a glance");
        self.add(&place("/status"), operation.answers(StatusCode::OK, "This is how it is.", Some(status)));
        let traffic = self.schemas.answer::<Traffic>("Traffic", None);
        let about = "Edges, routes and tunnels that something has passed, the busiest first. There are at most 1,000, \
                     and no further pages.";
        let list = self.schemas.composed("TrafficList", page("traffic", about, &traffic));
        let operation = get("list_traffic", "List what passes edges, routes and tunnels");
        self.add(&place("/traffic"), operation.answers(StatusCode::OK, "Here they are.", Some(list)));
        let operation = get("get_traffic", "Get what passes an edge, a route or a tunnel");
        self.add(&place("/traffic/{id}"), operation.answers(StatusCode::OK, "Here it is.", Some(traffic)));
    }

    /// What the agent of a session can be told to do.
    pub(in crate::http) fn commands(&mut self) {
        let body = self.schemas.body::<SessionCommandBody>("SessionCommand", None);
        for command in SessionCommand::ALL {
            let (word, kind) = (command.as_str(), TunnelSession::KIND);
            let path = format!("{}/{{id}}/{word}", TunnelSession::PATH);
            let verb = format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..]);
            let operation = Operation {
                body: Some(body.clone()),
                silent: true,
                // No agent does so yet: being refused is all that can come of it.
                status: if command == SessionCommand::Update {
                    StatusCode::BAD_REQUEST
                } else {
                    StatusCode::NO_CONTENT
                },
                about: "The agent was told.",
                ..Operation::new(Method::POST, format!("{word}_{kind}"), format!("{verb} {}", words::words(kind)))
            };
            self.add(&Place { path, prefix: TunnelSession::PREFIX, parent: None }, operation);
        }
    }

    /// Put, get and delete of a module of a kind.
    pub(in crate::http) fn module<O: Resource, M: Module>(&mut self) {
        let name = format!("{}Module", M::schema_name());
        let view = self.schemas.answer::<M::View>(&name, None);
        let body = self.schemas.body::<M>(&format!("{name}Put"), None);
        let place = Place { path: format!("{}/{{id}}/{}", O::PATH, M::NAME), prefix: O::PREFIX, parent: O::PARENT };
        let words = format!("{} of {}", words::words(M::NAME), words::words(O::KIND));
        let named = |verb: &str| format!("{verb}_{}_{}", O::KIND, M::NAME);
        let put = Operation {
            body: Some(body),
            ..Operation::new(Method::PUT, named("put"), format!("Put {words}")).answers(
                StatusCode::OK,
                "As it is now.",
                Some(view.clone()),
            )
        };
        let get = Operation::new(Method::GET, named("get"), format!("Get {words}")).answers(
            StatusCode::OK,
            "Here it is.",
            Some(view),
        );
        let delete = Operation::new(Method::DELETE, named("delete"), format!("Delete {words}"));
        for operation in [put, get, delete] {
            self.add(&place, operation);
        }
    }

    /// The removal of something in a record.
    pub(in crate::http) fn part<R: Resource>(&mut self, name: &str) {
        let place = Place { path: format!("{}/{{id}}/{name}", R::PATH), prefix: R::PREFIX, parent: R::PARENT };
        let summary = format!("Delete {} of {}", words::words(name), words::words(R::KIND));
        self.add(&place, Operation::new(Method::DELETE, format!("delete_{}_{name}", R::KIND), summary));
    }

    /// Lists come in pages; those of records can be searched.
    fn list(&mut self, name: &str, kind: &str, place: &Place, member: &str, record: &Value, searched: bool) {
        let page = page(member, "A page of records, the newest first.", record);
        let page = self.schemas.composed(&format!("{name}List"), page);
        let many = words::plural(kind);
        let before = json!({
            "name": "before_id",
            "in": "query",
            "description": "Only records that are older than this one; empty is the same as none.",
            "schema": { "type": "string", "pattern": format!("^$|{}", pattern(place.prefix)) },
        });
        let mut query = vec![json!({ "$ref": "#/components/parameters/Limit" }), before];
        query.extend(searched.then(|| json!({ "$ref": "#/components/parameters/Search" })));
        let list = Operation {
            query,
            ..Operation::new(Method::GET, format!("list_{many}"), format!("List {}", words::words(&many))).answers(
                StatusCode::OK,
                "A page of them.",
                Some(page),
            )
        };
        self.add(place, list);
    }

    fn add(&mut self, place: &Place, operation: Operation) {
        assert!(self.operation_ids.insert(operation.id.clone()), "two operations are called `{}`", operation.id);
        let (family, about) = words::family(&place.path);
        self.families.insert(family, about);
        let method = operation.method.as_str().to_ascii_lowercase();
        let described = operation.described(place, family);
        let taken = self.paths.entry(place.path.clone()).or_default().insert(method, described);
        assert!(taken.is_none(), "two operations share a method at `{}`", place.path);
    }
}

/// A list as it is answered.
fn page(member: &str, about: &str, record: &Value) -> Value {
    json!({
        "description": about,
        "type": "object",
        "properties": {
            member: { "description": "The records.", "type": "array", "items": record },
            "uri": { "description": "The address of the list.", "type": "string" },
            "next_page_uri": {
                "description": "The address of the next page, null after the last.",
                "type": ["string", "null"],
            },
        },
        "required": [member, "uri", "next_page_uri"],
    })
}

impl Place {
    /// Whether it names something that may not be there.
    fn names_something(&self) -> bool {
        self.path.contains('{')
    }

    fn parameters(&self) -> impl Iterator<Item = Value> + '_ {
        let own = ("id", self.prefix, "The id.");
        let outer = self.parent.map(|parent| (parent.parameter, parent.prefix, "The id of what it lies in."));
        let all = outer.into_iter().chain([own]);
        all.filter(|(name, ..)| self.path.contains(&format!("{{{name}}}"))).map(|(name, prefix, about)| {
            json!({
                "name": name,
                "in": "path",
                "description": about,
                "required": true,
                "schema": { "type": "string", "pattern": pattern(prefix) },
            })
        })
    }
}

impl Operation {
    /// One without a body, neither sent nor answered.
    fn new(method: Method, id: String, summary: String) -> Self {
        let (status, about) = (StatusCode::NO_CONTENT, "It is gone.");
        Operation { method, id, summary, query: Vec::new(), body: None, silent: false, status, about, answer: None }
    }

    fn answers(self, status: StatusCode, about: &'static str, answer: Option<Value>) -> Self {
        Operation { status, about, answer, ..self }
    }

    /// The statuses of all refusals there can be.
    fn refusals(&self, place: &Place) -> Vec<StatusCode> {
        let mut statuses = vec![
            StatusCode::BAD_REQUEST,
            StatusCode::UNAUTHORIZED,
            StatusCode::FORBIDDEN,
            StatusCode::INTERNAL_SERVER_ERROR,
            StatusCode::SERVICE_UNAVAILABLE,
        ];
        statuses.extend(place.names_something().then_some(StatusCode::NOT_FOUND));
        statuses.extend((self.method != Method::GET).then_some(StatusCode::CONFLICT));
        statuses.extend(self.body.is_some().then_some(StatusCode::PAYLOAD_TOO_LARGE));
        statuses
    }

    fn described(self, place: &Place, family: &str) -> Value {
        let mut parameters = vec![json!({ "$ref": "#/components/parameters/ServiceVersion" })];
        parameters.extend(place.parameters());
        let refusals = self.refusals(place);
        parameters.extend(self.query);
        let done = (self.status.as_str().to_owned(), parts::answer(self.about, self.answer));
        let answers: Map<String, Value> = std::iter::once(done).chain(parts::refused(&refusals)).collect();
        let mut described = json!({
            "operationId": self.id,
            "summary": self.summary,
            "tags": [family],
            "parameters": parameters,
        });
        if let Some(body) = self.body {
            described["requestBody"] =
                json!({ "required": !self.silent, "content": { "application/json": { "schema": body } } });
        }
        described["responses"] = Value::Object(answers);
        described
    }
}
