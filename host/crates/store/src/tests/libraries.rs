//! Libraries and grants: access classes of folders, and what callers see in lists, totals and the change feed.

use std::collections::HashSet;

use crate::tests::*;
use crate::{
    ArtistFilter, ArtistOrder, GenreOrder, PhotoFilter, PhotoOrder, ReleaseFilter, ReleaseOrder, SearchIndex,
    TrackFilter, TrackOrder,
};
use svc_domain::change::{Change, ChangeKind, ChangeType, ItemType};
use svc_domain::id::{LibraryId, PhotoId, UserId};
use svc_domain::library::{Grant, Library, LibraryCounts};
use svc_domain::list::{ListRequest, Order, OrderedPagination, Pagination};
use svc_domain::music::Artist;
use svc_domain::photo::PhotoFacts;

const PAGE: Pagination = Pagination { take: 100, skip: 0 };
const UP: Order = Order::Ascending;

pub(super) fn library(test_store: &TestStore, kind: MediaKind, paths: &[&str], grants: &[Grant]) -> Library {
    let paths = paths.iter().map(|path| RelativePath::parse(path).unwrap());
    Library {
        id: test_store.id(),
        name: "Some".into(),
        kind,
        paths: paths.collect(),
        restricted: !grants.is_empty(),
        grants: grants.to_vec(),
        created_at: NOW,
    }
}

pub(super) async fn insert(test_store: &TestStore, library: &Library) {
    let mut change = test_store.store.identity.change_identity().await.unwrap();
    change.insert_library(library).await.unwrap();
    change.commit().await.unwrap();
}

async fn update(test_store: &TestStore, library: &Library) {
    let mut change = test_store.store.identity.change_identity().await.unwrap();
    change.update_library(library, true).await.unwrap();
    change.commit().await.unwrap();
}

async fn titles(test_store: &TestStore, user: UserId) -> Vec<String> {
    let scope = test_store.store.libraries.media_scope(user).await.unwrap();
    let filter = TrackFilter::default();
    let tracks = test_store
        .store
        .music
        .list_tracks(&scope, &filter, &ListRequest::new(TrackOrder::Title, UP, PAGE))
        .await;
    let tracks = tracks.unwrap();
    assert_eq!(tracks.total, tracks.items.len() as u64);
    tracks.items.into_iter().map(|track| track.title).collect()
}

/// Tracks in three folders, of which `a` and `b` hold parts of one release.
pub(super) async fn songs(test_store: &TestStore) -> Vec<FileId> {
    let genre = |name: &str| [("music.genres", Value::Texts(vec![name.to_owned()]))];
    let mut files: Vec<(&str, FolderId, StoredFile)> = Vec::new();
    for (path, title, artists, album, number, name) in [
        ("a", "A1", &["Ann"][..], "Both", 1, "Rock"),
        ("b/c", "B1", &["Ann", "Bob"][..], "Both", 2, "Jazz"),
        ("b/c", "B2", &["Bob"][..], "Alone", 2, "Jazz"),
        ("d", "D1", &["Dan"][..], "Open", 1, "Rock"),
    ] {
        let known = files.iter().find(|(known, _, _)| *known == path);
        let folder = match known {
            Some((_, folder, _)) => *folder,
            None => test_store.folder(MediaKind::music(), path).await.1,
        };
        let facts = track_of(title, artists, album, number, &genre(name));
        files.push((path, folder, test_store.file(folder, title, record(facts))));
    }
    test_store
        .persist(files.into_iter().map(|(_, _, file)| file).collect())
        .await
}

