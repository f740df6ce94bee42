//! Tests of ids: text form, order, generator and lease.

use super::*;

#[test]
fn id_text_round_trips_and_sorts_like_the_number() {
    let numbers = [0, 1, 31, 32, 1 << 40, i64::MAX];
    let texts: Vec<String> = numbers.iter().map(|&n| UserId::from(n).to_string()).collect();
    assert!(texts.is_sorted());
    for (text, number) in texts.iter().zip(numbers) {
        assert_eq!(text.parse::<UserId>().map(UserId::get), Ok(number));
    }
}

#[test]
fn subtitle_id_round_trips_and_rejects_other_texts() {
    let source = VideoSourceId::from(5);
    for id in [
        SubtitleId::of_file(source, "é.srt"),
        SubtitleId::of_stream(source, 2),
    ] {
        let text = id.to_string();
        assert_eq!((text.len(), text.parse()), (26, Ok(id)));
        assert_eq!(text[..13].parse::<SubtitleId>(), Err(InvalidId));
    }
    for text in [
        "",
        "0000000000001",
        "000000000000é0000000000001",
        "00000000000010000000000001-",
    ] {
        assert_eq!(text.parse::<SubtitleId>(), Err(InvalidId), "{text}");
    }
}

#[test]
fn id_parse_rejects_other_texts() {
    for text in [
        "",
        "1",
        "0000000000000000",
        "000000000000l",
        "zzzzzzzzzzzzz",
        "0000000000000é",
    ] {
        assert_eq!(text.parse::<UserId>(), Err(InvalidId), "{text}");
    }
}

#[test]
fn generator_is_monotonic_when_the_clock_steps_back() {
    let generator = IdGenerator::new(7);
    let first: UserId = generator.next(Timestamp::from_millis(2_000));
    let second: UserId = generator.next(Timestamp::from_millis(1_000));
    assert!(second > first);
    assert_eq!(first.created_at().millis(), 2_000);
}

#[test]
fn generators_of_two_nodes_never_create_the_same_id() {
    let (one, other) = (IdGenerator::new(7), IdGenerator::new(8));
    let now = Timestamp::from_millis(1_000);
    let mut seen = std::collections::HashSet::new();
    // Enough ids to fill the counters of several milliseconds.
    for _ in 0..3 << NODE_COUNTER_BITS {
        for generator in [&one, &other] {
            let id: UserId = generator.next(now);
            assert!(seen.insert(id.get()), "{id}");
        }
    }
    assert_eq!(one.last_moment().millis(), 1_002);
}

#[test]
fn ids_are_covered_by_a_lease_until_its_end() {
    let ids = IdGenerator::leased(7, Timestamp::from_millis(2_000));
    let _: UserId = ids.next(Timestamp::from_millis(1_999));
    assert!(ids.is_covered());
    let _: UserId = ids.next(Timestamp::from_millis(2_000));
    assert!(!ids.is_covered());
    ids.extend(Timestamp::from_millis(3_000));
    assert!(ids.is_covered());
}
