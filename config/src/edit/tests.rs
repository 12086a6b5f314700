//! Edits keep comments and the order of keys.

use super::*;
use proptest::prelude::*;
use serde_json::json;

const FILE: &str = "# my tunnels\nversion: 2\nauthtoken: old # from the admin\n\ntunnels:\n  # the shop\n  site:\n    proto: http\n    addr: 8080   # dev server\n\n  shell:\n    proto: tcp\n    addr: 22\n# the end\n";

#[test]
fn a_value_is_changed_and_nothing_else() {
    let changed = set(FILE, &["authtoken"], &json!("new: token")).expect("edited");
    assert_eq!(changed, FILE.replace("old #", "\"new: token\" #"));
}

#[test]
fn a_new_key_is_inserted_below_the_version() {
    let changed = set(FILE, &["server_addr"], &json!("a.example:4443")).expect("edited");
    assert_eq!(changed, FILE.replace("version: 2\n", "version: 2\nserver_addr: \"a.example:4443\"\n"));
    assert_eq!(set("", &["version"], &json!(2)).expect("edited"), "version: 2\n");
    assert_eq!(set("# only this", &["version"], &json!(2)).expect("edited"), "# only this\nversion: 2\n");
}

#[test]
fn tunnels_are_added_changed_and_removed_with_all_comments_kept() {
    let added =
        set_tunnel(FILE, "api", json!({"proto": "http", "addr": 9000, "schemes": ["https"]}).as_object().expect("o"))
            .expect("added");
    assert_eq!(
        added,
        FILE.replace(
            "    addr: 22\n",
            "    addr: 22\n  api:\n    proto: http\n    addr: 9000\n    schemes:\n      - https\n"
        )
    );
    let changed =
        set_tunnel(FILE, "site", json!({"proto": "http", "addr": 8081, "inspect": false}).as_object().expect("o"))
            .expect("changed");
    assert_eq!(changed, FILE.replace("8080   # dev server\n", "8081   # dev server\n    inspect: false\n"));
    let removed = remove(FILE, &["tunnels", "shell"]).expect("removed");
    assert_eq!(removed, FILE.replace("  shell:\n    proto: tcp\n    addr: 22\n", ""));
    let none = remove(&removed, &["tunnels", "site"]).expect("removed");
    assert!(none.contains("tunnels:") && none.contains("# the shop") && none.contains("# the end"));
    let again = set_tunnel(&none, "x", json!({"proto": "tcp", "addr": 1}).as_object().expect("o")).expect("added");
    assert_eq!(
        parse(&again).expect("valid").to_json()["tunnels"],
        json!({"x": {"proto": "tcp", "addr": 1}}),
        "{again}"
    );
}

#[test]
fn an_item_of_a_list_is_removed_with_all_comments_kept() {
    let text = "version: 3\n# mine\nendpoints:\n  # the shop\n  - name: shop\n    url: https://a.test\n    upstream:\n      url: 80\n  - upstream: {url: 81}\n    name: other # second\n# end\n";
    let one = remove_item(text, "endpoints", "shop").expect("edited");
    assert_eq!(
        one,
        "version: 3\n# mine\nendpoints:\n  # the shop\n  - upstream: {url: 81}\n    name: other # second\n# end\n"
    );
    let none = remove_item(&one, "endpoints", "other").expect("edited");
    assert_eq!(none, "version: 3\n# mine\nendpoints: []\n# end\n");
    assert_eq!(remove_item(&none, "endpoints", "other").expect("nothing to do"), none);
    let flow = "version: 3\nendpoints: [{name: a, upstream: {url: 1}}, {name: b, upstream: {url: 2}}]\n";
    let flow = remove_item(flow, "endpoints", "a").expect("edited");
    assert_eq!(ConfigNode::parse(&flow, None).expect("valid").to_json()["endpoints"][0]["name"], "b");
    let last = "version: 3\nendpoints:\n- name: a\n  upstream: {url: 1}\n- name: b\n  upstream: {url: 2}";
    assert_eq!(
        remove_item(last, "endpoints", "b").expect("edited"),
        "version: 3\nendpoints:\n- name: a\n  upstream: {url: 1}\n"
    );
    assert_eq!(remove_item("version: 2\n", "endpoints", "b").expect("nothing to do"), "version: 2\n");
}

#[test]
fn flow_style_is_edited_too() {
    let text = "{version: 2, tunnels: {}}\n";
    let changed = set_tunnel(text, "a", json!({"proto": "http", "addr": 1}).as_object().expect("o")).expect("added");
    assert_eq!(
        ConfigNode::parse(&changed, None).expect("valid").to_json(),
        json!({"version": 2, "tunnels": {"a": {"proto": "http", "addr": 1}}})
    );
    let text = "version: 2\ntunnels: {}  # none yet\n";
    let changed = set_tunnel(text, "a b", json!({"proto": "http", "addr": 1}).as_object().expect("o")).expect("added");
    assert!(changed.contains("# none yet") && changed.contains("\"a b\":"), "{changed}");
}

#[test]
fn an_edit_with_effects_elsewhere_is_refused() {
    let text = "version: 2\nx: &x {addr: 1}\ntunnels:\n  a: *x\n";
    assert!(
        set(text, &["tunnels", "a", "addr"], &json!(2)).is_err() || {
            let changed = set(text, &["tunnels", "a", "addr"], &json!(2)).expect("edited");
            ConfigNode::parse(&changed, None).expect("valid").pair("x").expect("x").value.to_json()
                == json!({"addr": 1})
        }
    );
    let broken = set("version: 2\n tunnels: [", &["authtoken"], &json!("x")).expect_err("broken");
    assert!(broken.message.contains("nothing was changed"));
}

#[cfg(unix)]
#[test]
fn a_written_file_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new/postern.yml");
    write_private(&path, b"version: 2\n").expect("written");
    assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(path.parent().expect("folder")).expect("listed").count(), 1, "no leftovers");
}

proptest! {
    #[test]
    fn any_text_value_reads_back_as_itself(value in "\\PC{0,30}", key in "[a-z:# ]{1,8}") {
        let changed = set(FILE, &["tunnels", "site", &key], &json!(value)).expect("edited");
        let node = ConfigNode::parse(&changed, None).expect("valid");
        prop_assert_eq!(&node.to_json()["tunnels"]["site"][&key], &json!(value));
        prop_assert!(changed.contains("# dev server") && changed.contains("# the end"));
    }
}
