//! `GET /ls`: directories, files and flags.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use svc_covers::covers;

use super::{library, ls, node, refused};

#[covers("GET /api/v1/ls")]
#[tokio::test]
async fn directory_is_listed_relative_to_its_root() {
    let (server, token) = library().await;
    let reply = ls(&token, "rootDir=music").await;
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
        let album = ls(&token, &format!("rootDir=music&path={path}")).await.json();
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
async fn flags_filter_the_listing() {
    let (server, token) = library().await;
    fs::create_dir_all(server.root.join("Nested/Below")).unwrap();
    let children = async |flags: &str, name: &str| {
        let listing = ls(&token, &format!("rootDir=music&{flags}")).await.json();
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
    let album = |flags: &'static str| ls(&token, flags);
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

/// A FUSE mount whose server never answers; unmounted on drop.
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
        // The script unmounts at the end of its input, which fails the waiting calls.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[covers("T56")]
#[tokio::test(flavor = "multi_thread")]
async fn hung_mount_times_out_one_listing_and_blocks_no_other_request() {
    let (server, token) = library().await;
    let Some(mount) = HungMount::over(&server.root) else {
        return svc_test_support::skipped("a mount that hangs: FUSE is not permitted here");
    };
    let begun = Instant::now();
    let (listing, others) = tokio::join!(ls(&token, "rootDir=music&path="), async {
        let begun = Instant::now();
        for _ in 0..20 {
            assert_eq!(token.get("/api/v1/music/tracks").await.status, 200);
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
    assert_eq!(ls(&token, "rootDir=music&path=").await.status, 200);
}
