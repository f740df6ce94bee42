//! The list of routes. The router, the API description, `GET /api` and the authorization tests are built from it.

use salvo::Service;
use salvo::catcher::Catcher;

use crate::binary_content::BinaryContent::{Audio, File, Image, Page, Subtitles, Thumbnail, Video};
use crate::docs;
use crate::middleware::{AroundRequest, ErrorBody};
use crate::route::Access::{AnyCapability, Capability as Require, Dev, Link, Public, Session, SignedIn};
use crate::route::CachePolicy::{self, ByHandler, ByVersion};
use crate::route::Timeout::{Plugins, SignIn};
use crate::route::{Access, Route, UrlCredential};
use crate::routes::{
    auth, changes, cinema, cloud_link, dev, device_sign_in, events, general, history, index, invitations,
    items, jobs, libraries, links, ls, movies, music, oidc, photo_albums, photos, playback_queues, plugins,
    ratings, reset, roles, search, sessions, settings, tokens, tv, users, video, waveforms,
};
use crate::routing::build_router;
use crate::state::SharedState;
use crate::tag::Tag;
use svc_domain::kind::CachePartition;
use svc_http_io::limits::{LOGIN_BODY_BYTES, Limits, PLUGIN_BODY_BYTES, SETTINGS_BODY_BYTES};
use svc_identity::capability::Capability as C;

/// Responses built from a partition of the media, or from all of it.
const MUSIC: CachePolicy = ByVersion(Some(CachePartition::Music));
const PHOTOS: CachePolicy = ByVersion(Some(CachePartition::Photos));
const VIDEO: CachePolicy = ByVersion(Some(CachePartition::Video));
const ITEMS: CachePolicy = ByVersion(Some(CachePartition::Items));
const ALL_MEDIA: CachePolicy = ByVersion(None);

/// Rendered images, which the handler may mark as cacheable.
const MUSIC_IMAGES: CachePolicy = ByHandler(Some(CachePartition::Music));
const PHOTOS_IMAGES: CachePolicy = ByHandler(Some(CachePartition::Photos));
const ITEMS_IMAGES: CachePolicy = ByHandler(Some(CachePartition::Items));

/// Artists expose their releases and tracks, which are reached through them.
const ARTISTS: Access = Require(C::MusicArtistsRead);
const RELEASES: Access = Require(C::MusicReleasesRead);
const TRACKS: Access = Require(C::MusicTracksRead);

/// The caller's own queues.
const QUEUES: Access = Require(C::PlaybackQueuesRead);
const CHANGES_QUEUES: Access = Require(C::PlaybackQueuesUpdate);

/// Shows and seasons are visible through their episodes.
const EPISODES: Access = Require(C::TvEpisodesRead);

/// Subtitles belong to a movie or an episode; the service checks which.
const SUBTITLES: &[C] = &[C::MoviesPlay, C::TvEpisodesPlay];

/// Folder names reveal what is in them: any of these capabilities permits browsing.
const BROWSES: &[C] = &[
    C::MusicTracksRead,
    C::MusicReleasesRead,
    C::MusicArtistsRead,
    C::PhotosRead,
    C::MoviesRead,
    C::TvEpisodesRead,
    C::ItemsRead,
    C::IndexingRead,
    C::IndexingOperate,
];

/// Either permits the reset; the handler checks the one that its input requires.
const RESETS: &[C] = &[C::IndexingDeindex, C::MediaServerFactoryReset];

/// Routes of one group.
fn tagged<const N: usize>(tag: Tag, routes: [Route; N]) -> [Route; N] {
    routes.map(|route| Route { tag, ..route })
}