#[tokio::test]
async fn caller_without_a_grant_sees_lists_items_and_totals_of_the_other_media() {
    on_each_database(async |test_store: &mut TestStore| {
        let ids = songs(test_store).await;
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        assert_eq!(
            test_store.store.libraries.media_scope(bob).await.unwrap(),
            MediaScope::All
        );
        let closed = library(test_store, MediaKind::music(), &["b"], &[Grant::User(bob)]);
        insert(test_store, &closed).await;
        assert_eq!(
            test_store.store.libraries.media_scope(bob).await.unwrap(),
            MediaScope::All
        );
        assert_eq!(titles(test_store, bob).await, ["A1", "B1", "B2", "D1"]);
        assert_eq!(titles(test_store, ada).await, ["A1", "D1"]);

        let store = &test_store.store;
        let scope = &store.libraries.media_scope(ada).await.unwrap();
        // Only the visible part of "Both" is counted, and its picture is in the hidden part.
        let one = |title: &str| (title.to_owned(), 1, 60_001, false, vec!["Rock".to_owned()]);
        assert_eq!(releases(test_store, scope).await, [one("Both"), one("Open")]);
        let artists = store
            .music
            .list_artists(
                scope,
                &ArtistFilter::default(),
                &ListRequest::new(ArtistOrder::Name, UP, PAGE),
            )
            .await
            .unwrap();
        let counts: Vec<_> = artists
            .items
            .iter()
            .map(|artist| (artist.name.as_str(), artist.release_count, artist.track_count))
            .collect();
        assert_eq!((counts, artists.total), (vec![("Ann", 1, 1), ("Dan", 1, 1)], 2));
        let pictured = |artists: &[Artist]| -> Vec<bool> {
            artists
                .iter()
                .map(|artist| artist.artwork_release.is_some())
                .collect()
        };
        assert_eq!(
            pictured(&artists.items),
            [false, false],
            "Ann's picture is not seen"
        );
        let genres = store
            .music
            .list_genres(scope, &ListRequest::new(GenreOrder::Name, UP, PAGE))
            .await
            .unwrap();
        let counts: Vec<_> = genres
            .items
            .iter()
            .map(|genre| (genre.name.as_str(), genre.track_count))
            .collect();
        assert_eq!((counts, genres.total), (vec![("Rock", 2)], 1));
        let jazz = ReleaseFilter {
            genre: Some("jazz".into()),
            ..ReleaseFilter::default()
        };
        let jazz = store
            .music
            .list_releases(scope, &jazz, &ListRequest::new(ReleaseOrder::Title, UP, PAGE))
            .await;
        assert_eq!(jazz.unwrap().total, 0, "the release is seen, its jazz is not");
        let jazz = ArtistFilter {
            genre: Some("jazz".into()),
            ..ArtistFilter::default()
        };
        let jazz = store
            .music
            .list_artists(scope, &jazz, &ListRequest::new(ArtistOrder::Name, UP, PAGE))
            .await;
        assert_eq!(jazz.unwrap().total, 0, "Ann is seen, her jazz is not");

        let all = store
            .music
            .list_artists(
                ALL_MEDIA,
                &ArtistFilter::default(),
                &ListRequest::new(ArtistOrder::Name, UP, PAGE),
            )
            .await
            .unwrap();
        assert_eq!(pictured(&all.items), [true, true, false]);
        for artist in &all.items {
            let seen = store.music.artist(scope, artist.id).await.unwrap();
            assert_eq!(seen.is_some(), artist.name != "Bob", "{artist:?}");
        }
        for (at, id) in ids.iter().enumerate() {
            let seen = at == 0 || at == 3;
            assert_eq!(
                store.music.track(scope, (*id).into()).await.unwrap().is_some(),
                seen
            );
            assert_eq!(store.files.media_file(scope, *id).await.unwrap().is_some(), seen);
            assert_eq!(
                store.music.track_picture(scope, (*id).into()).await.unwrap(),
                None
            );
            let track = store.music.track(ALL_MEDIA, (*id).into()).await.unwrap().unwrap();
            let release = track.release.unwrap().0;
            assert_eq!(
                store.music.release(scope, release).await.unwrap().is_some(),
                at != 2
            );
            assert_eq!(store.music.release_picture(scope, release).await.unwrap(), None);
            let whole = OrderedPagination {
                order: UP,
                page: PAGE,
            };
            let listed = store.music.release_tracks(scope, release, whole).await.unwrap();
            assert_eq!(listed.total, u64::from(at != 2), "{at}");
        }
        for (index, words, all, seen) in [
            (SearchIndex::Tracks, "b", 3, 1),
            (SearchIndex::Releases, "alone", 1, 0),
            (SearchIndex::Releases, "both", 1, 1),
            (SearchIndex::Artists, "bob", 1, 0),
        ] {
            let found = &store
                .search
                .search(ALL_MEDIA, &[index], words, PAGE)
                .await
                .unwrap()[0];
            assert_eq!((found.total, found.items.len()), (all, all as usize), "{words}");
            let found = &store.search.search(scope, &[index], words, PAGE).await.unwrap()[0];
            assert_eq!((found.total, found.items.len()), (seen, seen as usize), "{words}");
        }
    })
    .await;
}

