//! What picture files say in their headers: kind, dimensions, EXIF, and where an embedded JPEG lies.
//!
//! [`container`] finds out what a file is and walks its headers to the dimensions and to the EXIF block; only
//! those bytes are read. [`exif`] gives the block to kamadak-exif and turns its fields into the contract's keys.

pub mod container;
pub mod exif;
