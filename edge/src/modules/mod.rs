//! Modules at work: their order, and the trace of what each of them decided.

mod ip_restriction;
mod keeper;
mod login;
mod trace;
mod user_agent_filter;

pub(crate) use keeper::Keeper;
pub(crate) use trace::Trace;

use crate::{
    http::{ResponseBody, Visitor},
    refusal::{Fault, Refusal},
};
use hyper::{Response, http::request};
use postern_api::{Code, Error, ip_rules::IpRules, published::Settings};
use std::{net::IpAddr, sync::Arc};

/// The stages of one edge or route, made ready once. One connection or request sees one column from start to end.
#[derive(Default)]
pub(crate) struct Column {
    /// A module is set and cannot be read. It may have guarded the way, so nobody may pass.
    unreadable: bool,
    ip_restriction: Option<Arc<IpRules>>,
    user_agent_filter: Option<user_agent_filter::Filter>,
    login: bool,
}

/// A request on its way through the stages.
pub(crate) struct Visit<'a> {
    pub(crate) visitor: &'a Visitor,
    pub(crate) parts: &'a mut request::Parts,
    pub(crate) trace: &'a mut Trace,
}

/// What stages of the request want to know of its answer.
#[derive(Default)]
#[must_use]
pub(crate) struct Passed {}

impl Column {
    /// The stages of a route. What must outlive a change of its settings is with the keeper.
    pub(crate) fn of(_id: &str, settings: &Settings, _keeper: &Keeper) -> Self {
        let mut column = Column::of_connections(settings);
        column.user_agent_filter = column.ready(settings.user_agent_filter.as_ref(), user_agent_filter::Filter::of);
        column.login = settings.login;
        column
    }

    /// The stages of an edge that looks at connections only.
    pub(crate) fn of_connections(settings: &Settings) -> Self {
        Column { unreadable: settings.unreadable, ip_restriction: settings.ip_restriction.clone(), ..Column::default() }
    }

    /// Makes a stage ready. What cannot be made ready was judged when it was stored, so this is a matter of versions;
    /// nobody may pass where it stood.
    fn ready<M, S>(&mut self, module: Option<&M>, make: impl FnOnce(&M) -> Result<S, Error>) -> Option<S> {
        let made = make(module?).inspect_err(|error| tracing::error!(%error, "a module cannot be put to work"));
        self.unreadable |= made.is_err();
        made.ok()
    }

    /// The order of the stages of a connection.
    pub(crate) fn connection(&self, visitor: IpAddr, trace: &mut Trace) -> Result<(), Refusal> {
        self.readable()?;
        ip_restriction::stage(self.ip_restriction.as_deref(), visitor, trace)
    }

    /// The order of the stages of a request, from the visitor to the backend.
    pub(crate) async fn request(&self, visit: &mut Visit<'_>) -> Result<Passed, Refusal> {
        self.readable()?;
        // Before any work is spent on the visitor.
        ip_restriction::stage(self.ip_restriction.as_deref(), visit.visitor.address.ip(), visit.trace)?;
        user_agent_filter::stage(self.user_agent_filter.as_ref(), visit)?;
        login::stage(self.login, visit.trace)?;
        Ok(Passed::default())
    }

    /// The order of the stages of an answer, from the backend to the visitor.
    pub(crate) fn answer(&self, _passed: Passed, response: Response<ResponseBody>) -> Response<ResponseBody> {
        response
    }

    fn readable(&self) -> Result<(), Refusal> {
        if self.unreadable { Err(Refusal::new(Fault::Us, Code::ModuleUnreadable)) } else { Ok(()) }
    }
}
