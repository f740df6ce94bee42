//! Listing directories of media.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_covers::covers;

use crate::roles::allowed_to;
use crate::{Reply, TestServer};
use svc_domain::kind::MediaKind;
use svc_identity::capability::Capability;

async fn ls(server: &TestServer, token: &str, query: &str) -> Reply {
    server.get_as(token, &format!("/api/v1/ls?{query}")).await
}

/// The path of the query's only error.
async fn refused(server: &TestServer, token: &str, query: &str) -> String {
    let reply = ls(server, token, query).await;
    assert_eq!(reply.status, 400, "{query:.80}");
    let problem = reply.json();
    let root = server.directory.path().to_str().unwrap();
    assert!(
        !problem.to_string().contains(root),
        "tells where the root is: {problem}"
    );
    assert_eq!(problem["errors"].as_array().unwrap().len(), 1, "{problem}");
    problem["errors"][0]["path"].as_str().unwrap().to_owned()
}

fn node<'a>(listing: &'a Value, name: &str) -> &'a Value {
    let nodes = listing["nodes"].as_array().unwrap();
    let found = nodes.iter().find(|node| node["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {listing}"))
}

/// A library of one album with two tracks, of which one is indexed, and what lies around it.
async fn library() -> (TestServer, String) {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let album = server.folder(MediaKind::music()).await;
    server.track(album, "1.mp3", "One", b"0123456789").await;
    fs::write(server.root.join("Album/2.mp3"), "new").unwrap();
    fs::create_dir(server.root.join("Empty")).unwrap();
    fs::write(server.directory.path().join("secret"), "outside").unwrap();
    symlink("Album", server.root.join("Link")).unwrap();
    symlink("..", server.root.join("Up")).unwrap();
    symlink("/proc/self/root", server.root.join("Far")).unwrap();
    symlink("../secret", server.root.join("Secret")).unwrap();
    symlink(".", server.root.join("Loop")).unwrap();
    (server, token)
}

