//! Tests of the options.

use super::*;
use clap::Parser;
use svc_covers::covers;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    media: MediaOptions,
    #[command(flatten)]
    server: ServerOptions,
    #[command(flatten)]
    cloud: CloudOptions,
}

fn load(arguments: &[&str]) -> Result<Config, ConfigError> {
    let arguments = Arguments::parse_from(std::iter::once("svc").chain(arguments.iter().copied()));
    Config::load(arguments.media, arguments.server, Some(arguments.cloud))
}

#[test]
fn flags_win_over_the_file_and_the_file_over_defaults() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("svc.toml");
    let data = dir.path().join("data");
    std::fs::write(
        &config,
        "listen = \"127.0.0.1:1\"\nkiosk = true\nrelease-channel = \"beta\"\ntrusted-proxies = [\"::1\"]\n\
         base-url = \"https://file.example\"\nthumbnail-cache-mib = 5\n",
    )
    .unwrap();
    let flags = [
        "--data-dir",
        data.to_str().unwrap(),
        "--config",
        config.to_str().unwrap(),
    ];
    let loaded = load(&flags).unwrap();
    assert_eq!(loaded.listen.port(), 1);
    assert!(loaded.kiosk && !loaded.dev);
    assert_eq!(loaded.thumbnail_cache_mib, 5);
    assert_eq!(loaded.trusted_proxies, ["::1/128".parse().unwrap()]);
    assert_eq!(loaded.base_url.unwrap().as_str(), "https://file.example/");
    let network = [
        "--trusted-proxy",
        "10.0.0.0/8,127.0.0.1",
        "--base-url",
        "https://flag.example",
    ];
    let loaded = load(&[&flags[..], &network].concat()).unwrap();
    assert_eq!(loaded.trusted_proxies.len(), 2);
    assert_eq!(loaded.base_url.unwrap().as_str(), "https://flag.example/");
    let loaded = load(&[&flags[..], &["--listen", "127.0.0.1:2"]].concat()).unwrap();
    assert_eq!(
        (loaded.listen.port(), loaded.release_channel),
        (2, ReleaseChannel::Beta)
    );
    assert!(loaded.database_url.starts_with("sqlite:/"));
}

#[test]
fn roots_of_any_kind_are_given_by_flag_and_file() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).display().to_string();
    for name in ["a", "b", "c", "books", "songs"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    let config = format!(
        "[roots]\ncomics = {:?}\naudiobooks = [{:?}, {:?}]\n",
        at("c"),
        at("books"),
        at("a")
    );
    std::fs::write(at("svc.toml"), config).unwrap();
    let both = format!("comics={}:comics={}", at("a"), at("b"));
    let songs = format!("music={}", at("songs"));
    let arguments = [
        "--data-dir",
        &at("data"),
        "--config",
        &at("svc.toml"),
        "--root",
        &both,
        "--root",
        &songs,
    ];
    let loaded = load(&arguments).unwrap();
    let roots: Vec<(String, String)> = loaded
        .media
        .iter()
        .map(|(kind, path)| {
            (
                kind.to_string(),
                path.file_name().unwrap().to_string_lossy().into_owned(),
            )
        })
        .collect();
    let expected = [
        ("music", "songs"),
        ("audiobooks", "books"),
        ("audiobooks", "a"),
        ("comics", "a"),
        ("comics", "b"),
    ];
    assert_eq!(
        roots,
        expected.map(|(kind, path)| (kind.to_owned(), path.to_owned()))
    );
}

#[covers("T46", "A9", "S9")]
#[test]
fn unusable_options_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().to_str().unwrap();
    std::fs::create_dir_all(dir.path().join("music/inner")).unwrap();
    std::fs::write(dir.path().join("bad.toml"), "musicdir = 1").unwrap();
    let message = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|text| text.replace("BASE", base)).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        load(&[&["--data-dir", &format!("{base}/data")], &arguments[..]].concat())
            .unwrap_err()
            .to_string()
    };
    assert!(message(&["--music-dir", "BASE/none"]).contains("music directory"));
    assert!(message(&["--music-dir", "BASE/music", "--music-dir", "BASE/music/inner"]).contains("overlap"));
    assert!(message(&["--root", "comics=BASE/none"]).contains("comics directory"));
    assert!(message(&["--music-dir", "BASE/music", "--root", "music=BASE/music"]).contains("overlap"));
    std::fs::write(dir.path().join("roots.toml"), "[roots]\nComics = \"/a\"\n").unwrap();
    assert!(message(&["--config", "BASE/roots.toml"]).contains("media kind"));
    std::fs::write(dir.path().join("roots.toml"), "[roots]\ncomics = 1\n").unwrap();
    assert!(message(&["--config", "BASE/roots.toml"]).contains("a directory, or a list of directories"));
    assert!(message(&["--config", "BASE/bad.toml"]).contains("musicdir"));
    assert!(message(&["--config", "BASE/none.toml"]).contains("none.toml"));
    assert!(message(&["--database-url", "mysql://x"]).contains("sqlite:"));
    assert!(message(&["--plugin-dir", "BASE/none"]).contains("plugin directory"));
    assert!(message(&["--trusted-proxy", "10.0.0.0/40"]).contains("10.0.0.0/40"));
    assert!(message(&["--base-url", "ftp://x"]).contains("ftp://x"));
    std::fs::write(dir.path().join("empty.toml"), "setup-token = \"\"").unwrap();
    for empty in [
        &["--setup-token", ""][..],
        &["--setup-token", "  "],
        &["--config", "BASE/empty.toml"],
    ] {
        assert!(message(empty).contains("setup token"), "{empty:?}");
    }
    assert_eq!(
        message(&["--release-channel", "nightly"]),
        "release channel `nightly` does not exist; there are stable, beta, dev"
    );
}
