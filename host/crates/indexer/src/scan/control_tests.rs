//! Tests of `control.rs`.

use super::*;

fn recorded_effects() -> (Arc<ScanControl>, Arc<Mutex<Vec<RunTransition>>>) {
    let transitions = Arc::new(Mutex::new(Vec::new()));
    let control = ScanControl::new({
        let transitions = Arc::clone(&transitions);
        move |transition| transitions.lock().unwrap().push(transition)
    });
    (Arc::new(control), transitions)
}

#[test]
fn pause_takes_effect_once_after_in_flight_files() {
    let (control, transitions) = recorded_effects();
    let (first, second) = (control.checkpoint().unwrap(), control.checkpoint().unwrap());
    control.pause().unwrap();
    drop(first);
    assert_eq!(control.phase(), Phase::Pausing);
    control.pause().unwrap();
    drop(second);
    assert_eq!(control.phase(), Phase::Paused);
    assert_eq!(control.pause(), Err(InvalidTransition(Phase::Paused)));
    control.resume();
    control.resume();
    assert_eq!(
        *transitions.lock().unwrap(),
        [RunTransition::Paused, RunTransition::Resumed]
    );
}

#[test]
fn resume_cancels_a_pending_pause_without_an_effect() {
    let (control, transitions) = recorded_effects();
    let in_flight = control.checkpoint().unwrap();
    control.pause().unwrap();
    control.resume();
    assert_eq!(control.phase(), Phase::Running);
    drop(in_flight);
    assert!(control.checkpoint().is_some());
    assert!(transitions.lock().unwrap().is_empty());
}

#[test]
fn stop_overrides_a_pause_and_rejects_later_requests() {
    let (control, transitions) = recorded_effects();
    let in_flight = control.checkpoint().unwrap();
    control.pause().unwrap();
    control.stop();
    assert_eq!(control.pause(), Err(InvalidTransition(Phase::Stopping)));
    control.resume();
    drop(in_flight);
    assert!(control.checkpoint().is_none());
    assert!(control.is_stopping());
    assert!(transitions.lock().unwrap().is_empty());
}

#[test]
fn checkpoint_blocks_while_paused_and_returns_none_after_stop() {
    let control = Arc::new(ScanControl::default());
    control.pause().unwrap();
    let waiting = std::thread::spawn({
        let control = Arc::clone(&control);
        move || control.checkpoint().is_none()
    });
    assert!(!waiting.is_finished());
    control.stop();
    assert!(waiting.join().unwrap());
}

#[tokio::test]
async fn async_checkpoint_waits_while_paused_and_is_in_flight_after() {
    let (control, transitions) = recorded_effects();
    control.pause().unwrap();
    let waiting = svc_platform::tasks::spawn("part", {
        let control = Arc::clone(&control);
        async move { control.checkpoint_async().await }
    });
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    control.resume();
    let in_flight = waiting.await.unwrap().unwrap();
    control.pause().unwrap();
    assert_eq!(control.phase(), Phase::Pausing);
    drop(in_flight);
    assert_eq!(control.phase(), Phase::Paused);
    control.stop();
    assert!(control.checkpoint_async().await.is_none());
    assert_eq!(transitions.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn paused_run_does_not_finish() {
    let control = Arc::new(ScanControl::default());
    control.pause().unwrap();
    let waiting = svc_platform::tasks::spawn("finish", {
        let control = Arc::clone(&control);
        async move { control.finish().await }
    });
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    control.resume();
    assert!(!waiting.await.unwrap());
    assert_eq!(control.pause(), Err(InvalidTransition(Phase::Ended)));
}
