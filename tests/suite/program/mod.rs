//! Tests of the real program.

mod clients;
mod commands;
mod doctor;
mod events;
mod foreign_archives;
mod http2;
mod index;
mod jobs;
mod kill;
mod limits;
mod museum;
mod oidc;
mod plugin_kit;
mod plugin_management;
mod plugins;
mod ranges;
mod refusals;
mod rights;
mod serve;
mod storage;
mod streams;
mod user;
mod watch;
mod waveforms;
