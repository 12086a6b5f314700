//! The life of one part: taken over if it runs, started if not, watched, started again when it ends.

use super::process::Process;
use super::program::{Launch, Spawned};
use super::record::{Record, Started};
use crate::failure::{Failure, Result};
use postern_api::Code;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// How long a part may take until it answers.
const START_PATIENCE: Duration = Duration::from_secs(30);
/// How long one that was taken over may take: it should answer at once.
const ADOPT_PATIENCE: Duration = Duration::from_secs(8);
/// The pause before a second start, doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// One that ran this long has recovered: the next pause is short again.
const RECOVERED: Duration = Duration::from_secs(30);

/// What server and agent have in common.
pub(crate) trait Part: Send + Sync + 'static {
    /// The program's file name.
    const PROGRAM: &'static str;
    /// How long it may take to end when asked.
    const END_PATIENCE: Duration;

    /// The numbers of processes that may be this part, running already.
    fn candidates(&self) -> Vec<u32>;
    /// Prepares a start. May wait for other parts.
    fn launch(&self) -> impl Future<Output = Result<(Launch, Option<SocketAddr>)>> + Send;
    /// Waits until the process with this number answers as this part.
    fn answers(&self, pid: u32) -> impl Future<Output = ()> + Send;
    /// Takes note of where the part stands.
    fn report(&self, report: Report);
}

/// Where a part stands.
#[derive(Clone, Debug)]
pub(crate) enum Report {
    Preparing,
    Starting { pid: u32 },
    Running { pid: u32, adopted: bool },
    Failed { failure: Failure, next_try: Duration },
    Stopped,
}

/// What the rest of the app may ask for.
#[derive(Debug)]
pub(crate) enum Order {
    /// End it and start it again.
    Restart,
    /// End it if this app started it, now or in an earlier run, and answer when that is done.
    Stop(oneshot::Sender<()>),
}

enum Outcome {
    Stopped(oneshot::Sender<()>),
    Again,
    Ended(Failure),
}

/// Cares for a part until it is told to stop.
pub(crate) async fn care_for<P: Part>(part: P, record: Arc<Record>, mut orders: mpsc::Receiver<Order>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let begun = Instant::now();
        let failure = match once(&part, &record, &mut orders).await {
            Outcome::Ended(failure) => failure,
            Outcome::Again => {
                pause = FIRST_PAUSE;
                continue;
            }
            Outcome::Stopped(done) => {
                part.report(Report::Stopped);
                let _ = done.send(());
                return;
            }
        };
        if begun.elapsed() > RECOVERED {
            pause = FIRST_PAUSE;
        }
        tracing::warn!(program = P::PROGRAM, %failure, ?pause, "not running; trying again after a pause");
        part.report(Report::Failed { failure, next_try: pause });
        tokio::select! {
            () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
            order = orders.recv() => match order {
                Some(Order::Restart) => pause = FIRST_PAUSE,
                Some(Order::Stop(done)) => {
                    part.report(Report::Stopped);
                    let _ = done.send(());
                    return;
                }
                None => return,
            },
        }
    }
}

/// One life of the part, from taking over or starting it to its end.
async fn once<P: Part>(part: &P, record: &Record, orders: &mut mpsc::Receiver<Order>) -> Outcome {
    let mut held = match part.candidates().into_iter().find_map(|pid| Process::find(pid, P::PROGRAM)) {
        Some(process) => Held::Adopted(process),
        None => {
            part.report(Report::Preparing);
            let prepared = tokio::select! {
                prepared = part.launch() => prepared,
                order = orders.recv() => return match order {
                    Some(Order::Stop(done)) => Outcome::Stopped(done),
                    Some(Order::Restart) | None => Outcome::Again,
                },
            };
            let spawned = prepared.and_then(|(launch, address)| Ok((launch.spawn()?, address)));
            match spawned {
                Ok((spawned, address)) => {
                    record.note(P::PROGRAM, Started { pid: spawned.process.pid(), address });
                    Held::Spawned(Box::new(spawned))
                }
                Err(failure) => return Outcome::Ended(failure),
            }
        }
    };
    let pid = held.process().pid();
    let ours = record.started(P::PROGRAM).is_some_and(|started| started.pid == pid);
    part.report(Report::Starting { pid });
    let patience = if held.is_adopted() { ADOPT_PATIENCE } else { START_PATIENCE };
    let answered = tokio::select! {
        answered = tokio::time::timeout(patience, part.answers(pid)) => answered.is_ok(),
        () = held.process().ended() => return ended::<P>(record, held).await,
        order = orders.recv() => return obey::<P>(record, &held, ours, order).await,
    };
    if !answered {
        let failure = Failure::new(
            Code::Unavailable,
            format!("{} runs (process {pid}) but does not answer within {} s.", P::PROGRAM, patience.as_secs()),
        );
        if ours {
            end::<P>(record, &held).await;
        }
        return Outcome::Ended(failure);
    }
    part.report(Report::Running { pid, adopted: held.is_adopted() });
    tokio::select! {
        () = held.process().ended() => ended::<P>(record, held).await,
        order = orders.recv() => {
            let outcome = obey::<P>(record, &held, ours, order).await;
            if let Held::Spawned(spawned) = &mut held {
                let _ = spawned.child.try_wait();
            }
            outcome
        }
    }
}

/// A process that was found running, or one started here.
enum Held {
    Adopted(Process),
    Spawned(Box<Spawned>),
}

impl Held {
    fn process(&self) -> &Process {
        match self {
            Held::Adopted(process) => process,
            Held::Spawned(spawned) => &spawned.process,
        }
    }

    fn is_adopted(&self) -> bool {
        matches!(self, Held::Adopted(_))
    }
}

async fn ended<P: Part>(record: &Record, held: Held) -> Outcome {
    record.forget(P::PROGRAM);
    Outcome::Ended(match held {
        Held::Spawned(mut spawned) => spawned.reason(P::PROGRAM).await,
        Held::Adopted(process) => {
            Failure::new(Code::Unavailable, format!("{} (process {}) has ended.", P::PROGRAM, process.pid()))
        }
    })
}

async fn obey<P: Part>(record: &Record, held: &Held, ours: bool, order: Option<Order>) -> Outcome {
    match order {
        Some(Order::Restart) => {
            end::<P>(record, held).await;
            Outcome::Again
        }
        Some(Order::Stop(done)) => {
            if ours {
                end::<P>(record, held).await;
            }
            Outcome::Stopped(done)
        }
        // The app is gone; what runs is left to its next start.
        None => Outcome::Again,
    }
}

async fn end<P: Part>(record: &Record, held: &Held) {
    held.process().terminate(P::END_PATIENCE).await;
    record.forget(P::PROGRAM);
}
