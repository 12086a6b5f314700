//! The first start, later starts, and keys created on the command line.

use crate::{
    description_check::OperationLog,
    kit::{Tunnels, World, open},
};
use http::StatusCode;
use postern_api::{Code, Role, token::Token};
use postern_control::{Control, ControlSettings};
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn the_first_start_creates_one_key_and_writes_only_it_to_its_file() {
    let world = World::start().await;
    let path = world.control.ensure_first_key().await.expect("a key").expect("the first time");
    assert_eq!(path, world.folder.path().join("admin.key"));
    let text = std::fs::read_to_string(&path).expect("readable");
    let line = text.strip_suffix('\n').expect("one line");
    assert!(Token::parse(line).is_some() && !line.contains('\n'));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).expect("it exists").permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(world.control.ensure_first_key().await.expect("fine"), None, "the second time there is one");
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), text);
    let users = world.caller(line).get("/users").await.is(StatusCode::OK);
    assert_eq!((users["users"].as_array().map(Vec::len), &users["users"][0]["admin"]), (Some(1), &json!(true)));
}

#[tokio::test]
async fn a_key_that_was_removed_from_the_folder_does_not_come_back() {
    let world = World::start().await;
    let operator = world.operator().await;
    std::fs::remove_file(world.folder.path().join("admin.key")).expect("removed");
    assert_eq!(world.control.ensure_first_key().await.expect("fine"), None);
    operator.get("/users").await.is(StatusCode::OK);
}

#[tokio::test]
async fn the_file_of_the_first_key_is_recovered_after_a_crash() {
    let world = World::start().await;
    let operator = world.operator().await;
    // The state after a crash between storing the key and renaming its file.
    let file = world.folder.path().join("admin.key");
    std::fs::rename(&file, world.folder.path().join("admin.key.new")).expect("moved");
    assert_eq!(world.control.ensure_first_key().await.expect("fine"), Some(file.clone()));
    assert_eq!(std::fs::read_to_string(file).expect("readable").trim(), operator.key);
}

#[tokio::test]
async fn keys_of_the_command_line_belong_to_the_administrator_or_to_a_new_user() {
    let world = World::start().await;
    let operator = world.operator().await;
    let admin = world.control.create_api_key("rescue", Role::Admin).await.expect("a key");
    let other = world.control.create_api_key("deploy", Role::Editor).await.expect("a key");
    world.caller(admin.reveal()).get("/users").await.is(StatusCode::OK);
    world.caller(other.reveal()).get("/users").await.refused(Code::AdminNeeded);
    let users = operator.get("/users").await.is(StatusCode::OK);
    let names: Vec<_> = users["users"].as_array().expect("a list").iter().map(|user| user["name"].clone()).collect();
    assert!(names.len() == 2 && names.contains(&json!("admin")) && names.contains(&json!("deploy")), "{names:?}");
    let keys = operator.get("/api_keys").await.is(StatusCode::OK).to_string();
    assert!(keys.contains("rescue") && keys.contains("deploy"));
    let error = world.control.create_api_key(&"x".repeat(256), Role::Editor).await.expect_err("refused");
    assert_eq!(error.code, Code::DescriptionTooLong);
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_refused() {
    let world = World::start().await;
    let error = Control::open(ControlSettings::new(world.folder.path()), Arc::new(Tunnels::default())).await;
    assert_eq!(error.err().map(|error| error.code), Some(Code::StorageLocked));
}

#[tokio::test]
async fn a_base_url_may_end_with_a_slash() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = ControlSettings { base_url: "http://here.test/".to_owned(), ..ControlSettings::new(folder.path()) };
    let live = Arc::new(Tunnels::default());
    let control = Control::open(settings, live.clone()).await.expect("it opens");
    let world = World { control, live, folder, operation_log: OperationLog::default() };
    let made = world.operator().await.made("/ip_policies", &json!({})).await;
    assert!(made["uri"].as_str().is_some_and(|uri| uri.starts_with("http://here.test/ip_policies/ipp_")), "{made}");
    let other = tempfile::tempdir().expect("a folder");
    open(other.path(), Arc::new(Tunnels::default())).await;
}
