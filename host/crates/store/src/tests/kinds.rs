//! Kinds that plugins define, and their items.

use std::collections::HashSet;

use crate::tests::libraries::{insert, library};
use crate::tests::*;
use crate::{
    FacetFilter, KindItemFilter, KindItemOrder, PersistOutcome, SearchIndex, StoredKind, UserItemList,
};
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::id::ItemId;
use svc_domain::item::{FacetCount, Item, ItemRecord};
use svc_domain::item_kind::{FieldType, Grouping, KindApp, KindSchema};
use svc_domain::library::Grant;
use svc_domain::list::{ListRequest, Order, OrderedPagination, Pagination};
use svc_test_support::kinds::field;

const PAGE: Pagination = Pagination { take: 100, skip: 0 };

pub(super) fn comics() -> KindSchema {
    KindSchema {
        kind: "comics".parse().unwrap(),
        label: [("en".to_owned(), "Comics".to_owned())].into(),
        item_label: "Comic".to_owned(),
        app: KindApp::Photos,
        grouping: Grouping::File,
        fields: vec![
            field("x.comics.series", FieldType::Text),
            field("x.comics.writers", FieldType::Texts),
            field("x.comics.number", FieldType::Integer),
            field("x.comics.date", FieldType::Date),
        ],
    }
}

pub(super) fn books() -> KindSchema {
    svc_test_support::kinds::books(vec![
        field("x.books.author", FieldType::Text),
        field("x.books.narrators", FieldType::Texts),
    ])
}

pub(super) fn item(schema: &KindSchema, title: &str, fields: &[(&str, Value)]) -> FileRecord {
    let field = |(key, value): &(&str, Value)| Field {
        key: (*key).to_owned(),
        value: value.clone(),
    };
    let extraction = Extraction {
        title: Some(title.to_owned()),
        duration_ms: Some(1000),
        fields: fields.iter().map(field).collect(),
        pictures: vec![Picture {
            purpose: "front".into(),
            mime: "image/png".into(),
            data: PictureData::At(Span { offset: 3, length: 4 }),
        }],
        ..Extraction::default()
    };
    let record = ItemRecord::from_extraction(&extraction, schema, &RelativePath::root(), title);
    FileRecord::Item(Box::new(record))
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn texts(texts: &[&str]) -> Value {
    Value::Texts(texts.iter().map(|&text| text.to_owned()).collect())
}

pub(super) fn comic(title: &str, series: Option<&str>, writers: &[&str], number: Option<i64>) -> FileRecord {
    let mut fields = Vec::new();
    fields.extend(series.map(|series| ("x.comics.series", text(series))));
    fields.extend((!writers.is_empty()).then(|| ("x.comics.writers", texts(writers))));
    fields.extend(number.map(|number| ("x.comics.number", Value::Integer(number))));
    item(&comics(), title, &fields)
}

pub(super) fn part(author: &str, book: &str, track: i64) -> FileRecord {
    let fields = [
        ("x.books.author", text(author)),
        ("x.books.book", text(book)),
        ("x.books.track", Value::Integer(track)),
        ("x.books.narrators", texts(&[&format!("N{}", track % 2)])),
    ];
    item(&books(), &format!("Part {track}"), &fields)
}

pub(super) async fn stored(test_store: &TestStore, schema: &KindSchema) -> StoredKind {
    let kinds = &test_store.store.kinds;
    kinds.store_kind(schema, "plugin", "1.0.0").await.unwrap();
    kinds.kind(&schema.kind).await.unwrap().unwrap()
}

pub(super) async fn files(
    test_store: &TestStore,
    schema: &KindSchema,
    folder: &str,
    records: Vec<FileRecord>,
) -> Vec<StoredFile> {
    let (_, folder) = test_store.folder(schema.kind.clone(), folder).await;
    let files = records.into_iter().enumerate();
    files
        .map(|(at, record)| test_store.file(folder, &format!("{at}.bin"), record))
        .collect()
}

pub(super) async fn persisted(test_store: &TestStore, files: &[StoredFile]) -> PersistOutcome {
    let mut writer = test_store.writer();
    let batch = ScanBatch {
        now: NOW,
        files: files.to_vec(),
        ..ScanBatch::default()
    };
    let mut outcome = writer.persist(&batch).await.unwrap();
    let recomputed = writer.recompute_aggregates(NOW).await.unwrap();
    outcome.items.extend(recomputed.items);
    outcome
}

async fn listed(
    test_store: &TestStore,
    kind: &StoredKind,
    filter: &KindItemFilter,
    request: &ListRequest<KindItemOrder>,
) -> Vec<Item> {
    let items = test_store
        .store
        .kinds
        .list_items(ALL_MEDIA, kind, filter, request);
    items.await.unwrap().items
}

pub(super) async fn all(test_store: &TestStore, kind: &StoredKind) -> Vec<Item> {
    let request = ListRequest::new(KindItemOrder::Title, Order::Ascending, PAGE);
    listed(test_store, kind, &KindItemFilter::default(), &request).await
}

/// Number of items that search finds.
async fn found(test_store: &TestStore, scope: &MediaScope, kind: i64, words: &str) -> u64 {
    let indexes = [SearchIndex::Items(kind)];
    let hits = test_store.store.search.search(scope, &indexes, words, PAGE);
    hits.await.unwrap()[0].total
}

fn titles(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.title.as_str()).collect()
}

