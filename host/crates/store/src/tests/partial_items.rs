//! Items with files in several libraries, for callers who may access some of these.

use crate::tests::kinds::{books, files, item, persisted, stored};
use crate::tests::libraries::{insert, library};
use crate::tests::*;
use crate::{FacetFilter, KindItemFilter, KindItemOrder, SearchIndex, StoredKind};
use svc_domain::change::ItemType;
use svc_domain::id::LibraryId;
use svc_domain::library::Grant;
use svc_domain::list::{CursorValue, ListRequest, Order, Pagination};

const PAGE: Pagination = Pagination { take: 100, skip: 0 };
const AUTHOR: &str = "x.books.author";
const NARRATORS: &str = "x.books.narrators";

/// Books in an open library and a closed one: `Both` has its first part in the closed one, `Hidden` its only part.
struct Shelves<'t> {
    store: &'t TestStore,
    kind: StoredKind,
    closed: LibraryId,
    /// Has access to the open library only.
    ada: MediaScope,
    /// Has access to both.
    bob: MediaScope,
}

fn part_of(book: &str, author: &str, track: i64, narrator: &str) -> FileRecord {
    let fields = [
        (AUTHOR, Value::Text(author.to_owned())),
        ("x.books.book", Value::Text(book.to_owned())),
        ("x.books.track", Value::Integer(track)),
        (NARRATORS, Value::Texts(vec![narrator.to_owned()])),
    ];
    item(&books(), &format!("File {track} by {narrator}"), &fields)
}

impl<'t> Shelves<'t> {
    async fn new(store: &'t TestStore) -> Self {
        let kind = stored(store, &books()).await;
        let ada = store.user("ada", &[]).await;
        let bob = store.user("bob", &[]).await;
        let closed = library(store, books().kind, &["closed"], &[Grant::User(bob)]);
        insert(store, &closed).await;
        let hidden = vec![
            part_of("Hidden", "ANNA", 1, "Aaron"),
            part_of("Both", "ANN", 1, "Aaron Secret"),
        ];
        persisted(store, &files(store, &books(), "closed", hidden).await).await;
        let open = vec![
            part_of("Both", "Ann", 2, "Known"),
            part_of("Open", "Ann", 1, "Public"),
            part_of("Mine", "Anna", 1, "Zed"),
        ];
        persisted(store, &files(store, &books(), "open", open).await).await;
        let libraries = &store.store.libraries;
        Self {
            store,
            kind,
            closed: closed.id,
            ada: libraries.media_scope(ada).await.unwrap(),
            bob: libraries.media_scope(bob).await.unwrap(),
        }
    }

    async fn facets(&self, scope: &MediaScope, key: &str, libraries: &[LibraryId]) -> Vec<(String, i64)> {
        let (field, filter) = (self.kind.facet_field(key).unwrap(), KindItemFilter::default());
        let kinds = &self.store.store.kinds;
        let facets = kinds
            .item_facets(scope, field, &filter, libraries, PAGE)
            .await
            .unwrap();
        assert_eq!(facets.total, facets.items.len() as u64);
        facets
            .items
            .into_iter()
            .map(|facet| (facet.value, facet.count))
            .collect()
    }

    async fn listed(&self, scope: &MediaScope, filter: &KindItemFilter) -> Vec<String> {
        let request = ListRequest::new(KindItemOrder::Title, Order::Ascending, PAGE);
        let kinds = &self.store.store.kinds;
        let found = kinds
            .list_items(scope, &self.kind, filter, &request)
            .await
            .unwrap();
        assert_eq!(found.total, found.items.len() as u64);
        found.items.into_iter().map(|item| item.title).collect()
    }

    async fn with_value(&self, scope: &MediaScope, key: &str, value: &str) -> Vec<String> {
        let field = self.kind.facet_field(key).unwrap();
        let keys = vec![field.facet_key(value).unwrap()];
        let filter = KindItemFilter {
            facets: vec![FacetFilter { field, keys }],
            ..KindItemFilter::default()
        };
        self.listed(scope, &filter).await
    }

