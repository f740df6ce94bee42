//! Tests of the password throttle with a paused clock.

use svc_covers::covers;

use super::*;

fn network(last: u8) -> ClientNetwork {
    ClientNetwork::from(Some(IpAddr::from([192, 0, 2, last])))
}

fn account(number: i64) -> Subject {
    Subject::Account(UserId::from(number))
}

fn throttle() -> LoginThrottle {
    LoginThrottle::new(LoginLimits::default())
}

/// How many of `tries` attempts begin.
fn begun(throttle: &LoginThrottle, tries: usize, user: i64, address: impl Fn(usize) -> u8) -> usize {
    (0..tries)
        .filter(|number| {
            throttle
                .begin(Some(account(user)), network(address(*number)), false)
                .is_ok()
        })
        .count()
}

#[tokio::test(start_paused = true)]
async fn wrong_passwords_are_throttled_from_one_address_and_from_many() {
    assert_eq!(begun(&throttle(), 1000, 1, |_| 1), 20);
    assert_eq!(begun(&throttle(), 1000, 1, |number| number as u8), 40);
}

#[tokio::test(start_paused = true)]
async fn unknown_usernames_are_throttled_like_accounts() {
    let throttle = throttle();
    let begin = |number| {
        throttle
            .begin(Some(Subject::Name(7)), network(number), false)
            .is_ok()
    };
    assert_eq!((0..1000).filter(|_| begin(1)).count(), 20);
    assert_eq!((0..1000).filter(|number| begin(*number as u8)).count(), 20);
}

#[tokio::test(start_paused = true)]
async fn logins_without_a_username_are_throttled_by_address() {
    let throttle = throttle();
    let begun = (0..500)
        .filter(|_| throttle.begin(None, network(1), false).is_ok())
        .count();
    assert_eq!(begun, 100);
}

#[tokio::test(start_paused = true)]
async fn correct_passwords_consume_no_tokens() {
    let throttle = throttle();
    for _ in 0..500 {
        throttle
            .begin(Some(account(1)), network(1), false)
            .unwrap()
            .refund_all();
    }
    assert_eq!(begun(&throttle, 100, 1, |_| 1), 20);
}

#[tokio::test(start_paused = true)]
async fn concurrent_correct_passwords_wait_and_wrong_ones_are_throttled() {
    let throttle = throttle();
    for right in [true, false] {
        let mut tries = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let throttle = throttle.clone();
            tries.spawn(async move {
                let Ok(attempt) = throttle.begin_in_turn(Some(account(1)), network(1), false).await else {
                    return false;
                };
                tokio::time::sleep(Duration::from_millis(10)).await;
                if right {
                    attempt.refund_all();
                }
                true
            });
        }
        let begun = tries.join_all().await.into_iter().filter(|begun| *begun).count();
        assert_eq!(begun, if right { 200 } else { 20 });
    }
}

#[tokio::test(start_paused = true)]
async fn buckets_refill_with_time_and_report_the_wait() {
    let throttle = throttle();
    begun(&throttle, 20, 1, |_| 1);
    let wait = throttle.begin(Some(account(1)), network(1), false).unwrap_err();
    assert_eq!(wait, Duration::from_secs(10));
    tokio::time::advance(wait).await;
    assert_eq!(begun(&throttle, 5, 1, |_| 1), 1);
}

#[tokio::test(start_paused = true)]
async fn known_address_is_admitted_while_others_are_throttled() {
    let throttle = throttle();
    begun(&throttle, 1000, 1, |number| number as u8 % 100 + 100);
    let user = Some(account(1));
    assert!(throttle.begin(user, network(1), false).is_err());
    assert!(throttle.begin(user, network(1), true).is_ok());
}

#[covers("T18")]
#[tokio::test(start_paused = true)]
async fn hundred_consecutive_failures_slow_the_refill() {
    let throttle = throttle();
    let user = Some(account(1));
    for number in 0..100 {
        tokio::time::advance(Duration::from_secs(60)).await;
        let _counted = throttle.begin(user, network(number), false).unwrap();
    }
    let more = (100..200).filter(|number| throttle.begin(user, network(*number), false).is_ok());
    assert!(more.count() <= 40, "slower, with no burst on the way");
    tokio::time::advance(Duration::from_secs(120)).await;
    assert!(
        throttle.begin(user, network(201), false).is_err(),
        "one in 10 minutes"
    );
    tokio::time::advance(Duration::from_secs(600)).await;
    assert!(throttle.begin(user, network(201), false).is_ok());
    // The owner signs in from a known address and is not throttled.
    throttle.begin(user, network(1), true).unwrap().refund_all();
    tokio::time::advance(Duration::from_secs(120)).await;
    assert!(throttle.begin(user, network(202), false).is_ok());
}

#[tokio::test(start_paused = true)]
async fn unknown_username_slows_down_like_an_account() {
    for subject in [account(1), Subject::Name(1)] {
        let throttle = throttle();
        for number in 0..100 {
            tokio::time::advance(Duration::from_secs(60)).await;
            let _counted = throttle.begin(Some(subject), network(number), false).unwrap();
        }
        let more = (100..200).filter(|number| throttle.begin(Some(subject), network(*number), false).is_ok());
        assert_eq!(more.count(), 39, "{subject:?}");
        tokio::time::advance(Duration::from_secs(120)).await;
        assert!(
            throttle.begin(Some(subject), network(201), false).is_err(),
            "{subject:?}"
        );
    }
}

#[test]
fn ipv6_network_shares_one_bucket() {
    let of = |text: &str| ClientNetwork::from(Some(text.parse().unwrap()));
    assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
    assert_ne!(of("2001:db8:0:1::1"), of("2001:db8:0:2::1"));
    assert_eq!(of("::ffff:192.0.2.1"), network(1));
}
