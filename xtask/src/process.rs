//! Runs other programs: with their output shown or captured, and ended when Ctrl-C interrupts the command.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::workspace;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static CHILDREN: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// `cargo`, run in the root of the repository.
///
/// Not `$CARGO`: that is the compiler's own cargo, which does not know `+toolchain`.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(workspace::root());
    command
}

/// Runs a command with its output shown; a failure names the command.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", named(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", named(command));
    }
    Ok(())
}

/// Like [`run`], for use after [`hold_interrupts`]: Ctrl-C ends the program, which is then an error here.
pub(crate) fn run_supervised(command: &mut Command) -> Result<()> {
    if interrupted() {
        bail!("interrupted before {}", named(command));
    }
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {}", named(command)))?;
    let registered = register(&child);
    let status = child.wait()?;
    drop(registered);
    if !status.success() {
        bail!("{} failed ({status})", named(command));
    }
    Ok(())
}

/// Like [`run_supervised`]; shows each line of the output and calls `on_line` with it.
pub(crate) fn run_supervised_with_output(command: &mut Command, mut on_line: impl FnMut(&str)) -> Result<()> {
    if interrupted() {
        bail!("interrupted before {}", named(command));
    }
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", named(command)))?;
    let registered = register(&child);
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            on_line(&line);
        }
    }
    let status = child.wait()?;
    drop(registered);
    if !status.success() {
        bail!("{} failed ({status})", named(command));
    }
    Ok(())
}

/// Runs a command and returns what it printed on stdout; stderr is shown.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", named(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", named(command), output.status);
    }
    Ok(output.stdout)
}

/// Whether a command starts and succeeds; nothing is shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Looks a program up on the PATH.
pub(crate) fn on_path(program: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(program))
        .find(|candidate| candidate.is_file())
}

/// The command as it would be typed, for messages.
pub(crate) fn named(command: &Command) -> String {
    let arguments = command
        .get_args()
        .map(|argument| format!(" {}", argument.to_string_lossy()));
    format!(
        "`{}{}`",
        command.get_program().to_string_lossy(),
        arguments.collect::<String>()
    )
}

/// After this call, Ctrl-C and SIGTERM do not end xtask at once: SIGTERM is sent to the registered child processes, and
/// xtask continues in order to clean up.
pub(crate) fn hold_interrupts() -> Result<()> {
    static INSTALLED: Once = Once::new();
    let mut outcome = Ok(());
    INSTALLED.call_once(|| {
        outcome = ctrlc::set_handler(|| {
            INTERRUPTED.store(true, Ordering::SeqCst);
            for child in children().iter() {
                // It may have ended by itself, or by the terminal's own signal.
                let _ = kill_process(*child, Signal::TERM);
            }
        });
    });
    outcome.context("cannot watch for Ctrl-C")
}

/// Whether Ctrl-C was pressed since [`hold_interrupts`].
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// A child that receives SIGTERM on Ctrl-C, until this value is dropped.
pub(crate) struct Registered(Pid);

/// Registers a running child for [`hold_interrupts`].
pub(crate) fn register(child: &std::process::Child) -> Registered {
    let pid = Pid::from_child(child);
    children().push(pid);
    Registered(pid)
}

impl Registered {
    /// Sends SIGTERM to the child.
    pub(crate) fn terminate(&self) {
        let _ = kill_process(self.0, Signal::TERM);
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        children().retain(|pid| *pid != self.0);
    }
}

fn children() -> std::sync::MutexGuard<'static, Vec<Pid>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}
