//! Tests of the real program.

mod clients;
mod commands;
mod events;
mod http2;
mod jobs;
mod kill;
mod library;
mod limits;
mod ranges;
mod refusals;
mod rights;
mod serve;
mod storage;
mod streams;
mod user;
mod watch;
mod waveforms;
