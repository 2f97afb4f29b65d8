//! Whether a file of the output means what the release's file means: the same tokens and the same
//! definitions, whatever the macros that the rules leave open.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::directives::hold;
use super::printed::{Token, as_held_include, held_include, read, split};
use super::settings::{Draw, Free, Kind, Setting, free};
use crate::build::{diagnostics, process};

/// How long a preprocessor may take for one file.
const PATIENCE: Duration = Duration::from_secs(60);

/// A file before and after, and all that may differ between the two.
pub(super) struct Comparison<'a> {
    /// Path, for the language (`.S` is assembly).
    pub(super) path: &'a str,
    /// The release's bytes. What a rule replaces by other text is replaced here by the caller.
    pub(super) upstream: &'a [u8],
    /// What came out.
    pub(super) output: &'a [u8],
    /// Macros that the rules know.
    pub(super) fixed: &'a [Setting],
    /// Further known macros that only go together, such as what each compiler says of itself. They
    /// are taken in turn; with none, `fixed` is all.
    pub(super) alternatives: &'a [Vec<Setting>],
    /// Macros with choices other than those that [`free`] finds.
    pub(super) free: &'a [Free],
    /// A token of the release to what stands for it in the output; `None`: the same.
    pub(super) rename: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// A header name as the release's file spells it, delimiters and all, to the spelling in the
    /// output; `None`: the output doesn't include it.
    pub(super) include: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// How many settings to compare under.
    pub(super) settings: usize,
    /// What the choice of settings depends on.
    pub(super) seed: u64,
}

/// A comparison that found no difference.
#[derive(Debug, PartialEq)]
pub(super) struct Equal {
    /// Different settings compared under: as many as wanted, or all there are.
    pub(super) settings: usize,
    /// Tokens compared, over all settings.
    pub(super) tokens: usize,
}

impl<'a> Comparison<'a> {
    /// Compares with nothing set, renamed or moved, under 8 settings.
    pub(super) fn new(path: &'a str, upstream: &'a [u8], output: &'a [u8]) -> Self {
        Comparison {
            path,
            upstream,
            output,
            fixed: &[],
            alternatives: &[],
            free: &[],
            rename: &|_| None,
            include: &|header| Some(header.to_owned()),
            settings: 8,
            seed: 1,
        }
    }

    /// Compares, in a folder that is empty. The error says where the streams part, under which settings.
    ///
    /// Settings that the release's own file rejects are passed over; it is an error if those are
    /// the most.
    pub(super) fn run(&self, compiler: Compiler<'_>, folder: &Path) -> Result<Equal, Difference> {
        let side = |name: &str, text: &[u8]| -> Result<_, Difference> {
            let side = folder.join(name);
            let written =
                fs::create_dir(&side).and_then(|()| fs::write(side.join(self.name()), hold(text)));
            written.map_err(|error| Difference::of(error.to_string())).map(|()| side)
        };
        let (before, after) = (side("before", self.upstream)?, side("after", self.output)?);
        let mut equal = Equal { settings: 0, tokens: 0 };
        let mut rejected = Vec::new();
        let wanted = self.settings.max(self.alternatives.len());
        for settings in self.plan() {
            if equal.settings == wanted {
                return Ok(equal);
            }
            let expected = match self.preprocess(compiler, &before, &settings, Side::Release) {
                Ok(tokens) => self.renamed(tokens),
                Err(error) => {
                    rejected.push(self.failure(error, &settings));
                    continue;
                }
            };
            let actual = self
                .preprocess(compiler, &after, &settings, Side::Output)
                .map_err(|error| self.failure(error, &settings))?;
            self.same(&expected, &actual).map_err(|error| self.failure(error, &settings))?;
            equal.settings += 1;
            equal.tokens += expected.len();
        }
        // With few free macros there may be fewer settings than wanted; rejections are no excuse.
        match rejected.pop() {
            Some(mut rejection) if equal.settings == 0 || rejected.len() >= equal.settings => {
                let said = rejection.what;
                rejection.what = format!("upstream's own file is rejected too often: {said}");
                Err(rejection)
            }
            _ => Ok(equal),
        }
    }

