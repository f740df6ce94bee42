//! Comparisons with what independent tools read from real files.
