//! Writes with one's own media, and the same attempts with media of the other account.

use serde_json::{Value, json};

use super::script::{Person, Script, text};

const UNKNOWN: &str = "0000000000001";

/// Item types by the names of their ids.
const TYPES: [(&str, &str); 8] = [
    ("music_track", "musicTrackId"),
    ("music_release", "musicReleaseId"),
    ("music_artist", "musicArtistId"),
    ("photo", "photoId"),
    ("movie", "movieId"),
    ("tv_show", "tvShowId"),
    ("tv_episode", "tvEpisodeId"),
    ("item", "itemId"),
];
/// Items that support links.
const PURPOSES: [&str; 4] = ["stream", "artwork", "original", "thumbnail"];

const RATE: &str = "PUT /api/v1/ratings";
const FORGET_RATING: &str = "DELETE /api/v1/ratings/{mediaType}/{mediaId}";
const REPORT: &str = "PATCH /api/v1/history";
const FORGET_HISTORY: &str = "DELETE /api/v1/history/{mediaType}/{mediaId}";
const LINK: &str = "POST /api/v1/links";
const NEW_QUEUE: &str = "POST /api/v1/playback-queues";
const QUEUE: &str = "GET /api/v1/playback-queues/{playbackQueueId}";
const QUEUE_ITEMS: &str = "GET /api/v1/playback-queues/{playbackQueueId}/items";
const ADD_TO_QUEUE: &str = "POST /api/v1/playback-queues/{playbackQueueId}/items";
const CURSOR: &str = "PUT /api/v1/playback-queues/{playbackQueueId}/cursor";
const NEW_ALBUM: &str = "POST /api/v1/photo-albums";
const ALBUM: &str = "GET /api/v1/photo-albums/{photoAlbumId}";
const CHANGE_ALBUM: &str = "PATCH /api/v1/photo-albums/{photoAlbumId}";
const ADD_TO_ALBUM: &str = "POST /api/v1/photo-albums/{photoAlbumId}/photos";
const TAKE_FROM_ALBUM: &str = "DELETE /api/v1/photo-albums/{photoAlbumId}/photos";
const CHANGE_PHOTO: &str = "PATCH /api/v1/photos/{photoId}";

/// What a person created that others may see.
pub struct Created {
    /// An album for everyone.
    pub open_album: Value,
}

fn all_items(person: &Person) -> Vec<(&'static str, String)> {
    let of = |(media_type, key): (&'static str, &str)| {
        let ids = person.ids(key).into_iter();
        ids.map(|id| (media_type, id.to_owned())).collect::<Vec<_>>()
    };
    TYPES.into_iter().flat_map(of).collect()
}

fn rating(media_type: &str, id: &str) -> Value {
    json!({ "mediaType": media_type, "mediaId": id, "rating": 0.9 })
}

fn played(media_type: &str, id: &str) -> Value {
    json!({ "mediaType": media_type, "mediaId": id, "seconds": 60.0, "state": "playing" })
}

fn static_queue(media_type: &str, id: &str) -> Value {
    json!({ "type": "static", "items": [{ "mediaType": media_type, "mediaId": id }] })
}

fn is_played(media_type: &str) -> bool {
    ["music_track", "movie", "tv_episode", "item"].contains(&media_type)
}

