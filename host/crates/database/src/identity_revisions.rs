//! Revisions of accounts: a number that rises with each change. A cached permission is valid until a later revision
//! concerns its account.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use svc_domain::id::UserId;

/// Accounts with a revision of their own, at most; beyond it, a change counts for all accounts.
const ACCOUNTS: usize = 10_000;

/// The accounts that a change concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeScope {
    /// All accounts: roles, libraries, server settings, names.
    All,
    /// These accounts only.
    Accounts(Vec<UserId>),
}

/// The revisions that this process knows. The database holds the newest; another process, such as `svc user`, may
/// raise it.
#[derive(Debug, Default)]
pub struct IdentityRevisions(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    last: i64,
    /// The newest revision of all accounts, or of unknown scope.
    of_all: i64,
    /// The newest revision of single accounts, if later than `of_all`.
    of_accounts: HashMap<UserId, i64>,
}

impl Known {
    fn record(&mut self, revision: i64, scope_of_change: &ChangeScope) {
        if revision <= self.last {
            // Known already, with unknown scope.
            return;
        }
        match scope_of_change {
            // A skipped revision is of another process, or is not reported yet.
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
    pub fn last(&self) -> i64 {
        self.known().last
    }

    /// The newest revision that concerns, or may concern, an account.
    pub fn of(&self, user: UserId) -> i64 {
        self.known().of(user)
    }

    /// The newest revision that concerns, or may concern, all accounts.
    pub fn of_all(&self) -> i64 {
        self.known().of_all
    }

    /// Makes a committed revision known to every later request.
    pub fn record(&self, revision: i64, scope_of_change: &ChangeScope) {
        self.known().record(revision, scope_of_change);
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
        known.record(1, &ChangeScope::All);
        known.record(2, &ChangeScope::Accounts(vec![ada]));
        assert_eq!(
            (known.of(ada), known.of(bob), known.of_all, known.last),
            (2, 1, 1, 2)
        );
        known.record(3, &ChangeScope::All);
        assert_eq!((known.of(ada), known.of(bob), known.last), (3, 3, 3));
    }

    #[test]
    fn number_that_was_left_out_may_be_about_anybody() {
        let (ada, bob) = (UserId::from(1), UserId::from(2));
        let mut known = Known::default();
        known.record(1, &ChangeScope::All);
        // Revision 2 was of another process, or is reported late.
        known.record(3, &ChangeScope::Accounts(vec![ada]));
        assert_eq!((known.of(ada), known.of(bob)), (3, 3));
        known.record(2, &ChangeScope::Accounts(vec![bob]));
        assert_eq!((known.of(bob), known.last), (3, 3));
    }

    #[test]
    fn accounts_that_are_remembered_are_bounded() {
        let mut known = Known::default();
        for number in 1..=ACCOUNTS as i64 + 1 {
            known.record(number, &ChangeScope::Accounts(vec![UserId::from(number)]));
        }
        assert!(known.of_accounts.is_empty());
        assert_eq!(known.of(UserId::from(7)), known.last);
    }
}
