//! Live events: the broadcaster, its messages, and the subscriptions of clients.
//!
//! Live state: what happens on the server, told to the clients that listen.
//!
//! | File | What lives there |
//! |---|---|
//! | `message.rs` | the closed list of kinds, who may hear each, and the one encoding that all receivers share |
//! | `indexing.rs`, `jobs.rs`, `photos.rs`, `playback_queues.rs`, `waveform.rs` | the payloads of each |
//! | `broadcaster.rs` | a short queue for those who tell, a ring of messages for those who listen |
//! | `dispatcher.rs` | moves messages from the one to the other at the pace of the listeners, and ends what is to end |
//! | `stream.rs` | one listener: what it may hear at this moment, and what it has not heard yet |
//!
//! Whoever tells never waits. A message is encoded once and kept once, whatever the number of listeners; each of them
//! has a place in the ring, not a queue of its own. There is no task per listener: its connection asks when the pump
//! has woken it. A listener that falls [`EventLimits::queue`] messages behind, or whose connection takes nothing for
//! [`EventLimits::stall`], is cut off, so that nobody holds up the others.
//!
//! May use `svc-domain`, `svc-platform`, `svc-store` and `svc-identity`. Below the indexer and the library, because both publish.
//!
//! To add an event: a kind in `message.rs` with the capability that it requires, a payload, one call of `Events::publish`, and
//! a line in the table of the API's `routes/events.rs`.

mod broadcaster;
mod dispatcher;
pub mod indexing;
pub mod jobs;
mod message;
pub mod photos;
pub mod playback_queues;
mod stream;
pub mod waveform;

use std::time::Duration;

pub use broadcaster::Events;
pub use message::{Audience, EventKind, Message};
pub use stream::{EventStreams, Frame, Subscription};

/// Every limit of the event streams, each with its reason.
#[derive(Debug, Clone, Copy)]
pub struct EventLimits {
    /// Messages that a listener may be behind before it is cut off.
    pub queue: usize,
    /// Messages that wait for the pump. Beyond it what is added to the index is not told one by one any more; clients
    /// look again when the run has ended. 16,384 take some 4 MiB and come together only in the first seconds of a
    /// scan with thousands of listeners.
    pub inbox: usize,
    /// Messages that the pump hands out at a time: a quarter of the queue, so that a listener which was not asked for
    /// a moment is not behind by too many.
    pub batch: usize,
    /// How long the pump waits for the listeners between two such portions. Those who are slower are behind, which
    /// the queue allows for.
    pub patience: Duration,
    /// How often each listener gets a comment, so that nothing on the way takes the connection for dead.
    pub keep_alive: Duration,
    /// Time that the connection may take nothing of what was given to it.
    pub stall: Duration,
    /// How often the pump looks for what is to end: a token that is over, a stall, guests who are not welcome any more.
    pub sweep_interval: Duration,
    /// Bytes handed to a connection in one piece. It gets the next one when this one is sent.
    pub frame_bytes: usize,
    /// Streams of one account: more screens than anybody has, and far fewer than the server has connections.
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
