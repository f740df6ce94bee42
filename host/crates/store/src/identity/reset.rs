//! Deletes the index, or all data: what both resets do in the database.

use crate::db::search_index::SearchIndex;
use crate::identity::IdentityChange;
use crate::instance::Instance;
use svc_database::Result;
use svc_database::args::args;
use svc_database::dialect;

/// Referring tables first.
const DELETE_MEDIA: [&str; 30] = [
    "DELETE FROM user_items",
    "DELETE FROM playback_queue_items",
    "DELETE FROM playback_queues",
    "DELETE FROM track_artists",
    "DELETE FROM track_genres",
    "DELETE FROM release_artists",
    "DELETE FROM music_tracks",
    "DELETE FROM music_releases",
    "DELETE FROM music_artists",
    "DELETE FROM music_genres",
    "DELETE FROM photo_album_photos",
    "DELETE FROM photo_edits",
    "DELETE FROM photos",
    "DELETE FROM video_sources",
    "DELETE FROM movie_genres",
    "DELETE FROM tv_show_genres",
    "DELETE FROM movies",
    "DELETE FROM tv_episodes",
    "DELETE FROM tv_seasons",
    "DELETE FROM tv_shows",
    "DELETE FROM kept_readings",
    "DELETE FROM kept_versions",
    "DELETE FROM item_values",
    "DELETE FROM item_files",
    "DELETE FROM items",
    "DELETE FROM files",
    "DELETE FROM folders",
    "DELETE FROM plugins_seen",
    // Skips a sequence number, so that a client which has read all changes detects the gap and fetches everything.
    "INSERT INTO changes (change, item_id, at) VALUES (0, 0, 0)",
    "DELETE FROM changes",
];

/// All but the row of the server and the schema version; referring tables first.
const DELETE_OTHER_DATA: [&str; 29] = [
    "DELETE FROM jobs",
    "DELETE FROM run_logs",
    "DELETE FROM runs",
    "DELETE FROM photo_album_shares",
    "DELETE FROM photo_albums",
    "DELETE FROM library_user_grants",
    "DELETE FROM library_role_grants",
    "DELETE FROM libraries",
    "DELETE FROM access_classes",
    "DELETE FROM directories",
    "DELETE FROM device_sign_ins",
    "DELETE FROM single_use_values",
    "DELETE FROM cloud_sessions",
    "DELETE FROM refresh_tokens",
    "DELETE FROM sessions",
    "DELETE FROM personal_access_tokens",
    "DELETE FROM known_addresses",
    "DELETE FROM account_settings",
    "DELETE FROM server_settings",
    "DELETE FROM role_assignments",
    "DELETE FROM invitations",
    "DELETE FROM cloud_credentials",
    "DELETE FROM roles",
    "DELETE FROM users",
    "DELETE FROM cors_origins",
    "DELETE FROM audit",
    "DELETE FROM plugin_components",
    "DELETE FROM plugins",
    "DELETE FROM plugin_state",
];

impl IdentityChange {
    /// Deletes the index. Accounts, directories and runs stay.
    pub async fn delete_media(&mut self) -> Result<()> {
        dialect::lift_statement_timeout(self.tx()).await?;
        for index in SearchIndex::TABLES {
            index.clear(self.tx()).await?;
        }
        for sql in DELETE_MEDIA {
            self.execute(sql, &[]).await?;
        }
        Ok(())
    }

    /// Deletes everything, and stores a new instance.
    pub async fn delete_everything(&mut self, instance: &Instance) -> Result<()> {
        self.delete_media().await?;
        for sql in DELETE_OTHER_DATA {
            self.execute(sql, &[]).await?;
        }
        self.execute(
            "UPDATE server SET instance_id = $1, created_at = $2",
            &args![instance.instance_id.as_str(), instance.created_at],
        )
        .await
        .map(drop)
    }
}
