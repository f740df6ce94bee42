//! Every limit of the HTTP side, each with its reason.

use std::time::Duration;

/// Bytes of a JSON body. The largest real one, some hundred ids, has a tenth of it.
pub const BODY_BYTES: usize = 64 * 1024;
/// Bytes of a login body: two names and a password of at most 256 bytes.
pub const LOGIN_BODY_BYTES: usize = 8 * 1024;
/// Bytes of a body with settings, or of one that changes many things at once.
pub const SETTINGS_BODY_BYTES: usize = 256 * 1024;
/// Items of a list in a body or a query: a page of what the server lists. JSON is nested at most 128 deep, which is
/// serde_json's own limit.
pub const INPUT_ITEMS: usize = 1_000;
/// Words that a search looks for: each is looked up in seven indexes. A long title has a dozen.
pub const SEARCH_WORDS: usize = 16;
/// Time for a whole JSON body to arrive; a slow phone sends 64 KiB in seconds.
pub const BODY_TIME: Duration = Duration::from_secs(60);
/// Time between two pieces of a body; longer means that nobody is sending.
pub const BODY_GAP: Duration = Duration::from_secs(30);
/// Bytes of a request's target. Above it 414; filters and tokens together stay below 4 KiB.
pub const TARGET_BYTES: usize = 8 * 1024;
/// Header fields of a request. Above it 431.
pub const HEADER_FIELDS: usize = 100;
/// Bytes that a connection may buffer for a request's head. Above it 431, but for what comes with the last of them: hyper
/// reads as much again at once. It takes the same number for what waits to be sent, and asks a stream for its next piece
/// below it.
pub const HEADER_BYTES: usize = 32 * 1024;
/// Time for a request's head: a slow one must not hold a connection. The first bytes, which tell the protocol, have as
/// much for themselves. hyper counts from the end of the answer before,
/// so that this is also how long an idle HTTP/1 connection is kept; it cannot be set apart. One of HTTP/2 is kept as long,
/// whatever pings it answers.
pub const HEADER_TIME: Duration = Duration::from_secs(10);
/// Time for a handler until its answer's head is ready, without the time that the client takes to send its body.
/// Bodies of media take as long as they take.
pub const HANDLER_TIME: Duration = Duration::from_secs(15);
/// The same for what hashes passwords or asks the cloud, which may wait for its turn.
pub const SIGN_IN_TIME: Duration = Duration::from_secs(20);
/// Time that a write may wait for the client: to its socket, or to take the next of an HTTP/2 stream. A paused player reads
/// nothing for minutes and then goes on.
pub const WRITE_STALL: Duration = Duration::from_secs(600);
/// Connections at once: more than the 10,000 event streams that the server is meant to hold. When there are so many, the
/// one that has been idle the longest is closed for the next.
pub const CONNECTIONS: usize = 12_000;
/// The share of [`CONNECTIONS`] that an address keeps when all are taken: one in so many. While others do not want in, one
/// address may have all, as a home behind one address does. When all are taken, an address that has its share or more makes
/// room for its own, and gives up to others what is beyond. Half leaves a second address as much. An IPv6 address counts as
/// its network of 64 bits, which is what one client has. A trusted proxy stands for many clients and has no share.
pub const ADDRESS_SHARE: usize = 2;
/// Bytes kept of the head that is being read, to find the origin in it if it cannot be read.
pub const HEAD_BUFFER_BYTES: usize = 4 * 1024;
/// Streams of one HTTP/2 connection: what browsers expect at least is 100.
pub const H2_STREAMS: u32 = 128;
/// Bytes of answers made as a whole that an HTTP/2 connection holds for its client; one answer that is larger is held
/// alone. With `H2_FILES_BYTES`, and `H2_STREAM_BYTES` of each stream, a connection stays below 1 MiB. A page of a list
/// has some 100 KiB.
pub const H2_RESPONSES_BYTES: usize = 512 * 1024;
/// Bytes of files that an HTTP/2 connection holds for its client beside: four pieces, for those who take them.
pub const H2_FILES_BYTES: usize = 4 * MEDIA_CHUNK_BYTES;
/// Bytes that each stream of HTTP/2 may hold when its connection holds all that it may, so that it goes on whatever others
/// do. Most JSON of one item is smaller.
pub const H2_STREAM_BYTES: usize = 2 * 1024;
/// Bytes of an answer made as a whole that are given to h2 at once. A client that takes less in the time of `WRITE_STALL`
/// takes nothing.
pub const H2_PIECE_BYTES: usize = 16 * 1024;
/// Room of `H2_RESPONSES_BYTES` that a request over HTTP/2 has before it changes something: its answer cannot be made again.
/// Those of single things are smaller, those about a thousand are twice as large.
pub const H2_CHANGE_BYTES: usize = 32 * 1024;
/// Bytes that h2 queues of a stream that its client has room for.
pub const H2_QUEUED_BYTES: usize = 64 * 1024;
/// Bytes of bodies that an HTTP/2 client may send before they are read, in all and on a stream: a body with settings, and
/// the one of any other.
pub const H2_WINDOWS: (u32, u32) = (256 * 1024, 64 * 1024);
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
/// Bytes of a media file that are read at once where they must come from the disk: each stream may hold so many that its
/// client does not take. Not less than `HEADER_BYTES`, so that it is one piece.
pub const MEDIA_CHUNK_BYTES: usize = 32 * 1024;
/// Bytes of a media file that are sent at once where they are in memory: so many that a system call is cheap, and that
/// others need not wait.
pub const FILE_PART_BYTES: usize = 256 * 1024;
/// How long a client may keep media and pictures without asking again. They are named by content.
pub const MEDIA_MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Bytes of answers about media that are kept to be given again: some hundred pages of lists, a thousand covers.
pub const RESPONSE_CACHE_BYTES: u64 = 16 << 20;
/// Bytes of an answer that is kept: a page of some 400 items. Larger ones are asked for once.
pub const CACHED_RESPONSE_BYTES: usize = 256 * 1024;
/// How long a browser may keep the answer to a CORS preflight.
pub const PREFLIGHT_MAX_AGE: Duration = Duration::from_secs(600);

/// The limits that a test crosses with shorter times and smaller numbers; elsewhere they are the ones above.
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
            connections: CONNECTIONS,
            write_stall: WRITE_STALL,
            h2_ping: H2_PING,
            drain_time: DRAIN_TIME,
        }
    }
}
