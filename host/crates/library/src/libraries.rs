//! Libraries: named parts of the media, and the grants to them.

use crate::library_input::{check_grants, check_name, check_paths, known_grants};
use svc_domain::audit::{AuditEntry, AuditEvent};
use svc_domain::id::LibraryId;
use svc_domain::kind::MediaKind;
use svc_domain::library::{Grant, Library, LibraryCounts};
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::text::fold;
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_identity::{AuthContext, ClientInfo, Context, run_to_completion};
use svc_store::{DirectoryRepository, IdentityChange, LibraryRepository};

pub use crate::library_input::{LibraryPatch, NewGrant, NewLibrary};

/// The error for an unknown media kind.
const KINDS: &str = "must be music, photos, movies, tv or a plugin's kind";

/// The order of a list of libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibraryOrder {
    /// By name, ignoring case and diacritics.
    Name,
    /// By creation time.
    CreatedAt,
}

/// A library with what the actor may see of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryInfo {
    /// The library.
    pub library: Library,
    /// Number of items.
    pub counts: LibraryCounts,
    /// Whether the actor may see the grants.
    pub shows_grants: bool,
}

/// The libraries service.
#[derive(Debug, Clone)]
pub struct Libraries {
    context: Context,
    libraries: LibraryRepository,
    directories: DirectoryRepository,
}

/// Checks that no other library of the kind has this name.
async fn require_free_name(change: &mut IdentityChange, library: &Library) -> Result<()> {
    let key = fold(&library.name);
    let libraries = change.libraries().await?;
    let mut others = libraries
        .iter()
        .filter(|other| other.id != library.id && other.kind == library.kind);
    if others.any(|other| fold(&other.name) == key) {
        let message = "a library with this name already exists for the media kind";
        return Err(ServiceError::conflict(ErrorCode::LibraryNameTaken, message));
    }
    Ok(())
}

async fn find(change: &mut IdentityChange, id: LibraryId) -> Result<Library> {
    let libraries = change.libraries().await?;
    let found = libraries.into_iter().find(|library| library.id == id);
    found.ok_or(ServiceError::NotFound)
}

fn may_manage(actor: &Actor) -> bool {
    actor.may(Capability::LibrariesUpdate)
}

impl Libraries {
    /// Creates the service.
    pub fn new(context: Context, libraries: LibraryRepository, directories: DirectoryRepository) -> Self {
        Self {
            context,
            libraries,
            directories,
        }
    }

