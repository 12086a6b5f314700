//! Operations of kinds, modules and views.

use super::{Description, components, naming};
use http::{Method, StatusCode};
use postern_api::{
    WARNING_HEADER,
    id::Kind,
    module::Module,
    resource::{
        AuditEvent, ConsoleSession, Dependent, DomainRecord, NodeName, Parent, RecentRequest, Record, RefusedVisit,
        Removable, ReservedDomain, Resource, ServerFacts, ServerStatus, SessionCommand, SessionCommandBody, Tunnel,
        TunnelSession, View,
    },
    schema::pattern,
    traffic::{Traffic, TrafficSeries},
};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use std::any::TypeId;

/// Pattern of the id prefixes of everything that has traffic.
const TRAFFIC_PREFIXES: &str = "(edghts|edghtsrt|edgtls|edgtcp|tn)";

/// Pattern of the id prefixes of everything whose traffic is recorded.
const RECORDED_PREFIXES: &str = "(edghts|edghtsrt|edgtls|edgtcp)";

/// What a page of a list is.
const PAGE: &str = "A page of records, newest first.";

/// A path with its parameters.
struct PathTemplate {
    path: String,
    /// Prefix of the ids of the kind.
    prefix: &'static str,
    parent: Option<Parent>,
}

/// Description of one operation.
struct Operation {
    method: Method,
    id: String,
    summary: String,
    /// Parameters besides those of the path and the version.
    query: Vec<Value>,
    body: Option<Value>,
    /// Whether the body may be omitted.
    body_optional: bool,
    status: StatusCode,
    about: &'static str,
    response: Option<Value>,
    /// Whether the response may have a warning.
    can_warn: bool,
    /// Whether the response sets or removes the cookie of a session.
    sets_cookie: bool,
    /// Whether what the path names may not exist, although it has no parameters.
    can_miss: bool,
}

impl Description {
    /// The five operations of a kind; a nested kind has no list.
    pub(in crate::http) fn resource<R: Resource>(&mut self) {
        let (name, words) = (Record::<R>::schema_name().into_owned(), naming::display_name(R::KIND));
        let about = self.schemas.about::<R>();
        let record = self.schemas.response::<Record<R>>(&name, about);
        let create = self.schemas.body::<R::Create>(&format!("{name}Create"), None);
        // The description of a type that serves for both is about creation.
        let both = TypeId::of::<R::Create>() == TypeId::of::<R::Update>();
        let about = both.then(|| "Changes of the record. Members that are absent or null stay unchanged.".to_owned());
        let update = self.schemas.body::<R::Update>(&format!("{name}Update"), about);
        let collection = PathTemplate { path: R::PATH.to_owned(), prefix: R::PREFIX, parent: R::PARENT };
        let item = PathTemplate { path: format!("{}/{{id}}", R::PATH), ..collection };
        if R::PARENT.is_none() {
            let search = vec![json!({ "$ref": "#/components/parameters/Search" })];
            self.list(&name, R::KIND, &collection, page(R::LIST, PAGE, &record), search);
        }
        let create = Operation {
            body: Some(create),
            ..Operation::new(Method::POST, format!("create_{}", R::KIND), format!("Create {words}")).responds(
                StatusCode::CREATED,
                "The created record.",
                Some(record.clone()),
            )
        };
        let get = Operation::new(Method::GET, format!("get_{}", R::KIND), format!("Get {words}")).responds(
            StatusCode::OK,
            "The record.",
            Some(record.clone()),
        );
        let update = Operation {
            body: Some(update),
            ..Operation::new(Method::PATCH, format!("update_{}", R::KIND), format!("Update {words}")).responds(
                StatusCode::OK,
                "The new state.",
                Some(record),
            )
        };
        let delete = Operation::new(Method::DELETE, format!("delete_{}", R::KIND), format!("Delete {words}"));
        self.add(&collection, create);
        for operation in [get, update, delete] {
            self.add(&item, operation);
        }
    }

    /// List and get of a view.
    pub(in crate::http) fn view<V: View>(&mut self) {
        self.filtered_view::<V>(page, Vec::new());
    }

    /// List and get of a view of what all nodes serve.
    pub(in crate::http) fn live_view<V: View>(&mut self) {
        self.filtered_view::<V>(page_of_nodes, Vec::new());
    }

