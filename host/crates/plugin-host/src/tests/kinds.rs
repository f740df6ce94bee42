//! Tests of kinds that plugins define: the schema in the manifest, and the plugin that owns a kind.

use crate::tests::manifests::errors;
use crate::tests::*;
use svc_domain::item_kind::{FieldType, Grouping, KindApp};

/// What a manifest says of a kind with two fields.
const COMICS: &str = r#"
[[kinds]]
kind = "comics"
label = { en = "Comics", de = "Comics", item = "Comic" }
app = "photos"
extensions = ["cbz", "cbr"]
media-types = { cbz = "application/vnd.comicbook+zip" }
item = "file"
[[kinds.fields]]
key = "x.ID.series"
label = { en = "Series" }
type = "text"
search = true
sort = true
facet = true
[[kinds.fields]]
key = "x.ID.number"
label = { en = "Number" }
type = "integer"
sort = true
"#;

const MORE: &str = "[[kinds]]\nkind = \"comics\"\nextensions = [\"pdf\"]\n";

fn manifest(id: &str, kinds: &str) -> String {
    let text = guests::manifest(id);
    let (start, rest) = text.split_once("[[kinds]]").unwrap();
    let (_, permissions) = rest.split_once("[permissions]").unwrap();
    format!("{start}{}\n[permissions]{permissions}", kinds.replace("ID", id))
}

fn plugin(id: &str, kinds: &str) -> Vec<u8> {
    guests::with_manifest(guests::component(&guests::body("good")), &manifest(id, kinds))
}

fn comics() -> MediaKind {
    "comics".parse().unwrap()
}

fn reason_of(plugins: &Plugins, id: &str) -> String {
    let status = plugins
        .list()
        .into_iter()
        .find(|status| status.id() == id)
        .unwrap();
    status.state.reason().unwrap_or_default().to_owned()
}

#[track_caller]
fn refused(from: &str, to: &str, expected: &str) {
    assert!(COMICS.contains(from), "{from}");
    let errors = errors(&manifest("comics", &COMICS.replacen(from, to, 1)));
    assert!(errors.iter().any(|error| error.contains(expected)), "{errors:#?}");
}

#[test]
fn schema_of_a_kind_is_parsed() {
    let parsed = Manifest::parse(manifest("comics", COMICS).as_bytes()).unwrap();
    let schema = parsed.kinds[0].schema.as_ref().unwrap();
    assert_eq!(
        (schema.kind.as_str(), schema.item_label.as_str()),
        ("comics", "Comic")
    );
    assert_eq!((schema.app, &schema.grouping), (KindApp::Photos, &Grouping::File));
    assert_eq!(schema.label["de"], "Comics");
    assert!(!schema.label.contains_key("item"));
    let series = schema.field("x.comics.series").unwrap();
    assert_eq!(series.field_type, FieldType::Text);
    assert!(series.search && series.sort && series.facet);
    assert!(!schema.field("x.comics.number").unwrap().facet);
    let group =
        "item = \"group\"\ngroup-by = [\"x.ID.series\"]\npart-order = [\"x.ID.number\", \"music.date\"]";
    let parsed =
        Manifest::parse(manifest("comics", &COMICS.replace("item = \"file\"", group)).as_bytes()).unwrap();
    let Grouping::Group { by, part_order } = &parsed.kinds[0].schema.as_ref().unwrap().grouping else {
        panic!("grouped");
    };
    assert_eq!((by.len(), part_order.len()), (1, 2));
}

