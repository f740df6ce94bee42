//! Guards: rules of the source that hold for every commit.

mod assertions;
mod circles;
mod contracts;
mod coverage;
mod dependencies;
mod interface;
mod layers;
mod tidy;
