//! `/music`, over one track with embedded artwork.

mod artwork;
mod stream;
mod stream_limits;
mod tracks;
pub(crate) mod waveform;

use crate::support::{Client, Reply, TestServer};
use svc_domain::kind::MediaKind;

const CONTENT: &[u8] = b"0123456789";

struct Song {
    server: TestServer,
    owner: Client,
    stream: String,
    artwork: String,
}

impl Song {
    async fn new() -> Self {
        let server = TestServer::start().await;
        let owner = server.as_owner().await;
        let folder = server.folder(MediaKind::music()).await;
        let id = server.track(folder, "song.mp3", "Song", CONTENT).await;
        let stream = format!("/api/v1/music/stream/{id}");
        let artwork = format!("/api/v1/music/tracks/{id}/artwork");
        Self {
            server,
            owner,
            stream,
            artwork,
        }
    }

    async fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Reply {
        self.owner.request(method, target, headers, "").await
    }

    fn path(&self) -> std::path::PathBuf {
        self.server.root.join("Album/song.mp3")
    }
}