/// Rates, plays, queues, links, collects and edits all items of a person.
pub fn start_using(script: &Script, person: &mut Person) -> Created {
    let token = person.token.clone();
    let does = |operation: &str, ids: &[&str], body: Value| {
        let answer = script.ask(&token, operation, ids, "", Some(&body));
        let done = if operation.starts_with("POST ") { 201 } else { 200 };
        assert_eq!(
            answer.status,
            done,
            "{operation} {ids:?} {body}: {}",
            text(&answer)
        );
        answer.json()
    };
    let episodes = "GET /api/v1/tv/shows/{tvShowId}/episodes";
    let episodes = script.list(&token, episodes, &[person.id("tvShowId")], "");
    for (media_type, id) in all_items(person) {
        does(RATE, &[], rating(media_type, &id));
        if is_played(media_type) && episodes[1]["tvEpisodeId"] != *id {
            does(REPORT, &[], played(media_type, &id));
        }
        // Photos and comics are not played.
        if media_type != "photo" && (media_type != "item" || person.ids("audiobookId").contains(&&*id)) {
            does(NEW_QUEUE, &[], static_queue(media_type, &id));
        }
    }
    // The first episode is watched, so the second is next.
    let mut seen = played("tv_episode", episodes[0]["tvEpisodeId"].as_str().unwrap());
    seen["state"] = json!("completed");
    does(REPORT, &[], seen);

    let shuffle = json!({ "type": "dynamic", "dynamicType": "shuffle", "seed": "x" });
    let queue = does(NEW_QUEUE, &[], shuffle);
    let id = queue["playbackQueueId"].as_str().unwrap();
    let list = script.list_of(&token, QUEUE_ITEMS, id);
    let last = list.last().unwrap()["playbackQueueItemId"].clone();
    does(
        CURSOR,
        &[id],
        json!({ "playbackQueueItemId": last, "seconds": 1.0 }),
    );
    let queues = script.list(&token, "GET /api/v1/playback-queues", &[], "take=100");
    for queue in queues {
        person.note("playbackQueueId", &queue["playbackQueueId"]);
        let id = queue["playbackQueueId"].as_str().unwrap();
        for item in script.list_of(&token, QUEUE_ITEMS, id) {
            person.note("playbackQueueItemId", &item["playbackQueueItemId"]);
        }
    }

    let photos = json!({ "photoIds": person.ids("photoId") });
    let album = json!({ "name": format!("{} album", person.media_set.word) });
    let album = does(NEW_ALBUM, &[], album);
    person.note("photoAlbumId", &album["photoAlbumId"]);
    does(
        ADD_TO_ALBUM,
        &[album["photoAlbumId"].as_str().unwrap()],
        photos.clone(),
    );
    let open = does(
        NEW_ALBUM,
        &[],
        json!({ "name": "For everyone", "visibility": "everyone" }),
    );
    let open = open["photoAlbumId"].clone();
    does(ADD_TO_ALBUM, &[open.as_str().unwrap()], photos);
    let description = json!({ "description": format!("{} words", person.media_set.word) });
    does(CHANGE_PHOTO, &[person.id("photoId")], description);

    let waveform = "GET /api/v1/music/tracks/{musicTrackId}/waveform";
    let tracks = person.ids("musicTrackId");
    for id in tracks {
        // Whether analyzed in time or later, `music.waveform_ready` reaches only them.
        let mut status = 202;
        svc_tests::program::wait_for("the waveform", || {
            status = script.ask(&token, waveform, &[id], "", None).status;
            status != 202
        });
        assert_eq!(status, 200);
    }
    Created { open_album: open }
}

/// State that would differ if an item of a person had changed.
#[derive(Debug, PartialEq)]
pub struct Standing(Vec<Value>);

impl Standing {
    pub fn of(script: &Script, person: &Person) -> Self {
        let lists = [
            "GET /api/v1/ratings",
            "GET /api/v1/history",
            "GET /api/v1/photos",
            "GET /api/v1/photo-albums",
            "GET /api/v1/playback-queues",
        ];
        let lists = lists.map(|operation| script.ask(&person.token, operation, &[], "take=100", None).json());
        let items = person
            .ids("playbackQueueId")
            .into_iter()
            .map(|id| json!(script.list_of(&person.token, QUEUE_ITEMS, id)));
        Self(lists.into_iter().chain(items).collect())
    }
}

/// Attempts every write with items of the other account.
pub fn attempt_all(script: &Script, intruder: &Person, holder: &Person) {
    with_items(script, intruder, holder);
    with_links(script, intruder, holder);
    with_queues(script, intruder, holder);
    with_albums(script, intruder, holder);
    // Refused before the body is read, which costs the connection.
    let refused = |operation: &str, ids: &[&str], body: Option<&Value>| {
        let close = [("connection", "close")];
        let answer = script.ask_with(&intruder.token, operation, ids, "", body, &close);
        assert_eq!(answer.status, 403, "{operation}");
    };
    let patch = json!({ "grants": [{ "userId": intruder.user }] });
    for library in holder.ids("libraryId") {
        refused("PATCH /api/v1/libraries/{libraryId}", &[library], Some(&patch));
        refused("DELETE /api/v1/libraries/{libraryId}", &[library], None);
    }
    refused("POST /api/v1/jobs", &[], Some(&json!({ "type": "verify_files" })));
}

