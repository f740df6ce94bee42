//! The frame header of MPEG audio.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    /// The bits of version, layer and sample rate, which are the same in all frames of a stream.
    fixed: u32,
    layer: u32,
    /// kbit/s.
    pub(super) bitrate: u32,
    pub(super) sample_rate: u32,
    pub(super) channels: u32,
    /// Per channel.
    pub(super) samples: u32,
    /// Bytes, including the header.
    pub(super) length: u32,
    /// The offset of the encoder's header in the frame.
    pub(super) side_info: usize,
}

/// kbit/s for the indices 1 to 14 of version 1, layers 1 to 3.
const BITRATES_1: [[u32; 14]; 3] = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
];
/// The same for versions 2 and 2.5: layer 1, and the other layers.
const BITRATES_2: [[u32; 14]; 2] = [
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const SAMPLE_RATES: [u32; 3] = [44_100, 48_000, 32_000];
/// Sync, version, layer and sample rate.
const FIXED: u32 = 0xfffe_0c00;

impl Frame {
    /// `None` if these bytes are not a header, or one of free format, whose length is unknown.
    pub(super) fn parse(bytes: [u8; 4]) -> Option<Self> {
        let header = u32::from_be_bytes(bytes);
        let field = |shift: u32, bits: u32| (header >> shift) & ((1 << bits) - 1);
        if field(21, 11) != 0x7ff {
            return None;
        }
        // Version 2.5, reserved, 2, 1.
        let divisor = match field(19, 2) {
            0 => 4,
            2 => 2,
            3 => 1,
            _ => return None,
        };
        let layer = 4_u32.checked_sub(field(17, 2)).filter(|layer| *layer < 4)?;
        let is_first = divisor == 1;
        let table = match (is_first, layer) {
            (true, layer) => BITRATES_1.get(layer as usize - 1)?,
            (false, 1) => BITRATES_2.first()?,
            (false, _) => BITRATES_2.last()?,
        };
        let bitrate = *table.get(field(12, 4).checked_sub(1)? as usize)?;
        let sample_rate = SAMPLE_RATES.get(field(10, 2) as usize)? / divisor;
        let is_mono = field(6, 2) == 3;
        let samples = match layer {
            1 => 384,
            3 if !is_first => 576,
            _ => 1152,
        };
        let padding = field(9, 1);
        let length = if layer == 1 {
            (12_000 * bitrate / sample_rate + padding) * 4
        } else {
            samples / 8 * 1000 * bitrate / sample_rate + padding
        };
        let side_info = match (is_first, is_mono) {
            (true, false) => 36,
            (true, true) | (false, false) => 21,
            (false, true) => 13,
        };
        Some(Self {
            fixed: header & FIXED,
            layer,
            bitrate,
            sample_rate,
            channels: if is_mono { 1 } else { 2 },
            samples,
            length,
            side_info,
        })
    }

    /// Whether both may belong to the same stream.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.fixed == other.fixed
    }

    pub(super) fn codec(&self) -> &'static str {
        match self.layer {
            1 => "mp1",
            2 => "mp2",
            _ => "mp3",
        }
    }
}