#[covers("GET /api/v1/ls")]
#[tokio::test]
async fn directory_is_listed_relative_to_its_root() {
    let (server, token) = library().await;
    let reply = ls(&server, &token, "rootDir=music").await;
    let root = reply.json();
    assert_eq!(
        (reply.status, &root["rootDir"], &root["path"]),
        (200, &json!("music"), &json!(""))
    );
    let names: Vec<_> = root["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| &node["name"])
        .collect();
    assert_eq!(names, ["Album", "Empty", "Link"]);
    let album = node(&root, "Album");
    assert_eq!(
        (
            &album["path"],
            &album["type"],
            &album["hasChildren"],
            &album["children"]
        ),
        (&json!("Album"), &json!("directory"), &json!(true), &json!([]))
    );
    assert!(album["modifiedAt"].as_str().unwrap().ends_with('Z'));
    assert!(album.get("size").is_none() && album.get("indexed").is_none());
    assert_eq!(node(&root, "Empty")["hasChildren"], false);

    for path in ["Album", "Link"] {
        let album = ls(&server, &token, &format!("rootDir=music&path={path}"))
            .await
            .json();
        assert_eq!(album["path"], path);
        let track = node(&album, "1.mp3");
        assert_eq!(
            (
                &track["path"],
                &track["type"],
                &track["size"],
                &track["hasChildren"]
            ),
            (
                &json!(format!("{path}/1.mp3")),
                &json!("file"),
                &json!(10),
                &json!(false)
            )
        );
        assert_eq!(track["indexed"], path == "Album");
        assert_eq!(node(&album, "2.mp3")["indexed"], false);
        assert!(track.get("children").is_none());
        let host_path = server.directory.path().to_str().unwrap();
        assert!(!album.to_string().contains(host_path), "{album}");
    }
}

#[covers("R42")]
#[tokio::test]
async fn flags_choose_what_is_shown() {
    let (server, token) = library().await;
    fs::create_dir_all(server.root.join("Nested/Below")).unwrap();
    let children = async |flags: &str, name: &str| {
        let listing = ls(&server, &token, &format!("rootDir=music&{flags}"))
            .await
            .json();
        let node = node(&listing, name);
        (
            node["hasChildren"].as_bool().unwrap(),
            node.get("children").is_some(),
        )
    };
    for (flags, album, nested, empty) in [
        ("", (true, true), (true, true), (false, true)),
        ("addEmptyNodes=1", (true, true), (true, true), (false, true)),
        ("addEmptyNodes=false", (true, true), (true, true), (false, false)),
        (
            "addEmptyNodes=0&removeFileNodes=true",
            (false, false),
            (true, true),
            (false, false),
        ),
        ("removeFileNodes=1", (false, true), (true, true), (false, true)),
    ] {
        assert_eq!(children(flags, "Album").await, album, "{flags}");
        assert_eq!(children(flags, "Nested").await, nested, "{flags}");
        assert_eq!(children(flags, "Empty").await, empty, "{flags}");
    }
    let album = |flags: &'static str| ls(&server, &token, flags);
    let listing = album("rootDir=music&path=Album&removeFileNodes=true")
        .await
        .json();
    assert_eq!(listing["nodes"], json!([]));
    let listing = album("rootDir=music&path=Album&removeFileNodes=false")
        .await
        .json();
    assert_eq!(listing["nodes"].as_array().unwrap().len(), 2);
    for name in ["removeFileNodes", "addEmptyNodes"] {
        for word in ["yes", "TRUE", "", "2", "null", "%22false%22"] {
            let query = format!("rootDir=music&{name}={word}");
            assert_eq!(refused(&server, &token, &query).await, name, "{word}");
        }
        let twice = format!("rootDir=music&{name}=true&{name}=true");
        assert_eq!(refused(&server, &token, &twice).await, name);
    }
}

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
        // A file that is asked about is below its root as well, or is not opened.
        let target = format!("/api/v1/index/file?rootDir=music&relativePath={path}");
        let reply = server.get_as(&token, &target).await;
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
    assert!(explained > 1, "names that nobody has are explained");
    assert_eq!(
        refused(&server, &token, "rootDir=music&path=Album&path=Album").await,
        "path"
    );
    let listing = ls(&server, &token, "rootDir=music&path=").await;
    assert_eq!(listing.status, 200);
}

/// A file system over a directory whose server never answers; gone with this value.
struct HungMount(std::process::Child);

impl HungMount {
    /// `None` where this machine does not permit it.
    #[expect(
        clippy::disallowed_methods,
        reason = "only a program can hold the mount open and let go of it"
    )]
    fn over(directory: &Path) -> Option<Self> {
        let script = "exec 7<>/dev/fuse && mount -i -t fuse -o fd=7,rootmode=40000,user_id=0,group_id=0 svc \"$1\" \
                      && echo mounted && { read -r _; umount -l \"$1\"; }";
        let mut child = std::process::Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(directory)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .ok()?;
        let mut said = [0; 7];
        let mounted = child.stdout.as_mut()?.read_exact(&mut said);
        let this = Self(child);
        mounted.ok().map(|()| this)
    }
}

