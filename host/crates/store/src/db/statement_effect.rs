//! Whether a statement changes anything, so that nothing is written where nothing changed.

/// What a statement does to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementEffect {
    /// Nothing.
    Reads,
    /// Something to as many rows as it tells of.
    Rows,
    /// Something else: the schema, or several things at once.
    Whole,
}

/// By its first word, or by what follows a `WITH`.
pub(crate) fn statement_effect(sql: &str) -> StatementEffect {
    let word = sql
        .trim_start()
        .split([' ', '\n', '('])
        .next()
        .unwrap_or_default();
    match word {
        "SELECT" | "SET" | "PRAGMA" => StatementEffect::Reads,
        "INSERT" | "UPDATE" | "DELETE" => StatementEffect::Rows,
        "WITH" => {
            let changes = ["INSERT INTO ", "UPDATE ", "DELETE FROM "];
            if changes.iter().any(|change| sql.contains(change)) {
                StatementEffect::Rows
            } else {
                StatementEffect::Reads
            }
        }
        _ => StatementEffect::Whole,
    }
}

impl StatementEffect {
    /// Whether it has changed something, which tells of so many rows.
    pub(crate) fn has_changed(self, rows: u64) -> bool {
        match self {
            Self::Reads => false,
            Self::Rows => rows > 0,
            Self::Whole => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart_by_what_they_do() {
        for (sql, effect) in [
            ("SELECT 1", StatementEffect::Reads),
            (
                "SELECT identity_revision FROM server FOR UPDATE",
                StatementEffect::Reads,
            ),
            ("SET LOCAL statement_timeout = 0", StatementEffect::Reads),
            (
                "WITH a AS (SELECT 1) SELECT updated_at FROM a",
                StatementEffect::Reads,
            ),
            ("INSERT INTO t VALUES (1)", StatementEffect::Rows),
            ("\n  UPDATE t SET a = 1 RETURNING a", StatementEffect::Rows),
            ("DELETE FROM t", StatementEffect::Rows),
            (
                "WITH gone (a) AS (VALUES (1)) UPDATE t SET a = 1",
                StatementEffect::Rows,
            ),
            (
                "WITH a AS (SELECT 1) INSERT INTO t SELECT 1",
                StatementEffect::Rows,
            ),
            ("CREATE TABLE t (a BIGINT)", StatementEffect::Whole),
            ("TRUNCATE t", StatementEffect::Whole),
        ] {
            assert_eq!(statement_effect(sql), effect, "{sql}");
        }
        assert!(
            StatementEffect::Rows.has_changed(1)
                && !StatementEffect::Rows.has_changed(0)
                && !StatementEffect::Reads.has_changed(1)
        );
    }
}
