//! Timeline buckets, corrections of photos, and albums.

use crate::tests::*;
use crate::{AlbumOrder, BoundingBox, NewPhotoAlbum, PhotoFilter, PhotoOrder, ScanBatch};
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::id::{PhotoAlbumId, PhotoId, UserId};
use svc_domain::list::{ListRequest, Order, Pagination};
use svc_domain::photo::{GeoPoint, Photo, PhotoFacts};
use svc_domain::photo_album::{AlbumPhotoOutcome, AlbumViewers, PhotoAlbumPatch};
use svc_domain::photo_bucket::Granularity;
use svc_domain::photo_edit::PhotoPatch;

const PAGE: Pagination = Pagination { take: 100, skip: 0 };
const UP: Order = Order::Ascending;
/// Noon of 14 July 2021.
const JULY: i64 = 1_626_264_000_000;
const DAY: i64 = 86_400_000;
const LATER: Timestamp = Timestamp::from_millis(NOW.millis() + 1000);

fn file(test_store: &TestStore, folder: FolderId, name: &str, taken: i64) -> StoredFile {
    let facts = PhotoFacts::from_extraction(&Extraction::default(), name, Timestamp::from_millis(taken));
    test_store.file(folder, name, FileRecord::Photo(Box::new(facts)))
}

async fn photos(test_store: &TestStore, taken: &[i64]) -> Vec<PhotoId> {
    let (_, folder) = test_store.folder(MediaKind::photos(), "p").await;
    let files = taken
        .iter()
        .enumerate()
        .map(|(number, &taken)| file(test_store, folder, &format!("{number}.jpg"), taken));
    let ids = test_store.persist(files.collect()).await;
    ids.into_iter().map(PhotoId::from).collect()
}

async fn album(test_store: &TestStore, owner: UserId, name: &str, viewers: AlbumViewers) -> PhotoAlbumId {
    let new = NewPhotoAlbum {
        id: test_store.id(),
        owner,
        name: name.to_owned(),
        description: None,
        viewers,
    };
    assert!(
        test_store
            .store
            .photo_albums
            .insert_photo_album(&new, 10, NOW)
            .await
            .unwrap()
    );
    new.id
}

async fn shown(test_store: &TestStore, id: PhotoId) -> Photo {
    test_store
        .store
        .photos
        .photo(ALL_MEDIA, id)
        .await
        .unwrap()
        .unwrap()
}

async fn listed(test_store: &TestStore, filter: &PhotoFilter, by: PhotoOrder) -> Vec<PhotoId> {
    let listed = test_store
        .store
        .photos
        .list_photos(ALL_MEDIA, filter, &ListRequest::new(by, UP, PAGE))
        .await
        .unwrap();
    assert_eq!(listed.total, listed.items.len() as u64);
    listed.items.into_iter().map(|photo| photo.id).collect()
}

async fn days(test_store: &TestStore, filter: &PhotoFilter, granularity: Granularity) -> Vec<(String, i64)> {
    let buckets = test_store
        .store
        .photos
        .photo_buckets(ALL_MEDIA, filter, &[], granularity)
        .await
        .unwrap();
    buckets
        .into_iter()
        .map(|bucket| (bucket.name.to_string(), bucket.count))
        .collect()
}

#[tokio::test]
async fn photos_are_counted_by_day_and_month_and_found_by_both() {
    on_each_database(async |test_store: &mut TestStore| {
        let ids = photos(
            test_store,
            &[JULY, JULY + 3_600_000, JULY + DAY, JULY + 31 * DAY, -DAY - 1],
        )
        .await;
        let all = PhotoFilter::default();
        let expected = [
            ("1969-12-30", 1),
            ("2021-07-14", 2),
            ("2021-07-15", 1),
            ("2021-08-14", 1),
        ];
        let expected = expected.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(days(test_store, &all, Granularity::Day).await, expected);
        let months = test_store
            .store
            .photos
            .photo_buckets(ALL_MEDIA, &all, &[], Granularity::Month)
            .await
            .unwrap();
        let july = months[1];
        assert_eq!(
            (
                july.name.to_string(),
                july.count,
                july.from.millis(),
                july.to.millis()
            ),
            ("2021-07".to_owned(), 3, JULY, JULY + DAY)
        );
        assert_eq!(months.len(), 3);
        for (bucket, found) in [
            ("2021-07", &ids[0..3]),
            ("2021-07-15", &ids[2..3]),
            ("1969-12", &ids[4..5]),
            ("2022-07", &[]),
        ] {
            let filter = PhotoFilter {
                bucket: Some(bucket.parse().unwrap()),
                ..all.clone()
            };
            assert_eq!(
                listed(test_store, &filter, PhotoOrder::TakenAt).await,
                found,
                "{bucket}"
            );
            let counted: i64 = days(test_store, &filter, Granularity::Day)
                .await
                .iter()
                .map(|day| day.1)
                .sum();
            assert_eq!(counted, found.len() as i64);
        }
        let filter = PhotoFilter {
            from: Some(Timestamp::from_millis(JULY + 1)),
            ..all
        };
        assert_eq!(
            days(test_store, &filter, Granularity::Month).await,
            [("2021-07".to_owned(), 2), ("2021-08".to_owned(), 1)]
        );
    })
    .await;
}

