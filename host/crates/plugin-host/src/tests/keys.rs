//! Compares the table of known keys with its documentation.

use crate::keys::KNOWN;
use crate::tests::*;

#[test]
fn keys_are_those_of_the_documentation() {
    let text = fs::read_to_string(guests::repository().join("docs/plugin-keys.md")).unwrap();
    let mut documented = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.split('|').skip(1);
        let (keys, type_name) = (cells.next().unwrap(), cells.next().unwrap().trim());
        documented.extend(keys.split('`').skip(1).step_by(2).map(|key| (key, type_name)));
    }
    documented.sort_unstable();
    assert_eq!(documented, KNOWN);
}
