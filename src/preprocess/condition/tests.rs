use super::*;
use crate::rules::Simplify;
use proptest::prelude::*;

fn settings(flags: &str, simplify: Simplify) -> Settings {
    let mut defines = Vec::new();
    let mut undefines = Vec::new();
    for flag in flags.split_whitespace() {
        if let Some(name) = flag.strip_prefix("-U") {
            undefines.push(name.to_owned());
        } else if let Some(define) = flag.strip_prefix("-D") {
            let (name, value) = match define.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (define, None),
            };
            defines.push((name.to_owned(), value));
        }
    }
    Settings::from_flags(&defines, &undefines, simplify).unwrap()
}

/// The decision, or what is left of the condition.
fn judged(text: &str, settings: &Settings) -> String {
    let outcome = judge(text.as_bytes(), Span::new(0, text.len()), settings);
    if let Some(truth) = outcome.decided {
        return truth.to_string();
    }
    let mut out = String::new();
    let mut at = 0;
    for cut in outcome.cuts {
        out.push_str(&text[at..cut.start as usize]);
        at = cut.end as usize;
    }
    out + &text[at..]
}

fn full(text: &str, flags: &str) -> String {
    judged(text, &settings(flags, Simplify::Full))
}

fn leading(text: &str, flags: &str) -> String {
    judged(text, &settings(flags, Simplify::Leading))
}

#[test]
fn operators_and_precedence() {
    let flags = "-DX=6 -DY=3 -DN=-1 -UU";
    for (text, truth) in [
        ("X == 6", true),
        ("X & Y", true),
        ("X / Y == 2 && X % 4 == 2", true),
        ("1 + X * Y == 19", true),
        ("X << 1 >> 2 == Y", true),
        ("X - Y - 2 == 1", true),
        ("N < 0", true),
        ("N < 0u", false),
        ("N > 100u", true),
        ("-X + 6", false),
        ("~X == -7", true),
        ("!X || !!Y", true),
        ("U ? X / U : Y", true),
        ("X ? 0 : 1 ? 1 : 0", false),
        ("(X > Y) ^ 1", false),
        ("X | Y == 3", true),
        ("U", false),
        ("U + 1", true),
        ("defined U || defined(X)", true),
        ("'A' + X == 71", true),
        ("0x7fffffffffffffff + X < 0", true),
        ("X, U", false),
    ] {
        assert_eq!(full(text, flags), truth.to_string(), "{text}");
    }
}

#[test]
fn what_is_not_known_stays_in_its_own_words() {
    for (text, flags, left) in [
        ("A  &&  /* why */ K", "-DK=1", "A"),
        ("K && A /* a */ && B", "-DK=1", "A /* a */ && B"),
        ("A && (K || B) && C", "-DK=0", "A && (B) && C"),
        ("A && (K || B) && C", "-DK=1", "A && C"),
        ("!(K && A)", "-DK=1", "!(A)"),
        ("K ? A : B", "-DK=1", "A"),
        ("K ? A : B", "-UK", "B"),
        ("A ? K && B : C", "-DK=1", "A ? B : C"),
        ("A ? K && B : C", "-DK=0", "A ? K && B : C"),
        ("(K && A) == 1", "-DK=1", "(K && A) == 1"),
        ("K + A > 2", "-DK=1", "K + A > 2"),
        ("K > 1 || A", "-DK", "K > 1 || A"),
        ("F(K) && K", "-DK=1", "F(K)"),
        ("1 && K", "-DK=1", "true"),
        ("1 && K && A", "-DK=1", "A"),
        ("1 && A && K", "-DK=1", "1 && A"),
        ("K ? 1 : A", "-DK=1", "true"),
        ("A && K(x, (y))", "-DK=1", "A"),
        ("A && K(x)", "-UK", "A && K(x)"),
        ("defined(K) && K(x)", "-UK", "false"),
        ("0", "-DK=1", "0"),
        ("K K", "-DK=1", "K K"),
        ("K /", "-DK=1", "K /"),
        ("1 / K", "-DK=0", "1 / K"),
        ("K >= 4 && A", "-DK=5..", "A"),
        ("K >= 6 && A", "-DK=5..", "K >= 6 && A"),
        ("K * 100 + M >= 405", "-DK=5.. -DM=0..", "true"),
        ("A || K", "-DK=1", "true"),
        ("X == 2", "-DX=1+1", "true"),
        ("X * 2 == 3", "-DX=1+1", "true"),
        ("X && A", "-DX=1+1", "X && A"),
        ("X == Y + 1", "-DX=(Y+1) -DY=2", "true"),
        ("X", "-DX=X", "X"),
        ("A == 3", "-DA=B*2 -DB=1+1", "true"),
        ("A == 3", "-DA=(B*2) -DB=1+1", "true"),
        ("A || X", "-DA=B -DB=A -DX=0", "A"),
        ("U ? V : K ? A , B : C", "-DK=1", "U ? V : K ? A , B : C"),
        ("X * Y == 1", "-DX=18446744073709551615u -DY=18446744073709551615u", "true"),
        ("X || A", "-DX=", "X || A"),
        ("defined X && A", "-DX=", "A"),
    ] {
        assert_eq!(full(text, flags), left, "{text} {flags}");
    }
}