/// Every route of the server.
#[rustfmt::skip]
pub fn routes() -> Vec<Route> {
    let mut list = Vec::new();
    list.extend(tagged(Tag::Server, [
        Route::get   ("/api",                                                              Public,                          general::get_home),
        Route::get   ("/api/docs-json",                                                    Public,                          docs::get_document),
        Route::get   ("/api/docs",                                                         Public,                          docs::get_page),
        Route::get   ("/api/docs/{file}",                                                  Public,                          docs::get_asset),
        Route::get   ("/api/v1/health",                                                    Public,                          general::get_health),
        Route::get   ("/api/v1/health/ready",                                              Public,                          general::get_readiness),
        Route::get   ("/api/v1/instance",                                                  Public,                          general::get_instance),
        Route::get   ("/api/v1/release-channels",                                          Public,                          general::list_release_channels),
        Route::get   ("/api/v1/updates",                                                   Public,                          general::get_updates),
        Route::post  ("/api/v1/reset",                                                     AnyCapability(RESETS),           reset::reset_server),
        Route::get   ("/api/v1/versions",                                                  SignedIn,                        general::get_versions),
        Route::post  ("/api/v1/setup",                                                     Public,                          general::set_up_server),
        Route::get   ("/api/v1/licensing/subscription",                                    Require(C::UsersRead),           general::get_subscription),
        Route::get   ("/api/v1/licensing/seats",                                           Require(C::UsersRead),           general::get_seats),
    ]));
    list.extend(tagged(Tag::Authentication, [
        Route::post  ("/api/v1/auth/login",                                                Public,                          auth::sign_in).body(LOGIN_BODY_BYTES).timeout(SignIn),
        Route::post  ("/api/v1/auth/refresh",                                              Public,                          auth::refresh_session).timeout(SignIn),
        Route::post  ("/api/v1/auth/logout",                                               Public,                          auth::sign_out),
        Route::get   ("/api/v1/auth/methods",                                              Public,                          oidc::list_sign_in_methods),
        Route::get   ("/api/v1/auth/oidc/start",                                           Public,                          oidc::start_provider_sign_in).timeout(SignIn),
        Route::get   ("/api/v1/auth/oidc/callback",                                        Public,                          oidc::finish_provider_sign_in).timeout(SignIn),
        Route::post  ("/api/v1/auth/oidc/logout",                                          Public,                          oidc::report_provider_sign_out).timeout(SignIn),
        Route::post  ("/api/v1/auth/device",                                               Public,                          device_sign_in::start_device_sign_in).body(LOGIN_BODY_BYTES),
        Route::post  ("/api/v1/auth/device/token",                                         Public,                          device_sign_in::redeem_device_code).body(LOGIN_BODY_BYTES),
        Route::post  ("/api/v1/auth/device/approve",                                       Session(C::CurrentUserUpdate),   device_sign_in::approve_device_sign_in).body(LOGIN_BODY_BYTES),
        Route::post  ("/api/v1/auth/device/deny",                                          Session(C::CurrentUserUpdate),   device_sign_in::deny_device_sign_in).body(LOGIN_BODY_BYTES),
        Route::get   ("/api/v1/auth/device/{userCode}",                                    Session(C::CurrentUserUpdate),   device_sign_in::get_device_sign_in),
        Route::post  ("/api/v1/users/current/cloud-link",                                  Session(C::CurrentUserUpdate),   cloud_link::link_cloud_account).timeout(SignIn),
        Route::delete("/api/v1/users/current/cloud-link",                                  Session(C::CurrentUserUpdate),   cloud_link::unlink_cloud_account),
        Route::get   ("/api/v1/users/current/sessions",                                    Require(C::CurrentUserRead),     sessions::list_own_sessions),
        Route::delete("/api/v1/users/current/sessions",                                    Session(C::CurrentUserUpdate),   sessions::revoke_own_sessions),
        Route::delete("/api/v1/users/current/sessions/{sessionId}",                        Session(C::CurrentUserUpdate),   sessions::revoke_own_session),
        Route::get   ("/api/v1/users/{id}/sessions",                                       Require(C::UsersRead),           sessions::list_sessions),
        Route::delete("/api/v1/users/{id}/sessions",                                       Session(C::UsersUpdate),         sessions::revoke_sessions),
        Route::post  ("/api/v1/users/{id}/personal-access-tokens",                         Session(C::UsersUpdate),         tokens::create_personal_access_token),
        Route::get   ("/api/v1/users/{id}/personal-access-tokens",                         Session(C::UsersUpdate),         tokens::list_personal_access_tokens),
        Route::delete("/api/v1/users/{id}/personal-access-tokens/{personalAccessTokenId}", Session(C::UsersUpdate),         tokens::revoke_personal_access_token),
    ]));
    list.extend(tagged(Tag::Users, [
        Route::get   ("/api/v1/users/public",                                              Public,                          users::list_public_users),
        Route::get   ("/api/v1/users/current",                                             Require(C::CurrentUserRead),     users::get_current_user),
        Route::patch ("/api/v1/users/current",                                             Require(C::CurrentUserUpdate),   users::update_current_user).body(SETTINGS_BODY_BYTES),
        Route::get   ("/api/v1/users/owner",                                               Require(C::UsersRead),           users::get_owner),
        Route::get   ("/api/v1/users/active",                                              Require(C::UsersRead),           users::list_active_users),
        Route::get   ("/api/v1/users",                                                     Require(C::UsersRead),           users::list_users),
        Route::post  ("/api/v1/users",                                                     Session(C::UsersCreate),         users::create_user),
        Route::get   ("/api/v1/users/{id}",                                                Require(C::UsersRead),           users::get_user),
        Route::patch ("/api/v1/users/{id}",                                                Require(C::UsersUpdate),         users::update_user).body(SETTINGS_BODY_BYTES),
        Route::get   ("/api/v1/roles",                                                     Require(C::RoleAssignmentsRead), roles::list_roles),
        Route::post  ("/api/v1/roles",                                                     Session(C::RoleAssignmentsCreate), roles::create_role),
        Route::patch ("/api/v1/roles/{role}",                                              Session(C::RoleAssignmentsCreate), roles::update_role).body(SETTINGS_BODY_BYTES),
        Route::delete("/api/v1/roles/{role}",                                              Session(C::RoleAssignmentsDelete), roles::delete_role),
        Route::get   ("/api/v1/roles/assignments",                                         Require(C::RoleAssignmentsRead), roles::list_role_assignments),
        Route::post  ("/api/v1/roles/{role}/assignments",                                  Session(C::RoleAssignmentsCreate), roles::assign_role),
        Route::delete("/api/v1/roles/{role}/assignments",                                  Session(C::RoleAssignmentsDelete), roles::unassign_role),
        Route::get   ("/api/v1/invitations",                                               Require(C::InvitationsRead),     invitations::list_invitations),
        Route::post  ("/api/v1/invitations",                                               Session(C::InvitationsCreate),   invitations::create_invitation).timeout(SignIn),
        Route::get   ("/api/v1/invitations/{id}",                                          Require(C::InvitationsRead),     invitations::get_invitation),
        Route::delete("/api/v1/invitations/{id}",                                          Require(C::InvitationsDelete),   invitations::revoke_invitation).timeout(SignIn),
        Route::post  ("/api/v1/invitations/claim",                                         Public,                          invitations::claim_invitation).body(LOGIN_BODY_BYTES).timeout(SignIn),
        Route::get   ("/api/v1/invitations/claim/{shortcode}",                             Public,                          invitations::get_invitation_offer),
    ]));
    list.extend(tagged(Tag::Settings, [
        Route::get   ("/api/v1/settings/{app}",                                            SignedIn,                        settings::get_settings),
        Route::patch ("/api/v1/settings",                                                  SignedIn,                        settings::update_settings).body(SETTINGS_BODY_BYTES),
        Route::get   ("/api/v1/cors-origins",                                              Require(C::ServerSettingsRead),  settings::list_cors_origins),
        Route::post  ("/api/v1/cors-origins",                                              Require(C::ServerSettingsUpdate),  settings::add_cors_origin),
        Route::delete("/api/v1/cors-origins/{id}",                                         Require(C::ServerSettingsUpdate),  settings::remove_cors_origin),
        Route::get   ("/api/v1/audit",                                                     Require(C::AuditRead),           settings::list_audit_entries),
    ]));
    list.extend(tagged(Tag::Indexing, [
        Route::get   ("/api/v1/ls",                                                        AnyCapability(BROWSES),          ls::browse_directory),
        Route::post  ("/api/v1/index/run",                                                 Require(C::IndexingOperate),     index::start_run),
        Route::get   ("/api/v1/index/run/logs",                                            Require(C::IndexingRead),        index::list_run_logs),
        Route::get   ("/api/v1/index/runs",                                                Require(C::IndexingRead),        index::list_runs),
        Route::get   ("/api/v1/index/runs/{runId}",                                        Require(C::IndexingRead),        index::get_run),
        Route::get   ("/api/v1/index/state",                                               Require(C::IndexingRead),        index::get_index_state),
        Route::patch ("/api/v1/index/state",                                               Require(C::IndexingOperate),     index::control_run),
        Route::get   ("/api/v1/index/counts",                                              Require(C::IndexingRead),        index::get_file_counts),
        Route::get   ("/api/v1/index/file",                                                Require(C::IndexingRead),        index::explain_file),
        Route::get   ("/api/v1/index/directories",                                         Require(C::IndexingRead),        index::list_media_directories),
    ]));
    list.extend(tagged(Tag::Jobs, [
        Route::get   ("/api/v1/jobs",                                                      Require(C::JobsRead),            jobs::list_jobs),
        Route::post  ("/api/v1/jobs",                                                      Require(C::JobsCreate),          jobs::create_job),
        Route::get   ("/api/v1/jobs/types",                                                Require(C::JobsRead),            jobs::list_job_types),
        Route::get   ("/api/v1/jobs/{jobId}",                                              Require(C::JobsRead),            jobs::get_job),
        Route::patch ("/api/v1/jobs/{jobId}",                                              Require(C::JobsOperate),         jobs::control_job),
    ]));
    list.extend(tagged(Tag::Plugins, [
        Route::get   ("/api/v1/plugins",                                                   Require(C::PluginsRead),         plugins::list_plugins),
        Route::post  ("/api/v1/plugins",                                                   Require(C::PluginsOperate),      plugins::upload_plugin).body(PLUGIN_BODY_BYTES).timeout(Plugins),
        Route::get   ("/api/v1/plugins/{pluginId}",                                        Require(C::PluginsRead),         plugins::get_plugin),
        Route::patch ("/api/v1/plugins/{pluginId}",                                        Require(C::PluginsOperate),      plugins::update_plugin).timeout(Plugins),
        Route::delete("/api/v1/plugins/{pluginId}",                                        Require(C::PluginsOperate),      plugins::remove_plugin).timeout(Plugins),
        Route::post  ("/api/v1/plugins/{pluginId}/preview",                                Require(C::PluginsOperate),      plugins::preview_plugin).timeout(Plugins),
        Route::post  ("/api/v1/plugins/{pluginId}/rollback",                               Require(C::PluginsOperate),      plugins::roll_back_plugin).timeout(Plugins),
        Route::delete("/api/v1/plugins/{pluginId}/candidate",                              Require(C::PluginsOperate),      plugins::discard_plugin_candidate),
    ]));
    list.extend(tagged(Tag::Libraries, [
        Route::get   ("/api/v1/changes",                                                   SignedIn,                        changes::list_changes),
        Route::get   ("/api/v1/libraries",                                                 Require(C::LibrariesRead),       libraries::list_libraries),
        Route::post  ("/api/v1/libraries",                                                 Session(C::LibrariesCreate),     libraries::create_library),
        Route::get   ("/api/v1/libraries/{libraryId}",                                     Require(C::LibrariesRead),       libraries::get_library),
        Route::patch ("/api/v1/libraries/{libraryId}",                                     Session(C::LibrariesUpdate),     libraries::update_library),
        Route::delete("/api/v1/libraries/{libraryId}",                                     Session(C::LibrariesDelete),     libraries::delete_library),
        Route::post  ("/api/v1/links",                                                     SignedIn,                        links::create_link),
        Route::get   ("/api/v1/search",                                                    SignedIn,                        search::search).cached(ALL_MEDIA),
    ]));
    list.extend(tagged(Tag::Music, [
        Route::get   ("/api/v1/music/artists",                                             ARTISTS,                         music::list_artists).cached(MUSIC),
        Route::get   ("/api/v1/music/artists/{musicArtistId}",                             ARTISTS,                         music::get_artist).cached(MUSIC),
        Route::get   ("/api/v1/music/artists/{musicArtistId}/releases",                    RELEASES,                        music::list_artist_releases).cached(MUSIC),
        Route::get   ("/api/v1/music/releases",                                            RELEASES,                        music::list_releases).cached(MUSIC),
        Route::get   ("/api/v1/music/releases/{musicReleaseId}",                           RELEASES,                        music::get_release).cached(MUSIC),
        Route::get   ("/api/v1/music/releases/{musicReleaseId}/tracks",                    TRACKS,                          music::list_release_tracks).cached(MUSIC),
        Route::get   ("/api/v1/music/releases/{musicReleaseId}/artwork",                   Link(C::MusicReleasesRead),      music::get_release_artwork).cached(MUSIC_IMAGES).binary(Thumbnail),
        Route::get   ("/api/v1/music/tracks",                                              TRACKS,                          music::list_tracks).cached(MUSIC),
        Route::get   ("/api/v1/music/tracks/{musicTrackId}",                               TRACKS,                          music::get_track).cached(MUSIC),
        Route::get   ("/api/v1/music/tracks/{musicTrackId}/artwork",                       Link(C::MusicTracksRead),        music::get_track_artwork).cached(MUSIC_IMAGES).binary(Thumbnail),
        Route::get   ("/api/v1/music/tracks/{musicTrackId}/waveform",                      TRACKS,                          waveforms::get_waveform),
        Route::get   ("/api/v1/music/genres",                                              TRACKS,                          music::list_genres).cached(MUSIC),
        Route::get   ("/api/v1/music/stream/{musicTrackId}",                               Link(C::MusicTracksPlay),        music::stream_track).binary(Audio),
    ]));
    list.extend(tagged(Tag::Photos, [
        Route::get   ("/api/v1/photos",                                                    Require(C::PhotosRead),          photos::list_photos).cached(PHOTOS),
        Route::get   ("/api/v1/photos/buckets",                                            Require(C::PhotosRead),          photos::list_photo_buckets).cached(PHOTOS),
        Route::get   ("/api/v1/photos/{photoId}",                                          Require(C::PhotosRead),          photos::get_photo).cached(PHOTOS),
        Route::patch ("/api/v1/photos/{photoId}",                                          Require(C::PhotosUpdate),        photos::update_photo),
        Route::get   ("/api/v1/photos/{photoId}/original",                                 Link(C::PhotosRead),             photos::get_photo_original).binary(Image),
        Route::get   ("/api/v1/photos/{photoId}/thumbnail",                                Link(C::PhotosRead),             photos::get_photo_thumbnail).cached(PHOTOS_IMAGES).binary(Thumbnail),
        Route::get   ("/api/v1/photo-albums",                                              Require(C::PhotoAlbumsRead),     photo_albums::list_photo_albums).cached(PHOTOS),
        Route::post  ("/api/v1/photo-albums",                                              Require(C::PhotoAlbumsCreate),   photo_albums::create_photo_album),
        Route::get   ("/api/v1/photo-albums/{photoAlbumId}",                               Require(C::PhotoAlbumsRead),     photo_albums::get_photo_album).cached(PHOTOS),
        Route::patch ("/api/v1/photo-albums/{photoAlbumId}",                               Require(C::PhotoAlbumsUpdate),   photo_albums::update_photo_album),
        Route::delete("/api/v1/photo-albums/{photoAlbumId}",                               Require(C::PhotoAlbumsDelete),   photo_albums::delete_photo_album),
        Route::post  ("/api/v1/photo-albums/{photoAlbumId}/photos",                        Require(C::PhotoAlbumsUpdate),   photo_albums::add_photos_to_album),
        Route::delete("/api/v1/photo-albums/{photoAlbumId}/photos",                        Require(C::PhotoAlbumsUpdate),   photo_albums::remove_photos_from_album),
    ]));
    list.extend(tagged(Tag::MoviesAndTv, [
        Route::get   ("/api/v1/cinema/continue",                                           Require(C::HistoryRead),         cinema::list_resumable).cached(ALL_MEDIA),
        Route::get   ("/api/v1/cinema/next-up",                                            Require(C::HistoryRead),         cinema::list_next_up).cached(ALL_MEDIA),
        Route::get   ("/api/v1/movies",                                                    Require(C::MoviesRead),          movies::list_movies).cached(VIDEO),
        Route::get   ("/api/v1/movies/{movieId}",                                          Require(C::MoviesRead),          movies::get_movie).cached(VIDEO),
        Route::get   ("/api/v1/movies/{movieId}/artwork",                                  Link(C::MoviesRead),             movies::get_movie_artwork).binary(Thumbnail),
        Route::get   ("/api/v1/movies/{movieId}/stream",                                   Link(C::MoviesPlay),             movies::stream_movie).binary(Video),
        Route::get   ("/api/v1/tv/shows",                                                  EPISODES,                        tv::list_shows).cached(VIDEO),
        Route::get   ("/api/v1/tv/shows/{tvShowId}",                                       EPISODES,                        tv::get_show).cached(VIDEO),
        Route::get   ("/api/v1/tv/shows/{tvShowId}/seasons",                               EPISODES,                        tv::list_seasons).cached(VIDEO),
        Route::get   ("/api/v1/tv/shows/{tvShowId}/episodes",                              EPISODES,                        tv::list_show_episodes).cached(VIDEO),
        Route::get   ("/api/v1/tv/shows/{tvShowId}/artwork",                               Link(C::TvEpisodesRead),         tv::get_show_artwork).binary(Thumbnail),
        Route::get   ("/api/v1/tv/seasons/{tvSeasonId}",                                   EPISODES,                        tv::get_season).cached(VIDEO),
        Route::get   ("/api/v1/tv/seasons/{tvSeasonId}/episodes",                          EPISODES,                        tv::list_season_episodes).cached(VIDEO),
        Route::get   ("/api/v1/tv/seasons/{tvSeasonId}/artwork",                           Link(C::TvEpisodesRead),         tv::get_season_artwork).binary(Thumbnail),
        Route::get   ("/api/v1/tv/episodes/{tvEpisodeId}",                                 EPISODES,                        tv::get_episode).cached(VIDEO),
        Route::get   ("/api/v1/tv/episodes/{tvEpisodeId}/artwork",                         Link(C::TvEpisodesRead),         tv::get_episode_artwork).binary(Thumbnail),
        Route::get   ("/api/v1/tv/episodes/{tvEpisodeId}/stream",                          Link(C::TvEpisodesPlay),         tv::stream_episode).binary(Video),
        Route::get   ("/api/v1/subtitles/{subtitleId}",                                    AnyCapability(SUBTITLES),        video::get_subtitle).binary(Subtitles),
    ]));
    list.extend(tagged(Tag::Items, [
        Route::get   ("/api/v1/kinds",                                                     Require(C::ItemsRead),           items::list_kinds).cached(ITEMS),
        Route::get   ("/api/v1/items",                                                     Require(C::ItemsRead),           items::list_items).cached(ITEMS),
        Route::get   ("/api/v1/items/facets",                                              Require(C::ItemsRead),           items::list_item_facets).cached(ITEMS),
        Route::get   ("/api/v1/items/{itemId}",                                            Require(C::ItemsRead),           items::get_item).cached(ITEMS),
        Route::get   ("/api/v1/items/{itemId}/parts",                                      Require(C::ItemsRead),           items::list_item_parts).cached(ITEMS),
        Route::get   ("/api/v1/items/{itemId}/artwork",                                    Link(C::ItemsRead),              items::get_item_artwork).cached(ITEMS_IMAGES).binary(Thumbnail),
        Route::get   ("/api/v1/items/{itemId}/pages",                                      Require(C::ItemsRead),           items::list_item_pages),
        Route::get   ("/api/v1/items/{itemId}/pages/{pageNumber}",                         Require(C::ItemsPlay),           items::get_item_page).binary(Page),
        Route::get   ("/api/v1/items/{itemId}/stream",                                     Link(C::ItemsPlay),              items::stream_item).binary(File),
    ]));
    list.extend(tagged(Tag::Playback, [
        Route::get   ("/api/v1/history",                                                   Require(C::HistoryRead),         history::list_history).cached(ALL_MEDIA),
        Route::patch ("/api/v1/history",                                                   Require(C::HistoryUpdate),       history::report_playback),
        Route::delete("/api/v1/history/{mediaType}/{mediaId}",                             Require(C::HistoryUpdate),       history::delete_history_entry),
        Route::get   ("/api/v1/ratings",                                                   Require(C::RatingsRead),         ratings::list_ratings).cached(ALL_MEDIA),
        Route::put   ("/api/v1/ratings",                                                   Require(C::RatingsUpdate),       ratings::rate_item),
        Route::delete("/api/v1/ratings/{mediaType}/{mediaId}",                             Require(C::RatingsUpdate),       ratings::delete_rating),
        Route::get   ("/api/v1/playback-queues",                                           QUEUES,                          playback_queues::list_playback_queues),
        Route::post  ("/api/v1/playback-queues",                                           CHANGES_QUEUES,                  playback_queues::create_playback_queue).body(SETTINGS_BODY_BYTES),
        Route::get   ("/api/v1/playback-queues/{playbackQueueId}",                         QUEUES,                          playback_queues::get_playback_queue),
        Route::delete("/api/v1/playback-queues/{playbackQueueId}",                         CHANGES_QUEUES,                  playback_queues::delete_playback_queue),
        Route::put   ("/api/v1/playback-queues/{playbackQueueId}/cursor",                  CHANGES_QUEUES,                  playback_queues::set_playback_queue_cursor),
        Route::get   ("/api/v1/playback-queues/{playbackQueueId}/items",                   QUEUES,                          playback_queues::list_playback_queue_items),
        Route::post  ("/api/v1/playback-queues/{playbackQueueId}/items",                   CHANGES_QUEUES,                  playback_queues::add_playback_queue_items).body(SETTINGS_BODY_BYTES),
        Route::patch ("/api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}", CHANGES_QUEUES,              playback_queues::move_playback_queue_item),
        Route::delete("/api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}", CHANGES_QUEUES,              playback_queues::remove_playback_queue_item),
    ]));
    list.extend(tagged(Tag::Events, [
        Route::get   ("/api/v1/events/subscribe",                                           SignedIn,                        events::subscribe_to_events).url_credential(UrlCredential::TokenOrAuthorization),
    ]));
    list
}