    /// Lists the libraries that are granted to the actor; all of them if the actor may change libraries.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(
        &self,
        actor: &Actor,
        by: LibraryOrder,
        order: Order,
        page: Pagination,
    ) -> Result<Listing<LibraryInfo>> {
        let mut libraries = self.visible(actor).await?;
        if by == LibraryOrder::Name {
            libraries.sort_by_cached_key(|library| (fold(&library.name), library.id));
        }
        if order == Order::Descending {
            libraries.reverse();
        }
        let total = libraries.len() as u64;
        let skip = usize::try_from(page.skip).unwrap_or(usize::MAX);
        let take = usize::try_from(page.take).unwrap_or(usize::MAX);
        let asked = libraries.into_iter().skip(skip).take(take).collect();
        Ok(Listing {
            items: self.with_counts(asked, may_manage(actor)).await?,
            total,
            next: None,
        })
    }

    /// Returns a library.
    ///
    /// # Errors
    /// Not found, also if the actor has neither a grant nor the right to change it; database errors.
    pub async fn get(&self, actor: &Actor, id: LibraryId) -> Result<LibraryInfo> {
        let mut shown = self.visible(actor).await?;
        shown.retain(|library| library.id == id);
        let mut found = self.with_counts(shown, may_manage(actor)).await?;
        found.pop().ok_or(ServiceError::NotFound)
    }

    async fn visible(&self, actor: &Actor) -> Result<Vec<Library>> {
        let mut libraries = self.libraries.libraries().await?;
        if !actor.user.is_owner && !may_manage(actor) {
            let admitted = self.libraries.admitted_libraries(actor.user.id).await?;
            libraries.retain(|library| admitted.contains(&library.id));
        }
        Ok(libraries)
    }

    async fn with_counts(&self, libraries: Vec<Library>, shows_grants: bool) -> Result<Vec<LibraryInfo>> {
        if libraries.is_empty() {
            return Ok(Vec::new());
        }
        let counts = self.libraries.library_counts().await?;
        let info = |library: Library| LibraryInfo {
            counts: counts.get(&library.id).copied().unwrap_or_default(),
            library,
            shows_grants,
        };
        Ok(libraries.into_iter().map(info).collect())
    }

    async fn info_of(&self, library: Library) -> Result<LibraryInfo> {
        let mut made = self.with_counts(vec![library], true).await?;
        made.pop().ok_or(ServiceError::NotFound)
    }

    /// Creates a library, with effect on the next request. `by` is `None` in development mode.
    ///
    /// # Errors
    /// Invalid name, kind, path or grant; conflict `library_name_taken`; database errors.
    pub async fn create(&self, by: Option<AuthContext>, new: NewLibrary) -> Result<LibraryInfo> {
        let name = check_name(&new.name)?;
        let kind = new.kind.parse();
        let kind = kind.map_err(|_| ServiceError::invalid("mediaKind", KINDS))?;
        let paths = check_paths(&new.paths)?;
        let grants = check_grants(&new.grants)?;
        let kind = self.known_kind(kind).await?;
        let this = self.clone();
        run_to_completion(&self.context.tasks, "library-create", async move {
            let now = this.context.now();
            let mut change = this.context.change_by(by.as_ref()).await?;
            let grants = known_grants(&mut change, grants).await?;
            let library = Library {
                id: this.context.ids.next(now),
                name,
                kind,
                paths,
                restricted: !grants.is_empty(),
                grants,
                created_at: now,
            };
            require_free_name(&mut change, &library).await?;
            change.insert_library(&library).await?;
            let entry = this.audit(by.as_ref(), AuditEvent::LibraryCreated, &library);
            change.audit(&entry).await?;
            change.commit().await?;
            this.info_of(library).await
        })
        .await
    }

    /// Changes a library, with effect on the next request.
    ///
    /// # Errors
    /// Not found; invalid name, path or grant; conflict `library_name_taken`; database errors.
    pub async fn update(&self, by: AuthContext, id: LibraryId, patch: LibraryPatch) -> Result<LibraryInfo> {
        let name = patch.name.as_deref().map(check_name).transpose()?;
        let paths = patch.paths.as_deref().map(check_paths).transpose()?;
        let grants = patch.grants.as_deref().map(check_grants).transpose()?;
        let this = self.clone();
        run_to_completion(&self.context.tasks, "library-update", async move {
            let mut change = this.context.change_by(&by).await?;
            let before = find(&mut change, id).await?;
            let mut library = before.clone();
            if let Some(grants) = grants {
                library.grants = known_grants(&mut change, grants).await?;
                library.restricted = !library.grants.is_empty();
            }
            if let Some(name) = name {
                library.name = name;
                require_free_name(&mut change, &library).await?;
            }
            if let Some(paths) = paths {
                library.paths = paths;
            }
            if library != before {
                let moved = library.paths != before.paths;
                change.update_library(&library, moved).await?;
                let entry = this.audit(Some(&by), AuditEvent::LibraryUpdated, &library);
                change.audit(&entry).await?;
                change.commit().await?;
            }
            this.info_of(library).await
        })
        .await
    }

    /// Deletes a library but not its media, which stay in other libraries. `by` is `None` in development mode.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn delete(&self, by: Option<AuthContext>, id: LibraryId) -> Result<()> {
        let this = self.clone();
        run_to_completion(&self.context.tasks, "library-delete", async move {
            let mut change = this.context.change_by(by.as_ref()).await?;
            let library = find(&mut change, id).await?;
            change.delete_library(&library).await?;
            let entry = this.audit(by.as_ref(), AuditEvent::LibraryDeleted, &library);
            change.audit(&entry).await?;
            Ok(change.commit().await?)
        })
        .await
    }

    /// Checks that the kind is built in or has a configured directory.
    async fn known_kind(&self, kind: MediaKind) -> Result<MediaKind> {
        if MediaKind::BUILT_IN.contains(&kind.as_str()) {
            return Ok(kind);
        }
        let directories = self.directories.list_directories().await?;
        let configured = directories.iter().any(|directory| directory.kind == kind);
        let unknown = || {
            let message = format!(
                "no directory of the kind `{kind}` is configured; the server's option is `--root {kind}=DIR`"
            );
            ServiceError::unknown("mediaKind", message)
        };
        if configured { Ok(kind) } else { Err(unknown()) }
    }

    fn audit(&self, by: Option<&AuthContext>, event: AuditEvent, library: &Library) -> AuditEntry {
        let grants = library.grants.iter().map(|grant| match grant {
            Grant::User(user) => format!("user {user}"),
            Grant::Role(role) => format!("role {role}"),
        });
        let grants: Vec<String> = grants.collect();
        let details = [
            ("library", library.name.clone()),
            ("libraryId", library.id.to_string()),
            ("mediaKind", library.kind.to_string()),
            ("grants", grants.join(", ")),
        ];
        match by {
            Some(by) => self.context.audit_of(by, event, None, &details),
            None => self
                .context
                .audit_entry(event, &ClientInfo::default(), None, None, &details),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_and_nested_paths_are_removed() {
        let checked = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
            let paths = check_paths(&texts).ok()?;
            Some(
                paths
                    .iter()
                    .map(|path| path.as_str().to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(checked(&[]).unwrap(), [""]);
        assert_eq!(checked(&["b/c", "a", "b", "a", "bc"]).unwrap(), ["a", "b", "bc"]);
        assert_eq!(checked(&["a", ""]).unwrap(), [""]);
        for bad in ["/a", "../a", "a//b", "a\0"] {
            assert_eq!(checked(&["a", bad]), None, "{bad:?}");
        }
        let many: Vec<String> = (0..201).map(|number| number.to_string()).collect();
        assert!(check_paths(&many).is_err());
        assert!(check_paths(many.get(1..).unwrap()).is_ok());
    }
}
