//! Random bytes from a source that is a parameter, so that tests can fix them.

use std::io;

use data_encoding::HEXLOWER;

/// A source of cryptographically secure random bytes.
pub trait Random: Send + Sync + std::fmt::Debug {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// The system has no random bytes; no secret may be created then.
    fn fill(&self, bytes: &mut [u8]) -> io::Result<()>;
}

/// The generator of the operating system.
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
    fn system_random_fills_every_byte_and_differs_each_time() {
        let (first, second) = (
            random_hex(&SystemRandom).unwrap(),
            random_hex(&SystemRandom).unwrap(),
        );
        assert_eq!(first.len(), 32);
        assert_ne!(first, second);
    }
}
