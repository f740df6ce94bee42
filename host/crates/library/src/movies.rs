//! Browsing movies.

use crate::items::user_data;
use svc_domain::change::ItemType;
use svc_domain::id::MovieId;
use svc_domain::list::{ListRequest, Listing};
use svc_domain::video::Movie;
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
use svc_store::{Hits, MovieRepository, UserItemRepository};
pub use svc_store::{ItemFilter, MovieFilter, MovieOrder};

/// Movies, as an actor sees them: what they do not see is as if it did not exist.
#[derive(Debug, Clone)]
pub struct Movies {
    movies: MovieRepository,
    user_items: UserItemRepository,
}

impl Movies {
    /// Over this store.
    pub fn new(movies: MovieRepository, user_items: UserItemRepository) -> Self {
        Self { movies, user_items }
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
        let mut movies = self.movies.list_movies(&actor.scope, filter, request).await?;
        self.add_user_data(actor, &mut movies.items).await?;
        Ok(movies)
    }

    /// Movies that were found.
    ///
    /// # Errors
    /// The store's.
    pub async fn found(&self, actor: &Actor, hits: Hits) -> Result<Listing<Movie>> {
        let mut movies = self.movies.found_movies(&actor.scope, hits).await?;
        self.add_user_data(actor, &mut movies.items).await?;
        Ok(movies)
    }

    async fn add_user_data(&self, actor: &Actor, movies: &mut [Movie]) -> Result<()> {
        let key = |movie: &Movie| (ItemType::Movie, movie.id.get());
        let keys: Vec<_> = movies.iter().map(key).collect();
        let found = user_data(&self.user_items, actor, &keys).await?;
        for movie in movies {
            movie.user_data = found.get(&key(movie)).copied().unwrap_or_default();
        }
        Ok(())
    }

    /// One movie.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn movie(&self, actor: &Actor, id: MovieId) -> Result<Movie> {
        let movie = self.movies.movie(&actor.scope, id).await?;
        let mut movie = movie.ok_or(ServiceError::NotFound)?;
        self.add_user_data(actor, std::slice::from_mut(&mut movie))
            .await?;
        Ok(movie)
    }
}
