//! `GET /search`.

use serde_json::json;
use svc_covers::covers;

use crate::support::databases::on_each_database;
use crate::support::{Client, TestServer};
use svc_domain::id::FolderId;
use svc_domain::kind::MediaKind;

pub(crate) async fn library(server: &TestServer) -> FolderId {
    let folder = server.folder(MediaKind::music()).await;
    for title in ["Echoes", "Éclair", "Time", "Out of Time", "Timeless"] {
        server
            .track(folder, &format!("{title}.mp3"), title, b"0123456789")
            .await;
    }
    folder
}

#[covers("GET /api/v1/search")]
#[tokio::test]
async fn search_ranks_the_readable_items_of_each_type() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    library(&server).await;
    let found = token.get("/api/v1/search?q=TIME").await.json();
    let titles: Vec<_> = found["music_track"][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|track| track["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["Time", "Timeless", "Out of Time"]);
    assert_eq!(found["music_track"][1], 3);
    assert_eq!(found["music_artist"], json!([[], 0]));
    // Case and diacritics are ignored; several words must all match; each list is paged.
    let found = token.get("/api/v1/search?q=ecl&types=music_track").await.json();
    assert_eq!(found["music_track"][0][0]["title"], "Éclair");
    assert_eq!(found.as_object().unwrap().len(), 1);
    let found = token.get("/api/v1/search?q=time%20out&take=1").await.json();
    assert_eq!(found["music_track"][1], 1);
    let found = token
        .get("/api/v1/search?q=time&skip=2&take=5&types[]=music_track")
        .await
        .json();
    assert_eq!(found["music_track"][0][0]["title"], "Out of Time");
    // A result has all fields of the item, including the caller's rating.
    let track = found["music_track"][0][0].clone();
    let rating = json!({"mediaType": "music_track", "mediaId": track["musicTrackId"], "rating": 0.5});
    assert_eq!(token.put("/api/v1/ratings", &rating).await.status, 200);
    let item = format!("/api/v1/music/tracks/{}", track["musicTrackId"].as_str().unwrap());
    let item = token.get(&item).await.json();
    let found = token.get("/api/v1/search?q=out%20of%20time").await.json();
    assert_eq!(
        (&found["music_track"][0][0], &item["rating"]),
        (&item, &json!(0.5))
    );
    // Artists are found by name; a text without a word finds nothing.
    let found = token.get("/api/v1/search?q=ann").await.json();
    assert_eq!(
        (&found["music_artist"][1], &found["music_release"][1]),
        (&json!(1), &json!(1))
    );
    let found = token.get("/api/v1/search?q=%21%21").await.json();
    assert_eq!(found["music_track"], json!([[], 0]));
    for bad in [
        "/api/v1/search",
        "/api/v1/search?q=",
        "/api/v1/search?q=a&types=songs",
    ] {
        assert_eq!(token.get(bad).await.status, 400, "{bad}");
    }
}

#[covers("limit SEARCH_WORDS")]
#[tokio::test]
async fn search_accepts_sixteen_words() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let token = server.as_owner().await;
        let folder = library(server).await;
        let long = format!("{}é{}", "x".repeat(62), "y".repeat(3000));
        server.track(folder, "long.mp3", &long, b"0123456789").await;
        let album = json!({"name": "x".repeat(100)});
        let made = token.post("/api/v1/photo-albums", &album).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let letters = |count: u8| {
            let words: Vec<_> = (b'a'..b'a' + count)
                .map(|letter| char::from(letter).to_string())
                .collect();
            words.join("+")
        };
        let found = async |q: &str| {
            let reply = token.get(&format!("/api/v1/search?q={q}")).await;
            assert_eq!(reply.status, 200, "{q}");
            let found = reply.json();
            (found["music_track"][1].clone(), found["photo_album"][1].clone())
        };
        assert_eq!(found(&long.replace('é', "e")).await, (json!(1), json!(0)));
        assert_eq!(
            found(&"x".repeat(4000)).await,
            (json!(0), json!(1)),
            "words are truncated as in the index"
        );
        assert_eq!(found(&format!("{}e", "x".repeat(62))).await, (json!(1), json!(0)));
        // Repeated words and prefixes of other words do not count.
        let times = format!("{}time", "t+ti+".repeat(1000));
        assert_eq!(found(&times).await, (json!(3), json!(0)));
        assert_eq!(found(&letters(16)).await, (json!(0), json!(0)));
        let refused = token.get(&format!("/api/v1/search?q={}", letters(17))).await;
        assert_eq!(
            (refused.status, &refused.json()["errors"][0]["path"]),
            (400, &json!("q"))
        );
    })
    .await;
}

#[tokio::test]
async fn search_finds_visible_albums_only() {
    let server = TestServer::start().await;
    let (ada, bob) = (
        server.as_owner().await,
        server.user("bob", false, &["member"]).await,
    );
    let bob = server.client(bob);
    for (name, visibility) in [
        ("Sommer am Meer", "everyone"),
        ("Am Meer", "private"),
        ("Winter", "everyone"),
        ("Höhlen am Méer", "everyone"),
    ] {
        let album = json!({"name": name, "visibility": visibility});
        let made = ada.post("/api/v1/photo-albums", &album).await;
        assert_eq!(made.status, 201, "{}", made.json());
    }
    let names = async |token: &Client, query: &str| {
        let found = token.get(&format!("/api/v1/search?{query}")).await.json();
        let albums = found["photo_album"].clone();
        let names: Vec<String> = albums[0]
            .as_array()
            .unwrap()
            .iter()
            .map(|album| album["name"].as_str().unwrap().to_owned())
            .collect();
        (names.join(", "), albums[1].clone())
    };
    let all = "Am Meer, Höhlen am Méer, Sommer am Meer";
    assert_eq!(names(&ada, "q=AM+mee").await, (all.to_owned(), json!(3)));
    let part = names(&ada, "q=am+meer&types=photo_album&take=1&skip=1").await;
    assert_eq!(part, ("Höhlen am Méer".to_owned(), json!(3)));
    let seen = "Höhlen am Méer, Sommer am Meer";
    assert_eq!(names(&bob, "q=meer").await, (seen.to_owned(), json!(2)));
    assert_eq!(names(&bob, "q=meer+winter").await, (String::new(), json!(0)));
    assert_eq!(names(&bob, "q=%20-").await, (String::new(), json!(0)));
    let nobody = server.as_nobody().await;
    let found = nobody.get("/api/v1/search?q=meer").await.json();
    assert_eq!(found.get("photo_album"), None);
}