/// Additional routes of development mode.
#[rustfmt::skip]
pub fn dev_routes() -> Vec<Route> {
    vec![
        Route::get   ("/api/v1/dev/settings/{app}/{key}",                                  Dev,                             dev::get_setting),
        Route::get   ("/api/v1/dev/last-claim-attempt",                                    Dev,                             dev::get_last_claim_attempt),
        Route::post  ("/api/v1/dev/factory-reset",                                         Dev,                             dev::factory_reset),
        Route::get   ("/api/v1/dev/options/{name}",                                        Dev,                             dev::get_option),
        Route::post  ("/api/v1/dev/first-time-setup",                                      Dev,                             dev::first_time_setup),
        Route::post  ("/api/v1/dev/users/local",                                           Dev,                             dev::create_local_user),
        Route::delete("/api/v1/dev/users/{userId}",                                        Dev,                             dev::delete_user),
        Route::post  ("/api/v1/dev/users/grant-role",                                      Dev,                             dev::grant_role),
        Route::post  ("/api/v1/dev/users/revoke-role",                                     Dev,                             dev::revoke_role),
        Route::post  ("/api/v1/dev/libraries",                                             Dev,                             dev::create_library),
        Route::delete("/api/v1/dev/libraries/{libraryId}",                                 Dev,                             dev::delete_library),
    ]
}

