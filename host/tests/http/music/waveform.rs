//! `GET /music/tracks/{musicTrackId}/waveform`, with an analyzer that the test controls.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::listening::{ListeningServer, quick, wait_for};
use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_domain::extraction::ExtractFailure;
use svc_domain::id::{FileId, FolderId};
use svc_domain::kind::MediaKind;
use svc_domain::waveform::AudioSummary;
use svc_library::waveforms::{MAX_BINS, WaveformAnalyzer, WaveformLimits};
use svc_plugin_host::SourceFile;

/// An analyzer whose result depends on the file name, and that a test can block.
#[derive(Debug, Default)]
pub(crate) struct HeldAnalyzer {
    calls: AtomicUsize,
    held: Mutex<bool>,
    released: Condvar,
}

impl HeldAnalyzer {
    pub(crate) fn hold(&self, held: bool) {
        *self.held.lock().unwrap() = held;
        self.released.notify_all();
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl WaveformAnalyzer for HeldAnalyzer {
    fn version(&self, extension: &str) -> Option<String> {
        (extension == "mp3").then(|| "1".to_owned())
    }

    fn analyze(&self, source: &Arc<SourceFile>, bins: u32) -> Result<AudioSummary, ExtractFailure> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        drop(
            self.released
                .wait_while(self.held.lock().unwrap(), |held| *held)
                .unwrap(),
        );
        match source.name() {
            "broken.mp3" => Err(ExtractFailure::Invalid {
                offset: None,
                reason: "noise".into(),
            }),
            "away.mp3" => Err(ExtractFailure::Io("the disk is gone".into())),
            "trap.mp3" => panic!("a fault"),
            _ => Ok(AudioSummary {
                sample_rate: 44_100,
                channels: 2,
                frames: 1_000_000,
                peak: (0..bins).map(|bin| (bin / 16) as u8).collect(),
                rms: (0..bins).map(|bin| (bin / 32) as u8).collect(),
                integrated_loudness: Some(-14.5),
                true_peak: Some(-0.5),
                silence_lead_in_ms: 250,
                silence_lead_out_ms: 1500,
            }),
        }
    }
}

pub(crate) struct Room {
    listening: ListeningServer,
    pub(crate) analyzer: Arc<HeldAnalyzer>,
    folder: FolderId,
    pub(crate) owner: Client,
}

impl Room {
    pub(crate) async fn new(limits: WaveformLimits) -> Self {
        let analyzer = Arc::new(HeldAnalyzer::default());
        let listening = ListeningServer::start_with(TestServerOptions {
            event_limits: quick(),
            analyzer: Some((analyzer.clone(), limits)),
            ..TestServerOptions::default()
        })
        .await;
        let folder = listening.server.folder(MediaKind::music()).await;
        let owner = listening.server.as_owner().await;
        Self {
            listening,
            analyzer,
            folder,
            owner,
        }
    }

    pub(crate) fn server(&self) -> &TestServer {
        &self.listening.server
    }

    pub(crate) async fn track(&self, name: &str) -> FileId {
        self.server().track(self.folder, name, name, b"0123456789").await
    }

    async fn ask(&self, token: &Client, id: FileId, query: &str) -> Reply {
        token.get(&path(id, query)).await
    }