    fn name(&self) -> &'static str {
        if self.path.ends_with(".S") { "in.S" } else { "in.c" }
    }

    /// The macros that the caller has spoken for.
    fn known(&self) -> impl Iterator<Item = &Setting> {
        self.fixed.iter().chain(self.alternatives.iter().flatten())
    }

    fn all_free(&self) -> Vec<Free> {
        let mut taken: BTreeSet<&str> = self.known().map(|known| known.name.as_str()).collect();
        taken.extend(self.free.iter().map(|free| free.name.as_str()));
        let mut all = free(&[self.upstream, self.output], &taken);
        all.extend(self.free.iter().cloned());
        all
    }

    /// Different settings, more than wanted since some may be rejected: fewer only if there are no
    /// more.
    fn plan(&self) -> Vec<Vec<Setting>> {
        let free = self.all_free();
        let mut draw = Draw::new(&free, self.seed);
        let rounds = self.alternatives.len().max(1);
        let mut plan: Vec<Vec<Setting>> = Vec::new();
        for index in 0..8 * self.settings.max(rounds) {
            let mut settings = self.fixed.to_vec();
            settings.extend(self.alternatives.get(index % rounds).into_iter().flatten().cloned());
            settings.extend(draw.next());
            if !plan.contains(&settings) {
                plan.push(settings);
            }
        }
        plan
    }

    fn preprocess(
        &self,
        compiler: Compiler<'_>,
        folder: &Path,
        settings: &[Setting],
        of: Side,
    ) -> Result<Vec<Token>, Difference> {
        let mut command = compiler();
        command
            .args(["-E", "-dD", "-w", "-std=gnu11", "-nostdinc"])
            // Lines move when directives go: the same name instead of different numbers.
            .args(["-D__LINE__=__LINE__", "-D__COUNTER__=__COUNTER__"])
            .args(of.given(settings).flat_map(Setting::arguments))
            .arg(self.name())
            .current_dir(folder);
        let output = process::run(command, PATIENCE, &|| false).map_err(Difference::of)?;
        if !output.succeeded() {
            let said = diagnostics::compiler(&output.err);
            let line = said.first().map(|said| said.line);
            let (upstream, output_line) = match of {
                Side::Release => (line, None),
                Side::Output => (None, line),
            };
            let what = output.complaint(PATIENCE);
            let settings = String::new();
            return Err(Difference { what, upstream, output: output_line, settings });
        }
        let ignored = |name: &str, body: &str| {
            let known = self.known().find(|setting| setting.name == name);
            known.is_some_and(|known| of.ignores(known, body))
        };
        Ok(read(&output.out, self.name(), &ignored))
    }

    /// What the output is to say where the release says this.
    fn renamed(&self, tokens: Vec<Token>) -> Vec<Token> {
        let mut renamed = Vec::with_capacity(tokens.len());
        for token in tokens {
            let line = token.line;
            let mut push = |text: String| renamed.push(Token { text, line });
            if let Some(header) = held_include(&token.text) {
                (self.include)(header)
                    .map(|header| as_held_include(&header))
                    .into_iter()
                    .for_each(push);
            } else if let Some(other) = (self.rename)(&token.text) {
                split(&other).map(str::to_owned).for_each(push);
            } else {
                push(token.text);
            }
        }
        renamed
    }

    fn same(&self, expected: &[Token], actual: &[Token]) -> Result<(), Difference> {
        let pairs = expected.iter().zip(actual);
        let alike = pairs.take_while(|(one, other)| one.text == other.text).count();
        if alike == expected.len() && alike == actual.len() {
            return Ok(());
        }
        let line = |tokens: &[Token]| {
            let token = tokens.get(alike).or_else(|| tokens.last());
            token.map(|token| token.line)
        };
        Err(Difference {
            what: format!(
                "upstream says {}, the import {}",
                surroundings(expected, alike),
                surroundings(actual, alike)
            ),
            upstream: line(expected),
            output: line(actual),
            settings: String::new(),
        })
    }

    fn failure(&self, difference: Difference, settings: &[Setting]) -> Difference {
        let (fixed, varied): (Vec<_>, Vec<_>) =
            settings.iter().partition(|setting| self.fixed.contains(setting));
        let list = |settings: Vec<&Setting>| {
            let arguments: Vec<_> = settings.into_iter().map(Setting::short).collect();
            arguments.join(" ")
        };
        let settings = match (list(varied), fixed.len()) {
            (varied, 0) => varied,
            (varied, n) => format!("{varied} and {n} that the rules fix"),
        };
        Difference { settings, ..difference }
    }
}

