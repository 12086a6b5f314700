//! Reads which top-level modules of a crate import which others, for the specifications of the architecture.
//!
//! Test code is left out: `#[cfg(test)]` items, and files that only such an item declares.

use proc_macro2::{TokenStream, TokenTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};
use syn::visit::{self, Visit};

/// One import of a top-level module by another, with the file that contains it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Import {
    /// The importing module.
    pub from: String,
    /// The imported module.
    pub to: String,
    /// The importing file, relative to the crate's source folder.
    pub file: PathBuf,
}

/// The top-level modules of one crate and the imports between them.
#[derive(Debug, Default)]
pub struct Crate {
    /// Every top-level module of the crate that is not a test.
    pub modules: BTreeSet<String>,
    /// Every import from one of them to another.
    pub imports: BTreeSet<Import>,
    /// Names that the root re-exports or defines, with the module they come from.
    roots: BTreeMap<String, String>,
    folder: PathBuf,
}

impl Crate {
    /// Reads the crate with the root file `root`, or the part of a crate below the module in that file.
    pub fn read(root: &Path) -> Crate {
        let is_crate_root = root.ends_with("lib.rs") || root.ends_with("main.rs");
        let beside = root.parent().expect("a source file lies in a folder").to_owned();
        let folder = if is_crate_root { beside } else { root.with_extension("") };
        let mut crate_ = Crate { folder: folder.clone(), ..Crate::default() };
        let file = parse(root);
        for item in &file.items {
            match item {
                syn::Item::Mod(module) if !is_test(&module.attrs) => {
                    crate_.modules.insert(module.ident.to_string());
                }
                syn::Item::Use(item) => crate_.note_root_names(&item.tree),
                _ => {}
            }
        }
        for name in crate_.modules.clone() {
            let item = file.items.iter().find_map(|item| match item {
                syn::Item::Mod(module) if module.ident == name => Some(module),
                _ => None,
            });
            let module = item.expect("it was found above");
            match &module.content {
                Some((_, items)) => crate_.walk(root, &[name], items, &folder),
                None => crate_.follow(&folder, &[name]),
            }
        }
        crate_
    }

    /// Records for `pub use module::{A, B}` in the root that `A` and `B` come from `module`.
    fn note_root_names(&mut self, tree: &syn::UseTree) {
        let mut paths = Vec::new();
        flatten(tree, &mut Vec::new(), &mut paths);
        for path in paths {
            let path: Vec<_> = path.into_iter().skip_while(|part| part == "crate" || part == "self").collect();
            if let (Some(first), Some(last), true) = (path.first(), path.last(), path.len() > 1) {
                self.roots.insert(last.clone(), first.clone());
            }
        }
    }

    /// Reads the file of a module that is declared without a body.
    fn follow(&mut self, folder: &Path, module: &[String]) {
        let name = module.last().expect("a module has a name");
        let flat = folder.join(format!("{name}.rs"));
        let inner = folder.join(name);
        let path = if flat.is_file() { flat } else { inner.join("mod.rs") };
        let file = parse(&path);
        self.walk(&path, module, &file.items, &inner);
    }

    fn walk(&mut self, path: &Path, module: &[String], items: &[syn::Item], folder: &Path) {
        for item in items {
            if is_test(attributes(item)) {
                continue;
            }
            if let syn::Item::Mod(declared) = item {
                let inner: Vec<_> = module.iter().cloned().chain([declared.ident.to_string()]).collect();
                match (&declared.content, path_attributes(&declared.attrs)) {
                    (Some((_, items)), _) => self.walk(path, &inner, items, &folder.join(declared.ident.to_string())),
                    (None, files) if files.is_empty() => self.follow(folder, &inner),
                    (None, files) => {
                        for file in files {
                            let file = path.parent().expect("a source file lies in a folder").join(file);
                            self.walk(&file, &inner, &parse(&file).items, &file.with_extension(""));
                        }
                    }
                }
                continue;
            }
            let mut paths = Paths::default();
            paths.visit_item(item);
            for path_of_item in paths.0 {
                self.note(path, module, &path_of_item);
            }
        }
    }

    fn note(&mut self, file: &Path, module: &[String], path: &[String]) {
        let Some(to) = self.top_module(module, path) else { return };
        let from = &module[0];
        if to != *from {
            let file = file.strip_prefix(&self.folder).expect("it lies in the crate").to_owned();
            self.imports.insert(Import { from: from.clone(), to, file });
        }
    }

    /// The top-level module that a path in `module` leads to, if it leads to one of this crate.
    fn top_module(&self, module: &[String], path: &[String]) -> Option<String> {
        let first = match path.first()?.as_str() {
            "crate" => path.get(1)?,
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let absolute: Vec<_> = module[..module.len().checked_sub(ups)?].iter().chain(&path[ups..]).collect();
                absolute.first().copied()?
            }
            _ => return None,
        };
        let first = self.roots.get(first).filter(|_| !self.modules.contains(first)).unwrap_or(first);
        self.modules.contains(first).then(|| first.clone())
    }

    /// Checks the imports against floors, listed from top to bottom: a module may import only what stands below its
    /// own floor. Modules of one floor, separated by blanks, do not import each other.
    ///
    /// # Errors
    ///
    /// Every import that breaks the rule, and every module that no floor or more than one names.
    pub fn check(&self, floors: &[&str]) -> Result<(), Vec<String>> {
        let mut levels = BTreeMap::new();
        let mut mistakes = Vec::new();
        for (level, floor) in floors.iter().enumerate() {
            for module in floor.split(' ') {
                if levels.insert(module.to_owned(), level).is_some() {
                    mistakes.push(format!("{module} is on two floors"));
                }
                if !self.modules.contains(module) {
                    mistakes.push(format!("there is no module {module}"));
                }
            }
        }
        for module in &self.modules {
            if !levels.contains_key(module) {
                mistakes.push(format!("{module} is on no floor"));
            }
        }
        for Import { from, to, file } in &self.imports {
            if let (Some(upper), Some(lower)) = (levels.get(from), levels.get(to))
                && upper >= lower
            {
                mistakes.push(format!("{from} imports {to}, which is not below it ({})", file.display()));
            }
        }
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }
}

