//! What conditions depend on, and each condition as a function of it.
//!
//! A macro that nothing is known of is either undefined or some integer. Conditions tell integers apart
//! at a few bounds only, so "is at least `b`" for each bound is all there is to know, and of two bounds
//! the greater implies the lesser by construction. Settings that exclude each other (the compilers)
//! are told apart by further variables. What can't be read as a comparison with a constant is a fact
//! of its own, the same wherever the same words stand.

use std::collections::{BTreeMap, BTreeSet};

use biodivine_lib_bdd::Bdd;

use super::algebra::Algebra;
use super::expression::{Expression, Node, NodeId, Subject};
use crate::preprocess::settings::{EntryId, Known, Settings};
use crate::preprocess::value::{Arithmetic, Value};

/// What is held true of a macro where a condition stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Belief {
    /// Nothing; the number tells definitions apart that stand between two conditions.
    Free(u32, u32),
    /// What the settings say.
    Set(EntryId),
    /// It is hard-wired, but nothing defines it in the kernel form.
    Lost,
}

/// A macro at a place.
pub(super) type Holder = (Subject, Belief);

/// A condition with what is held true of each name in it.
pub(super) struct Condition {
    pub(super) expression: Expression,
    pub(super) beliefs: BTreeMap<Vec<u8>, Belief>,
    /// The names as written, before values were put in.
    pub(super) written: Vec<Vec<u8>>,
}

/// What a node comes to in one world, but for those that only join others.
enum Test {
    Decided(bool),
    /// A macro's value compared with a constant.
    Compare(Holder, Arithmetic, i128),
    /// One truth if the node is true, another if it isn't.
    Either(NodeId, bool, bool),
    /// Nothing is known but that the words are the same elsewhere, with what is held true of each.
    Words(Vec<u8>, Vec<u8>),
}

impl Condition {
    fn holder(&self, subject: &Subject) -> Holder {
        let belief = self.beliefs.get(&subject.name).copied().unwrap_or(Belief::Free(0, 0));
        (subject.clone(), belief)
    }

