//! Libraries, their grants, and the access classes derived from them.
//!
//! A folder's access class is the number of the set of libraries that contain it. A scan sets it when it adds the
//! folder; a change of libraries sets it again. A list is then restricted by comparing one number.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::db::Database;
use crate::identity::{IdentityChange, raise_revision};
use svc_database::args::args;
use svc_database::bulk::in_lists;
use svc_database::dialect::{LOCK_IDENTITY, lift_statement_timeout};
use svc_database::{Engine, Tx};
use svc_database::{Result, StoreError};
use svc_domain::id::{DirectoryId, LibraryId, UserId};
use svc_domain::kind::MediaKind;
use svc_domain::library::{Grant, Library, LibraryCounts, MediaScope, NO_LIBRARY};
use svc_domain::path::RelativePath;
use svc_domain::scan::FileStatus;
use svc_domain::time::Timestamp;

const LIBRARIES: &str =
    "SELECT library_id, name, media_kind, paths, restricted, created_at FROM libraries ORDER BY library_id";
const USER_GRANTS: &str = "SELECT library_id, user_id FROM library_user_grants ORDER BY library_id, user_id";
const ROLE_GRANTS: &str = "SELECT library_id, role FROM library_role_grants ORDER BY library_id, role";
const PLACES_OF_KIND: &str =
    "SELECT library_id, paths FROM libraries WHERE media_kind = $1 ORDER BY library_id";
const PLACES_OF_DIRECTORY: &str = "SELECT l.library_id, l.paths FROM libraries l \
    JOIN directories d ON d.media_kind = l.media_kind WHERE d.directory_id = $1 ORDER BY l.library_id";
const ADMITTED: &str = "SELECT l.library_id, NOT l.restricted \
    OR EXISTS (SELECT 1 FROM library_user_grants g WHERE g.library_id = l.library_id AND g.user_id = $1) \
    OR EXISTS (SELECT 1 FROM library_role_grants g JOIN role_assignments a ON a.role = g.role \
    WHERE g.library_id = l.library_id AND a.user_id = $1) AS admitted FROM libraries l";
const CLASSES: &str = "SELECT access_class, libraries FROM access_classes";
/// The newest class stays so that numbers only rise: a cached scope may name an old one.
const PRUNE_CLASSES: &str = "DELETE FROM access_classes \
    WHERE access_class NOT IN (SELECT access_class FROM folders) \
    AND access_class < (SELECT max(access_class) FROM access_classes)";

#[derive(sqlx::FromRow)]
struct LibraryRow {
    library_id: i64,
    name: String,
    media_kind: String,
    paths: String,
    restricted: bool,
    created_at: i64,
}

fn paths_from_json(text: &str) -> Result<Vec<RelativePath>> {
    let paths: Vec<String> = serde_json::from_str(text).map_err(|_| StoreError::InvalidValue("paths"))?;
    // Older development versions stored empty lists.
    if paths.is_empty() {
        return Ok(vec![RelativePath::root()]);
    }
    Ok(paths.into_iter().map(RelativePath::from_stored).collect())
}

fn ids_from_json(text: &str) -> Result<Vec<i64>> {
    serde_json::from_str(text).map_err(|_| StoreError::InvalidValue("access class"))
}

fn assemble(
    rows: Vec<LibraryRow>,
    users: Vec<(i64, i64)>,
    roles: Vec<(i64, String)>,
) -> Result<Vec<Library>> {
    let mut grants: HashMap<i64, Vec<Grant>> = HashMap::new();
    for (library, user) in users {
        grants.entry(library).or_default().push(Grant::User(user.into()));
    }
    for (library, role) in roles {
        grants.entry(library).or_default().push(Grant::Role(role));
    }
    let library = |row: LibraryRow| -> Result<Library> {
        let kind = row.media_kind.parse();
        Ok(Library {
            id: row.library_id.into(),
            name: row.name,
            kind: kind.map_err(|_| StoreError::InvalidValue("media kind"))?,
            paths: paths_from_json(&row.paths)?,
            restricted: row.restricted,
            grants: grants.remove(&row.library_id).unwrap_or_default(),
            created_at: Timestamp::from_millis(row.created_at),
        })
    };
    rows.into_iter().map(library).collect()
}

