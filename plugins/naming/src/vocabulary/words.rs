//! Sets of words to match in a name.

/// A set of words to match, with their initials: most positions of a name are rejected by their first letter.
#[derive(Debug)]
pub(crate) struct Words {
    list: &'static [&'static str],
    /// A bit for each letter from a to z, and one for all other characters.
    initials: u32,
}

impl Words {
    pub(crate) const fn new(list: &'static [&'static str]) -> Self {
        let mut initials = 0;
        let mut rest = list;
        while let [word, others @ ..] = rest {
            if let [first, ..] = word.as_bytes() {
                initials |= initial(*first);
            }
            rest = others;
        }
        Self { list, initials }
    }

    /// The words that may begin with this byte, given in lower case; none for most bytes.
    pub(crate) fn beginning_with(&self, first: u8) -> impl Iterator<Item = &'static &'static str> {
        let list = if self.initials & initial(first) == 0 {
            &[]
        } else {
            self.list
        };
        list.iter().filter(move |word| {
            let byte = word.as_bytes().first().copied().unwrap_or_default();
            byte == first || !byte.is_ascii()
        })
    }
}

const fn initial(byte: u8) -> u32 {
    match byte.to_ascii_lowercase() {
        letter @ b'a'..=b'z' => 1 << (letter - b'a'),
        _ => 1 << 26,
    }
}
