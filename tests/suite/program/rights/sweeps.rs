//! Every reading route, requested with ids and filters of the other account.

use serde_json::Value;
use svc_tests::program::Answer;

use super::media::{KINDS, PLUGIN_KINDS};
use super::script::{Parameter, Person, Route, Script, text};

const UNKNOWN: &str = "0000000000001";

/// Path parameters that name no media.
const OTHER_IDS: [&str; 9] = [
    "id",
    "app",
    "role",
    "runId",
    "jobId",
    "sessionId",
    "pluginId",
    "userCode",
    "shortcode",
];

/// Lists without media, and those for operators only.
const WITHOUT_MEDIA: [&str; 17] = [
    "GET /api",
    "GET /api/v1/health",
    "GET /api/v1/health/ready",
    "GET /api/v1/instance",
    "GET /api/v1/release-channels",
    "GET /api/v1/updates",
    "GET /api/v1/versions",
    "GET /api/v1/users/public",
    "GET /api/v1/auth/methods",
    // Send the browser on.
    "GET /api/v1/auth/oidc/start",
    "GET /api/v1/auth/oidc/callback",
    "GET /api/v1/users/current",
    "GET /api/v1/users/current/sessions",
    // Returns counts; `check_what_both_have` compares them.
    "GET /api/v1/photos/buckets",
    // An endless response; the script reads it elsewhere.
    "GET /api/v1/events/subscribe",
    // Requires a directory; `look_at_the_disk` covers it.
    "GET /api/v1/ls",
    // Schemas.
    "GET /api/v1/kinds",
];

/// Operations without media, and those for operators. New ones belong here or into `attempts.rs`.
const CHANGES_NO_MEDIA: [&str; 54] = [
    "POST /api/v1/setup",
    "POST /api/v1/reset",
    "POST /api/v1/auth/login",
    "POST /api/v1/auth/refresh",
    "POST /api/v1/auth/logout",
    "GET /api/v1/auth/methods",
    "GET /api/v1/auth/oidc/start",
    "GET /api/v1/auth/oidc/callback",
    "POST /api/v1/auth/oidc/logout",
    "POST /api/v1/auth/device",
    "POST /api/v1/auth/device/token",
    "POST /api/v1/auth/device/approve",
    "POST /api/v1/auth/device/deny",
    "GET /api/v1/auth/device/{userCode}",
    "POST /api/v1/users/current/cloud-link",
    "DELETE /api/v1/users/current/cloud-link",
    "POST /api/v1/users",
    "PATCH /api/v1/users/current",
    "PATCH /api/v1/users/{id}",
    "DELETE /api/v1/users/current/sessions",
    "DELETE /api/v1/users/current/sessions/{sessionId}",
    "DELETE /api/v1/users/{id}/sessions",
    "POST /api/v1/users/{id}/personal-access-tokens",
    "DELETE /api/v1/users/{id}/personal-access-tokens/{personalAccessTokenId}",
    "POST /api/v1/roles",
    "PATCH /api/v1/roles/{role}",
    "DELETE /api/v1/roles/{role}",
    "POST /api/v1/roles/{role}/assignments",
    "DELETE /api/v1/roles/{role}/assignments",
    "POST /api/v1/invitations",
    "GET /api/v1/invitations/{id}",
    "DELETE /api/v1/invitations/{id}",
    "POST /api/v1/invitations/claim",
    "GET /api/v1/invitations/claim/{shortcode}",
    "PATCH /api/v1/settings",
    "POST /api/v1/cors-origins",
    "DELETE /api/v1/cors-origins/{id}",
    "PATCH /api/v1/jobs/{jobId}",
    "POST /api/v1/plugins",
    "GET /api/v1/plugins/{pluginId}",
    "PATCH /api/v1/plugins/{pluginId}",
    "DELETE /api/v1/plugins/{pluginId}",
    "POST /api/v1/plugins/{pluginId}/preview",
    "POST /api/v1/plugins/{pluginId}/rollback",
    "DELETE /api/v1/plugins/{pluginId}/candidate",
    "GET /api/v1/events/subscribe",
    "GET /api/v1/users/{id}",
    "GET /api/v1/users/{id}/sessions",
    "GET /api/v1/users/{id}/personal-access-tokens",
    "GET /api/v1/settings/{app}",
    "GET /api/v1/index/runs/{runId}",
    "GET /api/v1/jobs/{jobId}",
    "POST /api/v1/index/run",
    "PATCH /api/v1/index/state",
];

