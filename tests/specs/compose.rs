//! The compose file of a cluster: its commands are run here as processes, each service at a loopback address of its own.

use postern_tests::{Operator, Process, ProcessOutput, eventually, programs};
use serde_json::{Map, Value};
use std::{
    net::Ipv4Addr,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/container/cluster.yaml");
/// In the order of their addresses.
const SERVICES: [&str; 7] = ["etcd1", "etcd2", "etcd3", "node1", "node2", "node3", "invite"];

/// The services of the file, and where they run here.
struct Compose {
    services: Map<String, Value>,
    /// First bytes of all addresses.
    network: [u8; 3],
    folder: TempDir,
}

impl Compose {
    fn read() -> Compose {
        let text = std::fs::read_to_string(FILE).unwrap();
        let mut file: Value = serde_saphyr::from_str(&text).expect("YAML");
        let Value::Object(services) = file["services"].take() else { panic!("services") };
        let services = services.into_iter().map(|(name, service)| (name, merged(service))).collect();
        let folder = tempfile::Builder::new().prefix("postern-").tempdir().unwrap();
        Compose { services, network: [127, rand::random_range(64..128), rand::random()], folder }
    }

    fn address(&self, service: &str) -> Ipv4Addr {
        let host = SERVICES.iter().position(|name| *name == service).expect("a known service");
        let [first, second, third] = self.network;
        Ipv4Addr::new(first, second, third, host as u8 + 1)
    }

    /// The folder of a named volume.
    fn volume(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A member of a service that is a list of texts.
    fn texts(&self, service: &str, member: &str) -> Vec<String> {
        let list = self.services[service][member].as_array().cloned().unwrap_or_default();
        list.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
    }

    /// The arguments of a service, with names, listening addresses and volumes as they are here.
    fn arguments(&self, service: &str) -> Vec<String> {
        let own = self.address(service).to_string();
        let mut arguments = self.texts(service, "command");
        for argument in &mut arguments {
            *argument = argument.replace("0.0.0.0:", &format!("{own}:"));
            for other in SERVICES {
                *argument = argument.replace(&format!("{other}:"), &format!("{}:", self.address(other)));
            }
            for volume in self.texts(service, "volumes") {
                let mut parts = volume.split(':');
                let (name, inside) = (parts.next().unwrap(), parts.next().expect("a path in the container"));
                let folder = self.volume(name).to_string_lossy().into_owned();
                *argument = argument.replace(&format!("={inside}"), &format!("={folder}"));
            }
        }
        arguments
    }

    /// The data folder of a service of Postern: the image names it in the environment.
    fn environment(&self, service: &str) -> Vec<(&'static str, String)> {
        let volumes = self.texts(service, "volumes");
        let data = volumes.iter().find_map(|volume| volume.strip_suffix(":/data")).expect("a data folder");
        vec![("POSTERN_DATA_DIR", self.volume(data).to_string_lossy().into_owned())]
    }

    fn start(&self, service: &str) -> Process {
        let is_member = service.starts_with("etcd");
        let (program, environment) = if is_member {
            assert_eq!(self.texts(service, "entrypoint"), ["etcd"]);
            // It runs elsewhere, too, if it is told so.
            let unsupported = cfg!(target_arch = "aarch64").then(|| ("ETCD_UNSUPPORTED_ARCH", "arm64".to_owned()));
            (PathBuf::from("etcd"), unsupported.into_iter().collect())
        } else {
            (programs::server(), self.environment(service))
        };
        let environment: Vec<_> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let arguments = self.arguments(service);
        Process::start(&program, &arguments, &environment)
    }

    /// Runs a command in the container of a service.
    async fn run(&self, service: &str, arguments: &[&str]) -> ProcessOutput {
        let environment = self.environment(service);
        let environment: Vec<_> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Process::run(&programs::server(), arguments, &environment).await
    }

    /// Whether the health check of a service succeeds.
    async fn is_healthy(&self, service: &str) -> bool {
        let check: Vec<String> = serde_json::from_value(self.services[service]["healthcheck"]["test"].clone()).unwrap();
        assert_eq!(check[..2], ["CMD", "/usr/bin/postern-server"]);
        let check: Vec<&str> = check[2..].iter().map(String::as_str).collect();
        self.run(service, &check).await.status.success()
    }

    /// Waits until the health check of a service succeeds.
    async fn until_healthy(&self, service: &str) {
        eventually(&format!("{service} is healthy"), async || self.is_healthy(service).await.then_some(())).await;
    }

    /// Asserts that a service waits for another one.
    fn assert_depends(&self, service: &str, other: &str, condition: &str) {
        assert_eq!(self.services[service]["depends_on"][other]["condition"], condition, "{service}");
    }
}

/// A mapping with those that it merges.
fn merged(mapping: Value) -> Value {
    let Value::Object(mut own) = mapping else { panic!("a mapping") };
    if let Some(Value::Object(mut base)) = own.remove("<<") {
        base.extend(own);
        return Value::Object(base);
    }
    Value::Object(own)
}

async fn nodes(address: Ipv4Addr, folder: &Path) -> Option<usize> {
    let key = std::fs::read_to_string(folder.join("admin.key")).ok()?;
    let operator = Operator::new((address, 4041).into(), Some(key.trim()));
    let listed = operator.try_call(http::Method::GET, "/nodes", Value::Null).await?;
    let nodes = listed.body["nodes"].as_array()?;
    Some(nodes.iter().filter(|node| node["link"] == "up").count())
}

#[tokio::test]
async fn three_members_and_three_nodes_start_as_the_compose_file_says() {
    let compose = Compose::read();
    let mut known: Vec<&str> = compose.services.keys().map(String::as_str).collect();
    known.sort_unstable_by_key(|name| SERVICES.iter().position(|service| service == name));
    assert_eq!(known, SERVICES);
    let _members: Vec<Process> = ["etcd1", "etcd2", "etcd3"].map(|member| compose.start(member)).into();
    let mut first = compose.start("node1");
    eventually("the first node finds a quorum", async || {
        if !first.is_running() {
            // What `restart` says.
            first = compose.start("node1");
        }
        compose.is_healthy("node1").await.then_some(())
    })
    .await;
    compose.assert_depends("invite", "node1", "service_healthy");
    let arguments = compose.arguments("invite");
    let invited = compose.run("invite", &arguments.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert!(invited.status.success(), "{invited:?}");
    let _others = ["node2", "node3"].map(|node| {
        compose.assert_depends(node, "invite", "service_completed_successfully");
        compose.start(node)
    });
    for node in ["node1", "node2", "node3"] {
        compose.until_healthy(node).await;
        // The first key is in the folder of the node that was first.
        let folder = compose.volume("node1");
        eventually(&format!("{node} is linked with the others"), async || {
            (nodes(compose.address(node), &folder).await == Some(2)).then_some(())
        })
        .await;
    }
    let listed = compose.run("node2", &["cluster", "nodes"]).await;
    assert!(["node1", "node2", "node3"].iter().all(|node| listed.stdout.contains(node)), "{listed:?}");
}
