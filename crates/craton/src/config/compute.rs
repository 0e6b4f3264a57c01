//! What the computer may use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Threads at most.
pub const MOST_THREADS: usize = 4096;

/// What the computer may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compute {
    /// Worker threads; one for every core by default. The results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_THREADS), example = 2)]
    pub threads: Option<usize>,
}
