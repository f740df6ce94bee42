//! Decoded pixels: size, layouts, alpha and orientation.

use svc_plugin_api::ExtractError;

/// The largest size that is requested for a picture of this width and height.
pub(crate) type Wanted<'a> = &'a dyn Fn(u32, u32) -> (u32, u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Gray,
    Rgb,
    /// Straight alpha, except between [`Raster::multiply_alpha`] and [`Raster::divide_alpha`].
    Rgba,
}

impl Layout {
    pub(crate) fn channels(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }
}

/// Rows from top to bottom, without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raster {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) layout: Layout,
    pub(crate) pixels: Vec<u8>,
}

impl Raster {
    /// Fails if the number of bytes does not match the size.
    pub(crate) fn new(
        width: u32,
        height: u32,
        layout: Layout,
        pixels: Vec<u8>,
    ) -> Result<Self, ExtractError> {
        let bytes = u64::from(width) * u64::from(height) * layout.channels() as u64;
        if bytes == 0 || bytes != pixels.len() as u64 {
            return Err(ExtractError::invalid(
                None,
                format!("{} bytes for {width} x {height} pixels", pixels.len()),
            ));
        }
        Ok(Self {
            width,
            height,
            layout,
            pixels,
        })
    }

    /// Drops alpha if every pixel is opaque.
    pub(crate) fn without_idle_alpha(mut self) -> Self {
        if self.layout != Layout::Rgba || self.pixels.iter().skip(3).step_by(4).any(|alpha| *alpha != 255) {
            return self;
        }
        let count = self.pixels.len() / 4;
        for index in 1..count {
            self.pixels.copy_within(4 * index..4 * index + 3, 3 * index);
        }
        self.pixels.truncate(3 * count);
        self.layout = Layout::Rgb;
        self
    }

    /// Premultiplies colors, so that transparent pixels do not affect their neighbors when they are mixed.
    pub(crate) fn multiply_alpha(&mut self) {
        if self.layout == Layout::Rgba {
            multiply_alpha(&mut self.pixels);
        }
    }

    /// Reverts [`Self::multiply_alpha`].
    ///
    /// The scaling library's SIMD version of this is wrong with Rust 1.95 and 1.96 (rust-lang/rust#157456).
    pub(crate) fn divide_alpha(&mut self) {
        if self.layout != Layout::Rgba {
            return;
        }
        for [r, g, b, a] in self.pixels.as_chunks_mut::<4>().0 {
            let alpha = u32::from(*a);
            if alpha == 0 || alpha == 255 {
                continue;
            }
            for color in [r, g, b] {
                let divided = (u32::from(*color) * 255 + alpha / 2) / alpha;
                *color = u8::try_from(divided).unwrap_or(u8::MAX);
            }
        }
    }

    /// Applies an EXIF orientation, 1 to 8.
    pub(crate) fn oriented(self, orientation: u8) -> Self {
        let (width, height) = (self.width as usize, self.height as usize);
        let last = |side: usize| side.saturating_sub(1);
        let (right, bottom) = (last(width), last(height));
        match orientation {
            2 => self.moved(false, |x, y| (right - x, y)),
            3 => self.moved(false, |x, y| (right - x, bottom - y)),
            4 => self.moved(false, |x, y| (x, bottom - y)),
            5 => self.moved(true, |x, y| (y, x)),
            6 => self.moved(true, |x, y| (y, bottom - x)),
            7 => self.moved(true, |x, y| (right - y, bottom - x)),
            8 => self.moved(true, |x, y| (right - y, x)),
            _ => self,
        }
    }

    /// A picture with the pixels of this one, where `from` maps each position to the position in this picture.
    /// Transposed if `is_turned`.
    fn moved(self, is_turned: bool, from: impl Fn(usize, usize) -> (usize, usize)) -> Self {
        let (width, height) = if is_turned {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        };
        let channels = self.layout.channels();
        let old_width = self.width as usize;
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for y in 0..height as usize {
            for x in 0..width as usize {
                let (x, y) = from(x, y);
                let start = (y * old_width + x) * channels;
                pixels.extend_from_slice(self.pixels.get(start..start + channels).unwrap_or_default());
            }
        }
        Self {
            width,
            height,
            pixels,
            ..self
        }
    }
}

/// Premultiplies the colors of RGBA pixels.
pub(crate) fn multiply_alpha(pixels: &mut [u8]) {
    for [r, g, b, a] in pixels.as_chunks_mut::<4>().0 {
        if *a == 255 {
            continue;
        }
        let alpha = u32::from(*a);
        for color in [r, g, b] {
            *color = u8::try_from((u32::from(*color) * alpha + 127) / 255).unwrap_or(u8::MAX);
        }
    }
}
