//! Conditional groups that cut a statement in two, which no grammar of C can take, and the choice of
//! branches with which it can.

use crate::preprocess::lexer::{Directive, Keyword};

use super::lexed::{Code, Lexed};

/// Most ways in which the branches of one file are chosen. Files of real libraries need two.
pub(super) const MAX_CHOICES: usize = 16;

/// A run of code tokens and the directive in front of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// Place in `Lexed::directives`.
    pub(super) directive: usize,
    /// Places in `Lexed::code`.
    pub(super) start: usize,
    end: usize,
    /// How many choices it takes to see every token inside.
    choices: usize,
}

/// A conditional group, with all its branches.
#[derive(Debug)]
pub(super) struct Group {
    /// The branches, in order.
    pub(super) branches: Vec<Branch>,
    /// Place of the `#endif` in `Lexed::directives`.
    pub(super) end: usize,
    /// The group that holds this one, and in which of its branches.
    parent: Option<(usize, usize)>,
    /// Whether it cuts a statement.
    pub(super) cuts: bool,
    /// How many choices it takes to see every token of it.
    choices: usize,
}

/// The groups of a file, outer before inner.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// The groups that are closed; an unclosed one is left to the grammar to complain about.
    pub(super) list: Vec<Group>,
    /// How many choices it takes to see every token of the file.
    pub(super) choices: usize,
}

/// For each group the branch that is kept; `None` where all are, or where the group goes as a whole.
pub(super) type Choice = Vec<Option<usize>>;

impl Groups {
    pub(super) fn find(lexed: &Lexed<'_>) -> Groups {
        Finder::new(lexed).run()
    }

    /// The `number`th choice of branches: over all numbers below `choices`, every token is kept at
    /// least once.
    pub(super) fn choose(&self, number: usize) -> Choice {
        let mut inner = vec![0; self.list.len()];
        let mut kept_inner: Vec<Vec<usize>> = Vec::with_capacity(self.list.len());
        let mut choice = Vec::with_capacity(self.list.len());
        for (id, group) in self.list.iter().enumerate() {
            let number = match group.parent {
                Some((parent, branch)) => kept_inner[parent][branch],
                None => number,
            };
            inner[id] = number.min(group.choices - 1);
            let mut rest = inner[id];
            let mut kept = None;
            let mut each = Vec::with_capacity(group.branches.len());
            for (at, branch) in group.branches.iter().enumerate() {
                each.push(if group.cuts { rest } else { number });
                if group.cuts && kept.is_none() {
                    if rest < branch.choices {
                        kept = Some(at);
                    } else {
                        rest -= branch.choices;
                    }
                }
            }
            kept_inner.push(each);
            choice.push(kept);
        }
        choice
    }
}

/// What surrounds a place in the code.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    /// Innermost open bracket, as a place in `Finder::brackets`.
    bracket: Option<usize>,
    /// The code token before, as a place in `Lexed::code`.
    before: Option<usize>,
}

/// An open bracket; brackets form a tree, so that a branch can go back to where its group began.
struct Bracket {
    byte: u8,
    initialiser: bool,
    outer: Option<usize>,
}

struct Finder<'a> {
    lexed: &'a Lexed<'a>,
    brackets: Vec<Bracket>,
    state: State,
    open: Vec<OpenGroup>,
    groups: Vec<Option<Group>>,
}

struct OpenGroup {
    id: usize,
    branches: Vec<Branch>,
    parent: Option<(usize, usize)>,
    entry: State,
    first_exit: Option<State>,
    cuts: bool,
    has_else: bool,
}

