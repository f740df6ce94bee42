//! Genres of music: the list with its orders and counts.

use crate::music::MusicRepository;
use crate::query::access_filter::AccessFilter;
use crate::query::pages::{MediaRows, Sort, in_order};
#[cfg(test)]
use crate::query::pages::{OrderCase, order_cases_of};
use crate::query::where_clause::WhereClause;
use svc_database::Result;
use svc_domain::library::MediaScope;
use svc_domain::list::{ListRequest, Listing};
use svc_domain::music::Genre;

/// Order of a list of genres.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenreOrder {
    /// Name, ignoring case and diacritics.
    Name,
}

impl GenreOrder {
    fn sort(self) -> Sort {
        match self {
            Self::Name => Sort::text("name", "g.key").unique(),
        }
    }
}

const GENRES: MediaRows = MediaRows {
    from: "music_genres g",
    key: "g.genre_id",
};
const GENRE_BY_ID: &str = "SELECT g.genre_id, g.name, g.track_count FROM music_genres g WHERE g.genre_id";
const GENRE_TRACKS: &str = "SELECT l.genre_id, count(*) FROM track_genres l WHERE l.genre_id";

impl MusicRepository {
    /// Genres in the scope.
    pub async fn list_genres(
        &self,
        scope: &MediaScope,
        request: &ListRequest<GenreOrder>,
    ) -> Result<Listing<Genre>> {
        let scope = &self.db.restricted_to_libraries(scope, &request.libraries).await?;
        let where_clause = WhereClause::of_media(AccessFilter::Genres, GENRES.key, scope);
        let page = self
            .db
            .page_of(GENRES, &where_clause, request.by.sort(), request)
            .await?;
        let rows: Vec<(i64, String, i64)> = self.db.rows_of_listed(GENRE_BY_ID, &page.items, "").await?;
        let mut rows = in_order(&page.items, rows, |(id, ..)| *id);
        if *scope != MediaScope::All {
            let access_condition = AccessFilter::Tracks.and("l.track_id", scope) + " GROUP BY l.genre_id";
            let tracks = self
                .db
                .counts_of_listed(GENRE_TRACKS, &page.items, &access_condition)
                .await?;
            for (id, _, count) in &mut rows {
                *count = tracks.get(id).copied().unwrap_or_default();
            }
        }
        let genre = |(id, name, track_count): (i64, _, _)| Genre {
            id: id.into(),
            name,
            track_count,
        };
        Ok(page.with_items(rows.into_iter().map(genre).collect()))
    }
}

/// The statements that read a page, one per order.
#[cfg(test)]
pub(crate) fn order_cases() -> Vec<OrderCase> {
    order_cases_of(GENRES, GenreOrder::Name.sort())
}