/// Releases with the counts of their tracks, and whether they have a picture.
async fn releases(test_store: &TestStore, scope: &MediaScope) -> Vec<(String, i64, i64, bool, Vec<String>)> {
    let filter = ReleaseFilter::default();
    let releases = test_store
        .store
        .music
        .list_releases(scope, &filter, &ListRequest::new(ReleaseOrder::Title, UP, PAGE))
        .await;
    let releases = releases.unwrap();
    assert_eq!(releases.total, releases.items.len() as u64);
    let items = releases.items.into_iter().map(|release| {
        let picture = release.artwork_track.is_some();
        (
            release.title,
            release.track_count,
            release.duration_ms,
            picture,
            release.genres,
        )
    });
    items.collect()
}

#[tokio::test]
async fn item_in_several_libraries_is_visible_with_a_grant_of_one() {
    on_each_database(async |test_store: &mut TestStore| {
        songs(test_store).await;
        let ada = test_store.user("ada", &["member"]).await;
        let eve = test_store.user("eve", &["family", "member"]).await;
        let everything = library(test_store, MediaKind::music(), &[""], &[Grant::User(eve)]);
        insert(test_store, &everything).await;
        assert_eq!(titles(test_store, ada).await, Vec::<String>::new());
        assert_eq!(titles(test_store, eve).await.len(), 4);
        // A part of it is in another library as well.
        let mut part = library(
            test_store,
            MediaKind::music(),
            &["b/c"],
            &[Grant::Role("member".into())],
        );
        insert(test_store, &part).await;
        assert_eq!(titles(test_store, ada).await, ["B1", "B2"]);
        part.grants = vec![Grant::Role("family".into())];
        update(test_store, &part).await;
        assert_eq!(titles(test_store, ada).await, Vec::<String>::new());
        assert_eq!(titles(test_store, eve).await.len(), 4);
        part.grants.clear();
        part.restricted = false;
        part.paths = vec![
            RelativePath::parse("a").unwrap(),
            RelativePath::parse("d").unwrap(),
        ];
        update(test_store, &part).await;
        assert_eq!(titles(test_store, ada).await, ["A1", "D1"]);
        // Another kind's library has nothing to do with it.
        insert(
            test_store,
            &library(test_store, MediaKind::photos(), &[""], &[Grant::User(eve)]),
        )
        .await;
        assert_eq!(titles(test_store, ada).await, ["A1", "D1"]);
        assert_eq!(
            test_store.store.libraries.admitted_libraries(ada).await.unwrap(),
            HashSet::from([part.id])
        );
        let libraries = test_store.store.libraries.libraries().await.unwrap();
        assert_eq!(libraries[..2], [everything.clone(), part.clone()]);

        let counts = test_store.store.libraries.library_counts().await.unwrap();
        let count = |id: LibraryId| counts.get(&id).copied().unwrap_or_default();
        let files = |files| LibraryCounts { files, missing: 0 };
        assert_eq!((count(everything.id), count(part.id)), (files(4), files(2)));

        let mut change = test_store.store.identity.change_identity().await.unwrap();
        change.delete_library(&everything).await.unwrap();
        change.commit().await.unwrap();
        assert_eq!(
            titles(test_store, ada).await.len(),
            4,
            "no media are deleted, and none is closed any more"
        );
    })
    .await;
}

