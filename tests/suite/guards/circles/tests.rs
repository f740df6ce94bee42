//! The guard itself, on small crates.

use svc_tests::SourceFile;

use super::imports::{imports, module_of};
use super::{circles, crates, modules};

/// Files of a crate, by their paths below `src`.
fn files(texts: &[(&str, &str)]) -> Vec<SourceFile> {
    let file = |(path, text): &(&str, &str)| SourceFile {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
    };
    texts.iter().map(file).collect()
}

/// The root names every module; `page` and `page::size` import `archive`.
const DIRECTED: [(&str, &str); 5] = [
    (
        "lib.rs",
        "mod archive; mod page; pub use page::Page; use crate::page::size;",
    ),
    (
        "archive/mod.rs",
        "mod names; pub(crate) struct Archive(names::Name);",
    ),
    ("archive/names.rs", "pub(super) struct Name(super::Entry);"),
    (
        "page/mod.rs",
        "mod size; use crate::archive::{self, Archive}; use size::Size;",
    ),
    (
        "page/size.rs",
        "use std::fs; use crate::archive; use crate::Page;",
    ),
];

#[test]
fn modules_in_one_direction_are_no_circle() {
    assert!(circles(&modules(&files(&DIRECTED))).is_empty());
}

#[test]
fn circle_is_reported_with_its_imports() {
    for import in [
        "use crate::page::Leaf;",
        "use crate::{page::{Leaf as One, Page}, other};",
        "use super::super::page::*;",
        "fn pages() -> Vec<crate::page::Leaf> { Vec::new() }",
        "fn print() { println!(\"{}\", crate::page::COUNT); }",
        "mod inner { use super::super::super::page; }",
    ] {
        let mut texts = DIRECTED;
        texts[2].1 = import;
        let mut texts = texts.to_vec();
        texts.push((
            "page/leaf.rs",
            "use super::Page; use crate::archive::names::Name;",
        ));
        assert!(circles(&modules(&files(&texts))).is_empty(), "{import}");
        texts[3].1 = "mod leaf; use crate::archive::names;";
        assert_eq!(
            circles(&modules(&files(&texts))),
            ["  archive::names imports page\n  page imports archive::names"],
            "{import}"
        );
    }
}

#[test]
fn circles_of_several_modules_and_several_circles_are_told_apart() {
    let texts = [
        ("a.rs", "use crate::b;"),
        ("b.rs", "use crate::c;"),
        ("c.rs", "use crate::a; use crate::d;"),
        ("d.rs", "use crate::e;"),
        ("e.rs", "use crate::d;"),
        ("f.rs", "use crate::a;"),
    ];
    assert_eq!(
        circles(&modules(&files(&texts))),
        [
            "  a imports b\n  b imports c\n  c imports a",
            "  d imports e\n  e imports d",
        ]
    );
}

#[test]
fn tests_comments_visibility_and_values_import_nothing() {
    let text = r#"
        //! As [`crate::page`].
        pub(in crate::page) struct Name(&'static str);
        impl Name {
            pub(super) fn get(&self) -> &str { let _ = "crate::page"; self.0 }
        }
        #[cfg(test)]
        use crate::page;
        #[cfg(test)]
        mod tests { use crate::page::Page; }
    "#;
    let imported = files(&[("archive/names.rs", text)]);
    assert!(imports(&imported[0]).is_empty(), "{:?}", imports(&imported[0]));
    let sources = files(&[
        ("plugins/comics/src/zip/mod.rs", ""),
        ("plugins/comics/src/zip/tests.rs", ""),
        ("plugins/comics/src/tests/pages.rs", ""),
        ("plugins/comics/tests/pages.rs", ""),
    ]);
    let crates = crates(sources);
    assert_eq!(crates.len(), 1);
    assert_eq!(crates["plugins/comics"].len(), 1);
    assert_eq!(module_of(&crates["plugins/comics"][0].path), ["zip"]);
}
