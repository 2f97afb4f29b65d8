//! Findings that are known and accepted.

use std::collections::{BTreeMap, BTreeSet};

use super::compare::State;
use super::record::{Baseline, Found, Record};

/// The entries of a baseline, and which of them were met.
#[derive(Clone, Debug, Default)]
pub struct Known {
    entries: BTreeMap<String, String>,
    met: BTreeSet<String>,
}

impl Known {
    /// Fingerprints, with what each is about.
    pub fn new(entries: BTreeMap<String, String>) -> Known {
        Known { entries, met: BTreeSet::new() }
    }

    /// What stands at the end of a record, accepted then or not.
    pub fn of(record: &Record) -> Known {
        let all = record.introduced();
        let standing = all.iter().filter(|introduced| introduced.fixed_by.is_none());
        Known::new(standing.map(|one| (one.found.fingerprint.clone(), about(one.found))).collect())
    }

    /// Whether a finding is accepted.
    pub fn accepts(&self, fingerprint: &str) -> bool {
        self.entries.contains_key(fingerprint)
    }

    /// Notes which entries occur in a state.
    pub fn meet(&mut self, state: &State) {
        for found in &state.findings {
            if self.accepts(&found.fingerprint) && !self.met.contains(&found.fingerprint) {
                self.met.insert(found.fingerprint.clone());
            }
        }
    }

    /// What became of the entries.
    pub fn result(self) -> Baseline {
        let Known { entries, met } = self;
        let (accepted, gone) =
            entries.into_iter().partition(|(fingerprint, _)| met.contains(fingerprint));
        Baseline { accepted, gone }
    }
}

fn about(found: &Found) -> String {
    let place = found.places.first().map_or(String::new(), |place| format!("{}: ", place.path));
    format!("{place}{} [{}]", found.message, found.code)
}
