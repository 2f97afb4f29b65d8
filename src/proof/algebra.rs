//! Boolean functions of the facts that conditions depend on, as binary decision diagrams: two are
//! equal exactly if their diagrams are.

use std::cell::Cell;

use biodivine_lib_bdd::{Bdd, BddVariable, BddVariableSet, op_function};

/// Most nodes of a diagram; conditions of real code need a few dozen.
const MAX_NODES: usize = 1 << 16;

/// Most nodes of all diagrams that are made for one file.
const MAX_MADE: usize = 1 << 20;

/// Most variables; the crate counts them in 16 bits.
const MAX_VARIABLES: usize = 1 << 14;

/// Makes functions of a fixed set of variables.
pub(super) struct Algebra {
    set: BddVariableSet,
    variables: Vec<BddVariable>,
    /// Nodes that may still be made.
    left: Cell<usize>,
    /// Diagrams grew too large: nothing that follows from them counts.
    overflow: Cell<bool>,
}

impl Algebra {
    /// Functions of `count` variables; `None` where there are too many.
    pub(super) fn new(count: usize) -> Option<Algebra> {
        let count = u16::try_from(count).ok().filter(|n| usize::from(*n) <= MAX_VARIABLES)?;
        let set = BddVariableSet::new_anonymous(count);
        let variables = set.variables();
        let (left, overflow) = (Cell::new(MAX_MADE), Cell::new(false));
        Some(Algebra { set, variables, left, overflow })
    }

    /// Whether diagrams grew too large.
    pub(super) fn overflowed(&self) -> bool {
        self.overflow.get()
    }

    pub(super) fn constant(&self, truth: bool) -> Bdd {
        if truth { self.set.mk_true() } else { self.set.mk_false() }
    }

    pub(super) fn variable(&self, index: usize) -> Bdd {
        self.set.mk_var(self.variables[index])
    }

    pub(super) fn and(&self, a: &Bdd, b: &Bdd) -> Bdd {
        if a.is_false() || b.is_true() {
            return a.clone();
        }
        if b.is_false() || a.is_true() {
            return b.clone();
        }
        self.limited(a, b, op_function::and)
    }

    pub(super) fn or(&self, a: &Bdd, b: &Bdd) -> Bdd {
        if a.is_true() || b.is_false() {
            return a.clone();
        }
        if b.is_true() || a.is_false() {
            return b.clone();
        }
        self.limited(a, b, op_function::or)
    }

    pub(super) fn differ(&self, a: &Bdd, b: &Bdd) -> Bdd {
        self.limited(a, b, op_function::xor)
    }

    pub(super) fn choose(&self, condition: &Bdd, then: &Bdd, other: &Bdd) -> Bdd {
        self.or(&self.and(condition, then), &self.and(&condition.not(), other))
    }

    fn limited(&self, a: &Bdd, b: &Bdd, op: fn(Option<bool>, Option<bool>) -> Option<bool>) -> Bdd {
        let limit = MAX_NODES.min(self.left.get());
        let made = (!self.overflow.get()).then(|| Bdd::binary_op_with_limit(limit, a, b, op));
        match made.flatten() {
            Some(made) => {
                self.left.set(self.left.get().saturating_sub(made.size()));
                made
            }
            None => {
                self.overflow.set(true);
                self.set.mk_false()
            }
        }
    }

    /// One way to make `function` true: variables by index, with their values; as few as a short
    /// search finds.
    pub(super) fn example(&self, function: &Bdd) -> Vec<(usize, bool)> {
        let Some(clause) = function.most_free_clause() else { return Vec::new() };
        let mut found: Vec<(usize, bool)> =
            clause.to_values().into_iter().map(|(v, value)| (v.to_index(), value)).collect();
        found.sort_unstable();
        found
    }
}
