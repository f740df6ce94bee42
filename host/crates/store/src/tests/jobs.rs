//! Jobs, the item lists that they process, and files marked for re-extraction.

use serde_json::json;

use crate::tests::*;
use crate::{JobFilter, JobItems};
use svc_domain::job::{Job, JobProgress, JobStatus};
use svc_domain::list::{Order, Pagination};

const PAGE: Pagination = Pagination { take: 1000, skip: 0 };
const LATER: Timestamp = Timestamp::from_millis(NOW.millis() + 1000);

fn job(test_store: &TestStore, job_type: &str) -> Job {
    Job {
        id: test_store.id(),
        job_type: job_type.to_owned(),
        parameters: json!({"a": [1, "ä"]}),
        status: JobStatus::Queued,
        created_by: Some(test_store.id()),
        started_at: None,
        completed_at: None,
        progress: JobProgress {
            result: json!({}),
            ..JobProgress::default()
        },
        error: None,
    }
}

async fn insert(test_store: &TestStore, job_type: &str) -> Job {
    let job = job(test_store, job_type);
    assert!(test_store.store.jobs.insert_job(&job, 10, 1000).await.unwrap());
    job
}

#[tokio::test]
async fn job_comes_back_as_it_was_stored_and_moves_by_its_states() {
    on_each_database(async |test_store: &mut TestStore| {
        let store = &test_store.store;
        let (first, second, other) = (
            insert(test_store, "a").await,
            insert(test_store, "a").await,
            insert(test_store, "b").await,
        );
        assert_eq!(store.jobs.job(first.id).await.unwrap().as_ref(), Some(&first));
        assert_eq!(store.jobs.next_job("a").await.unwrap(), Some(first.clone()));
        assert_eq!(store.jobs.next_job("b").await.unwrap(), Some(other));
        assert_eq!(store.jobs.next_job("c").await.unwrap(), None);
        let queued = [JobStatus::Queued];
        let move_job =
            async |id, from: &[JobStatus], to| store.jobs.move_job(id, from, to, LATER).await.unwrap();
        assert!(move_job(second.id, &queued, JobStatus::Running).await);
        assert!(!move_job(second.id, &queued, JobStatus::Running).await);
        // Interrupted jobs go first.
        assert_eq!(store.jobs.next_job("a").await.unwrap().unwrap().id, second.id);
        let progress = JobProgress {
            cursor: i64::MAX,
            completed: 7,
            failed: 2,
            total: Some(9),
            result: json!({"found": ["\u{0}x"]}),
        };
        store.jobs.save_job(second.id, &progress).await.unwrap();
        let stored = store.jobs.job(second.id).await.unwrap().unwrap();
        assert_eq!((stored.started_at, stored.completed_at), (Some(LATER), None));
        assert_eq!(stored.progress, progress);
        assert!(
            !store
                .jobs
                .end_job(first.id, &progress, None, LATER)
                .await
                .unwrap(),
            "it does not run"
        );
        assert!(
            store
                .jobs
                .end_job(second.id, &progress, Some("no"), LATER)
                .await
                .unwrap()
        );
        let ended = store.jobs.job(second.id).await.unwrap().unwrap();
        assert_eq!(
            (ended.status, ended.error.as_deref(), ended.completed_at),
            (JobStatus::Failed, Some("no"), Some(LATER))
        );
        assert!(
            move_job(
                first.id,
                &[JobStatus::Queued, JobStatus::Paused],
                JobStatus::Cancelled
            )
            .await
        );
        let cancelled = store.jobs.job(first.id).await.unwrap().unwrap();
        assert_eq!(
            (cancelled.started_at, cancelled.completed_at),
            (None, Some(LATER))
        );
        assert_eq!(store.jobs.next_job("a").await.unwrap(), None);
        let listed = async |filter: JobFilter, order| {
            let listed = store.jobs.list_jobs(&filter, order, PAGE).await.unwrap();
            assert_eq!(listed.total, listed.items.len() as u64);
            listed.items.into_iter().map(|job| job.id).collect::<Vec<_>>()
        };
        let of_a = JobFilter {
            job_type: Some("a".into()),
            status: None,
        };
        assert_eq!(listed(of_a, Order::Ascending).await, [first.id, second.id]);
        let failed = JobFilter {
            job_type: None,
            status: Some(JobStatus::Failed),
        };
        assert_eq!(listed(failed, Order::Descending).await, [second.id]);
        assert_eq!(listed(JobFilter::default(), Order::Descending).await.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn waiting_jobs_are_limited_by_type_and_only_the_newest_ended_ones_are_kept() {
    on_each_database(async |test_store: &mut TestStore| {
        for _ in 0..10 {
            insert(test_store, "a").await;
        }
        assert!(
            !test_store
                .store
                .jobs
                .insert_job(&job(test_store, "a"), 10, 1000)
                .await
                .unwrap()
        );
        let mut ended = Vec::new();
        for _ in 0..8 {
            let job = job(test_store, "b");
            assert!(test_store.store.jobs.insert_job(&job, 10, 5).await.unwrap());
            let to = JobStatus::Cancelled;
            assert!(
                test_store
                    .store
                    .jobs
                    .move_job(job.id, &[JobStatus::Queued], to, NOW)
                    .await
                    .unwrap()
            );
            ended.push(job.id);
        }
        assert!(
            test_store
                .store
                .jobs
                .insert_job(&job(test_store, "b"), 10, 5)
                .await
                .unwrap()
        );
        let all = test_store
            .store
            .jobs
            .list_jobs(&JobFilter::default(), Order::Ascending, PAGE)
            .await
            .unwrap();
        assert_eq!(all.total, 10 + 5 + 1);
        assert!(test_store.store.jobs.job(ended[2]).await.unwrap().is_none());
        assert!(test_store.store.jobs.job(ended[3]).await.unwrap().is_some());
    })
    .await;
}

#[tokio::test]
async fn files_of_a_kind_below_a_folder_are_marked_until_they_are_read_again() {
    on_each_database(async |test_store: &mut TestStore| {
        let store = &test_store.store;
        let (directory, a) = test_store.folder(MediaKind::music(), "a").await;
        let (_, ab) = test_store.folder(MediaKind::music(), "a/b").await;
        let (_, aside) = test_store.folder(MediaKind::music(), "ab").await;
        let files = [(a, "1"), (ab, "2"), (aside, "3")];
        let files =
            files.map(|(folder, name)| test_store.file(folder, name, record(track(name, &["A"], "B", 1))));
        let mut again = files[0].clone();
        let ids = test_store.persist(files.to_vec()).await;
        let find = async |below: &str, after| {
            let below = RelativePath::parse(below).unwrap();
            store
                .index
                .files_to_mark_stale(&MediaKind::music(), &below, after, 10)
                .await
                .unwrap()
        };
        assert_eq!(find("", FileId::from(0)).await, ids);
        assert_eq!(find("a", FileId::from(0)).await, ids[..2]);
        assert_eq!(find("a/b", FileId::from(0)).await, ids[1..2]);
        assert_eq!(find("", ids[0]).await, ids[1..]);
        let photos = store
            .index
            .files_to_mark_stale(&MediaKind::photos(), &RelativePath::root(), ids[0], 10)
            .await;
        assert!(photos.unwrap().is_empty());
        assert_eq!(store.index.media_kinds_of_files(&ids).await.unwrap(), ["music"]);
        assert!(
            store
                .index
                .media_kinds_of_files(&[FileId::from(1)])
                .await
                .unwrap()
                .is_empty()
        );

        let current = [("music".to_owned(), "ab12".to_owned())];
        assert!(store.index.stale_plugins(&current).await.unwrap().is_empty());
        for _ in 0..2 {
            assert_eq!(store.index.mark_stale(&ids[..2]).await.unwrap(), 2);
            assert_eq!(store.index.count_marked_files().await.unwrap(), 2);
        }
        let stale = store.index.stale_plugins(&current).await.unwrap();
        assert_eq!(stale.len(), 1);
        let first = (FolderId::from(0), FileId::from(0));
        let listed = store
            .index
            .stale_files(directory, &stale, first, 10)
            .await
            .unwrap();
        assert_eq!(listed.iter().map(|file| file.id).collect::<Vec<_>>(), ids[..2]);
        again.file.known = true;
        test_store.persist(vec![again]).await;
        assert_eq!(store.index.count_marked_files().await.unwrap(), 1);
        assert_eq!(store.index.mark_stale(&[FileId::from(1)]).await.unwrap(), 0);

        let known = store.files.known_files(FileId::from(0), 2).await.unwrap();
        assert_eq!(known.iter().map(|file| file.id).collect::<Vec<_>>(), ids[..2]);
        assert_eq!((known[1].path.as_str(), known[1].size), ("a/b/2", 1000));
        assert_eq!(store.files.known_files(ids[1], 9).await.unwrap().len(), 1);
        assert_eq!(store.files.count_known_files().await.unwrap(), 3);
        let tracks: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        assert_eq!(
            store.jobs.job_items(JobItems::Tracks, 0, 9).await.unwrap(),
            tracks
        );
        assert_eq!(
            store
                .jobs
                .job_items(JobItems::Tracks, tracks[0], 1)
                .await
                .unwrap(),
            tracks[1..2]
        );
        assert_eq!(store.jobs.count_job_items(JobItems::Tracks).await.unwrap(), 3);
        assert_eq!(store.jobs.count_job_items(JobItems::Photos).await.unwrap(), 0);
    })
    .await;
}