    /// List and get of audit events.
    pub(in crate::http) fn audit_events(&mut self) {
        self.filtered_view::<AuditEvent>(page, components::audit_filters());
    }

    /// List and get of a view, whose list has further parameters.
    fn filtered_view<V: View>(&mut self, page: PageSchema, filters: Vec<Value>) {
        let name = V::schema_name().into_owned();
        let record = self.schemas.response::<V>(&name, None);
        let collection = PathTemplate { path: V::PATH.to_owned(), prefix: V::PREFIX, parent: None };
        self.list(&name, V::KIND, &collection, page(V::LIST, PAGE, &record), filters);
        let get =
            Operation::new(Method::GET, format!("get_{}", V::KIND), format!("Get {}", naming::display_name(V::KIND)))
                .responds(StatusCode::OK, "The record.", Some(record));
        self.add(&PathTemplate { path: format!("{}/{{id}}", V::PATH), ..collection }, get);
    }

    /// List, get and delete of a view.
    pub(in crate::http) fn removable<V: Removable>(&mut self) {
        self.view::<V>();
        self.removal::<V>();
    }

    /// List, get and delete of a view of what all nodes serve.
    pub(in crate::http) fn removable_live_view<V: Removable>(&mut self) {
        self.live_view::<V>();
        self.removal::<V>();
    }

    fn removal<V: Removable>(&mut self) {
        let template = PathTemplate { path: format!("{}/{{id}}", V::PATH), prefix: V::PREFIX, parent: None };
        let summary = format!("Delete {}", naming::display_name(V::KIND));
        self.add(&template, Operation::new(Method::DELETE, format!("delete_{}", V::KIND), summary));
    }

    /// Latest requests and connections that an edge refused.
    pub(in crate::http) fn decisions<R: Resource>(&mut self) {
        self.whole_list::<R, RefusedVisit>(
            ("decisions", "RefusedVisit"),
            "Latest requests and connections that the edge refused, newest first. There are no further pages.",
            format!("List the latest refusals of {}", naming::display_name(R::KIND)),
        );
    }

    /// The last requests of an edge or a route.
    pub(in crate::http) fn requests<R: Resource>(&mut self) {
        let template =
            PathTemplate { path: format!("{}/{{id}}/requests", R::PATH), prefix: R::PREFIX, parent: R::PARENT };
        let summary = format!("List the last requests of {}", naming::display_name(R::KIND));
        self.request_list(&template, format!("list_{}_requests", R::KIND), summary);
    }

    /// The last requests of a tunnel.
    pub(in crate::http) fn tunnel_requests(&mut self) {
        let path = format!("{}/{{id}}/requests", Tunnel::PATH);
        let template = PathTemplate { path, prefix: Tunnel::PREFIX, parent: None };
        self.request_list(&template, "list_tunnel_requests".to_owned(), "List the last requests of tunnel".to_owned());
    }

    fn request_list(&mut self, template: &PathTemplate, id: String, summary: String) {
        let request = self.schemas.response::<RecentRequest>("RecentRequest", None);
        self.schemas.response::<NodeName>("NodeName", None);
        let about = "The last requests, newest first. There are no further pages.";
        let list = self.schemas.composed("RecentRequestList", page_of_nodes("requests", about, &request));
        let operation = Operation { query: components::request_filters(), ..Operation::new(Method::GET, id, summary) };
        self.add(template, operation.responds(StatusCode::OK, "The list.", Some(list)));
    }

    /// Records in DNS that a reserved domain needs.
    pub(in crate::http) fn domain_records(&mut self) {
        self.whole_list::<ReservedDomain, DomainRecord>(
            ("dns_records", "DomainRecord"),
            "Records in DNS that the domain needs, with what name servers answer. There are no further pages.",
            "Check the DNS records of a reserved domain".to_owned(),
        );
    }

    /// Records that refer to a record of a kind.
    pub(in crate::http) fn dependents<R: Resource>(&mut self) {
        self.whole_list::<R, Dependent>(
            ("dependents", "Dependent"),
            "Records that refer to this one, at most a hundred. There are no further pages.",
            format!("List the dependents of {}", naming::display_name(R::KIND)),
        );
    }

