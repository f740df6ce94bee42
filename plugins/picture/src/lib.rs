//! The headers of picture files: format, dimensions, EXIF, and embedded JPEGs.
//!
//! [`container`] detects the format and reads the headers that lead to dimensions and EXIF, and nothing else.
//! [`exif`] parses the EXIF block with kamadak-exif and converts its fields to those of the contract.

pub mod container;
pub mod exif;
