//! The reference cloud as a process: its protocol page, rules, pages and failure switches, and the server with it.

mod accounts;
mod invitations;
mod operating;
mod pages;
mod protocol;
mod releases;
mod server;
mod switches;
