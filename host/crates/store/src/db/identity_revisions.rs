//! The state of accounts as a number: it rises with each change, and who is remembered is asked for again only when one
//! of the changes since then was about them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use svc_domain::id::UserId;

/// Accounts whose own changes are remembered; beyond it, the next change counts for all.
const ACCOUNTS: usize = 10_000;

/// What a change is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChangeScope {
    /// Anybody: roles, libraries, the server's settings, names.
    All,
    /// What belongs to these accounts alone.
    Accounts(Vec<UserId>),
}

/// The numbers of the changes that this process knows of. The database holds the last one; another process may raise
/// it as well.
#[derive(Debug, Default)]
pub(crate) struct IdentityRevisions(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    last: i64,
    /// The last that was about anybody, or that is not known.
    of_all: i64,
    /// The last that was about an account alone, if later.
    of_accounts: HashMap<UserId, i64>,
}

impl Known {
    fn note(&mut self, revision: i64, scope_of_change: &ChangeScope) {
        if revision <= self.last {
            // Noted already, as one that is not known.
            return;
        }
        match scope_of_change {
            // Numbers that were left out are another process's, or of a change whose word is on its way.
            ChangeScope::Accounts(users)
                if revision == self.last + 1 && self.of_accounts.len() + users.len() <= ACCOUNTS =>
            {
                self.of_accounts
                    .extend(users.iter().map(|user| (*user, revision)));
            }
            _ => {
                self.of_all = revision;
                self.of_accounts.clear();
            }
        }
        self.last = revision;
    }

    fn of(&self, user: UserId) -> i64 {
        self.of_accounts.get(&user).copied().unwrap_or(self.of_all)
    }
}

impl IdentityRevisions {
    /// The newest revision.
    pub(crate) fn last(&self) -> i64 {
        self.known().last
    }

    /// The newest revision that concerns, or may concern, an account.
    pub(crate) fn of(&self, user: UserId) -> i64 {
        self.known().of(user)
    }

    /// The newest revision that concerns, or may concern, all accounts.
    pub(crate) fn of_all(&self) -> i64 {
        self.known().of_all
    }

    /// Makes a committed revision known to every later request.
    pub(crate) fn note(&self, revision: i64, scope_of_change: &ChangeScope) {
        self.known().note(revision, scope_of_change);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_of_an_account_concerns_it_alone() {
        let (ada, bob) = (UserId::from(1), UserId::from(2));
        let mut known = Known::default();
        known.note(1, &ChangeScope::All);
        known.note(2, &ChangeScope::Accounts(vec![ada]));
        assert_eq!(
            (known.of(ada), known.of(bob), known.of_all, known.last),
            (2, 1, 1, 2)
        );
        known.note(3, &ChangeScope::All);
        assert_eq!((known.of(ada), known.of(bob), known.last), (3, 3, 3));
    }

    #[test]
    fn number_that_was_left_out_may_be_about_anybody() {
        let (ada, bob) = (UserId::from(1), UserId::from(2));
        let mut known = Known::default();
        known.note(1, &ChangeScope::All);
        // 2 was another process's, or its word is late.
        known.note(3, &ChangeScope::Accounts(vec![ada]));
        assert_eq!((known.of(ada), known.of(bob)), (3, 3));
        known.note(2, &ChangeScope::Accounts(vec![bob]));
        assert_eq!((known.of(bob), known.last), (3, 3));
    }

    #[test]
    fn accounts_that_are_remembered_are_bounded() {
        let mut known = Known::default();
        for number in 1..=ACCOUNTS as i64 + 1 {
            known.note(number, &ChangeScope::Accounts(vec![UserId::from(number)]));
        }
        assert!(known.of_accounts.is_empty());
        assert_eq!(known.of(UserId::from(7)), known.last);
    }
}