fn owned(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// Values of a parameter that select items of `holder`; none if it selects no media.
fn values(route: &Route, parameter: &Parameter, holder: &Person) -> Vec<String> {
    let name = parameter.name.as_str();
    if !parameter.choices.is_empty() {
        return parameter.choices.clone();
    }
    // A few of each kind.
    let ids = |of: &str| holder.ids(of).into_iter().take(3).map(str::to_owned).collect();
    match name {
        "artistId" => ids("musicArtistId"),
        "releaseId" => ids("musicReleaseId"),
        "albumId" => ids("photoAlbumId"),
        "libraryIds" => ids("libraryId"),
        "sourceId" => ids("sourceId"),
        "around" => ids("playbackQueueItemId"),
        "favorites" => vec!["true".to_owned()],
        "missing" | "watched" => vec!["true".to_owned(), "false".to_owned()],
        "random" => vec!["7".to_owned()],
        "since" => vec!["0".to_owned()],
        "bins" => vec!["64".to_owned()],
        "types" => owned(&["music_track", "photo", "movie", "tv_show", "comics", "item"]),
        "kind" => owned(&PLUGIN_KINDS),
        "key" => owned(&["x.comics.series", "x.comics.writers", "x.comics.publisher"]),
        // Orders of items; those of other lists are an enum.
        "orderBy" => owned(&["createdAt", "x.comics.series", "x.comics.number"]),
        "part" => owned(&["1", "2"]),
        "take" | "skip" | "after" | "leading" | "trailing" => Vec::new(),
        _ => holder
            .media_set
            .query(name, "month")
            .unwrap_or_else(|| panic!("{}: the script does not know `{name}`", route.operation)),
    }
}

/// Required parameters.
fn base(route: &Route, holder: &Person) -> String {
    let mut said = Vec::new();
    if route.operation.ends_with("/search") {
        said.push(format!("q={}", holder.media_set.word));
    }
    if route.operation.ends_with("/changes") {
        said.push("since=0".to_owned());
    }
    if route.operation.contains("/api/v1/items") && route.takes("kind") {
        said.push("kind=comics".to_owned());
        if route.takes("key") {
            said.push("key=x.comics.series".to_owned());
        }
    }
    if route.takes("take") {
        said.push("take=1000".to_owned());
    }
    said.join("&")
}

fn with(base: &str, more: &str) -> String {
    if base.is_empty() {
        return more.to_owned();
    }
    // Repeated parameters are refused.
    let name = more.split('=').next().unwrap();
    let others = base
        .split('&')
        .filter(|said| !said.starts_with(&format!("{name}=")));
    others.chain([more]).collect::<Vec<_>>().join("&")
}

/// Every query of a route that selects items of `holder`.
fn queries(route: &Route, holder: &Person) -> Vec<String> {
    let base = base(route, holder);
    let mut queries = vec![base.clone()];
    for parameter in route.query_parameters() {
        if parameter.name == "filter" {
            // By declared fields of a kind.
            let word = holder.media_set.word;
            queries.push(with(&base, &format!("filter[x.comics.series]={word}%20series")));
            queries.push(with(&base, "filter[x.comics.publisher]=Common%20publisher"));
            continue;
        }
        for value in values(route, parameter, holder) {
            queries.push(with(&base, &format!("{}={value}", parameter.name)));
        }
    }
    queries
}

/// A cursor after the first item of a list.
fn second_page(script: &Script, route: &Route, person: &Person, base: &str) -> Option<String> {
    let first = script.ask(&person.token, &route.operation, &[], &with(base, "take=1"), None);
    let link = first.header("link")?;
    let after = link.split_once("after=")?.1;
    let end = after.find(['&', '>'])?;
    Some(with(
        &with(base, "take=1000"),
        &format!("after={}", &after[..end]),
    ))
}

/// Requests every route without a path parameter.
pub fn ask_lists(script: &Script, intruder: &Person, holder: &Person) {
    let lists = script
        .routes
        .iter()
        .filter(|route| route.is_get() && route.path_parameters().is_empty());
    let mut asked = 0;
    for route in lists.filter(|route| !route.operation.ends_with("/subscribe")) {
        let operation = route.operation.as_str();
        let mine = |answer: &Answer| holder.is_in(&text(answer)).is_some();
        if WITHOUT_MEDIA.contains(&operation) && operation != "GET /api/v1/photos/buckets" {
            let answer = script.ask(&intruder.token, operation, &[], "", None);
            assert_eq!(holder.is_in(&text(&answer)), None, "{operation}");
            continue;
        }
        let plain = script.ask(&holder.token, operation, &[], &base(route, holder), None);
        if plain.status == 403 {
            let answer = script.ask(&intruder.token, operation, &[], "", None);
            assert_eq!(answer.status, 403, "{operation}");
            continue;
        }
        assert_eq!(plain.status, 200, "{operation}: {plain:?}");
        let names_things = !WITHOUT_MEDIA.contains(&operation);
        assert!(!names_things || mine(&plain), "{operation}: {}", text(&plain));
        let mut queries = queries(route, holder);
        if route.takes("after") {
            queries.extend(second_page(script, route, holder, &base(route, holder)));
        }
        let tag = plain.header("etag").unwrap_or("\"none\"").to_owned();
        for query in queries {
            let of_holder = script.ask(&holder.token, operation, &[], &query, None);
            let answer = script.ask_with(
                &intruder.token,
                operation,
                &[],
                &query,
                None,
                &[("if-none-match", &tag)],
            );
            asked += 1;
            assert_eq!(
                holder.is_in(&text(&answer)),
                None,
                "{} learns it from {operation}?{query}: {}",
                intruder.name,
                text(&answer)
            );
            assert_ne!(answer.status, 304, "{operation}?{query}");
            if of_holder.status == 200 && query.contains("libraryIds=") && answer.status == 200 {
                // Lists, and the buckets of photos.
                let nothing = [serde_json::json!([[], 0]), serde_json::json!([])];
                assert!(nothing.contains(&answer.json()), "{operation}?{query}");
            }
        }
    }
    println!(
        "{} asked {asked} lists of what is {}'s",
        intruder.name, holder.name
    );
    assert!(asked > 100, "{asked}");
}

/// The response equals that for an unknown id.
fn is_refused(
    script: &Script,
    intruder: &Person,
    operation: &str,
    ids: &[&str],
    query: &str,
    tag: Option<&str>,
) {
    let other = [&[UNKNOWN], &ids[1..]].concat();
    let unknown = script.ask(&intruder.token, operation, &other, query, None);
    let mut ways: Vec<Vec<(&str, &str)>> = vec![vec![]];
    if query.is_empty() {
        ways.push(vec![("if-none-match", "*")]);
        ways.push(vec![("range", "bytes=0-9")]);
        ways.push(vec![("method", "HEAD")]);
        ways.extend(tag.map(|tag| vec![("if-none-match", tag)]));
    }
    for headers in ways {
        let answer = script.ask_with(&intruder.token, operation, ids, query, None, &headers);
        let how = format!("{} {operation} {ids:?} ?{query} {headers:?}", intruder.name);
        assert_eq!(answer.status, 404, "{how}: {}", text(&answer));
        if headers.first().is_none_or(|(name, _)| *name != "method") {
            assert_eq!(text(&answer), text(&unknown), "{how}");
        }
    }
}

/// Requests every route with a path parameter for all items of `holder`.
pub fn ask_by_id(script: &Script, intruder: &Person, holder: &Person) {
    let mut asked = 0;
    for route in script.routes.iter().filter(|route| route.is_get()) {
        let names = route.path_parameters();
        if names.is_empty() || names.iter().any(|name| OTHER_IDS.contains(name)) {
            continue;
        }
        let operation = route.operation.as_str();
        let (name, more): (&str, &[&str]) = match names[..] {
            [name] => (name, &[]),
            [name, "pageNumber"] => (name, &["1"]),
            _ => panic!("{operation}: the script does not know what {names:?} are"),
        };
        assert!(
            holder.own.contains_key(name),
            "{operation}: the script does not know `{name}`"
        );
        let mut opened = 0;
        for id in holder.ids(name) {
            let ids = [&[id], more].concat();
            let of_holder = script.ask(&holder.token, operation, &ids, "", None);
            opened += usize::from(of_holder.status / 100 == 2);
            for query in queries(route, holder) {
                // Refused by validation before the id is resolved.
                if script.ask(&holder.token, operation, &ids, &query, None).status == 400 {
                    continue;
                }
                is_refused(
                    script,
                    intruder,
                    operation,
                    &ids,
                    &query,
                    of_holder.header("etag"),
                );
                asked += 1;
            }
        }
        assert!(opened > 0, "{} opens nothing by {operation}", holder.name);
    }
    println!(
        "{} asked for {asked} things that are {}'s",
        intruder.name, holder.name
    );
    assert!(asked > 200, "{asked}");
}

/// Items that both share are one item for the owner.
pub fn check_that_both_have_a_part(script: &Script) {
    let owner = script.server.token();
    for (operation, key, name, parts, count) in [
        ("GET /api/v1/music/artists", "name", "Both", "trackCount", 2),
        ("GET /api/v1/music/releases", "title", "Together", "trackCount", 2),
        (
            "GET /api/v1/music/genres",
            "name",
            "Common genre",
            "trackCount",
            8,
        ),
        ("GET /api/v1/movies", "title", "Common film", "sources", 2),
        ("GET /api/v1/tv/shows", "title", "Common show", "episodeCount", 2),
    ] {
        let items = script.list(owner, operation, &[], "take=1000");
        let found: Vec<&Value> = items.iter().filter(|item| item[key] == name).collect();
        assert_eq!(found.len(), 1, "{operation} {name}");
        let part = &found[0][parts];
        let number = part
            .as_array()
            .map_or(part.as_u64(), |parts| Some(parts.len() as u64));
        assert_eq!(number, Some(count), "{operation} {name}: {part}");
    }
}

/// Of shared items each account sees its own part.
pub fn check_what_both_have(script: &Script, person: &Person, other: &Person) {
    let token = &person.token;
    let named = |operation: &str, key: &str, name: &str| {
        let items = script.list(token, operation, &[], "take=1000");
        let found: Vec<&Value> = items.iter().filter(|item| item[key] == name).collect();
        assert_eq!(found.len(), 1, "{operation} {name}: {items:?}");
        found[0].clone()
    };
    let id = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    let opens = |operation: &str, id: &str, query: &str| {
        script.ask(token, operation, &[id], query, None).status == 200
    };
    let seconds = f64::from(person.media_set.seconds);
    let artist = named("GET /api/v1/music/artists", "name", "Both");
    assert_eq!(
        (&artist["releaseCount"], &artist["trackCount"]),
        (&1.into(), &1.into())
    );
    let release = named("GET /api/v1/music/releases", "title", "Together");
    assert_eq!(release["trackCount"], 1);
    assert!(
        (release["duration"].as_f64().unwrap() - seconds).abs() < 0.5,
        "{release}"
    );
    let release = id(&release, "musicReleaseId");
    let artwork = "GET /api/v1/music/releases/{musicReleaseId}/artwork";
    assert_eq!(opens(artwork, &release, ""), person.media_set.has_pictures);
    // Three songs, one of them new, and the duet.
    let genre = named("GET /api/v1/music/genres", "name", "Common genre");
    assert_eq!(genre["trackCount"], 4);

    let movie = named("GET /api/v1/movies", "title", "Common film");
    assert_eq!(movie["sources"].as_array().unwrap().len(), 1, "{movie}");
    assert!(
        (movie["runtime"].as_f64().unwrap() - seconds * 600.0).abs() < 5.0,
        "{movie}"
    );
    let movie = id(&movie, "movieId");
    let stream = "GET /api/v1/movies/{movieId}/stream";
    assert!(opens(stream, &movie, ""));
    assert_eq!(
        opens("GET /api/v1/movies/{movieId}/artwork", &movie, ""),
        person.media_set.has_pictures
    );
    for source in other.ids("sourceId") {
        assert!(!opens(stream, &movie, &format!("sourceId={source}")), "{source}");
    }
    let show = named("GET /api/v1/tv/shows", "title", "Common show");
    assert_eq!(
        (&show["seasonCount"], &show["episodeCount"]),
        (&1.into(), &1.into())
    );
    let show = id(&show, "tvShowId");
    assert_eq!(
        opens("GET /api/v1/tv/shows/{tvShowId}/artwork", &show, ""),
        person.media_set.has_pictures
    );
    for (operation, id) in [
        (
            "GET /api/v1/music/artists/{musicArtistId}",
            id(&artist, "musicArtistId"),
        ),
        (
            "GET /api/v1/music/artists/{musicArtistId}/releases",
            id(&artist, "musicArtistId"),
        ),
        ("GET /api/v1/music/releases/{musicReleaseId}", release.clone()),
        ("GET /api/v1/music/releases/{musicReleaseId}/tracks", release),
        ("GET /api/v1/movies/{movieId}", movie),
        ("GET /api/v1/tv/shows/{tvShowId}", show.clone()),
        ("GET /api/v1/tv/shows/{tvShowId}/seasons", show.clone()),
        ("GET /api/v1/tv/shows/{tvShowId}/episodes", show),
    ] {
        let answer = script.ask(token, operation, &[&id], "", None);
        assert_eq!(answer.status, 200, "{operation}");
        assert!(!answer.json().is_null());
        assert_eq!(
            other.is_in(&text(&answer)),
            None,
            "{operation}: {}",
            text(&answer)
        );
    }
    check_the_common_book(script, person, other);
    let buckets = script
        .ask(token, "GET /api/v1/photos/buckets", &[], "", None)
        .json();
    let count = |bucket: &Value| (id(bucket, "bucket"), bucket["count"].as_i64().unwrap());
    let mut counts: Vec<_> = buckets.as_array().unwrap().iter().map(count).collect();
    counts.sort();
    let mut expected = vec![
        (format!("{}-07", person.media_set.year), 2),
        ("2020-05".to_owned(), 1),
    ];
    expected.sort();
    assert_eq!(counts, expected);
    for found in ["Common", "Both", "Together"] {
        let answer = script.ask(
            token,
            "GET /api/v1/search",
            &[],
            &format!("q={found}&take=1000"),
            None,
        );
        assert!(text(&answer).contains(found), "{found}");
        assert_eq!(other.is_in(&text(&answer)), None, "{found}: {}", text(&answer));
    }
}

/// Of an audiobook whose parts are in libraries of both, each account has one part.
fn check_the_common_book(script: &Script, person: &Person, other: &Person) {
    let token = &person.token;
    let books = script.list(token, "GET /api/v1/items", &[], "kind=audiobooks&take=1000");
    let book = books.iter().find(|book| book["title"] == "Common book").unwrap();
    let book = book["itemId"].as_str().unwrap();
    let parts = script.expect(200, token, "GET /api/v1/items/{itemId}/parts", &[book], None);
    assert_eq!(parts.as_array().unwrap().len(), 1, "{parts}");
    assert!(person.is_in(&parts.to_string()).is_some(), "{parts}");
    // Both parts have the author, and the genre may be that of the other part alone.
    for (key, counts_it) in [("author", true), ("genres", false)] {
        let query = format!("kind=audiobooks&key=x.audiobooks.{key}&q=common");
        let values = script.list(token, "GET /api/v1/items/facets", &[], &query);
        assert_eq!(!values.is_empty(), counts_it, "{key}: {values:?}");
    }
    for operation in ["GET /api/v1/items/{itemId}", "GET /api/v1/items/{itemId}/parts"] {
        let answer = script.ask(token, operation, &[book], "", None);
        assert_eq!(answer.status, 200, "{operation}");
        assert_eq!(
            other.is_in(&text(&answer)),
            None,
            "{operation}: {}",
            text(&answer)
        );
    }
}

/// `/ls` does not show the folders of the other account.
pub fn look_at_the_disk(script: &Script, intruder: &Person, holder: &Person) {
    let operation = "GET /api/v1/ls";
    for kind in KINDS {
        let look = |person: &Person, path: &str| {
            let query = format!("rootDir={kind}&path={path}");
            script.ask(&person.token, operation, &[], &query, None)
        };
        let (own, root) = (look(holder, holder.media_set.word), look(intruder, ""));
        assert!(
            own.status == 200 && text(&own).contains(holder.media_set.word),
            "{own:?}"
        );
        assert!(
            root.status == 200 && text(&root).contains(intruder.media_set.word),
            "{root:?}"
        );
        assert_eq!(holder.is_in(&text(&root)), None, "{}", text(&root));
        for path in [
            holder.media_set.word.to_owned(),
            format!("{}%2Falbum", holder.media_set.word),
        ] {
            let answer = look(intruder, &path);
            assert_eq!(
                (answer.status, text(&answer)),
                (400, text(&look(intruder, "nowhere"))),
                "{path}"
            );
        }
    }
}

/// Every operation was requested, except those without media.
pub fn check_that_all_was_asked(script: &Script) {
    let left: Vec<&str> = script
        .left()
        .into_iter()
        .filter(|operation| !CHANGES_NO_MEDIA.contains(operation))
        .collect();
    assert!(left.is_empty(), "the script says nothing of {left:#?}");
}
