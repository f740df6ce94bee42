//! Tests of invalid manifests.

use crate::tests::*;

#[track_caller]
fn refused(from: &str, to: &str, expected: &str) {
    let text = guests::manifest("guest");
    assert!(text.contains(from));
    let error = Manifest::parse(text.replacen(from, to, 1).as_bytes())
        .unwrap_err()
        .to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn valid_manifest_is_parsed() {
    let manifest = Manifest::parse(guests::manifest("guest").as_bytes()).unwrap();
    assert_eq!(manifest.id, "guest");
    assert_eq!(manifest.kinds[0].kind, MediaKind::music());
    assert_eq!(manifest.permissions["source"], "Reads the file");
}

#[test]
fn unknown_field_is_rejected() {
    refused("[limits]", "[limits]\nfree = true", "unknown field `free`");
    refused("version", "trusted = true\nversion", "unknown field `trusted`");
}

#[test]
fn invalid_values_are_rejected_by_field() {
    for id in ["../../etc", "Guest", "g", "svc.music", "a b", &"a".repeat(41)] {
        refused("\"guest\"", &format!("{id:?}"), "invalid `id`");
    }
    refused("1.0.0", "1.0", "invalid `version`");
    refused("Guest guest", "a\\nb", "invalid `name`");
    refused("kind = \"music\"", "kind = \"Music!\"", "not a media kind");
    refused("\"guest\", ", "\"../x\", ", "invalid `extensions`");
    refused("Reads the file", "", "invalid `permissions`");
    refused("0.2", "-1.0", "invalid `limits`");
    refused("0.2", "nan", "invalid `limits`");
    refused("memory-mib = 64", "memory-mib = -1", "cannot be read");
    refused("id = \"guest\"", "", "missing field `id`");
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
    assert!(with("").unwrap_err().to_string().contains("invalid `kinds`"));
    let thumbnailer = "[thumbnailer]\nextensions = [\"jpg\"]\nmedia-types = [\"image/jpeg\"]\n[thumbnailer.limits]\nmemory-mib = 4000\n";
    let manifest = with(thumbnailer).unwrap();
    let caps = LimitCaps::default();
    let limits = limits::AbilityLimits::granted(&manifest, &caps);
    assert_eq!(limits.render.memory, caps.render.max_memory);
    assert_eq!(limits.measure.time, caps.measure.default_time);
    let wrong = |from: &str, to: &str| with(&thumbnailer.replace(from, to)).unwrap_err().to_string();
    assert!(wrong("image/jpeg", "image").contains("invalid `media-types`"));
    assert!(wrong("\"jpg\"", "\"../x\"").contains("invalid `extensions`"));
    assert!(wrong("4000", "0").contains("invalid `limits`"));
    assert!(wrong("[thumbnailer.limits]", "[thumbnailer.limit]").contains("unknown field"));
}

#[test]
fn limits_are_capped_by_the_host() {
    let text = guests::manifest("guest")
        .replace("memory-mib = 64", "memory-mib = 4000")
        .replace("0.2", "1e9");
    let manifest = Manifest::parse(text.as_bytes()).unwrap();
    let caps = LimitCaps::default();
    let limits = limits::AbilityLimits::granted(&manifest, &caps).extract;
    assert_eq!(
        (limits.memory, limits.time),
        (caps.extract.max_memory, caps.extract.max_time)
    );
    assert_eq!(limits.read_bytes, 8 << 20);
}
