//! Requirement coverage: every requirement of the contract has a test that names it in `#[covers(…)]`.

mod attributes;
mod requirements;
mod tests;

use std::collections::BTreeMap;

use svc_tests::{rust_sources, workspace};

use attributes::{CoveringTest, covering_tests};
use requirements::Requirement;

#[test]
fn every_requirement_is_covered_by_a_test() {
    let sources = rust_sources(&workspace());
    // The tests of the attribute itself name ids that do not exist.
    let sources = sources
        .iter()
        .filter(|file| !file.path.starts_with("tests/covers/"));
    let tests: Vec<CoveringTest> = sources.flat_map(covering_tests).collect();
    let faults = faults(&requirements::all(&workspace()), &tests);
    assert!(
        faults.is_empty(),
        "{} faults in requirement coverage (tests/requirements.txt):\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// What is wrong between the requirements and the tests that name them, a line each.
fn faults(requirements: &[Requirement], tests: &[CoveringTest]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut known = BTreeMap::new();
    for requirement in requirements {
        if known.insert(&requirement.id, requirement).is_some() {
            faults.push(format!("{}: required twice", requirement.id));
        }
    }
    let mut covered: Vec<&String> = Vec::new();
    for test in tests {
        if test.ignored {
            faults.push(format!("{} is ignored and covers nothing", test.name));
            continue;
        }
        for id in &test.ids {
            match known.get(id) {
                None => faults.push(format!("{} covers {id:?}, which is not required", test.name)),
                Some(requirement) if requirement.later => {
                    faults.push(format!("{} covers {id:?}, which is required later", test.name));
                }
                Some(_) => covered.push(id),
            }
        }
    }
    let uncovered = requirements
        .iter()
        .filter(|requirement| !requirement.later && !covered.contains(&&requirement.id));
    faults.extend(uncovered.map(|requirement| format!("{}: no test. {}", requirement.id, requirement.text)));
    faults
}
