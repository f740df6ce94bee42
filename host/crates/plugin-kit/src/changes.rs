//! What a version of a plugin has more and less than the one in use, as a server reports it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a version has more and less than the one in use.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Changes {
    kinds_gained: Vec<String>,
    kinds_lost: Vec<String>,
    kinds_regrouped: Vec<String>,
    fields_gained: Vec<Field>,
    fields_lost: Vec<Field>,
    fields_changed: Vec<ChangedField>,
    extensions_gained: Vec<Extension>,
    extensions_lost: Vec<Extension>,
    permissions_gained: Vec<String>,
    permissions_lost: Vec<String>,
    items: Vec<Items>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Field {
    kind: String,
    field: String,
    #[serde(flatten)]
    declaration: Declaration,
}

#[derive(Debug, Serialize, Deserialize)]
struct ChangedField {
    kind: String,
    field: String,
    before: Declaration,
    after: Declaration,
}

#[derive(Debug, Serialize, Deserialize)]
struct Declaration {
    #[serde(rename = "type")]
    field_type: String,
    uses: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Extension {
    kind: String,
    extension: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Items {
    kind: String,
    unavailable: u64,
    losing_values: u64,
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.field_type)?;
        if !self.uses.is_empty() {
            write!(f, " ({})", self.uses.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            field,
            declaration,
        } = self;
        write!(f, "field {field} of {kind}: {declaration}")
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{} files of {}", self.extension, self.kind)
    }
}

/// Lines that end with a line break; none if nothing changes.
impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in &self.kinds_lost {
            writeln!(f, "  lost       kind {kind}")?;
        }
        for kind in &self.kinds_gained {
            writeln!(f, "  gained     kind {kind}")?;
        }
        for kind in &self.kinds_regrouped {
            writeln!(f, "  changed    files of {kind} become items in another way")?;
        }
        for field in &self.fields_lost {
            writeln!(f, "  lost       {field}")?;
        }
        for field in &self.fields_gained {
            writeln!(f, "  gained     {field}")?;
        }
        for ChangedField {
            kind,
            field,
            before,
            after,
        } in &self.fields_changed
        {
            writeln!(f, "  changed    field {field} of {kind}: {before} → {after}")?;
        }
        for extension in &self.extensions_lost {
            writeln!(f, "  lost       {extension}")?;
        }
        for extension in &self.extensions_gained {
            writeln!(f, "  gained     {extension}")?;
        }
        for permission in &self.permissions_lost {
            writeln!(f, "  lost       permission {permission}")?;
        }
        for permission in &self.permissions_gained {
            writeln!(f, "  gained     permission {permission}")?;
        }
        for items in &self.items {
            let kind = &items.kind;
            if items.unavailable > 0 {
                writeln!(
                    f,
                    "  WARNING    {} items of {kind} become unavailable",
                    items.unavailable
                )?;
            }
            if items.losing_values > 0 {
                let number = items.losing_values;
                writeln!(
                    f,
                    "  WARNING    {number} items of {kind} lose values that lists sort or filter by"
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_told_line_by_line() {
        let changes = json!({
            "kindsGained": ["tunebooks"],
            "kindsLost": ["sheets"],
            "fieldsLost": [{"kind": "scores", "field": "x.a.composer", "type": "text", "uses": ["search", "facet"]}],
            "fieldsChanged": [{
                "kind": "scores", "field": "x.a.key",
                "before": {"type": "text", "uses": ["sort"]}, "after": {"type": "texts", "uses": []},
            }],
            "extensionsGained": [{"kind": "scores", "extension": "mxl"}],
            "permissionsGained": ["settings"],
            "items": [
                {"kind": "sheets", "unavailable": 5, "losingValues": 0},
                {"kind": "scores", "unavailable": 0, "losingValues": 3},
            ],
        });
        let changes: Changes = serde_json::from_value(changes).unwrap();
        let lines = [
            "lost       kind sheets",
            "gained     kind tunebooks",
            "lost       field x.a.composer of scores: text (search, facet)",
            "changed    field x.a.key of scores: text (sort) → texts",
            "gained     .mxl files of scores",
            "gained     permission settings",
            "WARNING    5 items of sheets become unavailable",
            "WARNING    3 items of scores lose values that lists sort or filter by",
        ];
        assert_eq!(
            changes.to_string(),
            lines.map(|line| format!("  {line}\n")).concat()
        );
        assert_eq!(Changes::default().to_string(), "");
    }
}
