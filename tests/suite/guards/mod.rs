//! Rules that the source itself must keep.

mod assertions;
mod contracts;
mod coverage;
mod dependencies;
mod layers;
mod tidy;
