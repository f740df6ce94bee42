//! Runs the shell commands of `docs/clients.md` against the real program, on both databases.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use svc_tests::postgres::Schema;
use svc_tests::program::{PASSWORD, Server};

const KINDS: [&str; 4] = ["music", "photos", "movies", "tv"];

/// The commands of a page's `sh` blocks, in order.
fn commands(page: &str) -> String {
    let mut commands = String::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside => {
                commands.push_str(line);
                commands.push('\n');
            }
            _ => {}
        }
    }
    commands
}

/// Writes the sample library and returns its four media directories.
fn sample_roots(dir: &Path) -> [PathBuf; 4] {
    let media = dir.join("media");
    svc_fixtures::sample_library(&media, 7).unwrap();
    KINDS.map(|kind| media.join(kind))
}

/// The four media directories of media files from elsewhere, if present. Copies of movies serve as episodes.
fn foreign_roots(dir: &Path) -> Option<[PathBuf; 4]> {
    let media = svc_tests::foreign_media()?;
    let season = dir.join("tv/Real Show/Season 01");
    std::fs::create_dir_all(&season).unwrap();
    for (at, file) in ["exiv2/small_video.mp4", "go-mkvparse/example.mkv"]
        .iter()
        .enumerate()
    {
        let name = format!("Real Show S01E0{}.{}", at + 1, &file[file.len() - 3..]);
        std::fs::copy(media.join("video").join(file), season.join(name)).unwrap();
    }
    let [music, photos, movies] = ["music", "photos", "video"].map(|name| media.join(name));
    Some([music, photos, movies, dir.join("tv")])
}

/// Starts a server on these media directories and runs the commands in one shell.
fn run_commands(dir: &Path, roots: &[PathBuf; 4], database: Option<&str>) {
    let options: Vec<String> = KINDS.iter().map(|kind| format!("--{kind}-dir")).collect();
    let mut arguments: Vec<&str> = Vec::new();
    for (option, root) in options.iter().zip(roots) {
        arguments.extend([option.as_str(), root.to_str().unwrap()]);
    }
    if let Some(url) = database {
        arguments.extend(["--database-url", url]);
    }
    let server = Server::start_as_owner(&dir.join("data"), &arguments);
    let run = server.index("quick");
    assert_eq!(run["status"], "completed", "{run}");

    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/clients.md");
    let script = commands(&std::fs::read_to_string(page).unwrap());
    assert!(script.contains("auth/login") && script.contains("auth/logout"));
    let output = Command::new("bash")
        .args(["-euxo", "pipefail", "-c", &script])
        .env("BASE", format!("http://{}", server.address()))
        .env("SVC_USER", "owner")
        .env("SVC_PASSWORD", PASSWORD)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = said.lines().rev().take(12).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    assert!(output.status.success(), "{}", last.join("\n"));
    assert!(server.stop().success());
}

/// Calls [`run_commands`] in a temporary directory, unless `roots` has no media.
fn run_in_new_directory(roots: impl Fn(&Path) -> Option<[PathBuf; 4]>, database: Option<&str>) {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().canonicalize().unwrap();
    if let Some(roots) = roots(&place) {
        run_commands(&place, &roots, database);
    }
}

#[test]
fn client_guide_commands_succeed() {
    run_in_new_directory(|dir| Some(sample_roots(dir)), None);
}

#[test]
fn client_guide_commands_succeed_on_postgresql() {
    let Some(schema) = Schema::create() else {
        return;
    };
    run_in_new_directory(|dir| Some(sample_roots(dir)), Some(&schema.url));
}

#[test]
fn client_guide_commands_succeed_on_foreign_files() {
    run_in_new_directory(foreign_roots, None);
}

#[test]
fn client_guide_commands_succeed_on_foreign_files_and_postgresql() {
    let Some(schema) = Schema::create() else {
        return;
    };
    run_in_new_directory(foreign_roots, Some(&schema.url));
}
