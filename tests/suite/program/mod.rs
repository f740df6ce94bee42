//! The real program, as its user meets it.

mod commands;
mod events;
mod kill;
mod library;
mod limits;
mod refusals;
mod serve;
mod user;
mod waveforms;
