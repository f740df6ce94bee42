//! `/ls`.

mod access;
mod list;
mod paths;

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::support::{Client, Reply, TestServer};
use svc_domain::kind::MediaKind;

async fn ls(token: &Client, query: &str) -> Reply {
    token.get(&format!("/api/v1/ls?{query}")).await
}

/// The path of the only error.
async fn refused(server: &TestServer, token: &Client, query: &str) -> String {
    let reply = ls(token, query).await;
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

/// An album with one indexed track, one new file, and symbolic links around it.
async fn library() -> (TestServer, Client) {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
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