    pub(crate) async fn status(&self, id: FileId) -> u16 {
        self.ask(&self.owner, id, "").await.status
    }
}

fn path(id: FileId, query: &str) -> String {
    format!("/api/v1/music/tracks/{id}/waveform{query}")
}

/// Returns at once.
pub(crate) fn impatient() -> WaveformLimits {
    WaveformLimits {
        parallel: 1,
        waiting: 1,
        subscribers: 4,
        answer_within: Duration::from_millis(20),
    }
}

fn patient() -> WaveformLimits {
    WaveformLimits {
        answer_within: Duration::from_secs(30),
        ..impatient()
    }
}

#[covers("GET /api/v1/music/tracks/{musicTrackId}/waveform")]
#[tokio::test(flavor = "multi_thread")]
async fn waveform_is_analyzed_once_and_returned_as_json_or_bytes() {
    let room = Room::new(patient()).await;
    let id = room.track("a.mp3").await;
    let reply = room.ask(&room.owner, id, "?bins=100").await;
    assert_eq!((reply.status, reply.header("vary")), (200, "accept"));
    let peak: Vec<u8> = (0..64).map(|bin| (bin * 4 + 3) as u8).collect();
    let body = reply.json();
    assert_eq!(body["channels"]["peak"], json!(peak));
    assert_eq!(
        (&body["version"], &body["binCount"], &body["sampleRate"]),
        (&json!(1), &json!(64), &json!(44_100))
    );
    assert_eq!(
        (&body["integratedLoudness"], &body["truePeak"]),
        (&json!(-14.5), &json!(-0.5))
    );
    assert_eq!(
        (&body["silenceLeadIn"], &body["silenceLeadOut"]),
        (&json!(0.25), &json!(1.5))
    );
    let whole = room.ask(&room.owner, id, "").await.json();
    assert_eq!(whole["binCount"], 1024);
    assert_eq!(whole["channels"]["rms"].as_array().unwrap().len(), 1024);
    let bearer = format!("Bearer {}", room.owner);
    let headers = [
        ("authorization", bearer.as_str()),
        ("accept", "application/octet-stream"),
    ];
    let bytes = room
        .server()
        .send("GET", &path(id, "?bins=64"), &headers, "")
        .await;
    assert_eq!(
        (
            bytes.status,
            bytes.header("content-type"),
            bytes.header("content-length")
        ),
        (200, "application/octet-stream", "128")
    );
    assert_eq!(bytes.body[..64], peak);
    let known = [&headers[..], &[("if-none-match", bytes.header("etag"))]].concat();
    let again = room.server().send("GET", &path(id, "?bins=64"), &known, "").await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(room.analyzer.calls(), 1);
    for query in ["?bins=15", "?bins=4097", "?bins=x", "?bins="] {
        assert_eq!(room.ask(&room.owner, id, query).await.status, 400, "{query}");
    }
    assert_eq!(MAX_BINS, 4096);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_waveform_is_202_and_published_to_its_requesters() {
    let room = Room::new(impatient()).await;
    let id = room.track("a.mp3").await;
    let listener = |name: &'static str| {
        let server = room.server();
        async move { server.as_user(name, &["member"]).await }
    };
    let (ann, bob, cora) = (
        listener("ann").await,
        listener("bob").await,
        listener("cora").await,
    );
    let mut of_ann = room.listening.listen(&ann).await;
    let mut of_bob = room.listening.listen(&bob).await;
    let mut of_cora = room.listening.listen(&cora).await;
    room.analyzer.hold(true);
    for (token, query) in [(&ann, "?bins=16"), (&bob, ""), (&ann, "?bins=32")] {
        let reply = room.ask(token, id, query).await;
        assert_eq!((reply.status, reply.header("retry-after")), (202, "2"), "{query}");
        assert!(reply.body.is_empty());
    }
    room.analyzer.hold(false);
    for (client, token, query) in [(&mut of_ann, &ann, "?bins=32"), (&mut of_bob, &bob, "")] {
        let reported = client.next().await.unwrap();
        assert_eq!(reported["type"], "music.waveform_ready");
        assert_eq!(reported["payload"]["musicTrackId"], id.to_string());
        let answered = room.ask(token, id, query).await;
        assert_eq!(
            (answered.status, &reported["payload"]["waveform"]),
            (200, &answered.json())
        );
    }
    assert_eq!(room.analyzer.calls(), 1);
    // A waiting request of another user gets the response and no event: Cora's first event is her own.
    let other = room.track("b.mp3").await;
    room.analyzer.hold(true);
    assert_eq!(room.ask(&cora, other, "").await.status, 202);
    room.analyzer.hold(false);
    assert_eq!(
        of_cora.next().await.unwrap()["payload"]["musicTrackId"],
        other.to_string()
    );
}

#[covers("code waveform_unavailable")]
#[tokio::test(flavor = "multi_thread")]
async fn undecodable_audio_is_422_and_not_retried() {
    let room = Room::new(patient()).await;
    let broken = room.track("broken.mp3").await;
    for _ in 0..3 {
        let reply = room.ask(&room.owner, broken, "").await;
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (422, &json!("waveform_unavailable"))
        );
    }
    assert_eq!(room.analyzer.calls(), 1);
    // Changed bytes are analyzed again.
    std::fs::write(room.server().root.join("Album/broken.mp3"), b"longer than before").unwrap();
    assert_eq!((room.status(broken).await, room.analyzer.calls()), (422, 2));
    // No analyzer handles this extension.
    let unknown = room.track("a.xyz").await;
    assert_eq!((room.status(unknown).await, room.analyzer.calls()), (422, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn waveform_is_retried_after_a_storage_error() {
    let room = Room::new(patient()).await;
    let away = room.track("away.mp3").await;
    for calls in 1..3 {
        let reply = room.ask(&room.owner, away, "").await;
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (503, &json!("storage_unavailable"))
        );
        assert_eq!(room.analyzer.calls(), calls);
    }
    let gone = room.track("gone.mp3").await;
    std::fs::remove_file(room.server().root.join("Album/gone.mp3")).unwrap();
    let reply = room.ask(&room.owner, gone, "").await;
    assert_eq!(
        (reply.status, &reply.json()["code"]),
        (404, &json!("file_missing"))
    );
    // A panic of the analyzer is not cached as a result, and its thread continues.
    let trap = room.track("trap.mp3").await;
    assert_eq!((room.status(trap).await, room.status(trap).await), (500, 500));
    assert_eq!(room.status(room.track("a.mp3").await).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn waveform_beyond_the_queue_is_503() {
    let room = Room::new(impatient()).await;
    let ids = [
        room.track("a.mp3").await,
        room.track("b.mp3").await,
        room.track("c.mp3").await,
    ];
    room.analyzer.hold(true);
    assert_eq!(room.status(ids[0]).await, 202);
    wait_for(|| room.analyzer.calls() == 1).await;
    assert_eq!(room.status(ids[1]).await, 202);
    let full = room.ask(&room.owner, ids[2], "").await;
    assert_eq!(
        (full.status, &full.json()["code"], full.header("retry-after")),
        (503, &json!("busy"), "10")
    );
    // Waveforms in progress are not refused.
    assert_eq!((room.status(ids[0]).await, room.status(ids[1]).await), (202, 202));
    room.analyzer.hold(false);
    wait_for(|| room.analyzer.calls() == 2).await;
    let waveforms = &room.server().state.waveforms;
    assert!(
        waveforms.pregenerate(ids[2].into()).await.unwrap(),
        "there is room again"
    );
    assert_eq!(room.status(ids[2]).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_stops_the_analyzer() {
    let room = Room::new(impatient()).await;
    let ids = [room.track("a.mp3").await, room.track("b.mp3").await];
    room.analyzer.hold(true);
    for id in ids {
        assert_eq!(room.status(id).await, 202);
        wait_for(|| room.analyzer.calls() == 1).await;
    }
    room.server().state.waveforms.ask_to_stop();
    assert_eq!(room.status(ids[1]).await, 503);
    room.analyzer.hold(false);
    room.server().state.waveforms.close().await;
    assert_eq!(room.status(ids[0]).await, 503);
    assert_eq!(room.analyzer.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn pregenerated_waveform_is_returned() {
    let room = Room::new(patient()).await;
    let id = room.track("a.mp3").await;
    let waveforms = &room.server().state.waveforms;
    assert!(waveforms.pregenerate(id.into()).await.unwrap());
    assert!(!waveforms.pregenerate(id.into()).await.unwrap());
    assert_eq!((room.status(id).await, room.analyzer.calls()), (200, 1));
    let unknown: Value = room.ask(&room.owner, FileId::from(1), "").await.json();
    assert_eq!(unknown["message"], "not found");
}