/// The libraries of a kind with the access classes looked up so far. The transaction holds the lock on libraries.
#[derive(Debug)]
pub(crate) struct Placement {
    libraries: Vec<(i64, Vec<RelativePath>)>,
    classes: HashMap<Vec<i64>, i64>,
    has_new_class: bool,
}

impl Placement {
    /// For the folders of a directory.
    pub(crate) async fn of_directory(tx: &mut Tx, directory: DirectoryId) -> Result<Self> {
        if tx.engine() == Engine::Postgres {
            // Without the lock, a concurrent change of a library and these new folders would miss each other.
            tx.execute(LOCK_IDENTITY, &[]).await?;
        }
        let rows = tx.fetch_all(PLACES_OF_DIRECTORY, &args![directory.get()]).await?;
        Self::new(rows)
    }

    async fn of_kind(tx: &mut Tx, kind: &MediaKind) -> Result<Self> {
        let rows = tx.fetch_all(PLACES_OF_KIND, &args![kind.as_str()]).await?;
        Self::new(rows)
    }

    fn new(rows: Vec<(i64, String)>) -> Result<Self> {
        let mut libraries = Vec::with_capacity(rows.len());
        for (id, paths) in rows {
            libraries.push((id, paths_from_json(&paths)?));
        }
        Ok(Self {
            libraries,
            classes: HashMap::new(),
            has_new_class: false,
        })
    }

    /// The access class of a folder; adds the class if its set of libraries is new.
    pub(crate) async fn class(&mut self, tx: &mut Tx, folder: &RelativePath) -> Result<i64> {
        let holding = self
            .libraries
            .iter()
            .filter(|(_, paths)| paths.iter().any(|path| folder.is_below(path)));
        let set: Vec<i64> = holding.map(|(id, _)| *id).collect();
        if set.is_empty() {
            return Ok(NO_LIBRARY);
        }
        if let Some(class) = self.classes.get(&set) {
            return Ok(*class);
        }
        let text = serde_json::json!(set).to_string();
        let sql = "SELECT access_class FROM access_classes WHERE libraries = $1";
        let known: Vec<(i64,)> = tx.fetch_all(sql, &args![text.as_str()]).await?;
        let class = match known.first() {
            Some((class,)) => *class,
            None => {
                self.has_new_class = true;
                let sql = "INSERT INTO access_classes (access_class, libraries) \
                           SELECT coalesce(max(access_class), 0) + 1, CAST($1 AS TEXT) FROM access_classes \
                           RETURNING access_class";
                let made: Vec<(i64,)> = tx.fetch_all(sql, &args![text.as_str()]).await?;
                made.first().ok_or(StoreError::InvalidValue("access class"))?.0
            }
        };
        self.classes.insert(set, class);
        Ok(class)
    }

    /// Raises the identity revision if a class was added, which invalidates cached scopes. Returns the revision to
    /// publish after the commit.
    pub(crate) async fn finish(self, tx: &mut Tx) -> Result<Option<i64>> {
        if self.has_new_class {
            raise_revision(tx).await
        } else {
            Ok(None)
        }
    }
}

impl Database {
    /// Restricts a scope to these libraries; an empty list restricts nothing.
    pub(crate) async fn restricted_to_libraries(
        &self,
        scope: &MediaScope,
        libraries: &[LibraryId],
    ) -> Result<MediaScope> {
        if libraries.is_empty() {
            return Ok(scope.clone());
        }
        let rows: Vec<(i64, String)> = self.pools().fetch_all(CLASSES, &[]).await?;
        let mut classes = Vec::new();
        for (class, members) in rows {
            let members = ids_from_json(&members)?;
            let inside = libraries.iter().any(|library| members.contains(&library.get()));
            if inside && scope.can_see_file(class) {
                classes.push(class);
            }
        }
        Ok(MediaScope::Classes(classes.into()))
    }
}

