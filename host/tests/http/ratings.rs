//! `/ratings`.

use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::history::ids;
use crate::support::databases::on_each_database;
use crate::support::media::song;
use crate::support::{Client, TestServer};
use svc_domain::extraction::{Extraction, Field, Value as FieldValue};
use svc_domain::kind::MediaKind;
use svc_domain::photo::PhotoFacts;
use svc_domain::scan::FileRecord;
use svc_domain::time::Timestamp;

pub(crate) const RATINGS: &str = "/api/v1/ratings";

#[covers(
    "GET /api/v1/ratings",
    "PUT /api/v1/ratings",
    "DELETE /api/v1/ratings/{mediaType}/{mediaId}"
)]
#[tokio::test]
async fn rating_is_per_user_and_shown_with_the_item() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let bea = server.as_user("bea", &["member"]).await;
        let folder = server.folder(MediaKind::music()).await;
        let track = song(server, folder, "Song", "Ann", "Jazz").await.to_string();
        let other = song(server, folder, "Other", "Ann", "Jazz").await.to_string();
        let stars = Extraction {
            fields: vec![Field {
                key: "photo.rating".to_owned(),
                value: FieldValue::Integer(3),
            }],
            ..Extraction::default()
        };
        let folder = server.folder_at(MediaKind::photos(), "Photos").await;
        let facts = PhotoFacts::from_extraction(&stars, "p.jpg", Timestamp::from_millis(0));
        let photo = server
            .record(folder, "p.jpg", 4, FileRecord::Photo(Box::new(facts)))
            .await
            .to_string();
        let artist = owner.get("/api/v1/music/artists").await.json()[0][0]["musicArtistId"]
            .as_str()
            .unwrap()
            .to_owned();
        let shown = async |token: &Client, target: String| token.get(&target).await.json()["rating"].clone();
        let (track_at, photo_at) = (
            format!("/api/v1/music/tracks/{track}"),
            format!("/api/v1/photos/{photo}"),
        );
        assert_eq!(shown(&owner, track_at.clone()).await, Value::Null);
        assert_eq!(
            shown(&owner, photo_at.clone()).await,
            0.6,
            "three stars in the file"
        );
        for (media_type, id, rating) in [
            ("music_track", &track, 0.8),
            ("music_track", &other, 0.79),
            ("photo", &photo, 0.2),
            ("music_artist", &artist, 1.0),
        ] {
            let body = json!({"mediaType": media_type, "mediaId": id, "rating": rating});
            let reply = owner.put(RATINGS, &body).await;
            assert_eq!((reply.status, &reply.json()["rating"]), (200, &json!(rating)));
            server.clock.advance(Duration::from_millis(5));
        }
        assert_eq!(shown(&owner, track_at.clone()).await, 0.8);
        assert_eq!(shown(&owner, photo_at.clone()).await, 0.2);
        assert_eq!(shown(&bea, track_at.clone()).await, Value::Null);
        assert_eq!(shown(&bea, photo_at.clone()).await, 0.6);
        let all = [artist.clone(), photo.clone(), other.clone(), track.clone()];
        assert_eq!(ids(&owner, RATINGS).await, all);
        let mut oldest = all.to_vec();
        oldest.reverse();
        let first = format!("{RATINGS}?orderBy=ratedAt&order=ASC");
        assert_eq!(ids(&owner, &first).await, oldest);
        let favorites = format!("{RATINGS}?favorites=true");
        assert_eq!(ids(&owner, &favorites).await, [artist.clone(), track.clone()]);
        assert_eq!(
            ids(&owner, &format!("{favorites}&mediaType=music_track")).await,
            std::slice::from_ref(&track)
        );
        assert_eq!(ids(&bea, RATINGS).await, Vec::<String>::new());
        let target = format!("{RATINGS}/photo/{photo}");
        for gone in [true, false] {
            let reply = owner.delete(&target).await;
            assert_eq!((reply.status, reply.json()), (200, json!(gone)));
        }
        assert_eq!(shown(&owner, photo_at).await, 0.6);
    })
    .await;
}

#[tokio::test]
async fn favorites_and_their_total_follow_the_ratings() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let bea = server.as_user("bea", &["member"]).await;
        let folder = server.folder(MediaKind::music()).await;
        song(server, folder, "Song", "Ann", "Jazz").await;
        for (media_type, list, id) in [
            ("music_track", "tracks", "musicTrackId"),
            ("music_release", "releases", "musicReleaseId"),
            ("music_artist", "artists", "musicArtistId"),
        ] {
            let all = owner.get(&format!("/api/v1/music/{list}")).await.json();
            let item = all[0][0][id].as_str().unwrap().to_owned();
            let favorites = async |token: &Client| {
                let reply = token
                    .get(&format!("/api/v1/music/{list}?favorites=true"))
                    .await
                    .json();
                (reply[0].as_array().unwrap().len(), reply[1].clone())
            };
            assert_eq!(favorites(&owner).await, (0, json!(0)), "{list}");
            for (rating, count) in [(1.0, 1), (0.5, 0), (0.9, 1)] {
                let body = json!({"mediaType": media_type, "mediaId": item, "rating": rating});
                assert_eq!(owner.put(RATINGS, &body).await.status, 200);
                assert_eq!(favorites(&owner).await, (count, json!(count)), "{list} {rating}");
            }
            assert_eq!(favorites(&bea).await, (0, json!(0)), "{list}");
            let target = format!("{RATINGS}/{media_type}/{item}");
            assert_eq!(owner.delete(&target).await.status, 200);
            assert_eq!(favorites(&owner).await, (0, json!(0)), "{list} forgotten");
        }
    })
    .await;
}
