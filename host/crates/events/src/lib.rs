//! Events: messages to clients about what happens on the server.
//!
//! | File | Content |
//! |---|---|
//! | `message` | the kinds of events, their audience, and the encoding shared by all subscribers |
//! | `indexing`, `invitations`, `items`, `jobs`, `photos`, `playback_queues`, `plugins`, `waveform` | payloads |
//! | `broadcaster` | the inbox of published messages, the ring buffer, the list of subscribers |
//! | `dispatcher` | moves messages from the inbox to the ring buffer, and ends streams |
//! | `subscriber` | the state of one subscriber: permissions and position in the ring buffer |
//! | `lagging` | the number of subscribers that have not received all messages |
//! | `stream` | the subscription as a stream of frames |
//!
//! Publishing an event never blocks. A message is encoded and stored once, whatever the number of subscribers; each
//! has a position in the ring buffer, not a queue of its own. There is no task per subscriber: the dispatcher wakes
//! its connection, which polls the stream. A subscriber that falls [`EventLimits::queue`] messages behind, or whose
//! connection accepts no data for [`EventLimits::stall`], is disconnected, so that it does not delay the others.
//!
//! May use `svc-domain` and `svc-identity`. The indexer and the library depend on this crate, because both publish.
//!
//! To add an event: a kind in `message` with the capability that it requires, a payload, one call of
//! `Events::publish`, and a line in the table of the API's `routes/events.rs`.

mod broadcaster;
mod dispatcher;
pub mod indexing;
mod invitations;
pub mod items;
pub mod jobs;
mod lagging;
mod message;
pub mod photos;
pub mod playback_queues;
pub mod plugins;
mod stream;
mod subscriber;
pub mod waveform;

use std::time::Duration;

pub use broadcaster::Events;
pub use message::{Audience, EventKind, Message};
pub use stream::{EventStreams, Frame, Subscription};

/// Limits of event streams, each with its reason.
#[derive(Debug, Clone, Copy)]
pub struct EventLimits {
    /// Messages that a subscriber may lag behind before it is disconnected.
    pub queue: usize,
    /// Messages in the inbox. Above that, droppable events are discarded; clients fetch the changes when the scan has
    /// ended. 16,384 messages take about 4 MiB and accumulate only in the first seconds of a scan with thousands of
    /// subscribers.
    pub inbox: usize,
    /// Messages that the dispatcher delivers at a time: a quarter of `queue`, so that a subscriber may miss a batch
    /// without being disconnected.
    pub batch: usize,
    /// How long the dispatcher waits for the subscribers between two batches. Slower subscribers lag behind, within
    /// the limit of the queue.
    pub patience: Duration,
    /// Interval of comments to each subscriber, so that proxies keep the connection open.
    pub keep_alive: Duration,
    /// How long a connection may accept no data.
    pub stall: Duration,
    /// How often the dispatcher checks for streams to close: expired tokens, stalled connections, guests after guest
    /// access was turned off.
    pub sweep_interval: Duration,
    /// Bytes per frame. A connection gets the next frame when it has sent this one.
    pub frame_bytes: usize,
    /// Streams per account: more than any user has open, and far fewer than the server has connections.
    pub per_account: usize,
}

impl Default for EventLimits {
    fn default() -> Self {
        Self {
            queue: 256,
            inbox: 16 * 1024,
            batch: 64,
            patience: Duration::from_millis(100),
            keep_alive: Duration::from_secs(15),
            stall: Duration::from_secs(30),
            sweep_interval: Duration::from_secs(1),
            frame_bytes: 32 * 1024,
            per_account: 1_000,
        }
    }
}
