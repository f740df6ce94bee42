//! The order of pages: that of their paths, with numbers by value and letters without regard to case.
//!
//! Folders compare as a whole, so that `1/9.jpg` is before `1 extra/1.jpg`, and every number counts, however long:
//! `page 9` is before `page 10`, and `page 010` equals `page 10` unless nothing else tells them apart.

use std::cmp::Ordering;

/// Compares two paths.
pub fn compare(left: &str, right: &str) -> Ordering {
    let mut folders = (left.split('/'), right.split('/'));
    loop {
        let order = match (folders.0.next(), folders.1.next()) {
            (None, None) => return left.cmp(right),
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(left), Some(right)) => compare_names(left, right),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn compare_names(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left, right);
    loop {
        let (a, b) = (number(&mut left), number(&mut right));
        let order = match (a, b) {
            // Numbers without leading zeros: the longer one is larger.
            (Some(a), Some(b)) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
            (Some(_), None) if right.is_empty() => Ordering::Greater,
            (None, Some(_)) if left.is_empty() => Ordering::Less,
            // Digits are before letters and after punctuation, as in ASCII.
            (Some(_), None) => '0'.cmp(&first(right)),
            (None, Some(_)) => first(left).cmp(&'0'),
            (None, None) => match (letter(&mut left), letter(&mut right)) {
                (None, None) => return Ordering::Equal,
                (a, b) => a.cmp(&b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Takes a number from the start, without its leading zeros.
fn number<'a>(text: &mut &'a str) -> Option<&'a str> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end).filter(|_| end > 0)?;
    *text = rest;
    Some(digits.trim_start_matches('0'))
}

/// Takes a character from the start, in lower case.
fn letter(text: &mut &str) -> Option<char> {
    let mut characters = text.chars();
    let character = characters.next()?;
    *text = characters.as_str();
    Some(fold(character))
}

fn first(text: &str) -> char {
    text.chars().next().map_or('\0', fold)
}

fn fold(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_ordered_as_a_reader_expects() {
        let expected = [
            "1/1.jpg",
            "1/9.jpg",
            "1/010.jpg",
            "1/10.jpg",
            "1/100000000000000000000000000.jpg",
            "1 extra/1.jpg",
            "2/1.jpg",
            "Cover.jpg",
            "page_2.jpg",
            "Page_10.jpg",
            "page_10a.jpg",
            "page_b.jpg",
            "über.jpg",
        ];
        for (at, left) in expected.iter().enumerate() {
            for (other, right) in expected.iter().enumerate() {
                assert_eq!(compare(left, right), at.cmp(&other), "{left} and {right}");
            }
        }
    }

    #[test]
    fn order_is_total() {
        let names = [
            "a", "A", "a0", "a00", "00a", "0a", "", "-", "a-1", "a1", "é", "É", "ß", "İ", "1/", "/1",
        ];
        for left in names {
            for right in names {
                assert_eq!(
                    compare(left, right),
                    compare(right, left).reverse(),
                    "{left} {right}"
                );
                for third in names {
                    if compare(left, right).is_lt() && compare(right, third).is_lt() {
                        assert!(compare(left, third).is_lt(), "{left} {right} {third}");
                    }
                }
            }
        }
    }
}
