//! Names as numbers, and texts in these: done once for trees that have most texts in common.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use super::Text;
use super::scan::{Item, Scanned};
use super::world::{Macro, Name, Region, Word};
use crate::memo::{Held, Key, KeyMaker, Memo};
use crate::preprocess::lexer::TokenKind;
use crate::syntax::Code;
use crate::text::{Quick, Span};

/// Most names; text that has more isn't meant seriously, and a table that long is left behind.
const MAX_NAMES: usize = 1 << 18;

/// Names and their numbers.
#[derive(Clone)]
pub(super) struct Names {
    numbers: HashMap<Arc<[u8]>, Name, Quick>,
    texts: Vec<Arc<[u8]>>,
}

/// Names that grow from tree to tree, so that a file keeps its numbers.
pub(super) struct Table(Mutex<Arc<Names>>);

impl Held for Table {
    fn weight(&self) -> usize {
        0
    }
}

/// A text on its way: what is known of it, or else its parts.
type Due<'a> = ((Text<'a>, Option<Arc<Named>>), Option<Scanned<'a>>);

impl Table {
    /// The table of all that this memo holds.
    pub(super) fn of(memo: &Memo) -> Arc<Table> {
        let key = memo.key("names", |_| {});
        let new = || Table(Mutex::new(Arc::new(Names::new())));
        let table = memo.get(key, new);
        let len = table.names().len();
        if len > MAX_NAMES { memo.put(key, new()) } else { table }
    }

    /// Another number than that of any table that anything known was named by: that holds its table.
    pub(super) fn id(self: &Arc<Table>) -> usize {
        Arc::as_ptr(self) as usize
    }

    fn names(&self) -> Arc<Names> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts names to texts.
    pub(super) fn name<'a>(
        self: &Arc<Table>,
        texts: impl Iterator<Item = Due<'a>>,
        keep: impl Fn(&Text<'a>, Named) -> Arc<Named>,
    ) -> (Arc<Names>, BTreeMap<&'a [u8], Arc<Named>>) {
        let mut named = BTreeMap::new();
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for ((text, known), scanned) in texts {
            let of = match (known, scanned) {
                (Some(known), _) => known,
                (None, Some(scanned)) => {
                    keep(&text, Arc::make_mut(&mut names).name(scanned, Arc::clone(self)))
                }
                (None, None) => continue,
            };
            named.insert(text.bytes, of);
        }
        (Arc::clone(&names), named)
    }
}

/// A file in names.
pub(super) struct Named {
    /// What stands at file scope, in order.
    pub(super) items: Vec<Item>,
    /// What its include directives name.
    pub(super) includes: Vec<String>,
    /// Its code.
    pub(super) words: Arc<Vec<Word>>,
    /// Its macros with their names; in which file of a tree it stands is left open.
    pub(super) macros: Vec<(Name, Macro)>,
    /// Macros that it undefines.
    pub(super) undefines: Vec<Name>,
    /// Key of the text.
    pub(super) key: Option<Key>,
    /// Key of the names in it, in their order, wherever they stand.
    pub(super) sense: Option<Key>,
    /// The same without the bodies of functions: all that other files see of it.
    pub(super) outside: Option<Key>,
    /// What gave the names their numbers.
    _table: Arc<Table>,
}

impl Named {
    /// Notes its keys.
    pub(super) fn keys(&mut self, memo: &Memo, key: Option<Key>) {
        self.key = key;
        self.outside = memo.key("outside", |key| self.add(key, false));
        self.sense = memo.key("sense", |key| self.add(key, true));
    }

    fn add(&self, key: &mut KeyMaker, bodies: bool) {
        key.number(Arc::as_ptr(&self._table) as usize);
        key.number(self.undefines.len()).number(self.includes.len()).number(self.macros.len());
        self.undefines.iter().for_each(|name| _ = key.number(*name as usize));
        self.includes.iter().for_each(|include| _ = key.text(include));
        for (name, of) in &self.macros {
            let flags = 4 * usize::from(of.parameters.is_some())
                + 2 * usize::from(of.variadic)
                + usize::from(of.conditional);
            key.number(*name as usize).number(flags);
            let parameters = of.parameters.as_ref().map_or(&[][..], |names| names.as_slice());
            key.number(parameters.len());
            parameters.iter().for_each(|name| _ = key.number(*name as usize));
            add_words(key, of.body.words());
            // The parts that are no names count where names are put together.
            key.text(&format!("{:?}", of.makes));
        }
        for item in &self.items {
            let words = self.words.get(item.code.clone()).unwrap_or_default();
            let open = words.iter().position(|word| word.punct == b'{').filter(|_| item.body);
            let end = if bodies { words.len() } else { open.unwrap_or(words.len()) };
            let flags =
                4 * usize::from(item.body) + 2 * usize::from(item.value) + usize::from(item.braces);
            key.number(flags);
            for list in [&item.called, &item.plain, &item.declared] {
                key.number(list.len());
                for &at in list {
                    let name = self.words.get(at).map_or(0, |word| word.name);
                    key.number(at.wrapping_sub(item.code.start)).number(name as usize);
                }
            }
            add_words(key, &words[..end]);
        }
    }
}