#[tokio::test]
async fn folders_that_are_added_later_are_in_the_libraries_of_that_moment() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let closed = library(test_store, MediaKind::photos(), &["b"], &[Grant::User(bob)]);
        insert(test_store, &closed).await;
        let before = test_store.store.identity.identity_revision();
        let early = test_store.store.libraries.media_scope(ada).await.unwrap();
        let mut ids = Vec::new();
        for path in ["bb", "b", "b/x"] {
            let (_, folder) = test_store.folder(MediaKind::photos(), path).await;
            let facts = PhotoFacts::from_extraction(&Extraction::default(), path, NOW);
            let file = test_store.file(folder, "p.jpg", FileRecord::Photo(Box::new(facts)));
            ids.extend(test_store.persist(vec![file]).await);
        }
        assert_eq!(
            test_store.store.identity.identity_revision(),
            before + 1,
            "a class without viewers is reported once"
        );
        let filter = PhotoFilter::default();
        let newest = ListRequest::new(PhotoOrder::CreatedAt, UP, PAGE);
        // A scope that was read before the folders were added hides them as well.
        for scope in [early, test_store.store.libraries.media_scope(ada).await.unwrap()] {
            let photos = test_store.store.photos.list_photos(&scope, &filter, &newest);
            let photos = photos.await.unwrap();
            let seen: Vec<PhotoId> = photos.items.iter().map(|photo| photo.id).collect();
            assert_eq!((seen, photos.total), (vec![PhotoId::from(ids[0])], 1));
            for (at, id) in ids.iter().enumerate() {
                let photo = test_store
                    .store
                    .photos
                    .photo(&scope, PhotoId::from(*id))
                    .await
                    .unwrap();
                assert_eq!(photo.is_some(), at == 0);
            }
        }
        let counts = test_store.store.libraries.library_counts().await.unwrap();
        assert_eq!(counts[&closed.id], LibraryCounts { files: 2, missing: 0 });
    })
    .await;
}

#[tokio::test]
async fn photo_changes_are_reported_with_the_access_class_of_the_folder() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let closed = library(test_store, MediaKind::photos(), &["b"], &[Grant::User(bob)]);
        insert(test_store, &closed).await;
        let mut files = Vec::new();
        for path in ["a", "b"] {
            let (_, folder) = test_store.folder(MediaKind::photos(), path).await;
            let facts = PhotoFacts::from_extraction(&Extraction::default(), path, NOW);
            files.push(test_store.file(folder, "p.jpg", FileRecord::Photo(Box::new(facts))));
        }
        let updated = async |files: &[StoredFile]| {
            let batch = ScanBatch {
                now: NOW,
                files: files.to_vec(),
                ..ScanBatch::default()
            };
            test_store.writer().persist(&batch).await.unwrap().updated_photos
        };
        assert_eq!(updated(&files).await, [], "they are new");
        for file in &mut files {
            file.file.known = true;
        }
        let mut reported = updated(&files).await;
        reported.sort_unstable();
        let ids: Vec<PhotoId> = reported.iter().map(|(id, _)| *id).collect();
        assert_eq!(
            ids,
            [PhotoId::from(files[0].file.id), PhotoId::from(files[1].file.id)]
        );
        for (user, seen) in [(ada, [true, false]), (bob, [true, true])] {
            let scope = test_store.store.libraries.media_scope(user).await.unwrap();
            let sees: Vec<bool> = reported
                .iter()
                .map(|(_, class)| scope.can_see_file(*class))
                .collect();
            assert_eq!(sees, seen);
        }
        let gone = ScanBatch {
            now: NOW,
            missing: vec![files[1].file.id],
            ..ScanBatch::default()
        };
        let back = ScanBatch {
            now: NOW,
            restored: files.iter().map(|file| file.file.id).collect(),
            ..ScanBatch::default()
        };
        for batch in [gone, back] {
            let outcome = test_store.writer().persist(&batch).await.unwrap();
            assert_eq!(outcome.updated_photos, reported[1..], "the other one was there");
        }
    })
    .await;
}