fn facet(kind: &StoredKind, key: &str, values: &[&str]) -> FacetFilter {
    let field = kind.facet_field(key).unwrap();
    FacetFilter {
        field,
        keys: values
            .iter()
            .map(|value| field.facet_key(value).unwrap())
            .collect(),
    }
}

/// Four comics: `Delta` lacks series and writers, `Beta` and `Delta` lack a number.
async fn four_comics(test_store: &TestStore) -> (StoredKind, Vec<StoredFile>) {
    let kind = stored(test_store, &comics()).await;
    let records = vec![
        comic("Gamma", Some("The Saga"), &["Ann", "Bob"], Some(10)),
        comic("The Alpha", Some("saga"), &["Ann"], Some(9)),
        comic("Beta", Some("Élan"), &["Bob"], None),
        comic("Delta", None, &[], None),
    ];
    let files = files(test_store, &comics(), "c", records).await;
    let outcome = persisted(test_store, &files).await;
    assert!(outcome.items.iter().all(|item| item.change == ChangeKind::Added));
    assert_eq!(outcome.items.len(), 4);
    (kind, files)
}

#[tokio::test]
async fn items_are_listed_in_every_order_and_those_without_a_value_come_last() {
    on_each_database(async |test_store: &mut TestStore| {
        let (kind, files) = four_comics(test_store).await;
        let by = |key: &str| KindItemOrder::Field(kind.sort_field(key).unwrap());
        let cases = [
            (
                KindItemOrder::Title,
                Order::Ascending,
                ["The Alpha", "Beta", "Delta", "Gamma"],
            ),
            (
                KindItemOrder::Title,
                Order::Descending,
                ["Gamma", "Delta", "Beta", "The Alpha"],
            ),
            (
                KindItemOrder::CreatedAt,
                Order::Ascending,
                ["Gamma", "The Alpha", "Beta", "Delta"],
            ),
            (
                by("x.comics.number"),
                Order::Ascending,
                ["The Alpha", "Gamma", "Beta", "Delta"],
            ),
            (
                by("x.comics.number"),
                Order::Descending,
                ["Gamma", "The Alpha", "Delta", "Beta"],
            ),
            (
                by("x.comics.series"),
                Order::Ascending,
                ["Beta", "The Alpha", "Gamma", "Delta"],
            ),
            (
                by("x.comics.writers"),
                Order::Ascending,
                ["Gamma", "The Alpha", "Beta", "Delta"],
            ),
        ];
        let no_filter = KindItemFilter::default();
        for (by, order, expected) in cases {
            let whole = listed(test_store, &kind, &no_filter, &ListRequest::new(by, order, PAGE)).await;
            assert_eq!(titles(&whole), expected, "{by:?} {order:?}");
            // By offset and by cursor, an item at a time.
            let mut request = ListRequest::new(by, order, Pagination { take: 1, skip: 0 });
            for (at, title) in expected.iter().enumerate() {
                let skipped = Pagination {
                    take: 1,
                    skip: at as u64,
                };
                let one = listed(
                    test_store,
                    &kind,
                    &no_filter,
                    &ListRequest::new(by, order, skipped),
                )
                .await;
                assert_eq!(titles(&one), [*title]);
                let page = test_store
                    .store
                    .kinds
                    .list_items(ALL_MEDIA, &kind, &no_filter, &request);
                let page = page.await.unwrap();
                assert_eq!(
                    (titles(&page.items), page.total),
                    (vec![*title], 4),
                    "{by:?} {order:?}"
                );
                request.after = page.next;
            }
        }
        // A cursor of one field is not one of another.
        let mut request = ListRequest::new(
            by("x.comics.series"),
            Order::Ascending,
            Pagination { take: 1, skip: 0 },
        );
        let page = test_store
            .store
            .kinds
            .list_items(ALL_MEDIA, &kind, &no_filter, &request);
        request.after = page.await.unwrap().next;
        request.by = by("x.comics.number");
        let foreign = test_store
            .store
            .kinds
            .list_items(ALL_MEDIA, &kind, &no_filter, &request)
            .await;
        assert!(matches!(foreign, Err(crate::StoreError::ForeignCursor)));
        let items = all(test_store, &kind).await;
        let gamma = items.iter().find(|item| item.title == "Gamma").unwrap();
        assert_eq!(gamma.id, ItemId::from(files[0].file.id));
        assert_eq!(
            (gamma.part_count, gamma.duration_ms, gamma.missing),
            (1, Some(1000), false)
        );
        assert!(gamma.has_picture);
        assert_eq!(
            gamma.fields["x.comics.writers"],
            serde_json::json!(["Ann", "Bob"])
        );
        assert_eq!(gamma.fields.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn filters_take_any_value_of_a_key_and_all_keys_and_facets_count_the_rest() {
    on_each_database(async |test_store: &mut TestStore| {
        let (kind, _) = four_comics(test_store).await;
        let request = ListRequest::new(KindItemOrder::Title, Order::Ascending, PAGE);
        let injection = "x'); DROP TABLE items; --";
        let cases: Vec<(Vec<FacetFilter>, Option<&str>, &[&str])> = vec![
            (
                vec![facet(&kind, "x.comics.series", &["SAGA"])],
                None,
                &["The Alpha"],
            ),
            (
                vec![facet(&kind, "x.comics.series", &["the saga", "elan"])],
                None,
                &["Beta", "Gamma"],
            ),
            (
                vec![facet(&kind, "x.comics.writers", &["ann", "bob"])],
                None,
                &["The Alpha", "Beta", "Gamma"],
            ),
            (
                vec![
                    facet(&kind, "x.comics.writers", &["bob"]),
                    facet(&kind, "x.comics.number", &["10"]),
                ],
                None,
                &["Gamma"],
            ),
            (vec![facet(&kind, "x.comics.series", &[injection])], None, &[]),
            (vec![facet(&kind, "x.comics.series", &[])], None, &[]),
            (vec![], Some("ann alp"), &["The Alpha"]),
            (vec![], Some("sag"), &["The Alpha", "Gamma"]),
            (
                vec![facet(&kind, "x.comics.writers", &["bob"])],
                Some("sag"),
                &["Gamma"],
            ),
            (vec![], Some("--"), &[]),
        ];
        for (facets, query, expected) in cases {
            let filter = KindItemFilter {
                facets,
                query: query.map(str::to_owned),
                ..KindItemFilter::default()
            };
            assert_eq!(
                titles(&listed(test_store, &kind, &filter, &request).await),
                expected,
                "{filter:?}"
            );
            let by_number = KindItemOrder::Field(kind.sort_field("x.comics.number").unwrap());
            let by_number = ListRequest::new(by_number, Order::Ascending, PAGE);
            let other = listed(test_store, &kind, &filter, &by_number).await;
            assert_eq!(other.len(), expected.len(), "{filter:?} by another order");
        }
        let count = async |key: &str, filter: &KindItemFilter, page| {
            let field = kind.facet_field(key).unwrap();
            let facets = test_store
                .store
                .kinds
                .item_facets(ALL_MEDIA, field, filter, &[], page);
            let facets = facets.await.unwrap();
            let pair = |facet: &FacetCount| (facet.value.clone(), facet.count);
            (facets.items.iter().map(pair).collect::<Vec<_>>(), facets.total)
        };
        let none = KindItemFilter::default();
        let writers = vec![("Ann".to_owned(), 2), ("Bob".to_owned(), 2)];
        assert_eq!(count("x.comics.writers", &none, PAGE).await, (writers.clone(), 2));
        let second = Pagination { take: 1, skip: 1 };
        assert_eq!(
            count("x.comics.writers", &none, second).await,
            (writers[1..].to_vec(), 2)
        );
        let series = ["Élan", "saga", "The Saga"].map(|text| (text.to_owned(), 1));
        assert_eq!(count("x.comics.series", &none, PAGE).await, (series.to_vec(), 3));
        let numbers = [("9".to_owned(), 1), ("10".to_owned(), 1)];
        assert_eq!(count("x.comics.number", &none, PAGE).await, (numbers.to_vec(), 2));
        let filter = KindItemFilter {
            facets: vec![
                facet(&kind, "x.comics.writers", &["bob"]),
                facet(&kind, "x.comics.number", &["10"]),
            ],
            ..KindItemFilter::default()
        };
        assert_eq!(
            count("x.comics.writers", &filter, PAGE).await,
            (writers.iter().map(|(name, _)| (name.clone(), 1)).collect(), 2)
        );
        assert_eq!(
            count("x.comics.number", &filter, PAGE).await,
            (vec![("10".to_owned(), 1)], 1)
        );
        assert_eq!(found(test_store, ALL_MEDIA, kind.number, "saga").await, 2);
        assert_eq!(found(test_store, ALL_MEDIA, 99, "saga").await, 0);
    })
    .await;
}

#[tokio::test]
async fn sixty_files_are_one_item_that_loses_parts_and_keeps_its_identity() {
    on_each_database(async |test_store: &mut TestStore| {
        let kind = stored(test_store, &books()).await;
        let records = (1..=60)
            .rev()
            .map(|track| part("Ann", "The Book", track))
            .collect();
        let mut files = files(test_store, &books(), "b", records).await;
        // Stored in two runs of the writer: the second one finds the group.
        persisted(test_store, &files[..20]).await;
        persisted(test_store, &files[20..]).await;
        let items = all(test_store, &kind).await;
        assert_eq!(titles(&items), ["The Book"]);
        let book = &items[0];
        assert_eq!(
            (book.part_count, book.duration_ms, book.sort_title.as_str()),
            (60, Some(60_000), "book")
        );
        assert_eq!(book.fields["x.books.narrators"], serde_json::json!(["N1", "N0"]));
        assert!(files.iter().all(|file| file.file.id.get() != book.id.get()));
        let kinds = &test_store.store.kinds;
        let parts = kinds.item_parts(ALL_MEDIA, book.id).await.unwrap();
        let numbers: Vec<i64> = parts.iter().map(|part| part.number).collect();
        assert_eq!(numbers, (1..=60).collect::<Vec<_>>());
        assert_eq!(parts[9].content.title, "Part 10");
        let tenth = kinds
            .item_file(ALL_MEDIA, book.id, Some(10))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(tenth.file, parts[9].file);
        let first = kinds.item_file(ALL_MEDIA, book.id, None).await.unwrap().unwrap();
        assert_eq!(first.file, parts[0].file);
        assert_eq!(kinds.item_file(ALL_MEDIA, book.id, Some(61)).await.unwrap(), None);
        assert_eq!(
            kinds
                .item_picture(ALL_MEDIA, book.id)
                .await
                .unwrap()
                .unwrap()
                .media
                .file,
            parts[0].file
        );

        // All files say another title: the item is the same.
        let reader = test_store.user("ada", &[]).await;
        let key = (ItemType::Item, book.id.get());
        test_store
            .store
            .user_items
            .rate(reader, key, 1.0, NOW)
            .await
            .unwrap();
        for (at, file) in files.iter_mut().enumerate() {
            file.file.known = true;
            file.file.record = part("Ann", "Another Title", 60 - at as i64);
        }
        let outcome = persisted(test_store, &files).await;
        let items = all(test_store, &kind).await;
        assert_eq!((titles(&items), items[0].id), (vec!["Another Title"], book.id));
        assert!(
            outcome
                .items
                .iter()
                .any(|item| item.id == book.id && item.change == ChangeKind::Updated)
        );
        let rated = OrderedPagination {
            order: Order::Descending,
            page: PAGE,
        };
        let rated = test_store.store.user_items.list_user_items(
            reader,
            ALL_MEDIA,
            &[ItemType::Item],
            UserItemList::Ratings { least: 0.8 },
            rated,
        );
        assert_eq!(rated.await.unwrap().total, 1);

        // Two files leave for another book.
        for (file, track) in files.iter_mut().zip([1, 2]) {
            file.file.record = part("Ann", "Split", track);
        }
        persisted(test_store, &files[..2]).await;
        let counts = |items: &[Item]| {
            items
                .iter()
                .map(|item| (item.title.clone(), item.part_count))
                .collect::<Vec<_>>()
        };
        let items = all(test_store, &kind).await;
        assert_eq!(
            counts(&items),
            [("Another Title".to_owned(), 58), ("Split".to_owned(), 2)]
        );
        assert_eq!(items[0].id, book.id);

        // Files go missing: the item does when all of them are, and is deleted with the last.
        let ids: Vec<FileId> = files[2..].iter().map(|file| file.file.id).collect();
        let missing = async |ids: &[FileId]| {
            let batch = ScanBatch {
                now: NOW,
                missing: ids.to_vec(),
                ..ScanBatch::default()
            };
            test_store.writer().persist(&batch).await.unwrap().items
        };
        let some = missing(&ids[..30]).await;
        assert_eq!((some.len(), some[0].change), (1, ChangeKind::Updated));
        assert!(!all(test_store, &kind).await[0].missing);
        let rest = missing(&ids[30..]).await;
        assert_eq!((rest.len(), rest[0].change), (1, ChangeKind::Missing));
        assert!(all(test_store, &kind).await[0].missing);
        let later = Timestamp::from_millis(NOW.millis() + 1);
        let mut writer = test_store.writer();
        assert_eq!(writer.purge_missing(later, later).await.unwrap(), 58);
        let removed = writer.recompute_aggregates(later).await.unwrap().items;
        assert_eq!(removed.len(), 1);
        assert_eq!((removed[0].id, removed[0].change), (book.id, ChangeKind::Removed));
        assert_eq!(counts(&all(test_store, &kind).await), [("Split".to_owned(), 2)]);
        assert_eq!(found(test_store, ALL_MEDIA, kind.number, "another").await, 0);
        let rated = OrderedPagination {
            order: Order::Descending,
            page: PAGE,
        };
        let rated = test_store.store.user_items.list_user_items(
            reader,
            ALL_MEDIA,
            &[ItemType::Item],
            UserItemList::Ratings { least: 0.0 },
            rated,
        );
        assert_eq!(rated.await.unwrap().total, 0);
    })
    .await;
}

#[tokio::test]
async fn item_that_lost_some_of_its_files_for_good_is_counted_again() {
    on_each_database(async |test_store: &mut TestStore| {
        let kind = stored(test_store, &books()).await;
        let records = (1..=3)
            .map(|track| part("Ann", "B", track))
            .chain([item(&books(), "Alone", &[])]);
        let files = files(test_store, &books(), "b", records.collect()).await;
        persisted(test_store, &files).await;
        let before = all(test_store, &kind).await;
        assert_eq!(titles(&before), ["Alone", "B"]);
        let gone = ScanBatch {
            now: NOW,
            missing: vec![files[0].file.id],
            ..ScanBatch::default()
        };
        test_store.writer().persist(&gone).await.unwrap();
        let later = Timestamp::from_millis(NOW.millis() + 1);
        let mut writer = test_store.writer();
        writer.purge_missing(later, later).await.unwrap();
        let changed = writer.recompute_aggregates(later).await.unwrap().items;
        assert_eq!((changed.len(), changed[0].change), (1, ChangeKind::Updated));
        let after = all(test_store, &kind).await;
        assert_eq!(
            (after[1].id, after[1].part_count, after[1].duration_ms),
            (before[1].id, 2, Some(2000))
        );
        assert_eq!(
            after[1].fields["x.books.narrators"],
            serde_json::json!(["N0", "N1"])
        );
    })
    .await;
}

#[tokio::test]
async fn item_is_what_its_accessible_files_say() {
    on_each_database(async |test_store: &mut TestStore| {
        let kind = stored(test_store, &books()).await;
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        insert(
            test_store,
            &library(test_store, books().kind, &["closed"], &[Grant::User(bob)]),
        )
        .await;
        let mut all_files = files(
            test_store,
            &books(),
            "open",
            vec![part("Ann", "Both", 2), part("Ann", "Open", 1)],
        )
        .await;
        let closed = vec![part("Ann", "Both", 1), part("Zoe", "Closed", 1)];
        all_files.extend(files(test_store, &books(), "closed", closed).await);
        let outcome = persisted(test_store, &all_files).await;
        let request = ListRequest::new(KindItemOrder::Title, Order::Ascending, PAGE);
        let by_author = KindItemOrder::Field(kind.sort_field("x.books.author").unwrap());
        let kinds = &test_store.store.kinds;
        for (user, expected) in [
            (ada, vec![("Both", 1), ("Open", 1)]),
            (bob, vec![("Both", 2), ("Closed", 1), ("Open", 1)]),
        ] {
            let scope = test_store.store.libraries.media_scope(user).await.unwrap();
            let listed = kinds
                .list_items(&scope, &kind, &KindItemFilter::default(), &request)
                .await
                .unwrap();
            let counts: Vec<_> = listed
                .items
                .iter()
                .map(|item| (item.title.as_str(), item.part_count))
                .collect();
            assert_eq!(counts, expected);
            assert_eq!(listed.total, expected.len() as u64);
            let ordered = ListRequest::new(by_author, Order::Ascending, PAGE);
            let ordered = kinds
                .list_items(&scope, &kind, &KindItemFilter::default(), &ordered)
                .await
                .unwrap();
            assert_eq!(ordered.items.len(), expected.len());
            let narrators = &listed.items[0].fields["x.books.narrators"];
            let sees_all = expected.len() == 3;
            assert_eq!(
                narrators,
                &if sees_all {
                    serde_json::json!(["N1", "N0"])
                } else {
                    serde_json::json!(["N0"])
                }
            );
            let no_filter = KindItemFilter::default();
            let author = kind.facet_field("x.books.author").unwrap();
            let authors = kinds.item_facets(&scope, author, &no_filter, &[], PAGE);
            assert_eq!(authors.await.unwrap().total, if sees_all { 2 } else { 1 });
            let parts = kinds.item_parts(&scope, listed.items[0].id).await.unwrap();
            let numbers: Vec<i64> = parts.iter().map(|part| part.number).collect();
            assert_eq!(numbers, if sees_all { vec![1, 2] } else { vec![2] });
            let first = kinds
                .item_file(&scope, listed.items[0].id, Some(1))
                .await
                .unwrap();
            assert_eq!(first.is_some(), sees_all);
            let hits = found(test_store, &scope, kind.number, "closed").await;
            assert_eq!(hits, u64::from(sees_all));
        }
        let scope = test_store.store.libraries.media_scope(ada).await.unwrap();
        let everything = all(test_store, &kind).await;
        let hidden = everything.iter().find(|item| item.title == "Closed").unwrap();
        assert!(kinds.item(&scope, hidden.id).await.unwrap().is_none());
        assert!(kinds.item_parts(&scope, hidden.id).await.unwrap().is_empty());
        assert_eq!(kinds.item_picture(&scope, hidden.id).await.unwrap(), None);
        // Events are for those who may access one of the folders.
        let seen: HashSet<&str> = everything
            .iter()
            .filter(|item| {
                let events = outcome.items.iter().filter(|change| change.id == item.id);
                events
                    .flat_map(|change| &change.access_classes)
                    .any(|class| scope.can_see_file(*class))
            })
            .map(|item| item.title.as_str())
            .collect();
        assert_eq!(seen, HashSet::from(["Both", "Open"]));
    })
    .await;
}

#[tokio::test]
async fn schema_that_changes_keeps_a_place_for_every_item() {
    on_each_database(async |test_store: &mut TestStore| {
        let (kind, mut files) = four_comics(test_store).await;
        let mut schema = comics();
        schema.fields.remove(0);
        schema.fields[1].field_type = FieldType::Text;
        schema.fields.push(field("x.comics.publisher", FieldType::Text));
        let version = test_store.store.version_counters.media_version_counter(None);
        stored(test_store, &comics()).await;
        assert_eq!(
            test_store.store.version_counters.media_version_counter(None),
            version,
            "an equal schema changes nothing"
        );
        let new = stored(test_store, &schema).await;
        assert_eq!(new.number, kind.number);
        assert_eq!(
            (
                new.sort_field("x.comics.series"),
                new.facet_field("x.comics.series")
            ),
            (None, None)
        );
        for key in ["x.comics.publisher", "x.comics.number", "x.comics.writers"] {
            let by = KindItemOrder::Field(new.sort_field(key).unwrap());
            let request = ListRequest::new(by, Order::Ascending, PAGE);
            assert_eq!(
                listed(test_store, &new, &KindItemFilter::default(), &request)
                    .await
                    .len(),
                4,
                "{key}"
            );
        }
        // The files are extracted again.
        for file in &mut files {
            file.file.known = true;
            file.file.record = item(
                &schema,
                "T",
                &[("x.comics.publisher", text("P")), ("x.comics.number", text("7a"))],
            );
        }
        persisted(test_store, &files).await;
        let (no_filter, number) = (
            KindItemFilter::default(),
            new.facet_field("x.comics.number").unwrap(),
        );
        let kinds = &test_store.store.kinds;
        let numbers = kinds.item_facets(ALL_MEDIA, number, &no_filter, &[], PAGE);
        assert_eq!(
            numbers.await.unwrap().items,
            [FacetCount {
                value: "7a".to_owned(),
                count: 4
            }]
        );
        assert!(
            test_store
                .store
                .kinds
                .kinds()
                .await
                .unwrap()
                .iter()
                .all(|kind| kind.plugin_id == "plugin")
        );
    })
    .await;
}

#[tokio::test]
async fn items_that_would_lose_values_are_counted_before_the_schema_changes() {
    on_each_database(async |test_store: &mut TestStore| {
        let (kind, _) = four_comics(test_store).await;
        let kinds = &test_store.store.kinds;
        assert_eq!(kinds.count_items(&kind).await.unwrap(), 4);
        let losing =
            async |schema: &KindSchema| kinds.count_items_losing_values(&kind, schema).await.unwrap();
        let mut schema = comics();
        assert_eq!(losing(&schema).await, 0);
        schema.fields.push(field("x.comics.publisher", FieldType::Text));
        assert_eq!(losing(&schema).await, 0);
        schema.fields[2].field_type = FieldType::Text;
        assert_eq!(losing(&schema).await, 2, "two have numbers");
        schema.fields.remove(0);
        assert_eq!(
            losing(&schema).await,
            3,
            "one of the three with a series has no number"
        );
    })
    .await;
}

#[tokio::test]
async fn values_of_a_field_that_returns_are_those_of_the_records() {
    on_each_database(async |test_store: &mut TestStore| {
        let (kind, _) = four_comics(test_store).await;
        let by_series = async |kind: &StoredKind| {
            let order = KindItemOrder::Field(kind.sort_field("x.comics.series").unwrap());
            let request = ListRequest::new(order, Order::Ascending, PAGE);
            listed(test_store, kind, &KindItemFilter::default(), &request).await
        };
        let before = by_series(&kind).await;
        let mut without = comics();
        without.fields.remove(0);
        stored(test_store, &without).await;
        test_store.writer().recompute_aggregates(NOW).await.unwrap();
        let kind = stored(test_store, &comics()).await;
        test_store.writer().recompute_aggregates(NOW).await.unwrap();
        assert_eq!(by_series(&kind).await, before);
        let series = kind.facet_field("x.comics.series").unwrap();
        let filter = KindItemFilter::default();
        let kinds = &test_store.store.kinds;
        let facets = kinds.item_facets(ALL_MEDIA, series, &filter, &[], PAGE);
        let facets = facets.await.unwrap().items;
        assert_eq!(facets.iter().map(|facet| facet.count).sum::<i64>(), 3);
    })
    .await;
}

#[tokio::test]
async fn files_become_groups_and_back_when_the_schema_says_so() {
    on_each_database(async |test_store: &mut TestStore| {
        let mut schema = books();
        schema.grouping = Grouping::File;
        let single = |schema: &KindSchema, track: i64| {
            let fields = [
                ("x.books.author", text("Ann")),
                ("x.books.book", text("B")),
                ("x.books.track", Value::Integer(track)),
            ];
            item(schema, &format!("P{track}"), &fields)
        };
        let kind = stored(test_store, &schema).await;
        let mut files = files(
            test_store,
            &schema,
            "b",
            vec![single(&schema, 1), single(&schema, 2)],
        )
        .await;
        persisted(test_store, &files).await;
        assert_eq!(titles(&all(test_store, &kind).await), ["P1", "P2"]);
        for (schema, expected) in [(books(), vec![("B", 2)]), (schema, vec![("P1", 1), ("P2", 1)])] {
            let kind = stored(test_store, &schema).await;
            for (file, track) in files.iter_mut().zip([1, 2]) {
                file.file.known = true;
                file.file.record = single(&schema, track);
            }
            persisted(test_store, &files).await;
            let items = all(test_store, &kind).await;
            let counts: Vec<_> = items
                .iter()
                .map(|item| (item.title.as_str(), item.part_count))
                .collect();
            assert_eq!(counts, expected);
        }
        assert_eq!(
            test_store
                .store
                .items
                .item_summaries(ALL_MEDIA, [(ItemType::Item, files[0].file.id.get())])
                .await
                .unwrap()
                .len(),
            1
        );
    })
    .await;
}

#[tokio::test]
async fn changes_and_favorites_and_summaries_know_items() {
    on_each_database(async |test_store: &mut TestStore| {
        let (kind, files) = four_comics(test_store).await;
        let reader = test_store.user("ada", &[]).await;
        let key = (ItemType::Item, files[1].file.id.get());
        test_store
            .store
            .user_items
            .rate(reader, key, 0.9, NOW)
            .await
            .unwrap();
        let filter = KindItemFilter {
            items: ItemFilter {
                favorite_of: Some(reader),
                ..ItemFilter::default()
            },
            ..KindItemFilter::default()
        };
        for by in [
            KindItemOrder::Title,
            KindItemOrder::Field(kind.sort_field("x.comics.number").unwrap()),
        ] {
            let request = ListRequest::new(by, Order::Ascending, PAGE);
            assert_eq!(
                titles(&listed(test_store, &kind, &filter, &request).await),
                ["The Alpha"]
            );
        }
        let summaries = test_store
            .store
            .items
            .item_summaries(ALL_MEDIA, [key])
            .await
            .unwrap();
        let summary = &summaries[&key];
        assert_eq!(
            (summary.title.as_str(), summary.kind.as_ref()),
            ("The Alpha", Some(&comics().kind))
        );
        let changes = test_store
            .store
            .changes
            .changes(Some(0), 100)
            .await
            .unwrap()
            .changes;
        let items: Vec<i64> = changes
            .iter()
            .filter(|change| change.change.item == ItemType::Item)
            .map(|change| change.item)
            .collect();
        assert_eq!(
            items,
            files.iter().map(|file| file.file.id.get()).collect::<Vec<_>>()
        );
        let indexed = test_store
            .store
            .items
            .accessible_items_of(ALL_MEDIA, &[key, (ItemType::Item, 7)])
            .await
            .unwrap();
        assert_eq!(indexed, HashSet::from([key]));
        assert!(
            test_store
                .store
                .kinds
                .playable_items(&[key.1])
                .await
                .unwrap()
                .is_empty(),
            "comics are looked at"
        );
        test_store.delete_media().await;
        assert!(all(test_store, &kind).await.is_empty());
        assert_eq!(test_store.store.kinds.kinds().await.unwrap().len(), 1);
    })
    .await;
}
