//! Damaged files end as an error or a plausible record, within the limits of the plugin.

use std::path::{Path, PathBuf};

use svc_domain::extraction::ExtractFailure;
use svc_tests::sandbox::Sandbox;

use svc_tests::foreign_media;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn broken_files_end_as_errors_or_sensible_records() {
    let Some(folder) = foreign_media() else { return };
    let mut broken = Vec::new();
    files(&folder.join("broken"), &mut broken);
    broken.sort();
    assert!(!broken.is_empty());
    // Every file through each plugin, by a copy with a suitable extension.
    let scratch = tempfile::tempdir().unwrap();
    for (plugin, extensions) in [
        ("music", ["mp3", "flac", "ogg", "m4a"]),
        ("photos", ["jpg", "heic", "png", "tiff"]),
        ("movies", ["mp4", "mkv", "avi", "ts"]),
    ] {
        let mut sandbox = Sandbox::new(plugin);
        for path in &broken {
            let own = path
                .extension()
                .map(|extension| extension.to_string_lossy().into_owned());
            for extension in own.iter().map(String::as_str).chain(extensions) {
                let copy = scratch.path().join(format!("file.{extension}"));
                std::fs::copy(path, &copy).unwrap();
                match sandbox.extract(&copy) {
                    None => {}
                    Some(Ok(extraction)) => {
                        let duration = extraction
                            .and_then(|extraction| extraction.duration_ms)
                            .unwrap_or(0);
                        assert!(
                            duration < 1000 * 3600 * 1000,
                            "{} as {extension}: {duration} ms",
                            path.display()
                        );
                    }
                    Some(Err(failure)) => assert!(
                        !failure.blames_plugin() && !matches!(failure, ExtractFailure::Io(_)),
                        "{} as {extension} in {plugin}: {failure}",
                        path.display()
                    ),
                }
            }
        }
    }
}

#[test]
fn broken_sounds_end_as_errors_or_sensible_waveforms() {
    let Some(folder) = foreign_media() else { return };
    let mut broken = Vec::new();
    files(&folder.join("broken"), &mut broken);
    broken.sort();
    assert!(!broken.is_empty());
    let scratch = tempfile::tempdir().unwrap();
    // The plugin detects the type by content.
    let copy = scratch.path().join("file.mp3");
    let mut sandbox = Sandbox::new("waveforms");
    for path in &broken {
        std::fs::copy(path, &copy).unwrap();
        match sandbox.measure(&copy, 64).unwrap() {
            Ok(summary) => assert!(
                summary.frames > 0 && summary.peak.len() == 64,
                "{}",
                path.display()
            ),
            Err(failure) => assert!(
                !failure.blames_plugin() && !matches!(failure, ExtractFailure::Io(_)),
                "{}: {failure}",
                path.display()
            ),
        }
    }
}
