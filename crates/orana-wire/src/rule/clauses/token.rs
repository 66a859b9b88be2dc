//! The tokens of a condition, as Dubbo's expression finds them. Knows not what they mean.

/// Separators and the word behind them.
pub(super) struct Token<'t> {
    pub(super) separator: &'t str,
    pub(super) word: &'t str,
    /// The character at which the separators begin, or the word if there are none.
    pub(super) offset: usize,
}

pub(super) struct Tokens<'t> {
    text: &'t str,
    characters: std::iter::Peekable<std::iter::Enumerate<std::str::CharIndices<'t>>>,
}

impl<'t> Tokens<'t> {
    pub(super) fn of(text: &'t str) -> Tokens<'t> {
        Tokens {
            text,
            characters: text.char_indices().enumerate().peekable(),
        }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        // Only the last run of separators before a word counts: what the expression cannot match it passes over.
        let mut run = (0, 0, 0);
        while let Some((offset, (at, character))) = self.characters.next() {
            if is_separator(character) {
                run = match run {
                    (start, end, first) if end == at && end > start => (start, at + 1, first),
                    _ => (at, at + 1, offset),
                };
            } else if !is_space(character) {
                let in_word = |(_, (_, c)): &(usize, (usize, char))| !is_separator(*c) && !is_space(*c);
                let mut end = at + character.len_utf8();
                while let Some((_, (at, character))) = self.characters.next_if(in_word) {
                    end = at + character.len_utf8();
                }
                let (start, stop, first) = run;
                return Some(Token {
                    separator: self.text.get(start..stop)?,
                    word: self.text.get(at..end)?,
                    offset: if stop > start { first } else { offset },
                });
            }
        }
        None
    }
}

fn is_separator(character: char) -> bool {
    matches!(character, '&' | '!' | '=' | ',')
}

/// `\s` of Java's expressions.
fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}
