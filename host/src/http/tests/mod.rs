//! The API in process: the real router, services, plugin host and store (SQLite in a directory of its own).

mod access;
mod connections;
mod document;
mod general;
mod library;
mod limits;
mod ls;
mod media;
mod session;

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use salvo::conn::SocketAddr;
use salvo::http::body::Body as _;
use salvo::http::uri::Scheme;
use salvo::http::{HeaderMap, ReqBody};
use salvo::{ConnCtrl, Request, Service};
use serde_json::{Value, json};

use super::middleware::cors::AllowedOrigins;
use super::router;
use super::state::AppState;
use crate::auth::access_token::AccessTokens;
use crate::auth::app::App;
use crate::auth::password::Passwords;
use crate::domain::extraction::{Extraction, Field, Picture, PictureData, Span, Value as FieldValue};
use crate::domain::id::{FileId, FolderId, IdGenerator, UserId};
use crate::domain::kind::MediaKind;
use crate::domain::music::TrackFacts;
use crate::domain::path::RelativePath;
use crate::domain::photo::PhotoFacts;
use crate::domain::scan::{FileRecord, ScannedFile};
use crate::domain::time::{Clock, SystemClock, Timestamp};
use crate::plugins::{Compiler, IsolationPolicy, LimitCaps, PluginSettings, Plugins};
use crate::random::SystemRandom;
use crate::scan::Scanner;
use crate::secret_key::SecretKey;
use crate::service::authentication::Authentication;
use crate::service::browse::Browse;
use crate::service::indexing::Indexing;
use crate::service::login::Logins;
use crate::service::media::Media;
use crate::service::music::Music;
use crate::service::photos::Photos;
use crate::service::plugins::PluginList;
use crate::service::server::{BuildInfo, Server};
use crate::service::setup::Setup;
use crate::store::{Instance, NewUser, ScanBatch, Store, StoreOptions, StoredFile};

const INSTANCE: &str = "0123456789abcdef0123456789abcdef";
const LISTED_ORIGIN: &str = "https://app.example";

/// A server of its own, with what tests reach behind the API for.
struct Bed {
    service: Service,
    state: Arc<AppState>,
    store: Store,
    tokens: Arc<AccessTokens>,
    ids: Arc<IdGenerator>,
    root: PathBuf,
    directory: tempfile::TempDir,
}

/// An answer.
struct Reply {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{} {:?}", self.status, String::from_utf8_lossy(&self.body)))
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Bed {
    async fn start() -> Self {
        Self::start_with_setup_token(None).await
    }

    async fn start_with_setup_token(setup_token: Option<&str>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let root = at("music");
        std::fs::create_dir(&root).unwrap();
        let store = Store::open(
            &format!("sqlite:{}", at("svc.db").display()),
            StoreOptions::default(),
        )
        .await
        .unwrap();
        let (clock, random): (Arc<dyn Clock>, _) = (Arc::new(SystemClock), Arc::new(SystemRandom));
        let instance = Instance {
            instance_id: INSTANCE.into(),
            server_name: "svc".into(),
            created_at: clock.now(),
        };
        store.create_instance_if_absent(&instance).await.unwrap();
        let settings = PluginSettings {
            cache_dir: at("cache"),
            cache_key: [1; 32],
            compiler: Compiler::InProcess,
            plugin_dir: None,
            disabled: Default::default(),
            isolation: IsolationPolicy::default(),
            caps: LimitCaps::default(),
        };
        let plugins = Plugins::load(&settings, &[]).unwrap();
        let ids = Arc::new(IdGenerator::new(7));
        let tokens = Arc::new(AccessTokens::new(INSTANCE, &SecretKey::from_bytes([7; 32])));
        let passwords = Passwords::start(random.clone()).unwrap();
        let scanner = Scanner {
            store: store.clone(),
            plugins: plugins.clone(),
            ids: Arc::clone(&ids),
            clock: Arc::clone(&clock),
            threads: 1,
        };
        let setup = Setup::open(
            store.clone(),
            passwords.clone(),
            Arc::clone(&ids),
            Arc::clone(&clock),
            setup_token.map(str::to_owned),
        );
        let setup = setup.await.unwrap();
        let build = BuildInfo {
            version: "1.2.3",
            runtime: "rustc 1.95.0",
            crypto: "aws-lc-rs 1.0.0",
            wasmtime: "48.0.8",
            build_tag: "dev-0-261121T000000".into(),
        };
        let state = AppState {
            authentication: Authentication::new(store.clone(), Arc::clone(&tokens), Arc::clone(&clock)),
            logins: Logins::new(store.clone(), passwords, Arc::clone(&tokens), clock, random),
            server: Server::new(store.clone(), plugins.clone(), setup.clone(), build, false),
            setup,
            indexing: Indexing::new(scanner),
            browse: Browse::new(store.clone(), plugins.clone()),
            music: Music::new(store.clone()),
            photos: Photos::new(store.clone()),
            media: Media::new(store.clone(), plugins.clone()),
            plugins: PluginList::new(plugins),
            allowed_origins: AllowedOrigins::new([LISTED_ORIGIN.to_owned()]),
            network: Default::default(),
        };
        let state = Arc::new(state);
        let service = router::service(Arc::clone(&state));
        Self {
            service,
            state,
            store,
            tokens,
            ids,
            root,
            directory,
        }
    }

    fn id<T: From<i64>>(&self) -> T {
        self.ids.next(SystemClock.now())
    }

    /// Sends a request; headers as they are, a body as it is.
    async fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = salvo::hyper::Request::builder()
            .method(method)
            .uri(target)
            .header("host", "svc.test");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if body.is_empty() {
            ReqBody::None
        } else {
            ReqBody::Once(body.to_owned().into())
        };
        let request = Request::from_hyper(request.body(body).unwrap(), Scheme::HTTP);
        let nobody = || SocketAddr::Unknown;
        let handler =
            self.service
                .hyper_handler(nobody(), nobody(), Scheme::HTTP, None, ConnCtrl::new(), None);
        let mut response = handler.handle(request).await;
        let mut content = response.take_body();
        let mut body = Vec::new();
        while let Some(frame) =
            std::future::poll_fn(|context| Pin::new(&mut content).poll_frame(context)).await
        {
            body.extend_from_slice(&frame.unwrap().into_data().unwrap_or_default());
        }
        Reply {
            status: response.status_code.unwrap().as_u16(),
            headers: response.headers().clone(),
            body,
        }
    }

