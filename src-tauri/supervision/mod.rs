//! Server and agent are processes of their own: taken over when they run, started when they do not, ended on Quit.

mod agent;
mod logs;
mod part;
mod ports;
mod process;
mod program;
mod record;
mod server;
pub(crate) mod session_watch;

pub(crate) use logs::Log;
pub(crate) use part::Order;
pub(crate) use program::command;
pub(crate) use record::Record;
pub(crate) use server::ServerAddresses;

use crate::desk::Desk;
use crate::failure::Failure;
use crate::state::{Condition, Mode};
use part::{Report, care_for};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How often the logs are looked at for their size.
const LOG_CHECK: Duration = Duration::from_secs(60);

/// The two ways to speak to the parts.
pub(crate) struct Orders {
    pub(crate) server: mpsc::Sender<Order>,
    pub(crate) agent: mpsc::Sender<Order>,
}

/// The receiving ends, handed to the tasks that care for the parts.
pub(crate) struct OrderBook {
    server: mpsc::Receiver<Order>,
    agent: mpsc::Receiver<Order>,
}

/// Makes both ends.
pub(crate) fn orders() -> (Orders, OrderBook) {
    let (server, server_book) = mpsc::channel(8);
    let (agent, agent_book) = mpsc::channel(8);
    (Orders { server, agent }, OrderBook { server: server_book, agent: agent_book })
}

/// Begins to care for the parts: both in local mode, only the agent with a server elsewhere.
pub(crate) fn begin(desk: &Arc<Desk>, book: OrderBook) {
    let record = &desk.record;
    if desk.state.now().server.mode == Mode::Local {
        tokio::spawn(care_for(server::LocalServer::new(desk.clone()), record.clone(), book.server));
        tokio::spawn(restart_agent_when_the_server_moves(desk.clone()));
    }
    tokio::spawn(care_for(agent::LocalAgent::new(desk.clone()), record.clone(), book.agent));
    tokio::spawn(bound_logs(desk.clone()));
}

impl Orders {
    /// Ends what the app started, the agent first so that it takes its leave properly. Bounded by each part's patience.
    pub(crate) async fn stop_all(&self) {
        for part in [&self.agent, &self.server] {
            let (done, ended) = oneshot::channel();
            if part.send(Order::Stop(done)).await.is_ok() {
                let _ = ended.await;
            }
        }
    }
}

/// The columns of the state that follow from a report: condition, pid, error, next try.
fn told(report: &Report) -> (Condition, Option<u32>, Option<Failure>, Option<String>) {
    match report {
        Report::Preparing => (Condition::Starting, None, None, None),
        Report::Starting { pid } => (Condition::Starting, Some(*pid), None, None),
        Report::Running { pid, .. } => (Condition::Running, Some(*pid), None, None),
        Report::Failed { failure, next_try } => {
            let when = jiff::Timestamp::now() + *next_try;
            (Condition::Failed, None, Some(failure.clone()), Some(when.to_string()))
        }
        Report::Stopped => (Condition::Stopped, None, None, None),
    }
}

/// An agent knows its server's address from its configuration; a server on another port means a new start.
async fn restart_agent_when_the_server_moves(desk: Arc<Desk>) {
    let mut state = desk.state.watch();
    let mut known: Option<String> = None;
    loop {
        let now = state.borrow_and_update().clone();
        if now.server.state == Condition::Running && known != now.server.address {
            let moved = known.is_some();
            known = now.server.address;
            if moved && now.agent.state == Condition::Running {
                let _ = desk.orders.agent.send(Order::Restart).await;
            }
        }
        if state.changed().await.is_err() {
            return;
        }
    }
}

async fn bound_logs(desk: Arc<Desk>) {
    let logs = ["postern-server", "postern"].map(|program| Log::new(&desk.places.logs(), program));
    loop {
        tokio::time::sleep(LOG_CHECK).await;
        for log in &logs {
            log.bound();
        }
    }
}
