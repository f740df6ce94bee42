//! The `#[covers(…)]` attributes of test sources.

use svc_tests::SourceFile;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemFn, LitStr, Token};

/// A test with a `#[covers(…)]` attribute.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CoveringTest {
    /// File and function.
    pub(super) name: String,
    /// Ids of the requirements that it covers.
    pub(super) ids: Vec<String>,
    /// Whether `#[ignore]` keeps it from running, at least somewhere.
    pub(super) ignored: bool,
}

/// The tests of a file that cover requirements.
pub(super) fn covering_tests(file: &SourceFile) -> Vec<CoveringTest> {
    // Most files have none, and parsing takes longest.
    if !file.text.contains("covers(") {
        return Vec::new();
    }
    let parsed = syn::parse_file(&file.text).unwrap_or_else(|error| panic!("{}: {error}", file.path));
    let mut collector = Collector {
        path: &file.path,
        tests: Vec::new(),
    };
    collector.visit_file(&parsed);
    collector.tests
}

struct Collector<'a> {
    path: &'a str,
    tests: Vec<CoveringTest>,
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        let name = format!("{}: {}", self.path, function.sig.ident);
        let covers = function
            .attrs
            .iter()
            .filter(|attribute| is_named(attribute, "covers"));
        let ids: Vec<String> = covers.flat_map(|attribute| ids(attribute, &name)).collect();
        if !ids.is_empty() {
            self.tests.push(CoveringTest {
                name,
                ids,
                ignored: function.attrs.iter().any(ignores),
            });
        }
        visit::visit_item_fn(self, function);
    }
}

/// Whether the attribute's path ends in `name`.
fn is_named(attribute: &Attribute, name: &str) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|segment| segment.ident == name)
}

fn ids(attribute: &Attribute, test: &str) -> Vec<String> {
    let literals = attribute.parse_args_with(Punctuated::<LitStr, Token![,]>::parse_terminated);
    let literals = literals.unwrap_or_else(|error| panic!("{test}: {error}"));
    literals.iter().map(LitStr::value).collect()
}

/// Whether the attribute is `#[ignore]`, or sets it under a condition.
fn ignores(attribute: &Attribute) -> bool {
    let conditional = || match &attribute.meta {
        syn::Meta::List(list) => list.tokens.to_string().contains("ignore"),
        _ => false,
    };
    is_named(attribute, "ignore") || is_named(attribute, "cfg_attr") && conditional()
}
