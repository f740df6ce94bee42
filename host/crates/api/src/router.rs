//! The routes: method, path, access, handler. Router, API description, `GET /api` and the authorization tests are
//! all made from this list.

use std::sync::Arc;

use salvo::Service;
use salvo::catcher::Catcher;

use crate::access::Access;
use crate::access::Access::{AnyCapability, Capability as Takes, Dev, Link, Public, Session, SignedIn};
use crate::docs;
use crate::middleware::catch::CatchErrors;
use crate::middleware::envelope::Envelope;
use crate::route::{Route, router_of};
use crate::routes::{
    auth, changes, dev, events, general, history, index, jobs, libraries, links, ls, movies, music,
    photo_albums, photos, playback_queues, plugins, ratings, reset, roles, search, sessions, settings,
    tokens, tv, users, video, watching, waveforms,
};
use crate::state::AppState;
use svc_http_io::limits::{LOGIN_BODY_BYTES, Limits, SETTINGS_BODY_BYTES};
use svc_identity::capability::Capability as C;

/// Music artists show releases and tracks, and are the way to both.
const ARTISTS: Access = Takes(C::MusicArtistsRead);
const RELEASES: Access = Takes(C::MusicReleasesRead);
const TRACKS: Access = Takes(C::MusicTracksRead);

/// Queues of the caller's own.
const QUEUES: Access = Takes(C::PlaybackQueuesRead);
const CHANGES_QUEUES: Access = Takes(C::PlaybackQueuesUpdate);

/// Shows and seasons are seen by their episodes.
const EPISODES: Access = Takes(C::TvEpisodesRead);

/// Subtitles belong to what is played, be it a movie or an episode: the service knows which.
const SUBTITLES: &[C] = &[C::MoviesPlay, C::TvEpisodesPlay];

/// The names of folders tell of what is in them: any of these lets them be seen.
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

/// Either lets the reset be called; the handler knows which one its input takes.
const RESETS: &[C] = &[C::IndexingDeindex, C::MediaServerFactoryReset];

