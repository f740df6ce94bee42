//! The indexer's pipeline; `README.md` beside this file tells its phases and what holds.

mod control;
mod diff;
mod extract;
mod persist;
mod progress;
mod roots;
mod run;
mod settle;
mod walk;

pub use control::{Effect, Phase, Refused, ScanControl};
pub use progress::Progress;
pub use run::{ScanEnd, ScanError, Scanner};
pub use walk::is_ignored;
