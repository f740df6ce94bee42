//! What a file imports of its own crate: paths that begin with `crate`, `super` or `self`, without those of its tests.
//!
//! Paths that begin with the name of a child do not count: with them, the file of a folder brings its parts together.

use svc_tests::SourceFile;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemFn, ItemImpl, ItemMod, ItemUse, Macro, Path, UseTree, Visibility};

/// The path of a module in its crate, such as `manifest`, `problem`; empty for the root.
pub(super) type Module = Vec<String>;

/// The module of a file, by its path below `src`.
pub(super) fn module_of(path: &str) -> Module {
    let mut module: Module = path
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if module.last().is_some_and(|name| name == "mod") {
        module.pop();
    }
    if matches!(module.as_slice(), [name] if name == "lib" || name == "main") {
        module.clear();
    }
    module
}

/// The paths from the root of the crate that a file uses.
pub(super) fn imports(file: &SourceFile) -> Vec<Vec<String>> {
    let parsed = syn::parse_file(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path));
    let mut collector = Collector {
        module: module_of(&file.path),
        paths: Vec::new(),
    };
    collector.visit_file(&parsed);
    collector.paths
}

struct Collector {
    /// The module around the current item.
    module: Module,
    paths: Vec<Vec<String>>,
}

impl Collector {
    fn add<'a>(&mut self, parts: impl IntoIterator<Item = &'a str>) {
        let mut parts = parts.into_iter().peekable();
        let mut path = match parts.next() {
            Some("crate") => Module::new(),
            Some("self") if parts.peek().is_some() => self.module.clone(),
            Some("super") => parent(&self.module),
            _ => return,
        };
        for part in parts {
            match part {
                "super" => path = parent(&path),
                _ => path.push(part.to_owned()),
            }
        }
        self.paths.push(path);
    }

    /// Adds the paths of a `use`, which begin with `front`.
    fn add_tree(&mut self, front: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [front, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            UseTree::Name(name) => self.add(with(&name.ident).iter().map(String::as_str)),
            UseTree::Rename(rename) => self.add(with(&rename.ident).iter().map(String::as_str)),
            UseTree::Glob(_) => self.add(front.iter().map(String::as_str)),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(front, tree)),
        }
    }
}

fn parent(module: &[String]) -> Module {
    module
        .split_last()
        .map_or_else(Module::new, |(_, parent)| parent.to_vec())
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    };
    attributes.iter().any(is_test)
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_for_tests(&module.attrs) {
            self.module.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.module.pop();
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_item_impl(&mut self, block: &'ast ItemImpl) {
        if !is_for_tests(&block.attrs) {
            visit::visit_item_impl(self, block);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_for_tests(&item.attrs) {
            self.add_tree(&[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let parts: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        self.add(parts.iter().map(String::as_str));
        visit::visit_path(self, path);
    }

    /// The arguments of a macro are tokens of any form.
    fn visit_macro(&mut self, call: &'ast Macro) {
        let text = call.tokens.to_string().replace(" ::", "::").replace(":: ", "::");
        let words = text.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | ':'));
        for path in words.filter(|word| word.contains("::")) {
            self.add(path.trim_matches(':').split("::"));
        }
        visit::visit_macro(self, call);
    }

    /// `pub(super)` imports nothing.
    fn visit_visibility(&mut self, _visibility: &'ast Visibility) {}
}
