//! The generator of ids.

use std::sync::atomic::{AtomicI64, Ordering};

use super::{COUNTER_BITS, NODE_COUNTER_BITS};
use crate::time::Timestamp;

/// Creates strictly increasing ids, even while the clock stands still or steps back.
///
/// The upper 8 bits of the counter are the node number, so that two servers of one database never create the same id.
/// Each server leases its node number in the database (`id_nodes.rs` of the store) until a given time and creates no id
/// beyond it.
#[derive(Debug)]
pub struct IdGenerator {
    last: AtomicI64,
    node: i64,
    /// End of the lease of the node number, in milliseconds since 1970.
    until: AtomicI64,
}

impl IdGenerator {
    /// Number of servers that can create ids for one database.
    pub const NODES: i64 = 1 << (COUNTER_BITS - NODE_COUNTER_BITS);

    /// A generator whose lease never ends: for the only server of a database.
    pub fn new(node: u8) -> Self {
        Self::leased(node, Timestamp::from_millis(i64::MAX))
    }

    /// A generator whose node number is leased until `until`.
    pub fn leased(node: u8, until: Timestamp) -> Self {
        Self {
            last: AtomicI64::new(0),
            node: i64::from(node) << NODE_COUNTER_BITS,
            until: AtomicI64::new(until.millis()),
        }
    }

    /// Whether all ids so far are from before the end of the lease, so that no other server creates them.
    pub fn is_covered(&self) -> bool {
        self.last_moment() < Timestamp::from_millis(self.until.load(Ordering::Acquire))
    }

    /// The time in the last id.
    pub fn last_moment(&self) -> Timestamp {
        Timestamp::from_millis(self.last.load(Ordering::Acquire) >> COUNTER_BITS)
    }

    /// Extends the lease.
    pub fn extend(&self, until: Timestamp) {
        self.until.fetch_max(until.millis(), Ordering::AcqRel);
    }

    /// The id that follows `last`. A full counter continues in the next millisecond: higher counters belong to other
    /// nodes.
    fn after(&self, last: i64) -> i64 {
        let next = last + 1;
        if next & ((1 << NODE_COUNTER_BITS) - 1) == 0 {
            (((last >> COUNTER_BITS) + 1) << COUNTER_BITS) | self.node
        } else {
            next
        }
    }

    /// Creates an id that is greater than all earlier ones of this generator.
    pub fn next<T: From<i64>>(&self, now: Timestamp) -> T {
        let floor = (now.millis().max(0) << COUNTER_BITS) | self.node;
        let mut last = self.last.load(Ordering::Relaxed);
        loop {
            let id = floor.max(self.after(last));
            match self
                .last
                .compare_exchange_weak(last, id, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return T::from(id),
                Err(seen) => last = seen,
            }
        }
    }
}
