//! Reading the files of a folder, and attempts to escape from it.

use super::*;
use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
};
use tempfile::TempDir;

/// A folder with a secret next to it.
struct World {
    top: TempDir,
    folder: StaticFolder,
}

impl World {
    fn new() -> World {
        let top = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(top.path().join("site/sub dir")).expect("made");
        let write = |name: &str, text: &str| fs::write(top.path().join(name), text).expect("written");
        write("secret.txt", "planted-secret");
        write("site/page.txt", "hello");
        write("site/.env", "planted-secret");
        write("site/<b>.html", "<b>");
        write("site/sub dir/index.html", "<p>index</p>");
        let folder = StaticFolder::open(&top.path().join("site")).expect("open");
        World { top, folder }
    }

    async fn ask(&self, request: hyper::http::request::Builder) -> (u16, hyper::HeaderMap, String) {
        let response = self.folder.respond(request.body(()).expect("a request")).await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("readable").to_bytes();
        (parts.status.as_u16(), parts.headers, String::from_utf8_lossy(&body).into_owned())
    }

    async fn get(&self, path: &str) -> (u16, hyper::HeaderMap, String) {
        self.ask(Request::get(path)).await
    }
}

#[tokio::test]
async fn files_are_served_with_their_metadata() {
    let world = World::new();
    let (status, headers, body) = world.get("/page.txt").await;
    assert_eq!((status, body.as_str()), (200, "hello"));
    assert_eq!(headers[header::CONTENT_TYPE], "text/plain; charset=utf-8");
    assert_eq!(headers[header::CONTENT_LENGTH], "5");
    assert_eq!(headers[header::ACCEPT_RANGES], "bytes");
    assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    let again = Request::get("/page.txt").header(header::IF_NONE_MATCH, headers[header::ETAG].clone());
    assert_eq!(world.ask(again).await.0, 304);
    let since = Request::get("/page.txt").header(header::IF_MODIFIED_SINCE, headers[header::LAST_MODIFIED].clone());
    assert_eq!(world.ask(since).await.0, 304);

    let (status, headers, body) = world.ask(Request::get("/page.txt").header(header::RANGE, "bytes=1-3")).await;
    assert_eq!((status, body.as_str()), (206, "ell"));
    assert_eq!(headers[header::CONTENT_RANGE], "bytes 1-3/5");
    let (status, headers, _) = world.ask(Request::get("/page.txt").header(header::RANGE, "bytes=9-")).await;
    assert_eq!((status, headers[header::CONTENT_RANGE].to_str().expect("text")), (416, "bytes */5"));

    let (status, headers, body) = world.ask(Request::head("/page.txt")).await;
    assert_eq!((status, headers[header::CONTENT_LENGTH].to_str().expect("text"), body.as_str()), (200, "5", ""));
    let (status, headers, _) = world.ask(Request::post("/page.txt")).await;
    assert_eq!((status, headers[header::ALLOW].to_str().expect("text")), (405, "GET, HEAD"));
}

#[tokio::test]
async fn folders_have_an_index_page_or_are_listed() {
    let world = World::new();
    let (status, headers, _) = world.get("/sub%20dir?x=1").await;
    assert_eq!((status, headers[header::LOCATION].to_str().expect("text")), (308, "/sub%20dir/?x=1"));
    assert_eq!(world.get("/sub%20dir/").await.2, "<p>index</p>");
    let (status, headers, page) = world.get("/").await;
    assert_eq!(status, 200);
    assert!(headers[header::CONTENT_SECURITY_POLICY].to_str().expect("text").starts_with("default-src 'none'"));
    assert!(page.contains("href=\"/sub%20dir/\"") && page.contains("&lt;b&gt;.html") && !page.contains("<b>"));
    assert!(!page.contains(".env"), "{page}");
    let (status, headers, _) = world.get("//sub%20dir").await;
    assert_eq!((status, headers[header::LOCATION].to_str().expect("text")), (308, "/sub%20dir/"), "on this host");
}

#[tokio::test]
async fn nothing_outside_the_folder_can_be_read() {
    let world = World::new();
    for path in [
        "/../secret.txt",
        "/sub%20dir/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/..%2fsecret.txt",
        "/..%5csecret.txt",
        "/.%2e/secret.txt",
        "/%252e%252e/secret.txt",
        "/page.txt%00",
        "/%00",
        "/%ff",
        "/.env",
        "/%2eenv",
        "/page.txt/",
        "/page.txt/x",
        "/no/such/file",
    ] {
        let (status, _, body) = world.get(path).await;
        assert_eq!(status, 404, "{path}");
        assert!(!body.contains("planted"), "{path}");
    }
    let absolute = format!("/{}", world.top.path().join("secret.txt").display());
    assert_eq!(world.get(&absolute).await.0, 404);
    let long = format!("/{}", "a".repeat(5000));
    assert_eq!(world.get(&long).await.0, 404);
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_followed_only_inside_the_folder() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let site = world.top.path().join("site");
    symlink("page.txt", site.join("inside.txt")).expect("linked");
    symlink("../secret.txt", site.join("outside.txt")).expect("linked");
    symlink(world.top.path().join("secret.txt"), site.join("absolute.txt")).expect("linked");
    symlink("..", site.join("up")).expect("linked");
    symlink("/", site.join("root")).expect("linked");
    symlink("around", site.join("around")).expect("linked");
    assert_eq!(world.get("/inside.txt").await.2, "hello");
    for path in ["/outside.txt", "/absolute.txt", "/up/secret.txt", "/up/", "/root/etc/passwd", "/root/", "/around"] {
        let (status, _, body) = world.get(path).await;
        assert_eq!((status, body.contains("planted")), (404, false), "{path}");
    }
    let (_, _, page) = world.get("/").await;
    assert!(page.contains("inside.txt") && !page.contains("outside.txt") && !page.contains("/root/"), "{page}");
    rustix::fs::mkfifoat(rustix::fs::CWD, site.join("pipe"), rustix::fs::Mode::RUSR).expect("a pipe");
    assert_eq!(world.get("/pipe").await.0, 404, "and the open does not wait for a writer");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_replaced_by_a_link_never_leads_out() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let top = world.top.path().to_owned();
    fs::create_dir(top.join("outside")).expect("made");
    fs::write(top.join("outside/name"), "planted-secret").expect("written");
    fs::create_dir(top.join("site/real")).expect("made");
    fs::write(top.join("site/real/name"), "fine").expect("written");
    symlink("real", top.join("site/door")).expect("linked");
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = {
        let (stop, top) = (stop.clone(), top.clone());
        std::thread::spawn(move || {
            let door = top.join("site/door");
            let mut turns = 0_u32;
            while !stop.load(Ordering::Relaxed) {
                for target in ["../outside", "real"] {
                    symlink(target, top.join("new")).expect("linked");
                    fs::rename(top.join("new"), &door).expect("renamed");
                }
                turns += 1;
            }
            turns
        })
    };
    let mut answers = [0, 0];
    for _ in 0..2000 {
        match world.get("/door/name").await {
            (200, _, body) => {
                assert_eq!(body, "fine");
                answers[0] += 1;
            }
            (status, _, body) => {
                assert_eq!((status, body.contains("planted")), (404, false));
                answers[1] += 1;
            }
        }
    }
    stop.store(true, Ordering::Relaxed);
    assert!(swapping.join().expect("ended") > 0 && answers[0] > 0, "{answers:?}");
}
