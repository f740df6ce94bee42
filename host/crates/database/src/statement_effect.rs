//! Whether a statement changes data, so that a transaction without changes writes nothing.

/// Effect of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementEffect {
    /// Reads only.
    Reads,
    /// Changes as many rows as it reports.
    Rows,
    /// Changes the schema, or runs several statements.
    Whole,
}

/// Determined by the first keyword, or by the statement after `WITH`.
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
    /// Whether a statement that reported so many rows changed data.
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
    fn statements_are_distinguished_by_what_they_do() {
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
