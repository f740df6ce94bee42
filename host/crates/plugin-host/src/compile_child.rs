//! The child process for compilation: reads a component, writes its machine code, under resource limits that it sets
//! itself.

use std::io::{self, Read, Write};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::compile::{CompileError, compile_here, first_byte};
use crate::engine::{AddressSpace, new_engine};
use crate::limits;

/// Compiles the component on standard input to standard output. To be called by the hidden subcommand
/// `plugin-compile` before it starts threads or opens files. The caller prints an error on standard error and exits
/// with status 1.
pub fn run_compile_child() -> Result<(), CompileError> {
    limit(Resource::As, limits::COMPILE_ADDRESS_SPACE)?;
    limit(Resource::Cpu, limits::COMPILE_CPU_SECONDS)?;
    // Its only output is a pipe; it must not write files.
    limit(Resource::Fsize, 0)?;
    limit(Resource::Core, 0)?;
    let mut input = Vec::new();
    io::stdin()
        .lock()
        .take(limits::COMPONENT_BYTES + 2)
        .read_to_end(&mut input)?;
    let Some((first, component)) = input.split_first() else {
        return Err(CompileError::Rejected("the input is empty".to_owned()));
    };
    if component.len() as u64 > limits::COMPONENT_BYTES {
        return Err(CompileError::Rejected(format!(
            "more than {} bytes",
            limits::COMPONENT_BYTES
        )));
    }
    let spaces = [AddressSpace::Ample, AddressSpace::Scarce];
    let Some(space) = spaces.into_iter().find(|space| first_byte(*space) == *first) else {
        return Err(CompileError::Rejected(
            "the input starts with an unknown byte".to_owned(),
        ));
    };
    let engine = new_engine(space).map_err(|error| CompileError::Rejected(format!("{error:#}")))?;
    let code = compile_here(&engine, component)?;
    let mut output = io::stdout().lock();
    output.write_all(&code)?;
    output.flush()?;
    Ok(())
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    Ok(setrlimit(
        resource,
        Rlimit {
            current: Some(most),
            maximum: Some(most),
        },
    )?)
}
