//! The real program, as its user meets it.

mod commands;
mod events;
mod jobs;
mod kill;
mod library;
mod limits;
mod refusals;
mod serve;
mod user;
