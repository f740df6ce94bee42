//! Objects whose names are data: a name that occurs twice is an error, as it is among the fields of a struct. Otherwise two
//! readers of one document could see different ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The version of the protocol that this plugin knows.
const VERSION: &str = "1";
const TWICE: &str = "a name occurs twice";

/// Reads an object as a map.
pub fn map<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, V>, D::Error> {
    deserializer.deserialize_map(Members(PhantomData))
}

/// Reads the member of an object for version 1; the others are skipped.
pub fn version_1<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<V>, D::Error> {
    deserializer.deserialize_map(Version(PhantomData))
}

struct Members<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Members<V> {
    type Value = BTreeMap<String, V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut read = BTreeMap::new();
        while let Some((name, value)) = members.next_entry::<String, V>()? {
            if read.insert(name, value).is_some() {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(read)
    }
}

struct Version<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Version<V> {
    type Value = Option<V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let (mut names, mut found) = (BTreeSet::new(), None);
        while let Some(name) = members.next_key::<String>()? {
            if name == VERSION {
                found = Some(members.next_value::<V>()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
            if !names.insert(name) {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(found)
    }
}