/// Ratings, history, corrections.
fn with_items(script: &Script, intruder: &Person, holder: &Person) {
    let token = &intruder.token;
    for (media_type, id) in all_items(holder) {
        let ids = [media_type, id.as_str()];
        script.expect(404, token, RATE, &[], Some(&rating(media_type, &id)));
        script.expect(404, token, FORGET_RATING, &ids, None);
        if is_played(media_type) {
            // Also as a history report for the other's queue.
            let mut body = played(media_type, &id);
            script.expect(404, token, REPORT, &[], Some(&body));
            body["playbackQueueItemId"] = json!(holder.id("playbackQueueItemId"));
            script.expect(404, token, REPORT, &[], Some(&body));
        }
        script.expect(404, token, FORGET_HISTORY, &ids, None);
    }
    for photo in holder.ids("photoId") {
        let body = json!({ "description": "mine" });
        script.expect(404, token, CHANGE_PHOTO, &[photo], Some(&body));
    }
    // Their own item with a queue item of the other: refused as unknown.
    let mut body = played("music_track", intruder.id("musicTrackId"));
    body["playbackQueueItemId"] = json!(holder.id("playbackQueueItemId"));
    script.expect(404, token, REPORT, &[], Some(&body));
}

/// Links to all items. The holder's links open without a header.
fn with_links(script: &Script, intruder: &Person, holder: &Person) {
    let mut opened = std::collections::BTreeSet::new();
    for (media_type, id) in all_items(holder) {
        for purpose in PURPOSES {
            let body =
                json!({ "mediaType": media_type, "mediaId": id, "purpose": purpose, "expiresIn": 600 });
            let link = script.ask(&holder.token, LINK, &[], "", Some(&body));
            if link.status == 400 {
                continue;
            }
            assert_eq!(link.status, 201, "{body}");
            let url = link.json()["url"].as_str().unwrap().to_owned();
            let path = url.split_once(script.server.address()).unwrap().1;
            let unlinked = path.split('?').next().unwrap();
            assert_eq!(script.server.open(unlinked).status, 401);
            if script.server.open(path).status == 200 {
                opened.insert((media_type, purpose));
            }
            script.expect(404, &intruder.token, LINK, &[], Some(&body));
        }
    }
    assert_eq!(opened.len(), 12, "{opened:?}");
}

/// Own queues with items of the other, and queues of the other.
fn with_queues(script: &Script, intruder: &Person, holder: &Person) {
    let token = &intruder.token;
    let own = static_queue("music_track", intruder.id("musicTrackId"));
    let before = script.expect(201, token, NEW_QUEUE, &[], Some(&own));
    let own = before["playbackQueueId"].as_str().unwrap();
    for (media_type, id) in all_items(holder) {
        let refusal = |operation: &str, ids: &[&str], body: &dyn Fn(&str) -> Value| {
            let unknown = script.ask(token, operation, ids, "", Some(&body(UNKNOWN)));
            let answer = script.ask(token, operation, ids, "", Some(&body(&id)));
            // Photos cannot be queued.
            let status = if media_type == "photo" { 400 } else { 404 };
            assert_eq!(
                (answer.status, text(&answer)),
                (status, text(&unknown)),
                "{operation} {media_type} {id}"
            );
        };
        refusal(NEW_QUEUE, &[], &|id| static_queue(media_type, id));
        refusal(NEW_QUEUE, &[], &|id| {
            let items = [json!({ "mediaType": media_type, "mediaId": id })];
            json!({ "type": "dynamic", "dynamicType": "similar", "items": items })
        });
        refusal(
            ADD_TO_QUEUE,
            &[own],
            &|id| json!({ "insert": "end", "items": [{ "mediaType": media_type, "mediaId": id }] }),
        );
    }
    let after = script.expect(200, token, QUEUE, &[own], None);
    assert_eq!(
        (&after["itemCount"], &after["revision"]),
        (&json!(1), &before["revision"])
    );
    // Dynamic queues contain visible items only.
    let duet = |item: &Value| item["title"].as_str().unwrap().ends_with("duet");
    let tracks = script.list(token, "GET /api/v1/music/tracks", &[], "take=1000");
    let duet = tracks.iter().find(|item| duet(item)).unwrap();
    let artist = duet["artists"][0]["musicArtistId"].as_str().unwrap();
    let release = duet["release"]["musicReleaseId"].as_str().unwrap();
    let shows = script.list(token, "GET /api/v1/tv/shows", &[], "take=1000");
    let show = shows.iter().find(|show| show["title"] == "Common show").unwrap();
    for (media_type, id) in [
        ("music_artist", artist),
        ("music_release", release),
        ("tv_show", show["tvShowId"].as_str().unwrap()),
    ] {
        let queue = script.expect(201, token, NEW_QUEUE, &[], Some(&static_queue(media_type, id)));
        assert_eq!(queue["itemCount"], 1, "{media_type}");
    }
    let similar = [json!({ "mediaType": "music_artist", "mediaId": artist })];
    for body in [
        json!({ "type": "dynamic", "dynamicType": "shuffle", "seed": "x" }),
        json!({ "type": "dynamic", "dynamicType": "favorites" }),
        json!({ "type": "dynamic", "dynamicType": "similar", "items": similar }),
    ] {
        let queue = script.expect(201, token, NEW_QUEUE, &[], Some(&body));
        let items = script.list_of(token, QUEUE_ITEMS, queue["playbackQueueId"].as_str().unwrap());
        let (items, count) = (json!(items).to_string(), items.len());
        assert!(
            count >= 4 && intruder.is_in(&items).is_some(),
            "{body}: {count} {items}"
        );
        assert_eq!(holder.is_in(&items), None, "{body}: {items}");
    }

    let item = holder.id("playbackQueueItemId");
    let one = "/api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}";
    let cursor = json!({ "playbackQueueItemId": item, "seconds": 2.0 });
    let mine = json!({ "mediaType": "music_track", "mediaId": intruder.id("musicTrackId") });
    let add = json!({ "insert": "next", "items": [mine] });
    let front = json!({ "after": null });
    for queue in holder.ids("playbackQueueId") {
        let refused = |operation: &str, ids: &[&str], body: Option<&Value>| {
            script.expect(404, token, operation, ids, body);
        };
        refused("DELETE /api/v1/playback-queues/{playbackQueueId}", &[queue], None);
        refused(CURSOR, &[queue], Some(&cursor));
        refused(ADD_TO_QUEUE, &[queue], Some(&add));
        refused(&format!("PATCH {one}"), &[queue, item], Some(&front));
        refused(&format!("DELETE {one}"), &[queue, item], None);
        refused(&format!("DELETE {one}"), &[own, item], None);
    }
    script.expect(404, token, CURSOR, &[own], Some(&cursor));
}

