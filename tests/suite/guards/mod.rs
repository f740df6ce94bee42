//! Rules that the source itself must keep.

mod assertions;
mod contracts;
mod dependencies;
mod layers;
mod rows;
mod tidy;
