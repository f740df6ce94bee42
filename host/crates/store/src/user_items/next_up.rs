//! The next episode of each show.

use sqlx::AssertSqlSafe;

use crate::query::access_filter::AccessFilter;
use crate::user_items::UserItemRepository;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_domain::list::{Listing, Pagination};

/// The shows of which the user watched an episode, with their episodes in order and the specials last; then the last
/// watched episode of each show, and the first unwatched one after it, to which an access condition is appended.
const PLACED: &str = "WITH started AS (\
    SELECT e.show_id, max(u.played_at) AS played_at FROM user_items u JOIN tv_episodes e ON e.episode_id = u.item_id \
    WHERE u.user_id = $1 AND u.item_type = 6 AND u.watched GROUP BY e.show_id), \
    placed AS (\
    SELECT e.show_id, e.episode_id, s.played_at AS show_played_at, coalesce(u.watched, FALSE) AS watched, u.played_at, \
    row_number() OVER (PARTITION BY e.show_id ORDER BY CASE WHEN n.season_number = 0 THEN 1 ELSE 0 END, \
    n.season_number ASC NULLS LAST, e.episode_number ASC NULLS LAST, e.absolute_number ASC NULLS LAST, \
    e.air_date ASC NULLS LAST, e.episode_id) AS place \
    FROM started s JOIN tv_episodes e ON e.show_id = s.show_id JOIN tv_seasons n ON n.season_id = e.season_id \
    LEFT JOIN user_items u ON u.user_id = $1 AND u.item_type = 6 AND u.item_id = e.episode_id), \
    latest AS (\
    SELECT p.show_id, max(p.place) AS place FROM placed p WHERE p.watched AND p.played_at = p.show_played_at \
    GROUP BY p.show_id), \
    upcoming AS (\
    SELECT p.show_id, min(p.place) AS place FROM placed p JOIN latest l ON l.show_id = p.show_id \
    WHERE NOT p.watched AND p.place > l.place";

impl UserItemRepository {
    /// The next unwatched and accessible episode, in the order of seasons and numbers, of each show of which the user
    /// watched an episode. The most recently watched show comes first.
    pub async fn next_up(&self, user: UserId, scope: &MediaScope, page: Pagination) -> Result<Listing<i64>> {
        let access_condition = AccessFilter::Episodes.and("p.episode_id", scope);
        let placed = format!("{PLACED}{access_condition} GROUP BY p.show_id)");
        let count = AssertSqlSafe(format!("{placed} SELECT count(*) FROM upcoming"));
        let total = self.db.pools().count(count, &args![user.get()]).await?;
        let sql = format!(
            "{placed} SELECT p.episode_id FROM upcoming x JOIN placed p ON p.show_id = x.show_id \
             AND p.place = x.place ORDER BY p.show_played_at DESC, p.show_id DESC LIMIT $2 OFFSET $3"
        );
        let values = args![
            user.get(),
            i64::from(page.take.min(Pagination::MAX_TAKE)),
            i64::try_from(page.skip).unwrap_or(i64::MAX),
        ];
        let rows: Vec<(i64,)> = self.db.pools().fetch_page(AssertSqlSafe(sql), &values).await?;
        Ok(Listing {
            items: rows.into_iter().map(|(id,)| id).collect(),
            total,
            next: None,
        })
    }
}
