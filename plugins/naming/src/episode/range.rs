//! Several episodes in one file: the numbers that follow the first.

use crate::cursor::Cursor;

/// The largest range that a bare number may end: "S01E01-02", not "S01E05-100 Ways".
const BARE_SPAN: u32 = 24;

/// Takes the further episodes of the same file and returns the last: `E03`, `-E04`, `-04`, `x04`, ` - 1x04`.
pub(super) fn more_episodes(cursor: &mut Cursor, season: Option<u32>, first: u32) -> u32 {
    let mut last = first;
    while let Some(next) = next_episode(cursor, season, last) {
        last = next;
    }
    last
}

fn next_episode(cursor: &mut Cursor, season: Option<u32>, last: u32) -> Option<u32> {
    let mut here = *cursor;
    let before = here.skip(" ", 2);
    let joint = here.take("-–~+&_.,");
    let mut after = here.skip(" ", 2);
    // "S01E05 and E06", "S01E05.to.E07".
    let mut spoken = here;
    if before + after > 0 || joint.is_some() {
        let named =
            spoken.any_word(&["and", "to", "und", "bis", "et", "y", "и"]) && spoken.skip(" ._", 1) == 1;
        if named {
            after += 1;
            here = spoken;
        }
    }
    let full = |mut cursor: Cursor| {
        let named = cursor.word("s");
        let fits = season.is_some() && cursor.number(1, 4) == season;
        let marked = fits && cursor.any_word(if named { &["e", "xe", "x"] } else { &["x", "xe"] });
        marked
            .then(|| cursor.number(1, 4))
            .flatten()
            .map(|number| (number, cursor.at))
    };
    let marked = |mut cursor: Cursor| {
        let crossed = cursor.word("x") && (joint.is_some_and(|joint| joint != '.') || before == 0);
        let fits = crossed || cursor.any_word(&["ep", "e"]);
        let number = fits.then(|| cursor.number(1, 4)).flatten()?;
        // "-x264" is a codec.
        (!crossed || !(264..=266).contains(&number)).then_some((number, cursor.at))
    };
    let bare = |mut cursor: Cursor| {
        let tight = before + after == 0 && matches!(joint, Some('-' | '–' | '~' | '+' | '&' | '_'));
        let listed = joint == Some('&') && before == after;
        let number = (tight || listed).then(|| cursor.number(1, 3)).flatten()?;
        let span = if joint == Some('_') { 1 } else { BARE_SPAN };
        (cursor.ends_word() && number <= last + span).then_some((number, cursor.at))
    };
    let (number, end) = full(here).or_else(|| marked(here)).or_else(|| bare(here))?;
    if number <= last {
        return None;
    }
    cursor.at = end;
    Some(number)
}