    /// A list that belongs to a record, in one page, by the name of its member and that of the schema of its items.
    fn whole_list<R: Resource, T: JsonSchema>(
        &mut self,
        (member, schema): (&'static str, &str),
        about: &str,
        summary: String,
    ) {
        let item = self.schemas.response::<T>(schema, None);
        let list = self.schemas.composed(&format!("{schema}List"), page(member, about, &item));
        let template = PathTemplate { path: format!("{}/{{id}}/{member}", R::PATH), prefix: R::PREFIX, parent: None };
        let operation = Operation::new(Method::GET, format!("list_{}_{member}", R::KIND), summary);
        self.add(&template, operation.responds(StatusCode::OK, "The list.", Some(list)));
    }

    /// Facts about the server.
    pub(in crate::http) fn facts(&mut self) {
        let facts = self.schemas.response::<ServerFacts>("ServerFacts", None);
        let template = PathTemplate { path: ServerFacts::PATH.to_owned(), prefix: "", parent: None };
        let operation = Operation::new(Method::GET, "get_server".to_owned(), "Get facts about the server".to_owned());
        self.add(&template, operation.responds(StatusCode::OK, "The facts.", Some(facts)));
    }

    /// Status and traffic.
    pub(in crate::http) fn watching(&mut self) {
        let template = |path: &str| PathTemplate { path: path.to_owned(), prefix: TRAFFIC_PREFIXES, parent: None };
        let get = |id: &str, summary: &str| Operation::new(Method::GET, id.to_owned(), summary.to_owned());
        let status = self.schemas.response::<ServerStatus>("ServerStatus", None);
        let operation = get("get_status", "Get the status of the server");
        self.add(&template("/status"), operation.responds(StatusCode::OK, "The status.", Some(status)));
        let traffic = self.schemas.response::<Traffic>("Traffic", None);
        self.schemas.response::<NodeName>("NodeName", None);
        let about =
            "Traffic of edges, routes and tunnels, the busiest first. There are at most 1,000, and no further pages.";
        let list = self.schemas.composed("TrafficList", page_of_nodes("traffic", about, &traffic));
        let operation = get("list_traffic", "List the traffic of edges, routes and tunnels");
        self.add(&template("/traffic"), operation.responds(StatusCode::OK, "The list.", Some(list)));
        let operation = get("get_traffic", "Get the traffic of an edge, a route or a tunnel");
        self.add(&template("/traffic/{id}"), operation.responds(StatusCode::OK, "The traffic.", Some(traffic)));
        self.traffic_series();
        let summary = "List the last requests of all edges and tunnels".to_owned();
        self.request_list(&template("/traffic/requests"), "list_requests".to_owned(), summary);
    }

    /// Traffic over time ranges.
    fn traffic_series(&mut self) {
        let series = self.schemas.response::<TrafficSeries>("TrafficSeries", None);
        let query = vec![components::traffic_range()];
        for (path, id, summary) in [
            ("/traffic/series", "get_traffic_series_in_all", "Get all traffic together over a time range"),
            ("/traffic/{id}/series", "get_traffic_series", "Get the traffic of an edge or a route over a time range"),
        ] {
            let template = PathTemplate { path: path.to_owned(), prefix: RECORDED_PREFIXES, parent: None };
            let operation = Operation::new(Method::GET, id.to_owned(), summary.to_owned());
            let operation = Operation { query: query.clone(), ..operation };
            self.add(&template, operation.responds(StatusCode::OK, "The traffic.", Some(series.clone())));
        }
    }

    /// Sign-in to the console and its end.
    pub(in crate::http) fn console_sessions(&mut self) {
        let session = self.schemas.response::<ConsoleSession>("ConsoleSession", None);
        let all = PathTemplate { path: ConsoleSession::PATH.to_owned(), prefix: "", parent: None };
        let current = PathTemplate { path: format!("{}/current", ConsoleSession::PATH), ..all };
        let operation = |method, id: &str, summary: &str| Operation::new(method, id.to_owned(), summary.to_owned());
        let sign_in = Operation {
            sets_cookie: true,
            ..operation(Method::POST, "create_console_session", "Sign in to the console with the API key of the call")
                .responds(StatusCode::CREATED, "The session. Its token is in the cookie only.", Some(session.clone()))
        };
        let sign_out_everywhere = Operation {
            sets_cookie: true,
            about: "All sessions of the user have ended.",
            ..operation(Method::DELETE, "delete_console_sessions", "Sign out of the console everywhere")
        };
        let read = Operation {
            can_miss: true,
            ..operation(Method::GET, "get_console_session", "Get the console session that the call is made in")
                .responds(StatusCode::OK, "The session.", Some(session))
        };
        let sign_out = Operation {
            can_miss: true,
            sets_cookie: true,
            about: "The session has ended.",
            ..operation(Method::DELETE, "delete_console_session", "Sign out of the console")
        };
        self.add(&all, sign_in);
        self.add(&all, sign_out_everywhere);
        self.add(&current, read);
        self.add(&current, sign_out);
    }

    /// Commands for the agent of a session.
    pub(in crate::http) fn commands(&mut self) {
        let body = self.schemas.body::<SessionCommandBody>("SessionCommand", None);
        for command in SessionCommand::OFFERED {
            let (word, kind) = (command.as_str(), TunnelSession::KIND);
            let path = format!("{}/{{id}}/{word}", TunnelSession::PATH);
            let verb = format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..]);
            let operation = Operation {
                body: Some(body.clone()),
                body_optional: true,
                about: "The command was sent to the agent.",
                ..Operation::new(
                    Method::POST,
                    format!("{word}_{kind}"),
                    format!("{verb} {}", naming::display_name(kind)),
                )
            };
            self.add(&PathTemplate { path, prefix: TunnelSession::PREFIX, parent: None }, operation);
        }
    }

    /// Put, get and delete of a module of a kind.
    pub(in crate::http) fn module<O: Resource, M: Module>(&mut self) {
        let name = format!("{}Module", M::schema_name());
        let view = self.schemas.response::<M::View>(&name, None);
        let body = self.schemas.body::<M>(&format!("{name}Put"), None);
        let template =
            PathTemplate { path: format!("{}/{{id}}/{}", O::PATH, M::NAME), prefix: O::PREFIX, parent: O::PARENT };
        let words = format!("{} of {}", naming::display_name(M::NAME), naming::display_name(O::KIND));
        let named = |verb: &str| format!("{verb}_{}_{}", O::KIND, M::NAME);
        let put = Operation {
            body: Some(body),
            can_warn: true,
            ..Operation::new(Method::PUT, named("put"), format!("Put {words}")).responds(
                StatusCode::OK,
                "The new state.",
                Some(view.clone()),
            )
        };
        let get = Operation::new(Method::GET, named("get"), format!("Get {words}")).responds(
            StatusCode::OK,
            "The record.",
            Some(view),
        );
        let delete = Operation::new(Method::DELETE, named("delete"), format!("Delete {words}"));
        for operation in [put, get, delete] {
            self.add(&template, operation);
        }
    }

    /// Removal of a part of a record.
    pub(in crate::http) fn part<R: Resource>(&mut self, name: &str) {
        let template =
            PathTemplate { path: format!("{}/{{id}}/{name}", R::PATH), prefix: R::PREFIX, parent: R::PARENT };
        let summary = format!("Delete {} of {}", naming::display_name(name), naming::display_name(R::KIND));
        self.add(&template, Operation::new(Method::DELETE, format!("delete_{}_{name}", R::KIND), summary));
    }

    /// A list in pages, with the query parameters that restrict it.
    fn list(&mut self, name: &str, kind: &str, template: &PathTemplate, page: Value, filters: Vec<Value>) {
        let page = self.schemas.composed(&format!("{name}List"), page);
        let many = naming::plural(kind);
        let before = json!({
            "name": "before_id",
            "in": "query",
            "description": "Only records older than this one; empty is the same as absent.",
            "schema": { "type": "string", "pattern": format!("^$|{}", pattern(template.prefix)) },
        });
        let mut query = vec![json!({ "$ref": "#/components/parameters/Limit" }), before];
        query.extend(filters);
        let list = Operation {
            query,
            ..Operation::new(Method::GET, format!("list_{many}"), format!("List {}", naming::display_name(&many)))
                .responds(StatusCode::OK, "A page of records.", Some(page))
        };
        self.add(template, list);
    }

    fn add(&mut self, template: &PathTemplate, operation: Operation) {
        assert!(self.operation_ids.insert(operation.id.clone()), "two operations are called `{}`", operation.id);
        let (tag, about) = naming::tag(&template.path);
        self.tags.insert(tag, about);
        let method = operation.method.as_str().to_ascii_lowercase();
        let described = operation.into_json(template, tag);
        let clash = self.paths.entry(template.path.clone()).or_default().insert(method, described);
        assert!(clash.is_none(), "two operations share a method at `{}`", template.path);
    }
}

