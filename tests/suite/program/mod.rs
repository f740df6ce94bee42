//! The real program, as its user meets it.

mod commands;
mod events;
mod kill;
mod limits;
mod refusals;
mod serve;
mod user;
