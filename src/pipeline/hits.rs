//! How often each rule matched.

use std::collections::BTreeMap;

use crate::edit::RuleRef;

/// Counts by rule.
#[derive(Debug, Default)]
pub(super) struct Hits {
    counts: BTreeMap<RuleRef, usize>,
}

impl Hits {
    /// Adds the counts of one stage or file.
    pub(super) fn add(&mut self, counts: &BTreeMap<RuleRef, usize>) {
        for (rule, count) in counts {
            self.count(rule, *count);
        }
    }

    /// Adds matches of one rule.
    pub(super) fn count(&mut self, rule: &RuleRef, count: usize) {
        *self.counts.entry(rule.clone()).or_default() += count;
    }

    /// Matches of one rule.
    pub(super) fn of(&self, rule: &RuleRef) -> usize {
        self.counts.get(rule).copied().unwrap_or(0)
    }

    pub(super) fn into_map(self) -> BTreeMap<RuleRef, usize> {
        self.counts
    }
}
