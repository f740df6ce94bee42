//! `/kinds` and `/items`: kinds that plugins define, and their items.

mod artwork;
mod events;
mod facets;
mod get;
mod kinds;
mod list;
mod pages;
mod partial;
mod parts;
mod plugin_states;
mod stream;
mod user_data;

use serde_json::{Value, json};

use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_domain::extraction::{Extraction, Field, Picture, PictureData, Span, Value as FieldValue};
use svc_domain::id::{FileId, FolderId};
use svc_domain::item::ItemRecord;
use svc_domain::item_kind::{FieldType, Grouping, KindSchema};
use svc_domain::path::RelativePath;
use svc_domain::scan::FileRecord;
use svc_domain::time::{Clock as _, SystemClock};
use svc_plugin_host::{BuiltIn, Component};
use svc_test_support::guests;
use svc_test_support::kinds::field;

/// The bytes of every file.
pub(crate) const CONTENT: &[u8] = b"0123456789";
/// Parts of the book in the store.
pub(crate) const PARTS: i64 = 60;

/// The options of a server whose plugin `guest` defines the kind `comics`: files `*.shared`, the fields
/// `x.guest.series` (search, sort, facet) and `x.guest.number` (sort).
pub(crate) fn with_comics() -> TestServerOptions {
    let bytes = guests::kind_plugin(&guests::body("by_first_byte"), "guest", "comics").leak();
    TestServerOptions {
        plugins: vec![BuiltIn {
            name: "guest",
            component: Component::Plain(bytes),
        }],
        roots: vec!["comics"],
        ..TestServerOptions::default()
    }
}

/// A kind of groups of files that no plugin defines any more.
fn books() -> KindSchema {
    svc_test_support::kinds::books(vec![
        field("x.books.author", FieldType::Text),
        field("x.books.read-by", FieldType::Texts),
        field("x.books.published", FieldType::Date),
    ])
}

pub(crate) fn text(text: &str) -> FieldValue {
    FieldValue::Text(text.to_owned())
}

/// Files of a kind, in one folder of the directory with the kind's name.
pub(crate) struct Shelf<'s> {
    server: &'s TestServer,
    schema: KindSchema,
    folder: FolderId,
    name: RelativePath,
}

impl<'s> Shelf<'s> {
    pub(crate) async fn new(server: &'s TestServer, schema: KindSchema, name: &str) -> Self {
        let root = |kind: &str| (kind.parse().unwrap(), server.directory.path().join(kind));
        std::fs::create_dir_all(root(schema.kind.as_str()).1.join(name)).unwrap();
        let directories = &server.store.directories;
        let directories = directories
            .sync_directories(
                &["music", "comics", "books"].map(root),
                &server.ids,
                SystemClock.now(),
            )
            .await
            .unwrap();
        let directory = directories
            .iter()
            .find(|directory| directory.kind == schema.kind)
            .unwrap();
        let folder = server.id();
        let place = RelativePath::root().join_text(name);
        let index = &server.store.index;
        index
            .add_folders(directory.id, &[(folder, place.clone())])
            .await
            .unwrap();
        Self {
            server,
            schema,
            folder,
            name: place,
        }
    }

    /// Adds a file on disk and in the index, with a picture at its bytes 2 to 5 unless it is a book.
    pub(crate) async fn add(&self, name: &str, title: &str, fields: &[(&str, FieldValue)]) -> FileId {
        let root = self.server.directory.path().join(self.schema.kind.as_str());
        std::fs::write(root.join(self.name.as_str()).join(name), CONTENT).unwrap();
        let field = |(key, value): &(&str, FieldValue)| Field {
            key: (*key).to_owned(),
            value: value.clone(),
        };
        let is_group = self.schema.grouping != Grouping::File;
        let picture = Picture {
            purpose: "front".into(),
            mime: "image/png".into(),
            data: PictureData::At(Span { offset: 2, length: 4 }),
        };
        let extraction = Extraction {
            title: Some(title.to_owned()),
            duration_ms: is_group.then_some(60_000),
            fields: fields.iter().map(field).collect(),
            pictures: if is_group { vec![] } else { vec![picture] },
            ..Extraction::default()
        };
        let record = ItemRecord::from_extraction(&extraction, &self.schema, &self.name, name);
        let size = CONTENT.len() as i64;
        let record = FileRecord::Item(Box::new(record));
        self.server.record(self.folder, name, size, record).await
    }
}