#[tokio::test]
async fn correction_counts_everywhere_survives_a_scan_and_can_be_taken_back() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::photos(), "p").await;
        let first = file(test_store, folder, "a.jpg", JULY);
        let id = PhotoId::from(test_store.persist(vec![first.clone()]).await[0]);
        let before = shown(test_store, id).await;
        let place = GeoPoint {
            latitude: 48.2,
            longitude: 16.3,
            altitude: Some(170.0),
        };
        let moved = Timestamp::from_millis(-DAY);
        let patch = PhotoPatch {
            taken_at: Some(Some(moved)),
            utc_offset_minutes: Some(Some(60)),
            place: Some(Some(place)),
            description: Some(Some("In Vienna".into())),
        };
        let since = test_store.store.changes.changes(None, 100).await.unwrap().next;
        let update = async |patch: &PhotoPatch| {
            test_store
                .store
                .photos
                .update_photo(ALL_MEDIA, id, patch, LATER)
                .await
                .unwrap()
        };
        assert_eq!(update(&patch).await, Some(0));
        let corrected = async || {
            let photo = shown(test_store, id).await;
            assert_eq!(photo.facts.taken_at, moved);
            assert_eq!(photo.facts.taken_at_source, before.facts.taken_at_source);
            assert_eq!(photo.facts.utc_offset_minutes, Some(60));
            assert_eq!(photo.facts.place, Some(place));
            assert_eq!(photo.description.as_deref(), Some("In Vienna"));
            assert!(photo.edited.taken_at && photo.edited.utc_offset && photo.edited.place);
            let all = PhotoFilter::default();
            let day = [("1969-12-31".to_owned(), 1)];
            assert_eq!(days(test_store, &all, Granularity::Day).await, day);
            let there = PhotoFilter {
                to: Some(Timestamp::from_millis(0)),
                bounding_box: Some(BoundingBox {
                    west: 16.0,
                    south: 48.0,
                    east: 17.0,
                    north: 49.0,
                }),
                ..all
            };
            assert_eq!(listed(test_store, &there, PhotoOrder::TakenAt).await, [id]);
        };
        corrected().await;
        // The same correction again is no change.
        assert_eq!(update(&patch).await, Some(0));
        let changes = test_store
            .store
            .changes
            .changes(Some(since), 100)
            .await
            .unwrap()
            .changes;
        assert_eq!(changes.len(), 1);
        assert_eq!(
            (changes[0].change.item, changes[0].change.kind, changes[0].item),
            (ItemType::Photo, ChangeKind::Updated, id.get())
        );

        // The metadata of the file changes.
        let mut again = file(test_store, folder, "a.jpg", JULY + DAY);
        (again.file.id, again.file.known) = (id.into(), true);
        test_store.persist(vec![again.clone()]).await;
        corrected().await;
        // While the file cannot be read, the photo stays as it was.
        let mut broken = again.clone();
        broken.file.record =
            FileRecord::Failed(svc_domain::extraction::ExtractFailure::Unsupported("no".into()));
        test_store.persist(vec![broken]).await;
        corrected().await;
        test_store.persist(vec![again]).await;
        corrected().await;

        let some = PhotoPatch {
            taken_at: Some(None),
            place: Some(None),
            ..PhotoPatch::default()
        };
        assert_eq!(update(&some).await, Some(0));
        let photo = shown(test_store, id).await;
        assert_eq!(
            (
                photo.facts.taken_at.millis(),
                photo.facts.place,
                photo.facts.utc_offset_minutes
            ),
            (JULY + DAY, None, Some(60))
        );
        assert!(!photo.edited.taken_at && photo.edited.utc_offset && !photo.edited.place);
        let rest = PhotoPatch {
            utc_offset_minutes: Some(None),
            description: Some(None),
            ..PhotoPatch::default()
        };
        assert_eq!(update(&rest).await, Some(0));
        let photo = shown(test_store, id).await;
        let mut expected = before.clone();
        expected.facts.taken_at = Timestamp::from_millis(JULY + DAY);
        assert_eq!(photo, expected);

        let hidden = MediaScope::Classes([77].into());
        let unseen = test_store
            .store
            .photos
            .update_photo(&hidden, id, &patch, LATER)
            .await
            .unwrap();
        assert_eq!(unseen, None);
        assert_eq!(shown(test_store, id).await, expected);
    })
    .await;
}

