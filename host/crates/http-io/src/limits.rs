//! All limits of HTTP requests and connections, each with its reason.

use std::time::Duration;

/// Bytes of a JSON body. The largest real one, some hundred ids, has a tenth of that.
pub const BODY_BYTES: usize = 64 * 1024;
/// Bytes of a login body: two names and a password of at most 256 bytes.
pub const LOGIN_BODY_BYTES: usize = 8 * 1024;
/// Bytes of a body with settings, or of one that changes many things at once.
pub const SETTINGS_BODY_BYTES: usize = 256 * 1024;
/// Items of a list in a body or a query: as many as the largest page of a list. JSON is nested at most 128 deep, which
/// is serde_json's own limit.
pub const INPUT_ITEMS: usize = 1_000;
/// Words of a search, each of which is looked up in seven indexes. A long title has a dozen.
pub const SEARCH_WORDS: usize = 16;
/// Time for a whole JSON body to arrive; a slow phone sends 64 KiB in seconds.
pub const BODY_TIME: Duration = Duration::from_secs(60);
/// Time between two pieces of a body; after that the client is considered gone.
pub const BODY_GAP: Duration = Duration::from_secs(30);
/// Bytes of a request's target. Above it 414; filters and tokens together stay below 4 KiB.
pub const TARGET_BYTES: usize = 8 * 1024;
/// Header fields of a request. Above it 431.
pub const HEADER_FIELDS: usize = 100;
/// Bytes that a connection may buffer for a request's head. Above it 431; a head may exceed it by one read, since hyper
/// reads up to as many bytes at once. hyper also uses this number as the high-water mark of its write buffer: below it,
/// it polls a response body for the next piece.
pub const HEADER_BYTES: usize = 32 * 1024;
/// Time for a request's head: a slow client must not hold a connection. The first bytes, from which the protocol is
/// detected, have the same time of their own. hyper counts from the end of the previous response, so this is also how
/// long an idle HTTP/1 connection is kept; hyper has no separate setting. An idle HTTP/2 connection is kept as long,
/// even if it responds to pings.
pub const HEADER_TIME: Duration = Duration::from_secs(10);
/// Time for a handler until the head of its response is ready, not counting the time in which the client sends the
/// body. Response bodies of media have no time limit.
pub const HANDLER_TIME: Duration = Duration::from_secs(15);
/// [`HANDLER_TIME`] of routes that hash passwords or call the cloud, and may wait in a queue for that.
pub const SIGN_IN_TIME: Duration = Duration::from_secs(20);
/// Bytes of an uploaded plugin, with its signature and the headers of both parts.
pub const PLUGIN_BODY_BYTES: usize = 64 * 1024 * 1024 + 64 * 1024;
/// [`HANDLER_TIME`] of routes that compile plugins or read files with them, and [`BODY_TIME`] of an uploaded plugin: a
/// Python component has 18 MiB and compiles in half a minute on a small machine.
pub const PLUGIN_TIME: Duration = Duration::from_secs(180);
/// Time that a write may wait for the client: for room in its socket, or in the window of an HTTP/2 stream. A paused
/// player reads nothing for minutes and then continues.
pub const WRITE_STALL: Duration = Duration::from_secs(600);
/// Open connections: more than the 10,000 event streams that the server has to support. Beyond that, the connection
/// that has been idle longest is closed for each new one.
pub const CONNECTIONS: usize = 12_000;
/// The share of [`CONNECTIONS`] that an address keeps when all are in use, as a divisor: 2 is a half. While other
/// addresses do not connect, one address may hold all connections, as a household behind one address does. When all are
/// in use, a new connection from an address with its share or more closes an idle one of its own, or is rejected. One
/// from another address closes an idle connection, first of addresses beyond their share, and if none is idle the one
/// of them with the longest-running request. A half leaves a second address as much. IPv6 addresses are grouped by
/// their 64-bit network, which one client has. A trusted proxy stands for many clients and has no share.
pub const ADDRESS_SHARE: usize = 2;
/// Bytes of a request's head that are kept until it is parsed. If hyper cannot parse it, the `Origin` is taken from
/// them.
pub const HEAD_BUFFER_BYTES: usize = 4 * 1024;
/// Streams of one HTTP/2 connection; browsers expect at least 100.
pub const H2_STREAMS: u32 = 128;
/// Bytes of complete responses (not files) that an HTTP/2 connection holds for its client; a larger response is held
/// only if it is the only one. With `H2_FILES_BYTES`, and `H2_STREAM_BYTES` of each stream, a connection stays below
/// 1 MiB. A page of a list has some 100 KiB.
pub const H2_RESPONSES_BYTES: usize = 512 * 1024;
/// Bytes of files that an HTTP/2 connection additionally holds for its client: one piece each for four streams.
pub const H2_FILES_BYTES: usize = 4 * MEDIA_CHUNK_BYTES;
/// Bytes that each HTTP/2 stream may hold although the buffer of its connection is full, so that other streams cannot
/// block it. The JSON of most items is smaller.
pub const H2_STREAM_BYTES: usize = 2 * 1024;
/// Bytes of a complete response that are passed to h2 at once. A client that reads less than this within `WRITE_STALL`
/// counts as stalled.
pub const H2_PIECE_BYTES: usize = 16 * 1024;
/// Bytes of `H2_RESPONSES_BYTES` that a writing request over HTTP/2 reserves before it is handled, because its response
/// cannot be produced twice. Responses about one item are smaller, those about a thousand are twice as large.
pub const H2_CHANGE_BYTES: usize = 32 * 1024;
/// Bytes of a stream that h2 queues while the client's window has room for them.
pub const H2_QUEUED_BYTES: usize = 64 * 1024;
/// Bytes of request bodies that an HTTP/2 client may send before they are read, per connection and per stream: a body
/// with settings, and any other body.
pub const H2_WINDOWS: (u32, u32) = (256 * 1024, 64 * 1024);
/// Bytes of an HTTP/2 header list.
pub const H2_HEADER_LIST_BYTES: u32 = 16 * 1024;
/// Streams that a peer may open and reset before they are handled; more is the rapid-reset attack.
pub const H2_PENDING_RESETS: usize = 20;
/// Streams that the server itself may reset because of a peer's errors before it closes the connection.
pub const H2_LOCAL_RESETS: usize = 1024;
/// Idle time after which an HTTP/2 peer is pinged, and time to respond.
pub const H2_PING: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));
/// Time for open requests when the server shuts down; container runtimes kill it after 10 s.
pub const DRAIN_TIME: Duration = Duration::from_secs(5);
/// Bytes of a media file that are read from the disk at once. Each stream may hold as many that its client does not
/// read. Not less than `HEADER_BYTES`, so that hyper polls for one piece at a time.
pub const MEDIA_CHUNK_BYTES: usize = 32 * 1024;
/// Bytes of a media file that are sent from the page cache at once: enough that the system call costs little, and few
/// enough that other connections of the thread do not wait.
pub const FILE_PART_BYTES: usize = 256 * 1024;
/// How long a client may cache media and pictures without revalidation.
pub const MEDIA_MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Size of the response cache in bytes: some hundred pages of lists, or a thousand covers.
pub const RESPONSE_CACHE_BYTES: u64 = 16 << 20;
/// Maximum bytes of a cached response: a page of some 400 items. Larger ones are rarely requested twice.
pub const CACHED_RESPONSE_BYTES: usize = 256 * 1024;
/// How long a browser may cache the response to a CORS preflight.
pub const PREFLIGHT_MAX_AGE: Duration = Duration::from_secs(600);

/// The limits that tests make smaller; in production they have the values above.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// [`HEADER_TIME`].
    pub header_time: Duration,
    /// [`BODY_TIME`].
    pub body_time: Duration,
    /// [`BODY_GAP`].
    pub body_gap: Duration,
    /// [`HANDLER_TIME`].
    pub handler_time: Duration,
    /// [`SIGN_IN_TIME`].
    pub sign_in_time: Duration,
    /// [`PLUGIN_TIME`].
    pub plugin_time: Duration,
    /// [`CONNECTIONS`].
    pub connections: usize,
    /// [`WRITE_STALL`].
    pub write_stall: Duration,
    /// [`H2_PING`].
    pub h2_ping: (Duration, Duration),
    /// [`DRAIN_TIME`].
    pub drain_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_time: HEADER_TIME,
            body_time: BODY_TIME,
            body_gap: BODY_GAP,
            handler_time: HANDLER_TIME,
            sign_in_time: SIGN_IN_TIME,
            plugin_time: PLUGIN_TIME,
            connections: CONNECTIONS,
            write_stall: WRITE_STALL,
            h2_ping: H2_PING,
            drain_time: DRAIN_TIME,
        }
    }
}
