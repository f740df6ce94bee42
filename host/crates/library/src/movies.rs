//! The movies service: lists, search hits and single movies, with the data of the user.

use crate::items;
use svc_domain::id::MovieId;
use svc_domain::list::{ListRequest, Listing};
use svc_domain::video::Movie;
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
use svc_store::{Hits, MovieRepository, UserItemRepository};
pub use svc_store::{ItemFilter, MovieFilter, MovieOrder};

/// Movies; items outside of the actor's access filter are treated as not existing.
#[derive(Debug, Clone)]
pub struct Movies {
    movies: MovieRepository,
    user_items: UserItemRepository,
}

impl Movies {
    /// Creates the service.
    pub fn new(movies: MovieRepository, user_items: UserItemRepository) -> Self {
        Self { movies, user_items }
    }

    /// Lists movies.
    ///
    /// # Errors
    /// Database errors.
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

    /// The movies of search hits.
    ///
    /// # Errors
    /// Database errors.
    pub async fn of_hits(&self, actor: &Actor, hits: Hits) -> Result<Listing<Movie>> {
        let mut movies = self.movies.movies_of_hits(&actor.scope, hits).await?;
        self.add_user_data(actor, &mut movies.items).await?;
        Ok(movies)
    }

    async fn add_user_data(&self, actor: &Actor, movies: &mut [Movie]) -> Result<()> {
        items::add_user_data(&self.user_items, actor, movies).await
    }

    /// One movie.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn movie(&self, actor: &Actor, id: MovieId) -> Result<Movie> {
        let movie = self.movies.movie(&actor.scope, id).await?;
        let mut movie = movie.ok_or(ServiceError::NotFound)?;
        self.add_user_data(actor, std::slice::from_mut(&mut movie))
            .await?;
        Ok(movie)
    }
}
