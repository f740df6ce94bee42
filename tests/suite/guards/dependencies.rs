//! The server links no parser of media: all of that is guest code.

use std::process::Command;

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

#[test]
fn host_tree_holds_no_media_parser() {
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
    let crates: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.len() > 100, "cargo tree printed {} lines", crates.len());
    let parsers: Vec<&&str> = crates
        .iter()
        .filter(|name| PARSERS.iter().any(|parser| is_or_belongs_to(name, parser)))
        .collect();
    assert!(parsers.is_empty(), "the host links {parsers:?}");
}

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
