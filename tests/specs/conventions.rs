//! Conventions of the source that a compiler does not check.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// Folders that hold nothing written by hand.
const GENERATED: &[&str] = &["target", "node_modules", "dist", "gen", "artifacts", "corpus", "found", ".git"];
/// Words that leave open who acts. The field has terms: visitor, client, caller, operator, task.
const VAGUE_WORDS: &[&str] = &["somebody", "nobody", "whoever"];

/// Words that readers of pages, messages and manuals stumble over, and the plain ones.
const STILTED_WORDS: &[(&str, &str)] = &[
    ("whom", "name the visitor, client or user"),
    ("vouch", "is signed by, is trusted by"),
    ("vouches", "is signed by, is trusted by"),
    ("stands", "is, applies, remains"),
    ("looks", "appearance, checks"),
    ("manners", "behaviour"),
    ("turned away", "refused, blocked"),
    ("turns away", "refuses, blocks"),
    ("take it out", "remove it"),
    ("look at it", "view it, check it"),
    ("half within", "median"),
];

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

/// What people read in a line of a file: the whole line of a manual, descriptions of the API, otherwise texts in quotes and
/// markup.
fn visible_text(path: &str, line: &str) -> String {
    let trimmed = line.trim_start();
    if path.ends_with(".md") || (path.starts_with("api/") && trimmed.starts_with("///")) {
        return line.to_owned();
    }
    if ["//", "/*", "*", "{/*"].iter().any(|comment| trimmed.starts_with(comment)) {
        return String::new();
    }
    let code = line.split(" // ").next().unwrap_or_default();
    // Markup needs no quotes, and code is hardly a line without a sign.
    if !code.contains(['"', '`', '=', '(', ';', ':']) {
        return code.to_owned();
    }
    code.split(['"', '`']).skip(1).step_by(2).collect::<Vec<_>>().join("\n")
}

/// Whether a file has texts for users; tests and what only developers read have none.
fn is_for_users(path: &str) -> bool {
    let is_test = ["/tests/", "/bench/", "tests.rs", ".test."].iter().any(|part| path.contains(part));
    let is_manual = path.starts_with("docs/") || path == "README.md" || path == "CHANGELOG.md";
    !is_test && !path.starts_with("tests/") && !path.starts_with("fuzz/") && (is_manual || !path.ends_with(".md"))
}

#[test]
fn pages_messages_and_manuals_use_plain_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut mistakes = Vec::new();
    for path in files(&["rs", "ts", "tsx", "md", "html"]) {
        let shown = path.strip_prefix(&root).expect("it is below the root").to_string_lossy().replace('\\', "/");
        if !is_for_users(&shown) {
            continue;
        }
        for (number, line) in read(&path).lines().enumerate() {
            // The rest of a file of Rust are its tests.
            if shown.ends_with(".rs") && line.starts_with("#[cfg(test)]") {
                break;
            }
            let visible = visible_text(&shown, line).to_lowercase();
            let words = visible.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            let words = format!(" {} ", words.collect::<Vec<_>>().join(" "));
            for (word, plain) in STILTED_WORDS.iter().filter(|(word, _)| words.contains(&format!(" {word} "))) {
                mistakes.push(format!("{shown}:{}: `{word}` ({plain}): {}", number + 1, line.trim()));
            }
        }
    }
    assert!(mistakes.is_empty(), "plainer words are in brackets: {mistakes:#?}");
}
