//! What was measured of two forms, figure by figure.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cost, Exports, FrameCost, MachineCost, ObjectCost, Pair, WorkspaceRow, WorkspaceUse};
use crate::build::cost::{Costs, Measured, MeasuredMachine, MeasuredUse, Size};

/// How many of the largest frames of each form are told.
const LARGEST: usize = 5;
/// Smaller frames may grow: a compiler's choice what goes into its caller moves so much.
const NOTED: u64 = 256;

impl Cost {
    /// Pairs the figures of two forms; `None` unless two were measured.
    pub fn of(costs: &Costs) -> Option<Cost> {
        let [old, new] = &costs.forms[..] else { return None };
        let mut notes: Vec<String> = Vec::new();
        for note in costs.notes.iter().chain(&old.notes).chain(&new.notes) {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        Some(Cost {
            workspaces: workspaces(&old.workspaces, &new.workspaces),
            machines: machines(old, new),
            exports: old.exports.as_ref().zip(new.exports.as_ref()).map(exports),
            notes,
        })
    }
}

/// The keys of both, in order.
fn keys<'m, K: Ord, A, B>(old: &'m BTreeMap<K, A>, new: &'m BTreeMap<K, B>) -> BTreeSet<&'m K> {
    old.keys().chain(new.keys()).collect()
}

/// Uses in the order of the new form; those that it lacks come last.
fn workspaces(old: &[MeasuredUse], new: &[MeasuredUse]) -> Vec<WorkspaceUse> {
    let find = |all: &'_ [MeasuredUse], user: &str| all.iter().position(|one| one.user == user);
    let gone = old.iter().filter(|one| find(new, &one.user).is_none());
    let nothing = MeasuredUse::default();
    let pair = |one: &MeasuredUse| {
        let of = |all: &'_ [MeasuredUse]| find(all, &one.user).and_then(|at| all.get(at).cloned());
        let (before, after) = (of(old), of(new));
        let (before, after) =
            (before.as_ref().unwrap_or(&nothing), after.as_ref().unwrap_or(&nothing));
        let row = |level: &i32| {
            let figure = |which: usize| Pair {
                old: before.rows.get(level).and_then(|row| row[which]),
                new: after.rows.get(level).and_then(|row| row[which]),
            };
            WorkspaceRow { level: *level, compress: figure(0), decompress: figure(1) }
        };
        let rows = keys(&before.rows, &after.rows).into_iter().map(row).collect();
        WorkspaceUse { user: one.user.clone(), how: one.how.clone(), rows }
    };
    new.iter().chain(gone).map(pair).collect()
}

fn machines(old: &Measured, new: &Measured) -> Vec<MachineCost> {
    let both = new.machines.iter().filter_map(|after| {
        let before = old.machines.iter().find(|before| before.machine == after.machine)?;
        Some(MachineCost {
            machine: after.machine.to_owned(),
            compiler: after.compiler.clone(),
            frame_limit: after.frame_limit,
            frames: frames(before, after),
            objects: objects(&before.objects, &after.objects),
        })
    });
    both.collect()
}

fn frames(old: &MeasuredMachine, new: &MeasuredMachine) -> Vec<FrameCost> {
    let mut told: BTreeSet<&String> = BTreeSet::new();
    for all in [&old.frames, &new.frames] {
        let mut sorted: Vec<(&String, u64)> = all.iter().map(|(name, n)| (name, *n)).collect();
        sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        told.extend(sorted.into_iter().take(LARGEST).map(|(name, _)| name));
    }
    let grew = |(name, bytes): &(&String, &u64)| {
        **bytes >= NOTED && old.frames.get(*name).is_none_or(|before| before < *bytes)
    };
    told.extend(new.frames.iter().filter(grew).map(|(name, _)| name));
    let pair = |name: &String| FrameCost {
        function: name.clone(),
        bytes: Pair { old: old.frames.get(name).copied(), new: new.frames.get(name).copied() },
    };
    let mut frames: Vec<FrameCost> = told.into_iter().map(pair).collect();
    frames.sort_by_key(|frame| std::cmp::Reverse(frame.bytes.old.max(frame.bytes.new)));
    frames
}

fn objects(old: &BTreeMap<String, Size>, new: &BTreeMap<String, Size>) -> Vec<ObjectCost> {
    let pair = |name: &String| {
        let (old, new) = (old.get(name), new.get(name));
        let figure = |of: fn(&Size) -> u64| Pair { old: old.map(of), new: new.map(of) };
        ObjectCost {
            object: name.clone(),
            text: figure(|size| size.text),
            data: figure(|size| size.data),
        }
    };
    keys(old, new).into_iter().map(pair).collect()
}

fn exports((old, new): (&BTreeSet<String>, &BTreeSet<String>)) -> Exports {
    Exports {
        kept: old.intersection(new).count(),
        added: new.difference(old).cloned().collect(),
        removed: old.difference(new).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(frames: &[(&str, u64)], objects: &[(&str, u64, u64)]) -> MeasuredMachine {
        MeasuredMachine {
            machine: "m68k",
            compiler: "gcc 1.2 for m68k".into(),
            frame_limit: 1024,
            frames: frames.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
            objects: objects
                .iter()
                .map(|(name, text, data)| ((*name).to_owned(), Size { text: *text, data: *data }))
                .collect(),
        }
    }

    fn used(user: &str, rows: &[(i32, Option<u64>)]) -> MeasuredUse {
        let rows = rows.iter().map(|(level, bytes)| (*level, [*bytes, Some(9)])).collect();
        MeasuredUse { user: user.into(), how: String::new(), rows }
    }

    fn form(machine: MeasuredMachine, uses: Vec<MeasuredUse>, exports: Option<&str>) -> Measured {
        Measured {
            machines: vec![machine],
            exports: exports.map(|names| names.split(' ').map(str::to_owned).collect()),
            workspaces: uses,
            notes: vec!["same".into()],
        }
    }

    fn paired(old: Measured, new: Measured) -> Cost {
        Cost::of(&Costs { forms: vec![old, new], notes: vec!["first".into()] }).unwrap()
    }

    #[test]
    fn figures_stand_beside_each_other() {
        let old = form(
            machine(&[], &[("a.c", 10, 1), ("gone.c", 20, 2)]),
            vec![used("fs", &[(1, Some(5)), (2, None)]), used("lost", &[(0, None)])],
            Some("f g"),
        );
        let new = form(
            machine(&[], &[("a.c", 12, 1), ("new.c", 30, 3)]),
            vec![used("fs", &[(1, Some(6)), (3, Some(7))])],
            Some("g h i"),
        );
        let cost = paired(old, new);
        let pair = |old, new| Pair { old, new };
        let users: Vec<&str> = cost.workspaces.iter().map(|one| one.user.as_str()).collect();
        assert_eq!(users, ["fs", "lost"]);
        let rows: Vec<_> =
            cost.workspaces[0].rows.iter().map(|row| (row.level, row.compress)).collect();
        let wanted = [(1, pair(Some(5), Some(6))), (2, pair(None, None)), (3, pair(None, Some(7)))];
        assert_eq!(rows, wanted);
        assert_eq!(cost.workspaces[1].rows[0].decompress, pair(Some(9), None));
        let objects: Vec<_> = cost.machines[0]
            .objects
            .iter()
            .map(|one| (one.object.as_str(), one.text, one.data.new))
            .collect();
        let wanted = [
            ("a.c", pair(Some(10), Some(12)), Some(1)),
            ("gone.c", pair(Some(20), None), None),
            ("new.c", pair(None, Some(30)), Some(3)),
        ];
        assert_eq!(objects, wanted);
        let exports = cost.exports.unwrap();
        assert_eq!((exports.kept, exports.added.join(" ")), (1, "h i".to_owned()));
        assert_eq!(exports.removed, ["f"]);
        assert_eq!(cost.notes, ["first", "same"]);
    }

    #[test]
    fn large_frames_and_those_that_grew_are_told() {
        let old = [("a", 900), ("b", 800), ("c", 700), ("d", 600), ("e", 500)];
        let new = [("a", 300), ("b", 800), ("c", 700), ("d", 600), ("e", 500)];
        let more = [("grew", 250), ("shrank", 400), ("small", 8), ("same", 299)];
        let now = [("grew", 270), ("shrank", 320), ("small", 255), ("same", 299), ("came", 256)];
        let old = machine(&[&old[..], &more].concat(), &[]);
        let new = machine(&[&new[..], &now].concat(), &[]);
        let frames = frames(&old, &new);
        let told: Vec<&str> = frames.iter().map(|frame| frame.function.as_str()).collect();
        assert_eq!(told, ["a", "b", "c", "d", "e", "shrank", "grew", "came"]);
        assert_eq!(frames[0].bytes, Pair { old: Some(900), new: Some(300) });
        assert_eq!(frames[7].bytes, Pair { old: None, new: Some(256) });
    }

    #[test]
    fn what_one_form_does_not_know_is_not_compared() {
        let old = form(machine(&[], &[]), Vec::new(), None);
        let new = form(machine(&[], &[]), Vec::new(), Some("f"));
        assert_eq!(paired(old.clone(), new).exports, None);
        assert_eq!(Cost::of(&Costs { forms: vec![old], notes: Vec::new() }), None);
    }
}
