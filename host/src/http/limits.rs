//! Every limit of the HTTP side, each with its reason.

use std::time::Duration;

/// Bytes of a JSON body. The largest real one, some hundred ids, has a tenth of it.
pub const BODY_BYTES: usize = 64 * 1024;
/// Bytes of a login body: two names and a password of at most 256 bytes.
pub const LOGIN_BODY_BYTES: usize = 8 * 1024;
/// Bytes of a body that changes something: texts that people wrote may be in it.
pub const PATCH_BODY_BYTES: usize = 256 * 1024;
/// Bytes of a body with settings.
pub const SETTINGS_BODY_BYTES: usize = 256 * 1024;
/// Time for a whole JSON body to arrive; a slow phone sends 64 KiB in seconds. Below the handler's time, so that the
/// client learns that it was too slow.
pub const BODY_TIME: Duration = Duration::from_secs(15);
/// Time between two pieces of a body; longer means that nobody is sending.
pub const BODY_GAP: Duration = Duration::from_secs(10);
/// Bytes of a request's target. Above it 414; filters and tokens together stay below 4 KiB.
pub const TARGET_BYTES: usize = 8 * 1024;
/// Header fields of a request. Above it 431.
pub const HEADER_FIELDS: usize = 100;
/// Bytes that a connection may buffer for a request's head. Above it 431.
pub const HEADER_BYTES: usize = 64 * 1024;
/// Time for a request's head, and how long an idle connection is kept: a slow head must not hold a connection.
pub const HEADER_TIME: Duration = Duration::from_secs(10);
/// Time for a handler until its answer's head is ready; bodies of media take as long as they take.
pub const HANDLER_TIME: Duration = Duration::from_secs(20);
/// Time that a write may wait for the client. A paused player reads nothing for minutes and then goes on.
pub const WRITE_STALL: Duration = Duration::from_secs(600);
/// Connections at once: more than the 10,000 event streams that the server is meant to hold.
pub const CONNECTIONS: usize = 12_000;
/// Streams of one HTTP/2 connection: what browsers expect at least is 100.
pub const H2_STREAMS: u32 = 128;
/// Bytes of an HTTP/2 header list.
pub const H2_HEADER_LIST_BYTES: u32 = 16 * 1024;
/// Streams that a peer may open and reset before they are looked at (rapid reset).
pub const H2_PENDING_RESETS: usize = 20;
/// Streams that the server itself may reset because of a peer.
pub const H2_LOCAL_RESETS: usize = 1024;
/// Idle time before an HTTP/2 peer is asked whether it lives, and time to answer.
pub const H2_PING: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));
/// Time for open requests after the server was asked to stop; container runtimes kill after 10 s.
pub const DRAIN_TIME: Duration = Duration::from_secs(5);
/// Bytes of one piece of a media file: large enough that a system call is cheap, small enough for many streams.
pub const MEDIA_CHUNK_BYTES: usize = 128 * 1024;
/// How long a client may keep media and pictures without asking again. They are named by content.
pub const MEDIA_MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a browser may keep the answer to a CORS preflight.
pub const PREFLIGHT_MAX_AGE: Duration = Duration::from_secs(600);
