//! Search by comments and by the texts that plugins return under keys of their own.

use crate::SearchIndex;
use crate::tests::*;
use svc_domain::list::Pagination;
use svc_domain::photo::PhotoFacts;
use svc_domain::video::VideoFacts;

/// A file of each kind, whose comment and own texts contain these words.
async fn persist_all(test_store: &TestStore, comment: &str, own: &str) {
    let field = |key: &str, value: Value| Field {
        key: key.to_owned(),
        value,
    };
    let extraction = Extraction {
        title: Some("Nothing".to_owned()),
        fields: vec![
            field("music.comment", Value::Text(comment.to_owned())),
            field("video.comment", Value::Text(comment.to_owned())),
            field("x.moods.mood", Value::Text(own.to_owned())),
            field(
                "x.moods.tags",
                Value::Texts(vec!["one".to_owned(), "two".to_owned()]),
            ),
            field("x.moods.weight", Value::Integer(77)),
        ],
        ..Extraction::default()
    };
    let video = |kind| {
        let facts = VideoFacts::from_extraction(&extraction, &kind, &RelativePath::root(), "a");
        FileRecord::Video(Box::new(facts))
    };
    let track = TrackFacts::from_extraction(&extraction, &RelativePath::root(), "a");
    let photo = PhotoFacts::from_extraction(&extraction, "a", NOW);
    for (kind, record) in [
        (MediaKind::music(), FileRecord::Track(Box::new(track))),
        (MediaKind::photos(), FileRecord::Photo(Box::new(photo))),
        (MediaKind::movies(), video(MediaKind::movies())),
        (MediaKind::tv(), video(MediaKind::tv())),
    ] {
        let (_, folder) = test_store.folder(kind, "one").await;
        let file = test_store.file(folder, "a", record);
        test_store.persist(vec![file]).await;
    }
}

/// How many tracks, photos, movies and episodes search finds.
async fn found(test_store: &TestStore, words: &str) -> [u64; 4] {
    let indexes = [
        SearchIndex::Tracks,
        SearchIndex::Photos,
        SearchIndex::Movies,
        SearchIndex::Episodes,
    ];
    let page = Pagination { take: 10, skip: 0 };
    let found = test_store.store.search.search(ALL_MEDIA, &indexes, words, page);
    let found = found.await.unwrap();
    found
        .iter()
        .map(|hits| hits.total)
        .collect::<Vec<_>>()
        .try_into()
        .unwrap()
}

#[tokio::test]
async fn search_finds_comments_and_own_texts_of_every_kind() {
    on_each_database(async |test_store: &mut TestStore| {
        persist_all(test_store, "Ripped by Annabel", "Melancholy, mostly").await;
        assert_eq!(
            found(test_store, "annab").await,
            [1, 0, 1, 1],
            "photos have no comment"
        );
        assert_eq!(found(test_store, "melanch").await, [1; 4]);
        assert_eq!(found(test_store, "two mostly").await, [1; 4]);
        assert_eq!(found(test_store, "77").await, [0; 4], "numbers are not text");
        assert_eq!(found(test_store, "moods").await, [0; 4], "keys are not text");
    })
    .await;
}

#[tokio::test]
async fn search_keeps_titles_where_own_texts_are_long() {
    on_each_database(async |test_store: &mut TestStore| {
        let long = format!("{}zebra", "filler ".repeat(5000));
        persist_all(test_store, "note", &long).await;
        assert_eq!(found(test_store, "nothing filler").await, [1, 0, 1, 1]);
        assert_eq!(found(test_store, "zebra").await, [0; 4]);
    })
    .await;
}
