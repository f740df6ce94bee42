//! The libraries that are scanned: generated once, kept in `target/bench`.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{fixtures, process, workspace};

/// Kind of the files in a generated library.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Music,
    Photos,
    Movies,
    Tv,
    Comics,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Music => "music",
            Self::Photos => "photos",
            Self::Movies => "movies",
            Self::Tv => "tv",
            Self::Comics => "comics",
        }
    }

    /// The server's arguments for a directory of this kind.
    pub(crate) fn arguments(self, directory: &Path) -> [OsString; 2] {
        if self == Self::Comics {
            let mut root = OsString::from("comics=");
            root.push(directory);
            return ["--root".into(), root];
        }
        [format!("--{}-dir", self.name()).into(), directory.into()]
    }
}

/// A directory with a number of generated media files of one kind.
pub(crate) struct Library {
    pub(crate) kind: Kind,
    pub(crate) files: usize,
    pub(crate) directory: PathBuf,
}

impl Library {
    /// Finds the library or makes it: with the generator, a program that takes `--out DIR --music N --photos N
    /// --movies N --tv N --seed N`, or with the project's own fixtures.
    pub(crate) fn prepare(kind: Kind, files: usize, generator: Option<&Path>) -> Result<Self> {
        let origin = if generator.is_some() {
            "generated"
        } else {
            "fixtures"
        };
        let directory = workspace::target()
            .join("bench")
            .join(format!("{origin}-{}-{files}", kind.name()));
        let complete = directory.join("complete");
        if !complete.is_file() {
            eprintln!("xtask: making {}", workspace::shown(&directory));
            if directory.exists() {
                std::fs::remove_dir_all(&directory).context("an earlier attempt cannot be removed")?;
            }
            std::fs::create_dir_all(&directory)?;
            match generator {
                Some(program) => generate(program, &directory, kind, files)?,
                None => fixtures::write_many(&directory, kind.name(), files)?,
            }
            File::create(complete)?;
        }
        Ok(Self {
            kind,
            files,
            directory: directory.join(kind.name()),
        })
    }

    /// Reads every file once, so that the page cache is warm.
    pub(crate) fn warm(&self) -> Result<()> {
        let mut buffer = vec![0; 1 << 20];
        read_below(&self.directory, &mut buffer)
    }
}

/// Whether a file is an audio file, by its extension.
fn is_track(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["mp3", "flac", "m4a", "ogg", "opus", "wav"].contains(&extension))
}

/// All audio files below a directory, ordered by path.
pub(crate) fn tracks(directory: &Path) -> Result<Vec<PathBuf>> {
    let (mut tracks, mut folders) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if is_track(&entry.path()) {
                tracks.push(entry.path());
            }
        }
    }
    tracks.sort();
    Ok(tracks)
}

/// One folder with a number of links to the tracks of a library, which are repeated as often as needed.
pub(crate) fn flat(music: &Library, entries: usize) -> Result<PathBuf> {
    let folder = music.directory.with_file_name(format!("flat-{entries}"));
    let complete = music.directory.with_file_name(format!("flat-{entries}-complete"));
    if !complete.is_file() {
        if folder.exists() {
            std::fs::remove_dir_all(&folder).context("an earlier attempt cannot be removed")?;
        }
        std::fs::create_dir_all(&folder)?;
        let tracks = tracks(&music.directory)?;
        for (number, track) in tracks.iter().cycle().take(entries).enumerate() {
            let name = track.file_name().unwrap_or_default().to_string_lossy();
            // A prefix could make a name longer than the file system allows.
            let ending: String = name.chars().rev().take(40).collect();
            let ending: String = ending.chars().rev().collect();
            std::fs::hard_link(track, folder.join(format!("{number:06} {ending}")))?;
        }
        File::create(complete)?;
    }
    Ok(folder)
}

fn generate(program: &Path, directory: &Path, kind: Kind, files: usize) -> Result<()> {
    let python = program.extension().is_some_and(|extension| extension == "py");
    let mut command = if python {
        Command::new("python3")
    } else {
        Command::new(program)
    };
    if python {
        command.arg(program);
    }
    command
        .arg("--out")
        .arg(directory)
        .arg(format!("--{}", kind.name()))
        .arg(files.to_string());
    process::run(command.args(["--seed", "1"]).current_dir(workspace::root()))
}

fn read_below(directory: &Path, buffer: &mut [u8]) -> Result<()> {
    for entry in
        std::fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?
    {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            read_below(&entry.path(), buffer)?;
        } else if entry.file_type()?.is_file() {
            let mut file = File::open(entry.path())?;
            while file.read(buffer)? > 0 {}
        }
    }
    Ok(())
}