impl<'a> Finder<'a> {
    fn new(lexed: &'a Lexed<'a>) -> Finder<'a> {
        let state = State { bracket: None, before: None };
        Finder { lexed, brackets: Vec::new(), state, open: Vec::new(), groups: Vec::new() }
    }

    fn run(mut self) -> Groups {
        let mut at = 0;
        for (place, directive) in self.lexed.directives.iter().enumerate() {
            while at < self.lexed.code.len() && self.lexed.code[at].span.start < directive.hash {
                self.code(at);
                at += 1;
            }
            self.directive(place, directive, at);
        }
        self.finish()
    }

    fn directive(&mut self, place: usize, directive: &Directive, at: usize) {
        match directive.keyword {
            keyword if keyword.opens() => self.open_group(place, at),
            Keyword::Elif | Keyword::Elifdef | Keyword::Elifndef | Keyword::Else => {
                let last = directive.keyword == Keyword::Else;
                // `#else` after `#else` is an error that the grammar must see.
                if self.open.last().is_some_and(|group| !group.has_else) {
                    self.close_branch(at);
                    let branch = Branch { directive: place, start: at, end: at, choices: 1 };
                    if let Some(group) = self.open.last_mut() {
                        group.has_else = last;
                        group.branches.push(branch);
                        self.state = group.entry;
                    }
                }
            }
            Keyword::Endif if !self.open.is_empty() => {
                self.close_branch(at);
                self.close_group(place, at);
            }
            _ => {}
        }
    }

    fn open_group(&mut self, place: usize, at: usize) {
        let id = self.groups.len();
        self.groups.push(None);
        let parent = self.open.last().map(|outer| (outer.id, outer.branches.len() - 1));
        self.open.push(OpenGroup {
            id,
            branches: vec![Branch { directive: place, start: at, end: at, choices: 1 }],
            parent,
            entry: self.state,
            first_exit: None,
            cuts: self.inside_statement(self.state),
            has_else: false,
        });
    }

    /// Whether a directive here stands inside a statement, a declaration or an expression.
    fn inside_statement(&self, state: State) -> bool {
        let bracket = state.bracket.and_then(|b| self.brackets.get(b));
        let enclosed = bracket.is_some_and(|b| b.byte != b'{' || b.initialiser);
        let before = state.before.map(|b| self.lexed.code[b]);
        enclosed || before.is_some_and(|t| !matches!(t.punct, b';' | b'{' | b'}' | b':'))
    }

    fn close_branch(&mut self, at: usize) {
        let state = self.state;
        let Some(group) = self.open.last_mut() else { return };
        let Some(branch) = group.branches.last_mut() else { return };
        branch.end = at;
        let code = &self.lexed.code[branch.start..at];
        if let (Some(first), Some(last)) = (code.first(), code.last()) {
            group.cuts |= continues_statement(self.lexed, first)
                || !matches!(last.punct, b';' | b'}' | b':')
                || state.bracket != group.entry.bracket;
        }
        // Branches that are only there to refuse a setting say nothing of what comes after.
        let refuses = group.first_exit.is_some_and(|exit| exit == group.entry);
        if group.first_exit.is_none() || refuses {
            group.first_exit = Some(state);
        }
    }

    fn close_group(&mut self, place: usize, at: usize) {
        let Some(group) = self.open.pop() else { return };
        let next = self.lexed.code.get(at);
        let cuts = group.cuts || next.is_some_and(|t| self.lexed.is_word(t, b"else"));
        self.state = group.first_exit.unwrap_or(group.entry);
        self.groups[group.id] = Some(Group {
            branches: group.branches,
            end: place,
            parent: group.parent,
            cuts,
            choices: 1,
        });
    }

    fn code(&mut self, at: usize) {
        let token = &self.lexed.code[at];
        match token.punct {
            b'(' | b'[' | b'{' => {
                let outer = self.state.bracket;
                let initialiser = token.punct == b'{' && self.is_initialiser();
                self.brackets.push(Bracket { byte: token.punct, initialiser, outer });
                self.state.bracket = Some(self.brackets.len() - 1);
            }
            b')' | b']' | b'}' => {
                let outer = self.state.bracket.and_then(|b| self.brackets.get(b)?.outer);
                self.state.bracket = outer;
            }
            _ => {}
        }
        self.state.before = Some(at);
    }

    fn is_initialiser(&self) -> bool {
        let before = self.state.before.map(|b| &self.lexed.code[b]);
        let outer = self.state.bracket.and_then(|b| self.brackets.get(b));
        // A brace right behind a parenthesis opens a statement expression.
        let block = before.is_some_and(|t| t.punct == b'(');
        let inside = outer.is_some_and(|b| b.byte != b'{' || b.initialiser);
        before.is_some_and(|t| t.punct == b'=') || (inside && !block)
    }

    fn finish(mut self) -> Groups {
        // Groups that are never closed leave holes; those inside them become outermost.
        let mut place_of: Vec<Option<usize>> = Vec::with_capacity(self.groups.len());
        let mut list: Vec<Group> = Vec::new();
        for group in self.groups.drain(..) {
            place_of.push(group.is_some().then_some(list.len()));
            list.extend(group);
        }
        for group in &mut list {
            group.parent = group.parent.and_then(|(id, branch)| Some((place_of[id]?, branch)));
        }
        let mut choices = 1;
        for id in (0..list.len()).rev() {
            let all = list[id].branches.iter().map(|b| b.choices);
            let own: usize = if list[id].cuts { all.sum() } else { all.max().unwrap_or(1) };
            list[id].choices = own;
            match list[id].parent {
                Some((parent, branch)) => {
                    let outer = &mut list[parent].branches[branch].choices;
                    *outer = own.max(*outer);
                }
                None => choices = own.max(choices),
            }
        }
        Groups { list, choices }
    }
}

/// Whether a token goes on with a statement begun before.
fn continues_statement(lexed: &Lexed<'_>, token: &Code) -> bool {
    if token.is_punct() {
        let starts = matches!(token.punct, b'{' | b'(' | b';' | b'*' | b'[')
            || matches!(&*lexed.text(token), b"++" | b"--");
        return !starts;
    }
    lexed.is_word(token, b"else")
}
