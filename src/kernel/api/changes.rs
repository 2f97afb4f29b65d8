//! What an API has that another header lacks, and the other way round.

use std::collections::BTreeMap;

use super::Api;
use crate::syntax::Declarations;

/// How an API differs from what a header of an older tree declares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// Functions that the header lacks.
    pub added: Vec<String>,
    /// Functions of the header that the API lacks.
    pub removed: Vec<String>,
    /// Functions of another type, with the type in the header and the one in the API.
    pub changed: Vec<(String, String, String)>,
    /// Types that the header lacks.
    pub added_types: Vec<String>,
    /// Types of the header that the API lacks.
    pub removed_types: Vec<String>,
}

impl Changes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == Changes::default()
    }
}

impl Api {
    /// How the API differs from what an older header of the same place declares, by name.
    pub fn changes(&self, old: &Declarations) -> Changes {
        let declared = old.functions.iter().map(|f| (f.name.as_str(), f.signature()));
        let declared: BTreeMap<&str, String> = declared.collect();
        let mut changes = Changes::default();
        for (name, made) in &self.functions {
            match declared.get(name.as_str()) {
                None => changes.added.push(name.clone()),
                Some(before) if *before != made.signature => {
                    changes.changed.push((name.clone(), before.clone(), made.signature.clone()));
                }
                Some(_) => {}
            }
        }
        let gone = declared.keys().filter(|name| !self.functions.contains_key(**name));
        changes.removed = gone.map(ToString::to_string).collect();
        let new = self.types.keys().filter(|name| old.typedef(name).is_none());
        changes.added_types = new.cloned().collect();
        let names = old.typedefs.iter().map(|typedef| &typedef.name);
        let gone = names.filter(|name| !self.types.contains_key(*name));
        changes.removed_types = gone.cloned().collect();
        changes.removed_types.sort();
        changes.removed_types.dedup();
        changes
    }
}