/// Schema of the body of a list: its member, what it is, and the schema of a record.
type PageSchema = fn(&str, &str, &Value) -> Value;

/// Schema of the body of a list of what all nodes serve.
fn page_of_nodes(member: &str, about: &str, record: &Value) -> Value {
    let mut page = page(member, about, record);
    page["properties"]["nodes_missing"] = json!({
        "description": "Nodes that did not answer in time, whose share is missing; absent if there are none.",
        "type": "array",
        "items": { "$ref": "#/components/schemas/NodeName" },
    });
    page
}

/// Schema of the body of a list.
fn page(member: &str, about: &str, record: &Value) -> Value {
    json!({
        "description": about,
        "type": "object",
        "properties": {
            member: { "description": "The records.", "type": "array", "items": record },
            "uri": { "description": "The URI of the list.", "type": "string" },
            "next_page_uri": {
                "description": "The URI of the next page; null after the last.",
                "type": ["string", "null"],
            },
        },
        "required": [member, "uri", "next_page_uri"],
    })
}

impl PathTemplate {
    /// Whether the path names a record that may not exist.
    fn names_record(&self) -> bool {
        self.path.contains('{')
    }

    fn parameters(&self) -> impl Iterator<Item = Value> + '_ {
        let own = ("id", self.prefix, "The id.");
        let outer = self.parent.map(|parent| (parent.parameter, parent.prefix, "The id of the parent."));
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
    /// An operation without request and response bodies.
    fn new(method: Method, id: String, summary: String) -> Self {
        let (status, about) = (StatusCode::NO_CONTENT, "Deleted.");
        Operation {
            method,
            id,
            summary,
            query: Vec::new(),
            body: None,
            body_optional: false,
            status,
            about,
            response: None,
            can_warn: false,
            sets_cookie: false,
            can_miss: false,
        }
    }

