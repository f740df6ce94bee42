//! The reference cloud as a process: its protocol page, its rules, its pages, its failure switches.

mod accounts;
mod invitations;
mod operating;
mod pages;
mod protocol;
mod releases;
// mod server;
mod switches;
