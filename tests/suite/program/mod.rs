//! The real program, as its user meets it.

mod clients;
mod commands;
mod events;
mod jobs;
mod kill;
mod library;
mod limits;
mod ranges;
mod refusals;
mod serve;
mod user;
mod waveforms;
