//! Embeds the built web app, if `ui/dist` exists.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
};

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let pages = manifest.join("../ui/dist");
    let target = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    // Cargo treats a missing folder as always changed, so its parent is watched until it exists.
    let watched = if pages.is_dir() { pages.clone() } else { manifest.join("../ui") };
    if watched.is_dir() {
        println!("cargo::rerun-if-changed={}", watched.display());
    }
    println!("cargo::rerun-if-changed=build.rs");

    let mut found = Vec::new();
    collect(&pages, &pages, &mut found);
    found.sort();
    let copies = target.join("pages");
    let _ = fs::remove_dir_all(&copies);
    fs::create_dir_all(&copies).expect("the folder of the build is writable");
    let mut list = fs::File::create(target.join("pages.rs")).expect("the folder of the build is writable");
    writeln!(list, "static PAGES: &[Page] = &[").expect("written");
    for (index, (name, path)) in found.iter().enumerate() {
        // Copied, so that a concurrent build of the page cannot remove a file that the compiler reads.
        let copy = copies.join(index.to_string());
        fs::copy(path, &copy).expect("a file of the page can be copied");
        writeln!(list, "    Page {{ path: {name:?}, bytes: include_bytes!({copy:?}) }},").expect("written");
    }
    writeln!(list, "];").expect("written");
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, found);
        } else if let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) {
            found.push((name.replace('\\', "/"), path));
        }
    }
}
