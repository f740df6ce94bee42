//! Filters of the lists of items.

use svc_covers::covers;

use crate::support::TestServer;
use crate::support::databases::on_each_database;

/// Lists of items, with the filters that they have beside `favorites`, `missing` and `addedSince`.
const LISTS: [(&str, &[&str]); 8] = [
    ("/api/v1/music/tracks", &["random", "genre"]),
    ("/api/v1/music/releases", &["random", "genre"]),
    ("/api/v1/music/artists", &["random", "genre"]),
    ("/api/v1/photos", &["random", "camera", "lens"]),
    ("/api/v1/photos/buckets", &["camera", "lens"]),
    ("/api/v1/movies", &["random", "watched", "genre"]),
    ("/api/v1/tv/shows", &["random", "watched", "genre"]),
    ("/api/v1/tv/shows/{tvShowId}/episodes", &["watched"]),
];

#[covers("A15")]
#[tokio::test]
async fn lists_of_items_accept_and_declare_their_filters() {
    on_each_database(async |server: TestServer| {
        let token = server.as_owner().await;
        let document = server.get("/api/docs-json").await.json();
        for (path, more) in LISTS {
            let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
            let target = path.replace("{tvShowId}", "0000000000001");
            // The input is validated before the show is looked up.
            let fine = if target == path { 200 } else { 404 };
            for name in ["favorites", "missing", "addedSince"].iter().chain(more) {
                let described = parameters.iter().any(|parameter| parameter["name"] == *name);
                assert!(described, "{path} {name}");
                let empty = token.get(&format!("{target}?{name}=")).await;
                assert_eq!(empty.status, 400, "{path} {name}");
                assert_eq!(empty.json()["errors"][0]["path"], *name);
                let value = match *name {
                    "addedSince" => "2026-01-01",
                    "random" => "7",
                    "genre" | "camera" | "lens" => "x",
                    _ => "true",
                };
                let good = token.get(&format!("{target}?{name}={value}")).await;
                assert_eq!(good.status, fine, "{path} {name}");
            }
            let unknown = token.get(&format!("{target}?nonsense=")).await;
            assert_eq!(unknown.status, fine, "{path}: unknown names are ignored");
        }
    })
    .await;
}
