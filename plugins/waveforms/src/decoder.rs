//! The decoders' interface, and the blocks that they decode.

use svc_plugin_api::ExtractError;

/// Decoded frames: one vector per channel, all of the same length. Full scale is 1.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) planes: Vec<Vec<f32>>,
    /// Whether packets were damaged, so that frames are missing.
    pub(crate) is_broken: bool,
}

impl Block {
    pub(crate) fn frames(&self) -> usize {
        self.planes.iter().map(Vec::len).min().unwrap_or_default()
    }

    /// Removes all frames and sets the number of channels.
    pub(crate) fn clear(&mut self, channels: usize) {
        self.planes.resize_with(channels, Vec::new);
        self.planes.iter_mut().for_each(Vec::clear);
        self.is_broken = false;
    }

    /// Removes all frames and marks the block as damaged.
    pub(crate) fn set_broken(&mut self) {
        self.planes.iter_mut().for_each(Vec::clear);
        self.is_broken = true;
    }

    /// Adds interleaved samples.
    pub(crate) fn push_interleaved(&mut self, samples: impl IntoIterator<Item = f32>) {
        let mut samples = samples.into_iter();
        loop {
            for plane in &mut self.planes {
                let Some(sample) = samples.next() else { return };
                plane.push(sample);
            }
            if self.planes.is_empty() {
                return;
            }
        }
    }

    /// Removes frames at the start.
    pub(crate) fn drop_front(&mut self, frames: usize) {
        for plane in &mut self.planes {
            plane.drain(..frames.min(plane.len()));
        }
    }

    /// Keeps only this many frames at the start.
    pub(crate) fn truncate(&mut self, frames: usize) {
        for plane in &mut self.planes {
            plane.truncate(frames);
        }
    }
}

/// Decodes a file from start to end.
pub(crate) trait Decoder {
    /// In hertz.
    fn sample_rate(&self) -> u32;

    /// The number of frames according to the file, which may be wrong.
    fn expected_frames(&self) -> Option<u64>;

    /// Replaces the block by the next frames; false at the end. An empty block is not the end.
    fn next(&mut self, block: &mut Block) -> Result<bool, ExtractError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_takes_interleaved_samples_apart() {
        let mut block = Block::default();
        block.clear(2);
        block.push_interleaved([1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(block.planes, [vec![1.0, 3.0, 5.0], vec![2.0, 4.0]]);
        assert_eq!(block.frames(), 2);
        block.drop_front(1);
        block.truncate(1);
        assert_eq!(block.planes, [vec![3.0], vec![4.0]]);
        block.clear(0);
        block.push_interleaved([1.0]);
        assert_eq!(block.frames(), 0);
    }
}
