//! Tests with guests that attack the host: each is stopped within its limit and reported by its code, and the worker
//! reads the next file as usual.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use svc_covers::covers;

use crate::tests::*;

const TIME: Duration = Duration::from_millis(200);
/// Tolerance of the deadline in CPU time.
const LATE: Duration = Duration::from_millis(100);

fn cpu() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

/// Runs the guest on a file of 3 MiB, then a good guest on the same worker, then the first one again.
#[track_caller]
fn stopped_with(guest: &str, expected: &str) -> ExtractOutcome {
    let harness = Harness::new().with_guest(guest).with_guest("good");
    let plugins = harness.load();
    let hostile = plugins
        .handle(&guest.replace('_', "-"))
        .unwrap_or_else(|| panic!("{:?}", plugins.list()));
    let good = plugins.handle("good").unwrap();
    let source = harness.source(&vec![b'm'; 3 << 20]);
    let mut worker = plugins.worker();
    let (cpu_before, wall_before) = (cpu(), Instant::now());
    let outcome = worker.extract(&hostile, &source);
    let (used, passed) = (cpu() - cpu_before, wall_before.elapsed());
    assert_eq!(code(&outcome), expected, "{outcome:?}");
    assert!(used <= TIME + LATE, "{guest} used {used:?} of the processor");
    // On a busy machine the deadline is extended once by the missing CPU time.
    assert!(passed <= 2 * TIME + 10 * LATE, "{guest} took {passed:?}");
    assert_eq!(title(worker.extract(&good, &source)), "ok");
    assert_eq!(code(&worker.extract(&hostile, &source)), expected);
    drop(worker);
    let stats = hostile.status().stats.unwrap();
    assert_eq!(stats.calls, 2);
    assert!(stats.max_memory <= 64 << 20, "{stats:?}");
    outcome
}

#[covers("T38")]
#[test]
fn endless_loop_is_stopped_at_its_deadline() {
    stopped_with("endless_loop", "timeout").unwrap_err();
}

#[test]
fn endless_loop_of_long_instructions_is_stopped_at_its_deadline() {
    stopped_with("endless_fill", "timeout").unwrap_err();
}

#[test]
fn endless_start_is_stopped_while_loading_and_other_plugins_load() {
    let harness = Harness::new().with_guest("endless_start").with_guest("good");
    let before = Instant::now();
    let plugins = harness.load();
    assert!(
        before.elapsed() < Duration::from_secs(5),
        "{:?}",
        before.elapsed()
    );
    let state = plugins.list().remove(0).state;
    assert!(
        matches!(&state, PluginState::Failed { reason } if reason.contains("stopped after 0.5s")),
        "{state:?}"
    );
    assert!(plugins.handle("good").unwrap().is_active());
}

#[test]
fn deep_recursion_ends_as_a_trap() {
    let failure = stopped_with("deep_recursion", "trap").unwrap_err();
    assert!(failure.to_string().contains("call stack exhausted"), "{failure}");
}

#[covers("T38")]
#[test]
fn memory_beyond_the_limit_is_rejected() {
    stopped_with("memory_hog", "out_of_memory").unwrap_err();
}

#[test]
fn memory_beyond_the_limit_is_rejected_even_if_all_of_it_is_used() {
    stopped_with("memory_fill", "out_of_memory").unwrap_err();
}

#[covers("T42")]
#[test]
fn table_beyond_the_limit_is_rejected() {
    stopped_with("table_hog", "out_of_memory").unwrap_err();
}

#[covers("T42")]
#[test]
fn unreachable_ends_as_a_trap() {
    stopped_with("trap", "trap").unwrap_err();
}

#[test]
fn trap_after_a_panic_has_the_message_and_the_place() {
    let failure = stopped_with("panics", "trap").unwrap_err().to_string();
    assert!(
        failure.contains("panicked at src/lib.rs:3:5: out of range"),
        "{failure}"
    );
    assert!(failure.contains("executed in notes::extract)"), "{failure}");
    assert!(!failure.contains("panicking"), "{failure}");
}

#[test]
fn text_beyond_the_memory_is_bad_output() {
    stopped_with("huge_string", "bad_output").unwrap_err();
}

#[test]
fn text_of_thirty_megabytes_is_over_budget() {
    stopped_with("long_string", "budget").unwrap_err();
}

#[covers("T38")]
#[test]
fn million_fields_are_over_budget() {
    stopped_with("million_fields", "budget").unwrap_err();
}

#[test]
fn fields_that_share_one_long_text_are_over_budget() {
    stopped_with("shared_text", "budget").unwrap_err();
}

#[test]
fn text_that_is_not_utf8_is_bad_output() {
    stopped_with("invalid_utf8", "bad_output").unwrap_err();
}

#[test]
fn list_beyond_the_memory_is_bad_output() {
    stopped_with("list_out_of_range", "bad_output").unwrap_err();
}

#[covers("T42")]
#[test]
fn result_beyond_the_memory_is_bad_output() {
    stopped_with("answer_out_of_range", "bad_output").unwrap_err();
}

#[test]
fn endless_single_byte_reads_are_over_budget() {
    stopped_with("one_byte_reads", "budget").unwrap_err();
}

#[test]
fn reading_too_much_is_over_budget_even_if_the_guest_blames_the_file() {
    stopped_with("reads_everything", "budget").unwrap_err();
}

#[test]
fn unusual_reads_follow_the_interface() {
    let outcome = stopped_with("odd_reads", "none");
    assert_eq!(outcome, Ok(None));
}

#[covers("T42")]
#[test]
fn log_flood_is_over_budget() {
    stopped_with("log_flood", "budget").unwrap_err();
}

#[test]
fn rejecting_a_file_is_not_a_fault() {
    let outcome = stopped_with("by_first_byte", "refused");
    assert!(!outcome.unwrap_err().blames_plugin());
}

#[test]
fn file_that_cannot_be_read_is_not_the_plugins_fault() {
    let harness = Harness::new().with_guest("reads_everything");
    let plugins = harness.load();
    // A directory can be opened like a file and fails when read.
    let file = fs::File::open(harness.dir.path()).unwrap();
    let source = Arc::new(SourceFile::new(file, "x", 100));
    let outcome = plugins
        .worker()
        .extract(&plugins.handle("reads-everything").unwrap(), &source);
    assert_eq!(code(&outcome), "io", "{outcome:?}");
}
