//! Decodes JPEG, at an eighth, a quarter or half of its size if that is large enough.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use jpeg_decoder::{Decoder, Error, PixelFormat};
use memchr::memmem;
use picture::container::jpeg::{Frame, frame};
use svc_plugin_api::{ExtractError, Source};

use crate::limits::{check_memory, check_size};
use crate::raster::{Layout, Raster, Wanted};

/// The most scans of a picture. Encoders write at most a dozen; each scan covers all blocks, so thousands are an
/// attack.
const MAX_SCANS: usize = 64;

/// The marker of a scan.
const SCAN: [u8; 2] = [0xff, 0xda];

/// Decodes the JPEG in this range of the file.
pub(crate) fn decode(
    source: &mut Source,
    offset: u64,
    length: u64,
    wanted: Wanted<'_>,
) -> Result<Raster, ExtractError> {
    let frame = frame(source, offset)?
        .ok_or_else(|| ExtractError::invalid(Some(offset), "a JPEG without a frame"))?;
    let (width, height) = (u32::from(frame.width), u32::from(frame.height));
    check_size(width, height)?;
    source.seek(SeekFrom::Start(offset))?;
    // End of image: a truncated file is decoded up to its end, and the rest of the picture is gray.
    let end: &[u8] = &[0xff, 0xd9];
    let reader = BufReader::new(Scans::new(source.take(length).chain(end)));
    let mut decoder = Decoder::new(Bytes(reader));
    let (wanted_width, wanted_height) = wanted(width, height);
    let narrow = |side: u32| u16::try_from(side).unwrap_or(u16::MAX);
    let (width, height) = decoder
        .scale(narrow(wanted_width), narrow(wanted_height))
        .map_err(failure)?;
    check_memory(memory(&frame, width, height))?;
    let pixels = decoder.decode().map_err(failure)?;
    let format = decoder
        .info()
        .map_or(PixelFormat::RGB24, |info| info.pixel_format);
    let (layout, pixels) = match format {
        PixelFormat::L8 => (Layout::Gray, pixels),
        PixelFormat::RGB24 => (Layout::Rgb, pixels),
        PixelFormat::L16 => (Layout::Gray, high_bytes(&pixels)),
        PixelFormat::CMYK32 => (Layout::Rgb, from_cmyk(pixels)),
    };
    Raster::new(width.into(), height.into(), layout, pixels)
}

/// Bytes that decoding needs: planes, their interleaved copy, and for progressive coding all coefficients.
fn memory(frame: &Frame, width: u16, height: u16) -> u64 {
    let decoded = u64::from(width) * u64::from(height) * frame.sampling.len() as u64;
    if !frame.is_progressive {
        return 2 * decoded;
    }
    let largest = |factor: fn(&(u8, u8)) -> u8| {
        let factors = frame.sampling.iter().map(factor);
        u64::from(factors.max().unwrap_or(1).max(1))
    };
    let (most_wide, most_high) = (largest(|factors| factors.0), largest(|factors| factors.1));
    let units =
        u64::from(frame.width).div_ceil(8 * most_wide) * u64::from(frame.height).div_ceil(8 * most_high);
    let blocks: u64 = frame
        .sampling
        .iter()
        .map(|(wide, high)| units * u64::from(*wide) * u64::from(*high))
        .sum();
    2 * decoded + 128 * blocks
}

/// The higher byte of each 16-bit sample.
fn high_bytes(pixels: &[u8]) -> Vec<u8> {
    let (pairs, _) = pixels.as_chunks::<2>();
    let high = |pair: &[u8; 2]| u16::from_ne_bytes(*pair).to_be_bytes()[0];
    pairs.iter().map(high).collect()
}

/// Converts CMYK to RGB in place.
fn from_cmyk(mut pixels: Vec<u8>) -> Vec<u8> {
    let count = pixels.len() / 4;
    for index in 0..count {
        let Some([cyan, magenta, yellow, black]) = pixels
            .get(4 * index..)
            .and_then(|rest| rest.first_chunk::<4>())
            .copied()
        else {
            break;
        };
        let light = |ink: u8| {
            let product = u32::from(255 - ink) * u32::from(255 - black);
            u8::try_from((product + 127) / 255).unwrap_or(u8::MAX)
        };
        if let Some(pixel) = pixels.get_mut(3 * index..3 * index + 3) {
            pixel.copy_from_slice(&[light(cyan), light(magenta), light(yellow)]);
        }
    }
    pixels.truncate(3 * count);
    pixels
}

fn failure(error: Error) -> ExtractError {
    match error {
        Error::Unsupported(what) => ExtractError::Unsupported(format!("a JPEG with {what:?}")),
        Error::Io(error) => error.into(),
        other => ExtractError::invalid(None, other.to_string()),
    }
}

/// Fast reads of single bytes: the decoder reads byte by byte, and [`BufReader::read_exact`] is not inlined there.
struct Bytes<R>(BufReader<R>);

impl<R: Read> Read for Bytes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }

    #[inline]
    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        if let ([wanted], Some(byte)) = (&mut *buffer, self.0.buffer().first()) {
            *wanted = *byte;
            self.0.consume(1);
            return Ok(());
        }
        self.0.read_exact(buffer)
    }
}

/// Counts scans as they are read. Data within a scan never contains the marker; that of a thumbnail in a header is
/// counted too.
struct Scans<R> {
    reader: R,
    last: Option<u8>,
    scans: usize,
}

impl<R> Scans<R> {
    fn new(reader: R) -> Self {
        Self {
            reader,
            last: None,
            scans: 0,
        }
    }
}

impl<R: Read> Read for Scans<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        let bytes = buffer.get(..length).unwrap_or_default();
        let across = self.last == Some(SCAN[0]) && bytes.first() == Some(&SCAN[1]);
        self.scans += memmem::find_iter(bytes, &SCAN).count() + usize::from(across);
        self.last = bytes.last().copied().or(self.last);
        if self.scans > MAX_SCANS {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("a JPEG with more than {MAX_SCANS} scans"),
            ));
        }
        Ok(length)
    }
}
