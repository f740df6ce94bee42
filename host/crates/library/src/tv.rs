//! Lists TV shows, seasons and episodes.

use crate::items;
use svc_domain::id::{TvEpisodeId, TvSeasonId, TvShowId};
use svc_domain::list::{ListRequest, Listing, OrderedPagination};
use svc_domain::video::{Episode, Season, Show};
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
use svc_store::{Hits, TvRepository, UserItemRepository};
pub use svc_store::{ItemFilter, ShowFilter, ShowOrder};

/// TV shows; items outside of the actor's access filter are treated as not existing.
#[derive(Debug, Clone)]
pub struct Tv {
    tv: TvRepository,
    user_items: UserItemRepository,
}

impl Tv {
    /// Creates the service.
    pub fn new(tv: TvRepository, user_items: UserItemRepository) -> Self {
        Self { tv, user_items }
    }

    /// Lists shows.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list_shows(
        &self,
        actor: &Actor,
        filter: &ShowFilter,
        request: &ListRequest<ShowOrder>,
    ) -> Result<Listing<Show>> {
        Ok(self.tv.list_shows(&actor.scope, filter, request).await?)
    }

    /// The shows of search hits.
    ///
    /// # Errors
    /// Database errors.
    pub async fn shows_of_hits(&self, actor: &Actor, hits: Hits) -> Result<Listing<Show>> {
        Ok(self.tv.shows_of_hits(&actor.scope, hits).await?)
    }

    /// The episodes of search hits.
    ///
    /// # Errors
    /// Database errors.
    pub async fn episodes_of_hits(&self, actor: &Actor, hits: Hits) -> Result<Listing<Episode>> {
        let mut episodes = self.tv.episodes_of_hits(&actor.scope, hits).await?;
        self.add_user_data(actor, &mut episodes.items).await?;
        Ok(episodes)
    }

    /// One show.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn show(&self, actor: &Actor, id: TvShowId) -> Result<Show> {
        self.tv
            .show(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }

    /// The seasons of a show, by number.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn seasons(
        &self,
        actor: &Actor,
        id: TvShowId,
        part: OrderedPagination,
    ) -> Result<Listing<Season>> {
        self.show(actor, id).await?;
        Ok(self.tv.show_seasons(&actor.scope, id, part).await?)
    }

    /// The episodes of a show in viewing order.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn show_episodes(
        &self,
        actor: &Actor,
        id: TvShowId,
        filter: &ItemFilter,
        part: OrderedPagination,
    ) -> Result<Listing<Episode>> {
        self.show(actor, id).await?;
        let mut episodes = self.tv.show_episodes(&actor.scope, id, filter, part).await?;
        self.add_user_data(actor, &mut episodes.items).await?;
        Ok(episodes)
    }

    /// One season.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn season(&self, actor: &Actor, id: TvSeasonId) -> Result<Season> {
        self.tv
            .season(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }

    /// The episodes of a season, by number.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn season_episodes(
        &self,
        actor: &Actor,
        id: TvSeasonId,
        filter: &ItemFilter,
        part: OrderedPagination,
    ) -> Result<Listing<Episode>> {
        self.season(actor, id).await?;
        let mut episodes = self.tv.season_episodes(&actor.scope, id, filter, part).await?;
        self.add_user_data(actor, &mut episodes.items).await?;
        Ok(episodes)
    }

    /// One episode.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn episode(&self, actor: &Actor, id: TvEpisodeId) -> Result<Episode> {
        let episode = self.tv.episode(&actor.scope, id).await?;
        let mut episode = episode.ok_or(ServiceError::NotFound)?;
        self.add_user_data(actor, std::slice::from_mut(&mut episode))
            .await?;
        Ok(episode)
    }

    async fn add_user_data(&self, actor: &Actor, episodes: &mut [Episode]) -> Result<()> {
        items::add_user_data(&self.user_items, actor, episodes).await
    }
}