    fn responds(self, status: StatusCode, about: &'static str, response: Option<Value>) -> Self {
        Operation { status, about, response, ..self }
    }

    /// Statuses of all possible refusals.
    fn refusals(&self, template: &PathTemplate) -> Vec<StatusCode> {
        let mut statuses = vec![
            StatusCode::BAD_REQUEST,
            StatusCode::UNAUTHORIZED,
            StatusCode::FORBIDDEN,
            StatusCode::INTERNAL_SERVER_ERROR,
            StatusCode::SERVICE_UNAVAILABLE,
        ];
        statuses.extend((template.names_record() || self.can_miss).then_some(StatusCode::NOT_FOUND));
        statuses.extend((self.method != Method::GET).then_some(StatusCode::CONFLICT));
        statuses.extend(self.body.is_some().then_some(StatusCode::PAYLOAD_TOO_LARGE));
        statuses
    }

    fn into_json(self, template: &PathTemplate, tag: &str) -> Value {
        let mut parameters = vec![json!({ "$ref": "#/components/parameters/ServiceVersion" })];
        parameters.extend(template.parameters());
        let refusals = self.refusals(template);
        parameters.extend(self.query);
        let mut success = components::response(self.about, self.response);
        if self.can_warn {
            success["headers"][WARNING_HEADER] = json!({ "$ref": "#/components/headers/Warning" });
        }
        if self.sets_cookie {
            success["headers"]["set-cookie"] = json!({ "$ref": "#/components/headers/SessionCookie" });
        }
        let success = (self.status.as_str().to_owned(), success);
        let responses: Map<String, Value> = std::iter::once(success).chain(components::refused(&refusals)).collect();
        let mut described = json!({
            "operationId": self.id,
            "summary": self.summary,
            "tags": [tag],
            "parameters": parameters,
        });
        if let Some(body) = self.body {
            described["requestBody"] =
                json!({ "required": !self.body_optional, "content": { "application/json": { "schema": body } } });
        }
        described["responses"] = Value::Object(responses);
        described
    }
}
