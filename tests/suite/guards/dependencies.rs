//! The server links no media parser: media is parsed in guests only.

use std::process::Command;

use svc_covers::covers;
use svc_tests::workspace;

/// Crates that parse media, sidecars or markup, by the names of their families.
const PARSERS: [&str; 34] = [
    "lofty",
    "kamadak-exif",
    "exif",
    "rexif",
    "little_exif",
    "image",
    "png",
    "jpeg-decoder",
    "zune-",
    "webp",
    "tiff",
    "gif",
    "avif",
    "libheif",
    "symphonia",
    "minimp3",
    "mp3-",
    "claxon",
    "hound",
    "ogg",
    "opus",
    "vorbis",
    "lewton",
    "mp4",
    "mp4parse",
    "matroska",
    "ebml",
    "mkv",
    "quick-xml",
    "xml",
    "roxmltree",
    "xmltree",
    "id3",
    "metaflac",
];

/// The crate itself, or one of its family: `image` and `image-webp`, but not `webpki-roots` for `webp`.
fn is_or_belongs_to(name: &str, parser: &str) -> bool {
    let rest = name.strip_prefix(parser.trim_end_matches('-'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// The names of all crates that the server is linked from.
fn host_tree() -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--package",
            "svc-host",
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--locked",
        ])
        .current_dir(workspace())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let tree = String::from_utf8(output.stdout).unwrap();
    let crates = tree.lines().filter_map(|line| line.split(' ').next());
    let crates: Vec<String> = crates.map(str::to_owned).collect();
    assert!(crates.len() > 100, "cargo tree printed {} lines", crates.len());
    crates
}

#[covers("T37")]
#[test]
fn host_tree_holds_no_media_parser() {
    let crates = host_tree();
    let parsers: Vec<&String> = crates
        .iter()
        .filter(|name| PARSERS.iter().any(|parser| is_or_belongs_to(name, parser)))
        .collect();
    assert!(parsers.is_empty(), "the host links {parsers:?}");
}

/// Crates with unfixed vulnerabilities, and a second TLS.
const UNSAFE: [&str; 4] = ["rsa", "sqlx-mysql", "openssl-sys", "native-tls"];

#[covers("T54")]
#[test]
fn server_links_no_crate_with_unfixed_vulnerabilities() {
    let tree = host_tree();
    let found: Vec<&String> = tree
        .iter()
        .filter(|name| UNSAFE.contains(&name.as_str()))
        .collect();
    assert!(found.is_empty(), "the host links {found:?}");
}

#[covers("T54")]
#[test]
fn every_crate_is_of_the_registry_or_of_this_project_and_none_is_excused() {
    for lock in ["Cargo.lock", "plugins/Cargo.lock"] {
        let lock = std::fs::read_to_string(workspace().join(lock)).unwrap();
        for entry in lock.split("[[package]]").skip(1) {
            let source = entry.lines().find_map(|line| line.strip_prefix("source = "));
            let Some(source) = source else { continue };
            assert_eq!(
                source, "\"registry+https://github.com/rust-lang/crates.io-index\"",
                "{entry}"
            );
            assert!(entry.contains("checksum = "), "{entry}");
        }
    }
    let rules = std::fs::read_to_string(workspace().join("deny.toml")).unwrap();
    let rules: toml::Table = rules.parse().unwrap();
    assert_eq!(rules["advisories"]["yanked"].as_str(), Some("deny"));
    assert!(
        rules["advisories"].get("ignore").is_none(),
        "an advisory is excused"
    );
    for origin in ["unknown-registry", "unknown-git"] {
        assert_eq!(rules["sources"][origin].as_str(), Some("deny"));
    }
}

/// Features of the web framework: no static files, proxy or templates.
const FRAMEWORK: [&str; 4] = ["server", "http1", "http2-cleartext", "oapi"];

#[covers("T53")]
#[test]
fn salvo_is_built_without_the_parts_that_had_vulnerabilities() {
    let manifest = std::fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let salvo = &manifest["workspace"]["dependencies"]["salvo"];
    assert_eq!(salvo["default-features"].as_bool(), Some(false));
    let features = salvo["features"].as_array().unwrap().iter();
    let features: Vec<&str> = features.map(|feature| feature.as_str().unwrap()).collect();
    assert_eq!(features, FRAMEWORK);
    let tree = host_tree();
    for part in ["salvo-serve-static", "salvo-proxy", "salvo_extra"] {
        assert!(!tree.iter().any(|name| name == part), "{part}");
    }
}

#[covers("T40")]
#[test]
fn stand_in_for_the_xml_library_of_salvo_is_the_one_linked() {
    let lock = std::fs::read_to_string(workspace().join("Cargo.lock")).unwrap();
    let entry = lock
        .split("[[package]]")
        .find(|entry| entry.contains("name = \"serde-xml-rs\""))
        .unwrap();
    assert!(
        !entry.contains("source ="),
        "the real serde-xml-rs is linked: {entry}"
    );
}
