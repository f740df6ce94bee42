//! Browsing movies.

use super::error::{Result, ServiceError};
use crate::auth::actor::Actor;
use crate::domain::id::MovieId;
use crate::domain::list::{ListRequest, Listing};
use crate::domain::video::Movie;
use crate::store::Store;
pub use crate::store::{MovieFilter, MovieOrder};

/// Movies, as an actor sees them: what they do not see is as if it did not exist.
#[derive(Debug, Clone)]
pub struct Movies {
    store: Store,
}

impl Movies {
    /// Over this store.
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Movies.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(
        &self,
        actor: &Actor,
        filter: &MovieFilter,
        request: &ListRequest<MovieOrder>,
    ) -> Result<Listing<Movie>> {
        Ok(self.store.list_movies(&actor.scope, filter, request).await?)
    }

    /// One movie.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn movie(&self, actor: &Actor, id: MovieId) -> Result<Movie> {
        self.store
            .movie(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }
}
