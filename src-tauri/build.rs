//! Prepares what Tauri embeds: permissions, capabilities and the pages, or a placeholder page if they are not built.

use std::{env, fs, path::PathBuf};

const PLACEHOLDER: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Postern</title>\
<h1>The pages are not built yet</h1><p>Run <code>make build</code> at the top of the source tree, then restart Postern.</p></html>";

fn main() {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    println!("cargo:rerun-if-changed=src-tauri/permissions");
    println!("cargo:rerun-if-changed=icons");
    println!("cargo:rerun-if-changed=ui/dist");
    if !PathBuf::from("ui/dist/index.html").is_file() {
        use_placeholder_pages();
    }
    let permissions = tauri_build::AppManifest::new().permissions_path_pattern("./src-tauri/permissions/**/*.toml");
    let attributes = tauri_build::Attributes::new()
        .app_manifest(permissions)
        .capabilities_path_pattern("./src-tauri/capabilities/**/*.json");
    tauri_build::try_build(attributes).expect("tauri.conf.json, permissions and capabilities are valid");
}

/// Lets the app compile before the pages are built: Tauri's configuration overlay names a folder with placeholders.
fn use_placeholder_pages() {
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("unbuilt-pages");
    fs::create_dir_all(&folder).expect("OUT_DIR can be written");
    for page in ["index.html", "inspector.html"] {
        fs::write(folder.join(page), PLACEHOLDER).expect("OUT_DIR can be written");
    }
    let path = folder.to_str().expect("the build folder's path is text");
    let overlay = format!("{{\"build\":{{\"frontendDist\":{path:?}}}}}");
    println!("cargo:rustc-env=TAURI_CONFIG={overlay}");
}
