//! The routes: method, path, access, handler. Router, API description, `GET /api` and the authorization tests are
//! all made from this list.

use std::sync::Arc;

use salvo::Service;
use salvo::catcher::Catcher;

use super::access::Access::{self, Capability as Takes, Public, SignedIn};
use super::docs;
use super::limits::Limits;
use super::middleware::catch::CatchErrors;
use super::middleware::envelope::Envelope;
use super::route::{Route, router_of};
use super::routes::{auth, general, index, ls, music, photos, plugins};
use super::state::AppState;
use crate::auth::capability::Capability as C;

/// Music artists show releases and tracks, and are the way to both.
const ARTISTS: Access = Takes(C::MusicArtistsRead);
const RELEASES: Access = Takes(C::MusicReleasesRead);
const TRACKS: Access = Takes(C::MusicTracksRead);

/// Every route of the server.
#[rustfmt::skip]
pub fn routes() -> Vec<Route> {
    vec![
        Route::get  ("/api",                                                   Public,                      general::show_home),
        Route::get  ("/api/docs-json",                                         Public,                      docs::show_document),
        Route::get  ("/api/docs",                                              Public,                      docs::show_page),
        Route::get  ("/api/docs/{file}",                                       Public,                      docs::show_asset),

        Route::get  ("/api/v1/health",                                         Public,                      general::show_health),
        Route::get  ("/api/v1/health/ready",                                   Public,                      general::show_ready),
        Route::get  ("/api/v1/instance",                                       Public,                      general::show_instance),
        Route::get  ("/api/v1/versions",                                       SignedIn,                    general::show_versions),
        Route::get  ("/api/v1/ls",                                             SignedIn,                    ls::list_directory),
        Route::post ("/api/v1/setup",                                          Public,                      general::set_up),

        Route::post ("/api/v1/auth/login",                                     Public,                      auth::sign_in),
        Route::post ("/api/v1/auth/logout",                                    Public,                      auth::sign_out),

        Route::post ("/api/v1/index/run",                                      Takes(C::IndexingOperate),   index::start_run),
        Route::get  ("/api/v1/index/run/logs",                                 Takes(C::IndexingRead),      index::list_run_logs),
        Route::get  ("/api/v1/index/runs",                                     Takes(C::IndexingRead),      index::list_runs),
        Route::get  ("/api/v1/index/runs/{runId}",                             Takes(C::IndexingRead),      index::show_run),
        Route::get  ("/api/v1/index/state",                                    Takes(C::IndexingRead),      index::show_state),
        Route::patch("/api/v1/index/state",                                    Takes(C::IndexingOperate),   index::act_on_run),
        Route::get  ("/api/v1/index/counts",                                   Takes(C::IndexingRead),      index::show_counts),
        Route::get  ("/api/v1/index/directories",                              Takes(C::IndexingRead),      index::list_directories),

        Route::get  ("/api/v1/music/artists",                                  ARTISTS,                     music::list_artists),
        Route::get  ("/api/v1/music/artists/{musicArtistId}",                  ARTISTS,                     music::show_artist),
        Route::get  ("/api/v1/music/artists/{musicArtistId}/releases",         RELEASES,                    music::list_artist_releases),
        Route::get  ("/api/v1/music/releases",                                 RELEASES,                    music::list_releases),
        Route::get  ("/api/v1/music/releases/{musicReleaseId}",                RELEASES,                    music::show_release),
        Route::get  ("/api/v1/music/releases/{musicReleaseId}/tracks",         TRACKS,                      music::list_release_tracks),
        Route::get  ("/api/v1/music/releases/{musicReleaseId}/artwork",        RELEASES,                    music::show_release_artwork),
        Route::get  ("/api/v1/music/tracks",                                   TRACKS,                      music::list_tracks),
        Route::get  ("/api/v1/music/tracks/{musicTrackId}",                    TRACKS,                      music::show_track),
        Route::get  ("/api/v1/music/tracks/{musicTrackId}/artwork",            TRACKS,                      music::show_track_artwork),
        Route::get  ("/api/v1/music/genres",                                   TRACKS,                      music::list_genres),
        Route::get  ("/api/v1/music/stream/{musicTrackId}",                    Takes(C::MusicTracksPlay),   music::stream_track),

        Route::get  ("/api/v1/photos",                                         Takes(C::PhotosRead),        photos::list_photos),
        Route::get  ("/api/v1/photos/{photoId}",                               Takes(C::PhotosRead),        photos::show_photo),
        Route::get  ("/api/v1/photos/{photoId}/original",                      Takes(C::PhotosRead),        photos::show_original),

        Route::get  ("/api/v1/plugins",                                        Takes(C::PluginsRead),       plugins::list_plugins),
    ]
}

/// The whole API as one service, ready to be served or tested.
pub fn service(state: Arc<AppState>) -> Service {
    service_of(&routes(), state, Limits::default())
}

/// A service of these routes.
pub fn service_of(routes: &[Route], state: Arc<AppState>, limits: Limits) -> Service {
    Service::new(router_of(routes))
        .hoop(Envelope::new(state, limits))
        .catcher(Catcher::new(CatchErrors))
}