    /// The values of all nodes in one world.
    fn values(&self, settings: &Settings, world: usize) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(self.expression.nodes.len());
        for node in &self.expression.nodes {
            let value = |id: &NodeId| values[*id];
            let truth = |id: &NodeId| values[*id].truth();
            values.push(match node {
                Node::Constant(value) => *value,
                Node::Value(subject) => {
                    let (_, belief) = self.holder(subject);
                    match (known(belief, settings, world), subject.call.is_empty()) {
                        (Known::Defined(value), _) => value,
                        (Known::Undefined, true) => Value::int(0),
                        _ => Value::Unknown,
                    }
                }
                Node::Defined(subject) => {
                    let (_, belief) = self.holder(subject);
                    Value::truth_of(match known(belief, settings, world) {
                        Known::Free => None,
                        Known::Undefined => Some(false),
                        Known::Defined(_) => Some(true),
                    })
                }
                Node::Not(a) => Value::truth_of(truth(a).map(|truth| !truth)),
                Node::And(a, b) => Value::truth_of(match (truth(a), truth(b)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }),
                Node::Or(a, b) => Value::truth_of(match (truth(a), truth(b)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }),
                Node::Choice(c, a, b) => Value::choose(truth(c), value(a), value(b)),
                Node::Minus(a) => value(a).negate(),
                Node::Complement(a) => value(a).complement(),
                Node::Arithmetic(op, a, b) => value(a).binary(*op, value(b)),
                Node::Opaque => Value::Unknown,
            });
        }
        values
    }

    fn test(&self, id: NodeId, values: &[Value], world: usize, settings: &Settings) -> Test {
        if let Some(truth) = values[id].truth() {
            return Test::Decided(truth);
        }
        match &self.expression.nodes[id] {
            Node::Value(subject) if !self.is_broken(subject, world, settings) => {
                Test::Compare(self.holder(subject), Arithmetic::Ne, 0)
            }
            Node::Arithmetic(op, a, b) => {
                let signed = |id: &NodeId| match values[*id] {
                    Value::Int { lo, hi, unsigned: false } if lo == hi => Some(lo),
                    _ => None,
                };
                let (node, op, constant) = match (mirrored(*op), signed(a), signed(b)) {
                    (Some(_), _, Some(constant)) => (*a, *op, constant),
                    (Some(mirrored), Some(constant), _) => (*b, mirrored, constant),
                    _ => return self.words(id),
                };
                let found = match &self.expression.nodes[node] {
                    Node::Value(subject) if self.is_broken(subject, world, settings) => None,
                    _ => self.compare(node, op, constant),
                };
                found.unwrap_or_else(|| self.words(id))
            }
            _ => self.words(id),
        }
    }

    /// A call of what isn't defined is no expression at all.
    fn is_broken(&self, subject: &Subject, world: usize, settings: &Settings) -> bool {
        let belief = self.holder(subject).1;
        !subject.call.is_empty() && known(belief, settings, world) == Known::Undefined
    }

    fn compare(&self, node: NodeId, op: Arithmetic, constant: i128) -> Option<Test> {
        match &self.expression.nodes[node] {
            Node::Value(subject) => Some(Test::Compare(self.holder(subject), op, constant)),
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Defined(_) => {
                let truth = |value: i64| {
                    let constant = Value::exact(constant, false);
                    Value::int(value).binary(op, constant).truth().unwrap_or(false)
                };
                Some(Test::Either(node, truth(1), truth(0)))
            }
            _ => None,
        }
    }

    /// The words of a node, with what is held true of each name.
    fn words(&self, id: NodeId) -> Test {
        let (from, to) = self.expression.words[id];
        let (mut all, mut held) = (Vec::new(), Vec::new());
        for word in &self.expression.tokens[from..to] {
            all.extend_from_slice(&word.text);
            match self.beliefs.get(&word.text) {
                Some(Belief::Free(a, b)) if (*a, *b) != (0, 0) => {
                    held.extend_from_slice(format!("{a}.{b}").as_bytes());
                }
                Some(Belief::Lost) => held.extend_from_slice(b"lost"),
                _ => {}
            }
            all.push(b' ');
            held.push(b' ');
        }
        Test::Words(all, held)
    }
}

/// The bounds that a comparison asks about.
fn bounds(op: Arithmetic, constant: i128) -> Vec<i128> {
    let next = constant.saturating_add(1);
    match op {
        Arithmetic::Lt | Arithmetic::Ge => vec![constant],
        Arithmetic::Le | Arithmetic::Gt => vec![next],
        _ => vec![constant, next],
    }
}

/// A comparison with its sides exchanged; `None` for what compares nothing.
fn mirrored(op: Arithmetic) -> Option<Arithmetic> {
    use Arithmetic::{Eq, Ge, Gt, Le, Lt, Ne};
    Some(match op {
        Lt => Gt,
        Le => Ge,
        Gt => Lt,
        Ge => Le,
        Eq => Eq,
        Ne => Ne,
        _ => return None,
    })
}

/// One variable of the functions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fact {
    /// A bit of the number of the alternative that holds.
    World(u32),
    Defined(Holder),
    /// At least this bound, given that it is at least the one before.
    AtLeast(Holder, i128),
    /// These words are true, under these beliefs.
    Words(Vec<u8>, Vec<u8>),
}

/// The facts of a set of conditions.
pub(super) struct Facts<'a> {
    settings: &'a Settings,
    pub(super) list: Vec<Fact>,
    index: BTreeMap<Fact, usize>,
    bounds: BTreeMap<Holder, BTreeSet<i128>>,
    pub(super) algebra: Algebra,
}