/// A command that runs a compiler without any arguments yet.
pub(super) type Compiler<'a> = &'a (dyn Fn() -> Command + Sync);

/// Where two streams part.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    /// In words.
    pub(super) what: String,
    /// Line of upstream's file, if the streams are at fault.
    pub(super) upstream: Option<usize>,
    /// Line of the output.
    pub(super) output: Option<usize>,
    /// What was set.
    pub(super) settings: String,
}

impl Difference {
    fn of(what: String) -> Difference {
        Difference { what, upstream: None, output: None, settings: String::new() }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, with {}", self.what, self.settings)
    }
}

/// Which of the two files.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Release,
    Output,
}

impl Side {
    fn given(self, settings: &[Setting]) -> impl Iterator<Item = &Setting> {
        settings
            .iter()
            .filter(move |setting| self == Side::Release || setting.kind != Kind::HardWired)
    }

    /// Whether a definition of a known macro is passed over. What the output defines in place of a
    /// default counts if it is something else than it should be.
    fn ignores(self, known: &Setting, body: &str) -> bool {
        let replaced = self == Side::Output && known.kind == Kind::Replaced;
        !replaced || known.value.as_deref() == Some(body)
    }
}

/// The tokens about the one where two streams part, which is marked.
fn surroundings(tokens: &[Token], at: usize) -> String {
    let Some(token) = tokens.get(at) else {
        return format!("nothing more after `{}`", joined(&tokens[at.saturating_sub(8)..]));
    };
    let before = joined(&tokens[at.saturating_sub(8)..at]);
    let after = joined(&tokens[at + 1..(at + 8).min(tokens.len())]);
    format!("`{before} >>> {} <<< {after}`", token.text.trim())
}

