//! The typed client against the real API over a real connection.

use crate::kit::World;
use postern_api::{
    Code, Id, Secret,
    client::Client,
    module::{Backend, IpRestriction},
    resource::{
        Credential, CredentialCreate, IpPolicy, IpPolicyCreate, IpPolicyRule, IpPolicyRuleCreate, IpPolicyRuleUpdate,
        TcpEdge, TcpEdgeCreate, TunnelGroupBackend, TunnelGroupBackendCreate, User, UserCreate,
    },
    token::Token,
};

/// Starts a server on a free port until the end of the test.
async fn serve(world: &World) -> Client {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    let router = world.router();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let operator = world.operator().await;
    Client::new(&base_url, Secret::new(operator.key)).expect("a client")
}

#[tokio::test]
async fn all_operations_are_typed() {
    let world = World::start().await;
    let client = serve(&world).await;
    let policy = client.all::<IpPolicy>().create(&IpPolicyCreate::default()).await.expect("a policy");
    let body = IpPolicyRuleCreate {
        cidr: Some("10.0.0.0/8".into()),
        action: "allow".into(),
        ip_policy_id: policy.id.to_string(),
        ..Default::default()
    };
    let rules = client.all::<IpPolicyRule>();
    let rule = rules.create(&body).await.expect("a rule");
    assert_eq!(rule.status.ip_policy.id, policy.id.any());
    let change = IpPolicyRuleUpdate { cidr: Some("11.0.0.0/8".into()), ..Default::default() };
    let changed = rules.update(&rule.id, &change).await.expect("changed");
    let cidr = changed.spec.cidr.map(|cidr| cidr.to_string());
    assert_eq!((cidr.as_deref(), changed.spec.action), (Some("11.0.0.0/8"), rule.spec.action));
    assert_eq!(rules.get(&rule.id).await.expect("read").spec, changed.spec);
    assert_eq!(rules.create(&body).await.map(|_| ()), Ok(()), "the old range is free again");
    rules.delete(&rule.id).await.expect("deleted");
    assert_eq!(rules.get(&rule.id).await.expect_err("gone").code, Code::NotFound);

    let credential = client.all::<Credential>().create(&CredentialCreate::default()).await.expect("a credential");
    let token = credential.status.token.expect("shown once");
    assert!(Token::parse(token.reveal()).is_some());
    let user = UserCreate { name: "x".into(), ..Default::default() };
    client.all::<User>().create(&user).await.expect("a user");

    let labels = [("app".to_owned(), "shop".to_owned())].into();
    let group = TunnelGroupBackendCreate { labels: Some(labels), ..Default::default() };
    let group = client.all::<TunnelGroupBackend>().create(&group).await.expect("a group");
    let edge = TcpEdgeCreate { backend: Some(Backend::to(&group.id)), ..Default::default() };
    let edge = client.all::<TcpEdge>().create(&edge).await.expect("an edge");
    assert_eq!(edge.status.backend.expect("set").backend.id, group.id.any());
    let view = client.all::<TcpEdge>().put_module(&edge.id, &IpRestriction::by([&policy.id])).await.expect("put");
    assert_eq!(client.all::<TcpEdge>().module::<IpRestriction>(&edge.id).await.expect("read"), view);
    client.all::<TcpEdge>().delete_module::<IpRestriction>(&edge.id).await.expect("deleted");
    let unset = client.all::<TcpEdge>().module::<IpRestriction>(&edge.id).await.expect_err("unset");
    assert_eq!((unset.code, unset.details.contains_key("operation_id")), (Code::ModuleUnset, true));
}

#[tokio::test]
async fn lists_are_followed_to_their_end() {
    let world = World::start().await;
    let client = serve(&world).await;
    let policies = client.all::<IpPolicy>();
    for _ in 0..7 {
        policies.create(&IpPolicyCreate::default()).await.expect("a policy");
    }
    let first = policies.page(3).await.expect("a page");
    let second = policies.next(&first).await.expect("a page").expect("there is one");
    let third = policies.next(&second).await.expect("a page").expect("there is one");
    assert_eq!([first.records.len(), second.records.len(), third.records.len()], [3, 3, 1]);
    assert!(policies.next(&third).await.expect("fine").is_none());
    assert_eq!(policies.list().await.expect("all").len(), 7);
    let refused = policies.page(0).await.expect_err("refused");
    assert_eq!(refused.code, Code::LimitInvalid);
}

#[tokio::test]
async fn refusals_arrive_with_their_code() {
    let world = World::start().await;
    let client = serve(&world).await;
    let stranger = Client::new(client.base_url(), Secret::new("nonsense")).expect("a client");
    let unknown = Id::<IpPolicy>::parse("ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv").expect("an id");
    assert_eq!(stranger.all::<IpPolicy>().get(&unknown).await.expect_err("refused").code, Code::KeyShape);
    assert_eq!(client.all::<IpPolicy>().get(&unknown).await.expect_err("refused").code, Code::NotFound);
}