impl Drop for HungMount {
    fn drop(&mut self) {
        // The end of its input has it unmount, and its end fails those who wait for an answer.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[covers("T56")]
#[tokio::test(flavor = "multi_thread")]
async fn mount_that_hangs_costs_a_listing_its_time_and_nobody_else_anything() {
    let (server, token) = library().await;
    let Some(mount) = HungMount::over(&server.root) else {
        return svc_test_support::skipped("a mount that hangs: FUSE is not permitted here");
    };
    let begun = Instant::now();
    let (listing, others) = tokio::join!(ls(&server, &token, "rootDir=music&path="), async {
        let begun = Instant::now();
        for _ in 0..20 {
            assert_eq!(server.get_as(&token, "/api/v1/music/tracks").await.status, 200);
            assert_eq!(server.get("/api/v1/health").await.status, 200);
        }
        begun.elapsed()
    });
    assert_eq!(
        (listing.status, listing.json()["code"].as_str()),
        (503, Some("storage_unavailable"))
    );
    assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
    assert!(others < Duration::from_secs(5), "{others:?}");
    drop(mount);
    assert_eq!(ls(&server, &token, "rootDir=music&path=").await.status, 200);
}

#[tokio::test]
async fn folders_of_a_closed_library_are_shown_to_whom_it_lets_in_and_to_operators() {
    let (server, owner) = library().await;
    for folder in ["Closed/Inner", "Closed/Ann's", "Open"] {
        fs::create_dir_all(server.root.join(folder)).unwrap();
        fs::write(server.root.join(folder).join("x.mp3"), "x").unwrap();
    }
    let ann = server.user("ann", false, &["member"]).await;
    let ben = server.token(server.user("ben", false, &["member"]).await);
    let admin = server.token(server.user("admin", false, &["administrator"]).await);
    let ann_token = server.token(ann);
    for (name, path, grant) in [
        ("Closed", "Closed", json!({"role": "owner"})),
        ("Ann's", "Closed/Ann's", json!({"userId": ann})),
    ] {
        let body = json!({"name": name, "mediaKind": "music", "paths": [path], "grants": [grant]});
        let made = server.send_as(&owner, "POST", "/api/v1/libraries", &body).await;
        assert_eq!(made.status, 201, "{}", made.json());
    }
    let names = async |token: &str, path: &str| {
        let reply = ls(&server, token, &format!("rootDir=music&path={path}")).await;
        let listing = reply.json();
        let nodes = listing["nodes"].as_array();
        nodes.map(|nodes| nodes.iter().map(|node| node["name"].clone()).collect::<Vec<_>>())
    };
    for (token, root, closed, anns, inner) in [
        (&owner, true, Some(2), Some(1), Some(1)),
        (&admin, true, Some(2), Some(1), Some(1)),
        // Their folder can be reached, and nothing else is seen on the way.
        (&ann_token, true, Some(1), Some(1), None),
        (&ben, false, None, None, None),
    ] {
        let listed = names(token, "").await.unwrap();
        assert!(
            listed.contains(&json!("Album")) && listed.contains(&json!("Open")),
            "{listed:?}"
        );
        assert_eq!(listed.contains(&json!("Closed")), root, "{listed:?}");
        for (path, count) in [
            ("Closed", closed),
            ("Closed/Ann's", anns),
            ("Closed/Inner", inner),
        ] {
            assert_eq!(names(token, path).await.map(|names| names.len()), count, "{path}");
        }
    }
    let refused = async |path: &str| {
        ls(&server, &ben, &format!("rootDir=music&path={path}"))
            .await
            .body
    };
    assert_eq!(refused("Closed").await, refused("Nowhere").await);
}

#[covers("R43")]
#[tokio::test]
async fn names_of_folders_are_for_who_reads_media_or_runs_the_indexer() {
    let (server, _) = library().await;
    for (role, status) in [
        ("newcomer", 403),
        ("guest", 200),
        ("member", 200),
        ("music_user", 200),
        ("photos_user", 200),
        ("cinema_user", 200),
        ("administrator", 200),
    ] {
        let token = server.token(server.user(&format!("one {role}"), false, &[role]).await);
        assert_eq!(
            ls(&server, &token, "rootDir=music").await.status,
            status,
            "{role}"
        );
        // Refused before anything is said about the query.
        let query = if status == 403 { status } else { 400 };
        assert_eq!(
            ls(&server, &token, "rootDir=nothing").await.status,
            query,
            "{role}"
        );
    }
    for (capability, status) in [
        (Capability::IndexingRead, 200),
        (Capability::PhotosRead, 200),
        (Capability::UsersRead, 403),
    ] {
        let token = server.token(allowed_to(&server, capability.as_str(), &[capability]).await);
        assert_eq!(
            ls(&server, &token, "rootDir=music").await.status,
            status,
            "{capability:?}"
        );
    }
}