fn joined(tokens: &[Token]) -> String {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.trim()).collect();
    texts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(comparison: &Comparison<'_>) -> Result<Equal, String> {
        let folder = tempfile::tempdir().unwrap();
        comparison.run(&|| Command::new("cc"), folder.path()).map_err(|error| error.to_string())
    }

    fn compare(upstream: &str, output: &str) -> Result<Equal, String> {
        run(&Comparison::new("a.c", upstream.as_bytes(), output.as_bytes()))
    }

    #[test]
    fn layout_comments_and_lines_are_free() {
        let upstream = "/* a */\nint  x = /* b */ 1;\n\n# define A  b   c // d\nA __LINE__\n";
        let output = "int x\n= 1;\n#define A b c\nA __LINE__\n";
        let equal = compare(upstream, output).unwrap();
        assert_eq!(equal.settings, 1, "nothing is free, so there is one setting");
    }

    #[test]
    fn many_settings_are_tried_and_tokens_counted() {
        let text = "#if A > 3 && defined(B)\nint x;\n#else\nlong y;\n#endif\n";
        let equal = compare(text, text).unwrap();
        assert_eq!((equal.settings, equal.tokens), (8, 24));
    }

    #[test]
    fn faults_are_found_and_shown() {
        let upstream = "#include <a.h>\n#define F(x) x\n#if A >= 2\nint one;\n#elif B\nint two;\n\
                        #else\nint three;\n#endif\n#ifdef C\n#error \"no C\"\n#endif\n";
        let faults = [
            ("#include <a.h>\n", ""),
            ("<a.h>", "<b.h>"),
            ("F(x)", "F (x)"),
            ("F(x) x", "F(x) (x)"),
            ("A >= 2", "A > 2"),
            ("#elif B", "#else\n#elif B"),
            ("#elif B", "#elif A"),
            ("#else\nint three;\n", ""),
            ("three", "four"),
            ("no C", "no B"),
            ("#ifdef C\n#error \"no C\"\n#endif\n", ""),
            ("#endif\n#ifdef C", "#ifdef C"),
        ];
        assert!(compare(upstream, upstream).is_ok());
        for (right, wrong) in faults {
            let fault = upstream.replacen(right, wrong, 1);
            let found = compare(upstream, &fault).expect_err(wrong);
            let said = found.contains("upstream says ") || found.contains("error: ");
            assert!(said && found.contains(", with "), "{found}");
        }
    }

    #[test]
    fn what_is_hard_wired_is_set_for_the_release_alone() {
        let upstream = "#if WIRED\nint one;\n#endif\n#ifndef GONE\n#define GONE 1\n#endif\n";
        let fixed =
            [Setting::hard_wired("WIRED", Some("1")), Setting::hard_wired("GONE", Some("1"))];
        let compare = |output: &str| {
            let mut comparison = Comparison::new("a.c", upstream.as_bytes(), output.as_bytes());
            comparison.fixed = &fixed;
            run(&comparison)
        };
        assert!(compare("int one;\n").is_ok());
        assert!(compare("#define GONE\nint one;\n").is_ok());
        assert!(compare("#if WIRED\nint one;\n#endif\n").is_err());
    }

    #[test]
    fn a_replaced_default_must_say_what_the_rules_say() {
        let fixed = [Setting::replaced("FALL", "fall")];
        let compare = |upstream: &str, output: &str| {
            let mut comparison = Comparison::new("a.c", upstream.as_bytes(), output.as_bytes());
            comparison.fixed = &fixed;
            run(&comparison)
        };
        let upstream = "#ifndef FALL\n#define FALL ((void)0)\n#endif\nFALL;\n";
        assert!(compare(upstream, "#define FALL fall\nFALL;\n").is_ok());
        assert!(compare(upstream, "#define FALL fell\nFALL;\n").is_err());
        assert!(compare("FALL;\n", "FALL;\n").is_ok(), "defined in another file");
    }

    #[test]
    fn names_and_headers_change_by_table() {
        let upstream = "#include \"zoo.h\"\n#include <cat.h>\nZoo_t z; char s[] = \"Zoo_t\";\n";
        let output = "#include <linux/zoo.h>\nstruct zoo z; char s[] = \"Zoo_t\";\n";
        let mut comparison = Comparison::new("a.c", upstream.as_bytes(), output.as_bytes());
        comparison.rename = &|name| (name == "Zoo_t").then(|| "struct zoo".to_owned());
        comparison.include = &|name| (name == "\"zoo.h\"").then(|| "<linux/zoo.h>".to_owned());
        assert!(run(&comparison).is_ok());
        comparison.rename = &|_| None;
        assert!(run(&comparison).is_err());
    }

    #[test]
    fn alternatives_go_together() {
        let upstream = "#if !defined(__clang__) && __GNUC__ < 5\nint old;\n#endif\nint x;\n";
        let compiler = |gcc: &str, clang: Option<&str>| {
            vec![Setting::world("__GNUC__", Some(gcc)), Setting::world("__clang__", clang)]
        };
        let mut comparison = Comparison::new("a.c", upstream.as_bytes(), b"int x;\n");
        let right = [compiler("5", None), compiler("12", None), compiler("4", Some("1"))];
        comparison.alternatives = &right;
        assert_eq!(run(&comparison).unwrap().settings, 3);
        let wrong = [compiler("5", None), compiler("4", None)];
        comparison.alternatives = &wrong;
        assert!(run(&comparison).is_err());
    }

    #[test]
    fn what_the_release_rejects_does_not_count_and_may_not_be_the_most() {
        let some = "#if A == 1\n#if (\n#endif\n#endif\n";
        assert!(compare(some, some).is_ok());
        let always = "#if (\n#endif\n";
        assert!(compare(always, always).unwrap_err().contains("rejected too often"));
    }
}
