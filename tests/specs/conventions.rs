//! Conventions of the source that a compiler does not check.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// Folders that hold nothing written by hand.
const GENERATED: &[&str] = &["target", "node_modules", "dist", "gen", "artifacts", "corpus", "found", ".git"];
/// Words that leave open who acts. The field has terms: visitor, client, caller, operator, task.
const VAGUE_WORDS: &[&str] = &["somebody", "nobody", "whoever"];

/// All files of the project with one of these extensions.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    fn walk(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                if !GENERATED.contains(&name) {
                    walk(&path, extensions, found);
                }
            } else if path.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted)) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), extensions, &mut found);
    assert!(!found.is_empty(), "the project has files with the extensions {extensions:?}");
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()))
}

#[test]
fn a_module_is_a_file_named_after_it() {
    // Directly below `tests/` a file would be a test target of its own; cargo wants a folder there.
    let is_shared_by_tests = |path: &Path| path.parent().and_then(Path::parent).is_some_and(|up| up.ends_with("tests"));
    let unnamed: Vec<_> =
        files(&["rs"]).into_iter().filter(|path| path.ends_with("mod.rs") && !is_shared_by_tests(path)).collect();
    assert!(unnamed.is_empty(), "name these files after their folders: {unnamed:#?}");
}

#[test]
fn the_imports_of_one_crate_are_one_declaration() {
    let mut mistakes = Vec::new();
    for path in files(&["rs"]) {
        let file = syn::parse_file(&read(&path)).expect("Rust");
        let mut modules = vec![file.items];
        while let Some(items) = modules.pop() {
            let mut counts: HashMap<(String, String), usize> = HashMap::new();
            for item in items {
                match item {
                    syn::Item::Mod(module) => modules.extend(module.content.map(|(_, items)| items)),
                    syn::Item::Use(item) if item.attrs.is_empty() => {
                        let syn::UseTree::Path(tree) = &item.tree else { continue };
                        *counts.entry((visibility(&item.vis), tree.ident.to_string())).or_default() += 1;
                    }
                    _ => {}
                }
            }
            let repeated = counts.into_iter().filter(|(_, count)| *count > 1);
            mistakes.extend(repeated.map(|((_, root), count)| format!("{}: {count} times {root}", path.display())));
        }
    }
    assert!(mistakes.is_empty(), "join these imports: {mistakes:#?}");
}

fn visibility(visibility: &syn::Visibility) -> String {
    match visibility {
        syn::Visibility::Inherited => String::new(),
        syn::Visibility::Public(_) => "pub".to_owned(),
        syn::Visibility::Restricted(restricted) => {
            restricted.path.segments.iter().map(|segment| segment.ident.to_string()).collect()
        }
    }
}

#[test]
fn comments_and_texts_name_who_acts() {
    let mut mistakes = Vec::new();
    for path in files(&["rs", "ts", "tsx", "css", "md", "py", "sh", "html"]) {
        if path.ends_with("tests/specs/conventions.rs") {
            continue;
        }
        for (number, line) in read(&path).lines().enumerate() {
            let lower = line.to_lowercase();
            let mut words = lower.split(|c: char| !c.is_alphanumeric());
            if words.any(|word| VAGUE_WORDS.contains(&word)) {
                mistakes.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(mistakes.is_empty(), "say who acts: {mistakes:#?}");
}
