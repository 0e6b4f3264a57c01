//! `--set key=value`: an override of a value from the command line.

use toml::{Table, Value};

use crate::error::Problem;
use crate::key_path::{KeyPath, Segment};

/// An override `key=value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The key to set.
    pub path: KeyPath,
    /// Its new value.
    pub value: Value,
    /// Where the value begins in the text [bytes].
    pub value_start: usize,
}

impl Override {
    /// Reads `key=value`. The value is TOML; text that is not TOML is a string, so that `title=Two layers` needs no
    /// quotes.
    ///
    /// # Errors
    /// A [`Problem`] without a path if there is no `=` or the key is invalid.
    pub fn parse(text: &str) -> Result<Self, Box<Problem>> {
        let (key, value) = text.split_once('=').ok_or_else(|| {
            Box::new(
                Problem::new("", format!("`{text}` has no `=`")).hint("write --set key=value, as in --set duration=5"),
            )
        })?;
        let path: KeyPath = key.parse().map_err(|error| Box::new(Problem::new("", format!("{error}"))))?;
        if path.segments().is_empty() {
            let problem = Problem::new("", "no key before `=`");
            return Err(Box::new(problem.hint("write --set key=value, as in --set duration=5")));
        }
        Ok(Self { path, value: toml_or_text(value.trim()), value_start: key.len() + 1 })
    }

    /// Sets the value in a document and creates missing tables. The index after the last item of a list appends an
    /// item.
    ///
    /// # Errors
    /// A [`Problem`] if a part of the path is neither a table nor a list, or an index is out of range.
    pub fn apply(&self, document: &mut Table) -> Result<(), Box<Problem>> {
        let mut root = Value::Table(std::mem::take(document));
        let outcome = self.set(&mut root);
        if let Value::Table(table) = root {
            *document = table;
        }
        outcome
    }

    fn set(&self, root: &mut Value) -> Result<(), Box<Problem>> {
        let mut here = root;
        let mut path = KeyPath::default();
        for segment in self.path.segments() {
            here = match segment {
                Segment::Key(key) => enter_key(here, key, &path)?,
                Segment::Index(index) => enter_index(here, *index, &path)?,
            };
            path = match segment {
                Segment::Key(key) => path.key(key),
                Segment::Index(index) => path.index(*index),
            };
        }
        *here = self.value.clone();
        Ok(())
    }
}

fn enter_key<'a>(value: &'a mut Value, key: &str, path: &KeyPath) -> Result<&'a mut Value, Box<Problem>> {
    match value {
        Value::Table(table) => Ok(table.entry(key).or_insert_with(|| Value::Table(Table::new()))),
        other => {
            let message = format!("is not a table, so that it has no key `{key}`");
            let problem = Problem::new(path, message).value(&other);
            Err(Box::new(if other.is_array() {
                problem.hint("give an index in brackets, counted from 0: `body[0].ball.density=100`")
            } else {
                problem
            }))
        }
    }
}

fn enter_index<'a>(value: &'a mut Value, index: usize, path: &KeyPath) -> Result<&'a mut Value, Box<Problem>> {
    // An empty table that was just created for a missing key becomes the list that the index requires.
    if value.as_table().is_some_and(Table::is_empty) {
        *value = Value::Array(Vec::new());
    }
    let Value::Array(items) = value else {
        let message = format!("is not a list, so that it has no item [{index}]");
        return Err(Box::new(Problem::new(path, message).value(value)));
    };
    let length = items.len();
    if index == length {
        items.push(Value::Table(Table::new()));
    }
    items.get_mut(index).ok_or_else(|| {
        let problem = Problem::new(path, format!("has {length} items; there is no item [{index}]"));
        Box::new(problem.allowed(format!("[0] to [{length}]; [{length}] appends an item")))
    })
}

/// The value of a TOML text, or the text itself.
fn toml_or_text(text: &str) -> Value {
    let parsed = format!("value = {text}").parse::<Table>();
    match parsed.ok().filter(|table| table.len() == 1).and_then(|mut table| table.remove("value")) {
        Some(value) => value,
        None => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(document: &str, text: &str) -> Result<String, Box<Problem>> {
        let mut document: Table = document.parse().expect("TOML");
        Override::parse(text)?.apply(&mut document)?;
        Ok(document.to_string())
    }

    #[test]
    fn an_override_replaces_adds_and_appends() {
        assert_eq!(after("a = 1", "a=2.5").expect("set"), "a = 2.5\n");
        assert_eq!(after("a = 1", "a = two words").expect("set"), "a = \"two words\"\n");
        assert_eq!(after("", "a.b=[1, 2]").expect("set"), "[a]\nb = [1, 2]\n");
        assert_eq!(after("a = [1, 2]", "a[1]=3").expect("set"), "a = [1, 3]\n");
        assert_eq!(after("a = [1, 2]", "a[2]=3").expect("set"), "a = [1, 2, 3]\n");
        assert_eq!(after("", "a[0].b=true").expect("set"), "[[a]]\nb = true\n");
    }

    #[test]
    fn an_invalid_override_is_refused() {
        assert_eq!(after("a = 1", "a.b=2").expect_err("no table").path, "a");
        assert_eq!(
            after("a = [1]", "a[5]=2").expect_err("too far").allowed.as_deref(),
            Some("[0] to [1]; [1] appends an item")
        );
        assert!(Override::parse("duration").expect_err("no =").message.contains("no `=`"));
        assert!(Override::parse("a..b=1").expect_err("no key").message.contains("not a key"));
    }
}
