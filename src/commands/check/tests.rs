//! How ranges and their parts are spelt.

use super::*;
use crate::finding::ErrorKind;

#[test]
fn revisions_and_ranges_are_told_apart() {
    let parse = |text: &str| Subject::parse(text, false);
    let range = |from: &str, to: &str| {
        let (from, to) = (from.to_owned(), to.to_owned());
        Subject::Range(Range { from, to, all_parents: false })
    };
    assert_eq!(parse("v1.2.3~2").unwrap(), Subject::Revision(Some("v1.2.3~2".into())));
    assert_eq!(parse("v1.2.3..dev").unwrap(), range("v1.2.3", "dev"));
    assert_eq!(parse("v1.2.3..").unwrap(), range("v1.2.3", "HEAD"));
    for wrong in ["..", "..dev", "a...b", "a..b..c"] {
        assert_eq!(parse(wrong).unwrap_err().kind, ErrorKind::Usage, "{wrong}");
    }
}

#[test]
fn shards_share_a_range_without_rest() {
    for count in [0, 1, 7, 892] {
        for of in [1, 2, 5, 13] {
            let parts = (1..=of).map(|number| Shard { number, of }.part(count));
            let all: Vec<usize> = parts.clone().flatten().collect();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
            let lengths: Vec<usize> = parts.map(|part| part.len()).collect();
            let (least, most) = (lengths.iter().min().unwrap(), lengths.iter().max().unwrap());
            assert!(most - least <= 1, "{count} in {of}: {lengths:?}");
        }
    }
    assert_eq!("2/3".parse::<Shard>().unwrap(), Shard { number: 2, of: 3 });
    for wrong in ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3"] {
        assert_eq!(wrong.parse::<Shard>().unwrap_err().kind, ErrorKind::Usage, "{wrong}");
    }
}
