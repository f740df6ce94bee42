//! Sort orders of media lists.

use svc_domain::list::Order;

/// Sort order of a list. Items with equal or absent values are ordered by id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sort {
    name: &'static str,
    pub(super) column: Option<&'static str>,
    pub(super) is_text: bool,
    pub(super) nullable: bool,
    pub(super) unique: bool,
    /// Distinguishes orders of the same name: the number of a declared field.
    number: Option<i16>,
}

impl Sort {
    /// By id, which is the order of first indexing.
    pub(crate) fn key(name: &'static str) -> Self {
        Self {
            name,
            column: None,
            is_text: false,
            nullable: false,
            unique: false,
            number: None,
        }
    }

    /// By an integer column.
    pub(crate) fn number(name: &'static str, column: &'static str) -> Self {
        Self {
            column: Some(column),
            ..Self::key(name)
        }
    }

    /// By a text column.
    pub(crate) fn text(name: &'static str, column: &'static str) -> Self {
        Self {
            is_text: true,
            ..Self::number(name, column)
        }
    }

    /// The value may be absent: such items come last in both directions.
    pub(crate) fn nullable(self) -> Self {
        Self {
            nullable: true,
            ..self
        }
    }

    /// Values are unique.
    pub(crate) fn unique(self) -> Self {
        Self { unique: true, ..self }
    }

    /// One of several orders of this name.
    pub(crate) fn numbered(self, number: i16) -> Self {
        Self {
            number: Some(number),
            ..self
        }
    }

    /// The order of the items without a value, some of which have one that is hidden: by id.
    pub(super) fn without_value(self) -> Self {
        Self {
            column: None,
            is_text: false,
            ..self
        }
    }

    /// The name of the order in cursors.
    pub(super) fn cursor_name(self, order: Order) -> String {
        let number = self
            .number
            .map_or_else(String::new, |number| format!(" {number}"));
        match order {
            Order::Ascending => format!("{}{number} ASC", self.name),
            Order::Descending => format!("{}{number} DESC", self.name),
        }
    }

    pub(super) fn order_by(self, key: &str, order: Order) -> String {
        let direction = match order {
            Order::Ascending => "ASC",
            Order::Descending => "DESC",
        };
        // Without `NULLS FIRST` or `LAST`: a keyset range has no NULLs, or only NULLs.
        match self.column {
            None => format!("{key} {direction}"),
            Some(column) if self.unique => format!("{column} {direction}"),
            Some(column) => format!("{column} {direction}, {key} {direction}"),
        }
    }
}
