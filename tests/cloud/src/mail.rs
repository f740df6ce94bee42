//! E-mails, written to a directory from which a mail program picks them up.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A directory of messages.
#[derive(Debug)]
pub(crate) struct MailDirectory {
    path: PathBuf,
}

/// A message in plain text.
#[derive(Debug)]
pub(crate) struct Message<'a> {
    /// Unique among all messages; the name of the file, without `.eml`.
    pub(crate) id: &'a str,
    pub(crate) to: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) body: &'a str,
}

impl MailDirectory {
    /// Creates the directory if it is absent, for its owner only.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)?;
        Ok(Self {
            path: path.to_owned(),
        })
    }

    /// Writes a message to a file of its own, which appears complete.
    pub(crate) fn send(&self, message: &Message<'_>) -> io::Result<()> {
        let Message {
            id,
            to,
            subject,
            body,
        } = message;
        let lines = [to, subject].iter().any(|text| text.contains(['\r', '\n']));
        if lines {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a header of an e-mail has several lines",
            ));
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
        write!(
            file,
            "To: {to}\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: 8bit\r\n\r\n{}\r\n",
            body.replace('\n', "\r\n")
        )?;
        file.as_file().sync_all()?;
        file.persist(self.path.join(format!("{id}.eml")))?;
        Ok(())
    }
}