#[tokio::test]
async fn restricted_library_stays_restricted_when_all_its_grantees_are_deleted() {
    on_each_database(async |test_store: &mut TestStore| {
        songs(test_store).await;
        let ada = test_store.user("ada", &["night"]).await;
        let bob = test_store.user("bob", &["day"]).await;
        let grants = [Grant::User(bob), Grant::Role("day".into())];
        insert(
            test_store,
            &library(test_store, MediaKind::music(), &[""], &grants),
        )
        .await;
        let mut change = test_store.store.identity.change_identity().await.unwrap();
        assert!(change.delete_user(bob).await.unwrap());
        change.delete_role("day").await.unwrap();
        change.assign_role(ada, "day", NOW).await.unwrap();
        change.commit().await.unwrap();
        assert_eq!(
            titles(test_store, ada).await,
            Vec::<String>::new(),
            "a later role of the name is another"
        );
        let left = &test_store.store.libraries.libraries().await.unwrap()[0];
        assert_eq!((left.restricted, left.grants.as_slice()), (true, &[][..]));
    })
    .await;
}

#[tokio::test]
async fn changes_of_hidden_items_are_not_reported() {
    on_each_database(async |test_store: &mut TestStore| {
        let ids = songs(test_store).await;
        let ada = test_store.user("ada", &[]).await;
        let mut closed = library(test_store, MediaKind::music(), &["b"], &[]);
        closed.restricted = true;
        insert(test_store, &closed).await;
        let scope = test_store.store.libraries.media_scope(ada).await.unwrap();
        let items: Vec<_> = ids.iter().map(|id| (ItemType::MusicTrack, id.get())).collect();
        let mut requested = items.clone();
        requested.push((ItemType::MusicTrack, 1));
        requested.push((ItemType::Photo, ids[0].get()));
        let access = test_store
            .store
            .items
            .accessible_items_of(&scope, &requested)
            .await
            .unwrap();
        assert_eq!(access, HashSet::from([items[0], items[3]]));
        let access = test_store
            .store
            .items
            .accessible_items_of(ALL_MEDIA, &requested)
            .await
            .unwrap();
        assert_eq!(access, items.iter().copied().collect());

        let change = |kind, id: i64| Change {
            seq: id,
            change: ChangeType {
                item: ItemType::MusicTrack,
                kind,
            },
            item: id,
            at: NOW,
        };
        let added: Vec<_> = ids.iter().map(|id| change(ChangeKind::Added, id.get())).collect();
        let reported = vec![added[0], added[3], change(ChangeKind::Removed, 1)];
        let all = [added, vec![reported[2]]].concat();
        let seen = test_store
            .store
            .changes
            .accessible_changes(&scope, all.clone())
            .await
            .unwrap();
        assert_eq!(seen, reported);
        assert_eq!(
            test_store
                .store
                .changes
                .accessible_changes(ALL_MEDIA, all.clone())
                .await
                .unwrap(),
            all
        );
        for index in [
            ItemType::MusicRelease,
            ItemType::MusicArtist,
            ItemType::Movie,
            ItemType::TvShow,
            ItemType::TvEpisode,
        ] {
            let none = test_store
                .store
                .items
                .accessible_items_of(&scope, &[(index, 1)])
                .await
                .unwrap();
            assert_eq!(none, HashSet::new());
        }
        let others = [
            SearchIndex::Photos,
            SearchIndex::Movies,
            SearchIndex::Shows,
            SearchIndex::Episodes,
        ];
        for found in test_store
            .store
            .search
            .search(&scope, &others, "b", PAGE)
            .await
            .unwrap()
        {
            assert_eq!(found.total, 0);
        }
    })
    .await;
}
