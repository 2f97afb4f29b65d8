//! Code and comments in the kernel's style.

/// Columns that a line should keep to, and columns that it may take if an item needs them.
const SOFT: usize = 80;
const HARD: usize = 100;
const TAB: usize = 8;

/// `before`, the items with commas between them, `after`: on one line if it fits, else with the
/// others below the first item.
pub(super) fn listed(before: &str, items: &[String], after: &str) -> String {
    let whole = format!("{before}{}{after}", items.join(", "));
    if width(&whole) <= SOFT {
        return whole;
    }
    let column = width(before);
    // Each item has a comma behind it or what ends the list.
    let widest = items.iter().map(|item| width(item)).max().unwrap_or(0) + after.len().max(1);
    let limit = SOFT.max(column + widest);
    if limit > HARD {
        let lead = before.len() - before.trim_start_matches('\t').len();
        let indent = "\t".repeat(lead + 1);
        return format!("{before}\n{}{after}", filled(&indent, &indent, items, SOFT));
    }
    let indent = format!("{}{}", "\t".repeat(column / TAB), " ".repeat(column % TAB));
    format!("{}{after}", filled(before, &indent, items, limit))
}

/// The items, as many on a line as fit.
fn filled(first: &str, indent: &str, items: &[String], limit: usize) -> String {
    let mut text = first.to_string();
    let mut column = width(first);
    let mut fresh = true;
    for (at, item) in items.iter().enumerate() {
        let room = width(item) + if at + 1 < items.len() { 1 } else { 2 };
        if !fresh && column + 1 + room > limit {
            text.push('\n');
            text.push_str(indent);
            column = width(indent);
            fresh = true;
        }
        if !fresh {
            text.push(' ');
            column += 1;
        }
        text.push_str(item);
        column += width(item);
        if at + 1 < items.len() {
            text.push(',');
            column += 1;
        }
        fresh = false;
    }
    text
}

/// Columns that a line takes.
fn width(line: &str) -> usize {
    let mut column = 0;
    for c in line.chars() {
        column = if c == '\t' { (column / TAB + 1) * TAB } else { column + 1 };
    }
    column
}

/// Statements as the body of a function: each line one tab further in.
pub(super) fn body(statements: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("\t{line}") };
    statements.lines().map(|text| line(text.trim_end()) + "\n").collect()
}

/// What a kernel-doc comment says.
pub(super) struct Doc<'a> {
    /// The name as kernel-doc wants it: `f()` or `typedef t`.
    pub(super) name: String,
    /// What it is, in one line.
    pub(super) brief: &'a str,
    /// Names and descriptions of the parameters.
    pub(super) parameters: Vec<(&'a str, &'a str)>,
    /// Further paragraphs.
    pub(super) text: Option<&'a str>,
    /// What it returns.
    pub(super) returns: Option<&'a str>,
}

/// The comment.
pub(super) fn comment(doc: &Doc<'_>) -> String {
    let mut lines = vec!["/**".to_string()];
    let title = format!("{} - ", doc.name);
    // A continued brief line is one more paragraph of it to kernel-doc.
    wrap(&mut lines, &format!(" * {title}"), " *   ", doc.brief);
    let longest = doc.parameters.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, text) in &doc.parameters {
        let head = format!(" * {:<width$} ", format!("@{name}:"), width = longest + 2);
        let indent = format!(" * {:<width$} ", "", width = longest + 2);
        wrap(&mut lines, &head, &indent, text);
    }
    for paragraph in doc.text.iter().flat_map(|text| paragraphs(text)) {
        lines.push(" *".into());
        wrap(&mut lines, " * ", " * ", &paragraph);
    }
    if let Some(text) = doc.returns {
        lines.push(" *".into());
        wrap(&mut lines, " * Return: ", " *         ", text);
    }
    lines.push(" */".into());
    lines.join("\n")
}

fn paragraphs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![String::new()];
    for line in text.lines() {
        match (line.trim().is_empty(), found.last_mut()) {
            (false, Some(last)) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => found.push(String::new()),
        }
    }
    found.retain(|paragraph| !paragraph.trim().is_empty());
    found
}

/// Fills lines with the words of a text.
fn wrap(lines: &mut Vec<String>, first: &str, indent: &str, text: &str) {
    let mut line = first.to_string();
    let mut fresh = true;
    for word in text.split_whitespace() {
        if !fresh && width(&line) + 1 + width(word) > SOFT {
            lines.push(line.trim_end().to_string());
            line = indent.to_string();
            fresh = true;
        }
        if !fresh {
            line.push(' ');
        }
        line.push_str(word);
        fresh = false;
    }
    lines.push(line.trim_end().to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_fits_is_one_line() {
        assert_eq!(listed("int f(", &items(&["int a", "int b"]), ");"), "int f(int a, int b);");
        assert_eq!(listed("int f(", &items(&["void"]), ")"), "int f(void)");
    }

    #[test]
    fn what_does_not_fit_is_aligned() {
        let list = items(&["one_type *one", "const other_type *other_name", "third_type of_three"]);
        assert_eq!(
            listed("size_t a_function_name(", &list, ");"),
            "size_t a_function_name(one_type *one, const other_type *other_name,\n\
             \t\t       third_type of_three);"
        );
    }

    #[test]
    fn lines_keep_to_the_limits() {
        let long = items(&[&"p".repeat(45)]);
        let before = format!("{}(", "f".repeat(50));
        // One line of up to a hundred columns is better than a line that ends in a parenthesis.
        assert_eq!(listed(&before, &long, ");").lines().count(), 1);
        let longer = items(&[&"p".repeat(60), "q"]);
        let text = listed(&before, &longer, ");");
        assert_eq!(text, format!("{before}\n\t{}, q);", "p".repeat(60)));
        for count in 1..20 {
            let list = vec!["const some_type *name".to_string(); count];
            let text = listed("int function(", &list, ");");
            assert!(text.lines().all(|line| width(line) <= SOFT), "{text}");
        }
    }

    #[test]
    fn comments_are_filled_and_aligned() {
        let doc = Doc {
            name: "f()".into(),
            brief: "do it",
            parameters: vec![("a", "the first"), ("longer", "word ".repeat(20).leak())],
            text: Some("One\ntwo.\n\nThree."),
            returns: Some("zero"),
        };
        let word = ["word"; 13].join(" ");
        let rest = ["word"; 7].join(" ");
        assert_eq!(
            comment(&doc),
            format!(
                "/**\n * f() - do it\n * @a:      the first\n * @longer: {word}\n *          {rest}\n \
                 *\n * One two.\n *\n * Three.\n *\n * Return: zero\n */"
            )
        );
        let doc = Doc { brief: "x", parameters: vec![], text: None, returns: None, ..doc };
        assert_eq!(comment(&doc), "/**\n * f() - x\n */");
    }

    #[test]
    fn bodies_are_indented() {
        assert_eq!(body("if (a)\n\tb();\n\nreturn;"), "\tif (a)\n\t\tb();\n\n\treturn;\n");
    }
}