/// Libraries, their grants, and the access classes that follow from them.
#[derive(Debug, Clone)]
pub struct LibraryRepository {
    pub(crate) db: Database,
}

impl LibraryRepository {
    /// All libraries with their grants, oldest first.
    pub async fn libraries(&self) -> Result<Vec<Library>> {
        let pools = self.db.pools();
        assemble(
            pools.fetch_all(LIBRARIES, &[]).await?,
            pools.fetch_all(USER_GRANTS, &[]).await?,
            pools.fetch_all(ROLE_GRANTS, &[]).await?,
        )
    }

    /// The libraries that an account may access: unrestricted ones, and those granted to it or to one of its roles.
    pub async fn admitted_libraries(&self, user: UserId) -> Result<HashSet<LibraryId>> {
        let admitted = self.admission(user).await?.into_iter();
        Ok(admitted
            .filter_map(|(id, admitted)| admitted.then_some(id.into()))
            .collect())
    }

    /// The media that an account may access, without regard to ownership of the server: the caller handles the owner.
    pub async fn media_scope(&self, user: UserId) -> Result<MediaScope> {
        let libraries = self.admission(user).await?;
        if libraries.iter().all(|(_, admitted)| *admitted) {
            return Ok(MediaScope::All);
        }
        // A library added since the first query is treated as closed until the account is looked up again.
        let open: HashSet<i64> = libraries
            .into_iter()
            .filter_map(|(id, admitted)| admitted.then_some(id))
            .collect();
        let rows: Vec<(i64, String)> = self.db.pools().fetch_all(CLASSES, &[]).await?;
        let mut seen = Vec::new();
        for (class, libraries) in rows {
            if ids_from_json(&libraries)?.iter().any(|id| open.contains(id)) {
                seen.push(class);
            }
        }
        Ok(MediaScope::classes(seen))
    }

    async fn admission(&self, user: UserId) -> Result<Vec<(i64, bool)>> {
        self.db.pools().fetch_all(ADMITTED, &args![user.get()]).await
    }

    /// Number of files of each library; libraries without files are left out.
    pub async fn library_counts(&self) -> Result<HashMap<LibraryId, LibraryCounts>> {
        let rows: Vec<(i64, String)> = self.db.pools().fetch_all(CLASSES, &[]).await?;
        if rows.is_empty() {
            return Ok(HashMap::new());
        }
        let mut libraries = HashMap::with_capacity(rows.len());
        for (class, text) in rows {
            libraries.insert(class, ids_from_json(&text)?);
        }
        let sql = "SELECT o.access_class, f.status, count(*) FROM folders o \
                   JOIN files f ON f.folder_id = o.folder_id WHERE o.access_class <> 0 \
                   GROUP BY o.access_class, f.status";
        let rows: Vec<(i64, i16, i64)> = self.db.pools().fetch_all(sql, &[]).await?;
        let mut counts: HashMap<LibraryId, LibraryCounts> = HashMap::new();
        for (class, status, number) in rows {
            for id in libraries.get(&class).into_iter().flatten() {
                let counts = counts.entry((*id).into()).or_default();
                match FileStatus::from_number(status) {
                    Some(FileStatus::Indexed) => counts.files += number,
                    Some(FileStatus::Missing) => counts.missing += number,
                    _ => {}
                }
            }
        }
        Ok(counts)
    }
}

impl IdentityChange {
    /// [`LibraryRepository::libraries`] within the transaction.
    pub async fn libraries(&mut self) -> Result<Vec<Library>> {
        assemble(
            self.fetch_all(LIBRARIES, &[]).await?,
            self.fetch_all(USER_GRANTS, &[]).await?,
            self.fetch_all(ROLE_GRANTS, &[]).await?,
        )
    }

