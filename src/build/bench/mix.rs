//! A small mix of what kernels compress, made of nothing but numbers that look random: the same bytes
//! each time, on each machine.

/// Bytes of each part: more than the largest block, and little enough for the slowest level.
const SIZE: usize = 144 << 10;
/// Words that texts are made of.
const WORDS: usize = 1800;
const STARTS: [&str; 20] = [
    "b", "br", "ch", "d", "dr", "f", "g", "gl", "h", "k", "l", "m", "n", "p", "qu", "r", "s", "st",
    "t", "v",
];
const MIDDLES: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ea", "ou"];
const ENDS: [&str; 10] = ["", "", "l", "m", "n", "nd", "r", "s", "st", "t"];
const TYPES: [&str; 6] = ["int", "u32", "u64", "size_t", "struct page *", "const char *"];

/// The parts by name.
pub(super) fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("text", text()),
        ("source", source()),
        ("binary", binary()),
        ("zeros", vec![0; SIZE]),
        ("noise", noise()),
        ("json", json()),
    ]
}

/// Numbers that look random (splitmix64).
struct Dice(u64);

impl Dice {
    fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is small and not 0.
    fn below(&mut self, end: usize) -> usize {
        (((self.throw() >> 32) * end as u64) >> 32) as usize
    }

    /// The same; low numbers are far more frequent, as words of a language are.
    fn skewed(&mut self, end: usize) -> usize {
        let parts = [self.below(1024), self.below(1024), self.below(1024)];
        let product: u64 = parts.iter().map(|part| *part as u64).product();
        ((product * end as u64) >> 30) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

fn words(dice: &mut Dice) -> Vec<String> {
    let mut word = |longest| {
        let mut word = String::new();
        for _ in 0..=dice.below(longest) {
            word += dice.of(&STARTS);
            word += dice.of(&MIDDLES);
            word += dice.of(&ENDS);
        }
        word
    };
    // Frequent words are short.
    (0..WORDS).map(|number| word(1 + (number > 40) as usize + (number > 400) as usize)).collect()
}

fn cut(mut text: String) -> Vec<u8> {
    text.truncate(SIZE);
    text.into_bytes()
}

fn text() -> Vec<u8> {
    let mut dice = Dice(1);
    let words = words(&mut dice);
    let mut text = String::new();
    let mut column = 0;
    while text.len() < SIZE {
        let length = 5 + dice.below(16);
        for number in 0..length {
            let word = &words[dice.skewed(WORDS)];
            let (first, rest) = word.split_at(1);
            let end = match number + 1 == length {
                true => dice.of(&[".", ".", ".", "?", ";"]),
                false if dice.below(9) == 0 => ",",
                false => "",
            };
            let first = if number == 0 { first.to_uppercase() } else { first.to_owned() };
            column += word.len() + end.len() + 1;
            text += &first;
            text += rest;
            text += end;
            text += if column > 72 { "\n" } else { " " };
            column = if column > 72 { 0 } else { column };
        }
        if dice.below(7) == 0 {
            text += "\n\n";
            column = 0;
        }
    }
    cut(text)
}

fn source() -> Vec<u8> {
    let mut dice = Dice(2);
    let words = words(&mut dice);
    let mut text = String::new();
    while text.len() < SIZE {
        let prefix = &words[dice.skewed(12)];
        let names: Vec<&String> = (0..5).map(|_| &words[dice.skewed(300)]).collect();
        let (kind, other) = (dice.of(&TYPES), dice.of(&TYPES));
        let (first, second) = (names[0], names[1]);
        text += &format!("/* {} the {} of a {} */\n", names[2], names[3], names[4]);
        text += &format!(
            "static {kind} {prefix}_{first}_{second}({kind} {second}, {other} {first})\n{{\n"
        );
        for _ in 0..2 + dice.below(9) {
            let (name, field) = (names[dice.below(5)], &words[dice.skewed(80)]);
            let size = 1 + dice.below(12);
            let number = dice.below(1 << size);
            text += &match dice.below(6) {
                0 => format!("\tif ({name}->{field} < {number})\n\t\treturn -EINVAL;\n"),
                1 => format!("\tfor (i = 0; i < {name}; i++)\n\t\t{field}[i] = {number};\n"),
                2 => format!("\t{name} = {prefix}_{field}(&{second}, {number:#x});\n"),
                3 => format!("\t{name}->{field} |= 1u << {};\n", number % 32),
                4 => format!("\tif (!{name})\n\t\tgoto out_{field};\n\n"),
                _ => format!("\tmemset({name}, 0, sizeof(*{name}));\n"),
            };
        }
        text += &format!("\treturn {second};\n}}\n\n");
    }
    cut(text)
}

/// Tables, something like machine code, and names, in turn.
fn binary() -> Vec<u8> {
    let mut dice = Dice(3);
    let words = words(&mut dice);
    let phrases: Vec<Vec<u8>> = (0..400)
        .map(|_| (0..2 + dice.below(6)).map(|_| dice.skewed(256) as u8).collect())
        .collect();
    let mut bytes = Vec::new();
    let mut serial = 0_u32;
    while bytes.len() < SIZE {
        match dice.below(4) {
            0 => {
                for _ in 0..200 + dice.below(300) {
                    serial += 1 + dice.skewed(9) as u32;
                    bytes.extend(serial.to_le_bytes());
                    bytes.extend((dice.skewed(300) as u32).to_le_bytes());
                    let pointer = 0xffff_8880_0100_0000 + ((dice.below(1 << 14) as u64) << 6);
                    bytes.extend(pointer.to_le_bytes());
                    bytes.extend([0, 0, 0, dice.skewed(4) as u8, 1, 0, 0, 0]);
                }
            }
            1 => {
                for _ in 0..100 + dice.below(200) {
                    bytes.extend(words[dice.skewed(WORDS)].bytes());
                    bytes.push(0);
                }
            }
            _ => {
                for _ in 0..400 + dice.below(1500) {
                    bytes.extend(&phrases[dice.skewed(400)]);
                    if dice.below(3) == 0 {
                        bytes.extend((dice.skewed(1 << 16) as u32).to_le_bytes());
                    }
                }
            }
        }
    }
    bytes.truncate(SIZE);
    bytes
}

fn noise() -> Vec<u8> {
    let mut dice = Dice(4);
    (0..SIZE / 8).flat_map(|_| dice.throw().to_le_bytes()).collect()
}

fn json() -> Vec<u8> {
    let mut dice = Dice(5);
    let words = words(&mut dice);
    let mut text = String::from("[\n");
    let mut number = 1000;
    while text.len() < SIZE {
        number += 1 + dice.skewed(5);
        let (name, city) = (&words[dice.skewed(WORDS)], &words[dice.skewed(90)]);
        let (day, hour, minute) = (1 + dice.below(28), dice.below(24), dice.below(60));
        let (score, active) = (dice.below(100_000), dice.below(3) > 0);
        text += &format!(
            "  {{\"id\": {number}, \"name\": \"{name}\", \"city\": \"{city}\", \"active\": {active}, "
        );
        text += &format!("\"score\": {}.{:02}, ", score / 100, score % 100);
        text += &format!("\"seen\": \"2026-03-{day:02}T{hour:02}:{minute:02}:00Z\", \"tags\": [");
        for at in 0..dice.below(4) {
            text += if at > 0 { ", " } else { "" };
            text += &format!("\"{}\"", words[dice.skewed(40)]);
        }
        text += "]},\n";
    }
    cut(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sha256;

    #[test]
    fn the_mix_is_the_same_everywhere() {
        let found: Vec<(&str, String)> = all()
            .into_iter()
            .map(|(name, bytes)| {
                assert_eq!(bytes.len(), SIZE, "{name}");
                (name, sha256(&bytes))
            })
            .collect();
        let expected = [
            ("text", "a3cc6d784fcd99e25249b6f03357c3ff0e264e11aea2096009487b5195757db0"),
            ("source", "36df0fba86e9639245c48ad82ea84aeccda87525a234ca718a5015fedd68e079"),
            ("binary", "4e11341ada71f45d4d3e4019bda42850ee2fac4bf99c717844055a2fb1968858"),
            ("zeros", "8123c216413f82bbaa0339c27a43d9822c2a043e20662b27c97874429b996e9a"),
            ("noise", "f7a69fa2461929ddad8db6014a3858188fba1904b249a6507a66ff3b6b1dc6ef"),
            ("json", "0dc30b05072172934ad4a9819db82996fb0dc37ae3d24a4e037320d1520f7270"),
        ];
        assert_eq!(found, expected.map(|(name, hash)| (name, hash.to_owned())));
    }
}
