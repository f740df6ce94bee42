//! The compiling child process: one component in, its machine code out, under limits that it sets for itself.

use std::io::{self, Read, Write};

use rustix::process::{Resource, Rlimit, setrlimit};

use super::compile::{CompileError, compile_here};
use super::engine::new_engine;
use super::limits;

/// Compiles the component on standard input to standard output. To be called by the server's hidden subcommand
/// `plugin-compile` before it starts any thread or opens anything. An error belongs on standard error, with exit
/// status 1.
pub fn run_compile_child() -> Result<(), CompileError> {
    limit(Resource::As, limits::COMPILE_ADDRESS_SPACE)?;
    limit(Resource::Cpu, limits::COMPILE_CPU_SECONDS)?;
    // It has nothing to write but its output, which is a pipe, and leaves nothing behind.
    limit(Resource::Fsize, 0)?;
    limit(Resource::Core, 0)?;
    let mut component = Vec::new();
    io::stdin().lock().take(limits::COMPONENT_BYTES + 1).read_to_end(&mut component)?;
    if component.len() as u64 > limits::COMPONENT_BYTES {
        return Err(CompileError::Rejected(format!("more than {} bytes", limits::COMPONENT_BYTES)));
    }
    let engine = new_engine().map_err(|error| CompileError::Rejected(format!("{error:#}")))?;
    let code = compile_here(&engine, &component)?;
    let mut output = io::stdout().lock();
    output.write_all(&code)?;
    output.flush()?;
    Ok(())
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}
