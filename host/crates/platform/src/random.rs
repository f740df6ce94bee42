//! Random bytes, passed in like the clock, so that tests can fix them.

use std::io;

use data_encoding::HEXLOWER;

/// A source of unguessable bytes.
pub trait Random: Send + Sync + std::fmt::Debug {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// If the machine has none to give; nothing secret may be made then.
    fn fill(&self, bytes: &mut [u8]) -> io::Result<()>;
}

/// The operating system's generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let filled = rustix::rand::getrandom(&mut *rest, rustix::rand::GetRandomFlags::empty())?;
            rest = rest.get_mut(filled..).unwrap_or_default();
        }
        Ok(())
    }
}

/// Sixteen random bytes as 32 lower-case hexadecimal digits.
///
/// # Errors
/// As [`Random::fill`].
pub fn random_hex(random: &dyn Random) -> io::Result<String> {
    let mut bytes = [0; 16];
    random.fill(&mut bytes)?;
    Ok(HEXLOWER.encode(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_random_fills_every_byte_and_never_twice_alike() {
        let (first, second) = (
            random_hex(&SystemRandom).unwrap(),
            random_hex(&SystemRandom).unwrap(),
        );
        assert_eq!(first.len(), 32);
        assert_ne!(first, second);
    }
}
