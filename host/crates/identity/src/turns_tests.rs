//! Tests of turns: who is called, who is sent away, and that no turn is lost.

use std::net::IpAddr;
use std::pin::Pin;

use futures_util::future::poll_immediate;

use super::*;

const LIMITS: TurnLimits = TurnLimits {
    turns: 1,
    places: 8,
    places_of_one: 6,
    patience: Duration::from_secs(2),
};

fn claimant(last: u8, known: bool) -> Claimant {
    Claimant {
        party: Party::from(Some(IpAddr::from([192, 0, 2, last]))),
        known,
    }
}

type Waiting<'a> = Pin<Box<dyn Future<Output = Result<Turn, TooMany>> + 'a>>;

/// Asks for a turn and stands in line.
async fn stand(turns: &Turns, claimant: Claimant) -> Waiting<'_> {
    let mut waiting: Waiting<'_> = Box::pin(turns.take(claimant));
    assert!(poll_immediate(&mut waiting).await.is_none());
    waiting
}

/// The names of the waiting in the order in which they get the turn; each gives it back at once.
async fn called<'a>(turn: Turn, waiting: Vec<(&'static str, Waiting<'a>)>) -> Vec<&'static str> {
    let (mut waiting, mut order) = (waiting, Vec::new());
    drop(turn);
    while !waiting.is_empty() {
        let mut got = None;
        for (at, (_, future)) in waiting.iter_mut().enumerate() {
            if let Some(turn) = poll_immediate(future).await {
                got = Some((at, turn.unwrap()));
                break;
            }
        }
        let (at, turn) = got.expect("a turn was lost");
        order.push(waiting.remove(at).0);
        drop(turn);
    }
    order
}

#[tokio::test]
async fn addresses_take_turns_however_many_each_has_waiting() {
    let turns = Turns::new(LIMITS);
    let turn = turns.take(claimant(1, false)).await.unwrap();
    let mut waiting = Vec::new();
    for (name, from) in [
        ("a", 1),
        ("a", 1),
        ("a", 1),
        ("b", 2),
        ("a", 1),
        ("c", 3),
        ("b", 2),
    ] {
        waiting.push((name, stand(&turns, claimant(from, false)).await));
    }
    assert_eq!(called(turn, waiting).await, ["a", "b", "c", "a", "b", "a", "a"]);
    assert!(!turns.all_taken());
}

#[tokio::test]
async fn known_addresses_have_every_second_turn() {
    let turns = Turns::new(LIMITS);
    let turn = turns.take(claimant(1, false)).await.unwrap();
    let mut waiting = Vec::new();
    for (name, from, known) in [
        ("a", 1, false),
        ("b", 2, false),
        ("c", 3, false),
        ("known", 4, true),
        ("known", 4, true),
    ] {
        waiting.push((name, stand(&turns, claimant(from, known)).await));
    }
    assert_eq!(called(turn, waiting).await, ["known", "a", "known", "b", "c"]);
}

#[tokio::test]
async fn full_line_sends_away_whoever_holds_most() {
    let turns = Turns::new(LIMITS);
    let _turn = turns.take(claimant(1, false)).await.unwrap();
    let mut flood = Vec::new();
    for _ in 0..LIMITS.places_of_one {
        flood.push(stand(&turns, claimant(1, false)).await);
    }
    // No more from there, though the line has places.
    assert_eq!(turns.take(claimant(1, false)).await.unwrap_err(), TooMany);
    let _others = [
        stand(&turns, claimant(2, false)).await,
        stand(&turns, claimant(3, false)).await,
    ];
    // The line is full: the newest of the flood makes room for the next, and for the one after.
    let mut newcomers = Vec::new();
    for (from, left) in [(4, 5), (5, 4)] {
        newcomers.push(stand(&turns, claimant(from, false)).await);
        let refused = flood.pop().unwrap().await;
        assert_eq!(refused.unwrap_err(), TooMany);
        assert_eq!(flood.len(), left);
        for waiting in &mut flood {
            assert!(poll_immediate(waiting).await.is_none());
        }
    }
    // A line of its own is not full of others.
    let _known = stand(&turns, claimant(6, true)).await;
}

#[tokio::test]
async fn line_of_many_addresses_with_one_each_is_full() {
    let turns = Turns::new(LIMITS);
    let turn = turns.take(claimant(100, false)).await.unwrap();
    let mut waiting = Vec::new();
    for from in 0..LIMITS.places as u8 {
        waiting.push(stand(&turns, claimant(from, false)).await);
    }
    assert_eq!(turns.take(claimant(50, false)).await.unwrap_err(), TooMany);
    drop(waiting);
    // Whoever goes away leaves nothing behind.
    let waiting = vec![("late", stand(&turns, claimant(50, false)).await)];
    assert_eq!(called(turn, waiting).await, ["late"]);
}

#[tokio::test]
async fn turn_of_one_who_left_when_called_goes_to_the_next() {
    let turns = Turns::new(LIMITS);
    let turn = turns.take(claimant(1, false)).await.unwrap();
    let leaves = stand(&turns, claimant(2, false)).await;
    let mut stays = stand(&turns, claimant(3, false)).await;
    drop(turn);
    // It was called, and did not hear of it.
    drop(leaves);
    let turn = poll_immediate(&mut stays).await.unwrap().unwrap();
    assert!(turns.all_taken());
    drop(turn);
    assert!(!turns.all_taken());
}

#[tokio::test(start_paused = true)]
async fn patience_ends() {
    let turns = Turns::new(LIMITS);
    let turn = turns.take(claimant(1, false)).await.unwrap();
    let mut waiting = stand(&turns, claimant(2, false)).await;
    tokio::time::advance(LIMITS.patience - Duration::from_millis(1)).await;
    assert!(poll_immediate(&mut waiting).await.is_none());
    tokio::time::advance(Duration::from_millis(2)).await;
    assert_eq!(waiting.await.unwrap_err(), TooMany);
    drop(turn);
    assert!(!turns.all_taken());
}