#[test]
fn leading_takes_known_operands_off_the_front_only() {
    for (text, flags, left) in [
        ("defined(K) && A", "-DK", "A"),
        ("defined(U) || defined(V) || A", "-UU -UV", "A"),
        ("defined(U) && A || B", "-UU", "B"),
        ("!defined(U) && defined(K) && A", "-UU -DK", "A"),
        ("A && defined(K)", "-DK", "A && defined(K)"),
        ("(defined(K)) && A", "-DK", "(defined(K)) && A"),
        ("defined(K) && (K >= 1)", "-DK=0", "false"),
        ("defined(K) && K >= 1 && A", "-DK=1", "K >= 1 && A"),
        ("K && A", "-DK=0", "false"),
        ("K && A", "-DK=1", "K && A"),
        ("defined(U) || A && defined(K)", "-UU -DK", "A && defined(K)"),
        ("defined(U) || defined(K) && A", "-UU -DK", "A"),
        ("!K", "-DK=1", "!K"),
    ] {
        assert_eq!(leading(text, flags), left, "{text} {flags}");
    }
}

#[test]
fn five_thousand_operands_and_parentheses() {
    let chain = vec!["defined(U) || A"; 2500].join(" || ");
    assert_eq!(full(&chain, "-UU"), vec!["A"; 2500].join(" || "));
    let deep = format!("{}K{} && A", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(full(&deep, "-DK=1"), "A");
    let not = format!("{}K", "!".repeat(100_001));
    assert_eq!(full(&not, "-DK=1"), "false");
    let choice = format!("{}A", "U ? B : ".repeat(5_000));
    assert_eq!(full(&choice, "-UU"), "A");
}

#[test]
fn a_chain_of_names_is_followed_to_its_end() {
    let mut flags: String = (0..60).map(|n| format!("-DM{n}=M{} ", n + 1)).collect();
    flags += "-DM60=2 -DX=1";
    assert_eq!(full("M0 == 2 && X", &flags), "true");
}

/// An expression tree to print, and to evaluate the slow way.
#[derive(Clone, Debug)]
enum Tree {
    Number(i64),
    Name(usize),
    Defined(usize),
    Not(Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    Ternary(Box<Tree>, Box<Tree>, Box<Tree>),
}

const NAMES: [&str; 4] = ["K", "L", "A", "B"];

impl Tree {
    fn text(&self) -> String {
        match self {
            Tree::Number(n) => n.to_string(),
            Tree::Name(i) => NAMES[*i].to_owned(),
            Tree::Defined(i) => format!("defined({})", NAMES[*i]),
            Tree::Not(a) => format!("!{}", a.operand()),
            Tree::Binary(op, a, b) => format!("{} {op} {}", a.operand(), b.operand()),
            Tree::Ternary(c, a, b) => {
                format!("{} ? {} : {}", c.operand(), a.operand(), b.operand())
            }
        }
    }

    fn operand(&self) -> String {
        match self {
            Tree::Binary(..) | Tree::Ternary(..) => format!("({})", self.text()),
            _ => self.text(),
        }
    }

    fn value(&self, names: &[Option<i64>; 4]) -> i64 {
        match self {
            Tree::Number(n) => *n,
            Tree::Name(i) => names[*i].unwrap_or(0),
            Tree::Defined(i) => i64::from(names[*i].is_some()),
            Tree::Not(a) => i64::from(a.value(names) == 0),
            Tree::Binary(op, a, b) => {
                let (a, b) = (a.value(names), b.value(names));
                match *op {
                    "&&" => i64::from(a != 0 && b != 0),
                    "||" => i64::from(a != 0 || b != 0),
                    "==" => i64::from(a == b),
                    "<" => i64::from(a < b),
                    ">=" => i64::from(a >= b),
                    _ => a.wrapping_add(b),
                }
            }
            Tree::Ternary(c, a, b) => {
                if c.value(names) != 0 {
                    a.value(names)
                } else {
                    b.value(names)
                }
            }
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (0i64..4).prop_map(Tree::Number),
        (0usize..4).prop_map(Tree::Name),
        (0usize..4).prop_map(Tree::Defined),
    ];
    leaf.prop_recursive(5, 32, 3, |inner| {
        let op = prop_oneof![
            Just("&&"),
            Just("||"),
            Just("&&"),
            Just("||"),
            Just("=="),
            Just("<"),
            Just(">="),
            Just("+")
        ];
        prop_oneof![
            inner.clone().prop_map(|a| Tree::Not(Box::new(a))),
            (op, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Tree::Binary(
                op,
                Box::new(a),
                Box::new(b)
            )),
            (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| Tree::Ternary(
                Box::new(c),
                Box::new(a),
                Box::new(b)
            )),
        ]
    })
}

fn flags_for(value: Option<i64>, name: &str) -> String {
    value.map_or(format!("-U{name} "), |v| format!("-D{name}={v} "))
}

proptest! {
    /// Whatever is decided or left has the same truth as the whole, for every value of the rest.
    #[test]
    fn reduction_keeps_the_truth(
        tree in trees(),
        k in prop::option::of(0i64..3),
        l in prop::option::of(0i64..3),
        lead in any::<bool>(),
    ) {
        let flags = flags_for(k, "K") + &flags_for(l, "L");
        let simplify = if lead { Simplify::Leading } else { Simplify::Full };
        let text = tree.text();
        let left = judged(&text, &settings(&flags, simplify));
        for a in [None, Some(0), Some(1), Some(2)] {
            for b in [None, Some(0), Some(2)] {
                let want = tree.value(&[k, l, a, b]) != 0;
                let all = flags.clone() + &flags_for(a, "A") + &flags_for(b, "B");
                let got = match left.as_str() {
                    "true" | "false" => left.clone(),
                    text => full(&format!("({text}) || K && 0"), &all),
                };
                prop_assert_eq!(&got, &want.to_string(), "{} [{}] -> {}", text, all, left);
            }
        }
    }

    #[test]
    fn any_text_ends_in_an_outcome(text in "[-AKdefined()?:&|!<>=+*/%~^,0-9'u \\\\\n\"#.]{0,60}") {
        full(&text, "-DK=1 -UA");
        leading(&text, "-DK=1 -UA");
    }
}
