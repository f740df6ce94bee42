//! Roots and paths that `GET /ls` rejects.

use std::fs;

use svc_covers::covers;

use super::{library, ls, refused};

#[tokio::test]
async fn root_must_be_a_configured_kind() {
    let (server, token) = library().await;
    for query in [
        "",
        "rootDir=",
        "rootDir=photos",
        "rootDir=tv",
        "rootDir=Music",
        "rootDir=%2Fetc",
        "rootDir=..",
    ] {
        assert_eq!(refused(&server, &token, query).await, "rootDir", "{query}");
    }
    fs::rename(&server.root, server.directory.path().join("moved")).unwrap();
    assert_eq!(refused(&server, &token, "rootDir=music").await, "rootDir");
    assert_eq!(
        refused(&server, &token, "rootDir=music&path=Album").await,
        "rootDir"
    );
}

#[covers("R43", "T35")]
#[tokio::test]
async fn no_path_leads_out_of_the_root() {
    let (server, token) = library().await;
    let long = "x".repeat(4000);
    let deep = "Album%2F".repeat(500) + "..";
    let paths = [
        "..",
        ".",
        "../",
        "../secret",
        "Album/..",
        "Album/../..",
        "Album/./1.mp3",
        "Album/../../secret",
        "%2e%2e",
        "%2e%2e%2fsecret",
        "..%2f..%2fetc",
        "%252e%252e",
        "%252e%252e%252fsecret",
        "..%5c",
        "..%5c..%5csecret",
        "Album%5c..%5c..",
        "....//",
        "..;/",
        "..%00/",
        "%2e%2e%00",
        "Album%00",
        "Album%00.mp3",
        "/",
        "/etc",
        "//etc",
        "%2fetc%2fpasswd",
        "/proc/self/root",
        "proc/self/root",
        "C:",
        "C:%5cWindows",
        "c:/windows",
        "%5c%5chost%5cshare",
        "//host/share",
        "file:///etc",
        "~",
        "~root",
        "$HOME",
        "%c0%ae%c0%ae",
        "%c0%ae%c0%ae%c0%afsecret",
        "%e0%80%ae%e0%80%ae",
        "%ff%fe",
        "%ef%9c%ae%ef%9c%ae",
        "Album%ef%9c%af..",
        "%ef%9c%af",
        "Album/",
        "Album//",
        "/Album",
        "Album/1.mp3",
        "None",
        "album",
        ".git",
        "Album/.hidden",
        "@eaDir",
        "Up",
        "Up/music",
        "Up/secret",
        "Far",
        "Far/etc",
        "Secret",
        "%20",
        "Album%20",
        "*",
        "Album%0a",
        &long,
        &deep,
    ];
    let mut explained = 0;
    for path in paths {
        // `/index/file` opens no file outside of the root either.
        let target = format!("/api/v1/index/file?rootDir=music&relativePath={path}");
        let reply = token.get(&target).await;
        if reply.status == 200 {
            explained += 1;
            let report = reply.json();
            let is_the_song = path == "Album/1.mp3";
            assert_eq!(report["now"]["size"].is_u64(), is_the_song, "{path:.80} {report}");
        } else {
            assert_eq!(reply.status, 400, "{path:.80}");
        }
        let path_error = refused(&server, &token, &format!("rootDir=music&path={path}")).await;
        assert_eq!(path_error, "path", "{path:.80}");
    }
    assert!(explained > 1, "unknown names are reported");
    assert_eq!(
        refused(&server, &token, "rootDir=music&path=Album&path=Album").await,
        "path"
    );
    let listing = ls(&token, "rootDir=music&path=").await;
    assert_eq!(listing.status, 200);
}
