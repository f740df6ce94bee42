//! Reads of a source in any order, at its ends, and from a failing storage.

use super::*;

fn numbers(length: u32) -> Vec<u8> {
    (0..length).map(|number| (number % 251) as u8).collect()
}

#[test]
fn source_read_in_any_order_gives_the_same_bytes() {
    let bytes = numbers(200_000);
    let mut source = Source::from_bytes("a", bytes.clone());
    for step in 0..5000_u64 {
        let offset = (step * 7_919) % 200_100;
        let length = (step % 300) as usize;
        let start = (offset as usize).min(bytes.len());
        let expected = &bytes[start..(start + length).min(bytes.len())];
        assert_eq!(source.bytes_at(offset, length).unwrap(), expected);
        assert_eq!(
            source.slice_at(offset, length, &mut Vec::new()).unwrap(),
            expected
        );
        source.seek(SeekFrom::Start(offset)).unwrap();
        let mut read = Vec::new();
        source
            .by_ref()
            .take(length as u64)
            .read_to_end(&mut read)
            .unwrap();
        assert_eq!(read, expected);
    }
}

#[test]
fn source_head_and_tail_cost_two_reads() {
    let mut source = Source::from_bytes("a", numbers(1_000_000));
    for _ in 0..10 {
        source.bytes_at(0, 100).unwrap();
        source.bytes_at(999_000, 1000).unwrap();
        source.bytes_at(20_000, 100).unwrap();
    }
    assert_eq!(source.host_reads(), 2);
}

#[test]
fn source_beyond_the_end_is_empty() {
    let mut source = Source::from_bytes("a", numbers(10));
    assert_eq!(source.bytes_at(u64::MAX, usize::MAX).unwrap(), []);
    assert_eq!(source.bytes_at(9, usize::MAX).unwrap(), [9]);
    assert_eq!(source.array_at::<4>(8).unwrap(), None);
    source.seek(SeekFrom::Start(u64::MAX)).unwrap();
    assert_eq!(source.read(&mut [0; 4]).unwrap(), 0);
    assert!(source.seek(SeekFrom::End(-11)).is_err());
}

struct Failing;
impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> Result<usize> {
        Err(Error::other("disk on fire"))
    }
}
impl Seek for Failing {
    fn seek(&mut self, _: SeekFrom) -> Result<u64> {
        Ok(100)
    }
}

#[test]
fn source_failed_read_is_remembered_and_wins() {
    struct Careless;
    impl crate::Extractor for Careless {
        fn extract(
            source: &mut Source,
        ) -> std::result::Result<Option<crate::Extraction>, crate::ExtractError> {
            let _ = source.bytes_at(0, 10);
            Ok(None)
        }
    }
    let mut source = Source::from_reader("a", Failing).unwrap();
    let failure = crate::run::<Careless>(&mut source);
    assert_eq!(
        failure,
        Err(crate::ExtractError::Io(IoError::Failed("disk on fire".into())))
    );
}
