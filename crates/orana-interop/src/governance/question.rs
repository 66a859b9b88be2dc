//! What a consumer is asked: the line of JSON that Java and Rust programs read alike.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Call this so often, and tell whom it reaches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Comes back with the answer.
    pub id: u64,
    /// The method's Java name.
    pub method: String,
    /// Texts, and numbers for `int`.
    pub arguments: Vec<Value>,
    /// Of the request.
    pub attachments: BTreeMap<String, String>,
    /// How many calls.
    pub calls: u32,
}