fn parse(path: &Path) -> syn::File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{} cannot be parsed: {error}", path.display()))
}

/// Whether an item exists only in tests (or in fuzzing, which tests replay).
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string().replace(' ', "");
            condition == "test" || condition.starts_with("any(test,") || condition.starts_with("all(test,")
        }
        _ => false,
    })
}

/// The files that `#[path]`, or `#[cfg_attr(…, path)]` for each platform, names for a module.
fn path_attributes(attributes: &[syn::Attribute]) -> Vec<String> {
    let mut files = Vec::new();
    for attribute in attributes {
        let tokens = match &attribute.meta {
            syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(file), .. }) => {
                    files.push(file.value());
                    continue;
                }
                _ => continue,
            },
            syn::Meta::List(list) if list.path.is_ident("cfg_attr") => list.tokens.to_string(),
            _ => continue,
        };
        let file = tokens.split("path = \"").nth(1).and_then(|rest| rest.split('"').next());
        files.extend(file.map(str::to_owned));
    }
    files
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Every path that an item mentions: in `use` declarations, types, expressions and macro calls.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    /// Reads `crate::a` and `super::b` out of tokens that the parser leaves alone.
    fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut index = 0;
        while index < tokens.len() {
            if let TokenTree::Group(group) = &tokens[index] {
                self.scan(group.stream());
            }
            let mut path = Vec::new();
            while let Some(TokenTree::Ident(ident)) = tokens.get(index) {
                path.push(ident.to_string());
                let is_separator =
                    |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(c)) if c.as_char() == ':');
                if !is_separator(tokens.get(index + 1)) || !is_separator(tokens.get(index + 2)) {
                    break;
                }
                index += 3;
            }
            self.keep(path);
            index += 1;
        }
    }

    fn keep(&mut self, path: Vec<String>) {
        if path.len() > 1 && matches!(path[0].as_str(), "crate" | "super") {
            self.0.push(path);
        }
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let mut paths = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut paths);
        for path in paths {
            self.keep(path);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.keep(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.scan(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_vis_restricted(&mut self, _: &'a syn::VisRestricted) {}
}

/// Turns `a::{b, c::d}` into `a::b` and `a::c::d`.
fn flatten(tree: &syn::UseTree, prefix: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    let with = |prefix: &[String], name: &syn::Ident| prefix.iter().cloned().chain([name.to_string()]).collect();
    match tree {
        syn::UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            flatten(&path.tree, prefix, paths);
            prefix.pop();
        }
        syn::UseTree::Name(name) => paths.push(with(prefix, &name.ident)),
        syn::UseTree::Rename(rename) => paths.push(with(prefix, &rename.ident)),
        syn::UseTree::Glob(_) => paths.push(prefix.clone()),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, prefix, paths)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_of(files: &[(&str, &str)]) -> Crate {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            fs::write(path, text).expect("written");
        }
        Crate::read(&folder.path().join("lib.rs"))
    }

    fn pairs(found: &Crate) -> Vec<(&str, &str)> {
        found.imports.iter().map(|import| (import.from.as_str(), import.to.as_str())).collect()
    }

    #[test]
    fn imports_are_found_wherever_a_path_may_stand() {
        let found = crate_of(&[
            ("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod f; pub use b::Thing;"),
            ("a.rs", "use crate::{b::X, Thing}; fn f() -> crate::c::Y { vec![crate::d::Z] }"),
            ("b.rs", "mod inner;"),
            ("b/inner.rs", "fn f() { super::super::e::f() } pub(in crate::b) struct S;"),
            ("c/mod.rs", "#[cfg(test)] mod tests { use crate::f::T; } #[cfg(test)] use crate::f::U;"),
            ("d.rs", ""),
            ("e.rs", "impl super::f::T for u8 {}"),
            ("f.rs", ""),
        ]);
        assert_eq!(pairs(&found), [("a", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("e", "f")]);
    }

    #[test]
    fn an_import_upwards_or_beside_is_a_mistake() {
        let found = crate_of(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::X;"), ("b.rs", "")]);
        assert_eq!(found.check(&["a", "b"]), Ok(()));
        assert_eq!(found.check(&["b", "a"]), Err(vec!["a imports b, which is not below it (a.rs)".to_owned()]));
        assert_eq!(found.check(&["a b"]), Err(vec!["a imports b, which is not below it (a.rs)".to_owned()]));
        let mistakes = vec!["there is no module c".to_owned(), "b is on no floor".to_owned()];
        assert_eq!(found.check(&["a", "c"]), Err(mistakes));
    }
}
