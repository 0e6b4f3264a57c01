//! Mutations of inputs: of bytes, of binary numbers, and of lines, words and numbers of text.

mod bytes;
mod numbers;
mod text;

use super::random::Random;

/// Largest input [bytes].
pub const MOST_BYTES: usize = 1 << 16;
/// Largest number of mutations of one input.
const MOST_MUTATIONS: usize = 4;

/// What a format consists of, which determines the mutations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Binary words.
    Binary,
    /// Lines of words.
    Text,
    /// Both, such as a header of text before binary words.
    Mixed,
}

impl Form {
    /// Name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Text => "text",
            Self::Mixed => "mixed",
        }
    }
}

/// A mutation. `others` are all inputs of the corpus, never empty.
type Mutation = fn(&mut Vec<u8>, others: &[Vec<u8>], random: &mut Random);

const OF_BINARY: [Mutation; 11] = [
    bytes::flip_bit,
    bytes::replace_byte,
    bytes::truncate,
    bytes::insert,
    bytes::repeat,
    bytes::remove,
    bytes::swap,
    bytes::splice,
    numbers::replace_word,
    numbers::replace_word,
    numbers::add_to_word,
];

const OF_TEXT: [Mutation; 11] = [
    text::replace_number,
    text::replace_number,
    text::replace_word,
    text::remove_line,
    text::repeat_line,
    text::swap_lines,
    text::remove_column,
    text::insert_letter,
    bytes::splice,
    bytes::truncate,
    bytes::repeat,
];

/// A mutated copy of an input of the corpus, of at most [`MOST_BYTES`] bytes.
pub fn mutated(corpus: &[Vec<u8>], form: Form, random: &mut Random) -> Vec<u8> {
    let mut input = random.one_of(corpus).clone();
    for _ in 0..random.length(MOST_MUTATIONS) {
        let as_text = match form {
            Form::Binary => random.once_in(20),
            Form::Text => !random.once_in(12),
            Form::Mixed => random.once_in(2),
        };
        let mutation = random.one_of(if as_text { &OF_TEXT } else { &OF_BINARY });
        mutation(&mut input, corpus, random);
        input.truncate(MOST_BYTES);
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_are_reproducible_and_bounded() {
        let corpus = [b"ncols 3\nnrows 2\n1 2 -3.5e1\n4 5 6\n".to_vec(), vec![], vec![0; MOST_BYTES]];
        for form in [Form::Binary, Form::Text, Form::Mixed] {
            let sequence = || {
                let mut random = Random::new(7, "a");
                (0..2000).map(|_| mutated(&corpus, form, &mut random)).collect::<Vec<_>>()
            };
            let inputs = sequence();
            assert_eq!(inputs, sequence());
            assert!(inputs.iter().all(|input| input.len() <= MOST_BYTES));
            assert!(inputs.iter().filter(|input| !corpus.contains(input)).count() > 1000);
        }
    }
}
