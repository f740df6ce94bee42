//! Starts the compilers that an author has installed. Only `svc plugin build` gets here, never the server.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::Stdio;

use crate::error::KitError;

/// A program with its first arguments, such as `python3 -m ziglang`.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    words: Vec<String>,
}

impl Program {
    pub(crate) fn new<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
        }
    }

    /// The program in a folder of the project, such as `.venv/bin`, if it is there.
    pub(crate) fn in_folder(project: &Path, folder: &str, name: &str) -> Option<Self> {
        let path = project.join(folder).join(name);
        path.is_file().then(|| Self::new([path.to_string_lossy()]))
    }

    /// For messages.
    fn name(&self) -> String {
        self.words.join(" ")
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the author's compiler, which the author asked for"
    )]
    fn command(&self, arguments: &[impl AsRef<OsStr>], folder: &Path) -> std::process::Command {
        let (program, first) = self
            .words
            .split_first()
            .map_or(("", &[][..]), |(program, first)| (program.as_str(), first));
        let mut command = std::process::Command::new(program);
        command
            .args(first)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null());
        command
    }

    /// Standard output of the program; its messages go to standard error.
    pub(crate) fn run(&self, arguments: &[impl AsRef<OsStr>], folder: &Path) -> Result<String, RunError> {
        let mut command = self.command(arguments, folder);
        let output = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            return Ok(text);
        }
        Err(RunError::Failed(KitError::ToolFailed {
            tool: self.name(),
            status: output.status.to_string(),
            output: text,
        }))
    }

    /// Standard output of a program that is only asked about itself; `None` if it is missing or fails.
    pub(crate) fn ask(&self, arguments: &[&str], folder: &Path) -> Option<String> {
        let output = self
            .command(arguments, folder)
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(text)
    }

    /// Standard error of a program that fails; `None` if it is missing or succeeds.
    pub(crate) fn complaint(&self, arguments: &[&str], folder: &Path) -> Option<String> {
        let output = self
            .command(arguments, folder)
            .stdout(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (!output.status.success()).then_some(text)
    }
}

/// Why a program gave no output.
#[derive(Debug)]
pub(crate) enum RunError {
    /// It is not installed.
    NotFound,
    /// It ran and failed.
    Failed(KitError),
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound {
            return Self::NotFound;
        }
        Self::Failed(KitError::ToolFailed {
            tool: "the compiler".to_owned(),
            status: error.to_string(),
            output: String::new(),
        })
    }
}

impl RunError {
    /// The error for users, with how to install the program.
    pub(crate) fn or_missing(self, tool: &'static str, next: impl Into<String>) -> KitError {
        match self {
            Self::NotFound => KitError::ToolMissing {
                tool,
                next: next.into(),
            },
            Self::Failed(error) => error,
        }
    }
}