#[test]
fn invalid_schemas_are_rejected_by_key() {
    refused("app = \"photos\"\n", "", "`kinds[0].app` is missing");
    refused("\"photos\"", "\"books\"", "expected one of music, photos, cinema");
    refused(", item = \"Comic\"", "", "`kinds[0].label.item` is missing");
    refused("en = \"Comics\", ", "", "`kinds[0].label.en` is missing");
    refused("de = ", "german = ", "`kinds[0].label.german` is not a language");
    refused(
        "item = \"file\"",
        "item = \"folder\"",
        "`kinds[0].item` is \"folder\"",
    );
    refused("item = \"file\"", "item = \"group\"", "expected `group-by`");
    refused(
        "item = \"file\"",
        "item = \"file\"\ngroup-by = [\"x.ID.a\"]",
        "is for `item = \"group\"` only",
    );
    refused(
        "item = \"file\"",
        "item = \"group\"\ngroup-by = [\"photo.aperture\"]",
        "cannot be compared",
    );
    refused(
        "{ cbz",
        "{ zip",
        "`kinds[0].media-types.zip` is not one of `extensions`",
    );
    refused(
        "\"application/vnd.comicbook+zip\"",
        "\"zip\"",
        "a MIME type such as",
    );
    refused(
        "x.ID.series",
        "x.music.series",
        "`kinds[0].fields[0].key` is \"x.music.series\"",
    );
    refused(
        "x.ID.series",
        "series",
        "one of the plugin's own such as `x.comics.series`",
    );
    refused(
        "x.ID.series",
        "x.ID.number",
        "declares `x.comics.number` a second time",
    );
    refused(
        "x.ID.series",
        "music.bpm",
        "does not fit to `music.bpm`, whose values are real",
    );
    refused(
        "\"integer\"",
        "\"number\"",
        "expected one of text, texts, integer",
    );
    refused(
        "type = \"integer\"\nsort",
        "type = \"integer\"\nsearch",
        "is for text and texts only",
    );
    refused("type = \"integer\"", "type = \"texts\"", "is not for texts");
    refused("sort = true\nfacet", "sort = 1\nfacet", "expected true or false");
    refused(
        "kind = \"comics\"",
        "kind = \"music\"",
        "does not belong to a built-in kind",
    );
    let field = |number: usize, uses: &str| {
        format!(
            "[[kinds.fields]]\nkey = \"x.ID.f{number}\"\nlabel = {{ en = \"F\" }}\ntype = \"text\"\n{uses}\n"
        )
    };
    for (count, uses, expected) in [
        (31, "", "an array of 0 to 32"),
        (500, "", "an array of 0 to 32"),
        (7, "sort = true", "has 9 fields with `sort = true`: at most 8"),
        (8, "facet = true", "has 9 fields with `facet = true`: at most 8"),
    ] {
        let more: String = (0..count).map(|number| field(number, uses)).collect();
        let errors = errors(&manifest("comics", &format!("{COMICS}{more}")));
        assert!(errors[0].contains(expected), "{errors:#?}");
    }
}

#[test]
fn kind_belongs_to_the_first_plugin_that_defines_it() {
    let harness = Harness::new()
        .with("1.wasm", &plugin("first", COMICS))
        .with("2.wasm", &plugin("second", COMICS));
    let plugins = harness.load();
    let reason = reason_of(&plugins, "second");
    assert!(
        reason.contains("two plugins define the kind `comics`"),
        "{reason}"
    );
    assert!(
        reason.contains("`first` 1.0.0") && reason.contains("`second` 1.0.0"),
        "{reason}"
    );
    let [kind] = plugins.kind_schemas().try_into().unwrap();
    assert_eq!(
        (kind.plugin_id.as_str(), kind.plugin_version.as_str()),
        ("first", "1.0.0")
    );
    assert_eq!(plugins.kind_state(&comics()), KindState::Active);
    let ids: Vec<String> = plugins
        .candidates(&comics(), "CBZ")
        .iter()
        .map(|plugin| plugin.id().to_owned())
        .collect();
    assert_eq!(ids, ["first"]);
    let media_type = plugins.media_type(&comics(), "CBZ");
    assert_eq!(media_type.as_deref(), Some("application/vnd.comicbook+zip"));
    assert_eq!(plugins.media_type(&comics(), "cbr"), None);
}

