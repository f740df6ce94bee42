//! Libraries with grants: two accounts use every route, and neither can access media of the other's libraries.

mod attempts;
mod media;
mod script;
mod sweeps;

use std::path::Path;

use serde_json::{Value, json};
use svc_fixtures::Format;
use svc_tests::event_client::EventClient;
use svc_tests::postgres::Schema;
use svc_tests::program::{PASSWORD, Server};

use self::attempts::{Standing, attempt_all, start_using};
use self::media::{KINDS, MEDIA_SETS, PLUGIN_KINDS};
use self::script::{Person, Script};
use self::sweeps::{ask_by_id, ask_lists, check_what_both_have, look_at_the_disk};

/// An account with a restricted library of each kind.
fn settle(script: &Script, name: &'static str, media_set: media::MediaSet) -> Person {
    let owner = script.server.token();
    let account = json!({ "username": name, "password": PASSWORD, "role": "member" });
    let user = script.expect(201, owner, "POST /api/v1/users", &[], Some(&account));
    let user = user["userId"]
        .as_str()
        .or(user["id"].as_str())
        .unwrap()
        .to_owned();
    let mut person = Person {
        media_set,
        name,
        token: script.server.sign_in(name, "music"),
        user,
        own: std::collections::BTreeMap::new(),
    };
    for kind in KINDS {
        let library = json!({
            "name": format!("{} {kind}", media_set.word), "mediaKind": kind, "paths": [media_set.word],
            "grants": [{ "userId": person.user }]
        });
        let library = script.expect(201, owner, "POST /api/v1/libraries", &[], Some(&library));
        person.note("libraryId", &library["libraryId"]);
    }
    person
}

/// Collects the ids of all items with a person's marker word.
fn take_stock(script: &Script, person: &mut Person) {
    let owner = script.server.token().to_owned();
    let all = "take=1000";
    let theirs = |item: &Value, person: &Person| item.to_string().contains(person.media_set.word);
    for (operation, key, name) in [
        ("GET /api/v1/music/tracks", "musicTrackId", "title"),
        ("GET /api/v1/music/releases", "musicReleaseId", "title"),
        ("GET /api/v1/music/artists", "musicArtistId", "name"),
        ("GET /api/v1/music/genres", "musicGenreId", "name"),
        ("GET /api/v1/photos", "photoId", "fileName"),
        ("GET /api/v1/movies", "movieId", "title"),
        ("GET /api/v1/tv/shows", "tvShowId", "title"),
    ] {
        for item in script.list(&owner, operation, &[], all) {
            if item[name].as_str().unwrap().contains(person.media_set.word) {
                person.note(key, &item[key]);
            }
        }
    }
    for kind in PLUGIN_KINDS {
        let of_kind = format!("kind={kind}&{all}");
        for item in script.list(&owner, "GET /api/v1/items", &[], &of_kind) {
            if theirs(&item, person) && item["title"] != "Common book" {
                person.note("itemId", &item["itemId"]);
                if kind == "audiobooks" {
                    person.note("audiobookId", &item["itemId"]);
                }
            }
        }
    }
    let mut videos = script.list(&owner, "GET /api/v1/movies", &[], all);
    for show in script.list(&owner, "GET /api/v1/tv/shows", &[], all) {
        let show = show["tvShowId"].as_str().unwrap();
        for season in script.list(&owner, "GET /api/v1/tv/shows/{tvShowId}/seasons", &[show], "") {
            let id = season["tvSeasonId"].as_str().unwrap();
            let episodes = script.list(&owner, "GET /api/v1/tv/seasons/{tvSeasonId}/episodes", &[id], "");
            for episode in &episodes {
                if theirs(episode, person) {
                    person.note("tvEpisodeId", &episode["tvEpisodeId"]);
                    person.note("tvSeasonId", &season["tvSeasonId"]);
                }
            }
            videos.extend(episodes);
        }
    }
    for source in videos
        .iter()
        .flat_map(|video| video["sources"].as_array().unwrap())
    {
        if theirs(source, person) {
            person.note("sourceId", &source["sourceId"]);
            for subtitle in source["subtitles"].as_array().unwrap() {
                if subtitle["external"] == true {
                    person.note("subtitleId", &subtitle["subtitleId"]);
                }
            }
        }
    }
}