/// Own albums with photos of the other, and albums of the other.
fn with_albums(script: &Script, intruder: &Person, holder: &Person) {
    let token = &intruder.token;
    let own = script.expect(201, token, NEW_ALBUM, &[], Some(&json!({ "name": "Mine" })));
    let own = own["photoAlbumId"].as_str().unwrap();
    let photos = holder.ids("photoId");
    for (status, operation, code) in [
        (201, ADD_TO_ALBUM, "photo_not_found"),
        (200, TAKE_FROM_ALBUM, "not_in_album"),
    ] {
        let body = json!({ "photoIds": photos });
        let results = script.expect(status, token, operation, &[own], Some(&body));
        let results = results.as_array().unwrap();
        assert_eq!(results.len(), photos.len());
        for result in results {
            assert_eq!((&result["ok"], &result["code"]), (&json!(false), &json!(code)));
        }
    }
    let cover = json!({ "coverPhotoId": photos[0] });
    script.expect(404, token, CHANGE_ALBUM, &[own], Some(&cover));
    let left = script.expect(200, token, ALBUM, &[own], None);
    assert_eq!(left["photoCount"], 0);
    // A public album is visible without its hidden photos.
    let albums = script.list(&holder.token, "GET /api/v1/photo-albums", &[], "take=1000");
    let is_open = |album: &&Value| album["visibility"] == "everyone" && album["ownerUserId"] == holder.user;
    let open = albums.iter().find(is_open).unwrap();
    assert_eq!(open["photoCount"], photos.len());
    let open = open["photoAlbumId"].as_str().unwrap();
    let seen = script.expect(200, token, ALBUM, &[open], None);
    assert_eq!(seen["photoCount"], 0);
    for key in ["coverPhotoId", "from", "to", "sharedWith"] {
        assert_eq!(seen[key], Value::Null, "{key}");
    }
    for order in ["takenAt", "album"] {
        let query = format!("albumId={open}&orderBy={order}");
        assert_eq!(
            script.list(token, "GET /api/v1/photos", &[], &query),
            Vec::<Value>::new()
        );
    }
    let empty = script.ask(
        token,
        "GET /api/v1/photos/buckets",
        &[],
        &format!("albumId={open}"),
        None,
    );
    assert_eq!(empty.json(), json!([]));

    let mine = json!({ "photoIds": [intruder.id("photoId")] });
    let name = json!({ "name": "Mine" });
    for album in holder.ids("photoAlbumId").into_iter().chain([open]) {
        for (operation, body) in [
            (CHANGE_ALBUM, Some(&name)),
            (ADD_TO_ALBUM, Some(&mine)),
            (TAKE_FROM_ALBUM, Some(&mine)),
            ("DELETE /api/v1/photo-albums/{photoAlbumId}", None),
        ] {
            script.expect(404, token, operation, &[album], body);
        }
    }
    let public: Vec<Value> = script.list(token, "GET /api/v1/photo-albums", &[], "take=1000");
    assert!(public.iter().any(|album| album["photoAlbumId"] == *own));
}
