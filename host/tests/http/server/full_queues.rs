//! Full work queues: clients are told to retry, and jobs wait.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::json;
use svc_covers::covers;

use crate::jobs::{COUNTING, ask, start, until};
use crate::music::waveform::{Room, impatient};
use crate::photos::thumbnail::ThumbnailFixture;
use crate::support::listening::wait_for;
use crate::support::{Client, Reply, TestServer};
use svc_domain::job::JobStatus;
use svc_domain::library::MediaScope;
use svc_events::Events;
use svc_identity::error::{Result as Outcome, RetryReason, ServiceError};
use svc_library::jobs::{JobItems, pregeneration_job};
use svc_library::thumbnails::{THREADS, Thumbnails};

fn assert_busy(reply: &Reply, retry_after: &str) {
    assert_eq!(
        (reply.status, &reply.json()["code"], reply.header("retry-after")),
        (503, &json!("busy"), retry_after)
    );
}

/// All render threads and all places in their queue, occupied until this is dropped.
struct Occupied(Arc<(Mutex<bool>, Condvar)>);

impl Drop for Occupied {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

/// Fills the queue completely.
fn occupy(thumbnails: &Thumbnails) -> Occupied {
    let workers = thumbnails.workers();
    let occupied = Occupied(Arc::default());
    let begun = Arc::new(AtomicUsize::new(0));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    loop {
        let (gate, begun_by) = (Arc::clone(&occupied.0), Arc::clone(&begun));
        let queued = workers.spawn(move || {
            begun_by.fetch_add(1, Ordering::SeqCst);
            let held = gate.0.lock().unwrap();
            drop(gate.1.wait_while(held, |free| !*free).unwrap());
        });
        // Once every thread is busy, a full queue stays full.
        let all_busy = begun.load(Ordering::SeqCst) == cores.min(THREADS);
        match (queued.is_ok(), all_busy) {
            (false, true) => return occupied,
            (false, false) => std::thread::yield_now(),
            (true, _) => {}
        }
    }
}

/// Runs a job while the queue is full, and makes room after the job was refused.
async fn job_waits_for_room<F: Future<Output = Outcome<()>> + Send + 'static>(
    (server, token): (&TestServer, &Client),
    (items, number): (JobItems, i64),
    make: impl Fn(i64) -> F + Send + Sync + 'static,
    make_room: impl FnOnce(),
) {
    let refused = Arc::new(AtomicUsize::new(0));
    let counting = {
        let refused = Arc::clone(&refused);
        move |item: i64| {
            let (made, refused) = (make(item), Arc::clone(&refused));
            async move {
                let made = made.await;
                if matches!(&made, Err(ServiceError::TryLater(later)) if later.reason == RetryReason::Busy) {
                    refused.fetch_add(1, Ordering::SeqCst);
                }
                made
            }
        }
    };
    let registered = pregeneration_job(&COUNTING, &server.store.jobs, items, counting);
    let (jobs, task) = start(server, &Events::default(), registered);
    let job = ask(server, &jobs, token).await;
    wait_for(|| refused.load(Ordering::SeqCst) >= 2).await;
    make_room();
    let ended = until(server, job.id, JobStatus::Completed).await;
    assert_eq!((ended.progress.completed, ended.progress.failed), (number, 0));
    jobs.stop();
    task.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn waveforms_of_a_job_wait_for_room_in_the_queue() {
    let room = Room::new(impatient()).await;
    let first = room.track("a.mp3").await;
    let others = [room.track("b.mp3").await, room.track("c.mp3").await];
    room.analyzer.hold(true);
    assert_eq!(room.status(others[0]).await, 202);
    wait_for(|| room.analyzer.calls() == 1).await;
    assert_eq!(room.status(others[1]).await, 202);
    let waveforms = room.server().state.waveforms.clone();
    let make = move |item: i64| {
        let waveforms = waveforms.clone();
        async move { waveforms.pregenerate(item.into()).await.map(drop) }
    };
    let of = (room.server(), &room.owner);
    job_waits_for_room(of, (JobItems::Tracks, 3), make, || room.analyzer.hold(false)).await;
    assert_eq!(room.status(first).await, 200);
    assert_eq!(room.analyzer.calls(), 3, "each was analyzed once");
}

#[covers("code busy")]
#[tokio::test(flavor = "multi_thread")]
async fn thumbnail_beyond_the_queue_is_503_and_a_job_waits() {
    let room = ThumbnailFixture::new().await;
    let (server, owner) = (&room.server, &room.owner);
    let photo = room.photo(b"any").await;
    let target = format!("/api/v1/photos/{photo}/thumbnail");
    let thumbnails = server.state.thumbnails.clone();
    let occupied = occupy(&thumbnails);
    assert_busy(&owner.get(&target).await, "2");
    let make = move |item: i64| {
        let thumbnails = thumbnails.clone();
        async move { thumbnails.pregenerate_photo(&MediaScope::All, item.into()).await }
    };
    let items = (JobItems::Photos, 1);
    job_waits_for_room((server, owner), items, make, || drop(occupied)).await;
    assert_eq!(owner.get(&target).await.status, 200);
}
