//! Whether a statement changes anything, so that nothing is written where nothing changed.

/// What a statement does to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    Reads,
    /// Something to as many rows as it tells of.
    Rows,
    /// Something else: the schema, or several things at once.
    Whole,
}

/// By its first word, or by what follows a `WITH`.
pub(super) fn effect_of(sql: &str) -> Effect {
    let word = sql
        .trim_start()
        .split([' ', '\n', '('])
        .next()
        .unwrap_or_default();
    match word {
        "SELECT" | "SET" | "PRAGMA" => Effect::Reads,
        "INSERT" | "UPDATE" | "DELETE" => Effect::Rows,
        "WITH" => {
            let changes = ["INSERT INTO ", "UPDATE ", "DELETE FROM "];
            if changes.iter().any(|change| sql.contains(change)) {
                Effect::Rows
            } else {
                Effect::Reads
            }
        }
        _ => Effect::Whole,
    }
}

impl Effect {
    /// Whether it has changed something, which tells of so many rows.
    pub(super) fn has_changed(self, rows: u64) -> bool {
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
            ("SELECT 1", Effect::Reads),
            ("SELECT identity_revision FROM server FOR UPDATE", Effect::Reads),
            ("SET LOCAL statement_timeout = 0", Effect::Reads),
            ("WITH a AS (SELECT 1) SELECT updated_at FROM a", Effect::Reads),
            ("INSERT INTO t VALUES (1)", Effect::Rows),
            ("\n  UPDATE t SET a = 1 RETURNING a", Effect::Rows),
            ("DELETE FROM t", Effect::Rows),
            ("WITH gone (a) AS (VALUES (1)) UPDATE t SET a = 1", Effect::Rows),
            ("WITH a AS (SELECT 1) INSERT INTO t SELECT 1", Effect::Rows),
            ("CREATE TABLE t (a BIGINT)", Effect::Whole),
            ("TRUNCATE t", Effect::Whole),
        ] {
            assert_eq!(effect_of(sql), effect, "{sql}");
        }
        assert!(Effect::Rows.has_changed(1) && !Effect::Rows.has_changed(0) && !Effect::Reads.has_changed(1));
    }
}