#[tokio::test]
async fn album_keeps_the_order_of_its_photos_and_counts_the_visible_ones() {
    on_each_database(async |test_store: &mut TestStore| {
        let ids = photos(test_store, &[JULY, JULY - DAY, JULY + DAY, JULY + 2 * DAY]).await;
        let ada = test_store.user("ada", &[]).await;
        let id = album(test_store, ada, "The Summer", AlbumViewers::default()).await;
        let unknown: PhotoId = test_store.id();
        let add = async |photos: &[PhotoId], most| {
            let key = (ada, id);
            let added = test_store
                .store
                .photo_albums
                .add_to_photo_album(ALL_MEDIA, key, photos, most, LATER)
                .await;
            added.unwrap().unwrap()
        };
        let (outcomes, added, _) = add(&[ids[2], unknown, ids[0]], 3).await;
        assert_eq!(
            outcomes,
            [
                (ids[2], AlbumPhotoOutcome::Done),
                (unknown, AlbumPhotoOutcome::NoSuchPhoto),
                (ids[0], AlbumPhotoOutcome::Done)
            ]
        );
        assert_eq!(added, [ids[2], ids[0]]);
        let (outcomes, added, _) = add(&[ids[0], ids[1], ids[3]], 3).await;
        assert_eq!(
            outcomes,
            [
                (ids[0], AlbumPhotoOutcome::Done),
                (ids[1], AlbumPhotoOutcome::Done),
                (ids[3], AlbumPhotoOutcome::AlbumFull)
            ]
        );
        assert_eq!(added, [ids[1]]);
        let filter = PhotoFilter {
            album: Some(id),
            ..PhotoFilter::default()
        };
        assert_eq!(
            listed(test_store, &filter, PhotoOrder::Album).await,
            [ids[2], ids[0], ids[1]]
        );
        assert_eq!(
            listed(test_store, &filter, PhotoOrder::TakenAt).await,
            [ids[1], ids[0], ids[2]]
        );
        assert_eq!(
            days(test_store, &filter, Granularity::Month).await,
            [("2021-07".to_owned(), 3)]
        );
        let get = async |scope: &MediaScope| {
            test_store
                .store
                .photo_albums
                .photo_album(scope, ada, id)
                .await
                .unwrap()
                .unwrap()
        };
        let seen = get(ALL_MEDIA).await;
        assert_eq!(
            (seen.photo_count, seen.cover, seen.modified_at),
            (3, Some(ids[2]), LATER)
        );
        assert_eq!(
            seen.span.map(|(from, to)| (from.millis(), to.millis())),
            Some((JULY - DAY, JULY + DAY))
        );
        let blind = get(&MediaScope::Classes([77].into())).await;
        assert_eq!((blind.photo_count, blind.cover, blind.span), (0, None, None));

        let cover = async |photo| {
            let patch = PhotoAlbumPatch {
                cover: Some(photo),
                ..PhotoAlbumPatch::default()
            };
            test_store
                .store
                .photo_albums
                .update_photo_album(ada, id, &patch, LATER)
                .await
                .unwrap()
                .unwrap();
            get(ALL_MEDIA).await.cover
        };
        assert_eq!(cover(Some(ids[1])).await, Some(ids[1]));
        assert_eq!(cover(Some(ids[3])).await, Some(ids[2]), "not of the album");
        assert_eq!(cover(Some(ids[0])).await, Some(ids[0]));
        let (outcomes, removed, _) = test_store
            .store
            .photo_albums
            .remove_from_photo_album((ada, id), &[ids[0], ids[3]], LATER)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            outcomes,
            [
                (ids[0], AlbumPhotoOutcome::Done),
                (ids[3], AlbumPhotoOutcome::NotInAlbum)
            ]
        );
        assert_eq!(removed, [ids[0]]);
        assert_eq!(get(ALL_MEDIA).await.cover, Some(ids[2]));
        assert_eq!(
            listed(test_store, &filter, PhotoOrder::Album).await,
            [ids[2], ids[1]]
        );
        let of = test_store
            .store
            .photo_albums
            .albums_of_photos(ada, &ids)
            .await
            .unwrap();
        assert_eq!(of.get(&ids[1]), Some(&vec![id]));
        assert_eq!(of.get(&ids[0]), None);

        // A purged photo leaves its albums; deleting an album deletes no photo.
        let missing = vec![ids[2].into()];
        let mut writer = test_store.writer();
        let batch = ScanBatch {
            now: NOW,
            missing,
            ..ScanBatch::default()
        };
        writer.persist(&batch).await.unwrap();
        assert_eq!(writer.purge_missing(LATER, LATER).await.unwrap(), 1);
        assert_eq!(get(ALL_MEDIA).await.cover, Some(ids[1]));
        test_store
            .store
            .photo_albums
            .delete_photo_album(ada, id)
            .await
            .unwrap()
            .unwrap();
        assert!(
            test_store
                .store
                .photo_albums
                .delete_photo_album(ada, id)
                .await
                .unwrap()
                .is_none()
        );
        assert_eq!(
            listed(test_store, &PhotoFilter::default(), PhotoOrder::CreatedAt)
                .await
                .len(),
            3
        );
    })
    .await;
}

