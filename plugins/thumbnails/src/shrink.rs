//! Reduces a picture by a whole number while its rows are decoded, so that pictures of 100 megapixels fit into
//! memory.

use svc_plugin_api::ExtractError;

use crate::limits::check_memory;
use crate::raster::{Layout, Raster, multiply_alpha};

/// Averages squares of pixels.
pub(crate) struct Shrinker {
    layout: Layout,
    width: usize,
    height: usize,
    /// The side of a square in pixels.
    factor: usize,
    /// Sums of the current row of squares, and the number of rows in them.
    sums: Vec<u32>,
    rows: usize,
    pixels: Vec<u8>,
    new_width: usize,
    new_height: usize,
}

impl Shrinker {
    /// A shrinker for a picture that is requested in this size. The result is at least twice as large, so that
    /// scaling can filter it.
    pub(crate) fn new(
        width: u32,
        height: u32,
        layout: Layout,
        (wanted_width, wanted_height): (u32, u32),
    ) -> Result<Self, ExtractError> {
        let ratio = (width / wanted_width.max(1)).min(height / wanted_height.max(1));
        let factor = (ratio / 2).max(1);
        let (new_width, new_height) = (width.div_ceil(factor), height.div_ceil(factor));
        let bytes = u64::from(new_width) * u64::from(new_height) * layout.channels() as u64;
        check_memory(bytes)?;
        let new_width = new_width as usize;
        Ok(Self {
            layout,
            width: width as usize,
            height: height as usize,
            factor: factor as usize,
            sums: vec![0; new_width * layout.channels()],
            rows: 0,
            pixels: Vec::with_capacity(usize::try_from(bytes).unwrap_or(0)),
            new_width,
            new_height: new_height as usize,
        })
    }

    pub(crate) fn add(&mut self, row: &[u8]) {
        if self.factor == 1 {
            self.pixels.extend_from_slice(row);
            return;
        }
        let channels = self.layout.channels();
        let mut multiplied;
        let row = if self.layout == Layout::Rgba {
            multiplied = row.to_vec();
            multiply_alpha(&mut multiplied);
            &multiplied
        } else {
            row
        };
        let squares = row.chunks(self.factor * channels);
        for (sums, square) in self.sums.chunks_mut(channels).zip(squares) {
            for pixel in square.chunks(channels) {
                for (sum, value) in sums.iter_mut().zip(pixel) {
                    *sum += u32::from(*value);
                }
            }
        }
        self.rows += 1;
        if self.rows == self.factor {
            self.write_row();
        }
    }

    fn write_row(&mut self) {
        let channels = self.layout.channels();
        let start = self.pixels.len();
        let last = self.new_width.saturating_sub(1);
        for (index, sums) in self.sums.chunks_mut(channels).enumerate() {
            // The edge may cut the last square.
            let columns = if index == last {
                self.width - last * self.factor
            } else {
                self.factor
            };
            let count = u32::try_from(columns * self.rows).unwrap_or(u32::MAX).max(1);
            for sum in sums {
                self.pixels
                    .push(u8::try_from((*sum + count / 2) / count).unwrap_or(u8::MAX));
                *sum = 0;
            }
        }
        self.rows = 0;
        if self.layout == Layout::Rgba
            && let Some(row) = self.pixels.get_mut(start..)
        {
            let mut row_raster = Raster {
                width: 0,
                height: 1,
                layout: self.layout,
                pixels: row.to_vec(),
            };
            row_raster.divide_alpha();
            row.copy_from_slice(&row_raster.pixels);
        }
    }

    /// The picture. Missing rows are black or transparent.
    pub(crate) fn finish(mut self) -> Result<Raster, ExtractError> {
        if self.rows > 0 {
            self.write_row();
        }
        let bytes = self.new_width * self.new_height * self.layout.channels();
        self.pixels.resize(bytes, 0);
        let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
        debug_assert!(self.new_height * self.factor >= self.height);
        Raster::new(
            side(self.new_width),
            side(self.new_height),
            self.layout,
            self.pixels,
        )
    }
}