#[test]
fn plugin_may_read_more_files_of_a_kind_that_another_one_defines() {
    // Loaded before the plugin that defines the kind.
    let harness = Harness::new()
        .with("1.wasm", &plugin("more", MORE))
        .with("2.wasm", &plugin("comics", COMICS));
    let plugins = harness.load();
    assert!(plugins.for_file(&comics(), "pdf").is_some());
    let alone = Harness::new().with("1.wasm", &plugin("more", MORE)).load();
    let reason = reason_of(&alone, "more");
    assert!(
        reason.contains("the kind `comics`, which no loaded plugin defines"),
        "{reason}"
    );
    assert!(alone.for_file(&comics(), "pdf").is_none());
}

#[test]
fn kind_without_an_active_plugin_says_why() {
    let mut harness = Harness::new().with("1.wasm", &plugin("comics", COMICS));
    harness.settings.choices.disabled.insert("comics".to_owned());
    let plugins = harness.load();
    let state = plugins.kind_state(&comics());
    assert_eq!(
        (state.code(), state.reason()),
        ("plugin_disabled", Some("the plugin `comics` is disabled"))
    );
    assert!(plugins.kind_schemas().is_empty());
    let state = plugins.kind_state(&"audiobooks".parse().unwrap());
    assert_eq!(
        (state.code(), state.reason()),
        ("no_plugin", Some("no plugin defines the kind `audiobooks`"))
    );
    let damaged = plugin("comics", COMICS);
    let damaged = Harness::new()
        .with("1.wasm", &damaged)
        .with("1.wasm.sig", b"no signature");
    let state = damaged.load().kind_state(&comics());
    assert_eq!(state.code(), "plugin_failed");
    assert!(
        state
            .reason()
            .unwrap()
            .starts_with("the plugin `comics` cannot be used: "),
        "{state:?}"
    );
    let broken = Harness::new().with(
        "1.wasm",
        &plugin("comics", &COMICS.replace("cbr\"]", "cbr\"]\nrelated = [\"xml\"]")),
    );
    assert_eq!(broken.load().kind_state(&comics()), KindState::Active);
    assert_eq!(broken.load().kind_state(&MediaKind::music()).code(), "no_plugin");
}

#[test]
fn quarantine_of_its_plugin_makes_a_kind_unavailable_until_the_release() {
    let bytes = guests::with_manifest(
        guests::component(&guests::body("trap")),
        &manifest("comics", COMICS),
    );
    let harness = Harness::new().with("1.wasm", &bytes);
    let plugins = harness.load();
    let plugin = plugins.handle("comics").unwrap();
    let source = harness.source(b"x");
    let mut worker = plugins.worker();
    for _ in 0..5 {
        worker.extract(&plugin, &source).unwrap_err();
    }
    let state = plugins.kind_state(&comics());
    assert_eq!(state.code(), "plugin_quarantined");
    assert!(
        state.reason().unwrap().contains("5 failures in a row"),
        "{state:?}"
    );
    assert_eq!(plugins.kind_schemas().len(), 1, "the kind is still known");
    assert!(plugin.release());
    assert_eq!(plugins.kind_state(&comics()), KindState::Active);
}

#[test]
fn declared_fields_have_the_declared_type() {
    let body = guests::answering(&[guests::Part::Text("x.comics.number", "twelve")]);
    let bytes = guests::with_manifest(guests::component(&body), &manifest("comics", COMICS));
    let harness = Harness::new().with("1.wasm", &bytes);
    let plugins = harness.load();
    let plugin = plugins.handle("comics").unwrap();
    let outcome = plugins.worker().extract(&plugin, &harness.source(b"x"));
    assert_eq!(code(&outcome), "bad_output");
    assert!(
        outcome
            .unwrap_err()
            .to_string()
            .contains("`x.comics.number` is integer, not text")
    );
}