#[tokio::test]
async fn albums_are_visible_to_their_owner_and_viewers_and_changed_by_the_owner_only() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, ben, cat) = (
            test_store.user("ada", &[]).await,
            test_store.user("ben", &[]).await,
            test_store.user("cat", &[]).await,
        );
        let shared = AlbumViewers {
            everyone: false,
            users: vec![ben],
        };
        let everyone = AlbumViewers {
            everyone: true,
            users: Vec::new(),
        };
        let own = album(test_store, ada, "b own", AlbumViewers::default()).await;
        let with_ben = album(test_store, ada, "The a shared", shared.clone()).await;
        let open = album(test_store, ada, "C open", everyone).await;
        let names = async |user, by| -> Vec<PhotoAlbumId> {
            let listed = test_store
                .store
                .photo_albums
                .list_photo_albums(ALL_MEDIA, user, by, UP, PAGE)
                .await
                .unwrap();
            assert_eq!(listed.total, listed.items.len() as u64);
            listed.items.into_iter().map(|album| album.id).collect()
        };
        assert_eq!(names(ada, AlbumOrder::Name).await, [with_ben, own, open]);
        assert_eq!(names(ada, AlbumOrder::CreatedAt).await, [own, with_ben, open]);
        assert_eq!(names(ben, AlbumOrder::Name).await, [with_ben, open]);
        assert_eq!(names(cat, AlbumOrder::Name).await, [open]);
        for (user, id, sees) in [
            (ben, own, false),
            (ben, with_ben, true),
            (cat, with_ben, false),
            (cat, open, true),
        ] {
            let shown = test_store
                .store
                .photo_albums
                .photo_album(ALL_MEDIA, user, id)
                .await
                .unwrap();
            assert_eq!(shown.is_some(), sees);
            assert_eq!(
                test_store
                    .store
                    .photo_albums
                    .can_see_photo_album(user, id)
                    .await
                    .unwrap(),
                sees
            );
        }
        let patch = PhotoAlbumPatch {
            name: Some("New".into()),
            users: Some(vec![cat]),
            ..PhotoAlbumPatch::default()
        };
        let update = async |user, id| {
            test_store
                .store
                .photo_albums
                .update_photo_album(user, id, &patch, LATER)
                .await
                .unwrap()
        };
        for (user, id) in [(ben, with_ben), (cat, open)] {
            assert_eq!(update(user, id).await, None);
            assert_eq!(
                test_store
                    .store
                    .photo_albums
                    .delete_photo_album(user, id)
                    .await
                    .unwrap(),
                None
            );
            let added = test_store
                .store
                .photo_albums
                .add_to_photo_album(ALL_MEDIA, (user, id), &[], 9, LATER)
                .await;
            assert!(added.unwrap().is_none());
            let removed = test_store
                .store
                .photo_albums
                .remove_from_photo_album((user, id), &[], LATER)
                .await;
            assert!(removed.unwrap().is_none());
        }
        let reported = update(ada, with_ben).await.unwrap();
        assert_eq!(
            (reported.everyone, reported.users),
            (false, vec![ben, cat]),
            "before and after"
        );
        assert_eq!(names(ben, AlbumOrder::Name).await, [open]);
        assert_eq!(names(cat, AlbumOrder::ModifiedAt).await, [open, with_ben]);

        let new = NewPhotoAlbum {
            id: test_store.id(),
            owner: ada,
            name: "One more".into(),
            description: None,
            viewers: AlbumViewers::default(),
        };
        assert!(
            !test_store
                .store
                .photo_albums
                .insert_photo_album(&new, 3, NOW)
                .await
                .unwrap()
        );
        let known = test_store
            .store
            .users
            .known_users(&[ada, UserId::from(5)])
            .await
            .unwrap();
        assert_eq!(known, [ada].into());
        let mut change = test_store.store.identity.change_identity().await.unwrap();
        assert!(change.delete_user(ada).await.unwrap());
        change.commit().await.unwrap();
        assert!(
            names(cat, AlbumOrder::Name).await.is_empty(),
            "they go with their owner"
        );
    })
    .await;
}
