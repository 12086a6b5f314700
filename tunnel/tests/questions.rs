//! Questions of a node to the one that has dialled the link, and their answers.
#![allow(clippy::unwrap_used)]

mod world;

use futures::FutureExt;
use postern_tunnel::{IncomingEvent, node_link::LinkCommand};
use world::{World, in_time};

/// The next question on the link, with its number.
async fn next_question(link: &mut World) -> (u64, String) {
    loop {
        match in_time(link.incoming.as_mut().unwrap().next()).await.unwrap() {
            IncomingEvent::Command(LinkCommand::Question { number, question }) => return (number, question),
            _ => continue,
        }
    }
}

#[tokio::test]
async fn questions_are_answered_in_any_order_and_at_any_length() {
    let mut link = World::in_memory().await;
    let long = "\"\\ä\u{1}".repeat(400_000);
    let (server, agent) = (link.server.clone(), link.agent.clone());
    let first = tokio::spawn(async move { server.ask("first").await });
    let (first_number, question) = next_question(&mut link).await;
    assert_eq!(question, "first");
    let server = link.server.clone();
    let second = tokio::spawn(async move { server.ask("second").await });
    let (second_number, question) = next_question(&mut link).await;
    assert_eq!(question, "second");
    in_time(agent.answer(second_number, &long)).await;
    assert!(in_time(second).await.unwrap() == Some(long), "{} bytes", 400_000);
    in_time(agent.answer(first_number, "one")).await;
    assert_eq!(in_time(first).await.unwrap().as_deref(), Some("one"));
    // What is too long is answered all the same.
    let server = link.server.clone();
    let third = tokio::spawn(async move { server.ask("third").await });
    let (number, _) = next_question(&mut link).await;
    in_time(agent.answer(number, &"x".repeat(9 * 1024 * 1024))).await;
    assert_eq!(in_time(third).await.unwrap().as_deref(), Some(""));
}

#[tokio::test]
async fn a_question_ends_with_its_link_and_an_answer_to_none_is_ignored() {
    let mut link = World::in_memory().await;
    link.agent.answer(7, "to no question").await;
    let mut given_up = Box::pin(link.server.ask("given up"));
    assert!(given_up.as_mut().now_or_never().is_none());
    drop(given_up);
    let (number, _) = next_question(&mut link).await;
    link.agent.answer(number, "too late").await;
    let server = link.server.clone();
    let asked = tokio::spawn(async move { server.ask("the last").await });
    assert_eq!(next_question(&mut link).await.1, "the last");
    in_time(link.agent.goodbye()).await;
    assert_eq!(in_time(asked).await.unwrap(), None);
    assert_eq!(link.server.ask("after the end").await, None);
}
