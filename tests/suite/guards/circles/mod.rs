//! The modules of a crate import each other in one direction, never in a circle: a module can be read, tested and moved
//! with only those that it imports.

mod imports;
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use svc_tests::{SourceFile, rust_sources, workspace};

use imports::{Module, imports, module_of};

/// The modules of a crate, each with those that it imports.
type Crate = BTreeMap<Module, BTreeSet<Module>>;

#[test]
fn modules_do_not_import_each_other_in_circles() {
    let crates = crates(rust_sources(&workspace()));
    assert!(crates.len() > 30, "{:?}", crates.keys());
    let found: Vec<String> = crates
        .iter()
        .flat_map(|(name, files)| {
            let circles = circles(&modules(files));
            circles
                .into_iter()
                .map(move |circle| format!("in {name}:\n{circle}"))
        })
        .collect();
    assert!(
        found.is_empty(),
        "{} circles of modules; move what both sides need to the lower one:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// The files of each crate without those of tests, by the folder of the crate.
fn crates(sources: Vec<SourceFile>) -> BTreeMap<String, Vec<SourceFile>> {
    let mut crates = BTreeMap::<String, Vec<SourceFile>>::new();
    for SourceFile { path, text } in sources {
        if let Some((folder, path)) = path.split_once("/src/")
            && !path.ends_with("tests.rs")
            && !path.contains("tests/")
        {
            let path = path.to_owned();
            crates
                .entry(folder.to_owned())
                .or_default()
                .push(SourceFile { path, text });
        }
    }
    crates
}

/// The modules of these files, by their paths below `src`. The root of the crate, which brings all modules together, is
/// none of them.
fn modules(files: &[SourceFile]) -> Crate {
    let known: BTreeSet<Module> = files.iter().map(|file| module_of(&file.path)).collect();
    let mut modules = Crate::new();
    for file in files {
        let module = module_of(&file.path);
        let imported = imports(file).into_iter();
        // A path continues with the item in the module.
        let imported = imported.filter_map(|path| {
            let mut parts = (1..=path.len()).rev().map(|parts| &path[..parts]);
            parts.find(|module| known.contains(*module)).map(<[_]>::to_vec)
        });
        let imported = imported.filter(|other| *other != module).collect();
        if !module.is_empty() {
            modules.insert(module, imported);
        }
    }
    modules
}

/// The groups of modules that import each other, each as a list of the imports within it, a line each.
fn circles(modules: &Crate) -> Vec<String> {
    let reachable: BTreeMap<&Module, BTreeSet<&Module>> = modules
        .keys()
        .map(|module| (module, reachable_from(module, modules)))
        .collect();
    let groups: BTreeSet<BTreeSet<&Module>> = reachable
        .iter()
        .map(|(module, below)| {
            let back = below.iter().filter(|other| reachable[*other].contains(module));
            back.copied().collect()
        })
        .filter(|group: &BTreeSet<&Module>| !group.is_empty())
        .collect();
    groups
        .iter()
        .map(|group| {
            let within = |module: &Module| {
                let imported = modules[module].iter().filter(|other| group.contains(other));
                let names: Vec<String> = imported.map(|other| other.join("::")).collect();
                format!("  {} imports {}", module.join("::"), names.join(", "))
            };
            let lines: Vec<String> = group.iter().map(|module| within(module)).collect();
            lines.join("\n")
        })
        .collect()
}

/// The modules that a module imports, directly or through others.
fn reachable_from<'a>(module: &Module, modules: &'a Crate) -> BTreeSet<&'a Module> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Module> = modules[module].iter().collect();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(&modules[next]);
        }
    }
    found
}
