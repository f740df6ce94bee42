//! The state of accounts as a number: it rises with each change, and who is remembered is asked for again only when one
//! of the changes since then was about them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Store;
use crate::error::Result;
use svc_domain::id::UserId;

/// Accounts whose own changes are remembered; beyond it, the next change counts for all.
const ACCOUNTS: usize = 10_000;

/// What a change is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChangeScope {
    /// Anybody: roles, libraries, the server's settings, names.
    All,
    /// What belongs to these accounts alone.
    Accounts(Vec<UserId>),
}

/// The numbers of the changes that this process knows of. The database holds the last one; another process may raise
/// it as well.
#[derive(Debug, Default)]
pub(super) struct IdentityRevisions(Mutex<Known>);

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
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// The state of accounts and roles, as a number that rises with each change. Whoever remembers something about a
    /// caller reads it before asking the database, and forgets when [`Store::identity_revision_of`] the caller is above.
    pub fn identity_revision(&self) -> i64 {
        self.0.identity_revisions.known().last
    }

    /// The last change that was, or may have been, about an account.
    pub fn identity_revision_of(&self, user: UserId) -> i64 {
        self.0.identity_revisions.known().of(user)
    }

    /// The last change that was, or may have been, about all accounts.
    pub fn identity_revision_of_all(&self) -> i64 {
        self.0.identity_revisions.known().of_all
    }

    /// Asks the database whether another process made a change, such as `svc user`; tells whether.
    pub async fn refresh_identity_revision(&self) -> Result<bool> {
        let row: Option<(i64,)> = self
            .pools()
            .fetch_optional("SELECT identity_revision FROM server", &[])
            .await?;
        let before = self.identity_revision();
        let stored = row.map_or(before, |(revision,)| revision);
        self.note_identity_revision(stored, &ChangeScope::All);
        Ok(stored > before)
    }

    /// Makes a revision that is committed known to every later request.
    pub(super) fn note_identity_revision(&self, revision: i64, scope_of_change: &ChangeScope) {
        self.0.identity_revisions.known().note(revision, scope_of_change);
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
