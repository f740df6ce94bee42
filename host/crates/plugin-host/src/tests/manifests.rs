//! Tests of manifests: what is valid, and the errors with their places.

use crate::granted_limits::AbilityLimits;
use crate::tests::*;

/// Asserts that the manifest of the guest with this change has one error, and that it says this.
#[track_caller]
fn refused(from: &str, to: &str, expected: &str) {
    let text = guests::manifest("guest");
    assert!(text.contains(from));
    let errors = errors(&text.replacen(from, to, 1));
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(errors[0].contains(expected), "{errors:#?}");
}

/// The errors of a manifest as an operator reads them.
pub(super) fn errors(text: &str) -> Vec<String> {
    let error = Manifest::parse(text.as_bytes()).unwrap_err();
    error.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn valid_manifest_is_parsed() {
    let manifest = Manifest::parse(guests::manifest("guest").as_bytes()).unwrap();
    assert_eq!(manifest.id, "guest");
    assert_eq!(manifest.kinds[0].kind, MediaKind::music());
    assert_eq!(manifest.permissions["source"], "Reads the file");
    assert_eq!(manifest.limits.seconds_per_file, Some(0.2));
}

#[test]
fn unknown_key_is_rejected_with_the_known_ones() {
    refused(
        "[limits]",
        "[limits]\nfree = true",
        "`limits.free` is not a key of a manifest",
    );
    refused(
        "[limits]",
        "[limits]\nfree = true",
        "`memory-mib`, `seconds-per-file`, `read-mib`",
    );
    refused(
        "version",
        "trusted = true\nversion",
        "`trusted` is not a key of a manifest",
    );
}

#[test]
fn unknown_permission_is_rejected_with_the_known_ones() {
    let expected =
        "`permissions.network` is not a permission: there are `source`, `related`, `settings`, `log`";
    refused(
        "[permissions]",
        "[permissions]\nnetwork = \"Fetches covers\"",
        expected,
    );
}

#[test]
fn invalid_values_are_rejected_by_key() {
    for id in ["../../etc", "Guest", "g", "svc.music", "a b", &"a".repeat(41)] {
        refused("\"guest\"", &format!("{id:?}"), "`id` is \"");
    }
    refused("1.0.0", "1.0", "`version` is \"1.0\": expected three numbers");
    refused("Guest guest", "a\\nb", "`name` is \"a\\nb\"");
    refused(
        "kind = \"music\"",
        "kind = \"Music!\"",
        "`kinds[0].kind` is \"Music!\"",
    );
    refused(
        "\"guest\", ",
        "\"../x\", ",
        "`kinds[0].extensions[0]` is \"../x\"",
    );
    refused(
        "\"guest\", ",
        "\"shared\", ",
        "`kinds[0].extensions[1]` is listed twice",
    );
    refused(
        "Reads the file",
        "",
        "`permissions.source` is \"\": expected the reason",
    );
    refused("0.2", "-1.0", "`limits.seconds-per-file` is -1.0");
    refused("0.2", "nan", "`limits.seconds-per-file` is nan");
    refused(
        "memory-mib = 64",
        "memory-mib = -1",
        "expected a whole number of 1 or more",
    );
    refused(
        "memory-mib = 64",
        "memory-mib = \"64\"",
        "expected a whole number of 1 or more",
    );
    refused("id = \"guest\"", "", "line 1, column 1: `id` is missing");
}

#[test]
fn all_errors_are_reported_with_line_and_column() {
    let text = "id = \"G\"\nname = \"Guest\"\nversion = 1\ninterface = \"0.1\"\n\n[[kinds]]\nkind = \"music\"\n\
                extensions = [\"a\",\n  \"Ä.b\"]\ncolour = 1\n[permissions]\nnetwork = \"x\"\nlog = 1\n";
    let places: Vec<String> = errors(text)
        .into_iter()
        .map(|error| error.split("` ").next().unwrap().to_owned())
        .collect();
    assert_eq!(
        places,
        [
            "line 1, column 6: `id",
            "line 3, column 11: `version",
            "line 9, column 3: `kinds[0].extensions[1]",
            "line 10, column 1: `kinds[0].colour",
            "line 12, column 1: `permissions.network",
            "line 13, column 1: `permissions.log",
        ]
    );
    let syntax = errors("id = \nname = \"a\"\nversion == 1\n");
    let at = |place: &str| syntax.iter().any(|error| error.starts_with(place));
    assert!(
        at("line 1, column 6: ") && at("line 3, column 10: "),
        "all errors of the syntax: {syntax:?}"
    );
}

#[test]
fn hostile_manifests_are_rejected_quickly_with_a_short_message() {
    let started = std::time::Instant::now();
    let keys: String = (0..4_000).map(|number| format!("k{number} = 1\n")).collect();
    let message = Manifest::parse(keys.as_bytes()).unwrap_err().to_string();
    assert!(
        message.len() < 10_000 && message.contains("more"),
        "{}",
        message.len()
    );
    for hostile in [
        format!("a = {}", "[".repeat(60_000)),
        "[a.".repeat(20_000),
        format!("a.{}b = 1", "b.".repeat(30_000)),
        format!("id = \"{}\"", "x".repeat(60_000)),
        format!("[settings]\n{}", "s = 1\n".repeat(8_000)),
    ] {
        let message = Manifest::parse(hostile.as_bytes()).unwrap_err().to_string();
        assert!(message.len() < 20_000, "{}", &hostile[..20]);
    }
    let passed = started.elapsed();
    assert!(passed < std::time::Duration::from_secs(10), "{passed:?}");
}

#[test]
fn missing_duplicate_oversized_or_binary_manifest_is_rejected() {
    let component = guests::component(&guests::body("good"));
    let reason = |bytes: Vec<u8>| match inspect::inspect(&bytes) {
        Ok(inspection) => Manifest::parse(inspection.manifest).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(reason(component.clone()).contains("no manifest"));
    let once = guests::with_manifest(component.clone(), &guests::manifest("guest"));
    assert!(reason(guests::with_manifest(once, &guests::manifest("guest"))).contains("more than one"));
    assert!(reason(guests::with_manifest(component, &"#".repeat(100_000))).contains("100000 bytes"));
    assert!(
        Manifest::parse(b"\xff\xfe")
            .unwrap_err()
            .to_string()
            .contains("UTF-8")
    );
}

#[test]
fn plugin_without_kinds_declares_what_it_renders_or_analyzes() {
    let text = guests::manifest("guest");
    let (start, rest) = text.split_once("[[kinds]]").unwrap();
    let (_, rest) = rest.split_once("[permissions]").unwrap();
    let with = |table: &str| Manifest::parse(format!("{start}{table}[permissions]{rest}").as_bytes());
    assert!(
        with("")
            .unwrap_err()
            .to_string()
            .contains("has neither `[[kinds]]`")
    );
    let thumbnailer = "[thumbnailer]\nextensions = [\"jpg\"]\nmedia-types = [\"image/jpeg\"]\n[thumbnailer.limits]\nmemory-mib = 4000\n";
    let manifest = with(thumbnailer).unwrap();
    let caps = LimitCaps::default();
    let limits = AbilityLimits::granted(&manifest, &caps);
    assert_eq!(limits.render.memory, caps.render.max_memory);
    assert_eq!(limits.analyze.time, caps.analyze.default_time);
    let listed = limits.listed(&manifest, false);
    assert_eq!(listed.len(), 1, "only what it has: {listed:?}");
    assert_eq!(
        (
            listed[0].ability,
            listed[0].requested.memory_mib,
            listed[0].memory
        ),
        ("thumbnailer", Some(4000), caps.render.max_memory)
    );
    let wrong = |from: &str, to: &str| with(&thumbnailer.replace(from, to)).unwrap_err().to_string();
    assert!(wrong("image/jpeg", "image").contains("`thumbnailer.media-types[0]` is \"image\""));
    assert!(wrong("\"jpg\"", "\"../x\"").contains("`thumbnailer.extensions[0]` is"));
    assert!(wrong("4000", "0").contains("`thumbnailer.limits.memory-mib` is 0"));
    assert!(
        wrong("[thumbnailer.limits]", "[thumbnailer.limit]").contains("`thumbnailer.limit` is not a key")
    );
}

#[test]
fn limits_are_capped_by_the_host() {
    let text = guests::manifest("guest")
        .replace("memory-mib = 64", "memory-mib = 4000")
        .replace("0.2", "1e9");
    let manifest = Manifest::parse(text.as_bytes()).unwrap();
    let caps = LimitCaps::default();
    let limits = AbilityLimits::granted(&manifest, &caps).extract;
    assert_eq!(
        (limits.memory, limits.time),
        (caps.extract.max_memory, caps.extract.max_time)
    );
    assert_eq!(limits.read_bytes, 8 << 20);
}

#[test]
fn settings_have_types_defaults_and_bounds() {
    let settings = r#"
[settings.language]
type = "text"
label = { en = "Language", de = "Sprache" }
default = "en"
enum = ["en", "de"]
[settings.max-pages]
type = "integer"
label = { en = "Pages" }
default = 100
min = 1
max = 1000
[settings.fast]
type = "boolean"
label = { en = "Fast" }
default = false
"#;
    let with = |from: &str, to: &str| {
        assert!(settings.contains(from));
        guests::manifest("guest") + &settings.replacen(from, to, 1)
    };
    let manifest = Manifest::parse(with("text", "text").as_bytes()).unwrap();
    let keys: Vec<&str> = manifest
        .settings
        .iter()
        .map(|setting| setting.key.as_str())
        .collect();
    assert_eq!(
        keys,
        ["language", "max-pages", "fast"],
        "in the order of the manifest"
    );
    let pages = &manifest.settings[1];
    assert_eq!(
        (pages.setting_type.as_str(), &pages.default),
        ("integer", &SettingValue::Integer(100))
    );
    assert_eq!(pages.objection(&SettingValue::Integer(0)).unwrap(), "is below 1");
    assert_eq!(pages.objection(&SettingValue::Integer(1000)), None);
    for (from, to, expected) in [
        (
            "\"text\"",
            "\"string\"",
            "`settings.language.type` is \"string\": expected one of text, integer",
        ),
        (
            "default = \"en\"",
            "default = 1",
            "expected a value of the setting's type",
        ),
        (
            "default = \"en\"",
            "default = \"fr\"",
            "`settings.language.default` is not one of `enum`",
        ),
        (
            "default = 100",
            "default = 5000",
            "`settings.max-pages.default` is above 1000",
        ),
        ("min = 1\n", "min = 2000\n", "has a `min` above its `max`"),
        ("default = false\n", "", "`settings.fast.default` is missing"),
        (
            "settings.fast",
            "settings.Fast",
            "`settings.Fast` is not the name of a setting",
        ),
        (
            "{ en = \"Fast\" }",
            "{ de = \"Schnell\" }",
            "`settings.fast.label.en` is missing",
        ),
        (
            "default = false",
            "default = false\nmin = 1",
            "a number, for a setting that is not a boolean",
        ),
    ] {
        let errors = errors(&with(from, to));
        assert!(errors[0].contains(expected), "{to}: {errors:#?}");
    }
    let many: String = (0..33)
        .map(|number| format!("[settings.s{number}]\ntype = \"boolean\"\nlabel.en = \"S\"\ndefault = true\n"))
        .collect();
    assert!(errors(&(guests::manifest("guest") + &many))[0].contains("has 33 settings: at most 32"));
}