    async fn matching(&self, scope: &MediaScope, text: &str) -> Vec<String> {
        let filter = KindItemFilter {
            query: Some(text.to_owned()),
            ..KindItemFilter::default()
        };
        self.listed(scope, &filter).await
    }

    async fn hits(&self, scope: &MediaScope, text: &str) -> u64 {
        let indexes = [SearchIndex::Items(self.kind.number)];
        let hits = self
            .store
            .store
            .search
            .search(scope, &indexes, text, PAGE)
            .await
            .unwrap();
        assert_eq!(hits[0].total, hits[0].items.len() as u64);
        hits[0].total
    }

    /// The titles of all pages of one item by narrator, and the values of their cursors.
    async fn by_narrator(&self, scope: &MediaScope, order: Order) -> (Vec<String>, Vec<CursorValue>) {
        let by = KindItemOrder::Field(self.kind.sort_field(NARRATORS).unwrap());
        let mut request = ListRequest::new(by, order, Pagination { take: 1, skip: 0 });
        let (mut titles, mut cursors) = (Vec::new(), Vec::new());
        loop {
            let kinds = &self.store.store.kinds;
            let filter = KindItemFilter::default();
            let page = kinds.list_items(scope, &self.kind, &filter, &request);
            let page = page.await.unwrap();
            titles.extend(page.items.into_iter().map(|item| item.title));
            let Some(next) = page.next else {
                return (titles, cursors);
            };
            cursors.push(next.value.clone());
            request.after = Some(next);
        }
    }
}

fn counts<const N: usize>(counts: [(&str, i64); N]) -> Vec<(String, i64)> {
    counts
        .map(|(value, count)| (value.to_owned(), count))
        .into_iter()
        .collect()
}