/// Every route of the server.
#[rustfmt::skip]
pub fn routes() -> Vec<Route> {
    vec![
        Route::get   ("/api",                                                              Public,                          general::show_home),
        Route::get   ("/api/docs-json",                                                    Public,                          docs::show_document),
        Route::get   ("/api/docs",                                                         Public,                          docs::show_page),
        Route::get   ("/api/docs/{file}",                                                  Public,                          docs::show_asset),

        Route::get   ("/api/v1/health",                                                    Public,                          general::show_health),
        Route::get   ("/api/v1/health/ready",                                              Public,                          general::show_ready),
        Route::get   ("/api/v1/instance",                                                  Public,                          general::show_instance),
        Route::get   ("/api/v1/release-channels",                                          Public,                          general::show_release_channels),
        Route::get   ("/api/v1/updates",                                                   Public,                          general::show_updates),
        Route::post  ("/api/v1/reset",                                                     AnyCapability(RESETS),           reset::reset),
        Route::get   ("/api/v1/versions",                                                  SignedIn,                        general::show_versions),
        Route::get   ("/api/v1/ls",                                                        AnyCapability(BROWSES),          ls::list_directory),
        Route::post  ("/api/v1/setup",                                                     Public,                          general::set_up),

        Route::post  ("/api/v1/auth/login",                                                Public,                          auth::sign_in).body(LOGIN_BODY_BYTES),
        Route::post  ("/api/v1/auth/refresh",                                              Public,                          auth::refresh),
        Route::post  ("/api/v1/auth/logout",                                               Public,                          auth::sign_out),

        Route::get   ("/api/v1/users/public",                                              Public,                          users::list_public_users),
        Route::get   ("/api/v1/users/current",                                             Takes(C::CurrentUserRead),       users::show_current_user),
        Route::patch ("/api/v1/users/current",                                             Takes(C::CurrentUserUpdate),     users::update_current_user).body(SETTINGS_BODY_BYTES),
        Route::get   ("/api/v1/users/current/sessions",                                    Takes(C::CurrentUserRead),       sessions::list_own_sessions),
        Route::delete("/api/v1/users/current/sessions",                                    Session(C::CurrentUserUpdate),   sessions::revoke_own_sessions),
        Route::delete("/api/v1/users/current/sessions/{sessionId}",                        Session(C::CurrentUserUpdate),   sessions::revoke_own_session),
        Route::get   ("/api/v1/users/owner",                                               Takes(C::UsersRead),             users::show_owner),
        Route::get   ("/api/v1/users/active",                                              Takes(C::UsersRead),             users::list_active_users),
        Route::get   ("/api/v1/users",                                                     Takes(C::UsersRead),             users::list_users),
        Route::post  ("/api/v1/users",                                                     Session(C::UsersCreate),         users::create_user),
        Route::get   ("/api/v1/users/{id}",                                                Takes(C::UsersRead),             users::show_user),
        Route::patch ("/api/v1/users/{id}",                                                Takes(C::UsersUpdate),           users::update_user).body(SETTINGS_BODY_BYTES),
        Route::get   ("/api/v1/users/{id}/sessions",                                       Takes(C::UsersRead),             sessions::list_sessions),
        Route::delete("/api/v1/users/{id}/sessions",                                       Session(C::UsersUpdate),         sessions::revoke_sessions),
        Route::post  ("/api/v1/users/{id}/personal-access-tokens",                         Session(C::UsersUpdate),         tokens::create_token),
        Route::get   ("/api/v1/users/{id}/personal-access-tokens",                         Session(C::UsersUpdate),         tokens::list_tokens),
        Route::delete("/api/v1/users/{id}/personal-access-tokens/{personalAccessTokenId}", Session(C::UsersUpdate),         tokens::revoke_token),

        Route::get   ("/api/v1/roles",                                                     Takes(C::RoleAssignmentsRead),   roles::list_roles),
        Route::post  ("/api/v1/roles",                                                     Session(C::RoleAssignmentsCreate), roles::create_role),
        Route::patch ("/api/v1/roles/{role}",                                              Session(C::RoleAssignmentsCreate), roles::update_role).body(SETTINGS_BODY_BYTES),
        Route::delete("/api/v1/roles/{role}",                                              Session(C::RoleAssignmentsDelete), roles::delete_role),
        Route::get   ("/api/v1/roles/assignments",                                         Takes(C::RoleAssignmentsRead),   roles::list_assignments),
        Route::post  ("/api/v1/roles/{role}/assignments",                                  Session(C::RoleAssignmentsCreate), roles::assign_role),
        Route::delete("/api/v1/roles/{role}/assignments",                                  Session(C::RoleAssignmentsDelete), roles::unassign_role),

        Route::get   ("/api/v1/settings/{app}",                                            SignedIn,                        settings::show_settings),
        Route::patch ("/api/v1/settings",                                                  SignedIn,                        settings::update_settings).body(SETTINGS_BODY_BYTES),
        Route::get   ("/api/v1/cors-origins",                                              Takes(C::ServerSettingsRead),    settings::list_origins),
        Route::post  ("/api/v1/cors-origins",                                              Takes(C::ServerSettingsUpdate),  settings::add_origin),
        Route::delete("/api/v1/cors-origins/{id}",                                         Takes(C::ServerSettingsUpdate),  settings::remove_origin),
        Route::get   ("/api/v1/audit",                                                     Takes(C::AuditRead),             settings::list_audit),
        Route::get   ("/api/v1/licensing/subscription",                                    Takes(C::UsersRead),             general::show_subscription),
        Route::get   ("/api/v1/licensing/seats",                                           Takes(C::UsersRead),             general::show_seats),

        Route::post  ("/api/v1/index/run",                                                 Takes(C::IndexingOperate),       index::start_run),
        Route::get   ("/api/v1/index/run/logs",                                            Takes(C::IndexingRead),          index::list_run_logs),
        Route::get   ("/api/v1/index/runs",                                                Takes(C::IndexingRead),          index::list_runs),
        Route::get   ("/api/v1/index/runs/{runId}",                                        Takes(C::IndexingRead),          index::show_run),
        Route::get   ("/api/v1/index/state",                                               Takes(C::IndexingRead),          index::show_state),
        Route::patch ("/api/v1/index/state",                                               Takes(C::IndexingOperate),       index::act_on_run),
        Route::get   ("/api/v1/index/counts",                                              Takes(C::IndexingRead),          index::show_counts),
        Route::get   ("/api/v1/index/file",                                                Takes(C::IndexingRead),          index::explain_file),
        Route::get   ("/api/v1/changes",                                                   SignedIn,                        changes::list_changes),
        Route::get   ("/api/v1/index/directories",                                         Takes(C::IndexingRead),          index::list_directories),

        Route::get   ("/api/v1/jobs",                                                      Takes(C::JobsRead),              jobs::list_jobs),
        Route::post  ("/api/v1/jobs",                                                      Takes(C::JobsCreate),            jobs::create_job),
        Route::get   ("/api/v1/jobs/types",                                                Takes(C::JobsRead),              jobs::list_types),
        Route::get   ("/api/v1/jobs/{jobId}",                                              Takes(C::JobsRead),              jobs::show_job),
        Route::patch ("/api/v1/jobs/{jobId}",                                              Takes(C::JobsOperate),           jobs::act_on_job),

        Route::get   ("/api/v1/libraries",                                                 Takes(C::LibrariesRead),         libraries::list_libraries),
        Route::post  ("/api/v1/libraries",                                                 Session(C::LibrariesCreate),     libraries::create_library),
        Route::get   ("/api/v1/libraries/{libraryId}",                                     Takes(C::LibrariesRead),         libraries::show_library),
        Route::patch ("/api/v1/libraries/{libraryId}",                                     Session(C::LibrariesUpdate),     libraries::update_library),
        Route::delete("/api/v1/libraries/{libraryId}",                                     Session(C::LibrariesDelete),     libraries::delete_library),

        Route::post  ("/api/v1/links",                                                     SignedIn,                        links::create_link),
        Route::media ("/api/v1/search",                                                    SignedIn,                        search::search),

        Route::media ("/api/v1/music/artists",                                             ARTISTS,                         music::list_artists),
        Route::media ("/api/v1/music/artists/{musicArtistId}",                             ARTISTS,                         music::show_artist),
        Route::media ("/api/v1/music/artists/{musicArtistId}/releases",                    RELEASES,                        music::list_artist_releases),
        Route::media ("/api/v1/music/releases",                                            RELEASES,                        music::list_releases),
        Route::media ("/api/v1/music/releases/{musicReleaseId}",                           RELEASES,                        music::show_release),
        Route::media ("/api/v1/music/releases/{musicReleaseId}/tracks",                    TRACKS,                          music::list_release_tracks),
        Route::image ("/api/v1/music/releases/{musicReleaseId}/artwork",                   Link(C::MusicReleasesRead),      music::show_release_artwork),
        Route::media ("/api/v1/music/tracks",                                              TRACKS,                          music::list_tracks),
        Route::media ("/api/v1/music/tracks/{musicTrackId}",                               TRACKS,                          music::show_track),
        Route::image ("/api/v1/music/tracks/{musicTrackId}/artwork",                       Link(C::MusicTracksRead),        music::show_track_artwork),
        Route::get   ("/api/v1/music/tracks/{musicTrackId}/waveform",                      TRACKS,                          waveforms::show_waveform),
        Route::media ("/api/v1/music/genres",                                              TRACKS,                          music::list_genres),
        Route::get   ("/api/v1/music/stream/{musicTrackId}",                               Link(C::MusicTracksPlay),        music::stream_track),

        Route::media ("/api/v1/photos",                                                    Takes(C::PhotosRead),            photos::list_photos),
        Route::media ("/api/v1/photos/buckets",                                            Takes(C::PhotosRead),            photos::list_buckets),
        Route::media ("/api/v1/photos/{photoId}",                                          Takes(C::PhotosRead),            photos::show_photo),
        Route::patch ("/api/v1/photos/{photoId}",                                          Takes(C::PhotosUpdate),          photos::update_photo),
        Route::get   ("/api/v1/photos/{photoId}/original",                                 Link(C::PhotosRead),             photos::show_original),
        Route::image ("/api/v1/photos/{photoId}/thumbnail",                                Link(C::PhotosRead),             photos::show_thumbnail),

        Route::media ("/api/v1/history",                                                   Takes(C::HistoryRead),           history::list_history),
        Route::patch ("/api/v1/history",                                                   Takes(C::HistoryUpdate),         history::report),
        Route::delete("/api/v1/history/{mediaType}/{mediaId}",                             Takes(C::HistoryUpdate),         history::forget_history),
        Route::media ("/api/v1/cinema/continue",                                           Takes(C::HistoryRead),           watching::list_resumable),
        Route::media ("/api/v1/cinema/next-up",                                            Takes(C::HistoryRead),           watching::list_next_up),
        Route::media ("/api/v1/ratings",                                                   Takes(C::RatingsRead),           ratings::list_ratings),
        Route::put   ("/api/v1/ratings",                                                   Takes(C::RatingsUpdate),         ratings::rate),
        Route::delete("/api/v1/ratings/{mediaType}/{mediaId}",                             Takes(C::RatingsUpdate),         ratings::forget_rating),

        Route::get   ("/api/v1/playback-queues",                                           QUEUES,                          playback_queues::list_queues),
        Route::post  ("/api/v1/playback-queues",                                           CHANGES_QUEUES,                  playback_queues::create_queue).body(SETTINGS_BODY_BYTES),
        Route::get   ("/api/v1/playback-queues/{playbackQueueId}",                         QUEUES,                          playback_queues::show_queue),
        Route::delete("/api/v1/playback-queues/{playbackQueueId}",                         CHANGES_QUEUES,                  playback_queues::delete_queue),
        Route::put   ("/api/v1/playback-queues/{playbackQueueId}/cursor",                  CHANGES_QUEUES,                  playback_queues::set_cursor),
        Route::get   ("/api/v1/playback-queues/{playbackQueueId}/items",                   QUEUES,                          playback_queues::list_items),
        Route::post  ("/api/v1/playback-queues/{playbackQueueId}/items",                   CHANGES_QUEUES,                  playback_queues::add_items).body(SETTINGS_BODY_BYTES),
        Route::patch ("/api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}", CHANGES_QUEUES,              playback_queues::move_item),
        Route::delete("/api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}", CHANGES_QUEUES,              playback_queues::remove_item),

        Route::media ("/api/v1/movies",                                                    Takes(C::MoviesRead),            movies::list_movies),
        Route::media ("/api/v1/movies/{movieId}",                                          Takes(C::MoviesRead),            movies::show_movie),
        Route::get   ("/api/v1/movies/{movieId}/artwork",                                  Link(C::MoviesRead),             movies::show_movie_artwork),
        Route::get   ("/api/v1/movies/{movieId}/stream",                                   Link(C::MoviesPlay),             movies::stream_movie),

        Route::media ("/api/v1/tv/shows",                                                  EPISODES,                        tv::list_shows),
        Route::media ("/api/v1/tv/shows/{tvShowId}",                                       EPISODES,                        tv::show_show),
        Route::media ("/api/v1/tv/shows/{tvShowId}/seasons",                               EPISODES,                        tv::list_seasons),
        Route::media ("/api/v1/tv/shows/{tvShowId}/episodes",                              EPISODES,                        tv::list_show_episodes),
        Route::get   ("/api/v1/tv/shows/{tvShowId}/artwork",                               Link(C::TvEpisodesRead),         tv::show_show_artwork),
        Route::media ("/api/v1/tv/seasons/{tvSeasonId}",                                   EPISODES,                        tv::show_season),
        Route::media ("/api/v1/tv/seasons/{tvSeasonId}/episodes",                          EPISODES,                        tv::list_season_episodes),
        Route::get   ("/api/v1/tv/seasons/{tvSeasonId}/artwork",                           Link(C::TvEpisodesRead),         tv::show_season_artwork),
        Route::media ("/api/v1/tv/episodes/{tvEpisodeId}",                                 EPISODES,                        tv::show_episode),
        Route::get   ("/api/v1/tv/episodes/{tvEpisodeId}/artwork",                         Link(C::TvEpisodesRead),         tv::show_episode_artwork),
        Route::get   ("/api/v1/tv/episodes/{tvEpisodeId}/stream",                          Link(C::TvEpisodesPlay),         tv::stream_episode),
        Route::get   ("/api/v1/subtitles/{subtitleId}",                                    AnyCapability(SUBTITLES),        video::show_subtitle),

        Route::media ("/api/v1/photo-albums",                                              Takes(C::PhotoAlbumsRead),       photo_albums::list_albums),
        Route::post  ("/api/v1/photo-albums",                                              Takes(C::PhotoAlbumsCreate),     photo_albums::create_album),
        Route::media ("/api/v1/photo-albums/{photoAlbumId}",                               Takes(C::PhotoAlbumsRead),       photo_albums::show_album),
        Route::patch ("/api/v1/photo-albums/{photoAlbumId}",                               Takes(C::PhotoAlbumsUpdate),     photo_albums::update_album),
        Route::delete("/api/v1/photo-albums/{photoAlbumId}",                               Takes(C::PhotoAlbumsDelete),     photo_albums::delete_album),
        Route::post  ("/api/v1/photo-albums/{photoAlbumId}/photos",                        Takes(C::PhotoAlbumsUpdate),     photo_albums::add_photos),
        Route::delete("/api/v1/photo-albums/{photoAlbumId}/photos",                        Takes(C::PhotoAlbumsUpdate),     photo_albums::remove_photos),

        Route::get   (events::SUBSCRIBE,                                                   SignedIn,                        events::subscribe),

        Route::get   ("/api/v1/plugins",                                                   Takes(C::PluginsRead),           plugins::list_plugins),
        Route::patch ("/api/v1/plugins/{pluginId}",                                        Takes(C::PluginsOperate),        plugins::act_on_plugin),
    ]
}

/// What exists in development mode beside them.
#[rustfmt::skip]
pub fn dev_routes() -> Vec<Route> {
    vec![
        Route::get   ("/api/v1/dev/settings/{app}/{key}",                                  Dev,                             dev::show_setting),
        Route::get   ("/api/v1/dev/last-claim-attempt",                                    Dev,                             dev::show_last_claim_attempt),
        Route::post  ("/api/v1/dev/factory-reset",                                         Dev,                             dev::factory_reset),
        Route::get   ("/api/v1/dev/options/{name}",                                        Dev,                             dev::show_option),
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
pub fn service(state: Arc<AppState>) -> Service {
    let mut routes = routes();
    if state.dev.is_some() {
        routes.extend(dev_routes());
    }
    service_of(&routes, state, Limits::default())
}

/// A service of these routes.
pub fn service_of(routes: &[Route], state: Arc<AppState>, limits: Limits) -> Service {
    Service::new(router_of(routes))
        .hoop(Envelope::new(state, limits))
        .catcher(Catcher::new(CatchErrors))
}