/// Reads a person's events until they create an album.
fn heard(event_client: &mut EventClient, album: &Value) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        let event = event_client.next_event().expect("the stream goes on");
        if event["type"] == "photo_album.created" && event["payload"]["photoAlbumId"] == *album {
            return events;
        }
        events.push(event);
    }
}

/// One account uses changing files while both listen; the other receives no event.
fn listen_while_one_is_busy(script: &Script, media: &Path, people: &mut [Person; 2], busy: usize) {
    let mut event_clients = people
        .each_ref()
        .map(|person| EventClient::open_as(&script.server, &person.token));
    let media_set = people[busy].media_set;
    media_set.write_track(media, 3, Format::Flac);
    media_set.write_photo(media, 3, &format!("{}-07-14T12:00:00", media_set.year));
    media_set.write_movie(media, 2);
    media_set.write_comic(media, 2);
    let run = script.server.index("quick");
    assert_eq!(run["status"], "completed", "{run}");
    take_stock(script, &mut people[busy]);

    let created = start_using(script, &mut people[busy]);
    let marker = json!({ "name": "The end" });
    let operation = "POST /api/v1/photo-albums";
    let markers = people.each_ref().map(|person| {
        let album = script.expect(201, &person.token, operation, &[], Some(&marker));
        album["photoAlbumId"].clone()
    });
    let idle = 1 - busy;
    let own = heard(&mut event_clients[busy], &markers[busy]);
    let kinds: Vec<&str> = own.iter().map(|event| event["type"].as_str().unwrap()).collect();
    for kind in [
        "item.added",
        "photo.updated",
        "photo_album.created",
        "photo_album.photos_added",
        "playback_queue.extended",
    ] {
        assert!(kinds.contains(&kind), "no {kind} in {kinds:?}");
    }
    for event in heard(&mut event_clients[idle], &markers[idle]) {
        let text = event.to_string();
        assert_eq!(
            people[busy].is_in(&text),
            None,
            "{} hears {text}",
            people[idle].name
        );
        // Events about public albums arrive without their photos.
        assert_eq!(event["payload"]["photoAlbumId"], created.open_album, "{text}");
        assert_eq!(event["payload"].as_object().unwrap().len(), 1, "{text}");
    }
}

fn keep_two_people_apart(database: Option<&str>) {
    let dir = tempfile::tempdir().unwrap();
    let media = dir.path().canonicalize().unwrap().join("media");
    media::write_all(&media);
    let roots = KINDS.map(|kind| format!("{kind}={}", media.join(kind).display()));
    let mut arguments: Vec<&str> = roots.iter().flat_map(|root| ["--root", root.as_str()]).collect();
    if let Some(url) = database {
        arguments.extend(["--database-url", url]);
    }
    let script = Script::new(Server::start_as_owner(&dir.path().join("data"), &arguments));
    let mut people = [("ann", MEDIA_SETS[0]), ("ben", MEDIA_SETS[1])]
        .map(|(name, media_set)| settle(&script, name, media_set));
    let run = script.server.index("quick");
    assert_eq!(run["status"], "completed", "{run}");
    for person in &mut people {
        take_stock(&script, person);
    }
    for busy in [0, 1] {
        listen_while_one_is_busy(&script, &media, &mut people, busy);
    }
    sweeps::check_that_both_have_a_part(&script);
    for (intruder, holder) in [(0, 1), (1, 0)] {
        let (intruder, holder) = (&people[intruder], &people[holder]);
        check_what_both_have(&script, intruder, holder);
        ask_lists(&script, intruder, holder);
        ask_by_id(&script, intruder, holder);
        look_at_the_disk(&script, intruder, holder);
        let before = Standing::of(&script, holder);
        attempt_all(&script, intruder, holder);
        assert_eq!(
            Standing::of(&script, holder),
            before,
            "nothing of it had an effect"
        );
    }
    sweeps::check_that_all_was_asked(&script);
    assert!(script.server.stop().success());
}

#[test]
fn media_in_libraries_of_another_account_never_leaks() {
    keep_two_people_apart(None);
}

#[test]
fn media_in_libraries_of_another_account_never_leaks_on_postgresql() {
    let Some(schema) = Schema::create() else {
        return;
    };
    keep_two_people_apart(Some(&schema.url));
}
