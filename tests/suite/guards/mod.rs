//! Rules for the source.

mod assertions;
mod contracts;
mod coverage;
mod dependencies;
mod layers;
mod tidy;