    async fn get(&self, target: &str) -> Reply {
        self.send("GET", target, &[], "").await
    }

    async fn get_as(&self, token: &str, target: &str) -> Reply {
        self.send(
            "GET",
            target,
            &[("authorization", &format!("Bearer {token}"))],
            "",
        )
        .await
    }

    async fn post(&self, target: &str, body: &Value) -> Reply {
        self.send(
            "POST",
            target,
            &[("content-type", "application/json")],
            &body.to_string(),
        )
        .await
    }

    async fn send_as(&self, token: &str, method: &str, target: &str, body: &Value) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        self.send(method, target, &headers, &body.to_string()).await
    }

    /// Makes the owner, behind the API: hashing a password takes its time.
    async fn owner(&self) -> String {
        let id: UserId = self.id();
        let owner = NewUser {
            id,
            username: "ada".into(),
            username_key: "ada".into(),
            display_name: None,
            password_hash: None,
            created_at: SystemClock.now(),
        };
        assert!(self.store.create_owner(owner, None).await.unwrap());
        self.token(id)
    }

    /// The owner without any role, which the API could not make: who is known, but may nothing.
    async fn caller_without_roles(&self) -> String {
        let token = self.owner().await;
        let file = self.directory.path().join("svc.db");
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
        let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
        sqlx::query("DELETE FROM role_assignments")
            .execute(&mut connection)
            .await
            .unwrap();
        token
    }

    fn token(&self, user: UserId) -> String {
        self.tokens
            .issue(user, App::Admin, None, SystemClock.now(), &SystemRandom)
            .unwrap()
    }

    async fn folder(&self, kind: MediaKind) -> FolderId {
        let now = SystemClock.now();
        let directories = self
            .store
            .sync_directories(&[(kind, self.root.clone())], &self.ids, now)
            .await
            .unwrap();
        let folder = self.id();
        let place = RelativePath::root().join_text("Album");
        self.store
            .add_folders(directories[0].id, &[(folder, place)])
            .await
            .unwrap();
        std::fs::create_dir_all(self.root.join("Album")).unwrap();
        folder
    }

    /// Puts a file on disk and its record in the store.
    async fn file(&self, folder: FolderId, name: &str, content: &[u8], record: FileRecord) -> FileId {
        std::fs::write(self.root.join("Album").join(name), content).unwrap();
        let id = self.id();
        let file = ScannedFile {
            id,
            folder,
            name: name.to_owned(),
            size: content.len() as i64,
            mtime_ns: 1_600_000_000_123_456_789,
            known: false,
            record,
        };
        let files = vec![StoredFile { file, plugin: None }];
        let mut writer = self.store.scan_writer(Arc::clone(&self.ids));
        writer
            .persist(&ScanBatch {
                now: SystemClock.now(),
                files,
                ..ScanBatch::default()
            })
            .await
            .unwrap();
        writer.settle().await.unwrap();
        id
    }

    /// A track with a picture at the bytes 2 to 5 of its file.
    async fn track(&self, folder: FolderId, name: &str, title: &str, content: &[u8]) -> FileId {
        let field = |key: &str, value| Field {
            key: key.to_owned(),
            value,
        };
        let extraction = Extraction {
            title: Some(title.to_owned()),
            duration_ms: Some(1500),
            fields: vec![
                field("music.album", FieldValue::Text("Blue".into())),
                field(
                    "music.artists",
                    FieldValue::Texts(vec!["Ann".into(), "Bob".into()]),
                ),
                field("music.genres", FieldValue::Texts(vec!["Jazz".into()])),
                field("audio.codec", FieldValue::Text("mp3".into())),
            ],
            pictures: vec![Picture {
                purpose: "front".into(),
                mime: "image/png".into(),
                data: PictureData::At(Span { offset: 2, length: 4 }),
            }],
            ..Extraction::default()
        };
        let place = RelativePath::root().join_text("Album");
        let facts = TrackFacts::from_extraction(&extraction, &place, name);
        self.file(folder, name, content, FileRecord::Track(Box::new(facts)))
            .await
    }

    async fn photo(&self, folder: FolderId, name: &str, content: &[u8]) -> FileId {
        let extraction = Extraction {
            width: Some(640),
            height: Some(480),
            ..Extraction::default()
        };
        let facts = PhotoFacts::from_extraction(&extraction, name, Timestamp::from_millis(1_600_000_000_000));
        self.file(folder, name, content, FileRecord::Photo(Box::new(facts)))
            .await
    }
}

/// The path of a route with something in place of its parameters.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| {
        if part.starts_with('{') {
            "0000000000001"
        } else {
            part
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

fn credentials(password: &str) -> Value {
    json!({"username": "ada", "password": password})
}