/// A server with three comics and a book of sixty parts.
pub(crate) struct ItemFixture {
    pub(crate) server: TestServer,
    pub(crate) owner: Client,
    /// `Alpha`, `Beta` and `Gamma`.
    pub(crate) comics: [String; 3],
    /// The book, whose plugin is gone.
    pub(crate) book: String,
}

impl ItemFixture {
    pub(crate) async fn new() -> Self {
        Self::with(with_comics()).await
    }

    pub(crate) async fn with(options: TestServerOptions) -> Self {
        let server = TestServer::start_with(options).await;
        let owner = server.as_owner().await;
        let schema = server.plugins.kind_schema(&"comics".parse().unwrap()).unwrap();
        let shelf = Shelf::new(&server, KindSchema::clone(&schema), "Shelf").await;
        let comic = |series: &str, number: i64| {
            vec![
                ("x.guest.series", text(series)),
                ("x.guest.number", FieldValue::Integer(number)),
                ("item.page-count", FieldValue::Integer(40)),
            ]
        };
        let alpha = shelf.add("a.shared", "Alpha", &comic("The Saga", 10)).await;
        let beta = shelf.add("b.shared", "Beta", &comic("the saga", 9)).await;
        let gamma = shelf
            .add("c.shared", "Gamma", &[("x.guest.series", text("Other"))])
            .await;
        let kinds = &server.store.kinds;
        kinds.store_kind(&books(), "books", "0.9.0").await.unwrap();
        let shelf = Shelf::new(&server, books(), "Shelf").await;
        for track in (1..=PARTS).rev() {
            let reader = FieldValue::Texts(vec![format!("Reader {}", track % 2)]);
            let fields = [
                ("x.books.author", text("Ann")),
                ("x.books.book", text("The Book")),
                ("x.books.track", FieldValue::Integer(track)),
                ("x.books.read-by", reader),
            ];
            let title = format!("Chapter {track}");
            shelf.add(&format!("{track}.mp3"), &title, &fields).await;
        }
        let listed = owner.get("/api/v1/items?kind=books").await.json();
        let book = listed[0][0]["itemId"].as_str().unwrap().to_owned();
        Self {
            comics: [alpha, beta, gamma].map(|id| id.to_string()),
            book,
            owner,
            server,
        }
    }

    pub(crate) async fn get(&self, target: &str) -> Reply {
        self.owner.get(target).await
    }

    /// The titles of a list, with its total.
    pub(crate) async fn titles(&self, query: &str) -> (Vec<String>, u64) {
        titles(&self.owner, query).await
    }
}

pub(crate) async fn titles(client: &Client, query: &str) -> (Vec<String>, u64) {
    let reply = client.get(&format!("/api/v1/items?{query}")).await;
    assert_eq!(reply.status, 200, "{query}: {}", reply.json());
    let list: Value = reply.json();
    let titles = list[0].as_array().unwrap().iter();
    let titles = titles.map(|item| item["title"].as_str().unwrap().to_owned());
    (titles.collect(), list[1].as_u64().unwrap())
}

/// An account that may not access the folder of the comics, and the library with it.
pub(crate) async fn stranger(fixture: &ItemFixture) -> Client {
    let friend = fixture.server.user("friend", false, &["member"]).await;
    let grants = json!([{"userId": friend.to_string()}]);
    let body = json!({"name": "Closed", "mediaKind": "comics", "paths": ["Shelf"], "grants": grants});
    let created = fixture.owner.post("/api/v1/libraries", &body).await;
    assert_eq!(created.status, 201, "{}", created.json());
    fixture.server.as_user("stranger", &["member"]).await
}