#[tokio::test]
async fn values_of_inaccessible_files_are_neither_counted_nor_found() {
    on_each_database(async |test_store: &mut TestStore| {
        let shelves = Shelves::new(test_store).await;
        let (ada, bob) = (&shelves.ada, &shelves.bob);
        assert_eq!(
            shelves.facets(bob, NARRATORS, &[]).await,
            counts([
                ("Aaron", 1),
                ("Aaron Secret", 1),
                ("Known", 1),
                ("Public", 1),
                ("Zed", 1)
            ])
        );
        assert_eq!(
            shelves.facets(ada, NARRATORS, &[]).await,
            counts([("Public", 1), ("Zed", 1)])
        );
        assert_eq!(shelves.with_value(bob, NARRATORS, "aaron secret").await, ["Both"]);
        for narrator in ["aaron secret", "aaron"] {
            let found = shelves.with_value(ada, NARRATORS, narrator).await;
            assert_eq!(found, [""; 0], "{narrator}");
        }
        for (text, of_bob, of_ada) in [
            ("secret", vec!["Both"], vec![]),
            ("bot secret", vec!["Both"], vec![]),
            ("bot", vec!["Both"], vec!["Both"]),
            ("zed", vec!["Mine"], vec!["Mine"]),
            ("hidden", vec!["Hidden"], vec![]),
        ] {
            assert_eq!(shelves.matching(bob, text).await, of_bob, "{text}");
            assert_eq!(shelves.matching(ada, text).await, of_ada, "{text}");
            assert_eq!(shelves.hits(bob, text).await, of_bob.len() as u64, "{text}");
            assert_eq!(shelves.hits(ada, text).await, of_ada.len() as u64, "{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn values_in_which_all_files_agree_are_counted_as_accessible_items_spell_them() {
    on_each_database(async |test_store: &mut TestStore| {
        let shelves = Shelves::new(test_store).await;
        let (ada, bob) = (&shelves.ada, &shelves.bob);
        let of_bob: Vec<i64> = shelves
            .facets(bob, AUTHOR, &[])
            .await
            .into_iter()
            .map(|facet| facet.1)
            .collect();
        assert_eq!(of_bob, [2, 2]);
        let of_ada = shelves.facets(ada, AUTHOR, &[]).await;
        assert_eq!((of_ada[1].0.as_str(), of_ada[1].1), ("Anna", 1));
        assert_eq!(of_ada[0].1, 2);
        assert_eq!(shelves.with_value(ada, AUTHOR, "ann").await, ["Both", "Open"]);
        // Those who may access all files see all values in one library too.
        let inside = shelves.facets(ALL_MEDIA, NARRATORS, &[shelves.closed]).await;
        assert_eq!(inside, counts([("Aaron", 1), ("Aaron Secret", 1), ("Known", 1)]));
    })
    .await;
}

#[tokio::test]
async fn values_of_inaccessible_files_order_no_list_and_are_in_no_cursor() {
    on_each_database(async |test_store: &mut TestStore| {
        let shelves = Shelves::new(test_store).await;
        let bob = shelves.by_narrator(&shelves.bob, Order::Ascending).await;
        assert_eq!(bob.0, ["Hidden", "Both", "Open", "Mine"]);
        for (order, titles) in [
            (Order::Ascending, ["Open", "Mine", "Both"]),
            (Order::Descending, ["Mine", "Open", "Both"]),
        ] {
            let (found, cursors) = shelves.by_narrator(&shelves.ada, order).await;
            assert_eq!(found, titles);
            assert_eq!(cursors[2], CursorValue::None);
        }
    })
    .await;
}

#[tokio::test]
async fn item_and_its_summary_are_what_accessible_files_say_before_they_are_counted() {
    on_each_database(async |test_store: &mut TestStore| {
        let kind = stored(test_store, &books()).await;
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let closed = library(test_store, books().kind, &["closed"], &[Grant::User(bob)]);
        insert(test_store, &closed).await;
        let hidden = vec![part_of("Both", "ANN", 1, "Secret")];
        let mut batch = files(test_store, &books(), "closed", hidden).await;
        let open = vec![part_of("Both", "Ann", 2, "Known")];
        batch.extend(files(test_store, &books(), "open", open).await);
        let mut writer = test_store.writer();
        let batch = ScanBatch {
            now: NOW,
            files: batch,
            ..ScanBatch::default()
        };
        writer.persist(&batch).await.unwrap();
        let scope = test_store.store.libraries.media_scope(ada).await.unwrap();
        for is_counted in [false, true] {
            if is_counted {
                writer.recompute_aggregates(NOW).await.unwrap();
            }
            let request = ListRequest::new(KindItemOrder::Title, Order::Ascending, PAGE);
            let kinds = &test_store.store.kinds;
            let filter = KindItemFilter::default();
            let listed = kinds.list_items(&scope, &kind, &filter, &request);
            let listed = listed.await.unwrap().items;
            assert_eq!(listed[0].fields[NARRATORS], serde_json::json!(["Known"]));
            assert_eq!(listed[0].fields[AUTHOR], "Ann");
            let key = (ItemType::Item, listed[0].id.get());
            let summaries = test_store
                .store
                .items
                .item_summaries(&scope, [key])
                .await
                .unwrap();
            assert_eq!(summaries[&key].duration_ms, Some(1000));
        }
        let bob = test_store.store.libraries.media_scope(bob).await.unwrap();
        let request = ListRequest::new(KindItemOrder::Title, Order::Ascending, PAGE);
        let kinds = &test_store.store.kinds;
        let filter = KindItemFilter::default();
        let listed = kinds.list_items(&bob, &kind, &filter, &request);
        let key = (ItemType::Item, listed.await.unwrap().items[0].id.get());
        let summaries = test_store.store.items.item_summaries(&bob, [key]).await.unwrap();
        assert_eq!(summaries[&key].duration_ms, Some(2000));
    })
    .await;
}
