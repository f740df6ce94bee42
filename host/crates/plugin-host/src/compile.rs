//! Compiles components to machine code, in a child process with resource limits: compiling hostile bytes may take any
//! amount of time and memory.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wasmtime::Engine;

use crate::engine::AddressSpace;
use crate::limits;
use crate::native::NativeCode;

/// The subcommand of the server's program that compiles one plugin and exits.
pub(super) const COMPILE_COMMAND: &str = "plugin-compile";
/// Interval of checks for the end of the child process; compilations take seconds.
const POLL: Duration = Duration::from_millis(10);
/// Maximum length of the child's error text in bytes.
const ERROR_BYTES: u64 = 4 * 1024;

/// Where components are compiled.
#[derive(Debug, Clone)]
pub enum Compiler {
    /// In a child process with limits: this program with `plugin-compile`, which has to call `run_compile_child`.
    Child {
        /// Usually the server's own program.
        program: PathBuf,
    },
    /// In this process without limits. For tests and tools, and for trusted components.
    InProcess,
}

/// Why a component could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The compiler rejects the bytes.
    #[error("it cannot be compiled: {0}")]
    Rejected(String),
    /// The child process could not be run.
    #[error("the compiling process could not be run: {0}")]
    Process(#[from] std::io::Error),
    /// The child process took too long.
    #[error("compiling took longer than {} s", limits::COMPILE_WALL.as_secs())]
    Timeout,
    /// The child process ended without a result, for example at its memory or CPU limit.
    #[error("the compiling process ended early ({0}), probably at its limit of memory or time")]
    Killed(String),
    /// The machine code exceeds its limit.
    #[error("its machine code is larger than {} MiB", limits::COMPILED_BYTES >> 20)]
    TooLarge,
}

impl Compiler {
    /// Compiles a component for this engine.
    pub(super) fn compile(
        &self,
        engine: &Engine,
        space: AddressSpace,
        component: &[u8],
    ) -> Result<NativeCode, CompileError> {
        match self {
            Self::Child { program } => compile_in_child(program, space, component),
            Self::InProcess => compile_here(engine, component),
        }
        .map(NativeCode::trusted)
    }
}

/// The first byte of the child's input, which selects the engine.
pub(super) fn first_byte(space: AddressSpace) -> u8 {
    match space {
        AddressSpace::Ample => 0,
        AddressSpace::Scarce => 1,
    }
}

/// Compiles in this process.
pub(super) fn compile_here(engine: &Engine, component: &[u8]) -> Result<Vec<u8>, CompileError> {
    engine
        .precompile_component(component)
        .map_err(|error| CompileError::Rejected(format!("{error:#}")))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that starts a program: the server itself, to compile"
)]
fn compile_in_child(
    program: &PathBuf,
    space: AddressSpace,
    component: &[u8],
) -> Result<Vec<u8>, CompileError> {
    let mut child = Command::new(program)
        .arg(COMPILE_COMMAND)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let result = exchange(&mut child, space, component);
    // No process is left behind, whatever the result.
    drop(child.kill());
    drop(child.wait());
    result
}

/// Writes the child's input and reads its output and error text, each on its own thread, so that none blocks another
/// and the timeout applies even if the child stops reading.
fn exchange(child: &mut Child, space: AddressSpace, component: &[u8]) -> Result<Vec<u8>, CompileError> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let writer = scope.spawn(move || {
            // A child that fails early closes its input; its exit status is the reason.
            if let Some(mut pipe) = stdin {
                drop(
                    pipe.write_all(&[first_byte(space)])
                        .and_then(|()| pipe.write_all(component)),
                );
            }
        });
        let code = scope.spawn(move || read_up_to(stdout, limits::COMPILED_BYTES + 1));
        let text = scope.spawn(move || read_up_to(stderr, ERROR_BYTES));
        let status = wait_or_kill(child);
        drop(writer.join());
        let code = code.join().unwrap_or_default();
        let text = text.join().unwrap_or_default();
        let status = status?;
        if status.success() {
            if code.len() as u64 > limits::COMPILED_BYTES {
                return Err(CompileError::TooLarge);
            }
            return Ok(code);
        }
        match status.code() {
            Some(1) => Err(CompileError::Rejected(
                String::from_utf8_lossy(&text).trim().to_owned(),
            )),
            _ => Err(CompileError::Killed(status.to_string())),
        }
    })
}

fn read_up_to(pipe: Option<impl Read>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // Output before an error is kept; the child's exit status decides whether it is used.
        drop(pipe.take(most).read_to_end(&mut bytes));
    }
    bytes
}

#[expect(
    clippy::disallowed_methods,
    reason = "the end of a child process can only be polled, and this thread may block"
)]
fn wait_or_kill(child: &mut Child) -> Result<std::process::ExitStatus, CompileError> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() > limits::COMPILE_WALL {
            child.kill()?;
            child.wait()?;
            return Err(CompileError::Timeout);
        }
        thread::sleep(POLL);
    }
}