/// The whole API as one service, ready to be served or tested.
pub fn service(state: SharedState) -> Service {
    let mut routes = routes();
    if state.dev.is_some() {
        routes.extend(dev_routes());
    }
    service_of(&routes, state, Limits::default())
}

/// A service of these routes.
pub fn service_of(routes: &[Route], state: SharedState, limits: Limits) -> Service {
    let service = Service::new(build_router(routes)).catcher(Catcher::new(ErrorBody));
    service.hoop(AroundRequest::new(state, limits))
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;

    use super::*;

    #[covers("limit SIGN_IN_TIME", "limit PLUGIN_TIME")]
    #[test]
    fn routes_that_compute_have_more_time_than_others() {
        let limits = Limits::default();
        for (path, seconds) in [
            ("/api/v1/auth/login", 20),
            ("/api/v1/auth/refresh", 20),
            ("/api/v1/auth/logout", 15),
            ("/api/v1/health", 15),
            ("/api/v1/plugins/{pluginId}/preview", 180),
        ] {
            let routes = routes();
            let route = routes.iter().find(|route| route.path == path).unwrap();
            assert_eq!(route.timeout.handler_time(&limits).as_secs(), seconds, "{path}");
        }
    }

    #[test]
    fn credentials_stand_in_urls_of_reading_routes_alone() {
        for route in routes() {
            let expected = match (route.method.is_safe(), route.path) {
                (false, _) => UrlCredential::Refused,
                (true, "/api/v1/events/subscribe") => UrlCredential::TokenOrAuthorization,
                (true, _) => UrlCredential::Token,
            };
            assert_eq!(route.url_credential, expected, "{route:?}");
        }
    }
}
