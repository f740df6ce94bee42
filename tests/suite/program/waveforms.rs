//! Waveforms of the real program, by the real plugin.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_fixtures::audio::{Format, Sound, encode};
use svc_tests::event_client::EventClient;
use svc_tests::program::{Answer, Server};

/// Docker kills after ten seconds.
const END_TIME: Duration = Duration::from_secs(8);
/// A timeout for decoding on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn sound(path: &Path, format: Format, milliseconds: u32) {
    let sound = Sound {
        milliseconds,
        ..Sound::default()
    };
    std::fs::write(path, encode(&sound, format).bytes).unwrap();
}

/// A sparse WAV file of 90 minutes.
fn long_sound(path: &Path) {
    sound(path, Format::Wav, 1000);
    let mut bytes = std::fs::read(path).unwrap();
    bytes.truncate(44);
    let data = 1_000_000_000_u32;
    bytes[40..44].copy_from_slice(&data.to_le_bytes());
    bytes[4..8].copy_from_slice(&(data + 36).to_le_bytes());
    std::fs::write(path, bytes).unwrap();
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_len(u64::from(data) + 44).unwrap();
}

/// A server over these files, and the waveform path of each.
fn start(music: &Path, data: &Path) -> Server {
    let server = Server::start_as_owner(data, &["--music-dir", music.to_str().unwrap()]);
    server.index("quick");
    server
}

fn waveform_of(server: &Server, title: &str) -> String {
    let tracks = server.get("/api/v1/music/tracks").json();
    let tracks = tracks[0].as_array().unwrap().clone();
    let track = tracks.iter().find(|track| track["title"] == title);
    let id = track.unwrap_or_else(|| panic!("{title} of {tracks:?}"))["musicTrackId"].clone();
    format!("/api/v1/music/tracks/{}/waveform", id.as_str().unwrap())
}

/// Repeats the request until the waveform is ready.
fn measured(server: &Server, path: &str) -> Answer {
    let since = Instant::now();
    loop {
        let answer = server.get(path);
        if answer.status != 202 {
            return answer;
        }
        assert_eq!(answer.header("retry-after"), Some("2"));
        assert!(since.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn waveforms_are_analyzed_by_the_plugin_and_cached_across_restarts() {
    let dir = tempfile::tempdir().unwrap();
    let (music, data) = (dir.path().join("music"), dir.path().join("data"));
    std::fs::create_dir(&music).unwrap();
    sound(&music.join("tone.flac"), Format::Flac, 3000);
    sound(&music.join("silence.mp3"), Format::Mp3, 2000);
    // The header is valid, the frames are not.
    sound(&music.join("broken.flac"), Format::Flac, 1000);
    let mut broken = std::fs::read(music.join("broken.flac")).unwrap();
    broken[42..].fill(0);
    std::fs::write(music.join("broken.flac"), broken).unwrap();
    let server = start(&music, &data);
    let tone = waveform_of(&server, "tone");
    let answer = measured(&server, &format!("{tone}?bins=64"));
    let body = answer.json();
    assert_eq!((answer.status, &body["binCount"]), (200, &json!(64)), "{body}");
    assert_eq!(
        body["channels"],
        json!({"peak": vec![62; 64], "rms": vec![36; 64]})
    );
    assert_eq!(
        (&body["sampleRate"], &body["silenceLeadIn"]),
        (&json!(44_100), &json!(0.0))
    );
    assert!(body["integratedLoudness"].as_f64().unwrap() < -10.0);
    let silence = measured(&server, &waveform_of(&server, "silence")).json();
    assert_eq!(
        (&silence["integratedLoudness"], &silence["channels"]["peak"]),
        (&Value::Null, &json!(vec![0; 1024]))
    );
    let broken = measured(&server, &waveform_of(&server, "broken"));
    assert_eq!(
        (broken.status, &broken.json()["code"]),
        (422, &json!("waveform_unavailable"))
    );
    assert!(server.stop().success());
    assert!(data.join("waveform-cache").is_dir());
    let server = Server::start_as_owner(&data, &["--music-dir", music.to_str().unwrap()]);
    // Cached, so it is returned at once.
    let again = server.get(&format!("{tone}?bins=64"));
    assert_eq!((again.status, again.json()), (200, body));
    assert!(server.stop().success());
}

#[test]
fn server_ends_in_time_while_a_long_sound_is_measured() {
    let dir = tempfile::tempdir().unwrap();
    let (music, data) = (dir.path().join("music"), dir.path().join("data"));
    std::fs::create_dir(&music).unwrap();
    long_sound(&music.join("long.wav"));
    let server = start(&music, &data);
    let path = waveform_of(&server, "long");
    assert_eq!(server.get(&path).status, 202);
    let mut event_client = EventClient::open(&server);
    let since = Instant::now();
    assert!(server.stop().success());
    assert!(since.elapsed() < END_TIME, "{:?}", since.elapsed());
    while event_client.next_event().is_some() {}
}