impl<'a> Facts<'a> {
    /// Gathers the facts that the conditions depend on; `None` where there are too many.
    pub(super) fn of(settings: &'a Settings, conditions: &[&Condition]) -> Option<Facts<'a>> {
        let mut gathered = Gathered::default();
        for condition in conditions {
            gathered.condition(condition, settings);
        }
        let Gathered { defined, bounds, words } = gathered;
        let mut list: Vec<Fact> = (0..bits(settings)).map(Fact::World).collect();
        let holders: BTreeSet<&Holder> = defined.iter().chain(bounds.keys()).collect();
        for holder in holders {
            list.push(Fact::Defined(holder.clone()));
            let bounds = bounds.get(holder).into_iter().flatten();
            list.extend(bounds.map(|bound| Fact::AtLeast(holder.clone(), *bound)));
        }
        list.extend(words.into_iter().map(|(words, held)| Fact::Words(words, held)));
        let index = list.iter().cloned().zip(0..).collect();
        let algebra = Algebra::new(list.len())?;
        Some(Facts { settings, list, index, bounds, algebra })
    }

    /// The condition as a function of the facts.
    pub(super) fn truth(&self, condition: &Condition) -> Bdd {
        let worlds: Vec<Vec<Value>> =
            (0..self.settings.worlds()).map(|w| condition.values(self.settings, w)).collect();
        let mut truths: Vec<Bdd> = Vec::with_capacity(condition.expression.nodes.len());
        for (id, node) in condition.expression.nodes.iter().enumerate() {
            let algebra = &self.algebra;
            let truth = match node {
                Node::Defined(subject) => self.defined(&condition.holder(subject)),
                Node::Not(a) => truths[*a].not(),
                Node::Minus(a) => truths[*a].clone(),
                Node::And(a, b) => algebra.and(&truths[*a], &truths[*b]),
                Node::Or(a, b) => algebra.or(&truths[*a], &truths[*b]),
                Node::Choice(c, a, b) => algebra.choose(&truths[*c], &truths[*a], &truths[*b]),
                _ => self.by_world(|world| {
                    let test = condition.test(id, &worlds[world], world, self.settings);
                    self.test(&test, world, &truths)
                }),
            };
            truths.push(truth);
        }
        truths.swap_remove(condition.expression.root)
    }

    fn test(&self, test: &Test, world: usize, truths: &[Bdd]) -> Bdd {
        let algebra = &self.algebra;
        match test {
            Test::Decided(truth) => algebra.constant(*truth),
            Test::Compare(holder, op, constant) => {
                let low = || self.at_least(holder, *constant, world);
                let high = || self.at_least(holder, constant.saturating_add(1), world);
                match op {
                    Arithmetic::Lt => low().not(),
                    Arithmetic::Le => high().not(),
                    Arithmetic::Gt => high(),
                    Arithmetic::Ge => low(),
                    Arithmetic::Eq => algebra.and(&low(), &high().not()),
                    _ => algebra.or(&low().not(), &high()),
                }
            }
            Test::Either(node, if_true, if_false) => {
                let [yes, no] = [if_true, if_false].map(|truth| algebra.constant(*truth));
                algebra.choose(&truths[*node], &yes, &no)
            }
            Test::Words(words, held) => self.fact(&Fact::Words(words.clone(), held.clone())),
        }
    }

    fn fact(&self, fact: &Fact) -> Bdd {
        match self.index.get(fact) {
            Some(index) => self.algebra.variable(*index),
            // Gathering goes over the same tests; there is none that it leaves out.
            None => self.algebra.constant(false),
        }
    }

    /// That alternative `world` holds. Numbers that no alternative has stand for the first.
    fn world(&self, world: usize) -> Bdd {
        let number = |number: usize| {
            let mut all = self.algebra.constant(true);
            for bit in 0..bits(self.settings) {
                let variable = self.fact(&Fact::World(bit));
                let is = if number >> bit & 1 == 1 { variable } else { variable.not() };
                all = self.algebra.and(&all, &is);
            }
            all
        };
        let mut holds = number(world);
        if world == 0 {
            for unused in self.settings.worlds()..1 << bits(self.settings) {
                holds = self.algebra.or(&holds, &number(unused));
            }
        }
        holds
    }

    /// A function that depends on the alternative that holds.
    fn by_world(&self, of: impl Fn(usize) -> Bdd) -> Bdd {
        let worlds: Vec<Bdd> = (0..self.settings.worlds()).map(of).collect();
        if let Some((first, rest)) = worlds.split_first()
            && rest.iter().all(|other| other == first)
        {
            return first.clone();
        }
        let mut all = self.algebra.constant(false);
        for (world, function) in worlds.iter().enumerate() {
            all = self.algebra.or(&all, &self.algebra.and(&self.world(world), function));
        }
        all
    }

    fn defined(&self, holder: &Holder) -> Bdd {
        self.by_world(|world| match known(holder.1, self.settings, world) {
            Known::Undefined => self.algebra.constant(false),
            Known::Defined(_) => self.algebra.constant(true),
            Known::Free => self.fact(&Fact::Defined(holder.clone())),
        })
    }

    fn at_least(&self, holder: &Holder, bound: i128, world: usize) -> Bdd {
        let decided = |truth: bool| self.algebra.constant(truth);
        match known(holder.1, self.settings, world) {
            Known::Undefined => decided(0 >= bound),
            Known::Defined(Value::Int { lo, .. }) if lo >= bound => decided(true),
            Known::Defined(Value::Int { hi, .. }) if hi < bound => decided(false),
            Known::Defined(Value::Int { lo, .. }) => self.chain(holder, lo, bound),
            Known::Defined(Value::Unknown) => self.chain(holder, i128::MIN, bound),
            Known::Free if !holder.0.call.is_empty() => self.chain(holder, i128::MIN, bound),
            Known::Free => {
                let defined = self.fact(&Fact::Defined(holder.clone()));
                let at_least = self.chain(holder, i128::MIN, bound);
                self.algebra.choose(&defined, &at_least, &decided(0 >= bound))
            }
        }
    }

    /// What is at least a bound is at least every bound below.
    fn chain(&self, holder: &Holder, above: i128, bound: i128) -> Bdd {
        let mut all = self.algebra.constant(true);
        for bound in self.bounds.get(holder).into_iter().flat_map(|b| b.range(..=bound)) {
            if *bound > above {
                all = self.algebra.and(&all, &self.fact(&Fact::AtLeast(holder.clone(), *bound)));
            }
        }
        all
    }
}

/// Variables that tell the alternatives apart.
fn bits(settings: &Settings) -> u32 {
    usize::BITS - settings.worlds().saturating_sub(1).leading_zeros()
}

fn known(belief: Belief, settings: &Settings, world: usize) -> Known {
    match belief {
        Belief::Free(..) => Known::Free,
        Belief::Lost => Known::Undefined,
        Belief::Set(id) => settings.entry(id).known[world],
    }
}

#[derive(Default)]
struct Gathered {
    defined: BTreeSet<Holder>,
    bounds: BTreeMap<Holder, BTreeSet<i128>>,
    words: BTreeSet<(Vec<u8>, Vec<u8>)>,
}

impl Gathered {
    fn condition(&mut self, condition: &Condition, settings: &Settings) {
        for world in 0..settings.worlds() {
            let values = condition.values(settings, world);
            for (id, node) in condition.expression.nodes.iter().enumerate() {
                match node {
                    Node::Defined(subject) => {
                        let holder = condition.holder(subject);
                        if known(holder.1, settings, world) == Known::Free {
                            self.defined.insert(holder);
                        }
                    }
                    Node::Value(_) | Node::Arithmetic(..) | Node::Complement(_) | Node::Opaque => {
                        match condition.test(id, &values, world, settings) {
                            Test::Compare(holder, op, constant) => {
                                self.bounds.entry(holder).or_default().extend(bounds(op, constant));
                            }
                            Test::Words(words, held) => _ = self.words.insert((words, held)),
                            Test::Decided(_) | Test::Either(..) => {}
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}
