//! Episode marks that never occur in titles.

use crate::cursor::{Cursor, word_starts};

/// The byte offset of the first mark: `S01E02`, `E01-E16`, `Episode 2`, and "- 13 [" in releases of fansub groups.
pub(crate) fn episodes_start(text: &str) -> Option<usize> {
    word_starts(text).find(|at| is_mark(text, *at))
}

fn is_mark(text: &str, at: usize) -> bool {
    let cursor = Cursor::new(text, at);
    season_and_episode(cursor) || episode_range(cursor) || episode_word(cursor, at) || dashed(cursor)
}

fn season_and_episode(mut cursor: Cursor) -> bool {
    cursor.word("s") && cursor.number(1, 4).is_some() && {
        cursor.skip(" ._-", 1);
        cursor.word("e") && cursor.number(1, 4).is_some()
    }
}

fn episode_range(mut cursor: Cursor) -> bool {
    let mut episode = || cursor.word("e") && cursor.number(1, 4).is_some();
    episode() && {
        cursor.skip("-~", 1);
        let mut episode = || cursor.word("e") && cursor.number(1, 4).is_some();
        episode()
    }
}

fn episode_word(mut cursor: Cursor, at: usize) -> bool {
    at == 0 && cursor.word("episode") && {
        cursor.skip(" ._-", 3);
        cursor.number(1, 4).is_some()
    }
}

fn dashed(mut cursor: Cursor) -> bool {
    cursor.take("-").is_some()
        && cursor.skip(" ", 1) == 1
        && cursor.number(2, 4).is_some()
        && cursor.ends_number()
        && {
            // "- 01 - 12 [" marks several episodes.
            let mut range = cursor;
            range.skip(" ", 1);
            if range.take("-~").is_some() && range.skip(" ", 1) < 2 && range.number(2, 4).is_some() {
                cursor = range;
            }
            cursor.skip(" ", 1);
            cursor.peek() == Some('[')
        }
}