fn add_words(key: &mut KeyMaker, words: &[Word]) {
    key.number(words.len());
    let mut bytes = Vec::with_capacity(6 * words.len());
    for word in words {
        bytes.extend(word.name.to_le_bytes());
        bytes.extend([word.punct, word.pasted.into()]);
    }
    key.bytes(&bytes);
}

impl Held for Named {
    fn weight(&self) -> usize {
        let bodies: usize = self.macros.iter().map(|(_, m)| 24 * m.body.words().len() + 250).sum();
        let items = self.items.iter().map(|item| 150 + 8 * (item.plain.len() + item.called.len()));
        24 * self.words.len() + bodies + items.sum::<usize>()
    }
}

impl Names {
    /// Only the empty name.
    fn new() -> Names {
        Names { numbers: HashMap::default(), texts: vec![Arc::from(&b""[..])] }
    }

    /// The text of a name.
    pub(super) fn text(&self, name: Name) -> &[u8] {
        self.texts.get(name as usize).map_or(b"", |text| text)
    }

    /// How many names there are, the empty one included.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The name of a text that has been met.
    pub(super) fn known(&self, text: &[u8]) -> Name {
        self.numbers.get(text).copied().unwrap_or(0)
    }

    /// Puts names to a file.
    fn name(&mut self, scanned: Scanned<'_>, table: Arc<Table>) -> Named {
        let words = Arc::new(self.words(&scanned, &scanned.lexed.code));
        let macros = self.bodies(&scanned);
        let mut undefined = |span: &Span| self.intern(&scanned.lexed.text(&identifier(*span)));
        let undefines = scanned.undefined.iter().map(&mut undefined).collect();
        let Scanned { items, includes, .. } = scanned;
        let (key, sense, outside) = (None, None, None);
        Named { items, includes, words, macros, undefines, key, sense, outside, _table: table }
    }

    fn intern(&mut self, text: &[u8]) -> Name {
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = self.texts.len() as Name;
        let text: Arc<[u8]> = text.into();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, name);
        name
    }

    /// Tokens as words. Members and what is made a string stand for nothing.
    fn words(&mut self, file: &Scanned<'_>, code: &[Code]) -> Vec<Word> {
        let paste = |token: &Code| {
            token.is_punct() && matches!(token.raw(file.lexed.bytes), b"##" | b"%:%:")
        };
        let mut words = Vec::with_capacity(code.len());
        let mut before: &[u8] = b"";
        for (at, token) in code.iter().enumerate() {
            let mut word = Word { name: 0, punct: 0, pasted: false, span: token.span };
            if token.is_identifier() {
                if !matches!(before, b"." | b"->" | b"#" | b"%:") {
                    word.name = self.intern(&file.lexed.text(token));
                    word.pasted =
                        matches!(before, b"##" | b"%:%:") || code.get(at + 1).is_some_and(paste);
                }
            } else if matches!(token.punct, b'(' | b')' | b',' | b'{') {
                word.punct = token.punct;
            }
            before = if token.is_punct() { token.raw(file.lexed.bytes) } else { b"" };
            words.push(word);
        }
        words
    }

    fn bodies(&mut self, file: &Scanned<'_>) -> Vec<(Name, Macro)> {
        let mut list = Vec::with_capacity(file.macros.len());
        for text in &file.macros {
            let words = self.words(file, &text.body);
            let mut word = |span: Span| self.intern(&file.lexed.text(&identifier(span)));
            let name = word(text.name);
            let parameters = text.parameters.as_ref();
            let parameters = parameters
                .map(|list| Arc::new(list.iter().map(|span| word(*span)).collect::<Vec<Name>>()));
            let rest = usize::from(text.variadic);
            let uses = vec![false; parameters.as_ref().map_or(0, |p| p.len() + rest)];
            let names = parameters.as_ref().map_or(&[][..], |names| names.as_slice());
            let makes = Arc::new(pasted(file, &text.body, &words, names));
            let all = 0..words.len();
            let body = Region::new(0, &Arc::new(words), all);
            let (variadic, conditional) = (text.variadic, text.conditional);
            list.push((name, Macro { parameters, variadic, conditional, uses, body, makes }));
        }
        list
    }
}

fn identifier(span: Span) -> Code {
    Code { kind: TokenKind::Identifier, punct: 0, span }
}

/// The names that a body puts together by `##`.
fn pasted(
    file: &Scanned<'_>,
    body: &[Code],
    words: &[Word],
    parameters: &[Name],
) -> Vec<Vec<Option<Vec<u8>>>> {
    let mut found = Vec::new();
    let mut parts: Vec<Option<Vec<u8>>> = Vec::new();
    let mut due = false;
    for (token, word) in body.iter().zip(words) {
        let text = file.lexed.text(token);
        if token.is_punct() && matches!(&*text, b"##" | b"%:%:") {
            due = true;
            continue;
        }
        if !due && parts.len() > 1 {
            found.push(std::mem::take(&mut parts));
        }
        if !due {
            parts.clear();
        }
        due = false;
        parts.push(if parameters.contains(&word.name) { None } else { Some(text.into_owned()) });
    }
    found.extend(Some(parts).filter(|parts| parts.len() > 1));
    found
}