    /// Adds a library and updates the access classes of its folders.
    pub async fn insert_library(&mut self, library: &Library) -> Result<()> {
        let sql = "INSERT INTO libraries (library_id, name, media_kind, paths, restricted, created_at) \
                   VALUES ($1, $2, $3, $4, $5, $6)";
        let values = args![
            library.id.get(),
            library.name.as_str(),
            library.kind.as_str(),
            serde_json::json!(library.paths).to_string(),
            library.restricted,
            library.created_at,
        ];
        self.execute(sql, &values).await?;
        self.insert_grants(library).await?;
        self.place_folders(&library.kind).await
    }

    /// Stores name, paths and grants of a library; `moved` says that the paths changed.
    pub async fn update_library(&mut self, library: &Library, moved: bool) -> Result<()> {
        let sql = "UPDATE libraries SET name = $2, paths = $3, restricted = $4 WHERE library_id = $1";
        let values = args![
            library.id.get(),
            library.name.as_str(),
            serde_json::json!(library.paths).to_string(),
            library.restricted,
        ];
        self.execute(sql, &values).await?;
        self.delete_grants(library.id).await?;
        self.insert_grants(library).await?;
        if moved {
            self.place_folders(&library.kind).await?;
        }
        Ok(())
    }

    /// Deletes a library. Its media stay.
    pub async fn delete_library(&mut self, library: &Library) -> Result<()> {
        self.delete_grants(library.id).await?;
        let sql = "DELETE FROM libraries WHERE library_id = $1";
        self.execute(sql, &args![library.id.get()]).await?;
        self.place_folders(&library.kind).await
    }

    async fn delete_grants(&mut self, id: LibraryId) -> Result<()> {
        for sql in [
            "DELETE FROM library_user_grants WHERE library_id = $1",
            "DELETE FROM library_role_grants WHERE library_id = $1",
        ] {
            self.execute(sql, &args![id.get()]).await?;
        }
        Ok(())
    }

    async fn insert_grants(&mut self, library: &Library) -> Result<()> {
        for grant in &library.grants {
            match grant {
                Grant::User(user) => {
                    let sql = "INSERT INTO library_user_grants (library_id, user_id) VALUES ($1, $2)";
                    self.execute(sql, &args![library.id.get(), user.get()]).await?
                }
                Grant::Role(role) => {
                    let sql = "INSERT INTO library_role_grants (library_id, role) VALUES ($1, $2)";
                    self.execute(sql, &args![library.id.get(), role.as_str()]).await?
                }
            };
        }
        Ok(())
    }

    /// Recomputes the access class of every folder of a kind.
    async fn place_folders(&mut self, kind: &MediaKind) -> Result<()> {
        lift_statement_timeout(self.tx()).await?;
        let mut placement = Placement::of_kind(self.tx(), kind).await?;
        let sql = "SELECT o.folder_id, o.path, o.access_class FROM folders o \
                   JOIN directories d ON d.directory_id = o.directory_id WHERE d.media_kind = $1";
        let folders: Vec<(i64, String, i64)> = self.fetch_all(sql, &args![kind.as_str()]).await?;
        let mut moved: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (id, path, before) in folders {
            let class = placement
                .class(self.tx(), &RelativePath::from_stored(path))
                .await?;
            if class != before {
                moved.entry(class).or_default().push(id);
            }
        }
        let engine = self.tx().engine();
        for (class, ids) in moved {
            // The text holds a number only.
            let head = format!("UPDATE folders SET access_class = {class} WHERE folder_id");
            for (sql, values) in in_lists(engine, &head, &ids, "") {
                self.execute(sql, &values).await?;
            }
        }
        self.execute(PRUNE_CLASSES, &[]).await.map(drop)
    }
}
