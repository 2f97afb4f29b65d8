//! Functions that call themselves, by whatever way: the kernel's stack is small and fixed.

use std::collections::HashMap;
use std::sync::Arc;

use super::RECURSION;
use super::facts::{Call, Facts};
use super::lists::Lists;
use super::point::Point;
use crate::finding::{Finding, Findings};
use crate::pipeline::OutputFile;
use crate::text::{Quick, Span, TreePath};

/// Most definitions of one name that a call may lead to.
const MOST_DEFINITIONS: usize = 64;

/// A function or macro of the import.
struct Node<'a> {
    file: usize,
    name: &'a str,
    /// Where its name stands; macros have none to show.
    span: Option<Span>,
    calls: &'a [Call],
}

pub(super) fn check(
    lists: &Lists<'_>,
    files: &[(&TreePath, &OutputFile)],
    facts: &[Arc<Facts>],
) -> Findings {
    let graph = Graph::new(facts);
    let mut findings = Findings::default();
    for cycle in graph.cycles() {
        let functions: Vec<&Node<'_>> =
            cycle.iter().map(|&n| &graph.nodes[n]).filter(|node| node.span.is_some()).collect();
        let Some(first) = functions.iter().min_by_key(|node| (node.file, node.span)) else {
            continue;
        };
        if functions.iter().any(|node| lists.recursive.rule(node.name).is_some()) {
            continue;
        }
        let message = match functions.as_slice() {
            [one] => format!("`{}` calls itself", one.name),
            several => {
                let names: Vec<String> = several.iter().map(|n| format!("`{}`", n.name)).collect();
                format!("functions call each other in a circle: {}", names.join(", "))
            }
        };
        let mut finding = Finding::error(RECURSION, message);
        let mut ordered = functions.clone();
        ordered.sort_by_key(|node| (node.file != first.file, node.file, node.span));
        for node in ordered {
            if let Some(span) = node.span {
                finding = Point::new(files[node.file].1).at(finding, span, "defined here");
            }
        }
        findings.push(finding.hint(
            "the kernel's stack is small: use a loop, or list it by a rule of kind allowed that \
             says why its depth is bounded",
        ));
    }
    findings
}

struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    next: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn new(facts: &'a [Arc<Facts>]) -> Graph<'a> {
        let mut nodes = Vec::new();
        let mut local: HashMap<(usize, &str), Vec<usize>, Quick> = HashMap::default();
        let mut global: HashMap<&str, Vec<usize>, Quick> = HashMap::default();
        for (file, facts) in facts.iter().enumerate() {
            for function in &facts.functions {
                let (name, at) = (function.name.as_str(), nodes.len());
                local.entry((file, name)).or_default().push(at);
                if !function.is_static || function.in_header {
                    global.entry(name).or_default().push(at);
                }
                nodes.push(Node { file, name, span: Some(function.span), calls: &function.calls });
            }
            for (name, defined) in
                facts.macros.iter().flat_map(|(n, list)| list.iter().map(move |d| (n, d)))
            {
                global.entry(name).or_default().push(nodes.len());
                nodes.push(Node { file, name, span: None, calls: &defined.calls });
            }
        }
        let next = nodes.iter().map(|node| {
            let mut next: Vec<usize> = Vec::new();
            for call in node.calls {
                let own = local.get(&(node.file, call.name.as_str()));
                let found = own.or_else(|| global.get(call.name.as_str()));
                // In the body of a macro its own name stands for the function.
                let itself = |n: &usize| {
                    node.span.is_none() && nodes[*n].span.is_none() && nodes[*n].name == node.name
                };
                next.extend(
                    found
                        .into_iter()
                        .flatten()
                        .copied()
                        .take(MOST_DEFINITIONS)
                        .filter(|n| !itself(n)),
                );
            }
            next.sort_unstable();
            next.dedup();
            next
        });
        let next = next.collect();
        Graph { nodes, next }
    }

    /// The sets of nodes that lead back to themselves (Tarjan's algorithm, with a stack of its own).
    fn cycles(&self) -> Vec<Vec<usize>> {
        let count = self.nodes.len();
        let (mut index, mut low) = (vec![usize::MAX; count], vec![0; count]);
        let mut on_stack = vec![false; count];
        let (mut stack, mut found, mut counter) = (Vec::new(), Vec::new(), 0);
        for root in 0..count {
            if index[root] != usize::MAX {
                continue;
            }
            let mut work = vec![(root, 0)];
            while let Some((node, edge)) = work.pop() {
                if edge == 0 {
                    (index[node], low[node]) = (counter, counter);
                    counter += 1;
                    stack.push(node);
                    on_stack[node] = true;
                }
                if let Some(&next) = self.next[node].get(edge) {
                    work.push((node, edge + 1));
                    if index[next] == usize::MAX {
                        work.push((next, 0));
                    } else if on_stack[next] {
                        low[node] = low[node].min(index[next]);
                    }
                    continue;
                }
                if let Some(&(above, _)) = work.last() {
                    low[above] = low[above].min(low[node]);
                }
                if low[node] == index[node] {
                    let at = stack.iter().rposition(|&n| n == node).unwrap_or(0);
                    let set = stack.split_off(at);
                    set.iter().for_each(|&n| on_stack[n] = false);
                    if set.len() > 1 || self.next[node].contains(&node) {
                        found.push(set);
                    }
                }
            }
        }
        found
    }
}
