//! Jobs continue after a crash or a stop of the server.

use std::time::Duration;

use super::{Counting, ITEMS, ask, process, stored, until};
use crate::support::TestServer;
use crate::support::databases::on_each_database;
use crate::support::listening::wait_for;
use svc_domain::job::JobStatus;
use svc_events::Events;

#[tokio::test]
async fn job_cut_off_by_a_crash_continues_and_skips_nothing() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let token = server.as_owner().await;
        let work = Counting::new(0);
        let mut id = None;
        // Each process is aborted within an item, between two saves.
        for leave in [150, 1, 200] {
            let (jobs, task) = process(server, &Events::default(), &work);
            if id.is_none() {
                id = Some(ask(server, &jobs, &token).await.id);
            }
            let (target, stored) = (work.so_far(), stored(server, id.unwrap()).await);
            work.leave.add_permits(leave);
            wait_for(|| work.leave.available_permits() == 0).await;
            while self::stored(server, id.unwrap()).await == stored {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
            assert!(work.so_far() > target || leave == 1);
            let job = server.store.jobs.job(id.unwrap()).await.unwrap().unwrap();
            assert_eq!(job.status, JobStatus::Running);
        }
        let (_, task) = process(server, &Events::default(), &work);
        work.leave.add_permits(ITEMS as usize);
        let job = until(server, id.unwrap(), JobStatus::Completed).await;
        assert_eq!(job.progress.total, Some(ITEMS));
        assert_eq!((job.progress.completed, job.progress.failed), (ITEMS, 6));
        assert_eq!(job.progress.result["failures"][0]["reason"], "round");
        assert!(job.started_at.is_some() && job.completed_at.is_some() && job.error.is_none());
        {
            let done = work.done.lock().unwrap();
            assert!(
                (1..=ITEMS).all(|item| done.contains_key(&item)),
                "no item is skipped"
            );
            let again = done.values().filter(|times| **times > 1).count();
            assert!(
                again < 300,
                "{again} done again: the state was not stored in between"
            );
        }
        task.abort();
    })
    .await;
}

#[tokio::test]
async fn stop_saves_the_position_of_the_job() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let work = Counting::new(0);
    let (jobs, task) = process(&server, &Events::default(), &work);
    let job = ask(&server, &jobs, &token).await;
    work.leave.add_permits(40);
    wait_for(|| work.so_far() == 40).await;
    jobs.stop();
    tokio::time::timeout(Duration::from_secs(2), task)
        .await
        .expect("the worker stops in time")
        .unwrap();
    let left = server.store.jobs.job(job.id).await.unwrap().unwrap();
    assert_eq!((left.status, left.progress.cursor), (JobStatus::Running, 40));
    assert_eq!(left.progress.completed, 40);
}
